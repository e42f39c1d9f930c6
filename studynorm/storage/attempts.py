"""Reading the log of typed answers: by id, newest first, and which families went wrong lately."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, Row, func, select

from studynorm.engine.attempt import Attempt
from studynorm.storage import tables as t
from studynorm.storage.errors import ItemSetAside
from studynorm.storage.rows import attempt_of
from studynorm.storage.setaside import Skips


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """An attempt as it was kept: its id, and whether it was made in a review or a drill.

    `confidence` is how sure the learner was in that review, in per cent; None where it was not asked.
    """

    id: int
    kind: Literal["review", "drill"]
    attempt: Attempt
    confidence: int | None = None


@dataclass(frozen=True, slots=True)
class Weakness:
    """A family in which named misconceptions were made: how many times, and when last (UTC milliseconds)."""

    family: str
    times: int
    last_at: int


_WITH_CONFIDENCE = select(t.attempt, t.review.c.confidence).outerjoin(
    t.review, t.review.c.id == t.attempt.c.review_id
)


def newest(connection: Connection, family: str | None, limit: int, skips: Skips) -> tuple[StoredAttempt, ...]:
    """Return at most `limit` attempts, of one family or of all, newest first; damaged ones go to `skips`."""
    query = _WITH_CONFIDENCE.order_by(t.attempt.c.id.desc()).limit(limit)
    if family is not None:
        query = query.where(t.attempt.c.family == family)
    return tuple(_whole(connection.execute(query), skips))


def of_item(connection: Connection, item: str, limit: int, skips: Skips) -> tuple[Attempt, ...]:
    """Return at most `limit` attempts made in reviews of an item, newest first."""
    mine = _WITH_CONFIDENCE.where(t.attempt.c.item == item, t.attempt.c.kind == "review")
    rows = connection.execute(mine.order_by(t.attempt.c.id.desc()).limit(limit))
    return tuple(stored.attempt for stored in _whole(rows, skips))


def by_id(connection: Connection, number: int) -> StoredAttempt | None:
    """Return the attempt of an id; None where there is none. Raises ItemSetAside for a damaged one."""
    row = connection.execute(_WITH_CONFIDENCE.where(t.attempt.c.id == number)).one_or_none()
    try:
        return None if row is None else _stored(row)
    except ValueError as fault:
        raise ItemSetAside(f"the typed answer {number} is no whole one ({fault})") from fault


def weaknesses(connection: Connection, since: int) -> tuple[Weakness, ...]:
    """Return the families with a named misconception since then, most frequent and then most recent first."""
    attempt = t.attempt.c
    times, last = func.count().label("times"), func.max(attempt.at).label("last")
    query = (
        select(attempt.family, times, last)
        .where(attempt.misconception.is_not(None), attempt.at >= since)
        .group_by(attempt.family)
        .order_by(times.desc(), last.desc(), attempt.family)
    )
    return tuple(Weakness(*row) for row in connection.execute(query))


def _whole(rows: Iterable[Row[*tuple[object, ...]]], skips: Skips) -> Iterator[StoredAttempt]:
    for row in rows:
        try:
            yield _stored(row)
        except ValueError as fault:
            skips.note("attempt", row.id, row.item, fault)


def _stored(row: Row[*tuple[object, ...]]) -> StoredAttempt:
    return StoredAttempt(row.id, row.kind, attempt_of(row._mapping), row.confidence)
