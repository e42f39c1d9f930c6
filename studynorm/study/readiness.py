"""Readiness: how much would be recalled on the day of an interview, predicted from the memories of now."""

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import ceil, sqrt
from typing import TYPE_CHECKING

from studynorm.storage.backlog import BacklogGlance
from studynorm.study.looking import looked_at, recall_of

if TYPE_CHECKING:
    from studynorm.study.desk import Desk

SPARE_DAYS = 7
"""So many study days before the interview all items should have been met, so that they can still settle."""
NOTHING = "Nothing that you learned is likely to be forgotten by then."
_Z95 = 1.959963984540054  # the 97.5 % quantile of the normal distribution


@dataclass(frozen=True, slots=True)
class Prediction:
    """The chance, 0 to 1, that an item is recalled on the day looked at, if nothing is done before."""

    item: str
    topic: str
    recall: float


@dataclass(slots=True)
class Outlook:
    """What some items are expected to come to on one day: `learned` are those with a memory.

    `expected` is how many of these would be recalled, `variance` that of their number, and `below` how many
    have a lower chance than the desired retention.
    """

    items: int = 0
    learned: int = 0
    expected: float = 0.0
    variance: float = 0.0
    below: int = 0

    def add(self, recall: float, desired: float) -> None:
        """Count one item with a memory."""
        self.learned += 1
        self.expected += recall
        self.variance += recall * (1 - recall)
        self.below += recall < desired

    @property
    def unlearned(self) -> int:
        """The items without a memory."""
        return self.items - self.learned

    @property
    def recall(self) -> float | None:
        """The mean predicted recall of the learned items, 0 to 1; None where there is none."""
        return self.expected / self.learned if self.learned else None

    @property
    def half_width(self) -> float | None:
        """Half the range in which the share that is recalled would lie on 95 of 100 such days.

        It is 1.96 · √Σp(1−p) / n, that of n independent trials, if the predictions are right.
        """
        return _Z95 * sqrt(self.variance) / self.learned if self.learned else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The range itself, within 0 to 1."""
        mean, half = self.recall, self.half_width
        if mean is None or half is None:
            return None
        return max(0.0, mean - half), min(1.0, mean + half)


@dataclass(frozen=True, slots=True)
class TopicOutlook:
    """The outlook of one topic."""

    id: str
    title: str
    outlook: Outlook = field(default_factory=Outlook)


@dataclass(frozen=True, slots=True)
class Pace:
    """New items a study day, from today on, with which all that are `left` are met by the end of `until`."""

    left: int
    until: int
    per_day: int


@dataclass(frozen=True, slots=True)
class Readiness:
    """The outlook for the study day `on`: that of the interview, or today where that is unknown or over.

    `date` is the study day of the interview, None where none is set. `below` are the items whose chance is
    lower than `desired`, the lowest first, equal ones by item. Suspended items, damaged ones and those that
    are gone are in nothing of it.
    """

    today: int
    date: int | None
    on: int
    desired: float
    overall: Outlook
    topics: tuple[TopicOutlook, ...]
    below: tuple[Prediction, ...]
    pace: Pace | None

    @property
    def days_left(self) -> int | None:
        """Study days until the interview, negative when it is over; None where no day is set."""
        return None if self.date is None else self.date - self.today


def readiness(desk: "Desk", date: int | None = None) -> Readiness:
    """Return the outlook for a study day, else for the interview date that is set; only reads.

    Raises StoreError where the profile cannot be read.
    """
    today = desk.clock().day
    date = interview_day(desk) if date is None else date
    on = today if date is None else max(date, today)
    desired = desk.settings.desired_retention
    topics = {topic.id: TopicOutlook(topic.id, topic.title) for topic in desk.catalogue.topics}
    overall, below = Outlook(), list[Prediction]()
    with looked_at(desk) as seen:
        left_out = _left_out(seen)
        for topic in desk.catalogue.topics:
            items = sum(item not in left_out for item in topic.items)
            topics[topic.id].outlook.items = items
            overall.items += items
        for found in _predictions(desk, seen, on, left_out):
            topics[found.topic].outlook.add(found.recall, desired)
            overall.add(found.recall, desired)
            if found.recall < desired:
                below.append(found)
    return Readiness(
        today,
        date,
        on,
        desired,
        overall,
        tuple(topics.values()),
        tuple(_most_forgotten(below)),
        pace_of(overall.unlearned, today, date),
    )


def interview_day(desk: "Desk") -> int | None:
    """Return the study day of the interview; None where none is set."""
    date = desk.settings.interview_date
    return None if date is None else date.toordinal()


def pass_day(desk: "Desk", date: int | None = None) -> int:
    """Return the study day that a pass is made for: `date`, else the interview's; today at the earliest."""
    today = desk.clock().day
    return max(today, date or interview_day(desk) or today)


