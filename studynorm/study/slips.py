"""Misconceptions: which were made in which topic, and whether they are fading."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import comb

from studynorm.storage.statistics import TypedAnswer
from studynorm.study.firsttries import GRADED

RECENT_DAYS, BEFORE_DAYS = 30, 60
LEAST_TIMES = 3
CHANCE = 5
"""What chance alone brings about in more than one case of so many proves nothing."""
_DAY_MS = 86_400_000


class Trend(StrEnum):
    """Whether a misconception is made more rarely than before."""

    FADING = "fading"
    STEADY = "steady"
    GROWING = "growing"
    UNKNOWN = "too few to tell"


@dataclass(frozen=True, slots=True)
class Period:
    """How often a misconception was made, in how many graded answers to the families in which it was made."""

    times: int
    answers: int


@dataclass(frozen=True, slots=True)
class Slip:
    """A misconception in one topic: the last 30 days, and the 60 days before them.

    `families` are those in which it was made in the 90 days; `why` says in one sentence what is wrong with
    it, as it was told last, and is empty where that was not kept.
    """

    id: str
    topic: str
    families: tuple[str, ...]
    recent: Period
    before: Period
    why: str = ""
    newest: int = field(default=0, compare=False)

    @property
    def times(self) -> int:
        """How often it was made in the 90 days."""
        return self.recent.times + self.before.times

    @property
    def trend(self) -> Trend:
        """Whether it is fading."""
        return trend_of(self.recent, self.before)


def trend_of(recent: Period, before: Period) -> Trend:
    """Return whether a misconception is fading, by the answers of two periods.

    It is fading if it was made in a smaller share of the recent answers than of those before, and chance
    alone would make so few of the same number fall into the recent ones in at most one case of five
    (Fisher's exact test, one-sided); growing if in a larger share, by the same measure. There is too little
    to tell where it was made fewer than three times, where one of the periods has no answers, or where not
    even none, or all, of the times falling into the recent answers would pass that measure; else it is
    steady.
    """
    times, answers = recent.times + before.times, recent.answers + before.answers
    if times < LEAST_TIMES or not (recent.answers and before.answers):
        return Trend.UNKNOWN
    falls = recent.times * before.answers < before.times * recent.answers
    ways = _ways(times, recent.answers, before.answers)
    lowest = max(0, times - before.answers)
    tail = ways[: recent.times - lowest + 1] if falls else ways[recent.times - lowest :]
    furthest = ways[0] if falls else ways[-1]
    cases = comb(answers, times)
    if furthest * CHANCE > cases:
        return Trend.UNKNOWN
    if sum(tail) * CHANCE > cases:
        return Trend.STEADY
    return Trend.FADING if falls else Trend.GROWING


def _ways(times: int, recent: int, before: int) -> list[int]:
    """Return in how many ways so many times can fall into `recent` and `before` answers.

    One number for each count that can fall into the recent ones, from the lowest on; exact at any size.
    """
    lowest, highest = max(0, times - before), min(times, recent)
    found = [comb(recent, lowest) * comb(before, times - lowest)]
    for n in range(lowest, highest):
        found.append(found[-1] * (times - n) * (recent - n) // ((n + 1) * (before - times + n + 1)))
    return found


def slips_of(answers: Iterable[TypedAnswer], now: int, topic_of: Callable[[str], str]) -> tuple[Slip, ...]:
    """Return the misconceptions in the answers of the last 90 days, most frequent first.

    `now` is in UTC milliseconds; `topic_of` tells the topic of a family. An answer that combines several
    misconceptions counts for each.
    """
    turn = now - RECENT_DAYS * _DAY_MS
    graded = dict[str, list[int]]()  # by family: recent, before
    made: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(dict)  # by topic and id, by family
    newest = dict[tuple[str, str], int]()
    for answer in answers:
        if answer.verdict not in GRADED:
            continue
        at = int(answer.at < turn)
        graded.setdefault(answer.family, [0, 0])[at] += 1
        if not answer.misconception:
            continue
        for name in dict.fromkeys(answer.misconception.split("+")):
            key = topic_of(answer.family), name
            made[key].setdefault(answer.family, [0, 0])[at] += 1
            newest[key] = answer.id
    found = []
    for (topic, name), families in made.items():
        recent, before = (
            Period(sum(times[at] for times in families.values()), sum(graded[one][at] for one in families))
            for at in (0, 1)
        )
        found.append(Slip(name, topic, tuple(sorted(families)), recent, before, newest=newest[topic, name]))
    return tuple(sorted(found, key=lambda slip: (-slip.times, -slip.recent.times, slip.topic, slip.id)))


def explained(slips: Iterable[Slip], kept: Mapping[int, str]) -> tuple[Slip, ...]:
    """Return slips with what is wrong with them; `kept` holds the misconceptions of attempts as JSON."""
    return tuple(replace(slip, why=_why(kept.get(slip.newest, ""), slip.id)) for slip in slips)


def _why(text: str, name: str) -> str:
    try:
        told = json.loads(text)
        return next((str(one["why"]) for one in told if one["id"] == name), "")
    except (ValueError, TypeError, KeyError):
        return ""
