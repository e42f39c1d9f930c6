"""Memories as they are read and kept inside a transaction; damaged ones are set aside, never shown."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Select, bindparam, exists, func, select
from sqlalchemy.dialects.sqlite import insert

from studynorm.scheduling.memory import Memory
from studynorm.storage import tables as t
from studynorm.storage.errors import ItemSetAside
from studynorm.storage.rows import memory_columns, memory_of

_ONE = select(t.memory).where(t.memory.c.item == bindparam("item"))


def stored_memory(connection: Connection, item: str) -> Memory | None:
    """Return the memory of an item. Raises ItemSetAside where its row holds no whole one."""
    row = connection.execute(_ONE, {"item": item}).one_or_none()
    if row is None:
        return None
    try:
        return _memory_in(row)
    except ValueError as fault:
        raise ItemSetAside(f"{item} holds no whole memory ({fault})") from fault


def whole_memories(connection: Connection, query: Select[*tuple[Any, ...]]) -> Iterator[Memory]:
    """Yield the memories that a query finds; rows that hold no whole one are left out."""
    for row in connection.execute(query):
        try:
            yield _memory_in(row)
        except ValueError:
            continue


def due_in_review(day: int, limit: int) -> Select[*tuple[Any, ...]]:
    """Return the query for at most `limit` memories in Review due by a study day, most overdue first."""
    due = select(t.memory).where(t.memory.c.due_day <= day)
    return due.order_by(t.memory.c.due_day, t.memory.c.item).limit(limit)


def in_steps() -> Select[*tuple[Any, ...]]:
    """Return the query for the memories in Learning and Relearning, soonest due first."""
    steps = select(t.memory).where(t.memory.c.due_at.is_not(None))
    return steps.order_by(t.memory.c.due_at, t.memory.c.item)


def next_due_day(connection: Connection, after: int) -> int | None:
    """Return the first study day later than `after` on which an item that is not suspended is due."""
    memory, pause = t.memory.c, t.pause.c
    suspended = exists().where(pause.item == memory.item, pause.suspended == 1)
    later = select(memory.due_day).where(memory.due_day > after, ~suspended)
    whole = later.where(func.typeof(memory.due_day) == "integer")
    first: int | None = connection.scalar(whole.order_by(memory.due_day, memory.item).limit(1))
    return first


def put_memory(connection: Connection, memory: Memory) -> None:
    """Keep a memory in place of the item's present one."""
    columns = memory_columns(memory)
    put = insert(t.memory).values(item=memory.item, **columns)
    connection.execute(put.on_conflict_do_update(index_elements=["item"], set_=columns))


def _memory_in(row: Any) -> Memory:
    memory = memory_of(row._mapping, row.item)
    if memory is None:
        raise ValueError("state is missing")
    return memory
