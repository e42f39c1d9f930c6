"""What a report is made of: totals of study days, answers lately, and where every memory stands; only reads.

Days, topics and totals are those that were stored with the answers: no zone or setting of today changes them.
A row with something else where a number or a text belongs is left out, and costs nobody the other rows.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from sqlalchemy import ColumnElement, Connection, Select, String, func, literal, or_, select

from studynorm.scheduling.rating import Rating
from studynorm.storage import tables as t
from studynorm.storage.connect import READ
from studynorm.storage.ledger import Ledger
from studynorm.storage.restdays import first_due_day

_MOST_ANSWERS = 10_000
"""More than a month of anybody's answers, and enough for any median."""


@dataclass(frozen=True, slots=True)
class Totals:
    """What a stretch of study days came to.

    `asked` counts memories in Review that were tested on a later study day, `recalled` those that passed;
    the mature ones among them had a stability of 21 days or more.
    """

    answers: int = 0
    passed: int = 0
    fresh: int = 0
    asked: int = 0
    recalled: int = 0
    asked_mature: int = 0
    recalled_mature: int = 0
    duration_ms: int = 0


class TypedAnswer(NamedTuple):
    """A typed answer without its variant.

    `review` is None in a drill; `misconception` may join several ids by `+`.
    """

    id: int
    review: int | None
    family: str
    level: int
    seed: str
    verdict: str
    misconception: str | None
    revealed: int
    at: int


class Confidence(NamedTuple):
    """How often an answer was given with a confidence in per cent, and how often it passed."""

    confidence: int
    n: int
    passed: int


