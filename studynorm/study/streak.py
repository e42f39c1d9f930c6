"""The streak: study days in a row, from the days that were stored; a day with nothing due never breaks it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from studynorm.scheduling.freedays import free_days

RECENT_DAYS = 30


@dataclass(frozen=True, slots=True)
class Streak:
    """Study days in a row on which something was answered or nothing was due.

    `days` is the length of the present one, `rest` how many of its days nothing was due; it begins with a
    day of answers. `longest` is the longest ever, the present one included. `recent` counts the days with
    answers among the last 30, today included.
    """

    days: int = 0
    rest: int = 0
    longest: int = 0
    recent: int = 0


def streak_of(studied: Sequence[int], noted: Collection[int], first_due: int | None, today: int) -> Streak:
    """Return the streak on a study day.

    `studied` are the study days with answers in growing order, `noted` the rest days that were stored;
    `first_due` is the first day on which anything is due, None where nothing is. The days between the last
    answer and the first due one are rest days that are yet to be stored. Today may still be without an
    answer; a day after today counts where it has answers, as after a flight west.
    """
    rest = {*noted, *_pending(studied, first_due, today)}
    runs = tuple(_runs(studied, rest))
    present = next((run for run in runs if run[0] <= today + 1 and run[-1] >= today - 1), [])
    done = set(studied)
    return Streak(
        days=len(present),
        rest=sum(day not in done for day in present),
        longest=max(map(len, runs), default=0),
        recent=sum(today - RECENT_DAYS < day <= today for day in studied),
    )


def _pending(studied: Sequence[int], first_due: int | None, today: int) -> range:
    """Return the rest days since the last answer; today is not over and is none."""
    last = max((day for day in studied if day <= today), default=today)
    return free_days(last, today, first_due)


def _runs(studied: Sequence[int], rest: Collection[int]) -> Iterator[list[int]]:
    """Yield the days of each streak; one never begins with a rest day."""
    done, run = set(studied), list[int]()
    for day in sorted(done.union(rest)):
        if run and run[-1] != day - 1:
            yield run
            run = []
        if run or day in done:
            run.append(day)
    if run:
        yield run
