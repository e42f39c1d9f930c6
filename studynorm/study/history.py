"""The past of one item, and one sentence on why it is due when it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import takewhile
from typing import TYPE_CHECKING

from studynorm.scheduling.interval import interval_text
from studynorm.scheduling.memory import Memory, Review, State
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.studyday import Moment
from studynorm.storage.upkeep import Event, EventKind
from studynorm.study.items import ItemRow

if TYPE_CHECKING:
    from studynorm.study.desk import Desk

_WORDS = {
    EventKind.SUSPEND: "suspended",
    EventKind.RESUME: "resumed",
    EventKind.BURY: "buried until the next day",
    EventKind.UNBURY: "taken out again",
    EventKind.FORGET: "forgotten: new again",
    EventKind.REMEMBER: "memory given back",
    EventKind.REWORD: "card reworded since the answer before",
    EventKind.SET_DUE: "due day set by hand",
    EventKind.UNSET_DUE: "due day given back",
}


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened to an item: a review, or an event, which has no interval and no memory.

    `when` is the local date and time as they were then; `interval` is what the rating led to.
    """

    when: str
    what: str
    interval: str
    after: Memory | None
    duration_ms: int


@dataclass(frozen=True, slots=True)
class Story:
    """An item's past, oldest first, and why it is due when it is."""

    why: str
    past: tuple[Happening, ...]


def story_of(desk: "Desk", row: ItemRow) -> Story:
    """Return the story of an item. Raises StoreError."""
    reviews, events = desk.store.upkeep.reviews(row.item), desk.store.upkeep.events(row.item)
    before = _new_before(desk, row.item) if row.memory is None else 0
    why = why_due(row, reviews, events, desk.scheduler, desk.clock(), new_before=before)
    return Story(why, history(reviews, events))


def _new_before(desk: "Desk", item: str) -> int:
    """Return how many new items that may be asked stand before one."""
    upkeep = desk.store.upkeep
    waiting = upkeep.paused(desk.clock().day).union(memory.item for memory in upkeep.memories())
    earlier = takewhile(lambda other: other != item, desk.catalogue.candidates)
    return sum(other not in waiting for other in earlier)


def history(reviews: Sequence[Review], events: Sequence[Event]) -> tuple[Happening, ...]:
    """Return reviews and events of one item in the order of time; an event stands before its review."""
    lines = [(event.moment.at, 0, _of_event(event)) for event in events]
    lines += [(review.moment.at, 1, _of_review(review)) for review in reviews]
    return tuple(line for _, _, line in sorted(lines, key=lambda entry: entry[:2]))


def why_due(
    row: ItemRow,
    reviews: Sequence[Review],
    events: Sequence[Event],
    scheduler: Scheduler,
    now: Moment,
    *,
    new_before: int = 0,
) -> str:
    """Return one sentence on when an item is due, and why then.

    `reviews` and `events` are those of the item, oldest first; `new_before` counts the new items before it.
    """
    memory = row.memory
    if row.gone:
        what = "family" if row.item.startswith("family:") else "card"
        return f"Gone: there is no such {what} any more, so it is not asked; its memory is kept for it."
    if row.suspended:
        return f"Suspended{_since(events, EventKind.SUSPEND, now)}: it is not asked until you resume it."
    if row.buried:
        return "Buried: it is not asked today, and comes back tomorrow at the earliest."
    if memory is None:
        return _why_new(events, now, new_before)
    if memory.due_at is not None:
        return _why_step(memory, scheduler, now)
    return _why_day(memory, reviews, scheduler, now)


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
    then = _local(at, now.offset)
    day = "" if then.date() == _local(now.at, now.offset).date() else f" on {_date(then.date(), now)}"
    is_due = "is due" if at > now.at else "has been due since"
    link = " at" if at > now.at else ""
    return f"{where}: {step} {is_due}{link} {then:%H:%M}{day}."


def _why_day(memory: Memory, reviews: Sequence[Review], scheduler: Scheduler, now: Moment) -> str:
    assert memory.due_day is not None
    due = _due_words(memory.due_day, now)
    stability = f"stability is {_days(memory.stability)}"
    last = next((review for review in reversed(reviews) if review.after == memory), None)
    if last is None:
        return f"{due}: its {stability}."
    taken = memory.due_day - memory.last_day
    after = f"after {last.rating.label} on {_date(date.fromordinal(memory.last_day), now)} its {stability}"
    plain = _unfuzzed(last, scheduler)
    if plain is None:
        return f"{due}: {after}, and the interval set then was {_whole(taken)}."
    longest = ", the longest allowed" if plain == scheduler.settings.maximum_interval else ""
    fuzz = f" (fuzz moved it to {taken})" if taken != plain else ""
    retention = f"{scheduler.settings.desired_retention * 100:g} %"
    return (
        f"{due}: {after}, and at a desired retention of {retention} that makes an interval of "
        f"{_whole(plain)}{longest}{fuzz}."
    )


def _unfuzzed(review: Review, scheduler: Scheduler) -> int | None:
    """Return the days that a review led to without fuzz; None where it was made under other settings."""
    try:
        again = scheduler.outcomes(review.item, review.before, review.moment)[review.rating]
        if again != review.after:
            return None
        exact = Scheduler(scheduler.settings, scheduler.weights, fuzz=False)
        plain = exact.outcomes(review.item, review.before, review.moment)[review.rating]
    except (ValueError, ArithmeticError):  # a log from elsewhere may hold what no scheduler goes on from
        return None
    return None if plain.due_day is None else plain.due_day - plain.last_day


def _due_words(due_day: int, now: Moment) -> str:
    days, on = due_day - now.day, _date(date.fromordinal(due_day), now)
    if days < 0:
        return f"Overdue by {_whole(-days)}, since {on}"
    if days == 0:
        return "Due today"
    return f"Due tomorrow, on {on}" if days == 1 else f"Due in {_whole(days)}, on {on}"


def _of_review(review: Review) -> Happening:
    when, after = _when(review.moment), review.after
    interval = interval_text(after, review.moment, learn_ahead=0)
    return Happening(when, review.rating.label, interval, after, review.duration_ms)


def _of_event(event: Event) -> Happening:
    return Happening(_when(event.moment), _WORDS[event.kind], "", None, 0)


def _when(moment: Moment) -> str:
    return f"{_local(moment.at, moment.offset):%Y-%m-%d %H:%M}"


def _since(events: Sequence[Event], kind: EventKind, now: Moment) -> str:
    """Return on which date the newest event of a kind was, with a blank before it; empty without one."""
    newest = next((event.moment for event in reversed(events) if event.kind is kind), None)
    return "" if newest is None else f" on {_date(_local(newest.at, newest.offset).date(), now)}"


def _local(at: int, offset: int) -> datetime:
    return datetime.fromtimestamp(at / 1000, UTC).astimezone(timezone(timedelta(minutes=offset)))


def _date(day: date, now: Moment) -> str:
    year = "" if day.year == date.fromordinal(now.day).year else f" {day.year}"
    return f"{day.day} {day:%B}{year}"


def _days(days: float) -> str:
    return f"{days:.1f} days"


def _whole(days: int) -> str:
    return "1 day" if days == 1 else f"{days:,} days".replace(",", " ")
