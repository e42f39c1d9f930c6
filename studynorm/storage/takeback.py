"""Undo to the last row: what a review left behind besides its own row and its memory."""

from dataclasses import replace

from sqlalchemy import Connection, Row

from studynorm.scheduling.memory import Memory
from studynorm.storage import tables as t
from studynorm.storage.upkeep import EventKind


def restore_wording(connection: Connection, row: Row[*tuple[object, ...]]) -> None:
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
