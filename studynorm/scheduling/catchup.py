"""Catching up after a break: what is waiting is spread over study days, the most forgotten first. Pure.

The simulation takes the reviews that come due meanwhile from their due days. It assumes that an item that
was reviewed stays away, but for the share that was forgotten: such an item is reviewed twice more, on the
next study day and three days after that, behind everything that waits longer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Protocol, TypeVar

from studynorm.scheduling.settings import Settings

MOST_A_DAY = 9999
HORIZON = 366
"""So many study days are simulated; a plan that is not through by then counts as one without an end."""
FEW = 50
"""So many waiting reviews are never too many."""
KNOWN_AFTER = 7
"""Whoever reviewed on fewer study days is new, and has no usual day yet."""
_COMES_BACK = (1, 4)
"""So many study days after it was forgotten an item is reviewed again: its first intervals are short."""
_STEP = 5
_EASIEST = 20
_LONGEST_CHOICE = 60


class Due(Protocol):
    """A due memory, as far as its order needs it."""

    @property
    def item(self) -> str:
        """The item."""

    @property
    def stability(self) -> float:
        """In days."""

    @property
    def last_day(self) -> int:
        """The study day of its newest review."""


D = TypeVar("D", bound=Due)


@dataclass(frozen=True, slots=True)
class CatchUp:
    """A plan that was begun on the study day `since`: at most `per_day` reviews a study day, no new items.

    `forgotten` is the share of the reviews, 0 to 1, that was expected to be forgotten. `over` is the study
    day on which all that was due fitted into one day; None while it holds. Raises ValueError for a plan that
    cannot be.
    """

    per_day: int
    since: int
    forgotten: float = 0.0
    over: int | None = None

    def __post_init__(self) -> None:
        days = (self.since, *([] if self.over is None else [self.over]))
        if any(type(number) is not int for number in (self.per_day, *days)):
            raise ValueError("a catch-up is made of whole numbers")
        if not 1 <= self.per_day <= MOST_A_DAY:
            raise ValueError(f"a catch-up has 1 to {MOST_A_DAY} reviews a day, not {self.per_day}")
        if not (isfinite(self.forgotten) and 0 <= self.forgotten <= 1):
            raise ValueError(f"{self.forgotten} is no share of reviews")

    def holds(self, due: int, done: int) -> bool:
        """Tell whether it holds on a study day: whether more was due when the day began than fits into it.

        That is what is `due` now and the reviews that were `done` since, so that answers do not end it.
        """
        return self.over is None and due + done > self.per_day


def limits_of(settings: Settings, plan: CatchUp | None) -> Settings:
    """Return the settings with the daily limits of a plan that holds; without one as they are."""
    if plan is None:
        return settings
    return replace(settings, reviews_per_day=plan.per_day, new_per_day=0)


def ordered(due: Iterable[D], day: int) -> list[D]:
    """Return due memories with the lowest predicted recall on a study day first, equal ones by item.

    Whatever the weights, recall falls with the days since the review for each day of stability.
    """
    return sorted(due, key=lambda memory: (-max(0, day - memory.last_day) / memory.stability, memory.item))


def usual_day(reviews: Sequence[int]) -> int | None:
    """Return the median of the reviews of study days, halves rounded up; None for fewer than 7 with any."""
    days = sorted(count for count in reviews if count > 0)
    middle = len(days) // 2
    return (days[middle] + days[-1 - middle] + 1) // 2 if len(days) >= KNOWN_AFTER else None


def is_too_much(due: int, usual: int | None, reviews_per_day: int) -> bool:
    """Tell whether far more is due than a usual day holds: twice as much, or more than a day's limit.

    Up to 50 reviews it never is, nor for a learner without a `usual` day or one whose limit is 0.
    """
    if usual is None or not reviews_per_day:
        return False
    return due > max(FEW, min(2 * usual, reviews_per_day))


@dataclass(frozen=True, slots=True)
class Backlog:
    """What a simulation begins with, on the study day `today`.

    `due` reviews are waiting and `done` were made today; `coming` counts those that come due on each later
    study day; `forgotten` is the share of them, 0 to 1, that is not recalled.
    """

    today: int
    due: int
    done: int
    coming: Mapping[int, int]
    forgotten: float = 0.0

    def through(self, per_day: int) -> int | None:
        """Return the study day at whose beginning all that is due fits into one day of a plan.

        None where that is not within a year: as much comes due as is reviewed.
        """
        waiting, back = self.due + self.done, 0.0
        reviewed = list[int]()  # on each day, without those that came back
        for day in range(self.today, self.today + HORIZON):
            if day > self.today:
                waiting += self.coming.get(day, 0)
                back += self.forgotten * sum(reviewed[-lag] for lag in _COMES_BACK if lag <= len(reviewed))
            if waiting + round(back) <= per_day:
                return day
            room = max(per_day, self.done) if day == self.today else per_day
            reviewed.append(min(room, waiting))
            waiting -= reviewed[-1]
            back -= min(back, room - reviewed[-1])
        return None

    def days(self, per_day: int) -> int | None:
        """Return on how many study days there is something to do until a plan is through, the last included.

        Today counts unless its share is done. None as for `through`.
        """
        last = self.through(per_day)
        if last is None:
            return None
        return last - self.today + (0 if self.done >= per_day else 1)

    def choices(self, usual: int | None) -> tuple[int, ...]:
        """Return up to three sensible numbers of reviews a day: about the `usual` day, half more, and twice.

        None takes longer than 60 study days; those that would be through today are left out.
        """
        least = max(_EASIEST, _round_up(usual or 0))
        quick = (n for n in range(least, MOST_A_DAY, _STEP) if self._is_quick(n))
        base = next(quick, None)
        if base is None:
            return ()
        wished = dict.fromkeys(min(MOST_A_DAY, _round_up(base * times / 2)) for times in (2, 3, 4))
        return tuple(number for number in wished if self.due + self.done > number)

    def _is_quick(self, per_day: int) -> bool:
        last = self.through(per_day)
        return last is not None and last - self.today < _LONGEST_CHOICE


def _round_up(number: float) -> int:
    return int(-(-number // _STEP) * _STEP)
