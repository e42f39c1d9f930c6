"""`code_reading.*`: what PyTorch prints and raises, known from its documentation and by hand."""

import sys
from dataclasses import replace
from typing import Any

import pytest
import torch

from studynorm.engine.discrete import Choice, CodeLine, Match, Order
from studynorm.engine.family import Family, Refused, givens
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import Disagreement, verified_values, verify
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant, from_values


def family(name: str) -> Family[Any]:
    """Return a family of this topic that can be loaded."""
    loaded: Any = load_family(f"code_reading.{name}")
    assert isinstance(loaded, Family), loaded
    return loaded


def solved(name: str, **given: str) -> Variant:
    """Return the verified variant of these values, its options in the author's order."""
    variant = verified_values(family(name), 2, given, torch)
    if isinstance(variant.kind, Choice | Order | Match):
        return replace(variant, kind=replace(variant.kind, order=()))
    return variant


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


FAULTS = givens(family("spot_bug"))["fault"].options


@pytest.mark.parametrize("fault", FAULTS)
def test_mending_the_line_makes_the_program_agree_with_torch(fault: str) -> None:
    """The oracle runs the faulty and the mended program against PyTorch's own layer."""
    variant = solved("spot_bug", fault=fault)
    assert variant.verified is not None
    assert variant.verified.max_abs_diff == 0
    assert len(variant.misconceptions) >= 2
    assert isinstance(variant.kind, CodeLine)
    assert all(len(line) <= 80 for line in variant.kind.code)


def test_the_reports_tell_the_faults_apart() -> None:
    """There are at least fifty faults, and no two are reported alike."""
    prompts = {from_values(family("spot_bug"), 1, {"fault": fault})[1].prompt for fault in FAULTS}
    assert len(prompts) == len(FAULTS) >= 50


