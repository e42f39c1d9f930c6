"""`scale_invariance.*`: values computed by hand, named slips and what is refused."""

from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant

DECAY = {"rate": "0.5", "decay": "0.4", "unit_grad": "4.8"}
"""ηλ = 0.2, so decay keeps 0.64 of ‖W‖², and ‖W‖² = 0.5·4.8/√0.36 = 4."""


def solved(name: str, **given: str) -> Variant:
    """Return the verified variant of these values, of level 3 or the nearest one."""
    family: Any = load_family(f"scale_invariance.{name}")
    assert isinstance(family, Family), family
    return verified_values(family, 3, given, torch)


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("gradient_scale", {"factor": "3", "grad_norm": "1"}, 1 / 3),
        ("gradient_scale", {"factor": "0.25", "grad_norm": "2"}, 8.0),
        ("orthogonality", {"weights": "1,2,3", "known": "3,3", "index": "3"}, -3.0),
        ("orthogonality", {"weights": "4,-2", "known": "6", "index": "1"}, 3.0),
        ("step_norm", {"weight_norm": "4", "grad_norm": "6", "rate": "0.5"}, 5.0),
        ("norm_over_steps", {"weight_norm": "1", "unit_grad": "2", "rate": "0.5", "steps": "3"}, 2.9**0.5),
        ("effective_rate", {"before": "5", "after": "10"}, 0.25),
        ("effective_rate", {"before": "5", "after": "10", "asked": "new rate"}, 4.0),
        ("decay_equilibrium", DECAY, 2.0),
        ("decay_equilibrium", {**DECAY, "quantity": "effective rate"}, 0.125),
    ],
)
def test_values_found_by_hand(name: str, given: dict[str, str], value: float) -> None:
    """A third at 3W; ⟨g, W⟩ = 0; the triangle 3, 4, 5; ‖W‖² = 1, 2, 2.5, 2.9; (1/2)²; a balance at 2."""
    assert solved(name, **given).answer == pytest.approx(value, rel=1e-9)


def test_products_that_cancel_leave_an_exact_zero() -> None:
    """0.3·1 − 0.1·3 is 0 and not rounding noise, so “0” is right."""
    variant = solved("orthogonality", weights="0.3,0.1,2", known="1,-3", index="3")
    assert variant.answer == 0.0
    assert grade(variant, "0").outcome is Outcome.CORRECT


def test_growth_over_many_steps_follows_the_fourth_power() -> None:
    """For small steps ‖W‖⁴ grows by 2η²G² a step: 20 steps of ηG = 0.1 lead from 1 to near 1.4^(1/4)."""
    variant = solved("norm_over_steps", weight_norm="1", unit_grad="1", rate="0.1", steps="20")
    assert variant.answer == pytest.approx(1.4**0.25, rel=1e-3)


def test_a_long_training_run_ends_at_the_balance() -> None:
    """20 000 steps of SGD with decay on the polar angle of two weights end where the family says."""
    rate, decay, grad = 0.1, 0.01, 2.0
    x, y = 1.0, 0.0
    for _ in range(20_000):
        square = x * x + y * y
        x, y = (
            x - rate * (decay * x - grad * y / square),
            y - rate * (decay * y + grad * x / square),
        )
    variant = solved("decay_equilibrium", rate="0.1", decay="0.01", unit_grad="2")
    assert variant.answer == pytest.approx((x * x + y * y) ** 0.5, rel=1e-6)


def test_the_formula_for_small_steps_is_accepted() -> None:
    """The first-order balance (ηG²/2λ)^(1/4) = 20^(1/4) is within the 0.6 % that the prompt grants."""
    variant = solved("decay_equilibrium", rate="0.1", decay="0.01", unit_grad="2")
    for text in ("sqrt(sqrt(20))", "2.115", "2.11", "2.12"):
        assert grade(variant, text).outcome is Outcome.CORRECT
    for text in ("2.13", "2.09"):
        assert grade(variant, text).outcome is Outcome.WRONG


