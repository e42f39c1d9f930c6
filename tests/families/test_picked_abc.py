"""Picked answers about BatchNorm, modes, groups and the other norms: known cases, slips and refusals."""

from typing import Any

import pytest
import torch

from studynorm.engine.discrete import Choice
from studynorm.engine.family import Family, Refused, givens
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_draw, verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant

CHOICES = (
    "batchnorm.invariance",
    "batchnorm.degenerate",
    "running_stats.untracked",
    "statistics.axis_trap",
    "statistics.axis_trap_tokens",
)


def family(name: str) -> Family[Any]:
    """Return a shipped family."""
    found = load_family(name)
    assert isinstance(found, Family), found
    return found


def solved(name: str, **given: str) -> Variant:
    """Return the verified variant of these values, of level 3 or the nearest one."""
    return verified_values(family(name), 3, given, torch)


def option(variant: Variant, place: int | None = None) -> str:
    """Return the text of the right option, or of the one at a place."""
    assert isinstance(variant.kind, Choice)
    return variant.kind.options[variant.answer if place is None else place]


def belief_of(variant: Variant, text: str) -> str:
    """Return the slip that is named for picking the option with this text."""
    assert isinstance(variant.kind, Choice)
    letter = variant.kind.typed(variant.kind.options.index(text))
    assert letter is not None
    return ", ".join(named(variant, letter))


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


@pytest.mark.parametrize("name", CHOICES)
def test_every_wrong_option_has_a_reply(name: str) -> None:
    """In every drawn variant each option is the answer or a named belief with a reason."""
    for level in family(name).levels:
        for seed in range(30):
            variant = verified_draw(family(name), level, seed, torch)
            assert isinstance(variant.kind, Choice)
            slips = {slip.value: slip.why for slip in variant.misconceptions}
            assert sorted((*slips, variant.answer)) == list(range(len(variant.kind.options)))
            assert all(slips.values())


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"x": "1,3,5", "factor": "2", "shift": "10"}, "$y_i$"),
        ({"x": "1,3,5", "factor": "-2", "shift": "10"}, "$-y_i$"),
        ({"x": "1,3,5", "factor": "3", "shift": "-4", "gamma": "-2", "beta": "1"}, "$y_i$"),
        ({"x": "1,3,5", "factor": "-3", "shift": "-4", "gamma": "-2", "beta": "1"}, "$2 - y_i$"),
    ],
)
def test_only_the_sign_of_the_factor_reaches_the_output(given: dict[str, str], right: str) -> None:
    """(1, 3, 5) and (12, 16, 20) come out alike; a negative factor mirrors the output at β."""
    assert option(solved("batchnorm.invariance", **given)) == right


def test_what_passes_through_batchnorm_wrongly_is_named() -> None:
    """Picking 2y, y + 10, both or −y for (1, 3, 5) → (12, 16, 20)."""
    variant = solved("batchnorm.invariance", x="1,3,5", factor="2", shift="10")
    assert belief_of(variant, r"$2\,y_i$") == "factor_passes_on"
    assert belief_of(variant, "$y_i + 10$") == "shift_passes_on"
    assert belief_of(variant, r"$2\,y_i + 10$") == "batch_change_passes_on"
    assert belief_of(variant, "$-y_i$") == "sign_flipped"


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"x": "5,5,5", "gamma": "2", "beta": "3"}, "$3$"),
        ({"x": "5", "gamma": "2", "beta": "3"}, "none: a `ValueError` is raised"),
        ({"x": "5", "mode": "eval", "gamma": "2", "beta": "3"}, "$13$"),
        ({"x": "5,5,5", "mode": "eval", "gamma": "2", "beta": "3", "running_var": "4"}, "$8$"),
    ],
)
def test_a_channel_without_spread(given: dict[str, str], right: str) -> None:
    """Training mode gives β or refuses a single value; eval mode gives 2·5/1 + 3 or 2·5/2 + 3."""
    assert option(solved("batchnorm.degenerate", **given)) == right


def test_slips_about_a_constant_channel_are_named() -> None:
    """0/0, the bare x̂ = 0, γ + β and the error."""
    variant = solved("batchnorm.degenerate", x="5,5,5", gamma="2", beta="3")
    assert belief_of(variant, "`nan`") == "zero_over_zero"
    assert belief_of(variant, "$0$") == "affine_dropped"
    assert belief_of(variant, "$5$") == "hat_taken_as_one"
    assert belief_of(variant, "none: a `ValueError` is raised") == "error_misjudged"


