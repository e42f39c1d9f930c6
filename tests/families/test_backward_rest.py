"""`backward.*` but `input_gradient`: values computed by hand, named slips and what is refused.

Most cases build on the batch 0, 2, 4, 6: mean 3, variance 5, and 9 with ε = 4. For ȳ = (1, 0, 0, 0)
the bracket of its backward pass is (0.3, −0.4, −0.1, 0.2), and (1/2, −1/3, −1/6, 0) with ε = 4.
"""

from math import sqrt
from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant

BATCH = {"x": "0,2,4,6", "eps": "0"}
HOT = BATCH | {"upstream": "1,0,0,0"}
MIXED = BATCH | {"gamma": "-2", "a": "5", "b": "3", "eps": "4"}
GAPS = {"x": "0,2,4,6", "known": "0.3,-0.1", "first": "2", "second": "4"}
EVAL = {"x": "0,2,4", "gamma": "-3", "upstream": "1,0,2", "running_var": "5", "eps": "4"}
OTHER = {"other": "6,4,2,0", "other_upstream": "0,0,0,1"}
TOKEN = BATCH | {"gamma": "2,1,1,1", "upstream": "0.5,0,0,0"} | OTHER
RMS = {"x": "1,3,-1,-5", "gamma": "3,1,1,1", "upstream": "1,0,0,0", "eps": "0"}
TOKENS = {"x": "0,2;5,7", "upstream": "1,2;3,5", "eps": "0"}
WIDE = {"shape": "5,4", "gamma": "3"}
WEIGHT = {"v": "3,4", "g": "10", "upstream": "1,2"}
IMAGE = {"x1": "0,2;0,2", "x2": "4,6;4,6", "upstream1": "1,0;0,0", "upstream2": "0,0;0,0", "eps": "0"}
SECOND_STEP = HOT | {"gamma": "4", "part": "xhat"}
SHARE = SECOND_STEP | {"measure": "share"}


def solved(name: str, given: dict[str, str]) -> Variant:
    """Return the verified variant of these values, of level 3 or the nearest one."""
    family: Any = load_family(f"backward.{name}")
    assert isinstance(family, Family), family
    return verified_values(family, 3, given, torch)