@pytest.mark.parametrize(
    ("typed", "belief"),
    [("6", "gradient_unchanged"), ("18", "gradient_scaled_along"), ("2/3", "gradient_by_square")],
)
def test_slips_about_the_scaled_gradient_are_named(typed: str, belief: str) -> None:
    """At 3W a gradient of norm 6 has become one of norm 2."""
    assert named(solved("gradient_scale", factor="3", grad_norm="6"), typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("10", "sign_flipped"),
        ("sqrt(13)", "equal_norms"),
        ("-20", "weight_not_divided"),
        ("-4", "entries_sum_to_zero"),
    ],
)
def test_slips_about_the_right_angle_are_named(typed: str, belief: str) -> None:
    """W = (5, 2) and g = (4, ?): 20 + 2g = 0, so −10 is right."""
    variant = solved("orthogonality", weights="5,2", known="4", index="2")
    assert grade(variant, "-10").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("7", "norms_added"),
        ("1", "norms_subtracted"),
        ("4", "norm_unchanged"),
        ("sqrt(34)", "rate_not_squared"),
        ("sqrt(7)", "squares_subtracted"),
    ],
)
def test_slips_about_one_step_are_named(typed: str, belief: str) -> None:
    """A step of length 0.5·6 = 3 across weights of length 4."""
    assert named(solved("step_norm", weight_norm="4", grad_norm="6", rate="0.5"), typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("sqrt(12)", "gradient_held"),
        ("6", "gradient_not_shrunk"),
        ("2*sqrt(8) - 2", "same_growth_each_step"),
        ("5", "norms_added"),
        ("10", "norm_squared"),
    ],
)
def test_slips_about_several_steps_are_named(typed: str, belief: str) -> None:
    """‖W‖² goes 4, 8, 10 where η = 1 and G = 4, so √10 is right after two steps."""
    variant = solved("norm_over_steps", weight_norm="2", unit_grad="4", rate="1", steps="2")
    assert grade(variant, "sqrt(10)").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("asked", "typed", "belief"),
    [
        ("effective rate", "1/2", "one_power"),
        ("effective rate", "1", "rate_unchanged"),
        ("effective rate", "4", "inverted"),
        ("effective rate", "2", "inverted_one_power"),
        ("new rate", "2", "one_power"),
        ("new rate", "0.25", "inverted"),
    ],
)
def test_slips_about_the_effective_rate_are_named(asked: str, typed: str, belief: str) -> None:
    """Weights of twice the length turn at a quarter of the rate."""
    assert named(solved("effective_rate", before="5", after="10", asked=asked), typed) == [belief]


@pytest.mark.parametrize(
    ("quantity", "typed", "belief"),
    [
        ("norm", "4", "gradient_not_shrunk"),
        ("norm", "sqrt(2.4/sqrt(0.2))", "factor_two_missing"),
        ("norm", "sqrt(2.4)", "decay_missing"),
        ("norm", "sqrt(2.4/sqrt(0.8))", "decay_without_rate"),
        ("effective rate", "0.25", "one_power"),
        ("effective rate", "0.5/16", "gradient_not_shrunk"),
    ],
)
def test_slips_about_the_balance_are_named(quantity: str, typed: str, belief: str) -> None:
    """The balance is at ‖W‖ = 2 and at the effective rate 0.5/4."""
    assert named(solved("decay_equilibrium", **DECAY, quantity=quantity), typed) == [belief]


@pytest.mark.parametrize(
    ("family", "given", "name"),
    [
        ("gradient_scale", {"factor": "-2", "grad_norm": "1"}, "factor"),
        ("gradient_scale", {"factor": "0", "grad_norm": "1"}, "factor"),
        ("gradient_scale", {"factor": "2"}, "grad_norm"),
        ("orthogonality", {"weights": "5", "known": "4", "index": "1"}, "weights"),
        ("orthogonality", {"weights": "5,2", "known": "4,1", "index": "1"}, "known"),
        ("orthogonality", {"weights": "5,2", "known": "4", "index": "3"}, "index"),
        ("orthogonality", {"weights": "0,2", "known": "4", "index": "1"}, "weights"),
        ("orthogonality", {"weights": "1e-150,1e150", "known": "1e150", "index": "1"}, "known"),
        ("step_norm", {"weight_norm": "0", "grad_norm": "1", "rate": "1"}, "weight_norm"),
        ("step_norm", {"weight_norm": "1", "grad_norm": "1", "rate": "-0.1"}, "rate"),
        ("norm_over_steps", {"weight_norm": "1", "unit_grad": "1", "rate": "1", "steps": "21"}, "steps"),
        ("norm_over_steps", {"weight_norm": "1", "unit_grad": "1", "rate": "1", "steps": "0"}, "steps"),
        ("effective_rate", {"before": "5", "after": "0"}, "after"),
        ("effective_rate", {"before": "5", "after": "10", "asked": "rate"}, "asked"),
        ("decay_equilibrium", {"rate": "0.1", "decay": "1e-6", "unit_grad": "1"}, "decay"),
        ("decay_equilibrium", {"rate": "2", "decay": "0.6", "unit_grad": "1"}, "decay"),
    ],
)
def test_values_outside_the_domain_are_refused(family: str, given: dict[str, str], name: str) -> None:
    """The refusal names the parameter at fault."""
    with pytest.raises(Refused) as refused:
        solved(family, **given)
    assert refused.value.name == name
