"""`other_norms.rmsnorm`: values computed by hand, named slips and what is refused."""

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
    found = load_family("other_norms.rmsnorm")
    assert isinstance(found, Family), found
    return found


def solved(**given: str) -> Variant:
    """Return the verified variant of these values, at level 3."""
    return verified_values(family(), 3, given, torch)


def test_the_worked_token() -> None:
    """The token 0, 2, 4, 6 has the root mean square √14; γ is 1 and ε negligible unless told otherwise."""
    variant = solved(x="0,2,4,6")
    assert variant.answer == pytest.approx((0, 0.5345, 1.0690, 1.6036), abs=5e-5)
    assert grade(variant, "(0, 2, 4, 6)/sqrt(14)").outcome is Outcome.CORRECT


def test_every_feature_has_its_own_scale() -> None:
    """With r = 3, γ multiplies x/3 entry by entry."""
    variant = solved(x="1,3,-1,-5", gamma="2,-1,1,3", eps="0")
    assert grade(variant, "2/3 -1 -1/3 -5").outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("(3, 7, -1, -9)/sqrt(35)", "layer_norm_instead"),
        ("(1, 3, -1, -5)/6", "divided_by_norm"),
        ("0.167 0.5 -0.167 -0.833", "divided_by_norm"),
        ("(1, 3, -1, -5)/9", "divided_by_mean_square"),
        ("(2, 6, -2, -10)/sqrt(35)", "divided_by_std"),
        ("0.5 7/6 -1/6 -1.5", "centred"),
    ],
)
def test_slips_are_named(typed: str, belief: str) -> None:
    """The token 1, 3, −1, −5 has mean −1/2, mean square 9 and variance 35/4."""
    verdict = grade(solved(x="1,3,-1,-5", eps="0"), typed)
    assert verdict.outcome is Outcome.WRONG
    assert [slip.id for slip in verdict.misconceptions] == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [("(1, 3, -1, -5)/4", "affine_dropped"), ("2/3 -1 -1/3 -5", "eps_ignored")],
)
def test_slips_with_scale_and_visible_eps_are_named(typed: str, belief: str) -> None:
    """With mean square 9 and ε = 7 the divisor is 4; γ = (2, −1, 1, 3) follows."""
    variant = solved(x="1,3,-1,-5", gamma="2,-1,1,3", eps="7")
    assert variant.answer == pytest.approx((0.5, -0.75, -0.25, -3.75), abs=1e-12)
    assert [slip.id for slip in grade(variant, typed).misconceptions] == [belief]


def test_a_centred_token_tells_layernorm_from_nothing() -> None:
    """Where the mean is 0, RMSNorm and LayerNorm agree, so the confusion is not named."""
    slips = {slip.id: slip for slip in solved(x="-3,-1,1,3", eps="0").misconceptions}
    assert not slips["layer_norm_instead"].distinguishable


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"x": "0,0,0", "eps": "0"}, "x"),
        ({"x": "1,2,3", "gamma": "1,2"}, "gamma"),
        ({"x": "1,2,3", "eps": "-1"}, "eps"),
        ({"gamma": "1,2"}, "x"),
    ],
)
def test_what_has_no_output_is_refused(given: dict[str, str], name: str) -> None:
    """0/0, a γ of another length, a negative ε and a missing token each name their parameter."""
    with pytest.raises(Refused) as refused:
        from_values(family(), 1, given)
    assert refused.value.name == name


def test_a_zero_token_with_eps_is_zero() -> None:
    """With ε > 0 a token of zeros is no 0/0: it stays zero."""
    assert solved(x="0,0,0", eps="1").answer == (0, 0, 0)
