"""What is kept about items besides answers: pauses, events, and the words a card had when it was answered."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, bindparam, or_, select
from sqlalchemy.dialects.sqlite import insert

from studynorm.scheduling.memory import Memory, Review
from studynorm.scheduling.studyday import Moment
from studynorm.storage import tables as t
from studynorm.storage.connect import READ, WRITE
from studynorm.storage.memories import put_memory, stored_memory, whole_memories
from studynorm.storage.rows import memory_columns, memory_of, moment_in, review_of
from studynorm.storage.setaside import Skips, is_day

_Row = Row[*tuple[Any, ...]]
T = TypeVar("T")


class EventKind(StrEnum):
    """What was done to an item besides answering it."""

    SUSPEND = "suspend"
    RESUME = "resume"
    BURY = "bury"
    UNBURY = "unbury"
    FORGET = "forget"
    REMEMBER = "remember"
    REWORD = "reword"
    SET_DUE = "set_due"
    UNSET_DUE = "unset_due"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was done to an item.

    `before` is the memory that a `forget` took away or a `set_due` moved, `due_day` the study day that was
    set.
    """

    item: str
    kind: EventKind
    moment: Moment
    before: Memory | None
    due_day: int | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Why an item is not asked: suspended until it is resumed, or buried for one study day."""

    item: str
    suspended: bool
    buried_day: int | None


class Upkeep:
    """Suspending, burying and forgetting items; every change is one transaction and leaves an event.

    Methods that take items skip those to which nothing would change, and return how many did change.
    All may raise a StoreError; nothing has then changed.
    """

    def __init__(
        self, transaction: Callable[[str], AbstractContextManager[Connection]], skips: Skips | None = None
    ) -> None:
        """Work in transactions of a Store; rows that are damaged are left out and noted in `skips`."""
        self._transaction = transaction
        self._skips = skips or Skips()

    # -- what is there -------------------------------------------------------------------------------
    def memories(self) -> tuple[Memory, ...]:
        """Return every memory, by item; those that are set aside are left out."""
        with self._transaction(READ) as connection:
            return tuple(whole_memories(connection, select(t.memory)))

    def paused(self, day: int) -> frozenset[str]:
        """Return the items that are not asked on a study day."""
        pause = t.pause.c
        query = select(pause.item).where(or_(pause.suspended == 1, pause.buried_day == day))
        with self._transaction(READ) as connection:
            return frozenset(connection.scalars(query))

    def pauses(self) -> Mapping[str, Pause]:
        """Return every pause by its item; one whose burial is over is still there."""
        with self._transaction(READ) as connection:
            rows = connection.execute(select(t.pause))
            return {pause.item: pause for pause in self._whole("pause", rows, _pause)}

    def wordings(self) -> Mapping[str, str]:
        """Return for each card's item the fingerprint of its words when it was last answered."""
        with self._transaction(READ) as connection:
            return {row.item: row.fingerprint for row in connection.execute(select(t.wording))}

    def reviews(self, item: str) -> tuple[Review, ...]:
        """Return every review of an item, oldest first."""
        query = select(t.review).where(t.review.c.item == item).order_by(t.review.c.id)
        with self._transaction(READ) as connection:
            rows = connection.execute(query)
            return tuple(self._whole("review", rows, lambda row: review_of(row._mapping)))

    def events(self, item: str) -> tuple[Event, ...]:
        """Return every event of an item, oldest first."""
        query = select(t.event).where(t.event.c.item == item).order_by(t.event.c.id)
        with self._transaction(READ) as connection:
            return tuple(self._whole("event", connection.execute(query), _event))

    def _whole(self, table: str, rows: Iterable[_Row], read: Callable[[_Row], T]) -> Iterator[T]:
        for row in rows:
            try:
                yield read(row)
            except ValueError as fault:
                self._skips.note(table, row._mapping.get("id", row.item), row.item, fault)

    # -- pauses --------------------------------------------------------------------------------------
    def suspend(self, items: Iterable[str], moment: Moment) -> int:
        """Ask items no more until they are resumed."""
        return self._change(items, EventKind.SUSPEND, moment)

    def resume(self, items: Iterable[str], moment: Moment) -> int:
        """Ask suspended items again."""
        return self._change(items, EventKind.RESUME, moment)

    def bury(self, items: Iterable[str], moment: Moment) -> int:
        """Ask items no more on the study day of `moment`."""
        return self._change(items, EventKind.BURY, moment)

    def unbury(self, items: Iterable[str], moment: Moment) -> int:
        """Ask items again that are buried on the study day of `moment`."""
        return self._change(items, EventKind.UNBURY, moment)

    def _change(self, items: Iterable[str], kind: EventKind, moment: Moment) -> int:
        changed = 0
        with self._transaction(WRITE) as connection:
            for item in dict.fromkeys(items):
                row = connection.execute(_PAUSE, {"item": item}).one_or_none()
                before = Pause(item, bool(row and row.suspended), row.buried_day if row else None)
                after = _paused(before, kind, moment.day)
                if after == before:
                    continue
                columns = {"suspended": int(after.suspended), "buried_day": after.buried_day}
                put = insert(t.pause).values(item=item, **columns)
                connection.execute(put.on_conflict_do_update(index_elements=["item"], set_=columns))
                _log(connection, item, kind, moment)
                changed += 1
        return changed

    # -- memories ------------------------------------------------------------------------------------
    def forget(self, items: Iterable[str], moment: Moment) -> int:
        """Take the memories of items away, so that they are new again; the log and the events keep all."""
        forgotten = 0
        with self._transaction(WRITE) as connection:
            for item in dict.fromkeys(items):
                memory = stored_memory(connection, item)
                if memory is None:
                    continue
                connection.execute(t.memory.delete().where(t.memory.c.item == item))
                _log(connection, item, EventKind.FORGET, moment, memory)
                forgotten += 1
        return forgotten

    def remember(self, items: Iterable[str], moment: Moment) -> int:
        """Give items the memory back that was forgotten last, where they were not answered since."""
        remembered = 0
        newest = select(t.event).where(t.event.c.item == bindparam("item")).order_by(t.event.c.id.desc())
        forgotten = newest.where(t.event.c.kind == EventKind.FORGET.value).limit(1)
        with self._transaction(WRITE) as connection:
            for item in dict.fromkeys(items):
                row = connection.execute(forgotten, {"item": item}).one_or_none()
                memory = self._before(row)
                if memory is None or stored_memory(connection, item) is not None:
                    continue
                put_memory(connection, memory)
                _log(connection, item, EventKind.REMEMBER, moment)
                remembered += 1
        return remembered

    def set_due(self, items: Iterable[str], day: int, moment: Moment) -> int:
        """Make items in Review due on a study day, which is not before the one of `moment`.

        What is remembered of them stays. Items that were never reviewed or are in learning steps are skipped.
        """
        day, moved = max(day, moment.day), 0
        with self._transaction(WRITE) as connection:
            for item in dict.fromkeys(items):
                memory = stored_memory(connection, item)
                if memory is None or memory.due_day is None or memory.due_day == day:
                    continue
                put_memory(connection, replace(memory, due_day=max(day, memory.last_day)))
                _log(connection, item, EventKind.SET_DUE, moment, memory, day)
                moved += 1
        return moved

    def unset_due(self, items: Iterable[str], moment: Moment) -> int:
        """Give items the due day back that they had before it was set last, where nothing came since."""
        given_back = 0
        with self._transaction(WRITE) as connection:
            for item in dict.fromkeys(items):
                memory, row = stored_memory(connection, item), _newest_set_due(connection, item)
                before = self._before(row)
                if memory is None or before is None or before == memory:
                    continue
                if replace(before, due_day=memory.due_day) != memory:
                    continue
                put_memory(connection, before)
                _log(connection, item, EventKind.UNSET_DUE, moment, memory)
                given_back += 1
        return given_back

    def _before(self, row: _Row | None) -> Memory | None:
        """Return the memory that an event took away or moved; None where it cannot be read."""
        return next((event.before for event in self._whole("event", [row], _event)), None) if row else None


