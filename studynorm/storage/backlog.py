"""What is waiting in a profile, what comes after it, and every memory as far as a prediction needs it.

Read with plain sqlite3 and without a trace, as the first screen is.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from studynorm.storage.errors import sqlite_errors
from studynorm.storage.glance import DueMemory, Glance
from studynorm.storage.peek import opened
from studynorm.storage.schema import REVISIONS

if TYPE_CHECKING:
    from studynorm.storage.store import Store

_REVIEWED = (
    "SELECT sum(asked) FROM day_total WHERE day < ? GROUP BY day HAVING sum(asked) > 0"
    " ORDER BY day DESC LIMIT ?"
)
_COMING = (
    "SELECT due_day, count(*) FROM memory WHERE due_day > ? AND due_day <= ?"
    " AND NOT EXISTS (SELECT 1 FROM pause WHERE pause.item = memory.item AND suspended = 1)"
    " GROUP BY due_day"
)
_DUE_DAYS = "SELECT item, due_day FROM memory"
_COUNT_DUE = "SELECT count(*) FROM memory WHERE due_day <= ?"
_MEMORIES = "SELECT item, stability, last_day FROM memory"
_SUSPENDED = "SELECT item FROM pause WHERE suspended = 1"
_WEIGHTS = 'SELECT "values" FROM weights WHERE id = ?'


class BacklogGlance(Glance):
    """A look at a profile with what a catch-up plan and a prediction need to know."""

    def reviews_by_day(self, before: int, most: int) -> Sequence[int]:
        """Return how many reviews the last study days before a day had, newest first.

        Days without any are left out; answers to new items and in learning steps do not count.
        """
        return [count for (count,) in self._rows(_REVIEWED, before, most)]

    def coming(self, after: int, until: int, among: Sequence[str] | None = None) -> Mapping[int, int]:
        """Return how many items in Review that are not suspended come due on each later study day of a span.

        Only those `among` some items, where these are given: looking each up pays up to a few thousand.
        """
        if among is None:
            return dict(self._rows(_COMING, after, until))
        suspended, counts = self.suspended(), dict[int, int]()
        for item, day in self._among(_DUE_DAYS, among, " AND due_day > ? AND due_day <= ?", after, until):
            if item not in suspended:
                counts[day] = counts.get(day, 0) + 1
        return counts

    def due_of(self, items: Sequence[str], day: int) -> Iterable[str]:
        """Return those of the items that are due by a study day; of many others that are, none is read."""
        if (self._one(_COUNT_DUE, day) or 0) > len(items):
            return self.due_among(items, day)
        wanted = frozenset(items)
        return (item for item in self.due_items(day) if item in wanted)

    def memories(self) -> Iterator[DueMemory]:
        """Yield what a prediction needs of every memory."""
        return (DueMemory(*row) for row in self._rows(_MEMORIES))

    def suspended(self) -> frozenset[str]:
        """Return the items that are suspended."""
        return frozenset(item for (item,) in self._rows(_SUSPENDED))

    def weights(self) -> tuple[float, ...] | None:
        """Return the weights that were adopted last; None for the published ones."""
        number = self.value("weights")
        text = None if number is None else self._one(_WEIGHTS, number)
        return None if text is None else tuple(map(float, json.loads(text)))


@contextmanager
def backlog_glance(path: Path) -> Iterator[BacklogGlance | None]:
    """Give a look at a profile; None where it is of an older schema and must be opened first.

    Raises what opening it would raise; changes nothing.
    """
    with sqlite_errors(path), opened(path, REVISIONS, checked=False) as (connection, revision):
        current = connection is None or revision == REVISIONS[-1]
        yield BacklogGlance(connection) if current else None


def due_memories(store: "Store", day: int) -> tuple[DueMemory, ...]:
    """Return what a Glance would say is due, through the open Store. Raises StoreError."""
    from studynorm.storage.connect import READ

    with store.transaction(READ) as connection:
        return Glance(connection.connection.driver_connection).due_memories(day)
