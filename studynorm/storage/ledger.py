"""What reviews were computed with, and the log from its beginning: from these a schedule is worked out."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Table, bindparam, delete, select

from studynorm.scheduling.memory import Review
from studynorm.scheduling.rating import Rating
from studynorm.storage import tables as t
from studynorm.storage.connect import READ, WRITE
from studynorm.storage.rows import review_of
from studynorm.storage.setaside import is_day

_IN_USE = "weights"
_RATINGS = frozenset(map(int, Rating))
_SLICE = 5000
"""So many rows are read at once, so that a long log neither fills the memory nor holds a transaction."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights that were used or adopted. `created` is in UTC milliseconds.

    `origin` says how they were found (JSON values); None for weights that no optimisation gave.
    """

    id: int
    model: str
    values: tuple[float, ...]
    created: int
    origin: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the log. `review` is None where the row holds no whole one, and `fault` says why.

    `weights_id` and `rules` are None where nothing was noted: then the published weights and the default
    settings were in force.
    """

    id: int
    item: str
    review: Review | None
    fault: str
    weights_id: int | None
    rules: Mapping[str, Any] | None


class Ledger:
    """The weights of a profile and its whole log. Every method may raise a StoreError."""

    def __init__(self, transaction: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._transaction = transaction

    # -- weights -------------------------------------------------------------------------------------
    def weights(self) -> tuple[Weights, ...]:
        """Return all weights that were ever used or adopted, oldest first; damaged rows are left out."""
        with self._transaction(READ) as connection:
            rows = connection.execute(select(t.weights).order_by(t.weights.c.id))
            return tuple(found for found in map(_readable_weights, rows) if found is not None)

    def in_use(self) -> Weights | None:
        """Return the weights that were adopted last; None for the published ones, or where none are whole."""
        key, value = t.profile.c.key, t.profile.c.value
        with self._transaction(READ) as connection:
            number = connection.scalar(select(value).where(key == _IN_USE))
            row = connection.execute(select(t.weights).where(t.weights.c.id == number)).one_or_none()
            return None if row is None else _readable_weights(row)

    def adopt(self, model: str, values: Sequence[float], origin: Mapping[str, Any] | None = None) -> Weights:
        """Keep weights and use them from here on; those used before stay and can be used again."""
        with self._transaction(WRITE) as connection:
            number = weights_row(connection, model, values)
            if origin is not None:
                change = t.weights.update().where(t.weights.c.id == number)
                connection.execute(change.values(origin=json.dumps(dict(origin), sort_keys=True)))
            connection.execute(delete(t.profile).where(t.profile.c.key == _IN_USE))
            connection.execute(t.profile.insert().values(key=_IN_USE, value=str(number)))
            return _weights(connection.execute(select(t.weights).where(t.weights.c.id == number)).one())

    def use_published(self) -> None:
        """Use the published weights from here on."""
        with self._transaction(WRITE) as connection:
            connection.execute(delete(t.profile).where(t.profile.c.key == _IN_USE))

    # -- the log -------------------------------------------------------------------------------------
    def entries(self) -> Iterator[Entry]:
        """Yield the whole log, oldest first, row by row; a row that holds no whole review carries a fault."""
        rules = self._rules()
        query = select(t.review).where(t.review.c.id > bindparam("after")).order_by(t.review.c.id)
        after = 0
        while True:
            with self._transaction(READ) as connection:
                rows = connection.execute(query.limit(_SLICE), {"after": after}).all()
            for row in rows:
                yield _entry(row, rules)
            if len(rows) < _SLICE:
                return
            after = rows[-1].id

    def answers(self, item: str) -> tuple[tuple[tuple[Rating, int], ...], tuple[float, ...] | None]:
        """Return rating and study day of each review since an item was new, oldest first.

        With them the weights of the newest one; None for the published ones. Nothing is returned where one
        of the reviews is damaged.
        """
        review = t.review.c
        query = select(review.rating, review.day, review.weights_id, review.before_state)
        found: list[tuple[Rating, int]] = []
        weights_id: int | None = None
        values: str | None = None
        with self._transaction(READ) as connection:
            for row in connection.execute(query.where(review.item == item).order_by(review.id.desc())):
                if not found:
                    weights_id = row.weights_id
                if row.rating not in _RATINGS or not is_day(row.day):
                    return (), None
                found.append((Rating(row.rating), row.day))
                if row.before_state is None:
                    break
            if weights_id is not None:
                values = connection.scalar(select(t.weights.c["values"]).where(t.weights.c.id == weights_id))
        return tuple(reversed(found)), None if values is None else tuple(_parsed(values) or ())

    def followed(self, item: str) -> tuple[Mapping[str, Any] | None, tuple[float, ...] | None] | None:
        """Return the rules and weights of an item's newest review, None for the defaults of each.

        None alone where there is no review.
        """
        review = t.review.c
        query = (
            select(t.rules.c["values"].label("rules"), t.weights.c["values"].label("weights"))
            .select_from(t.review.outerjoin(t.rules).outerjoin(t.weights))
            .where(review.item == item)
            .order_by(review.id.desc())
            .limit(1)
        )
        with self._transaction(READ) as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        rules, weights = (None if text is None else json.loads(text) for text in row)
        return rules, None if weights is None else tuple(weights)

    def _rules(self) -> dict[int, Mapping[str, Any]]:
        with self._transaction(READ) as connection:
            found = ((row.id, _parsed(row.values_)) for row in connection.execute(_ALL_RULES))
            return {number: rules for number, rules in found if isinstance(rules, dict)}


_ALL_RULES = select(t.rules.c.id, t.rules.c["values"].label("values_"))


def weights_row(connection: Connection, model: str, values: Sequence[float]) -> int:
    """Return the row of weights, kept once each."""
    return _row(connection, t.weights, time.time_ns() // 1_000_000, model=model, values=_numbers(values))


def rules_row(connection: Connection, rules: Mapping[str, Any]) -> int:
    """Return the row of the rules that a schedule follows besides its weights, kept once each."""
    return _row(connection, t.rules, None, values=json.dumps(dict(rules), sort_keys=True))


def drop_unused(connection: Connection, weights_id: int | None, rules_id: int | None) -> None:
    """Take away weights and rules that only a review needed which is gone."""
    review = t.review.c
    if weights_id is not None:
        kept = connection.scalar(select(t.profile.c.value).where(t.profile.c.key == _IN_USE))
        used = connection.scalar(select(review.id).where(review.weights_id == weights_id).limit(1))
        if used is None and kept != str(weights_id):
            unused = t.weights.c.id == weights_id
            connection.execute(delete(t.weights).where(unused, t.weights.c.origin.is_(None)))
    if rules_id is not None:
        used = connection.scalar(select(review.id).where(review.rules_id == rules_id).limit(1))
        if used is None:
            connection.execute(delete(t.rules).where(t.rules.c.id == rules_id))


def _row(connection: Connection, table: Table, created: int | None, **values: str) -> int:
    known: int | None = connection.scalar(
        select(table.c.id).where(*(table.c[name] == value for name, value in values.items()))
    )
    if known is not None:
        return known
    when = {} if created is None else {"created": created}
    added = connection.execute(table.insert().values({**values, **when}))
    number: int = (added.inserted_primary_key or (0,))[0]
    return number


def _numbers(values: Sequence[float]) -> str:
    return json.dumps([float(value) for value in values])


def _weights(row: Row[*tuple[object, ...]]) -> Weights:
    found = row._mapping
    origin = found["origin"]
    return Weights(
        found["id"],
        found["model"],
        tuple(json.loads(found["values"])),
        found["created"],
        None if origin is None else json.loads(origin),
    )


def _readable_weights(row: Row[*tuple[object, ...]]) -> Weights | None:
    try:
        return _weights(row)
    except (TypeError, ValueError):
        return None


def _parsed(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def _entry(row: Row[*tuple[object, ...]], rules: Mapping[int, Mapping[str, Any]]) -> Entry:
    try:
        review, fault = review_of(row._mapping), ""
    except (TypeError, ValueError) as error:
        review, fault = None, str(error)
    return Entry(row.id, row.item, review, fault, row.weights_id, rules.get(row.rules_id))
