"""Everything about one variant of a family at once, as its author wants to see it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from studynorm.engine.family import Family
from studynorm.engine.grading import grade
from studynorm.engine.proof import typed_as
from studynorm.engine.variant import NoVariant, Variant, search


@dataclass(frozen=True, slots=True)
class PreviewedSlip:
    """A misconception of the variant: what a learner who makes it types, and what is then said."""

    id: str
    typed: str
    why: str
    distinguishable: bool
    named: bool
    message: str


@dataclass(frozen=True, slots=True)
class SeedRange:
    """What drawing a range of seeds came to; times are CPU time, without torch."""

    first: int
    last: int
    drawn: int
    rejected: int
    statements: int
    ms: float
    failure: str

    @property
    def rejection_rate(self) -> float:
        """The share of draws that were rejected, 0 to 1."""
        return self.rejected / max(1, self.drawn + self.rejected)


def slips_of(variant: Variant) -> tuple[PreviewedSlip, ...]:
    """Return each misconception of a variant as the learner meets it."""
    found = []
    for slip in variant.misconceptions:
        text = typed_as(variant, slip.value, 4)
        verdict = grade(variant, text)
        named = [other.id for other in verdict.misconceptions] == [slip.id]
        found.append(PreviewedSlip(slip.id, text, slip.why, slip.distinguishable, named, verdict.message))
    return tuple(found)


def seed_range(
    family: Family[Any], level: int, first: int, count: int, clock: Callable[[], float] = time.process_time
) -> SeedRange:
    """Draw `count` seeds from `first` on, up to one for which the family finds no variant."""
    statements: set[str] = set()
    drawn = rejected = 0
    failure = ""
    begun = clock()
    for seed in range(first, first + count):
        try:
            found = search(family, level, seed)
        except NoVariant as none:
            failure = str(none)
            break
        drawn += 1
        rejected += found.rejected
        statements.add(found.variant.prompt)
    spent = clock() - begun
    return SeedRange(
        first, first + count - 1, drawn, rejected, len(statements), 1000 * spent / max(1, drawn), failure
    )
