"""The answers that FSRS' weights are fitted to and measured by, taken from a log of reviews."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

NEEDED = 640
"""So many countable answers a fit needs: py-fsrs does not fit to fewer than 512, and a fifth is held out."""
MOST = 20_000
"""About so many answers are fitted to at most; py-fsrs works through them one by one."""
LONGEST = 64
"""Of each history so many answers are used; py-fsrs looks at no more."""

_HELD_OUT = 5
_LAST_DAY = 3_600_000  # in the year 9857: FSRS' longest interval after it is still a date


class Logged(NamedTuple):
    """What a row of the log says; anything may be of the wrong type. `is_new`: it is the first since then."""

    item: object
    rating: object
    day: object
    is_new: bool


class Answer(NamedTuple):
    """An answer. `place` orders those of all items by time; `day` is the study day."""

    place: int
    rating: int
    day: int


History = tuple[Answer, ...]
"""The answers to one item since it was new, none on an earlier study day than the one before it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a log gives to fit to.

    `answers` are all that are whole, `skipped` the rows that are not, `countable` the answers to an item that
    had been answered on an earlier study day. `histories` are those that are used: all that have a countable
    answer, or one of so many as `every` says.
    """

    answers: int = 0
    countable: int = 0
    skipped: int = 0
    histories: tuple[History, ...] = ()
    every: int = 1

    @property
    def missing(self) -> int:
        """How many countable answers are missing for a fit."""
        return max(0, NEEDED - self.countable)

    @property
    def used(self) -> int:
        """How many answers the histories have that are used."""
        return sum(map(len, self.histories))


def evidence_of(log: Iterable[Logged], most: int = MOST) -> Evidence:
    """Return what the log, oldest row first, gives to fit to.

    A history without a countable answer says nothing and is left out; of a log with more answers than `most`
    every second, third, … history is used.
    """
    begun: list[list[Answer]] = []
    current: dict[object, list[Answer]] = {}
    answers = skipped = 0
    for place, row in enumerate(log):
        answer = _whole(place, row)
        if answer is None:
            skipped += 1
            continue
        answers += 1
        history = current.get(row.item)
        if history is None or row.is_new:
            history = current[row.item] = []
            begun.append(history)
        if len(history) < LONGEST:
            last = history[-1].day if history else answer.day
            # A clock that was set back does not make a day come again.
            history.append(answer if answer.day >= last else answer._replace(day=last))
    telling = [tuple(history) for history in begun if _countable(history)]
    countable = sum(map(_countable, telling))
    every = _step(telling, most)
    return Evidence(answers, countable, skipped, tuple(telling[::every]), every)


def countable_places(histories: Iterable[History]) -> list[int]:
    """Return in order the places of the answers on a later study day than the one before."""
    pairs = chain.from_iterable(map(pairwise, histories))
    return sorted(answer.place for before, answer in pairs if answer.day > before.day)


def held_out_from(places: Sequence[int]) -> int:
    """Return the place from which on answers are held out: the newest fifth of the countable ones."""
    return places[len(places) * (_HELD_OUT - 1) // _HELD_OUT]


def _whole(place: int, row: Logged) -> Answer | None:
    rating, day = row.rating, row.day
    if not (isinstance(rating, int) and isinstance(day, int) and isinstance(row.item, str)):
        return None
    return Answer(place, rating, day) if 1 <= rating <= 4 and 1 <= day <= _LAST_DAY else None


def _countable(history: Sequence[Answer]) -> int:
    return sum(after.day > before.day for before, after in pairwise(history))


def _step(histories: Sequence[History], most: int) -> int:
    step = max(1, -(-sum(map(len, histories)) // max(1, most)))
    while step > 1 and sum(map(_countable, histories[::step])) < NEEDED:
        step -= 1
    return step
