"""How a profile stands, read with plain sqlite3 and without a trace: what the first screen shows.

Separate from the Store because SQLAlchemy takes longer to load than everything else that the first
frame needs. Counts are made by SQLite: a profile may hold 100 000 memories.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studynorm.scheduling.queue import DayLoad
from studynorm.storage.errors import sqlite_errors
from studynorm.storage.peek import opened
from studynorm.storage.schema import REVISIONS
from studynorm.storage.setaside import damaged_memories

MATURE_DAYS = 21
"""From this stability on a memory is mature."""

_STRENGTH = (
    "CASE WHEN state <> 'review' THEN 'learning'"
    f" WHEN stability >= {MATURE_DAYS} THEN 'mature' ELSE 'young' END"
)
_BY_TOPIC = (
    f"SELECT topic, state, stability >= {MATURE_DAYS}, count(*) FROM memory"
    f" GROUP BY topic, state, stability >= {MATURE_DAYS}"
)
_DUE = "SELECT item FROM memory WHERE due_day <= ? ORDER BY due_day, item"
_DUE_WHOLE = "SELECT item, stability, last_day FROM memory WHERE due_day <= ? ORDER BY due_day, item"
_STEPS = "SELECT item, due_at FROM memory WHERE due_at IS NOT NULL ORDER BY due_at, item"
_LOAD = "SELECT item, before_state FROM review WHERE day = ?"
_SUMMARY = (
    "SELECT coalesce(sum(answers), 0), coalesce(sum(passed), 0), coalesce(sum(duration_ms), 0),"
    " coalesce(sum(fresh), 0) FROM day_total WHERE day = ?"
)
_NEXT_DAY = (
    "SELECT min(due_day) FROM memory WHERE due_day > ?"
    " AND NOT EXISTS (SELECT 1 FROM pause WHERE pause.item = memory.item AND suspended = 1)"
)
_PAUSED = "SELECT item FROM pause WHERE suspended = 1 OR buried_day = ?"
_AT_ONCE = 500  # parameters of one query; SQLite takes at least 999


@dataclass(frozen=True, slots=True)
class DaySummary:
    """What was done on one study day: answers, how many of them passed, the time they took, first reviews."""

    answers: int
    passed: int
    duration_ms: int
    new: int


@dataclass(frozen=True, slots=True)
class DueMemory:
    """What the order of due memories may hang on: `stability` in days, `last_day` a study day."""

    item: str
    stability: float
    last_day: int


class Glance:
    """An open look at a profile; one that does not exist yet is empty."""

    def __init__(self, connection: sqlite3.Connection | None) -> None:
        """Look through a connection; None stands for a profile that does not exist."""
        self._connection = connection

    def strengths(self, items: Sequence[str]) -> dict[str, str]:
        """Return `learning`, `young` or `mature` for those of the items that have a memory."""
        return dict(self._among(f"SELECT item, {_STRENGTH} FROM memory", items))

    def due_among(self, items: Sequence[str], day: int) -> list[str]:
        """Return those of the items that are in Review and due by a study day, most overdue first."""
        found = self._among("SELECT due_day, item FROM memory", items, " AND due_day <= ?", day)
        return [item for _, item in sorted(found)]

    def strengths_by_topic(self) -> dict[str, dict[str, int]]:
        """Return how many memories of each strength every topic has, items that are gone included."""
        counts: dict[str, dict[str, int]] = {}
        for topic, state, mature, count in self._rows(_BY_TOPIC):
            strength = "learning" if state != "review" else "mature" if mature else "young"
            strengths = counts.setdefault(topic, {})
            strengths[strength] = strengths.get(strength, 0) + count
        return counts

    def known_items(self) -> frozenset[str]:
        """Return every item that has a memory."""
        joined = self._one("SELECT group_concat(item, char(10)) FROM memory")  # far faster than rows
        return frozenset(joined.split("\n")) if joined else frozenset()

    def known_in(self, topic: str) -> frozenset[str]:
        """Return the items of a topic that have a memory."""
        return frozenset(item for (item,) in self._rows("SELECT item FROM memory WHERE topic = ?", topic))

    def due_items(self, day: int) -> Iterator[str]:
        """Yield the items in Review that are due by a study day, most overdue first."""
        return (item for (item,) in self._rows(_DUE, day))

    def due_memories(self, day: int) -> tuple[DueMemory, ...]:
        """Return what is due by a study day with what tells how much of it is forgotten."""
        return tuple(DueMemory(*row) for row in self._rows(_DUE_WHOLE, day))

    def steps(self) -> Mapping[str, int]:
        """Return the items in learning steps and when they are due (UTC milliseconds), soonest first."""
        return dict(self._rows(_STEPS))

    def load(self, day: int) -> DayLoad:
        """Return the load of a study day."""
        return day_load(self._rows(_LOAD, day))

    def summary(self, day: int) -> DaySummary:
        """Return the totals of a study day."""
        return DaySummary(*next(iter(self._rows(_SUMMARY, day)), (0, 0, 0, 0)))

    def next_due_day(self, after: int) -> int | None:
        """Return the first study day later than `after` on which an item that is not suspended is due."""
        day: int | None = self._one(_NEXT_DAY, after)
        return day

    def paused(self, day: int) -> frozenset[str]:
        """Return the items that are not asked on a study day."""
        return frozenset(item for (item,) in self._rows(_PAUSED, day))

    def damaged(self) -> frozenset[str]:
        """Return the items whose memory is no whole one."""
        if self._connection is None:
            return frozenset()
        return frozenset(one.item for one in damaged_memories(self._connection))

    def value(self, key: str) -> str | None:
        """Return one of the profile's own values."""
        found: str | None = self._one("SELECT value FROM profile WHERE key = ?", key)
        return found

    def _among(self, query: str, items: Sequence[str], more: str = "", *values: object) -> Iterator[Any]:
        for start in range(0, len(items), _AT_ONCE):
            some = items[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            yield from self._rows(f"{query} WHERE item IN ({marks}){more}", *some, *values)

    def _rows(self, query: str, *values: object) -> Iterable[Any]:
        return () if self._connection is None else self._connection.execute(query, values)

    def _one(self, query: str, *values: object) -> Any:
        row = next(iter(self._rows(query, *values)), None)
        return None if row is None else row[0]


@contextmanager
def glance(path: Path) -> Iterator[Glance | None]:
    """Give a look at a profile; None where it is of an older schema and must be opened first.

    Raises what opening it would raise; changes nothing.
    """
    with sqlite_errors(path), opened(path, REVISIONS) as (connection, revision):
        yield Glance(connection) if connection is None or revision == REVISIONS[-1] else None


def day_load(rows: Iterable[tuple[str, str | None]]) -> DayLoad:
    """Return the load of a study day from its reviews, each an item and its state before."""
    found = list(rows)
    states = [state for _, state in found]
    groups = frozenset(item.partition("#")[0] for item, _ in found)
    return DayLoad(new=states.count(None), reviews=states.count("review"), groups=groups)
