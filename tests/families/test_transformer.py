"""`transformer.*`: values computed by hand or published, named slips and what is refused."""

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
    family: Any = load_family(f"transformer.{name}")
    assert isinstance(family, Family), family
    return verified_values(family, 3, given, torch)


def right(variant: Variant, typed: str) -> bool:
    """Tell whether a typed answer is right."""
    return grade(variant, typed).outcome is Outcome.CORRECT


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


def test_a_zeroed_post_ln_block_normalizes_twice() -> None:
    """0, 2, 4, 6 has σ² = 5; with ε = 4 the first norm divides by 3, the second by √(5/9 + 4) = √41/3."""
    variant = solved("block_zeroed", x="0,2,4,6", eps="4", placement="post")
    assert variant.answer == pytest.approx([value / sqrt(41) for value in (-3, -1, 1, 3)], rel=1e-12)
    assert right(variant, "(-3,-1,1,3)/sqrt(41)")
    assert named(variant, "-1 -1/3 1/3 1") == ["one_norm_only"]
    assert named(variant, "0 2 4 6") == ["other_placement"]
    assert named(variant, "0 0 0 0") == ["skip_forgotten"]
    assert named(variant, "(-3,-1,1,3)/sqrt(5)") == ["eps_ignored"]


def test_a_zeroed_pre_ln_block_is_the_identity() -> None:
    """Whatever the norms do, both branches add 0."""
    variant = solved("block_zeroed", x="0,2,4,6", eps="4", placement="pre")
    assert variant.answer == (0, 2, 4, 6)
    assert named(variant, "-1 -1/3 1/3 1") == ["one_norm_only"]
    assert named(variant, "(-3,-1,1,3)/sqrt(41)") == ["other_placement"]


def test_equal_features_with_eps_come_out_as_zeros() -> None:
    """LayerNorm of a constant token is 0 as long as ε is there."""
    assert solved("block_zeroed", x="3,3,3", eps="1", placement="post").answer == (0, 0, 0)


SWAP = "0,1,0,0;1,0,0,0;0,0,0,0;0,0,0,0"


def test_one_step_of_both_kinds() -> None:
    """Of −7, −1, 1, 7 (σ = 5) the branch swaps the first two and drops the rest."""
    pre = solved("block_pre_post", x="-7,-1,1,7", weight=SWAP, placement="pre", eps="0")
    assert right(pre, "-7.2 -2.4 1 7")
    assert named(pre, "-8 -8 1 7") == ["norm_forgotten"]
    assert named(pre, "-0.2 -1.4 0 0") == ["skip_forgotten"]
    assert named(pre, "-1.6 -1.6 0.2 1.4") == ["skip_normalized"]
    # x + Wx is −8, −8, 1, 7 with mean −2 and variance (36 + 36 + 9 + 81)/4.
    assert named(pre, "(-6,-6,3,9)/sqrt(40.5)") == ["other_placement"]
    post = solved("block_pre_post", x="-7,-1,1,7", weight=SWAP, placement="post", eps="0")
    assert right(post, "(-6,-6,3,9)/sqrt(40.5)")
    assert named(post, "-7.2 -2.4 1 7") == ["other_placement"]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("2", "norm_holds_stream"),
        ("72", "root_missing"),
        ("2*sqrt(20)", "one_branch_per_block"),
        ("2*sqrt(32)", "start_forgotten"),
        ("1/3", "inverted"),
        ("36", "rms_added"),
    ],
)
def test_logits_without_the_final_norm(typed: str, belief: str) -> None:
    """Variance 4 plus 2·4 branches of variance 4 is 36: the final norm divides by 6."""
    variant = solved("final_norm", depth="4", start="4", branch="4", query="2", asked="without")
    assert right(variant, "12")
    assert named(variant, typed) == [belief]


def test_the_stream_of_the_measured_encoder_is_near_the_theory() -> None:
    """From 1, 48 blocks with two branches of variance 1 give an RMS of √97 in place of 1."""
    variant = solved("final_norm", depth="48", query="1", asked="with")
    assert variant.answer == pytest.approx(1 / sqrt(97), rel=1e-12)


@pytest.mark.parametrize(
    ("given", "norms"),
    [
        ({"depth": "12", "index": "0"}, 24),
        ({"depth": "12", "index": "4"}, 16),
        ({"depth": "6", "index": "5", "sublayers": "3"}, 3),
        ({"depth": "12", "index": "4", "placement": "pre"}, 0),
        ({"depth": "12", "index": "4", "placement": "pre_final"}, 1),
    ],
)
def test_norms_on_the_skips(given: dict[str, str], norms: int) -> None:
    """In post-LN every sublayer after the starting point has one; in pre-LN only a final norm is left."""
    assert solved("post_norm_count", **given).answer == norms