def test_without_tracking_eval_mode_takes_the_batch() -> None:
    """6 in (0, 2, 4, 6) is 3/√5 = 1.34 in both modes; 3/√(20/3) = 1.16 and 5.7/√(47/30) = 4.55 are not."""
    variant = solved("running_stats.untracked", x="0,2,4,6", index="4")
    assert option(variant) == "$1.34$"
    assert belief_of(variant, "$6$") == "start_stats"
    assert belief_of(variant, "$1.16$") == "unbiased_variance"
    assert belief_of(variant, "$4.55$") == "tracked_all_the_same"
    assert belief_of(variant, "none: an error is raised") == "untracked_eval_raises"


def test_only_passes_in_training_mode_move_the_running_statistics() -> None:
    """Means 1 and 1, unbiased variances 2 and 0: 0.9·0.1 + 0.1 and 0.9·(0.9 + 0.2); the eval pass is void."""
    variant = solved("running_stats.mode_trace", x="0,2;4,8;1,1", script="FEFTN")
    assert variant.answer == pytest.approx((0.19, 0.99), rel=1e-12)
    assert named(variant, "0.1 1.1") == ["no_grad_stops_updates"]
    assert named(variant, "0.721 1.611") == ["eval_updates"]
    assert named(variant, "0.19 0.9") == ["biased_running_variance"]
    assert named(variant, "1 0") == ["replaced"]
    assert named(variant, "0.1 0.9") == ["train_starts_anew"]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("5", "no_grad_stops_updates"),
        ("14", "eval_updates"),
        ("7", "frozen_params_freeze_buffers"),
        ("6", "train_starts_anew"),
        ("288", "examples_counted"),
    ],
)
def test_the_counter_counts_training_passes(typed: str, belief: str) -> None:
    """3 ordinary, 4 under no_grad and 2 with frozen parameters make 9; the 5 in eval mode do not count."""
    variant = solved("running_stats.mode_counter", train="3", evaluated="5", no_grad="4", frozen="2")
    assert variant.answer == 9
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("n y y n n", "frozen_params_freeze_buffers"),
        ("y n y n n", "eval_survives_train"),
        ("y y n n n", "eval_blocks_gradients"),
        ("y y y y n", "eval_updates"),
        ("y y y n y", "batch_stats_in_eval"),
    ],
)
def test_mode_and_requires_grad_are_two_switches(typed: str, belief: str) -> None:
    """Frozen parameters and an undone eval leave the buffers moving; eval lets gradients through."""
    variant = solved("running_stats.frozen")
    assert grade(variant, "y y y n n").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


def test_two_slips_in_a_grid_are_both_named() -> None:
    """Every row is an answer of its own."""
    assert named(solved("running_stats.frozen"), "n y n n n") == [
        "frozen_params_freeze_buffers",
        "eval_blocks_gradients",
    ]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("nn ny nn ny", "examples_apart"),
        ("yn nn nn ny", "layer_norm_over_channels"),
        ("yn ny yn ny", "batchnorm_axes"),
        ("yn ny nn yy", "examples_averaged_too"),
        ("yn ny nn nn", "interleaved_groups"),
    ],
)
def test_cells_of_images_that_share_a_mean(typed: str, belief: str) -> None:
    """P and Q: one channel, two examples. P and R: one example, two channels of the first group."""
    variant = solved(
        "statistics.sharing_grid", shape="2,4,3,3", groups="2", p="1,1,1,1", q="2,1,3,2", r="1,2,2,2"
    )
    assert grade(variant, "y n n y n n n y").outcome is Outcome.CORRECT
    assert named(variant, " ".join(typed.replace(" ", ""))) == [belief]


