"""`running_stats.*` over many steps: values computed by hand, named slips and what is refused."""

from math import sqrt
from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant


def solved(name: str, **given: str) -> Variant:
    """Return the verified variant of these values, of level 3 or the nearest one."""
    family: Any = load_family(f"running_stats.{name}")
    assert isinstance(family, Family), family
    return verified_values(family, 3, given, torch)


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


def test_a_fresh_layer_after_two_batches() -> None:
    """After 0, 2, 4, 6 and 2, 4, 6, 8: 0.9·0.3 + 0.1·5 and 0.9·47/30 + 0.1·20/3."""
    variant = solved("several_batches", means="3,5", variances="5,5")
    assert variant.answer == pytest.approx((0.77, 0.9 * 47 / 30 + 2 / 3), rel=1e-12)


TWO = {"means": "3,5", "variances": "3,6"}


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("1.4 2.72", "order_reversed"),
        ("4 6", "plain_average"),
        ("5 8", "replaced"),
        ("1.48 2.32", "biased_running_variance"),
        ("4.48 7.08", "keras_momentum"),
        ("0.8 2", "averaged_first"),
        ("1.48 2.24", "start_forgotten"),
    ],
)
def test_slips_over_several_batches_are_named(typed: str, belief: str) -> None:
    """Unbiased variances 4 and 8, m = 0.2, start 0 and 1: right are 1.48 and 2.88."""
    variant = solved("several_batches", **TWO, momentum="0.2")
    assert grade(variant, "1.48 2.88").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


def test_an_odd_batch_size_is_fine() -> None:
    """The batch 2, 4, 9 has mean 5 and biased variance 26/3; a fresh layer then holds 0.5 and 2.2."""
    variant = solved("several_batches", means="5", variances="26/3", batch_size="3")
    assert variant.answer == pytest.approx((0.5, 2.2), rel=1e-12)


def test_without_momentum_all_batches_weigh_the_same() -> None:
    """Means 3 and 5, unbiased variances 4 and 8: 4 and 6, whatever the layer held before."""
    variant = solved("cumulative", **TWO, running_mean="100", running_var="7")
    assert variant.answer == pytest.approx((4, 6), rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("1.58 1.97", "default_momentum"),
        ("3 13/3", "start_counted"),
        ("4 4.5", "biased_running_variance"),
        ("5 8", "replaced"),
        ("4 44/7", "pooled_variance"),
    ],
)
def test_slips_about_the_cumulative_average_are_named(typed: str, belief: str) -> None:
    """Start 1 and 1, right are 4 and 6; the eight values together have the variance 44/7."""
    assert named(solved("cumulative", **TWO, running_mean="1"), typed) == [belief]


def test_weighing_by_size_is_named() -> None:
    """Four values and two, unbiased variances 4 and 8: right are 4 and 6, not 11/3 and 16/3."""
    variant = solved("cumulative", means="3,5", variances="3,4", sizes="4,2", running_mean="1")
    assert variant.answer == pytest.approx((4, 6), rel=1e-12)
    assert named(variant, "11/3 16/3") == ["weighted_by_size"]


def test_the_gap_of_a_fresh_layer() -> None:
    """After one step on 0, 2, 4, 6 eval mode gives 5.7/√(47/30) for the 6, training mode gave 3/√5."""
    variant = solved("gap", x="0,2,4,6", index="4", eps="0")
    assert variant.answer == pytest.approx(5.7 / sqrt(47 / 30) - 3 / sqrt(5), rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("0", "batch_stats_in_eval"),
        ("3/sqrt(5) - 5.25/sqrt(29/12)", "difference_reversed"),
        ("6 - 3/sqrt(5)", "start_stats"),
        ("3.75/sqrt(5.25) - 3/sqrt(5)", "keras_momentum"),
        ("5.25/sqrt(2) - 3/sqrt(5)", "biased_running_variance"),
        ("5.25/sqrt(29/12)", "eval_output_alone"),
    ],
)
def test_slips_about_the_gap_are_named(typed: str, belief: str) -> None:
    """With m = ¼ the fresh layer holds 0.75 and 29/12; Keras's momentum would make that 2.25 and 5.25."""
    variant = solved("gap", x="0,2,4,6", index="4", eps="0", momentum="0.25")
    assert variant.answer == pytest.approx(5.25 / sqrt(29 / 12) - 3 / sqrt(5), rel=1e-12)
    assert named(variant, typed) == [belief]


def test_an_ignored_eps_in_the_gap_is_named() -> None:
    """With ε = 4 the training output of the 6 is 3/√9."""
    variant = solved("gap", x="0,2,4,6", index="4", eps="4")
    assert variant.answer == pytest.approx(5.7 / sqrt(47 / 30 + 4) - 1, rel=1e-12)
    assert named(variant, "5.7/sqrt(47/30) - 3/sqrt(5)") == ["eps_ignored"]


def test_no_gap_is_exactly_zero() -> None:
    """With m = 1 the mean entry comes out as 0 in both modes, without a rounding error."""
    assert solved("gap", x="0.1,0.2,0.3", index="2", momentum="1").answer == 0


