"""What a learner does to rows of items, in one go, and the sentence that says what came of it."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from studynorm.scheduling.studyday import Moment
from studynorm.study.duedate import day_words
from studynorm.study.items import ItemRow
from studynorm.study.titles import shortened

if TYPE_CHECKING:
    from studynorm.study.desk import Desk

_LONGEST = 40
NO_DUE_DAY = "Only items in Review have a due day to set; new ones and learning steps come by themselves."


class Changes:
    """Changes the items of rows, and remembers whose memories it changed last.

    Every method may raise a StoreError; nothing has then changed.
    """

    def __init__(self, desk: "Desk") -> None:
        self._desk = desk
        self._last: tuple[str, tuple[ItemRow, ...]] | None = None

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
        self._last = ("forget", tuple(rows))
        return _said(rows, count, "forgotten; u gives the memory back")

    def set_due(self, rows: Sequence[ItemRow], day: int) -> str:
        """Make the rows that are in Review due on a study day; says so where there is none."""
        now = self._desk.clock()
        movable = [row for row in rows if has_due_day(row)]
        if not movable:
            return NO_DUE_DAY
        count = self._desk.store.upkeep.set_due(_items(movable), day, now)
        words = f"due {day_words(max(day, now.day), now.day)}"
        if not count:
            return f"{named(rows)}: {words} already."
        self._last = ("due", tuple(movable))
        said = _said(rows, len(movable), f"{words}; u takes it back")
        return said if len(movable) == len(rows) else f"{said} {NO_DUE_DAY}"

    def take_back(self, rows: Sequence[ItemRow]) -> str:
        """Take back what was forgotten or set due last here; else what was of these rows, ever.

        Memories come back, and due days are what they were before, unless something came since.
        """
        kind, changed = self._last or ("", tuple(rows))
        upkeep, now = self._desk.store.upkeep, self._desk.clock()
        ways: dict[str, tuple[Callable[[Iterable[str], Moment], int], str]] = {
            "forget": (upkeep.remember, "remembered again"),
            "due": (upkeep.unset_due, "due day given back"),
        }
        self._last = None
        for way in [kind] if kind else ways:
            take_back, done = ways[way]
            count = take_back(_items(changed), now)
            if count:
                return _said(changed, count, done)
        return "There is nothing to take back here."


def has_due_day(row: ItemRow) -> bool:
    """Tell whether an item is in Review, so that its due day can be set."""
    return row.memory is not None and row.memory.due_day is not None


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
