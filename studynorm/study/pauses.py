"""What a session suspended and buried, so that each pause can be taken back in its turn."""

from collections.abc import Callable
from dataclasses import dataclass

from studynorm.scheduling.studyday import Moment
from studynorm.storage.store import Store

_Change = Callable[[list[str], Moment], int]


@dataclass(frozen=True, slots=True)
class _Pause:
    item: str
    answered: int
    take_back: _Change


class Pauses:
    """The pauses of one session. Its methods may raise a StoreError; nothing has then changed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pauses: list[_Pause] = []

    def suspend(self, item: str, now: Moment, answered: int) -> None:
        """Ask an item no more until it is resumed; so many answers were given before."""
        upkeep = self._store.upkeep
        upkeep.suspend([item], now)
        self._pauses.append(_Pause(item, answered, upkeep.resume))

    def bury(self, item: str, now: Moment, answered: int) -> None:
        """Ask an item no more on this study day; so many answers were given before."""
        upkeep = self._store.upkeep
        upkeep.bury([item], now)
        self._pauses.append(_Pause(item, answered, upkeep.unbury))

    def take_back(self, now: Moment, answered: int) -> str | None:
        """Take the newest pause back and return its item; None where an answer came after it, or none is."""
        if not self._pauses or self._pauses[-1].answered != answered:
            return None
        newest = self._pauses[-1]
        newest.take_back([newest.item], now)
        return self._pauses.pop().item
