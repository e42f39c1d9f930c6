"""`backward.input_gradient`: values computed by hand, named slips and what is refused."""

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
    found = load_family("backward.input_gradient")
    assert isinstance(found, Family), found
    return found


def solved(**given: str) -> Variant:
    """Return the verified variant of these values, at level 3."""
    return verified_values(family(), 3, given, torch)


def test_the_worked_batch() -> None:
    """On 0, 2, 4, 6 with ȳ = (1, 0, 0, 0) the bracket is (0.3, −0.4, −0.1, 0.2) and σ = √5."""
    variant = solved(x="0,2,4,6", upstream="1,0,0,0")
    assert variant.answer == pytest.approx((0.1342, -0.1789, -0.0447, 0.0894), abs=5e-5)
    for text in ("0.134 -0.179 -0.0447 0.0894", "(0.3, -0.4, -0.1, 0.2)/sqrt(5)"):
        assert grade(variant, text).outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("(1, 0, 0, 0)/sqrt(5)", "fixed_affine"),
        ("(0.55, -0.15, 0.15, 0.45)/sqrt(5)", "mean_not_removed"),
        ("(0.75, -0.25, -0.25, -0.25)/sqrt(5)", "xhat_part_not_removed"),
        ("0.3 -0.4 -0.1 0.2", "sigma_missing"),
        ("(-1.8, -1.6, -0.4, 0.8)/sqrt(5)", "sums_for_means"),
        ("(33, -29, -11, 7)/80/sqrt(20/3)", "unbiased_variance"),
        ("0.06 -0.08 -0.02 0.04", "divided_by_variance"),
    ],
)
def test_slips_are_named(typed: str, belief: str) -> None:
    """On the worked batch ⟨g⟩ = 1/4 and x̂⟨g x̂⟩ = (0.45, 0.15, −0.15, −0.45)."""
    verdict = grade(solved(x="0,2,4,6", upstream="1,0,0,0", eps="0"), typed)
    assert verdict.outcome is Outcome.WRONG
    assert [slip.id for slip in verdict.misconceptions] == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [("1/6 -1/9 -1/18 0", "gamma_missing"), ("(-0.6, 0.8, 0.2, -0.4)/sqrt(5)", "eps_ignored")],
)
def test_slips_with_scale_and_visible_eps_are_named(typed: str, belief: str) -> None:
    """With ε = 4 the divisor is 3 and x̂⟨ȳ x̂⟩ = (1/4, 1/12, −1/12, −1/4); γ = −2 multiplies all."""
    variant = solved(x="0,2,4,6", upstream="1,0,0,0", gamma="-2", eps="4")
    assert variant.answer == pytest.approx((-1 / 3, 2 / 9, 1 / 9, 0), abs=1e-12)
    assert [slip.id for slip in grade(variant, typed).misconceptions] == [belief]


@pytest.mark.parametrize(
    "given",
    [
        {"x": "0,2,4,6", "upstream": "1,1,1,1", "gamma": "2"},
        {"x": "1,2,4", "upstream": "1,1,1"},
        {"x": "0,2,4,6", "upstream": "-3,-1,1,3"},
        {"x": "1,7", "upstream": "5,-2", "eps": "0"},
    ],
)
def test_what_only_shifts_or_stretches_sends_nothing_back(given: dict[str, str]) -> None:
    """A ȳ along 1 or along x̂, or any at all for two values, leaves 0: no rounding is asked for."""
    variant = solved(**given)
    assert set(variant.answer) == {0.0}
    assert grade(variant, " ".join("0" for _ in variant.answer)).outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("given", "name", "message"),
    [
        ({"x": "0,2,4,6", "upstream": "1,0,0"}, "upstream", "3 entries"),
        ({"x": "0,2,4,6"}, "upstream", "no default"),
        ({"x": "3,3,3", "upstream": "1,0,0", "eps": "0"}, "x", "0/0"),
        ({"x": "3", "upstream": "1"}, "x", "at least two"),
        ({"x": "0,2", "upstream": "1,0", "eps": "-1"}, "eps", "0 to"),
    ],
)
def test_what_has_no_gradient_is_refused(given: dict[str, str], name: str, message: str) -> None:
    """The refusal names the parameter and what is wrong with it."""
    with pytest.raises(Refused, match=message) as refused:
        from_values(family(), 1, given)
    assert refused.value.name == name
