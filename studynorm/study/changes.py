"""What a learner does to rows of items, in one go, and the sentence that says what came of it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from studynorm.study.items import ItemRow
from studynorm.study.titles import shortened

if TYPE_CHECKING:
    from studynorm.study.desk import Desk

_LONGEST = 40


class Changes:
    """Changes the items of rows; remembers which were forgotten last. Every method may raise a StoreError."""

    def __init__(self, desk: "Desk") -> None:
        self._desk = desk
        self._forgotten: tuple[ItemRow, ...] = ()

    def suspend(self, rows: Sequence[ItemRow]) -> str:
        """Suspend rows; where all are suspended, resume them."""
        upkeep, now = self._desk.store.upkeep, self._desk.clock()
        if all(row.suspended for row in rows):
            return _said(rows, upkeep.resume(_items(rows), now), "resumed")
        return _said(rows, upkeep.suspend(_items(rows), now), "suspended; @ resumes")

    def bury(self, rows: Sequence[ItemRow]) -> str:
        """Bury rows until tomorrow; where all are buried, take them out again."""
        upkeep, now = self._desk.store.upkeep, self._desk.clock()
        if all(row.buried for row in rows):
            return _said(rows, upkeep.unbury(_items(rows), now), "taken out again")
        return _said(rows, upkeep.bury(_items(rows), now), "buried until tomorrow")

    def forget(self, rows: Sequence[ItemRow]) -> str:
        """Take the memories of rows away."""
        count = self._desk.store.upkeep.forget(_items(rows), self._desk.clock())
        self._forgotten = tuple(rows)
        return _said(rows, count, "forgotten; u gives the memory back")

    def remember(self, rows: Sequence[ItemRow]) -> str:
        """Give back what was forgotten last, else what these rows had before they were forgotten."""
        rows = self._forgotten or rows
        count = self._desk.store.upkeep.remember(_items(rows), self._desk.clock())
        self._forgotten = ()
        if not count:
            return "There is no memory to give back here."
        return _said(rows, count, "remembered again")


def named(rows: Sequence[ItemRow]) -> str:
    """Return the title of one row, or how many there are."""
    if len(rows) != 1:
        return f"{len(rows)} items"
    return shortened(rows[0].title, _LONGEST)


def _items(rows: Iterable[ItemRow]) -> list[str]:
    return [row.item for row in rows]


def _said(rows: Sequence[ItemRow], count: int, done: str) -> str:
    what = named(rows) if count == len(rows) else f"{count} of {len(rows)} items"
    return f"{what}: {done}."
