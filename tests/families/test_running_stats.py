"""`running_stats.*`: values computed by hand, named slips and what is refused."""

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


@pytest.mark.parametrize(
    ("name", "x", "value"),
    [
        ("mean", "0,2,4,6", 0.3),
        ("mean", "2,4,9", 0.5),
        ("variance", "0,2,4,6", 47 / 30),
        ("variance", "2,4,9", 2.2),
    ],
)
def test_a_fresh_layer_after_one_step(name: str, x: str, value: float) -> None:
    """From mean 0 and variance 1 with m = 0.1: 0.1·3, 0.1·5, 0.9 + 0.1·20/3 and 0.9 + 0.1·13."""
    assert solved(name, x=x).answer == pytest.approx(value, rel=1e-12)


def test_the_input_three_in_eval_mode() -> None:
    """After one step on 0, 2, 4, 6 a fresh layer maps 3 to 2.7/√(47/30), about 2.157."""
    variant = solved("eval_output", x="0,2,4,6", query="3", eps="0")
    assert variant.answer == pytest.approx(2.1571257, abs=1e-7)
    assert grade(variant, "2.7/sqrt(47/30)").outcome is Outcome.CORRECT
    assert grade(variant, "2.16").outcome is Outcome.CORRECT
    assert variant.verified is not None
    assert "ε = 5e-324" in variant.verified.note


def test_scale_shift_and_eps_act_in_eval_mode() -> None:
    """With m = 1 the batch 0, 2, 4, 6 leaves mean 3, variance 20/3: −2·(7 − 3)/√(20/3 + 7/3) + 5."""
    variant = solved("eval_output", x="0,2,4,6", momentum="1", gamma="-2", beta="5", eps="7/3", query="7")
    assert variant.answer == pytest.approx(-2 * 4 / 3 + 5, rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("2.9", "keras_momentum"),
        ("3", "replaced"),
        ("0.3", "start_forgotten"),
        ("2.3", "start_not_decayed"),
    ],
)
def test_slips_about_the_mean_are_named(typed: str, belief: str) -> None:
    """Mean 3 meets the running mean 2 with m = 0.1; right is 2.1."""
    variant = solved("mean", x="0,2,4,6", running_mean="2")
    assert grade(variant, "2.1").outcome is Outcome.CORRECT
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("1.4", "biased_running_variance"),
        ("6.1", "keras_momentum"),
        ("4.6", "keras_momentum_biased"),
        ("20/3", "replaced"),
        ("0.9 + 0.1*sqrt(20/3)", "used_std"),
        ("4/3*1.4", "correction_on_old"),
        ("2/3", "start_forgotten"),
        ("5/3", "start_not_decayed"),
    ],
)
def test_slips_about_the_variance_are_named(typed: str, belief: str) -> None:
    """The batch 0, 2, 4, 6 has variance 5 by n and 20/3 by n − 1; the fresh layer's is 1."""
    assert named(solved("variance", x="0,2,4,6"), typed) == [belief]


@pytest.mark.parametrize("typed", ["1.7667", "1.767", "0.9 + 2.6/3"])
def test_the_biased_update_of_a_batch_of_three_is_named(typed: str) -> None:
    """The batch 2, 4, 9 gives 0.9 + 0.1·26/3 to those who divide by n; torch gives 2.2."""
    assert named(solved("variance", x="2,4,9"), typed) == ["biased_running_variance"]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("1", "batch_stats_in_eval"),
        ("1 + 5.4/sqrt(1.4)", "biased_running_variance"),
        ("1 + 5.4/(47/30)", "divided_by_variance"),
        ("7", "start_stats"),
        ("2.7/sqrt(47/30)", "affine_dropped"),
    ],
)
def test_slips_about_the_eval_output_are_named(typed: str, belief: str) -> None:
    """With γ = 2 and β = 1 the input 3 comes out as 1 + 5.4/√(47/30)."""
    variant = solved("eval_output", x="0,2,4,6", query="3", gamma="2", beta="1", eps="0")
    assert variant.answer == pytest.approx(1 + 5.4 / sqrt(47 / 30), rel=1e-12)
    assert named(variant, typed) == [belief]


def test_a_visible_eps_that_is_left_out_is_named() -> None:
    """With ε = 1 the divisor is √(47/30 + 1)."""
    variant = solved("eval_output", x="0,2,4,6", query="3", eps="1")
    assert variant.answer == pytest.approx(2.7 / sqrt(77 / 30), rel=1e-12)
    assert named(variant, "2.7/sqrt(47/30)") == ["eps_ignored"]


@pytest.mark.parametrize("momentum", ["0", "1"])
def test_slips_that_hit_the_truth_are_never_named(momentum: str) -> None:
    """At m = 1 the running mean is replaced, at m = 0 nothing is added: then those are right."""
    slips = {
        slip.id: slip
        for slip in solved("mean", x="1,3,8", running_mean="2", momentum=momentum).misconceptions
    }
    assert not slips["replaced" if momentum == "1" else "start_not_decayed"].distinguishable


def test_a_constant_batch_moves_the_running_variance_towards_zero() -> None:
    """Equal values have variance 0, so 0.9 of the old running variance is left."""
    assert solved("variance", x="3,3,3", running_var="2").answer == pytest.approx(1.8, rel=1e-12)


@pytest.mark.parametrize(
    ("family", "given", "name"),
    [
        ("mean", {"x": "5"}, "x"),
        ("mean", {"x": "0,2", "momentum": "1.1"}, "momentum"),
        ("mean", {"x": "0,2", "momentum": "-0.1"}, "momentum"),
        ("mean", {"x": "0,2", "momentum": "nan"}, "momentum"),
        ("mean", {"x": "0,2", "running_mean": "1,2"}, "running_mean"),
        ("variance", {"x": "5"}, "x"),
        ("variance", {"x": "0,2", "momentum": "2"}, "momentum"),
        ("variance", {"x": "0,2", "running_var": "-1"}, "running_var"),
        ("eval_output", {"x": "0,2"}, "query"),
        ("eval_output", {"x": "5", "query": "3"}, "x"),
        ("eval_output", {"x": "5,5,5", "query": "3", "eps": "0"}, "x"),
        ("eval_output", {"x": "0,2", "query": "3", "eps": "-1e-5"}, "eps"),
        ("eval_output", {"x": "0,2", "query": "3", "eps": "nan"}, "eps"),
        ("eval_output", {"x": "0,2", "query": "3", "momentum": "1.5"}, "momentum"),
        (
            "eval_output",
            {"x": "0,2", "query": "3", "momentum": "0", "running_var": "0", "eps": "0"},
            "running_var",
        ),
    ],
)
def test_values_outside_the_domain_are_refused(family: str, given: dict[str, str], name: str) -> None:
    """The refusal names the parameter at fault."""
    with pytest.raises(Refused) as refused:
        solved(family, **given)
    assert refused.value.name == name