def for_pass(desk: "Desk", on: int, topic: str | None = None, limit: int | None = None) -> tuple[str, ...]:
    """Return the items of a final pass before a study day, those first that are most likely forgotten on it.

    Those whose chance is below the desired retention; of a `topic`, all that have a memory. At most `limit`.
    """
    desired = desk.settings.desired_retention
    with looked_at(desk) as seen:
        found = [
            one
            for one in _predictions(desk, seen, on, _left_out(seen))
            if (one.recall < desired if topic is None else one.topic == topic)
        ]
    return tuple(one.item for one in _most_forgotten(found))[:limit]


def pace_of(left: int, today: int, date: int | None) -> Pace | None:
    """Return the pace at which `left` new items are met 7 study days before a date.

    Nearer to it, they are met by the day before. None where nothing is left, or no day for it.
    """
    if date is None or not left or date <= today:
        return None
    until = date - SPARE_DAYS if date - SPARE_DAYS >= today else date - 1
    return Pace(left, until, ceil(left / (until - today + 1)))


def _predictions(
    desk: "Desk", seen: BacklogGlance, on: int, left_out: frozenset[str]
) -> Iterator[Prediction]:
    recall, candidates = recall_of(seen), desk.catalogue.candidates
    for memory in seen.memories():
        candidate = candidates.get(memory.item)
        if candidate is None or memory.item in left_out:
            continue
        yield Prediction(memory.item, candidate.topic, recall(memory.stability, on - memory.last_day))


def _left_out(seen: BacklogGlance) -> frozenset[str]:
    return seen.suspended() | seen.damaged()


def _most_forgotten(found: Iterable[Prediction]) -> list[Prediction]:
    return sorted(found, key=lambda one: (one.recall, one.item))


# -- in words ----------------------------------------------------------------------------------------
def date_words(ready: Readiness) -> str:
    """Say when the interview is, or that no day is set or it is over, and for which day all is predicted."""
    if ready.date is None:
        return "No interview date is set; this is for today."
    if ready.date < ready.today:
        return f"The interview date, {_day(ready.date, ready.today)}, is over; this is for today."
    if ready.date == ready.today:
        return "The interview is today."
    left = ready.date - ready.today
    when = "tomorrow" if left == 1 else f"in {left} days"
    return f"Interview {when}, on {_day(ready.date, ready.today)}."


def pace_words(ready: Readiness, limit: int) -> str:
    """Say how many new items a day it takes, `limit` being the setting; empty where there is no pace."""
    pace = ready.pace
    if pace is None:
        return ""
    what = "the new item" if pace.left == 1 else f"the {pace.left} new items"
    by = f"by {_day(pace.until, ready.today)}"
    more = f", more than your {limit} a day" if pace.per_day > limit else ""
    return f"To have met {what} {by}, learn {pace.per_day} a day{more}."


def below_words(ready: Readiness) -> str:
    """Say how many learned items would be below the desired retention on the day."""
    below, learned = len(ready.below), ready.overall.learned
    share = f"{round(100 * ready.desired)} %"
    if not learned:
        return "Nothing is learned yet, so there is nothing to predict."
    if not below:
        return f"No learned item would be below {share}."
    return f"{below} of {learned} learned items would be below {share}."


def _day(day: int, today: int) -> str:
    then = datetime.date.fromordinal(day)
    year = "" if then.year == datetime.date.fromordinal(today).year else f" {then.year}"
    return f"{then:%A}, {then.day} {then:%B}{year}"
