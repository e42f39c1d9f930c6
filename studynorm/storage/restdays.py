"""Rest days: study days without a review on which nothing was due, so that a streak goes on over them.

They are noted when the next answer comes and never change afterwards, whatever is done to an item later.
"""

from sqlalchemy import Connection, exists, func, select, text

from studynorm.scheduling.freedays import free_days
from studynorm.storage import tables as t
from studynorm.storage.setaside import WHOLE

_SOUND = text(WHOLE)
"""A row that is set aside is never asked, so nothing is due by it."""


def note_rest_days(connection: Connection, day: int) -> None:
    """Note, before the first review of a study day, which days since the one before were free."""
    total = t.day_total.c.day
    # A damaged total may hold no number, or one of a day that never was.
    last = connection.scalar(
        select(func.max(total)).where(total.between(1, day), func.typeof(total) == "integer")
    )
    if last is None or last >= day - 1:
        return
    free = free_days(last, day, first_due_day(connection))
    if free:
        connection.execute(t.rest_day.insert().prefix_with("OR IGNORE"), [{"day": day} for day in free])


def trim_rest_days(connection: Connection) -> None:
    """Take away what was noted for a review that is gone."""
    last = connection.scalar(select(func.max(t.day_total.c.day)))
    connection.execute(t.rest_day.delete().where(t.rest_day.c.day > (last or 0)))


def first_due_day(connection: Connection) -> int | None:
    """Return the study day on which the first of all items that are not suspended is or was due."""
    memory, pause = t.memory.c, t.pause.c
    suspended = exists().where(pause.item == memory.item, pause.suspended == 1)
    day = connection.scalar(
        select(memory.due_day)
        .where(memory.due_day.is_not(None), ~suspended, _SOUND)
        .order_by(memory.due_day, memory.item)
        .limit(1)
    )
    step = connection.execute(
        select(memory.due_at, memory.last_day)
        .where(memory.due_at.is_not(None), ~suspended, _SOUND)
        .order_by(memory.due_at, memory.item)
        .limit(1)
    ).one_or_none()
    # A step is due on the study day of its review, or on the next where the day ends before it.
    days = [found for found in (day, None if step is None else step.last_day + 1) if found is not None]
    return min(days, default=None)
