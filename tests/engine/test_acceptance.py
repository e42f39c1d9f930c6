"""What grading promises, on a few variants of every family and level; `benchmarks.acceptance` tries many."""

import pytest
import torch

from benchmarks import acceptance
from benchmarks.acceptance import Tally, fresh_tally, report, survey
from studynorm.engine.grading import Outcome, Verdict
from studynorm.engine.registry import load_families
from studynorm.engine.variant import Variant

torch.set_num_threads(1)  # small layers run several times faster on one thread
FIRST = 31_000  # beyond the seeds of every other test


@pytest.fixture(scope="module")
def tally() -> Tally:
    """Two verified variants of every level, and as many more as show each slip twice."""
    families, broken = load_families()
    assert not broken
    found = fresh_tally(least=300)
    survey(dict(families), torch, FIRST, found, per_slip=2)
    return found


@pytest.mark.parametrize("promise", ["slips", "digits", "picked", "exact", "off"])
def test_a_promise_of_the_grader_holds(tally: Tally, promise: str) -> None:
    """Slips are named, right answers are right in digits and in exact form, near ones are refused."""
    count = getattr(tally, promise)
    assert count.failures == []
    assert count.holds


def test_every_family_and_every_belief_was_tried(tally: Tally) -> None:
    """No misconception that a level declares is left out, and no family that judges its answers."""
    families, _ = load_families()
    judged = {family.id for family in families.values() if family.kind.judged}
    assert tally.rare == []
    assert tally.slips.families == judged
    assert tally.digits.families | tally.picked.families == judged
    assert tally.beliefs >= sum(
        len(level.misconceptions) for family in families.values() for level in family.levels.values()
    )


@pytest.mark.parametrize(
    ("outcome", "broken"),
    [
        (Outcome.CORRECT, {"slips", "off"}),
        (Outcome.WRONG, {"slips", "digits", "exact"}),
        (Outcome.IMPRECISE, {"slips", "digits", "exact", "off"}),
    ],
)
def test_a_grader_that_always_says_the_same_is_found_out(
    monkeypatch: pytest.MonkeyPatch, outcome: Outcome, broken: set[str]
) -> None:
    """Accepting everything, refusing everything and asking for more digits each break a promise."""

    def same(variant: Variant, text: str) -> Verdict:
        return Verdict(outcome, "")

    monkeypatch.setattr(acceptance, "grade", same)
    families, _ = load_families()
    found = fresh_tally(least=1)
    survey({"batchnorm.entry": families["batchnorm.entry"]}, torch, FIRST, found, per_slip=2)
    promises = {"slips": found.slips, "digits": found.digits, "exact": found.exact, "off": found.off}
    assert {name for name, count in promises.items() if count.failures} == broken
    assert not found.holds
    assert any("batchnorm.entry level 1 seed 31000" in line for line in report(found))
