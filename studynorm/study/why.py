"""Why an item is due when it is, in one sentence, by the rules and weights of its newest answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from studynorm.scheduling.memory import Memory, Review, State
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.studyday import Moment
from studynorm.storage.upkeep import Event, EventKind
from studynorm.study.items import ItemRow

if TYPE_CHECKING:
    from studynorm.study.desk import Desk


@dataclass(frozen=True, slots=True)
class Asked:
    """An item that a session asks: nothing keeps it from being asked."""

    item: str
    memory: Memory | None
    suspended: bool = False
    buried: bool = False
    gone: bool = False


def why_asked(desk: "Desk", item: str) -> str:
    """Return why an item is asked that is open in a session. Raises StoreError."""
    asked = Asked(item, desk.store.memory(item))
    upkeep = desk.store.upkeep
    return why_due(asked, upkeep.reviews(item), upkeep.events(item), scheduler_of(desk, item), desk.clock())


def scheduler_of(desk: "Desk", item: str) -> Scheduler:
    """Return the scheduler that an item's newest answer followed, or that of now where none can be told."""
    try:
        followed = desk.store.ledger.followed(item)
        return desk.scheduler if followed is None else Scheduler.following(*followed)
    except (ValueError, KeyError, TypeError):  # a log from elsewhere may name rules that none can follow
        return desk.scheduler


def why_due(
    row: ItemRow | Asked,
    reviews: Sequence[Review],
    events: Sequence[Event],
    scheduler: Scheduler,
    now: Moment,
    *,
    new_before: int = 0,
) -> str:
    """Return one sentence on when an item is due, and why then.

    `reviews` and `events` are those of the item, oldest first, `scheduler` is the one that the newest review
    followed; `new_before` counts the new items before it.
    """
    memory = row.memory
    if row.gone:
        what = "family" if row.item.startswith("family:") else "card"
        return f"Gone: there is no such {what} any more, so it is not asked; its memory is kept for it."
    if row.suspended:
        return f"Suspended{_since(events, EventKind.SUSPEND, now)}: it is not asked until you resume it."
    if row.buried:
        return "Buried: it is not asked today, and comes back tomorrow at the earliest."
    if isinstance(row, ItemRow) and row.damaged:
        return f"Set aside: it {row.damaged}, so it is not asked. `studynorm doctor` can repair it."
    if memory is None:
        return _why_new(events, now, new_before)
    if memory.due_at is not None:
        return _why_step(memory, scheduler, now)
    return _why_day(memory, reviews, events, scheduler, now)


def _why_new(events: Sequence[Event], now: Moment, before: int) -> str:
    forgotten = _since(events, EventKind.FORGET, now)
    how = f"New again: it was forgotten{forgotten}" if forgotten else "New: it was never answered"
    if not before:
        return f"{how}; no new item stands before it."
    return f"{how}; {before} new item{' stands' if before == 1 else 's stand'} before it."


def _why_step(memory: Memory, scheduler: Scheduler, now: Moment) -> str:
    relearning = memory.state is State.RELEARNING
    steps = scheduler.settings.relearning_steps if relearning else scheduler.settings.learning_steps
    number = (memory.step or 0) + 1
    step = f"step {number} of {len(steps)}" if number <= len(steps) else f"step {number}"
    where = "In relearning after a lapse" if relearning else "In learning"
    at = memory.due_at or 0
    then = local(at, now.offset)
    day = "" if then.date() == local(now.at, now.offset).date() else f" on {_date(then.date(), now)}"
    is_due = "is due" if at > now.at else "has been due since"
    link = " at" if at > now.at else ""
    return f"{where}: {step} {is_due}{link} {then:%H:%M}{day}."


