"""`python -m benchmarks.acceptance`: what grading promises, counted over all families and levels.

A slip's own value is named as that slip, a right answer at three digits or in exact form is right, and
one that is off by ten units of the third digit never is.
"""

import argparse
import math
import secrets
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from studynorm.engine.discrete import DISCRETE
from studynorm.engine.family import Family, givens
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.numbers import flatten, scale_of
from studynorm.engine.oracle import verified_draw
from studynorm.engine.proof import typed_as
from studynorm.engine.registry import load_families
from studynorm.engine.rng import Rng
from studynorm.engine.variant import Variant, draw

PER_SLIP = 50
"""So many variants answer every declared misconception."""
ANSWERS = 1000
"""At least so many answers of every other sort are judged."""
_SURVEY = 300
"""So many variants show every slip of a level whose questions have slips of their own."""
_MOST = 20_000  # seeds of one level
_SHOWN = 20  # failures of one promise


@dataclass(slots=True)
class Count:
    """How often one promise was tried, on how many families, and where it did not hold."""

    promise: str
    least: int
    tried: int = 0
    families: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def add(self, variant: Variant, typed: str, *, held: bool, seen: object) -> None:
        """Count one answer, and where the promise was broken say what was typed and what was seen."""
        self.tried += 1
        self.families.add(variant.family)
        if not held:
            self.failures.append(
                f"{variant.family} level {variant.level} seed {variant.seed}: “{typed}” is {seen}"
            )

    @property
    def holds(self) -> bool:
        """Whether the promise was tried often enough and never broken."""
        return not self.failures and self.tried >= self.least

    def __str__(self) -> str:
        verdict = "ok" if self.holds else "FAILS" if self.failures else f"fewer than {self.least}"
        held = self.tried - len(self.failures)
        return f"{self.promise:46} {held:7} of {self.tried:7} {len(self.families):5} families  {verdict}"


@dataclass(slots=True)
class Tally:
    """The counts of one run, and the misconceptions that too few variants carried."""

    slips: Count
    digits: Count
    picked: Count
    exact: Count
    off: Count
    beliefs: int = 0
    rare: list[str] = field(default_factory=list)

    @property
    def counts(self) -> tuple[Count, ...]:
        """All promises, in the order in which they are printed."""
        return self.slips, self.digits, self.picked, self.exact, self.off

    @property
    def holds(self) -> bool:
        """Whether everything that grading promises was seen to hold."""
        return not self.rare and all(count.holds for count in self.counts)


def fresh_tally(*, least: int = ANSWERS) -> Tally:
    """Return empty counts that hold from `least` answers of each sort on."""
    return Tally(
        Count("slips named as themselves", 1),
        Count("right answers at three digits", least),
        Count("right answers picked or counted", 1),
        Count("right answers in exact form", least),
        Count("answers off by ten of the third digit refused", least),
    )


def survey(
    families: dict[str, Family[Any]], torch: Any, first: int, tally: Tally, *, per_slip: int = PER_SLIP
) -> None:
    """Answer variants of every family and level from seed `first` on, `per_slip` for every misconception.

    Words, which are not judged, are left out.
    """
    for family in families.values():
        if not family.kind.judged:
            continue
        for level in sorted(family.levels):
            carried: Counter[str] = Counter()
            for variant in _variants(family, level, torch, first, carried, per_slip):
                _answer_slips(variant, carried, tally)
                if variant.verified is not None and variant.kind.judged:
                    _answer_rightly(variant, family, tally)
                    _answer_wrongly(variant, tally)
            tally.beliefs += len(carried)
            tally.rare += [
                f"{family.id} level {level}: {name}, {count}"
                for name, count in carried.items()
                if count < per_slip
            ]


