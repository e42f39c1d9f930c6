"""The heat calendar: a year of study days in weeks, each with its answers and how warm that makes it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

WEEKS = 53
LEVELS = 4
_ROUND = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
"""Thresholds from 10 on are these, times a power of ten: round numbers are read faster than quartiles."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """53 weeks up to the one of `today`, each from Monday on; `first` is the first Monday.

    `answers` holds the study days with answers, `rest` those on which nothing was due. `thresholds` are the
    four numbers of answers from which on a day is light, medium, dark and full; they rise.
    """

    first: int
    today: int
    answers: Mapping[int, int]
    rest: frozenset[int]
    thresholds: tuple[int, ...]

    def level(self, day: int) -> int:
        """Return how warm a study day is: 0 without answers, up to 4."""
        count = self.answers.get(day, 0)
        return sum(count >= threshold for threshold in self.thresholds)

    @property
    def total(self) -> int:
        """All answers of these weeks."""
        return sum(self.answers.values())

    @property
    def busiest(self) -> int | None:
        """The study day with the most answers, of several the newest; None where no day has any."""
        return max(self.answers, key=lambda day: (self.answers[day], day), default=None)


def first_day(today: int) -> int:
    """Return the Monday with which the calendar of a study day begins."""
    return today - weekday(today) - 7 * (WEEKS - 1)


def weekday(day: int) -> int:
    """Return 0 for a Monday, 6 for a Sunday."""
    return (day - 1) % 7


def calendar_of(answers: Mapping[int, int], rest: Collection[int], today: int) -> Calendar:
    """Return the calendar of a study day from the answers by day and the rest days."""
    first = first_day(today)
    last = first + 7 * WEEKS - 1
    shown = {day: count for day, count in answers.items() if first <= day <= last and count > 0}
    free = frozenset(day for day in rest if first <= day <= last and day not in shown)
    return Calendar(first, today, shown, free, thresholds_of(shown.values()))


def thresholds_of(counts: Collection[int]) -> tuple[int, ...]:
    """Return from which numbers of answers on a day is light, medium, dark and full.

    Light begins at 1; the others near a quarter, a half and three quarters of what nine in ten days do not
    exceed, so that one huge day does not pale the rest.
    """
    ordered = sorted(counts)
    usual = ordered[(len(ordered) * 9 - 1) // 10] if ordered else 0
    found = [1]
    for part in range(1, LEVELS):
        found.append(max(found[-1] + 1, _round(usual * part / LEVELS)))
    return tuple(found)


def _round(number: float) -> int:
    """Return the round number next below; below 10 all whole numbers are round."""
    if number < _ROUND[0]:
        return int(number)
    power = 1
    while number >= 10 * _ROUND[0] * power:
        power *= 10
    return max(step * power for step in _ROUND if step * power <= number)
