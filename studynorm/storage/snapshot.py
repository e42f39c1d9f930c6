"""A profile at one moment, row by row as it lies in its file: for what proves, exports or saves it.

Plain sqlite3, because a million rows are read and none is believed: a row may hold anything.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from studynorm.storage.errors import StoreError, sqlite_errors
from studynorm.storage.peek import opened
from studynorm.storage.schema import MEMORY_FIELDS, REVISIONS
from studynorm.storage.tables import TOPIC, TOTALS

Image = tuple[Any, ...]
"""The columns of a memory besides its item, as they lie in a row; `BLANK` where there is none."""

BLANK: Image = (None,) * len(MEMORY_FIELDS)

_BEFORE = ", ".join(f"before_{name}" for name in MEMORY_FIELDS)
_AFTER = ", ".join(f"after_{name}" for name in MEMORY_FIELDS)
_REVIEWS = (
    f"SELECT id, item, at, utc_offset, day, rating, weights_id, rules_id, {_BEFORE}, {_AFTER} FROM review"
    " ORDER BY item, id"
)
_EVENTS = (
    f"SELECT item, id, kind, at, due_day, {_BEFORE} FROM event"
    " WHERE kind IN ('forget', 'remember', 'set_due', 'unset_due') ORDER BY item, id"
)
_MEMORIES = f"SELECT item, {', '.join(MEMORY_FIELDS)} FROM memory"
_ONE = f"{_MEMORIES} WHERE item = CAST(? AS TEXT)"  # the bytes of a text that may be no UTF-8
_ASKED = "coalesce(before_state = 'review' AND day > before_last_day, 0)"
RECOUNT = (
    f"SELECT day, {TOPIC}, count(*), sum(rating > 1), sum(before_state IS NULL), sum({_ASKED}),"
    f" sum({_ASKED} AND rating > 1), sum({_ASKED} AND before_stability >= 21),"
    f" sum({_ASKED} AND before_stability >= 21 AND rating > 1), sum(duration_ms) FROM review GROUP BY 1, 2"
)
"""The rows of `day_total` as the log has them."""

Totals = Mapping[tuple[Any, Any], tuple[Any, ...]]
"""For a study day and topic the numbers that `TOTALS` names."""


class ReviewRow(NamedTuple):
    """A review as it lies in the log; anything but `id` may be of the wrong type or out of range."""

    id: int
    item: Any
    at: Any
    utc_offset: Any
    day: Any
    rating: Any
    weights_id: Any
    rules_id: Any
    before: Image
    after: Image


class EventRow(NamedTuple):
    """An event that took a memory away, gave it back or moved its due day."""

    id: int
    kind: str
    at: Any
    due_day: Any
    before: Image


class ItemLog(NamedTuple):
    """Everything about one item: its reviews and events, oldest first, and its memory."""

    item: Any
    reviews: tuple[ReviewRow, ...]
    events: tuple[EventRow, ...]
    memory: Image


class Snapshot:
    """A profile open for reading; what others write meanwhile is not seen."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def faults(self, most: int = 20) -> tuple[str, ...]:
        """Return what SQLite finds wrong with the file and with references between rows; empty if nothing."""
        found = [str(line) for (line,) in self._connection.execute(f"PRAGMA integrity_check({most})")]
        lines = [] if found == ["ok"] else found
        for table, row, parent, _ in self._connection.execute("PRAGMA foreign_key_check").fetchmany(most):
            lines.append(f"reference of row {row} of {table} to a row of {parent} that is not there")
        return tuple(lines)

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        (number,) = self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        return int(number)

    def rows(self, table: str, order: str) -> tuple[tuple[str, ...], Iterator[tuple[Any, ...]]]:
        """Return the names of a table's columns and its rows, in an order given by columns."""
        found = self._connection.execute(f"SELECT * FROM {table} ORDER BY {order}")
        return tuple(column[0] for column in found.description), found

    def values(self) -> Mapping[str, str]:
        """Return the profile's own values by their keys."""
        return dict(self._connection.execute("SELECT key, value FROM profile"))

    def weights(self) -> Mapping[int, Any]:
        """Return the weights by their ids; those that cannot be read are left out."""
        return dict(self._parsed("weights"))

    def rules(self) -> Mapping[int, Any]:
        """Return the rules by their ids; those that cannot be read are left out."""
        return dict(self._parsed("rules"))

    def item_logs(self) -> Iterator[ItemLog]:
        """Yield every item that was ever reviewed or has a memory; one item is in memory at a time."""
        self._connection.execute("PRAGMA cache_size = -65536")
        events = {
            item: tuple(EventRow._make((*row[1:5], row[5:])) for row in rows)
            for item, rows in groupby(self._connection.execute(_EVENTS), lambda row: row[0])
        }
        reviews = (
            ReviewRow._make((*row[:8], row[8:18], row[18:28])) for row in self._connection.execute(_REVIEWS)
        )
        one = self._connection.cursor()
        for item, rows in groupby(reviews, attrgetter("item")):
            name = item.encode("utf-8", "surrogateescape") if isinstance(item, str) else item
            memory = one.execute(_ONE, (name,)).fetchone()
            yield ItemLog(item, tuple(rows), events.get(item, ()), BLANK if memory is None else memory[1:])
        lone = f"{_MEMORIES} WHERE NOT EXISTS (SELECT 1 FROM review WHERE review.item = memory.item)"
        for item, *memory in self._connection.execute(f"{lone} ORDER BY item"):
            yield ItemLog(item, (), events.get(item, ()), tuple(memory))

    def wrong_totals(self) -> tuple[Totals, Totals]:
        """Return those totals of study days that differ: as they were kept, and as the log has them."""
        kept, counted = f"SELECT day, topic, {', '.join(TOTALS)} FROM day_total", "SELECT * FROM counted"
        recounted = f"WITH counted AS MATERIALIZED ({RECOUNT})"
        pairs = ((kept, counted), (counted, kept))
        one, other = (self._totals(f"{recounted} {this} EXCEPT {that}") for this, that in pairs)
        return one, other

    def strays(self) -> Iterator[tuple[int, Any, Any, Any, Any]]:
        """Yield the reviews whose study day is before that of their item's last, though their time is later.

        Each with its item, its topic, its study day and the last one. A journey west makes such reviews too.
        """
        yield from self._connection.execute(
            f"SELECT id, item, {TOPIC}, day, after_last_day FROM review"
            " WHERE day < after_last_day AND at = after_last_at"
        )

    def _totals(self, query: str) -> Totals:
        return {(day, topic): tuple(rest) for day, topic, *rest in self._connection.execute(query)}

    def _parsed(self, table: str) -> Iterator[tuple[int, Any]]:
        for number, values in self._connection.execute(f'SELECT id, "values" FROM {table}'):
            try:
                yield number, json.loads(values)
            except (TypeError, ValueError):
                continue


@contextmanager
def snapshot(path: Path) -> Iterator[Snapshot | None]:
    """Look at a profile of the newest schema as it is now, damaged or not; None where there is none yet.

    Another program may write to it meanwhile, if a Store of this one has it open. Raises StoreError.
    """
    with sqlite_errors(path), opened(path, REVISIONS, checked=False) as (connection, revision):
        if connection is None:
            yield None
            return
        if revision != REVISIONS[-1]:
            raise StoreError(
                f"{path} has the older schema {revision} and could not be upgraded: make it writable first."
            )
        connection.isolation_level = None
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        connection.execute("BEGIN")
        yield Snapshot(connection)