def test_slips_about_the_norms_on_the_skips() -> None:
    """L = 12, l = 4, two sublayers: 16 in post-LN."""
    variant = solved("post_norm_count", depth="12", index="4")
    assert named(variant, "24") == ["all_blocks_counted"]
    assert named(variant, "18") == ["one_step_too_many"]
    assert named(variant, "0") == ["other_placement"]
    assert named(solved("post_norm_count", depth="12", index="4", placement="pre"), "16") == ["norm_on_skip"]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("sqrt(4/56)", "no_centring"),
        ("1/5", "divided_by_variance"),
        ("1", "sigma_missing"),
        ("sqrt(3/20)", "unbiased_variance"),
        ("1/sqrt(20)", "root_length_missing"),
    ],
)
def test_the_norm_of_layernorms_jacobian(typed: str, belief: str) -> None:
    """0, 2, 4, 6: ‖x − μ‖² = 20, so √D/‖x − μ‖ = 2/√20 = 1/√5; ‖x‖² = 56."""
    variant = solved("layernorm_jacobian_norm", x="0,2,4,6", eps="0")
    assert variant.answer == pytest.approx(2 / sqrt(20), rel=1e-12)
    assert named(variant, typed) == [belief]


def test_gradients_at_another_depth() -> None:
    """Four times the depth: half the gradient in pre-LN, the same one in post-LN."""
    pre = solved("preln_gradient_ratio", placement="pre", depth="6", other_depth="24", norm="0.3")
    assert right(pre, "0.15")
    assert named(pre, "0.075") == ["inverse_depth"]
    assert named(pre, "0.6") == ["inverted"]
    assert named(pre, "0.3") == ["other_placement"]
    post = solved("preln_gradient_ratio", placement="post", depth="6", other_depth="48", norm="0.35")
    assert post.answer == pytest.approx(0.35, rel=1e-12)


@pytest.mark.parametrize(("width", "hidden", "learned"), [(64, 256, 49984), (128, 512, 198272)])
def test_learned_numbers_of_a_block(width: int, hidden: int, learned: int) -> None:
    """The known counts of two small encoder layers."""
    variant = solved("block_parameters", width=str(width), hidden=str(hidden), heads="4")
    assert variant.answer == learned
    e, f = width, hidden
    assert named(variant, str(learned - e * e - e)) == ["output_projection_forgotten"]
    assert named(variant, str(learned - 2 * e)) == ["one_norm_per_block"]
    assert named(variant, str(learned - 5 * e - f)) == ["biases_forgotten"]


def test_learned_numbers_without_biases() -> None:
    """4E² + 2EF + 2E with E = 2, F = 3 is 16 + 12 + 4, and three blocks have three times that."""
    assert solved("block_parameters", width="2", hidden="3", bias="no").answer == 32
    three = solved("block_parameters", width="2", hidden="3", bias="no", depth="3")
    assert three.answer == 96
    assert named(three, "32") == ["one_block_only"]


def test_the_default_hidden_width() -> None:
    """2048 for every width: with E = 64 two matrices of 131 072 and 2 112 biases."""
    variant = solved("default_feed_forward", width="64", heads="4")
    assert variant.answer == (2048, 264256)
    assert named(variant, "256 264256") == ["four_times_width"]
    assert named(variant, "2048 262144") == ["biases_forgotten"]
    assert sorted(named(variant, "256 33088")) == ["four_times_width", "four_times_width_counted"]


def test_dropout_in_both_modes() -> None:
    """With p = 3/4 kept entries become four times as large in training, and eval changes nothing."""
    training = solved("dropout_scale", x="1,-2,3", mask="1,0,1", p="0.75")
    assert training.answer == (4, 0, 12)
    assert named(training, "1 0 3") == ["no_rescale"]
    assert named(training, "0.25 0 0.75") == ["scaled_by_keep"]
    assert named(training, "4/3 0 4") == ["divided_by_drop"]
    evaluated = solved("dropout_scale", x="1,-2,3", mask="1,0,1", p="0.75", mode="eval")
    assert evaluated.answer == (1, -2, 3)
    assert named(evaluated, "0.25 -0.5 0.75") == ["scaled_by_keep"]
    assert named(evaluated, "4 0 12") == ["training_in_eval"]


def test_dropout_spares_the_skip() -> None:
    """Kept entries give x + 4F, dropped ones x."""
    variant = solved("dropout_residual", x="5,6", branch="1,-2", mask="1,0", p="0.75")
    assert variant.answer == (9, 6)
    assert named(variant, "24 0") == ["skip_dropped_too"]
    assert named(variant, "6 6") == ["no_rescale"]


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"asked": "mean"}, 5),
        ({}, 4 * 0.2 / 0.8),
        ({"branch": "0", "branch_var": "3"}, 3 / 0.8),
        ({"branch_var": "3"}, 3 / 0.8 + 4 * 0.2 / 0.8),
        ({"p": "0"}, 0),
    ],
)
def test_mean_and_variance_under_dropout(given: dict[str, str], value: float) -> None:
    """The mean is x + F, the variance Var(F)/(1 − p) + F²p/(1 − p)."""
    variant = solved("dropout_moments", **{"x": "3", "branch": "2", "p": "0.2"} | given)
    assert variant.answer == pytest.approx(value, rel=1e-12, abs=1e-15)


