"""Undo to the last row: a review's own row, its memory, and all else that it left behind."""

from dataclasses import replace

from sqlalchemy import Connection, Row, bindparam, select

from studynorm.scheduling.memory import Memory, Review
from studynorm.storage import tables as t
from studynorm.storage.errors import ItemSetAside, StaleReview, stale
from studynorm.storage.ledger import drop_unused
from studynorm.storage.memories import put_memory, stored_memory
from studynorm.storage.restdays import trim_rest_days
from studynorm.storage.rows import review_of
from studynorm.storage.setaside import Skips
from studynorm.storage.upkeep import EventKind

_NEWEST_FIRST = select(t.review).where(t.review.c.day == bindparam("day")).order_by(t.review.c.id.desc())
_Row = Row[*tuple[object, ...]]


def newest_review(connection: Connection, day: int, skips: Skips) -> tuple[Review, _Row] | None:
    """Return the newest review of a study day with its row; damaged ones go to `skips` and are passed over.

    Raises ItemSetAside where one of these is the newest of the same item: what is beneath it cannot be seen.
    """
    passed = set()
    with connection.execute(_NEWEST_FIRST, {"day": day}) as rows:
        for row in rows:
            try:
                review = review_of(row._mapping)
            except ValueError as fault:
                skips.note("review", row.id, row.item, fault)
                passed.add(row.item)
                continue
            if review.item in passed:
                raise ItemSetAside(f"the newest answer of {review.item} is no whole one")
            return review, row
    return None


def take_back(connection: Connection, day: int, skips: Skips) -> Review | None:
    """Take back the newest review of a study day and return it; None without one.

    Raises StaleReview when its item was answered again since, on another study day, or forgotten.
    """
    found = newest_review(connection, day, skips)
    if found is None:
        return None
    review, row = found
    memory = stored_memory(connection, review.item)
    if memory is None:
        raise _forgotten(review.item)
    if memory != review.after and not take_back_due(connection, review.after, memory):
        raise stale(review.item)
    if review.before is None:
        connection.execute(t.memory.delete().where(t.memory.c.item == review.item))
    else:
        put_memory(connection, review.before)
    restore_wording(connection, row)
    connection.execute(t.review.delete().where(t.review.c.id == row.id))
    drop_unused(connection, row.weights_id, row.rules_id)
    trim_rest_days(connection)
    settle_ids(connection)
    return review


def restore_wording(connection: Connection, row: _Row) -> None:
    """Put the words back that were known before the review in a row, and take its event away."""
    if row.wording is None or row.wording == row.before_wording:
        return
    if row.before_wording is None:
        connection.execute(t.wording.delete().where(t.wording.c.item == row.item))
        return
    columns = {"fingerprint": row.before_wording, "at": row.before_wording_at}
    connection.execute(t.wording.update().where(t.wording.c.item == row.item).values(columns))
    event = t.event.c
    reword = event.kind == EventKind.REWORD.value
    connection.execute(t.event.delete().where(event.item == row.item, reword, event.at == row.at))


def take_back_due(connection: Connection, after: Memory, stored: Memory) -> bool:
    """Forget that an item's due day was set since the review that led to `after`.

    False where that is not how the stored memory came about.
    """
    if stored.due_day is None or replace(stored, due_day=after.due_day) != after:
        return False
    event = t.event.c
    moved = event.kind.in_((EventKind.SET_DUE.value, EventKind.UNSET_DUE.value))
    since = t.event.delete().where(event.item == after.item, moved, event.at >= after.last_at)
    return connection.execute(since).rowcount > 0


def settle_ids(connection: Connection) -> None:
    """Let ids go on from the largest that is left, as if what was taken back had never been."""
    for table in ("review", "attempt", "event"):
        largest = f"(SELECT max(id) FROM {table})"
        connection.exec_driver_sql(
            f"UPDATE sqlite_sequence SET seq = {largest} WHERE name = '{table}' AND seq > {largest}"
        )
        connection.exec_driver_sql(
            f"DELETE FROM sqlite_sequence WHERE name = '{table}' AND {largest} IS NULL"
        )


def _forgotten(item: str) -> StaleReview:
    return StaleReview(
        f"{item} was forgotten since its answer. Give its memory back first: browse it, then u; "
        "or `studynorm items … --remember`."
    )
