"""What a session asks where the learner has chosen its items, whatever their due days."""

from collections import deque
from collections.abc import Iterable

from studynorm.scheduling.memory import Memory
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment
from studynorm.storage.store import Store
from studynorm.study.agenda import Agenda
from studynorm.study.catalogue import Catalogue
from studynorm.study.situation import stage_of


class ChosenAgenda(Agenda):
    """The chosen items, once each and in that order, and the steps to which their answers lead.

    Neither due days nor the daily limits nor burials hold them back. Suspended ones are left out, and those
    of which there is no card or family any more.
    """

    def __init__(self, store: Store, catalogue: Catalogue, settings: Settings, items: Iterable[str]) -> None:
        super().__init__(store, catalogue, settings, None)
        self._items = tuple(dict.fromkeys(items))
        self._met: set[str] = set()

    def of(self, catalogue: Catalogue) -> "ChosenAgenda":
        """Return an agenda of the same items for decks that were read again; it is yet to be planned."""
        renewed = ChosenAgenda(self._store, catalogue, self._settings, self._items)
        renewed._set_aside, renewed._met = self._set_aside, self._met
        return renewed

    @property
    def left_out(self) -> str:
        """What to say of those that are not asked; empty where all are."""
        suspended = sum(item in self._paused for item in self._items)
        gone = sum(item not in self._catalogue.candidates for item in self._items)
        damaged = sum(item in self._unreadable for item in self._items)
        told = ((suspended, "suspended"), (gone, "gone"), (damaged, "set aside"))
        return " ".join(_left_out(count, len(self._items), why) for count, why in told if count)

    def plan(self, now: Moment) -> None:
        """Work out what was not asked yet, and which steps the answers given have led to."""
        self._look_at_rows(now)
        pauses = self._store.upkeep.pauses()
        self._paused = frozenset(item for item in self._items if item in pauses and pauses[item].suspended)
        scope = [item for item in self._items if self._in_scope(item)]
        memories = {item: self._store.memory(item) for item in scope}
        self._queue = deque(item for item in scope if item not in self._met)
        self._learning = {
            item: memory.due_at
            for item, memory in memories.items()
            if item in self._met and memory is not None and memory.due_at is not None
        }
        asked = (*self._queue, *self._learning)
        self._stages = {item: stage_of(memories[item]) for item in asked}
        self.day = now.day

    def keep(self, after: Memory) -> None:
        """Note the memory that a rating led to: the item was asked, and a step comes back in this session."""
        self._met.add(after.item)
        super().keep(after)

    def put_back(self, item: str, memory: Memory | None) -> None:
        """Put an unrated item back where it came from; one that was not asked yet is the next one."""
        super().put_back(item, memory if item in self._met else None)

    def drop(self, item: str) -> None:
        """Let go of an item until it is planned anew; its answer was taken back."""
        self._met.discard(item)
        super().drop(item)


def _left_out(count: int, of: int, why: str) -> str:
    if of == 1:
        return f"The chosen item is {why}, so it is not asked."
    are, they = ("is", "it is") if count == 1 else ("are", "they are")
    return f"{count} of {of} chosen items {are} {why}, so {they} not asked."