@pytest.mark.parametrize(
    ("name", "given", "typed"),
    [
        ("parameter_gradients", HOT, "-3/sqrt(5), 1"),
        ("parameter_gradients", HOT | {"gamma": "-7"}, "-1.34164 1"),
        ("special_upstream", BATCH | {"gamma": "2", "a": "1"}, "0 0 0 0"),
        ("special_upstream", BATCH | {"gamma": "2", "a": "-1", "b": "3"}, "0 0 0 0"),
        ("special_upstream", MIXED, "8/9, 8/27, -8/27, -8/9"),
        ("complete", GAPS, "-0.4 0.2"),
        ("complete", {"x": "5,1,2", "known": "3", "first": "1", "second": "3"}, "1, -4"),
        ("eval_mode", EVAL, "-1 0 -2"),
        ("eval_mode", {"x": "7", "upstream": "3", "running_var": "4", "eps": "0"}, "1.5"),
        ("jacobian_entry", BATCH | {"gamma": "2"}, "0.6/sqrt(5)"),
        ("jacobian_entry", BATCH | {"input": "2"}, "-0.4/sqrt(5)"),
        ("jacobian_entry", BATCH | {"gamma": "2", "eps": "4"}, "1/3"),
        ("layernorm", TOKEN, "(0.3, -0.4, -0.1, 0.2)/sqrt(5)"),
        ("layernorm", TOKEN | {"other": "9,-9,1,1", "eps": "4"}, "1/6, -1/9, -1/18, 0"),
        ("rmsnorm", RMS, "35/36, -1/12, 1/36, 5/36"),
        ("rmsnorm", RMS | {"eps": "7"}, "(189, -9, 3, 15)/256"),
        ("layernorm_parameters", TOKENS, "-4 7; 4 7"),
        ("projection_facts", {"layer": "BatchNorm", "shape": "6,1"}, "4"),
        ("projection_facts", {"layer": "LayerNorm", "shape": "1,8", "quantity": "trace"}, "6"),
        ("projection_facts", {"layer": "RMSNorm", "shape": "1,8", "gamma": "5"}, "7"),
        ("projection_facts", {"layer": "BatchNorm", "shape": "2,3"}, "0"),
        ("projection_facts", {"layer": "LayerNorm", "shape": "5,4"}, "10"),
        ("projection_facts", WIDE, "12"),
        ("removed_share", HOT | {"gamma": "4"}, "2"),
        ("removed_share", HOT | {"measure": "share"}, "1/4"),
        ("removed_share", SECOND_STEP, "6/sqrt(5)"),
        ("removed_share", SHARE, "0.45"),
        ("removed_share", SECOND_STEP | {"eps": "4"}, "sqrt(20)/3"),
        ("eps_leak", HOT | {"gamma": "-2", "eps": "4"}, "8/27"),
        ("eps_leak", HOT, "0"),
        ("weight_norm", WEIGHT, "-0.64 0.48 2.2"),
        ("weight_norm", WEIGHT | {"upstream": "6,8"}, "0 0 10"),
        ("image", IMAGE, "(0.3, -0.4, -0.1, 0.2)/sqrt(5)"),
        ("image", IMAGE | {"eps": "4"}, "1/6, -1/9, -1/18, 0"),
        ("image", IMAGE | {"channel": "2"}, "0 0 0 0"),
    ],
)
def test_values_computed_by_hand(name: str, given: dict[str, str], typed: str) -> None:
    """What a learner gets by hand is accepted."""
    assert grade(solved(name, given), typed).outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("name", "given", "typed", "belief"),
    [
        ("parameter_gradients", HOT, "-3/4/sqrt(5), 1/4", "means_for_sums"),
        ("parameter_gradients", HOT, "0 1", "raw_input_used"),
        ("parameter_gradients", HOT, "-3 1", "no_scaling"),
        ("parameter_gradients", HOT | {"gamma": "2"}, "-6/sqrt(5), 2", "gamma_included"),
        ("parameter_gradients", HOT, "1, -3/sqrt(5)", "gamma_beta_swapped"),
        ("parameter_gradients", HOT, "-3/sqrt(20/3), 1", "unbiased_variance"),
        ("parameter_gradients", HOT | {"eps": "4"}, "-3/sqrt(5), 1", "eps_ignored"),
        ("special_upstream", MIXED, "-4/3, -8/3, -4, -16/3", "fixed_affine"),
        ("special_upstream", MIXED, "-4 -8 -12 -16", "statistics_ignored"),
        ("special_upstream", MIXED, "-22/9, -82/27, -98/27, -38/9", "mean_not_removed"),
        ("special_upstream", MIXED, "2, 2/3, -2/3, -2", "xhat_part_not_removed"),
        ("special_upstream", MIXED, "8/3, 8/9, -8/9, -8/3", "sigma_missing"),
        ("special_upstream", MIXED, "0 0 0 0", "eps_ignored"),
        ("complete", GAPS, "-0.2 0", "other_entry_zero"),
        ("complete", GAPS, "-0.1 -0.1", "equal_split"),
        ("complete", GAPS, "0.2 -0.4", "entries_swapped"),
        ("complete", GAPS, "0.4 -0.2", "sign_flipped"),
        ("eval_mode", EVAL, "(-0.6, 3, -2.4)/sqrt(20/3)", "batch_stats_in_eval"),
        ("eval_mode", EVAL, "(-3, 0, -6)/sqrt(20/3)", "batch_spread_in_eval"),
        ("eval_mode", EVAL, "1/3, 0, 2/3", "gamma_missing"),
        ("eval_mode", EVAL, "-3 0 -6", "sigma_missing"),
        ("eval_mode", EVAL, "-1/3, 0, -2/3", "divided_by_variance"),
        ("eval_mode", EVAL, "(-3, 0, -6)/sqrt(5)", "eps_ignored"),
        ("jacobian_entry", BATCH | {"gamma": "2"}, "1.1/sqrt(5)", "mean_not_removed"),
        ("jacobian_entry", BATCH | {"gamma": "2"}, "1.5/sqrt(5)", "xhat_part_not_removed"),
        ("jacobian_entry", BATCH | {"gamma": "2"}, "-3.6/sqrt(5)", "sums_for_means"),
        ("jacobian_entry", BATCH | {"gamma": "2"}, "2/sqrt(5)", "fixed_affine"),
        ("jacobian_entry", BATCH | {"gamma": "2"}, "0.6", "sigma_missing"),
        ("jacobian_entry", BATCH | {"gamma": "2"}, "0.3/sqrt(5)", "gamma_missing"),
        ("jacobian_entry", BATCH | {"gamma": "2", "eps": "4"}, "0.6/sqrt(5)", "eps_ignored"),
        ("layernorm", TOKEN, "(0.3, -0.2, -0.05, 0.1)/sqrt(5)", "gamma_after_projection"),
        ("layernorm", TOKEN, "(0.15, -0.2, -0.05, 0.1)/sqrt(5)", "gamma_missing"),
        ("layernorm", TOKEN, "(1, 0, 0, 0)/sqrt(14)", "rms_instead"),
        ("layernorm", TOKEN, "(-0.4, 0, 0, 0.4)/sqrt(5)", "batchnorm_axes"),
        ("layernorm", TOKEN, "(1, 0, 0, 0)/sqrt(5)", "fixed_affine"),
        ("layernorm", TOKEN | {"eps": "4"}, "(0.3, -0.4, -0.1, 0.2)/sqrt(5)", "eps_ignored"),
        ("rmsnorm", RMS, "(72/35, -6/5, -24/35, -6/35)/sqrt(35/4)", "layer_norm_instead"),
        ("rmsnorm", RMS, "13/18, -1/3, -2/9, -1/9", "mean_removed_too"),
        ("rmsnorm", RMS, "1 0 0 0", "fixed_affine"),
        ("rmsnorm", RMS, "35/12, -1/4, 1/12, 5/12", "sigma_missing"),
        ("rmsnorm", RMS, "8/9, -1/3, 1/9, 5/9", "sums_for_means"),
        ("rmsnorm", RMS, "35/108, -1/36, 1/108, 5/108", "gamma_missing"),
        ("rmsnorm", RMS | {"eps": "7"}, "35/36, -1/12, 1/36, 5/36", "eps_ignored"),
        ("layernorm_parameters", TOKENS, "-1 2; 1 2", "one_token_only"),
        ("layernorm_parameters", TOKENS, "-2 3.5; 2 3.5", "means_for_sums"),
        ("layernorm_parameters", TOKENS, "1 2; 3 8", "summed_over_features"),
        ("layernorm_parameters", TOKENS, "2 3; 4 7", "batchnorm_axes"),
        ("layernorm_parameters", TOKENS, "15 39; 4 7", "raw_input_used"),
        ("layernorm_parameters", TOKENS, "4 7; -4 7", "gamma_beta_swapped"),
        ("projection_facts", WIDE, "20", "nothing_removed"),
        ("projection_facts", WIDE, "16", "parts_miscounted"),
        ("projection_facts", WIDE | {"layer": "RMSNorm", "shape": "1,8"}, "6", "parts_miscounted"),
        ("projection_facts", WIDE, "8", "removed_counted"),
        ("projection_facts", WIDE, "36", "gamma_included"),
        ("projection_facts", WIDE, "18", "removed_once"),
        ("projection_facts", WIDE, "3", "one_group_only"),
        ("projection_facts", WIDE, "10", "axes_swapped"),
        ("removed_share", SECOND_STEP, "24/sqrt(5)", "sums_for_means"),
        ("removed_share", SECOND_STEP, "3/sqrt(5)", "coefficient_only"),
        ("removed_share", SECOND_STEP, "7.2", "squared_length"),
        ("removed_share", SECOND_STEP, "2", "other_part"),
        ("removed_share", SECOND_STEP, "sqrt(8.8)", "remainder_measured"),
        ("removed_share", SECOND_STEP, "1.5/sqrt(5)", "gamma_missing"),
        ("removed_share", SHARE, "7.2", "sums_for_means"),
        ("removed_share", SHARE, "sqrt(0.45)", "ratio_of_lengths"),
        ("removed_share", SHARE, "0.25", "other_part"),
        ("removed_share", SHARE, "0.55", "remainder_measured"),
        ("eps_leak", HOT | {"gamma": "-2", "eps": "4"}, "0", "eps_ignored"),
        ("eps_leak", HOT | {"gamma": "-2", "eps": "4"}, "8/15", "share_over_variance"),
        ("eps_leak", HOT | {"gamma": "-2", "eps": "4"}, "10/27", "removed_part_measured"),
        ("eps_leak", HOT | {"gamma": "-2", "eps": "4"}, "2/27", "mean_for_sum"),
        ("eps_leak", HOT | {"gamma": "-2", "eps": "4"}, "8/9", "sigma_missing"),
        ("eps_leak", HOT | {"gamma": "-2", "eps": "4"}, "-4/27", "gamma_missing"),
        ("weight_norm", WEIGHT, "2 4 2.2", "projection_missing"),
        ("weight_norm", WEIGHT, "-0.32 0.24 2.2", "length_factor_missing"),
        ("weight_norm", WEIGHT, "0.68 2.24 2.2", "means_for_sums"),
        ("weight_norm", WEIGHT, "-0.64 0.48 11", "direction_not_normalized"),
        ("weight_norm", WEIGHT, "-0.64 0.48 22", "length_gradient_scaled"),
        ("image", IMAGE, "(-0.4, -0.8, -0.2, 0.4)/sqrt(5)", "positions_forgotten"),
        ("image", IMAGE, "0 0 0 0", "examples_apart"),
        ("image", IMAGE, "(0.65, -0.2, -0.05, 0.1)/sqrt(5)", "channels_averaged_too"),
        ("image", IMAGE, "(1, 0, 0, 0)/sqrt(5)", "fixed_affine"),
        ("image", IMAGE | {"eps": "4"}, "(0.3, -0.4, -0.1, 0.2)/sqrt(5)", "eps_ignored"),
    ],
)
def test_slips_are_named(name: str, given: dict[str, str], typed: str, belief: str) -> None:
    """A wrong path worked out by hand is judged wrong and called by its name."""
    verdict = grade(solved(name, given), typed)
    assert verdict.outcome is Outcome.WRONG
    assert [slip.id for slip in verdict.misconceptions] == [belief]