def _why_day(
    memory: Memory, reviews: Sequence[Review], events: Sequence[Event], scheduler: Scheduler, now: Moment
) -> str:
    assert memory.due_day is not None
    due = _due_words(memory.due_day, now)
    stability = f"stability is {_days(memory.stability)}"
    last = next((review for review in reversed(reviews) if _led_to(review.after, memory)), None)
    if last is None or last.after.due_day is None:
        return f"{due}: its {stability}."
    after = f"after {last.rating.label} on {_day(memory.last_day, now)} its {stability}"
    if last.after != memory:
        would = f"would have been due on {_day(last.after.due_day, now)}"
        return f"{due}: {_who_set(events, memory, now)}; {after}, and it {would}."
    taken = memory.due_day - memory.last_day
    plain = _unfuzzed(last, reviews, scheduler)
    if plain is None:
        return f"{due}: {after}, and the interval set then was {_whole(taken)}."
    longest = ", the longest allowed" if plain == scheduler.settings.maximum_interval else ""
    fuzz = f" (fuzz moved it to {taken})" if taken != plain else ""
    retention = f"{scheduler.settings.desired_retention * 100:g} %"
    return (
        f"{due}: {after}, and at a desired retention of {retention} that makes an interval of "
        f"{_whole(plain)}{longest}{fuzz}."
    )


def _led_to(after: Memory, memory: Memory) -> bool:
    """Tell whether a review's result is a memory, but for a due day that was set by hand."""
    return after.due_day is not None and replace(after, due_day=memory.due_day) == memory


def _who_set(events: Sequence[Event], memory: Memory, now: Moment) -> str:
    set_due = (event for event in reversed(events) if event.kind is EventKind.SET_DUE)
    newest = next((event for event in set_due if event.due_day is not None), None)
    if newest is None or max(newest.due_day or 0, memory.last_day) != memory.due_day:
        return "that day was set by other means than an answer"
    moment = newest.moment
    return f"you set that day on {_date(local(moment.at, moment.offset).date(), now)}"


def _unfuzzed(review: Review, reviews: Sequence[Review], scheduler: Scheduler) -> int | None:
    """Return the days that a review led to without fuzz; None where it was made under other settings."""
    exact = Scheduler(scheduler.settings, scheduler.weights, fuzz=False)
    try:
        # Weights that changed count from all answers on, so the memory before is worked out anew with them.
        answers = [(one.rating, one.moment.day) for one in _since_new(reviews, review)][:-1]
        before = None if review.before is None else scheduler.retraced(review.before, answers)
        again, plain = (
            maker.after(review.item, before, review.rating, review.moment) for maker in (scheduler, exact)
        )
    except (ValueError, ArithmeticError):  # a log from elsewhere may hold what no scheduler goes on from
        return None
    return None if again != review.after or plain.due_day is None else plain.due_day - plain.last_day


def _since_new(reviews: Sequence[Review], last: Review) -> Sequence[Review]:
    """Return the reviews of an item from the newest first one up to `last`."""
    end = next(at for at in range(len(reviews), 0, -1) if reviews[at - 1] is last)
    start = next((at for at in range(end - 1, -1, -1) if reviews[at].before is None), 0)
    return reviews[start:end]


def _due_words(due_day: int, now: Moment) -> str:
    days, on = due_day - now.day, _day(due_day, now)
    if days < 0:
        return f"Overdue by {_whole(-days)}, since {on}"
    if days == 0:
        return "Due today"
    return f"Due tomorrow, on {on}" if days == 1 else f"Due in {_whole(days)}, on {on}"


def _since(events: Sequence[Event], kind: EventKind, now: Moment) -> str:
    """Return on which date the newest event of a kind was, with a blank before it; empty without one."""
    newest = next((event.moment for event in reversed(events) if event.kind is kind), None)
    return "" if newest is None else f" on {_date(local(newest.at, newest.offset).date(), now)}"


def local(at: int, offset: int) -> datetime:
    """Return an instant as the local time at an offset in minutes."""
    return datetime.fromtimestamp(at / 1000, UTC).astimezone(timezone(timedelta(minutes=offset)))


def _day(day: int, now: Moment) -> str:
    return _date(date.fromordinal(day), now)


def _date(day: date, now: Moment) -> str:
    year = "" if day.year == date.fromordinal(now.day).year else f" {day.year}"
    return f"{day.day} {day:%B}{year}"


def _days(days: float) -> str:
    return f"{days:.1f} days"


def _whole(days: int) -> str:
    return "1 day" if days == 1 else f"{days:,} days".replace(",", " ")
