"""Right answers by family and level: of each problem the first answer that was found right or wrong."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from studynorm.engine.grading import Outcome
from studynorm.storage.statistics import TypedAnswer
from studynorm.study.retention import Share

GRADED = frozenset({Outcome.CORRECT.value, Outcome.WRONG.value})


@dataclass(frozen=True, slots=True)
class FirstTries:
    """A family at one level: how many first tries there were, and how many of them were right."""

    family: str
    level: int
    share: Share


def first_tries(answers: Iterable[TypedAnswer]) -> Iterator[TypedAnswer]:
    """Yield the first graded answer to each problem; `answers` come in the order in which they were typed.

    In a review that is the first of the review, in a drill the first after an answer to another problem.
    Answers after the solution was shown are none; hints don't matter.
    """
    last: object = None
    reviews = set[int]()
    for answer in answers:
        if answer.verdict not in GRADED:
            continue
        if answer.review is not None:
            known, problem = answer.review in reviews, answer.review
            reviews.add(problem)
        else:
            drilled = (answer.family, answer.level, answer.seed)
            known, last = drilled == last, drilled
        if not (known or answer.revealed):
            yield answer


def by_family_and_level(answers: Iterable[TypedAnswer]) -> tuple[FirstTries, ...]:
    """Return the first tries of each family and level, worst first.

    The order is that of the upper end of the interval, so that many wrong answers stand before a single one.
    """
    hits, counts = dict[tuple[str, int], int](), dict[tuple[str, int], int]()
    for answer in first_tries(answers):
        key = answer.family, answer.level
        counts[key] = counts.get(key, 0) + 1
        hits[key] = hits.get(key, 0) + (answer.verdict == Outcome.CORRECT.value)
    found = [FirstTries(*key, Share(hits[key], n)) for key, n in counts.items()]
    return tuple(sorted(found, key=lambda one: (worth(one.share), one.family, one.level)))


def worth(share: Share) -> float:
    """Return the upper end of the interval: how good it may be at best."""
    return 1.0 if share.interval is None else share.interval[1]