def test_the_published_gradient_of_gamma() -> None:
    """On 0, 2, 4, 6 with the loss y₁ the gradient of γ is −1.3416 to five digits."""
    assert solved("parameter_gradients", HOT).answer[0] == pytest.approx(-1.3416, abs=5e-5)


def test_the_three_shares_add_up() -> None:
    """Mean, x̂ part and x̄ (times σ, here over (0.3, −0.4, −0.1, 0.2)) share the squared length: Pythagoras."""
    mean, along = (
        solved("removed_share", HOT | {"part": p, "measure": "share"}).answer for p in ("mean", "xhat")
    )
    kept = 0.3**2 + 0.4**2 + 0.1**2 + 0.2**2
    assert mean + along + kept == pytest.approx(1.0, rel=1e-12)


def test_another_token_sends_nothing() -> None:
    """LayerNorm's gradient at a token is the same whatever the other token is."""
    answers = [
        solved("layernorm", TOKEN | {"other": other}).answer for other in ("6,4,2,0", "5,5,5,5", "1,-9,3,4")
    ]
    assert answers[1] == pytest.approx(answers[0], rel=1e-12)
    assert answers[2] == pytest.approx(answers[0], rel=1e-12)


def test_images_of_other_sizes() -> None:
    """Three positions in one channel make a group of six: it is the batch of those six numbers."""
    image = {"x1": "0,2,4", "x2": "6,7,9", "upstream1": "1,0,2", "upstream2": "0,-1,0", "eps": "2"}
    family: Any = load_family("backward.input_gradient")
    batch = verified_values(family, 3, {"x": "0,2,4,6,7,9", "upstream": "1,0,2,0,-1,0", "eps": "2"}, torch)
    assert solved("image", image).answer == pytest.approx(batch.answer, rel=1e-12)