@pytest.mark.parametrize("layer", ["LayerNorm", "RMSNorm"])
@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("n n y y y n", "rows_columns_swapped"),
        ("n y n n n y", "own_sequence_only"),
        ("y n n n n y", "same_step_only"),
        ("y y n n y y", "tokens_averaged_too"),
        ("y y n y n y", "examples_averaged_too"),
    ],
)
def test_numbers_of_tokens_that_share_a_mean(layer: str, typed: str, belief: str) -> None:
    """Q: another sequence; R: another time step; S: another feature of the same token."""
    cells = {"p": "1,1,1", "q": "2,1,1", "r": "1,2,1", "s": "1,1,2"}
    variant = solved("statistics.sharing_tokens", shape="2,3,4", layer=layer, **cells)
    assert grade(variant, "y y n n n y").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("case", "right", "wrong", "belief"),
    [
        ("BatchNorm NCHW", "(0, 2, -1)", "1", "kept_axes_named"),
        ("BatchNorm NCHW", "0 2 3", "2 3", "examples_apart"),
        ("BatchNorm NCHW", "{3, 2, 0}", "0", "batch_axis_only"),
        ("BatchNorm NHWC", "0 1 2", "0 1 2 3", "channels_averaged_too"),
        ("LayerNorm BTD", "-1", "1 2", "whole_example_averaged"),
        ("RMSNorm TBD", "2", "1 2", "examples_averaged_too"),
        ("InstanceNorm NCHW", "2 3", "0 2 3", "examples_averaged_too"),
        ("LayerNorm-C NCHW", "1", "0 2 3", "kept_axes_named"),
        ("LayerNorm-CHW NCHW", "1 2 3", "1", "positions_forgotten"),
        ("GroupNorm NGKHW", "2 3 4", "3 4", "channels_apart"),
    ],
)
def test_the_axes_that_are_averaged_away(case: str, right: str, wrong: str, belief: str) -> None:
    """Axes as PyTorch's `dim` takes them."""
    variant = solved("statistics.mean_axes", case=case)
    assert grade(variant, right).outcome is Outcome.CORRECT
    assert named(variant, wrong) == [belief]


@pytest.mark.parametrize("case", givens(family("statistics.mean_axes"))["case"].options)
def test_every_layout_is_confirmed_by_its_layer(case: str) -> None:
    """PyTorch's layer, tried against all sets of axes, agrees also for layouts that are drawn rarely."""
    verified = solved("statistics.mean_axes", case=case).verified
    assert verified is not None
    assert verified.max_abs_diff == 0


@pytest.mark.parametrize(
    ("name", "shape", "right"),
    [
        ("axis_trap", "8,64,32,64", "Each row of an image gets its own mean, over $W$ values."),
        ("axis_trap", "8,64,64,32", "It raises an error."),
        ("axis_trap_tokens", "4,16,16", "Each time step gets its own mean, over $NE$ values."),
        ("axis_trap_tokens", "4,10,16", "It raises an error."),
    ],
)
def test_a_wrong_axis_is_silent_only_for_equal_sizes(name: str, shape: str, right: str) -> None:
    """W = C for `LayerNorm(C)` on images, L = E for `BatchNorm1d(E)` on tokens."""
    variant = solved(f"statistics.{name}", shape=shape)
    assert option(variant) == right
    other = 1 if right.endswith("error.") else 0
    assert belief_of(variant, option(variant, other)) == "size_check_misjudged"
    assert belief_of(variant, option(variant, 2)) == "features_found_by_size"


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("y y y n n", "powers_of_two_only"),
        ("y y n y y", "larger_groups_allowed"),
        ("y y y y n", "any_smaller_number"),
        ("n y n n n", "ends_refused"),
    ],
)
def test_groups_must_divide_the_channels(typed: str, belief: str) -> None:
    """Of 1, 2, 4, 6 and 12 all but 4 and 12 divide 6."""
    variant = solved("statistics.valid_groups", width="6", groups="1,2,4,6,12")
    assert grade(variant, "y y n y n").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(("width", "count"), [("1", 1), ("7", 2), ("12", 6), ("4096", 13), ("3600", 45)])
def test_the_numbers_of_groups_are_the_divisors(width: str, count: int) -> None:
    """12 = 2²·3 has 3·2 divisors, 4096 = 2¹² has 13, 3600 = 2⁴·3²·5² has 5·3·3."""
    assert solved("statistics.group_choices", width=width).answer == count


