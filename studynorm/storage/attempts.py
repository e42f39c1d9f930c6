"""Reading the log of typed answers: by id, newest first, and which families went wrong lately."""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, Row, func, select

from studynorm.engine.attempt import Attempt
from studynorm.storage import tables as t
from studynorm.storage.rows import attempt_of


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """An attempt as it was kept: its id, and whether it was made in a review or a drill."""

    id: int
    kind: Literal["review", "drill"]
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Weakness:
    """A family in which named misconceptions were made: how many times, and when last (UTC milliseconds)."""

    family: str
    times: int
    last_at: int


def newest(connection: Connection, family: str | None, limit: int) -> tuple[StoredAttempt, ...]:
    """Return at most `limit` attempts, of one family or of all, newest first."""
    query = select(t.attempt).order_by(t.attempt.c.id.desc()).limit(limit)
    if family is not None:
        query = query.where(t.attempt.c.family == family)
    return tuple(_stored(row) for row in connection.execute(query))


def by_id(connection: Connection, number: int) -> StoredAttempt | None:
    """Return the attempt of an id; None where there is none."""
    row = connection.execute(select(t.attempt).where(t.attempt.c.id == number)).one_or_none()
    return None if row is None else _stored(row)


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


def _stored(row: Row[*tuple[object, ...]]) -> StoredAttempt:
    return StoredAttempt(row.id, row.kind, attempt_of(row._mapping))