def _variants(
    family: Family[Any], level: int, torch: Any, first: int, carried: Counter[str], per_slip: int
) -> Iterator[Variant]:
    """Yield `per_slip` verified variants and, unverified, as many more as the rarest slip needs."""
    listed = family.levels[level].misconceptions
    carried.update(dict.fromkeys(listed, 0))
    by_question = any(given.shape == "option" for given in givens(family).values())
    known = _SURVEY if by_question and not listed else per_slip
    for seed in range(first, first + _MOST):
        if seed - first >= known and min(carried.values(), default=0) >= per_slip:
            return
        if seed - first < per_slip:
            yield verified_draw(family, level, seed, torch)
        else:
            yield draw(family, level, seed)[1]


def _answer_slips(variant: Variant, carried: Counter[str], tally: Tally) -> None:
    for slip in variant.misconceptions:
        typed = typed_as(variant, slip.value, 4)
        verdict = grade(variant, typed)
        named = [found.id for found in verdict.misconceptions]
        held = verdict.outcome is Outcome.WRONG and named == [slip.id]
        tally.slips.add(variant, typed, held=held, seen=f"{verdict.outcome} {named}, not {slip.id}")
    carried.update({slip.id for slip in variant.misconceptions})


def _answer_rightly(variant: Variant, family: Family[Any], tally: Tally) -> None:
    numeric = not variant.kind.whole
    texts = [(tally.digits if numeric else tally.picked, typed_as(variant, variant.answer, 3))]
    exact = family.exact(family.given(**variant.params))
    if exact is not None:
        texts.append((tally.exact, exact))
    for count, typed in texts:
        outcome = grade(variant, typed).outcome
        count.add(variant, typed, held=outcome is Outcome.CORRECT, seen=outcome)


def _answer_wrongly(variant: Variant, tally: Tally) -> None:
    """Move one entry by ten units of the third digit of S, up or down, where that is a number asked for."""
    power = _power(variant.answer)
    unit = 10.0 ** (power - 2)
    if isinstance(variant.kind, DISCRETE) or (variant.kind.whole and unit < 0.1):
        return
    dice = Rng("acceptance", variant.family, variant.level, variant.seed)
    entries = list(flatten(variant.answer))
    entries[dice.integer(0, len(entries) - 1)] += dice.choice((-10, 10)) * unit
    moved = _as_before(variant.answer, iter(entries))
    typed = typed_as(variant, moved, 3 + max(0, _power(moved) - power))  # the third digit of the truth shows
    outcome = grade(variant, typed).outcome
    tally.off.add(variant, typed, held=outcome is Outcome.WRONG, seen=outcome)


def _power(answer: Any) -> int:
    """Return the power of ten of the first digit of S."""
    return math.floor(math.log10(scale_of(answer) * (1 + 1e-9)))


def _as_before(answer: Any, entries: Iterator[float]) -> Any:
    if isinstance(answer, tuple):
        return tuple(_as_before(entry, entries) for entry in answer)
    return next(entries)


def report(tally: Tally) -> Iterator[str]:
    """Yield the table of a run, and under it what did not hold."""
    for count in tally.counts:
        yield str(count)
        yield from (f"    {failure}" for failure in count.failures[:_SHOWN])
    yield f"misconceptions of a level: {tally.beliefs}; carried by too few variants: {len(tally.rare)}"
    yield from (f"    {name}" for name in tally.rare)


def main() -> int:
    """Run with fixed and with fresh seeds; the exit code says whether every promise held."""
    import torch

    parser = argparse.ArgumentParser(prog="python -m benchmarks.acceptance", description=__doc__)
    parser.add_argument(
        "--seeds-from", type=int, metavar="N", help="the first seed, in place of 0 and a fresh one"
    )
    chosen = parser.parse_args().seeds_from
    torch.set_num_threads(1)
    families, broken = load_families()
    for failure in broken:
        print(failure)  # noqa: T201  printing is what this program is for
    held = not broken
    for first in (0, secrets.randbelow(10**9)) if chosen is None else (chosen,):
        print(f"seeds from {first}, {len(families)} families", flush=True)  # noqa: T201
        tally = fresh_tally()
        survey(dict(families), torch, first, tally)
        print("\n".join(report(tally)), flush=True)  # noqa: T201
        held = held and tally.holds
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())
