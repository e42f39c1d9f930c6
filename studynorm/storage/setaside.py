"""Rows that hold no whole memory: found by SQLite, said in words, and left out of everything until repaired.

Plain sqlite3, because the first screen looks for them too.
"""

import sqlite3
from collections.abc import Sequence
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from studynorm.storage.errors import sqlite_errors
from studynorm.storage.peek import opened
from studynorm.storage.schema import MEMORY_FIELDS, REVISIONS

if TYPE_CHECKING:
    from sqlalchemy import Connection

# The years 1 to 9999, in UTC milliseconds and in study days.
_FIRST_AT, _LAST_AT, _LAST_DAY = -62_135_596_800_000, 253_402_300_799_999, 3_652_059
NAMES = {
    "review": "an answer",
    "attempt": "a typed answer",
    "event": "an event",
    "pause": "a suspension",
    "interview": "an interview answer",
}
"""What the rows of a table are called."""

_REMEDY = "`studynorm doctor` can repair it."
_IN_STEPS = ("learning", "relearning")
_LONGEST = 40

WHOLE = (
    "typeof(item) = 'text' AND item <> ''"
    " AND typeof(stability) = 'real' AND stability > 0 AND stability < 9e999"
    " AND typeof(difficulty) = 'real' AND difficulty BETWEEN 1 AND 10"
    f" AND typeof(last_at) = 'integer' AND last_at BETWEEN {_FIRST_AT} AND {_LAST_AT}"
    f" AND typeof(last_day) = 'integer' AND last_day BETWEEN 1 AND {_LAST_DAY}"
    " AND typeof(reps) = 'integer' AND reps >= 1"
    " AND typeof(lapses) = 'integer' AND lapses BETWEEN 0 AND reps"
    " AND (state = 'review' AND step IS NULL AND due_at IS NULL"
    f" AND typeof(due_day) = 'integer' AND due_day BETWEEN last_day AND {_LAST_DAY}"
    " OR state IN ('learning', 'relearning') AND typeof(step) = 'integer' AND step >= 0 AND due_day IS NULL"
    f" AND typeof(due_at) = 'integer' AND due_at BETWEEN last_at AND {_LAST_AT})"
)
"""What SQLite asks of a row of `memory`; `memory_fault` asks the same."""

DAMAGED = f"({WHOLE}) IS NOT TRUE"
"""The condition that finds damaged rows; the index `memory_damaged` on it makes that free."""

_FIND = f"SELECT item, {', '.join(MEMORY_FIELDS)} FROM memory WHERE {DAMAGED} ORDER BY item"


class SetAside(NamedTuple):
    """Something that is left out because its row is damaged: the item, and what is wrong with it."""

    item: str
    reason: str


def damaged_memories(connection: "sqlite3.Connection | Connection") -> list[SetAside]:
    """Return the items whose memory is no whole one: they are known, and neither new nor due.

    Raises sqlite3.Error.
    """
    if not isinstance(connection, sqlite3.Connection):
        connection = cast("sqlite3.Connection", connection.connection.driver_connection)
    found = connection.execute(_FIND)
    return [SetAside(_name(item), f"holds no whole memory ({_fault(item, row)})") for item, *row in found]


def set_aside_in(path: Path) -> tuple[SetAside, ...]:
    """Return the items of a profile that are set aside; none where there is no profile of the newest schema.

    Changes nothing. Raises StoreError.
    """
    with sqlite_errors(path), opened(path, REVISIONS, checked=False) as (connection, revision):
        if connection is None or revision != REVISIONS[-1]:
            return ()
        return tuple(damaged_memories(connection))


def set_aside_words(found: Sequence[SetAside]) -> str | None:
    """Say in one line what is set aside, and what helps; None where nothing is."""
    if not found:
        return None
    rest = len(found) - 1
    lead = f"{len(found)} items are set aside" if rest else "1 item is set aside"
    more = f", and {rest} more" if rest else ""
    return f"{lead}: {found[0].item} {found[0].reason}{more}. {_REMEDY}"


