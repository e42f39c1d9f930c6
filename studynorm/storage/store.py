"""One learner's progress in one file: each answer is kept in one transaction before anything else."""

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import IntegrityError

from studynorm.engine.attempt import Attempt
from studynorm.scheduling.memory import Memory, Review
from studynorm.scheduling.queue import DayLoad
from studynorm.scheduling.rating import Rating
from studynorm.storage import attempts as log
from studynorm.storage import tables as t
from studynorm.storage.attempts import StoredAttempt, Weakness
from studynorm.storage.connect import READ, WRITE, engine_for, transaction, translated
from studynorm.storage.errors import (
    Busy,
    ForeignDatabase,
    NewerDatabase,
    NotADatabase,
    ReadOnly,
    StaleReview,
    StoreError,
    damaged,
    stale,
)
from studynorm.storage.glance import DaySummary, day_load
from studynorm.storage.held import hold, release
from studynorm.storage.interviews import Interviews
from studynorm.storage.ledger import Ledger, rules_row, weights_row
from studynorm.storage.memories import (
    due_in_review,
    in_steps,
    next_due_day,
    put_memory,
    stored_memory,
    whole_memories,
)
from studynorm.storage.restdays import note_rest_days
from studynorm.storage.rows import attempt_columns, review_columns
from studynorm.storage.setaside import SetAside, Skips, damaged_memories
from studynorm.storage.statistics import Statistics
from studynorm.storage.takeback import newest_review, take_back
from studynorm.storage.upgrade import prepare
from studynorm.storage.upkeep import Upkeep, note_wording, wording_of
from studynorm.storage.values import Values

__all__ = [
    "Busy",
    "DaySummary",
    "ForeignDatabase",
    "NewerDatabase",
    "NotADatabase",
    "ReadOnly",
    "StaleReview",
    "Store",
    "StoreError",
    "StoredAttempt",
    "Weakness",
]


