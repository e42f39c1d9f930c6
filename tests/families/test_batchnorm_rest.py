"""`batchnorm.*` beyond entry and vector: values computed by hand, named slips and what is refused."""

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
    family: Any = load_family(f"batchnorm.{name}")
    assert isinstance(family, Family), family
    return verified_values(family, 3, given, torch)


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


def test_variance_five_and_eps_four_make_the_divisor_three() -> None:
    """With μ = 3, σ² = 5 and ε = 4 the value 1.5 is half a divisor below the mean: −1.5/√9."""
    variant = solved("eps", mu="3", var="5", eps="4", query="1.5")
    assert variant.answer == pytest.approx(-0.5, rel=1e-12)
    assert grade(variant, "-1/2").outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("-3/sqrt(5)", "eps_ignored"),
        ("-3/(sqrt(5) + 4)", "eps_outside_root"),
        ("-3/sqrt(21)", "eps_squared"),
        ("-1/3", "divided_by_variance"),
    ],
)
def test_slips_about_eps_are_named(typed: str, belief: str) -> None:
    """The value 0 has the deviation −3, which √(5 + 4) turns into −1."""
    assert named(solved("eps", mu="3", var="5", eps="4", query="0"), typed) == [belief]


@pytest.mark.parametrize(("factor", "output"), [("3", (0, 2, 4, 6)), ("-0.5", (6, 4, 2, 0))])
def test_only_the_sign_of_the_factor_reaches_the_output(factor: str, output: tuple[int, ...]) -> None:
    """The output 0, 2, 4, 6 has the mean β = 3; a negative factor mirrors it at 3."""
    variant = solved("invariance_value", y="0,2,4,6", factor=factor, shift="7")
    assert variant.answer == pytest.approx(output, abs=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("7 3 -1 -5", "batch_change_passes_on"),
        ("0 -4 -8 -12", "factor_passes_on"),
        ("7 9 11 13", "shift_passes_on"),
        ("0 2 4 6", "sign_flipped"),
        ("0 -2 -4 -6", "shift_flipped_too"),
    ],
)
def test_slips_about_the_invariance_are_named(typed: str, belief: str) -> None:
    """The batch of the output 0, 2, 4, 6 is replaced by −2x + 7: right is 6, 4, 2, 0."""
    variant = solved("invariance_value", y="0,2,4,6", factor="-2", shift="7")
    assert named(variant, typed) == [belief]


IMAGES = {"x": "1,3,10,20,5,7,30,40", "shape": "2,2,1,2", "index": "2,1,1,1", "eps": "0"}


def test_a_channel_of_two_images_is_one_group() -> None:
    """Channel 1 holds 1, 3 in one image and 5, 7 in the other: mean 4, variance 5, so 5 becomes 1/√5."""
    variant = solved("image_entry", **IMAGES)
    assert variant.answer == pytest.approx(1 / sqrt(5), rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("-1", "examples_apart"),
        ("1", "positions_forgotten"),
        ("-9.5/sqrt(175.25)", "channels_averaged_too"),
        ("-15.5/sqrt(223.25)", "layer_norm_instead"),
        ("1/sqrt(20/3)", "unbiased_variance"),
    ],
)
def test_slips_about_the_group_are_named(typed: str, belief: str) -> None:
    """The 5 is below 7 in its picture and above 1 at its position; all eight have mean 14.5."""
    assert named(solved("image_entry", **IMAGES), typed) == [belief]


def test_an_ignored_eps_is_named_for_images() -> None:
    """With ε = 4 the divisor is 3, and the 5 becomes 1/3."""
    variant = solved("image_entry", **{**IMAGES, "eps": "4"})
    assert variant.answer == pytest.approx(1 / 3, rel=1e-12)
    assert named(variant, "1/sqrt(5)") == ["eps_ignored"]


def test_standard_deviation_and_mean_undo_the_layer() -> None:
    """The batch 2, 4, 6, 8 has mean 5 and variance 5; with ε = 4 the divisor was 3."""
    assert solved("undo", x="2,4,6,8", eps="4").answer == pytest.approx((3, 5), rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("1/3 -5", "normalizing_instead"),
        ("9 5", "variance_for_std"),
        ("3 -5/3", "shift_divided_by_std"),
        ("5 3", "gamma_beta_swapped"),
        ("sqrt(32/3) 5", "unbiased_variance"),
        ("1 0", "fresh_affine"),
        ("sqrt(5) 5", "eps_ignored"),
    ],
)
def test_slips_about_undoing_are_named(typed: str, belief: str) -> None:
    """Right are γ = 3 and β = 5."""
    assert named(solved("undo", x="2,4,6,8", eps="4"), typed) == [belief]


BIAS = {"delta": "2", "momentum": "0.1", "gamma": "1.5", "running_var": "5", "eps": "4"}


@pytest.mark.parametrize(
    ("steps", "answer"), [("1", (0, 0.2, 0.9)), ("2", (0, 0.38, 0.81)), ("3", (0, 0.542, 0.729))]
)
def test_a_larger_bias_vanishes_in_training_and_fades_in_eval(steps: str, answer: tuple[float, ...]) -> None:
    """A pass closes a tenth of the gap of 2; what is left is multiplied by 1.5 and divided by √9."""
    assert solved("redundant_bias", **BIAS, steps=steps).answer == pytest.approx(answer, rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("1 0.2 0.9", "bias_survives_training"),
        ("2 0.2 0.9", "bias_passes_unscaled"),
        ("0 2 0", "replaced"),
        ("0 0.2 1", "start_stats"),
        ("0 0.2 0", "eval_unchanged_too"),
        ("0 1.8 0.1", "keras_momentum"),
        ("0 0.2 0.6", "gamma_missing"),
        ("0 0.2 0.3", "divided_by_variance"),
        ("0, 0.2, 2.7/sqrt(5)", "eps_ignored"),
    ],
)
def test_slips_about_the_bias_are_named(typed: str, belief: str) -> None:
    """After one pass right are 0, 0.2 and 1.5·1.8/3 = 0.9."""
    assert named(solved("redundant_bias", **BIAS), typed) == [belief]


