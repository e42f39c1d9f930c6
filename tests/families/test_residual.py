"""`residual.jacobian` and `residual.product`: values by hand, named slips and what is refused."""

from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant, from_values


def family(name: str) -> Family[Any]:
    """Return a family under test."""
    found = load_family(f"residual.{name}")
    assert isinstance(found, Family), found
    return found


def solved(name: str, **given: str) -> Variant:
    """Return the verified variant of these values, at level 2."""
    return verified_values(family(name), 2, given, torch)


def stack(plus_count: int, plus: float, minus_count: int, minus: float) -> dict[str, str]:
    """Return the parameters of `residual.product` as a learner gives them."""
    return {
        "plus_count": str(plus_count),
        "plus": str(plus),
        "minus_count": str(minus_count),
        "minus": str(minus),
    }


# -- residual.jacobian -------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["1 0.1; -0.1 1", "[[1, 0.1], [-0.1, 1]]", "1 1/10; -1/10 1"])
def test_the_identity_is_added(text: str) -> None:
    """The branch (0, 0.1; −0.1, 0) makes the block (1, 0.1; −0.1, 1)."""
    variant = solved("jacobian", a="0,0.1;-0.1,0")
    assert variant.answer == ((1.0, 0.1), (-0.1, 1.0))
    assert grade(variant, text).outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("0.2 0.3; -0.1 0.4", "identity_forgotten"),
        ("0.8 -0.3; 0.1 0.6", "identity_minus"),
        ("1.2 1.3; 0.9 1.4", "ones_added"),
        ("1.2 -0.1; 0.3 1.4", "transposed"),
    ],
)
def test_slips_of_the_jacobian_are_named(typed: str, belief: str) -> None:
    """The branch (0.2, 0.3; −0.1, 0.4) tells all four slips apart."""
    verdict = grade(solved("jacobian", a="0.2,0.3;-0.1,0.4"), typed)
    assert verdict.outcome is Outcome.WRONG
    assert [slip.id for slip in verdict.misconceptions] == [belief]


def test_a_symmetric_branch_hides_a_transposition() -> None:
    """Where A equals its transpose, transposing is no slip that could be named."""
    slips = {slip.id: slip for slip in solved("jacobian", a="0.2,0.3;0.3,0.4").misconceptions}
    assert not slips["transposed"].distinguishable
    assert slips["identity_forgotten"].distinguishable


@pytest.mark.parametrize("a", ["0,0.1", "0,0.1,0.2;0.3,0.4,0.5", "0,0.1;0.2", "x"])
def test_what_is_no_square_matrix_is_refused(a: str) -> None:
    """A list, a matrix of another shape, a ragged one and a word name the parameter."""
    with pytest.raises(Refused) as refused:
        from_values(family("jacobian"), 1, {"a": a})
    assert refused.value.name == "a"


# -- residual.product --------------------------------------------------------------------------------
@pytest.mark.parametrize("minus", [0.1, -0.1])
def test_fifty_blocks_keep_the_gradient(minus: float) -> None:
    """25 branches of +0.1 and 25 of −0.1 give 0.99^25 ≈ 0.7778, however the minus is given."""
    variant = solved("product", **stack(25, 0.1, 25, minus))
    assert variant.answer == pytest.approx(0.777821, abs=1e-6)
    for text in ("0.778", "0.7778", "0.99^25", "1.1^25*0.9^25"):
        assert grade(variant, text).outcome is Outcome.CORRECT
    assert "$F_k' = -0.1$" in variant.prompt


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("-1e-50", "plain_product"),
        ("0.1^25*(-0.1)^25", "plain_product"),
        ("1.1^50", "all_plus"),
        ("1", "signs_cancel"),
    ],
)
def test_slips_over_fifty_blocks_are_named(typed: str, belief: str) -> None:
    """25 branches of +0.1 and 25 of −0.1: the plain product is −1e-50, and the sum is the cancelled 1."""
    verdict = grade(solved("product", **stack(25, 0.1, 25, 0.1)), typed)
    assert verdict.outcome is Outcome.WRONG
    assert [slip.id for slip in verdict.misconceptions] == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [("0.005", "plain_product"), ("4.86", "all_plus"), ("1.5", "signs_cancel"), ("2.1", "first_order_sum")],
)
def test_slips_over_unequal_blocks_are_named(typed: str, belief: str) -> None:
    """Three branches of 0.5 and two of −0.2 give 3.375 · 0.64 = 2.16; the sum 1 + 1.5 − 0.4 is near."""
    variant = solved("product", **stack(3, 0.5, 2, 0.2))
    assert variant.answer == pytest.approx(2.16, abs=1e-12)
    assert [slip.id for slip in grade(variant, typed).misconceptions] == [belief]


def test_a_branch_that_cancels_its_skip_passes_nothing() -> None:
    """A branch derivative of −1 makes the factor 0, and a stack with it lets no gradient through."""
    assert solved("product", **stack(3, 0.1, 1, 1.0)).answer == 0.0


def test_a_thousand_pairs_are_within_range() -> None:
    """0.99^1000 is e to the power −10.05034, which is 4.3171e-5."""
    assert solved("product", **stack(1000, 0.1, 1000, 0.1)).answer == pytest.approx(4.3171e-5, rel=1e-4)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (stack(2001, 0.1, 3, 0.1), "plus_count"),
        (stack(3, 0.1, 2001, 0.1), "minus_count"),
        (stack(2000, 1.0, 0, 0.1), "plus_count"),
        (stack(0, 0.1, 2000, 0.9), "minus_count"),
        (stack(3, -0.1, 3, 0.1), "plus"),
        ({"plus_count": "2.5", "plus": "0.1", "minus_count": "1", "minus": "0.1"}, "plus_count"),
        ({"plus_count": "2"}, "plus"),
    ],
)
def test_stacks_out_of_range_are_refused(given: dict[str, str], name: str) -> None:
    """Too many blocks, products beyond float64, a wrong sign and a broken count name a parameter."""
    with pytest.raises(Refused) as refused:
        from_values(family("product"), 1, given)
    assert refused.value.name == name