@pytest.mark.parametrize("name", ["layernorm", "rmsnorm", "special_upstream"])
def test_no_rounding_noise_is_asked_for(name: str) -> None:
    """Where nothing but the default ε is left of a gradient, the answer is exact zeros."""
    given = {
        "layernorm": {"x": "1,2,4", "upstream": "7,7,7"},
        "rmsnorm": {"x": "1,2,4", "upstream": "3,6,12"},
        "special_upstream": {"x": "1,2,4", "a": "3", "b": "-2"},
    }[name]
    assert set(solved(name, given).answer) == {0.0}


def test_large_numbers_do_not_spoil_the_answer() -> None:
    """Shifted by a billion, the batch has the same gradient, although float32 would lose it."""
    far = HOT | {"x": "1000000000,1000000002,1000000004,1000000006"}
    assert solved("parameter_gradients", far).answer == pytest.approx((-3 / sqrt(5), 1), rel=1e-12)
    entry = {key: value for key, value in far.items() if key != "upstream"}
    assert solved("jacobian_entry", entry).answer == pytest.approx(0.3 / sqrt(5), rel=1e-9)


@pytest.mark.parametrize("name", ["parameter_gradients", "eps_leak", "jacobian_entry", "special_upstream"])
def test_equal_values_are_fine_with_a_visible_eps(name: str) -> None:
    """With variance 0 and ε = 4 nothing is 0/0, and no slip breaks the variant."""
    given = {"x": "3,3,3", "eps": "4"}
    if name in {"parameter_gradients", "eps_leak"}:
        given["upstream"] = "1,0,2"
    right: dict[str, object] = {
        "parameter_gradients": (0.0, 3.0),
        "eps_leak": 0.0,
        "jacobian_entry": 1 / 3,
        "special_upstream": (0.0, 0.0, 0.0),
    }
    assert solved(name, given).answer == pytest.approx(right[name], abs=1e-12)