def test_equal_moves_at_every_pass_are_named() -> None:
    """Two passes move the running mean by 0.38, not by 2·0.2."""
    assert named(solved("redundant_bias", **BIAS, steps="2"), "0 0.4 0.8") == ["linear_growth"]


COUPLED = {"x": "0,2,4,0", "changed": "4", "delta": "6", "index": "1", "eps": "0"}


def test_a_changed_neighbour_changes_the_output() -> None:
    """The 0 at the end becomes 6: the first entry of 0, 2, 4, 6 comes out as −3/√5."""
    assert solved("coupling", **COUPLED).answer == pytest.approx(-3 / sqrt(5), rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("-1.5/sqrt(2.75)", "others_ignored"),
        ("-3/sqrt(2.75)", "std_not_updated"),
        ("-1.5/sqrt(5)", "mean_not_updated"),
        ("-3/sqrt(20/3)", "unbiased_variance"),
    ],
)
def test_slips_about_the_neighbours_are_named(typed: str, belief: str) -> None:
    """The old batch 0, 2, 4, 0 has mean 1.5 and variance 2.75, the new one 3 and 5."""
    assert named(solved("coupling", **COUPLED), typed) == [belief]


@pytest.mark.parametrize(("typed", "belief"), [("-1", "affine_dropped"), ("1 + 6/sqrt(5)", "eps_ignored")])
def test_scale_shift_and_eps_act_on_the_changed_batch(typed: str, belief: str) -> None:
    """With γ = −2, β = 1 and ε = 4 the first entry comes out as −2·(−1) + 1 = 3."""
    variant = solved("coupling", **{**COUPLED, "eps": "4"}, gamma="-2", beta="1")
    assert variant.answer == pytest.approx(3, rel=1e-12)
    assert named(variant, typed) == [belief]


LAYER = {"mu": "3", "var": "5", "eps": "4", "gamma": "0.5", "beta": "1", "y": "2"}


def test_an_output_leads_back_to_its_input() -> None:
    """The output 2 is (2 − 1)/0.5 = 2 divisors of 3 above the mean 3."""
    assert solved("invert", **LAYER).answer == pytest.approx(9, rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("15", "shift_not_removed"),
        ("4.5", "multiplied_by_gamma"),
        ("21", "variance_for_std"),
        ("6", "mean_not_restored"),
        ("12", "shift_removed_last"),
        ("5/6", "forward_instead"),
        ("3 + 2*sqrt(5)", "eps_ignored"),
    ],
)
def test_slips_about_the_way_back_are_named(typed: str, belief: str) -> None:
    """From the output 2 the right way leads to 9."""
    assert named(solved("invert", **LAYER), typed) == [belief]


@pytest.mark.parametrize(
    ("family", "given", "name"),
    [
        ("eps", {"var": "0", "query": "1"}, "var"),
        ("eps", {"var": "1", "query": "1", "eps": "-1"}, "eps"),
        ("eps", {"var": "1"}, "query"),
        ("invariance_value", {"y": "1,2,3", "factor": "0"}, "factor"),
        ("invariance_value", {"y": "1e100,2", "factor": "1e100"}, "factor"),
        ("invariance_value", {"y": "2,2,2"}, "y"),
        ("invariance_value", {"y": "2"}, "y"),
        ("image_entry", {**IMAGES, "shape": "2,2,2,2"}, "shape"),
        ("image_entry", {**IMAGES, "shape": "2,2,2"}, "shape"),
        ("image_entry", {**IMAGES, "shape": "1,8,1,1", "index": "1,1,1,1"}, "shape"),
        ("image_entry", {**IMAGES, "index": "2,1,1,3"}, "index"),
        ("image_entry", {**IMAGES, "x": "1,1,10,20,1,1,30,40"}, "x"),
        ("undo", {"x": "2,2", "eps": "1"}, "x"),
        ("undo", {"x": "2"}, "x"),
        ("redundant_bias", {"delta": "0"}, "delta"),
        ("redundant_bias", {"delta": "1", "momentum": "1.5"}, "momentum"),
        ("redundant_bias", {"delta": "1", "running_var": "0"}, "running_var"),
        ("redundant_bias", {"delta": "1", "steps": "0"}, "steps"),
        ("redundant_bias", {"delta": "1e150", "gamma": "1e150", "running_var": "1e-99", "eps": "0"}, "gamma"),
        ("coupling", {**COUPLED, "index": "4"}, "index"),
        ("coupling", {**COUPLED, "changed": "5"}, "changed"),
        ("coupling", {"x": "2,2,3", "changed": "3", "delta": "-1", "index": "1", "eps": "0"}, "delta"),
        ("invert", {"y": "1", "var": "1", "gamma": "0"}, "gamma"),
        ("invert", {"y": "1", "var": "0"}, "var"),
        ("invert", {"y": "1e150", "var": "1e100", "gamma": "1e-150"}, "gamma"),
    ],
)
def test_values_outside_the_domain_are_refused(family: str, given: dict[str, str], name: str) -> None:
    """The refusal names the parameter at fault."""
    with pytest.raises(Refused) as refused:
        solved(family, **given)
    assert refused.value.name == name