_PAUSE = select(t.pause).where(t.pause.c.item == bindparam("item"))
_WORDING = select(t.wording.c.fingerprint).where(t.wording.c.item == bindparam("item"))


def note_wording(connection: Connection, item: str, fingerprint: str, moment: Moment) -> None:
    """Keep the fingerprint of a card's words; an event tells where they differ from the ones before."""
    known = connection.scalar(_WORDING, {"item": item})
    if known == fingerprint:
        return
    columns = {"fingerprint": fingerprint, "at": moment.at}
    put = insert(t.wording).values(item=item, **columns)
    connection.execute(put.on_conflict_do_update(index_elements=["item"], set_=columns))
    if known is not None:
        _log(connection, item, EventKind.REWORD, moment)


def wording_of(connection: Connection, item: str, fingerprint: str) -> dict[str, object]:
    """Return a review's columns for the words it asked, and for those known before, so that undo is exact."""
    known = connection.execute(select(t.wording).where(t.wording.c.item == item)).one_or_none()
    before = {} if known is None else {"before_wording": known.fingerprint, "before_wording_at": known.at}
    return {"wording": fingerprint, **before}


def _newest_set_due(connection: Connection, item: str) -> _Row | None:
    set_due = t.event.c.kind == EventKind.SET_DUE.value
    newest = select(t.event).where(t.event.c.item == item, set_due).order_by(t.event.c.id.desc()).limit(1)
    return connection.execute(newest).one_or_none()


def _paused(pause: Pause, kind: EventKind, day: int) -> Pause:
    buried = pause.buried_day == day
    match kind:
        case EventKind.SUSPEND:
            return Pause(pause.item, True, pause.buried_day)
        case EventKind.RESUME:
            return Pause(pause.item, False, pause.buried_day)
        case EventKind.BURY:
            return pause if buried else Pause(pause.item, pause.suspended, day)
        case _:
            return Pause(pause.item, pause.suspended, None) if buried else pause


def _log(
    connection: Connection,
    item: str,
    kind: EventKind,
    moment: Moment,
    before: Memory | None = None,
    due_day: int | None = None,
) -> None:
    connection.execute(
        t.event.insert().values(
            item=item,
            kind=kind.value,
            at=moment.at,
            utc_offset=moment.offset,
            day=moment.day,
            due_day=due_day,
            **memory_columns(before, "before_"),
        )
    )


def _event(row: _Row) -> Event:
    before = memory_of(row._mapping, row.item, "before_")
    if row.due_day is not None and not is_day(row.due_day):
        raise ValueError(f"due_day is {row.due_day!r:.40}")
    return Event(row.item, EventKind(row.kind), moment_in(row._mapping), before, row.due_day)


def _pause(row: _Row) -> Pause:
    if row.suspended not in (0, 1):
        raise ValueError(f"suspended is {row.suspended!r:.40}")
    if row.buried_day is not None and not is_day(row.buried_day):
        raise ValueError(f"buried_day is {row.buried_day!r:.40}")
    return Pause(row.item, bool(row.suspended), row.buried_day)