def test_miscounted_numbers_of_groups_are_named() -> None:
    """1, 2, 3, 4, 6 and 12 divide 12: without the ends 4, powers of two 3, without 12 itself 5."""
    variant = solved("statistics.group_choices", width="12")
    assert named(variant, "4") == ["ends_refused"]
    assert named(variant, "3") == ["powers_of_two_only"]
    assert named(variant, "5") == ["own_number_refused"]
    assert named(variant, "12") == ["any_smaller_number"]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("n n n n n", "buffers_not_saved"),
        ("y y y n n", "running_counted_as_learned"),
        ("y n n n n", "counter_forgotten"),
        ("y n y y n", "rms_has_bias"),
        ("y n y n y", "batchnorm_defaults_assumed"),
    ],
)
def test_what_is_saved_and_what_is_learned(typed: str, belief: str) -> None:
    """The running mean and the counter are saved, not learned; RMSNorm's bias, InstanceNorm's γ: absent."""
    variant = solved("statistics.state_dict")
    assert grade(variant, "y n y n n").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("y y n y y n", "rms_shift_invariant"),
        ("n y n y n n", "layernorm_factor_passes_on"),
        ("y y n n n n", "rms_factor_passes_on"),
        ("y y y y n y", "negative_factor_ignored"),
        ("y n n y n n", "layernorm_shift_passes_on"),
    ],
)
def test_what_layernorm_and_rmsnorm_take_out(typed: str, belief: str) -> None:
    """2x is taken out by both, x + 3 by LayerNorm alone, −x by neither."""
    variant = solved("other_norms.invariance", factors="2,1,-1", shifts="0,3,0")
    assert grade(variant, "y y n y n n").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("y y n y y y", "small_eps_survives"),
        ("n n n y y y", "subnormals_lost"),
        ("n y y y y y", "only_large_inputs_overflow"),
        ("n y n y n n", "bfloat16_like_float16"),
    ],
)
def test_half_precision_loses_small_eps_and_large_squares(typed: str, belief: str) -> None:
    """float16: 1e-8 is lost, 1e-5 a subnormal, 300² too large, 200² not; bfloat16 holds all of them."""
    variant = solved("other_norms.half_precision", eps="1e-8,1e-5", x="300,200")
    assert grade(variant, "n y n y y y").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


def test_the_edges_of_float16() -> None:
    """The smallest subnormal is 2^-24; 255² = 65025 fits below 65504 and 256² = 65536 does not."""
    edges = solved("other_norms.half_precision", eps="2^-24,2^-25", x="255,256")
    assert edges.answer[:4] == (1, 0, 1, 0)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("n n n n", "only_own_input_matters"),
        ("n y y y", "others_always_fall"),
        ("n y n n", "mean_not_removed"),
    ],
)
def test_which_outputs_fall_when_the_first_input_rises(typed: str, belief: str) -> None:
    """For 0, 2, 4, 6 the first column of the Jacobian is 0.1342, −0.1789, −0.0447, 0.0894."""
    variant = solved("backward.jacobian_sign", x="0,2,4,6")
    assert grade(variant, "n y y n").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


def test_a_negative_gamma_turns_every_direction() -> None:
    """With γ = −2 the first and the last output fall instead."""
    variant = solved("backward.jacobian_sign", x="0,2,4,6", gamma="-2")
    assert grade(variant, "y n n y").outcome is Outcome.CORRECT
    assert named(variant, "n y y n") == ["gamma_sign_ignored"]