@pytest.mark.parametrize(
    ("convention", "momentum", "other"),
    [("keras", "0.99", 0.01), ("keras", "0.997", 0.003), ("pytorch", "0.1", 0.9)],
)
def test_the_two_momenta_add_up_to_one(convention: str, momentum: str, other: float) -> None:
    """Keras's default 0.99 is PyTorch's 0.01; PyTorch's default 0.1 is Keras's 0.9."""
    variant = solved("momentum_convert", convention=convention, momentum=momentum)
    assert variant.answer == pytest.approx(other, rel=1e-9)


@pytest.mark.parametrize(
    ("typed", "belief"), [("0.99", "same_number"), ("100", "reciprocal"), ("0.1", "root_taken")]
)
def test_slips_about_the_conversion_are_named(typed: str, belief: str) -> None:
    """Keras's 0.99 leaves 0.01 to the new batch."""
    assert named(solved("momentum_convert", convention="keras", momentum="0.99"), typed) == [belief]


@pytest.mark.parametrize(("steps", "left"), [("0", 1), ("10", 0.3486784401), ("50", 0.00515377520732)])
def test_the_start_fades_geometrically(steps: str, left: float) -> None:
    """0.9¹⁰ is about 35 % and 0.9⁵⁰ about 0.5 %."""
    assert solved("memory", steps=steps).answer == pytest.approx(left, rel=1e-9)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("1/64", "keras_momentum"),
        ("63/64", "keras_new_share"),
        ("37/64", "new_share"),
        ("0.75", "linear_growth"),
        ("0.25", "linear_fading"),
        ("0.5625", "one_step_short"),
        ("81/256", "one_step_too_many"),
    ],
)
def test_slips_about_the_weight_of_the_start_are_named(typed: str, belief: str) -> None:
    """With m = ¼ three steps leave 27/64."""
    variant = solved("memory", momentum="0.25", steps="3")
    assert grade(variant, "27/64").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("momentum", "weight", "steps"), [("0.1", "0.5", 7), ("0.1", "0.01", 44), ("0.5", "0.2", 3)]
)
def test_steps_until_the_start_has_faded(momentum: str, weight: str, steps: int) -> None:
    """0.9⁷ = 0.478, 0.9⁴⁴ = 0.0097 (0.9⁴³ = 0.0108), and ½³ = 0.125 are the first below."""
    assert solved("memory_steps", momentum=momentum, weight=weight).answer == steps


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("11", "one_step_short"),
        ("13", "one_step_too_many"),
        ("8", "linear_fading"),
        ("1", "keras_momentum"),
        ("10", "window_length"),
    ],
)
def test_slips_about_the_number_of_steps_are_named(typed: str, belief: str) -> None:
    """0.9¹² = 0.282 is the first below 0.3; 1 − 0.1·8 would be below it, and so would 0.1."""
    assert named(solved("memory_steps", momentum="0.1", weight="0.3"), typed) == [belief]


@pytest.mark.parametrize(
    ("family", "given", "name"),
    [
        ("several_batches", {"means": "1,2", "variances": "1"}, "variances"),
        ("several_batches", {"means": "1,2", "variances": "1,-1"}, "variances"),
        ("several_batches", {"means": "1,2", "batch_size": "1"}, "batch_size"),
        ("several_batches", {"means": "1,2", "momentum": "2"}, "momentum"),
        ("cumulative", {"means": "1,2", "variances": "1,-1"}, "variances"),
        ("cumulative", {"means": "1,2", "sizes": "4,1"}, "sizes"),
        ("cumulative", {"means": "1,2", "sizes": "4,2.5"}, "sizes"),
        ("gap", {"x": "0,2", "index": "3"}, "index"),
        ("gap", {"x": "2,2", "eps": "0"}, "x"),
        ("gap", {"x": "0,2", "momentum": "0", "running_var": "0", "eps": "0"}, "running_var"),
        ("momentum_convert", {"momentum": "1.1"}, "momentum"),
        ("momentum_convert", {"convention": "jax"}, "convention"),
        ("memory", {"momentum": "-0.1"}, "momentum"),
        ("memory", {"steps": "1.5"}, "steps"),
        ("memory", {"momentum": "0.9", "steps": "400"}, "steps"),
        ("memory_steps", {"weight": "1"}, "weight"),
        ("memory_steps", {"weight": "0"}, "weight"),
        ("memory_steps", {"weight": "0.1", "momentum": "1"}, "momentum"),
        ("memory_steps", {"weight": "0.1", "momentum": "1e-9"}, "momentum"),
        ("memory_steps", {"weight": "0.25", "momentum": "0.5"}, "weight"),
    ],
)
def test_values_outside_the_domain_are_refused(family: str, given: dict[str, str], name: str) -> None:
    """The refusal names the parameter at fault."""
    with pytest.raises(Refused) as refused:
        solved(family, **given)
    assert refused.value.name == name