class Store:
    """The progress of one profile. May be used from several threads; each call is one short transaction.

    Every method may raise a StoreError; one that writes has then written nothing.
    """

    def __init__(self, path: Path, engine: Engine, connection: Connection) -> None:
        """Wrap an open, prepared profile; use `Store.open`."""
        self.path = path
        self._engine = engine
        self._connection = connection
        self._lock = threading.RLock()
        self._weights: tuple[str, tuple[float, ...], Mapping[str, Any] | None] | None = None
        self._closed = False
        self.skips = Skips()
        self.salt: str = self._read_salt()
        hold(path)

    @classmethod
    def open(cls, path: Path, *, busy_timeout_ms: int = 5000) -> Self:
        """Open a profile, made with its folders when absent, upgraded after a backup when older.

        A write waits up to `busy_timeout_ms` for another process. Raises NotADatabase, ForeignDatabase,
        NewerDatabase, ReadOnly, Busy or StoreError; the file is then as it was.
        """
        prepare(path, busy_timeout_ms)
        with translated(path):
            engine = engine_for(path, busy_timeout_ms)
            connection = engine.connect()
            try:
                return cls(path, engine, connection)
            except BaseException:
                connection.close()
                raise

    def wait_at_most(self, milliseconds: int) -> None:
        """Let writes from here on wait so long for another process before they raise Busy."""
        with self._lock, translated(self.path):
            driver = cast("sqlite3.Connection", self._connection.connection.driver_connection)
            driver.execute(f"PRAGMA busy_timeout = {milliseconds:d}")

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        with self._lock:
            self._connection.close()
            self._engine.dispose()
            if not self._closed:
                self._closed = True
                release(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def memory(self, item: str) -> Memory | None:
        """Return the memory of an item; None when it was never reviewed."""
        with self.transaction(READ) as connection:
            return stored_memory(connection, item)

    def known_items(self) -> frozenset[str]:
        """Return every item that has a memory."""
        with self.transaction(READ) as connection:
            return frozenset(connection.scalars(select(t.memory.c.item)))

    def due_reviews(self, day: int, limit: int) -> tuple[Memory, ...]:
        """Return at most `limit` memories in Review that are due by that study day, most overdue first."""
        with self.transaction(READ) as connection:
            return tuple(whole_memories(connection, due_in_review(day, limit)))

    def in_learning(self) -> tuple[Memory, ...]:
        """Return the memories in Learning and Relearning, soonest due first."""
        with self.transaction(READ) as connection:
            return tuple(whole_memories(connection, in_steps()))

    def set_aside(self) -> tuple[SetAside, ...]:
        """Return the items whose memory is damaged: they are known, and neither new nor due."""
        with self.transaction(READ) as connection:
            return tuple(damaged_memories(connection))

    def count_due_reviews(self, day: int) -> int:
        """Return how many memories in Review are due by that study day."""
        with self.transaction(READ) as connection:
            due = select(func.count()).select_from(t.memory).where(t.memory.c.due_day <= day)
            return connection.execute(due).scalar_one()

    def next_due_day(self, after: int) -> int | None:
        """Return the first study day later than `after` on which an item that is not suspended is due."""
        with self.transaction(READ) as connection:
            return next_due_day(connection, after)

    def day_load(self, day: int) -> DayLoad:
        """Return what the daily limits and the parting of siblings need to know about a study day."""
        with self.transaction(READ) as connection:
            done = select(t.review.c.item, t.review.c.before_state).where(t.review.c.day == day)
            return day_load([(item, state) for item, state in connection.execute(done)])

    def day_summary(self, day: int) -> DaySummary:
        """Return the totals of a study day. Again is the only rating that did not pass."""
        review = t.review.c
        totals = select(
            func.count(),
            func.count().filter(review.rating > Rating.AGAIN),
            func.coalesce(func.sum(review.duration_ms), 0),
            func.count().filter(review.before_state.is_(None)),
        ).where(review.day == day)
        with self.transaction(READ) as connection:
            return DaySummary(*connection.execute(totals).one())

    def record(
        self, review: Review, attempts: Sequence[Attempt] = (), *, fingerprint: str | None = None
    ) -> None:
        """Keep a review, the memory it leads to and the attempts behind it: all of them or nothing.

        `fingerprint` is that of the card's words as they were shown; an edit since its last review is
        logged as an event. Raises StaleReview when the stored memory is not `review.before`, as after an
        answer elsewhere.
        """
        with self.transaction(WRITE) as connection:
            if stored_memory(connection, review.item) != review.before:
                raise stale(review.item)
            note_rest_days(connection, review.moment.day)
            words = {} if fingerprint is None else wording_of(connection, review.item, fingerprint)
            try:
                columns = review_columns(review, *self._computed_with(connection)) | words
                added = connection.execute(t.review.insert().values(columns))
            except IntegrityError as error:
                raise stale(review.item) from error
            put_memory(connection, review.after)
            if fingerprint is not None:
                note_wording(connection, review.item, fingerprint, review.moment)
            if attempts:
                review_id = (added.inserted_primary_key or (None,))[0]
                connection.execute(t.attempt.insert(), [attempt_columns(a, review_id) for a in attempts])

    def last_review(self, day: int) -> Review | None:
        """Return the newest review of a study day."""
        with self.transaction(READ) as connection:
            found = newest_review(connection, day, self.skips)
            return None if found is None else found[0]

    def undo(self, day: int) -> Review | None:
        """Take back the newest review of a study day with its attempts and return it; None without one.

        The profile is then as it was before that review, to the last row. Raises StaleReview when the item
        was answered again since, on another study day, or forgotten.
        """
        with self.transaction(WRITE) as connection:
            return take_back(connection, day, self.skips)

    def recent_attempts(self, item: str, limit: int) -> tuple[Attempt, ...]:
        """Return at most `limit` attempts made in reviews of an item, newest first."""
        with self.transaction(READ) as connection:
            return log.of_item(connection, item, limit, self.skips)

    def record_drill(self, attempt: Attempt) -> int:
        """Keep an attempt made in a drill and return its id; memories and reviews stay as they are."""
        with self.transaction(WRITE) as connection:
            row = attempt_columns(attempt, None) | {"kind": "drill"}
            added = connection.execute(t.attempt.insert().values(row))
            number: int = (added.inserted_primary_key or (0,))[0]
            return number

    def attempts(self, limit: int, family: str | None = None) -> tuple[StoredAttempt, ...]:
        """Return at most `limit` attempts of reviews and drills, of one family or of all, newest first."""
        with self.transaction(READ) as connection:
            return log.newest(connection, family, limit, self.skips)

    def attempt(self, number: int) -> StoredAttempt | None:
        """Return the attempt of an id; None where there is none."""
        with self.transaction(READ) as connection:
            return log.by_id(connection, number)

    def weaknesses(self, since: int) -> tuple[Weakness, ...]:
        """Return the families in which named misconceptions were made since then (UTC milliseconds).

        Reviews and drills count alike; most frequent first, then most recent.
        """
        with self.transaction(READ) as connection:
            return log.weaknesses(connection, since)

    def remember_weights(
        self, model: str, weights: Sequence[float], rules: Mapping[str, Any] | None = None
    ) -> None:
        """Name the scheduler's weights and rules: the reviews recorded from here on refer to them.

        Nothing is written before the first of these reviews.
        """
        self._weights = model, tuple(weights), rules

    def _computed_with(self, connection: Connection) -> tuple[int | None, int | None]:
        """Return the rows of the named weights and rules, inside the transaction of a review."""
        if self._weights is None:
            return None, None
        model, weights, rules = self._weights
        rules_id = None if rules is None else rules_row(connection, rules)
        return weights_row(connection, model, weights), rules_id

    @property
    def ledger(self) -> Ledger:
        """The weights, and the log from its beginning."""
        return Ledger(self.transaction)

    @property
    def upkeep(self) -> Upkeep:
        """What a learner does to items besides answering them."""
        return Upkeep(self.transaction, self.skips)

    @property
    def interviews(self) -> Interviews:
        """The answers to interview questions."""
        return Interviews(self.transaction, self.skips)

    @property
    def statistics(self) -> Statistics:
        """The figures of the log and of the memories."""
        return Statistics(self.transaction)

    @property
    def values(self) -> Values:
        """The profile's own values."""
        return Values(self.transaction)

    @contextmanager
    def transaction(self, begin: str) -> Iterator[Connection]:
        """Hold one transaction of this profile, begun by `READ` or `WRITE`; for this package alone."""
        with self._lock, translated(self.path), transaction(self._connection, begin) as connection:
            try:
                yield connection
            except ValueError as error:  # a row that holds no whole memory or review
                raise damaged(self.path, error) from error

    def _read_salt(self) -> str:
        with self.transaction(READ) as connection:
            salt = connection.scalar(select(t.profile.c.value).where(t.profile.c.key == "salt"))
        if not isinstance(salt, str):
            raise damaged(self.path, "its salt is missing")
        return salt