@pytest.mark.parametrize(
    ("name", "given", "parameter"),
    [
        ("batchnorm.invariance", {"x": "1,2", "factor": "0", "shift": "1"}, "factor"),
        ("batchnorm.invariance", {"x": "1,2", "factor": "1", "shift": "1"}, "factor"),
        ("batchnorm.invariance", {"x": "1,2", "factor": "2", "shift": "0"}, "shift"),
        ("batchnorm.invariance", {"x": "1,2", "factor": "2", "shift": "1e90"}, "shift"),
        ("batchnorm.invariance", {"x": "2,2", "factor": "2", "shift": "1"}, "x"),
        ("batchnorm.invariance", {"x": "1,2", "factor": "2", "shift": "1", "gamma": "0"}, "gamma"),
        ("batchnorm.degenerate", {"x": "1,2"}, "x"),
        ("batchnorm.degenerate", {"x": "1,1", "beta": "0"}, "beta"),
        ("batchnorm.degenerate", {"x": "1", "mode": "off"}, "mode"),
        ("running_stats.untracked", {"x": "5"}, "x"),
        ("running_stats.untracked", {"x": "1,3", "index": "3"}, "index"),
        ("running_stats.untracked", {"x": "-1,0,1", "index": "2"}, "x"),
        ("running_stats.mode_trace", {"x": "1,2;3,4", "script": "FEFTN"}, "x"),
        ("running_stats.mode_trace", {"x": "1;2;3", "script": "FEFTN"}, "x"),
        ("running_stats.mode_trace", {"x": "1,2;3,4;5,6", "script": "FFF"}, "script"),
        ("running_stats.mode_counter", {"train": "0"}, "train"),
        ("running_stats.frozen", {"a": "frozen"}, "a"),
        ("statistics.mean_axes", {"case": "BatchNorm"}, "case"),
        ("statistics.axis_trap", {"shape": "8,1,4,4"}, "shape"),
        ("statistics.axis_trap", {"shape": "1,65536,4,65536"}, "shape"),
        ("statistics.axis_trap_tokens", {"shape": "1,4,4"}, "shape"),
        ("statistics.valid_groups", {"width": "8", "groups": "1,2,4,4,8"}, "groups"),
        ("statistics.valid_groups", {"width": "8", "groups": "0,1,2,4,8"}, "groups"),
        ("statistics.group_choices", {"width": "5000"}, "width"),
        ("statistics.state_dict", {"a": "bn"}, "a"),
        ("other_norms.invariance", {"factors": "0,1"}, "factors"),
        ("other_norms.invariance", {"factors": "2,1"}, "factors"),
        ("other_norms.invariance", {"factors": "2,3", "shifts": "1"}, "shifts"),
        ("other_norms.half_precision", {"eps": "1e-8", "x": "1,2"}, "eps"),
        ("other_norms.half_precision", {"eps": "1e-8,-1e-5", "x": "1,2"}, "eps"),
        ("other_norms.half_precision", {"eps": "1e-8,1e-5", "x": "1,1e30"}, "x"),
        ("backward.jacobian_sign", {"x": "1,2"}, "x"),
        ("backward.jacobian_sign", {"x": "1,2,4", "input": "4"}, "input"),
        ("backward.jacobian_sign", {"x": "1,2,4", "gamma": "0"}, "gamma"),
        ("backward.jacobian_sign", {"x": "2,2,2"}, "x"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_are_refused(name: str, given: dict[str, str], parameter: str) -> None:
    """The refusal names the parameter at fault; with two values BatchNorm's outputs do not move at all."""
    with pytest.raises(Refused) as refused:
        solved(name, **given)
    assert refused.value.name == parameter


@pytest.mark.parametrize(
    ("shape", "groups", "cells", "parameter"),
    [
        ("2,4,1,1", "2", ("1,1,1,1", "2,1,1,1", "1,2,1,1"), "shape"),
        ("64,64,64,64", "2", ("1,1,1,1", "2,1,1,1", "1,2,1,1"), "shape"),
        ("2,5,2,2", "2", ("1,1,1,1", "2,1,1,1", "1,2,1,1"), "groups"),
        ("2,4,2,2", "2", ("1,1,1,1", "1,1,1,1", "1,2,1,1"), "q"),
        ("2,4,2,2", "2", ("1,1,1,1", "2,1,1,1", "1,5,1,1"), "r"),
        ("2,4,2,2", "2", ("0,1,1,1", "2,1,1,1", "1,2,1,1"), "p"),
    ],
)
def test_cells_outside_an_image_batch_are_refused(
    shape: str, groups: str, cells: tuple[str, str, str], parameter: str
) -> None:
    """So are single positions, which InstanceNorm refuses, groups that do not divide, and P itself."""
    p, q, r = cells
    with pytest.raises(Refused) as refused:
        solved("statistics.sharing_grid", shape=shape, groups=groups, p=p, q=q, r=r)
    assert refused.value.name == parameter


@pytest.mark.parametrize(
    ("shape", "cells", "parameter"),
    [
        ("1,1,4", ("1,1,1", "1,1,2", "1,1,3", "1,1,4"), "shape"),
        ("2,3,4", ("1,1,1", "3,1,1", "1,2,1", "1,1,2"), "q"),
        ("2,3,4", ("1,1,1", "2,1,1", "1,2,1", "1,1,1"), "s"),
    ],
)
def test_cells_outside_a_token_batch_are_refused(shape: str, cells: tuple[str, ...], parameter: str) -> None:
    """So are a single token, which BatchNorm refuses in training mode, and P itself."""
    with pytest.raises(Refused) as refused:
        solved("statistics.sharing_tokens", shape=shape, **dict(zip("pqrs", cells, strict=True)))
    assert refused.value.name == parameter
