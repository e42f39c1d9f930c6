"""The past of one item, and why it is due when it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from studynorm.scheduling.interval import interval_text
from studynorm.scheduling.memory import Memory, Review
from studynorm.scheduling.studyday import Moment
from studynorm.storage.upkeep import Event, EventKind
from studynorm.study.items import ItemRow
from studynorm.study.why import local, scheduler_of, why_due

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
    why = why_due(row, reviews, events, scheduler_of(desk, row.item), desk.clock(), new_before=before)
    return Story(why, history(reviews, events))


def _new_before(desk: "Desk", item: str) -> int:
    """Return how many new items that may be asked stand before one."""
    upkeep = desk.store.upkeep
    waiting = upkeep.paused(desk.clock().day).union(desk.store.known_items())
    earlier = takewhile(lambda other: other != item, desk.catalogue.candidates)
    return sum(other not in waiting for other in earlier)


def history(reviews: Sequence[Review], events: Sequence[Event]) -> tuple[Happening, ...]:
    """Return reviews and events of one item in the order of time; an event stands before its review."""
    lines = [(event.moment.at, 0, _of_event(event)) for event in events]
    lines += [(review.moment.at, 1, _of_review(review)) for review in reviews]
    return tuple(line for _, _, line in sorted(lines, key=lambda entry: entry[:2]))


def _of_review(review: Review) -> Happening:
    when, after = _when(review.moment), review.after
    interval = interval_text(after, review.moment, learn_ahead=0)
    return Happening(when, review.rating.label, interval, after, review.duration_ms)


def _of_event(event: Event) -> Happening:
    return Happening(_when(event.moment), _WORDS[event.kind], "", None, 0)


def _when(moment: Moment) -> str:
    return f"{local(moment.at, moment.offset):%Y-%m-%d %H:%M}"
