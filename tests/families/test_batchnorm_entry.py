"""`batchnorm.entry`: values computed by hand, named slips and what is refused."""

from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant, from_values


def family() -> Family[Any]:
    """Return the family under test."""
    found = load_family("batchnorm.entry")
    assert isinstance(found, Family), found
    return found


def solved(**given: str) -> Variant:
    """Return the verified variant of these values, at level 3."""
    return verified_values(family(), 3, given, torch)


@pytest.mark.parametrize(("index", "value"), [("1", -1.019049), ("2", -0.339683), ("3", 1.358732)])
def test_entries_of_a_batch_of_three(index: str, value: float) -> None:
    """The batch 2, 4, 9 has mean 5 and biased variance 26/3."""
    assert solved(x="2,4,9", index=index).answer == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("text", ["-3/sqrt(5)", "-1.34", "-1.3416", "−1.341641", "-3√5/5"])
def test_the_first_entry_is_asked_for_unless_told_otherwise(text: str) -> None:
    """On 0, 2, 4, 6 the first entry is −3/√5, as a surd or to three digits."""
    assert grade(solved(x="0,2,4,6", eps="0"), text).outcome is Outcome.CORRECT


def test_zero_eps_is_accepted_and_noted() -> None:
    """With ε = 0 torch's layer is given the smallest float, and the variant says so."""
    verified = solved(x="0,2,4,6", eps="0").verified
    assert verified is not None
    assert "ε = 5e-324" in verified.note
    assert verified.max_abs_diff < 1e-12


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("4/sqrt(13)", "unbiased_variance"),
        ("1.1094", "unbiased_variance"),
        ("12/26", "divided_by_variance"),
        ("9/sqrt(26/3)", "no_centring"),
        ("4", "no_scaling"),
        ("9/sqrt(101/3)", "rms_instead"),
        ("-4/sqrt(26/3)", "sign_flipped"),
    ],
)
def test_slips_are_named(typed: str, belief: str) -> None:
    """The third entry of 2, 4, 9 deviates by 4; its slips are computed by hand."""
    verdict = grade(solved(x="2,4,9", index="3", eps="0"), typed)
    assert verdict.outcome is Outcome.WRONG
    assert [slip.id for slip in verdict.misconceptions] == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"), [("-3/sqrt(5)", "eps_ignored"), ("-3/(sqrt(5)+4)", "eps_outside_root")]
)
def test_slips_with_a_visible_eps_are_named(typed: str, belief: str) -> None:
    """With σ² = 5 and ε = 4 the divisor is 3, neither √5 nor √5 + 4."""
    variant = solved(x="0,2,4,6", eps="4")
    assert variant.answer == pytest.approx(-1.0, abs=1e-12)
    assert [slip.id for slip in grade(variant, typed).misconceptions] == [belief]


def test_an_invisible_eps_is_never_a_named_slip() -> None:
    """With ε = 0 leaving it out changes nothing, so neither slip about it can be told apart."""
    slips = {slip.id: slip for slip in solved(x="0,2,4,6", eps="0").misconceptions}
    assert not slips["eps_ignored"].distinguishable
    assert not slips["eps_outside_root"].distinguishable


def test_a_constant_batch_with_eps_gives_zero() -> None:
    """Equal values deviate by 0, and 0 over √ε is 0."""
    assert solved(x="3,3,3", eps="0.01").answer == 0


@pytest.mark.parametrize(
    ("x", "index", "exact"),
    [("0,2,4,6", "1", "-3/sqrt(5)"), ("9,8,0", "1", "10/sqrt(146)"), ("0.5,2", "1", None)],
)
def test_the_exact_form_is_a_surd_of_whole_numbers(x: str, index: str, exact: str | None) -> None:
    """Whole batches have a surd; 9, 8, 0 has deviation 10/3 and variance 146/9."""
    params, _ = from_values(family(), 2, {"x": x, "index": index, "eps": "0"})
    assert family().exact(params) == exact


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "x"),
        ({"x": "5"}, "x"),
        ({"x": "5,5,5", "eps": "0"}, "x"),
        ({"x": "0,2,4,6", "eps": "-1"}, "eps"),
        ({"x": "0,2,4,6", "eps": "nan"}, "eps"),
        ({"x": "0,2,4,6", "index": "5"}, "index"),
        ({"x": "0,2,4,6", "index": "0"}, "index"),
        ({"x": "0,2,4,6", "index": "1.5"}, "index"),
        ({"x": "0,2,4,6", "gamma": "2"}, "gamma"),
    ],
)
def test_values_outside_the_domain_are_refused(given: dict[str, str], name: str) -> None:
    """The refusal names the parameter at fault."""
    with pytest.raises(Refused) as refused:
        solved(**given)
    assert refused.value.name == name
