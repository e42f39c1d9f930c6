"""How a profile stands, read with plain sqlite3 and without a trace: what the first screen shows.

Separate from the Store because SQLAlchemy takes longer to load than everything else that the first
frame needs.
"""

from dataclasses import dataclass
from pathlib import Path

from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.queue import DayLoad
from studynorm.storage.errors import damaged, sqlite_errors
from studynorm.storage.peek import opened
from studynorm.storage.schema import MEMORY_FIELDS, REVISIONS

_MEMORIES = f"SELECT item, {', '.join(MEMORY_FIELDS)} FROM memory"
_LOAD = "SELECT item, before_state FROM review WHERE day = ?"
_SUMMARY = (
    "SELECT count(*), count(*) FILTER (WHERE rating > 1), coalesce(sum(duration_ms), 0),"
    " count(*) FILTER (WHERE before_state IS NULL) FROM review WHERE day = ?"
)
_NEXT_DAY = (
    "SELECT min(due_day) FROM memory WHERE due_day > ?"
    " AND NOT EXISTS (SELECT 1 FROM pause WHERE pause.item = memory.item AND suspended = 1)"
)
_PAUSED = "SELECT item FROM pause WHERE suspended = 1 OR buried_day = ?"


@dataclass(frozen=True, slots=True)
class DaySummary:
    """What was done on one study day: answers, how many of them passed, the time they took, first reviews."""

    answers: int
    passed: int
    duration_ms: int
    new: int


@dataclass(frozen=True, slots=True)
class Glance:
    """Every memory of a profile, and of one study day what was done, what is paused and which day is next."""

    memories: tuple[Memory, ...]
    load: DayLoad
    summary: DaySummary
    next_due_day: int | None
    paused: frozenset[str]


def glance(path: Path, day: int) -> Glance | None:
    """Return how a profile stands on a study day; None where it is of an older schema and must be opened.

    A profile that does not exist is empty. Raises what opening it would raise; changes nothing.
    """
    with sqlite_errors(path), opened(path, REVISIONS) as (connection, revision):
        if connection is None:
            return Glance((), day_load([]), DaySummary(0, 0, 0, 0), None, frozenset())
        if revision != REVISIONS[-1]:
            return None
        try:
            memories = tuple(_memory(row) for row in connection.execute(_MEMORIES))
        except (TypeError, ValueError) as error:  # a row that holds no whole memory
            raise damaged(path, error) from error
        return Glance(
            memories,
            day_load(connection.execute(_LOAD, (day,)).fetchall()),
            DaySummary(*connection.execute(_SUMMARY, (day,)).fetchone()),
            connection.execute(_NEXT_DAY, (day,)).fetchone()[0],
            frozenset(item for (item,) in connection.execute(_PAUSED, (day,))),
        )


def day_load(rows: list[tuple[str, str | None]]) -> DayLoad:
    """Return the load of a study day from its reviews, each an item and its state before."""
    states = [state for _, state in rows]
    groups = frozenset(item.partition("#")[0] for item, _ in rows)
    return DayLoad(new=states.count(None), reviews=states.count("review"), groups=groups)


def _memory(row: tuple[object, ...]) -> Memory:
    item, state, *rest = row
    return Memory(item, State(state), *rest)  # type: ignore[arg-type]