class Skips:
    """What was left out while reading because its row is damaged; each is told once."""

    def __init__(self) -> None:
        self._known: set[tuple[str, object]] = set()
        self._fresh: list[str] = []

    def untold(self, found: Sequence[SetAside]) -> tuple[SetAside, ...]:
        """Return those of the items that are set aside which were not returned before."""
        untold = [one for one in found if ("memory", one.item) not in self._known]
        self._known.update(("memory", one.item) for one in untold)
        return tuple(untold)

    def note(self, table: str, number: object, item: object, fault: object) -> None:
        """Note that a row of a table, named by its id, holds no whole entry about an item."""
        if (table, number) not in self._known:
            self._known.add((table, number))
            self._fresh.append(f"{NAMES[table]} of {_name(item)} is no whole one (row {number}: {fault})")

    def take(self) -> str | None:
        """Say in one line what was left out since the last time, and what helps; None where nothing was."""
        fresh, self._fresh = self._fresh, []
        if not fresh:
            return None
        more = f", and {len(fresh) - 1} more" if fresh[1:] else ""
        return f"Set aside: {fresh[0]}{more}. {_REMEDY}"


def is_instant(value: Any) -> bool:
    """Tell whether a value is a time in UTC milliseconds that a calendar can show."""
    return type(value) is int and _FIRST_AT <= value <= _LAST_AT


def is_day(value: Any) -> bool:
    """Tell whether a value is a study day that a calendar can show."""
    return type(value) is int and 1 <= value <= _LAST_DAY


def memory_fault(columns: Sequence[Any]) -> str | None:
    """Return what is wrong with a memory, given its columns besides the item; None for a whole one."""
    if _is_whole(*columns):
        return None
    values = dict(zip(MEMORY_FIELDS, columns, strict=True))
    state = values["state"]
    in_review = state == "review"
    if not in_review and state not in _IN_STEPS:
        return _is("state", state)
    wanted = {"step": not in_review, "due_at": not in_review, "due_day": in_review}
    for name in MEMORY_FIELDS[1:]:
        value, kind = values[name], float if name in ("stability", "difficulty") else int
        if not wanted.get(name, True):
            if value is not None:
                return f"{_is(name, value)} in state {state}"
        elif type(value) is not kind or not _possible(name, value):
            return _is(name, value)
    if values["lapses"] > values["reps"]:
        return f"{_is('lapses', values['lapses'])} in {values['reps']} reviews"
    due, last = ("due_day", "last_day") if in_review else ("due_at", "last_at")
    return f"{_is(due, values[due])}, before {_is(last, values[last])}"


def _is_whole(
    state: Any,
    step: Any,
    stability: Any,
    difficulty: Any,
    due_at: Any,
    due_day: Any,
    last_at: Any,
    last_day: Any,
    reps: Any,
    lapses: Any,
) -> bool:
    """Tell what `WHOLE` tells; quick, because every memory that is read passes through here."""
    if not (
        type(stability) is type(difficulty) is float
        and type(last_at) is type(last_day) is type(reps) is type(lapses) is int
        and 0 < stability < inf
        and 1 <= difficulty <= 10
        and _FIRST_AT <= last_at <= _LAST_AT
        and 1 <= last_day <= _LAST_DAY
        and 0 <= lapses <= reps >= 1
    ):
        return False
    if state == "review":
        return step is due_at is None and type(due_day) is int and last_day <= due_day <= _LAST_DAY
    steps = state in _IN_STEPS and type(step) is int and step >= 0 and due_day is None
    return steps and type(due_at) is int and last_at <= due_at <= _LAST_AT


def _possible(name: str, value: Any) -> bool:
    match name:
        case "stability":
            return bool(isfinite(value) and value > 0)
        case "difficulty":
            return bool(1 <= value <= 10)
        case "last_at" | "due_at":
            return is_instant(value)
        case "last_day" | "due_day":
            return is_day(value)
        case _:
            return bool(value >= (1 if name == "reps" else 0))


def _fault(item: Any, row: Sequence[Any]) -> str:
    if not isinstance(item, str) or not item:
        return _is("item", item)
    return memory_fault(row) or "its row is damaged"


def _is(name: str, value: Any) -> str:
    text = repr(value)
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return f"{name} is {'missing' if value is None else shown}"


def _name(item: Any) -> str:
    return item if isinstance(item, str) and item else f"an item without a name ({item!r:.40})"