@pytest.mark.parametrize(
    ("name", "given", "parameter", "message"),
    [
        ("parameter_gradients", {"x": "3,3", "upstream": "1,0", "eps": "0"}, "x", "0/0"),
        ("parameter_gradients", {"x": "3", "upstream": "1"}, "x", "at least two"),
        ("parameter_gradients", {"x": "0,2", "upstream": "1"}, "upstream", "1 entries"),
        ("special_upstream", {"x": "5,5,5", "a": "1", "eps": "0"}, "x", "0/0"),
        ("complete", GAPS | {"second": "5"}, "second", "from 1 to 4"),
        ("complete", GAPS | {"second": "2"}, "second", "must rise"),
        ("complete", GAPS | {"known": "1,2,3"}, "known", "2 entries"),
        ("complete", GAPS | {"x": "0,2,4,2"}, "x", "equal"),
        ("complete", {"x": "1,2", "known": "1"}, "x", "3 to 64"),
        ("eval_mode", EVAL | {"running_var": "0", "eps": "0"}, "running_var", "divides by 0"),
        ("eval_mode", EVAL | {"running_var": "-1"}, "running_var", "0 or more"),
        ("jacobian_entry", BATCH | {"output": "5"}, "output", "1 to 4"),
        ("jacobian_entry", BATCH | {"input": "9"}, "input", "1 to 4"),
        ("jacobian_entry", BATCH | {"output": "1.5"}, "output", "whole"),
        ("layernorm", TOKEN | {"x": "2,2,2,2"}, "x", "0/0"),
        ("layernorm", TOKEN | {"gamma": "1,2"}, "gamma", "2 entries"),
        ("layernorm", {"x": "1", "upstream": "1"}, "x", "2 to 64"),
        ("rmsnorm", {"x": "0,0", "upstream": "1,2", "eps": "0"}, "x", "0/0"),
        ("layernorm_parameters", TOKENS | {"upstream": "1,2,3;4,5,6"}, "upstream", "2×2"),
        ("layernorm_parameters", TOKENS | {"x": "1,1;0,2"}, "x", "0/0"),
        ("layernorm_parameters", {"x": "1;2", "upstream": "3;4"}, "x", "two features"),
        ("projection_facts", {"shape": "1,4"}, "shape", "two examples"),
        ("projection_facts", {"shape": "4,1", "layer": "LayerNorm"}, "shape", "two features"),
        ("projection_facts", {"shape": "100,100"}, "shape", "144"),
        ("projection_facts", {"shape": "4,4", "layer": "GroupNorm"}, "layer", "one of"),
        ("removed_share", HOT | {"upstream": "0,0,0,0", "measure": "share"}, "upstream", "share"),
        ("removed_share", HOT | {"part": "both"}, "part", "one of"),
        ("eps_leak", HOT | {"eps": "-1"}, "eps", "0 to"),
        ("weight_norm", WEIGHT | {"v": "0,0"}, "v", "no direction"),
        ("weight_norm", WEIGHT | {"upstream": "1"}, "upstream", "1 entries"),
        ("image", IMAGE | {"x2": "1,2,3;4,5,6"}, "x2", "2×2"),
        ("image", IMAGE | {"upstream1": "1,2"}, "upstream1", "2×2"),
        ("image", IMAGE | {"channel": "3"}, "channel", "1 to 2"),
        ("image", IMAGE | {"x1": "4,4;0,2", "x2": "4,4;1,2"}, "x1", "0/0"),
    ],
)
def test_what_has_no_answer_is_refused(
    name: str, given: dict[str, str], parameter: str, message: str
) -> None:
    """The refusal names the parameter and what is wrong with it."""
    with pytest.raises(Refused, match=message) as refused:
        solved(name, given)
    assert refused.value.name == parameter