class Statistics:
    """The figures of one profile; of one that does not exist, all are empty. Any method may raise StoreError.

    `topic` narrows what is counted to one topic; None takes all.
    """

    def __init__(self, transaction: Callable[[str], AbstractContextManager[Connection]] | None) -> None:
        """Read in transactions of a Store; None stands for a profile that does not exist."""
        self._transaction = transaction

    @property
    def exists(self) -> bool:
        """Whether there is a profile."""
        return self._transaction is not None

    def weights(self) -> tuple[float, ...] | None:
        """Return the weights in use; None for the published ones."""
        if self._transaction is None:
            return None
        adopted = Ledger(self._transaction).in_use()
        return None if adopted is None else adopted.values

    def by_topic(self, first: int, last: int, names: Sequence[str] = t.TOTALS) -> Mapping[str, Totals]:
        """Return the totals of the study days from `first` to `last` for each topic.

        Only those of the `names` are added up, the others are 0.
        """
        day_total = t.day_total.c
        query = select(day_total.topic, *(func.sum(day_total[name]) for name in names))
        query = query.where(day_total.day.between(first, last)).group_by(day_total.topic)
        found = {topic: map(int, sums) for topic, *sums in self._rows(query) if isinstance(topic, str)}
        return {topic: Totals(**dict(zip(names, sums, strict=True))) for topic, sums in found.items()}

    def answers_by_day(self, first: int, last: int, topic: str | None = None) -> Mapping[int, int]:
        """Return the number of answers of each study day from `first` to `last` that has any."""
        day_total = t.day_total.c
        query = select(day_total.day, func.sum(day_total.answers)).where(day_total.day.between(first, last))
        if topic is not None:
            query = query.where(day_total.topic == topic)
        return {day: int(count) for day, count in self._rows(query.group_by(day_total.day)) if count}

    def studied_days(self) -> Sequence[int]:
        """Return every study day with an answer, in order."""
        # From day to day along the index: DISTINCT would read a row for each topic.
        days = select(func.min(t.day_total.c.day).label("day")).cte("days", recursive=True)
        later = select(func.min(t.day_total.c.day)).where(t.day_total.c.day > days.c.day)
        days = days.union_all(select(later.scalar_subquery()).where(days.c.day.is_not(None)))
        return [day for (day,) in self._rows(select(days.c.day).where(_is(_WHOLE, days.c.day)))]

    def rest_days(self) -> frozenset[int]:
        """Return the study days without an answer on which nothing was due."""
        return frozenset(day for (day,) in self._rows(select(t.rest_day.c.day)))

    def first_due_day(self) -> int | None:
        """Return the study day on which the first of all items that are not suspended is or was due."""
        if self._transaction is None:
            return None
        with self._transaction(READ) as connection:
            found = first_due_day(connection)
        return None if found is None else int(found)  # a damaged row may hold a fraction

    def recalls(
        self, recall: Callable[[float, int], float], today: int, gone: Sequence[str] = ()
    ) -> Mapping[str, float]:
        """Return the mean recall of the memories of each topic, those of `gone` items aside.

        `recall` tells it from a stability in days and the study days since the newest review.
        """
        if self._transaction is None:
            return {}

        memory = t.memory.c
        mean = func.avg(func.recall_of(memory.stability, today - memory.last_day))
        whole = select(memory.topic, mean).where(_is(_REAL, memory.stability), _is(_WHOLE, memory.last_day))
        query = _without(whole.where(memory.stability > 0), gone).group_by(memory.topic)
        with self._transaction(READ) as connection:
            # SQLite adds up faster than rows come out of it, and the formula stays in one place.
            driver = cast("sqlite3.Connection", connection.connection.driver_connection)
            driver.create_function("recall_of", 2, recall)
            return dict(_bare(connection, query))

    def count_memories(self) -> int:
        """Return how many items have a memory, those that are gone included."""
        rows = self._rows(select(func.count()).select_from(t.memory))
        return int(rows[0][0]) if rows else 0

    def gone(self, items: Collection[str]) -> tuple[str, ...]:
        """Return the items with a memory that are not among `items`."""
        rows = self._rows(select(func.group_concat(t.memory.c.item, "\n")))  # far faster than rows
        known = str(rows[0][0]).split("\n") if rows and rows[0][0] else []
        return tuple(item for item in known if item not in items)

    def due(
        self, today: int, until: int, gone: Sequence[str] = (), topic: str | None = None
    ) -> Mapping[int, int]:
        """Return how many items are due on each study day before `until`, those of `gone` items aside.

        Suspended items are not due, those buried for `today` tomorrow at the earliest; learning steps are due
        today.
        """
        memory, pause = t.memory.c, t.pause.c
        days = select(memory.due_day, func.count()).where(memory.due_day < until)
        days = days.where(_is(_WHOLE, memory.due_day)).group_by(memory.due_day)
        steps = select(func.count()).select_from(t.memory).where(memory.due_at.is_not(None))
        resting = (
            select(func.coalesce(memory.due_day, today), pause.suspended)
            .join_from(t.pause, t.memory, pause.item == memory.item)
            .where(or_(pause.suspended == 1, pause.buried_day == today))
        )

        def narrowed(query: Select[Any]) -> Select[Any]:
            query = _without(query, gone)
            return query if topic is None else query.where(memory.topic == topic)

        due = Counter[int](dict(self._rows(narrowed(days))))
        due[today] += sum(count for (count,) in self._rows(narrowed(steps)))
        for day, suspended in self._rows(narrowed(resting)):
            if day not in due:  # it comes later, or never
                continue
            due[day] -= 1
            if not suspended:
                due[max(day, today + 1)] += 1
        return {day: count for day, count in due.items() if count > 0 and day < until}

    def durations(self, first: int, last: int) -> Sequence[tuple[str, int]]:
        """Return item and answer time in milliseconds of the reviews of the study days `first` to `last`.

        The newest come first, and at most 10 000 come.
        """
        review = t.review.c
        query = select(review.item, review.duration_ms)
        query = query.where(_is(_TEXT, review.item), _is(_WHOLE, review.duration_ms))
        return self._rows(_newest(query, first, last))

    def confidences(self, first: int, last: int, topic: str | None = None) -> tuple[Confidence, ...]:
        """Return how sure the learner was on the study days `first` to `last`, the least sure first.

        At most the newest 10 000 reviews of these days are looked at.
        """
        review = t.review.c
        lately = select(review.confidence, review.rating, review.item)
        newest = _newest(lately, first, last).subquery().c
        passed = func.sum(newest.rating > int(Rating.AGAIN))
        query = select(newest.confidence, func.count(), passed).where(_is(_WHOLE, newest.confidence))
        if topic is not None:
            query = query.where(_of_topic(newest.item, topic))
        rows = self._rows(query.group_by(newest.confidence).order_by(newest.confidence))
        return tuple(Confidence(*row) for row in rows)

    def typed_answers(self, since: int) -> Sequence[TypedAnswer]:
        """Return the answers typed in reviews and drills since then (UTC milliseconds), oldest first."""
        attempt = t.attempt.c
        names = ("id", "review_id", *TypedAnswer._fields[2:])
        query = select(*(attempt[name] for name in names)).where(attempt.at >= since).order_by(attempt.id)
        texts = (attempt.family, attempt.verdict, func.coalesce(attempt.misconception, ""))
        query = query.where(*(_is(_TEXT, text) for text in texts))
        query = query.where(_is(_WHOLE, attempt.at), _is(_WHOLE, attempt.level))
        return list(map(TypedAnswer._make, self._rows(query)))

    def misconceptions_of(self, attempts: Collection[int]) -> Mapping[int, str]:
        """Return the misconceptions that attempts carry, as the JSON texts that were kept."""
        attempt = t.attempt.c
        query = select(attempt.id, attempt.misconceptions).where(attempt.id.in_(attempts))
        return dict(self._rows(query.where(_is(_TEXT, attempt.misconceptions)))) if attempts else {}

    def _rows(self, query: Select[Any]) -> list[Any]:
        if self._transaction is None:
            return []
        with self._transaction(READ) as connection:
            return list(_bare(connection, query))


_TEXT, _WHOLE, _REAL = "text", "integer", "real"


def _is(kind: str, value: ColumnElement[Any]) -> ColumnElement[bool]:
    """Tell whether SQLite holds a value of one kind, whatever its column was declared as."""
    return func.typeof(value) == kind


def _newest(query: Select[Any], first: int, last: int) -> Select[Any]:
    review = t.review.c
    query = query.where(review.day.between(first, last)).order_by(review.day.desc(), review.id.desc())
    return query.limit(_MOST_ANSWERS)


def _without(query: Select[Any], gone: Sequence[str]) -> Select[Any]:
    if not gone:
        return query
    named = func.json_each(json.dumps(gone)).table_valued("value")
    return query.where(t.memory.c.item.not_in(select(named.c.value)))


def _of_topic(item: ColumnElement[str], topic: str) -> ColumnElement[bool]:
    starts = (f"card:{topic}/", f"family:{topic}.")
    return or_(*(func.substr(item, 1, len(start)) == literal(start, String) for start in starts))


def _bare(connection: Connection, query: Select[Any]) -> Iterable[Any]:
    """Return the driver's own rows: of 100 000 they are had in half the time."""
    return cast("Iterable[Any]", connection.execute(query).cursor)