def test_a_fault_that_breaks_nothing_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A “fault” that writes the right line in other words is found out by running it."""
    own = family("spot_bug")
    module = sys.modules[type(own).__module__]
    program, bug = module.FAULTS["layer_norm_1"]
    harmless = {**bug, "line": 7, "text": "    x_hat = centred * (1 / std)"}
    monkeypatch.setitem(module.FAULTS, "layer_norm_1", (program, harmless))
    params, variant = from_values(own, 1, {"fault": "layer_norm_1"})
    with pytest.raises(Disagreement):
        verify(own, params, variant, torch)


def test_an_innocent_line_is_defended() -> None:
    """The biased variance in the forward pass is right; the fault is the running update."""
    variant = solved("spot_bug", fault="batch_norm_4")
    assert grade(variant, "8").outcome is Outcome.CORRECT
    assert grade(variant, "line 8").outcome is Outcome.CORRECT
    assert named(variant, "5") == ["unbiased_variance"]
    assert "biased" in grade(variant, "5").message


@pytest.mark.parametrize(
    ("snippet", "shape"),
    [
        ("mean_keepdim", (1, 16, 1)),
        ("running_mean", (16,)),
        ("layernorm_weight", (32,)),
        ("two_axes", (16, 32)),
        ("groupnorm_weight", (16,)),
        ("group_means", (8, 2)),
        ("tokens_as_channels", (8, 32, 16)),
        ("outer_difference", (32, 32)),
        ("feed_forward_default", (2048, 32)),
        ("in_projection", (96, 32)),
        ("folded_weight", (7, 16, 3)),
        ("stacked_skip", (8, 16, 32)),
    ],
)
def test_shapes_that_are_printed(snippet: str, shape: tuple[int, ...]) -> None:
    """For x of shape (8, 16, 32); the documented default of `dim_feedforward` is 2048."""
    assert solved("predict_shape", shape="8,16,32", snippet=snippet).answer == shape


def test_slips_about_shapes_are_named() -> None:
    """The kept axes, and the default that is not four times the width."""
    assert named(solved("predict_shape", shape="8,16,32"), "16") == ["keepdim_ignored"]
    variant = solved("predict_shape", shape="8,16,32", snippet="feed_forward_default")
    assert named(variant, "(128, 32)") == ["four_times_width_default"]


@pytest.mark.parametrize(
    ("snippet", "value"),
    [
        ("var_default", 20 / 3),
        ("residual_loop", 0.0),
        ("bias_gradient", 12.0),
        ("two_steps", 0.57),
        ("no_grad", 47 / 30),
        ("fresh_eval", 0.0),
        ("rms_norm", 0.0),
        ("scale_gradient", -3 / 5**0.5),
    ],
)
def test_numbers_that_are_printed(snippet: str, value: float) -> None:
    """For x = (0, 2, 4, 6): mean 3, biased variance 5, unbiased 20/3."""
    answer = solved("predict_value", x="0,2,4,6", snippet=snippet).answer
    assert answer == pytest.approx(value, rel=1e-9, abs=1e-12)


def test_slips_about_numbers_are_named() -> None:
    """`torch.var` divides by n − 1 by default, and `no_grad` does not stop the update."""
    assert named(solved("predict_value", x="0,2,4,6"), "5.00") == ["biased_by_default"]
    variant = solved("predict_value", x="0,2,4,6", snippet="no_grad")
    assert named(variant, "1.00") == ["no_grad_stops_updates"]
    assert named(variant, "1.40") == ["biased_running_variance"]


@pytest.mark.parametrize(
    ("scene", "answer"),
    [
        ("batchnorm", (1, 1, 0, 0)),
        ("layernorm", (1, 1, 0, 1)),
        ("rmsnorm", (1, 0, 1, 0)),
        ("frozen", (0, 1, 1, 0)),
        ("gradients", (1, 1, 0, 0)),
        ("untracked", (1, 1, 0, 1)),
    ],
)
def test_lines_that_print_true(scene: str, answer: tuple[int, ...]) -> None:
    """Invariances, modes and gradients as the formulas have them."""
    assert solved("predict_bool", shape="8,6", scene=scene).answer == answer


def test_frozen_parameters_do_not_freeze_buffers() -> None:
    """The belief is named for its own line alone."""
    variant = solved("predict_bool", shape="8,6", scene="frozen")
    assert named(variant, "y y y n") == ["frozen_parameters_freeze_buffers"]
    assert named(variant, "y y n n") == ["frozen_parameters_freeze_buffers", "eval_survives_train"]


@pytest.mark.parametrize(
    ("shape", "calls", "answer"),
    [
        ("1,3,1,1", "single", (1, 0, 1, 0, 0)),
        ("5,3,1,1", "single", (0, 0, 1, 0, 0)),
        ("1,3,2,2", "single", (0, 0, 0, 0, 0)),
        ("2,6,4,4", "groups", (0, 0, 1, 0, 1)),
        ("2,64,8,64", "axes", (1, 0, 0, 0, 0)),
        ("2,64,8,32", "axes", (1, 1, 0, 0, 0)),
        ("2,6,4,4", "eps", (1, 0, 0, 0, 0)),
        ("2,6,4,4", "width", (1, 0, 0, 1, 1)),
    ],
)
def test_calls_that_raise(shape: str, calls: str, answer: tuple[int, ...]) -> None:
    """One value per channel, uneven groups, ε = 0 in training and sizes that do not fit."""
    assert solved("raises", shape=shape, calls=calls).answer == answer


def test_slips_about_errors_are_named() -> None:
    """BatchNorm with one value per channel raises, and not in eval mode."""
    variant = solved("raises", shape="1,3,1,1", calls="single")
    assert named(variant, "n n y n n") == ["one_value_gives_shift"]
    assert named(variant, "y y y n n") == ["raises_in_eval_too"]


@pytest.mark.parametrize("program", givens(family("order_lines"))["program"].options)
def test_exactly_one_order_of_the_lines_gives_what_torch_gives(program: str) -> None:
    """All orders that run are tried, decoys included."""
    variant = solved("order_lines", program=program)
    assert isinstance(variant.kind, Order)
    assert variant.answer == tuple(range(len(variant.kind.steps) - 1))
    assert all(slip.distinguishable for slip in variant.misconceptions)


def test_a_norm_behind_the_addition_is_named() -> None:
    """Pre-LN returns the stream as it is; the decoy is shown last when nothing is shuffled."""
    variant = solved("order_lines", program="pre_ln")
    assert grade(variant, "a b c d e").outcome is Outcome.CORRECT
    assert named(variant, "a b c d f") == ["normalized_after_add"]


def test_the_published_rmsnorm_example_is_recognized() -> None:
    """(0, 2, 4, 6)/√14 = (0, 0.53, 1.07, 1.60)."""
    variant = solved("identify", x="0,2,4,6;9,1,3,-2;-3,5,2,7", layer="rms_norm")
    assert r"0 & 0.53 & 1.07 & 1.6 \\" in variant.prompt
    assert variant.kind.how(variant.answer) == "a letter from a to e"
    assert grade(variant, "d").outcome is Outcome.CORRECT
    assert named(variant, "c") == ["layer_norm_instead"]


@pytest.mark.parametrize(
    ("name", "given", "parameter"),
    [
        ("identify", {"x": "1,2;1,3"}, "x"),
        ("identify", {"x": "1,2,3;4,5,7"}, "x"),
        ("identify", {"x": "0,2,4,6;9,1,3,-2;-3,5,2,7", "layer": "instance_norm"}, "layer"),
        ("identify", {"x": "5,5,1,2;9,1,4,1;-3,5,2,2"}, "x"),
        ("predict_value", {"x": "2,2,2"}, "x"),
        ("predict_shape", {"shape": "4,3,8", "snippet": "groupnorm_weight"}, "shape"),
        ("predict_shape", {"shape": "1,4,1", "snippet": "running_mean"}, "shape"),
        ("predict_bool", {"shape": "2,8"}, "shape"),
        ("raises", {"shape": "1,4,1,1"}, "shape"),
        ("raises", {"shape": "1000000,4,1000,1"}, "shape"),
        ("spot_bug", {"fault": "none"}, "fault"),
    ],
)
def test_what_makes_no_question_is_refused(name: str, given: dict[str, str], parameter: str) -> None:
    """The refusal names the parameter."""
    with pytest.raises(Refused) as refused:
        solved(name, **given)
    assert refused.value.name == parameter