def test_slips_about_the_variance_under_dropout() -> None:
    """F = 2 with p = 0.2 has the variance 1; its mean square is 5."""
    variant = solved("dropout_moments", x="3", branch="2", p="0.2")
    assert named(variant, "5") == ["mean_square_for_variance"]
    assert named(variant, "0.64") == ["no_rescale"]
    assert named(variant, "6.25") == ["skip_dropped_too"]


def test_adaptive_layernorm() -> None:
    """−7, −1, 1, 7 has σ = 5; with s = 1, b = 1 and a = 2 the branch adds 2(2x̂ + 1)."""
    given = {"x": "-7,-1,1,7", "scale": "1,1,1,1", "shift": "1,1,1,1", "gate": "2,2,2,2", "eps": "0"}
    variant = solved("adaln", **given)
    assert right(variant, "-10.6 0.2 3.8 14.6")
    assert named(variant, "-7.8 0.6 3.4 11.8") == ["scale_without_one"]
    assert named(variant, "-17.6 -0.8 4.8 21.6") == ["gate_on_skip"]
    assert named(variant, "-8.8 -0.4 2.4 10.8") == ["gate_ignored"]


def test_adaln_zero_starts_as_the_identity() -> None:
    """With scale, shift and gate left at 0 the token passes unchanged."""
    assert solved("adaln", x="1,2,4").answer == (1, 2, 4)


@pytest.mark.parametrize(
    ("family", "given", "name"),
    [
        ("block_zeroed", {"x": "3,3,3", "eps": "0"}, "x"),
        ("block_zeroed", {"x": "3"}, "x"),
        ("block_pre_post", {"x": "1,2", "weight": "-1,0;0,-1", "placement": "post", "eps": "0"}, "x"),
        ("block_pre_post", {"x": "1,2,3", "weight": "1,0;0,1"}, "x"),
        ("final_norm", {"depth": "0"}, "depth"),
        ("final_norm", {"depth": "4", "start": "0"}, "start"),
        ("post_norm_count", {"depth": "4", "index": "4"}, "index"),
        ("layernorm_jacobian_norm", {"x": "1,2"}, "x"),
        ("layernorm_jacobian_norm", {"x": "2,2,2", "eps": "0"}, "x"),
        ("preln_gradient_ratio", {"depth": "6", "other_depth": "6", "norm": "0"}, "norm"),
        ("block_parameters", {"width": "10", "hidden": "40", "heads": "4"}, "heads"),
        ("default_feed_forward", {"width": "10", "heads": "4"}, "heads"),
        ("dropout_scale", {"x": "1,2", "mask": "1,2"}, "mask"),
        ("dropout_scale", {"x": "1,2", "mask": "1,0", "p": "0"}, "mask"),
        ("dropout_scale", {"x": "1,2", "p": "1"}, "p"),
        ("dropout_residual", {"x": "1,2", "branch": "1,2", "mask": "0.5,1"}, "mask"),
        ("dropout_residual", {"x": "1,2", "branch": "1"}, "branch"),
        ("dropout_moments", {"x": "1", "branch": "2", "branch_var": "-1"}, "branch_var"),
        ("adaln", {"x": "2,2", "eps": "0"}, "x"),
        ("adaln", {"x": "1,2,3", "gate": "1,2"}, "gate"),
    ],
)
def test_what_is_refused(family: str, given: dict[str, str], name: str) -> None:
    """A parameter outside its domain, or one that does not fit the others, is named."""
    with pytest.raises(Refused) as refused:
        solved(family, **given)
    assert refused.value.name == name


@pytest.mark.parametrize(
    ("family", "given"),
    [
        ("block_zeroed", {"x": "1e12,1000000000002,1000000000004,1000000000006", "placement": "post"}),
        ("layernorm_jacobian_norm", {"x": "1e-9,2e-9,4e-9"}),
        ("block_pre_post", {"x": "0.1,0.2", "weight": "1,-1;2,2", "placement": "post"}),
        ("dropout_moments", {"x": "1e12", "branch": "1e-3", "p": "0.1"}),
    ],
)
def test_hard_numbers_are_answered(family: str, given: dict[str, str]) -> None:
    """Large offsets and tiny values have an answer, and what torch makes of them stands beside it."""
    assert solved(family, **given).verified is not None
