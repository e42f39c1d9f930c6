"""Field reports about normalization layers, through the families that answer them."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
import torch

from studynorm.engine.discrete import Choice
from studynorm.engine.family import Family, Refused
from studynorm.engine.files import family_files
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.numbers import distance, scale_of
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant, draw


def solved(name: str, **given: str) -> Variant:
    """Return the verified variant of these numbers at level 3."""
    family: Any = load_family(name)
    assert isinstance(family, Family), family
    return verified_values(family, 3, given, torch)


# -- B38: one value per channel --------------------------------------------------------------------
@pytest.mark.parametrize(
    "name", ["batchnorm.vector", "batchnorm.entry", "running_stats.mean", "running_stats.variance"]
)
def test_one_value_per_channel_is_undefined_in_training(name: str) -> None:
    """A batch of one has no variance: refused with the reason and the way out."""
    with pytest.raises(Refused, match=r"undefined for one value per channel; give at least two"):
        solved(name, x="1")


def test_three_values_of_one_example_are_fine() -> None:
    """Positions count as values: 1, 2, 3 with ε = 1e-5 gives ∓1.224736 and 0."""
    assert solved("batchnorm.vector", x="1,2,3", eps="1e-5").answer == pytest.approx(
        [-1.224736, 0.0, 1.224736], abs=1e-6
    )


def test_eval_mode_takes_a_single_input() -> None:
    """With running mean 0 and variance 1 untouched (momentum 0), eval mode is the identity up to ε."""
    for query in ("1", "2"):
        variant = solved("running_stats.eval_output", x="1,2", momentum="0", query=query, eps="1e-5")
        assert variant.answer == pytest.approx(float(query), abs=1e-5 * float(query))


def test_one_row_in_training_is_an_error_and_in_eval_a_number() -> None:
    """The family about such channels says so: a ValueError in training, 2·5 + 1 in eval mode."""
    training, evaluated = (
        solved("batchnorm.degenerate", x="5", mode=mode, gamma="2") for mode in ("train", "eval")
    )
    assert isinstance(training.kind, Choice)
    assert isinstance(evaluated.kind, Choice)
    assert "ValueError" in training.kind.options[training.answer]
    assert evaluated.kind.options[evaluated.answer].strip("$`") == "11"


# -- B39: the two variances ------------------------------------------------------------------------
def test_the_output_divides_by_n() -> None:
    """The batch 2, 4, 9 is normalized with 26/3."""
    assert solved("batchnorm.vector", x="2,4,9", eps="1e-5").answer == pytest.approx(
        [-1.019049, -0.339683, 1.358732], abs=1e-6
    )


def test_the_running_statistics_of_the_same_batch() -> None:
    """From 0 and 1 with momentum 0.1 they move to 0.5 and 0.9 + 0.1·13 = 2.2."""
    assert solved("running_stats.mean", x="2,4,9").answer == pytest.approx(0.5, abs=1e-12)
    assert solved("running_stats.variance", x="2,4,9").answer == pytest.approx(2.2, abs=1e-12)


def test_the_other_variance_is_wrong_and_named() -> None:
    """0.9 + 0.1·26/3 = 1.7667 is the biased convention; dividing the output by 13 is the unbiased one."""
    verdict = grade(solved("running_stats.variance", x="2,4,9"), "1.7667")
    assert verdict.outcome is Outcome.WRONG
    assert [slip.id for slip in verdict.misconceptions] == ["biased_running_variance"]
    assert "n - 1" in verdict.message
    verdict = grade(solved("batchnorm.vector", x="2,4,9", eps="1e-5"), "(-3, -1, 4)/sqrt(13)")
    assert [slip.id for slip in verdict.misconceptions] == ["unbiased_variance"]


# -- B42: ε ----------------------------------------------------------------------------------------
def test_zero_variance_with_visible_eps_gives_beta() -> None:
    """Equal values are all β after the layer, whatever γ is."""
    for value in ("3", "0.1"):
        variant = solved("batchnorm.vector", x=",".join([value] * 3), eps="1e-5", gamma="2", beta="-1.5")
        assert variant.answer == pytest.approx([-1.5] * 3, abs=1e-9)
        assert grade(variant, "-1.5 -1.5 -1.5").outcome is Outcome.CORRECT


def test_zero_variance_with_zero_eps_is_undefined() -> None:
    """0/0 is refused with the reason."""
    with pytest.raises(Refused, match="0/0"):
        solved("batchnorm.vector", x="3,3,3", eps="0")


@pytest.mark.parametrize("eps", ["-1e-5", "nan", "-inf", "1e400"])
def test_a_negative_or_undefined_eps_is_refused(eps: str) -> None:
    """The parameter is named."""
    with pytest.raises(Refused, match="eps"):
        solved("batchnorm.vector", x="0,2,4,6", eps=eps)


def test_zero_eps_is_valid_and_its_stand_in_is_said() -> None:
    """On 0, 2, 4, 6 the answer is exact, and `verified` says what torch was given instead."""
    variant = solved("batchnorm.vector", x="0,2,4,6", eps="0")
    assert variant.answer == pytest.approx([-3 / 5**0.5, -1 / 5**0.5, 1 / 5**0.5, 3 / 5**0.5], rel=1e-12)
    assert variant.verified is not None
    assert "ε = 5e-324" in variant.verified.note
    assert variant.verified.dtype == "float64"


def test_equal_features_give_zero_where_eps_is_visible() -> None:
    """Four zeros through LayerNorm with ε = 1e-12 are zeros: the key is float64's, whatever half can hold."""
    assert solved("other_norms.layernorm", x="0,0,0,0", eps="1e-12").answer == (0, 0, 0, 0)
    half = solved("other_norms.half_precision", eps="1e-12,1e-5", x="256,1")
    # float16: 1e-12 is gone, 1e-5 stays; 256² is too large, 1² is not. bfloat16 has float32's range.
    assert half.answer == (0, 1, 0, 1, 1, 1)


@pytest.mark.parametrize("name", ["other_norms.layernorm", "other_norms.layernorm_tokens"])
def test_equal_features_with_zero_eps_are_undefined(name: str) -> None:
    """3, 3, 3 with ε = 0 is refused as 0/0."""
    with pytest.raises(Refused, match="0/0"):
        solved(name, x="3,3,3", eps="0")


def test_keys_are_of_float64_where_bfloat16_loses_the_small_number() -> None:
    """256 + 1 is 256 in bfloat16; the mean asked for is 128.5, three digits are wanted, and 128 is wrong."""
    assert (torch.tensor(256.0, dtype=torch.bfloat16) + 1).item() == 256
    variant = solved("running_stats.mean", x="256,1", momentum="1")
    assert variant.answer == 128.5
    assert variant.verified is not None
    assert variant.verified.dtype == "float64"
    assert grade(variant, "128.5").outcome is Outcome.CORRECT
    assert grade(variant, "128.0").outcome is Outcome.WRONG


# -- B43: groups -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"x": "1;2;3;4;5;6", "groups": "5"}, "a divisor of the 6 channels is wanted, not 5"),
        ({"x": "1;2;3;4", "groups": "0"}, "1 to 8 is wanted, not 0"),
        ({"x": "1;2;3;4", "groups": "-1"}, "1 to 8 is wanted, not -1"),
    ],
)
def test_groups_that_do_not_divide_the_channels_are_refused(given: dict[str, str], said: str) -> None:
    """Torch says RuntimeError, ZeroDivisionError and nothing; here it is one sentence about `groups`."""
    with pytest.raises(Refused) as refused:
        solved("other_norms.groupnorm", **given)
    assert str(refused.value) == f"groups: {said}"


@pytest.mark.parametrize(
    ("channels", "groups", "said"),
    [
        ("6", "5", "a divisor of the 6 channels is wanted, not 5"),
        ("4", "0", "1 to 1048576 is wanted, not 0"),
        ("4", "-1", "1 to 1048576 is wanted, not -1"),
    ],
)
def test_groups_are_refused_where_they_are_counted(channels: str, groups: str, said: str) -> None:
    """The family that counts a GroupNorm's means refuses the same numbers of groups."""
    with pytest.raises(Refused) as refused:
        solved("statistics.groupnorm_count", shape=f"2,{channels},3,3", groups=groups)
    assert str(refused.value) == f"groups: {said}"


@pytest.mark.parametrize("groups", ["0", "-1"])
def test_no_groups_and_fewer_are_refused_as_candidates(groups: str) -> None:
    """Torch builds GroupNorm(-1, 4) without complaint, so it is not even asked about."""
    with pytest.raises(Refused, match="groups: 1 to 1048576 is wanted"):
        solved("statistics.valid_groups", width="4", groups=f"1,2,3,4,{groups}")


def test_five_groups_of_six_channels_cannot_be_built() -> None:
    """The family that asks which numbers of groups are allowed answers no for 5 and 4, yes for 1, 2 and 3."""
    assert solved("statistics.valid_groups", width="6", groups="5,4,1,2,3").answer == (0, 0, 1, 1, 1)


@pytest.mark.parametrize(("channel", "value"), [("1", -0.999995), ("2", 0.999995), ("3", -1.0), ("4", 1.0)])
def test_two_groups_of_two_channels(channel: str, value: float) -> None:
    """1, 3 and 10, 30 are normalized apart: ±1, less what ε = 1e-5 takes from a variance of 1."""
    variant = solved("other_norms.groupnorm", x="1;3;10;30", groups="2", channel=channel, eps="1e-5")
    assert variant.answer == pytest.approx(value, abs=5e-7)


def test_a_scale_of_another_width_is_refused() -> None:
    """Three scales for four features: the parameter at fault is named with the length that fits."""
    with pytest.raises(Refused, match="gamma: has 3 entries; give as many as x has: 4"):
        solved("other_norms.layernorm", x="1,2,3,4", gamma="1,1,1")


def test_drawn_groups_always_divide_the_channels() -> None:
    """No draw of a family with groups asks for an impossible layer."""
    for name in ("other_norms.groupnorm", "statistics.groupnorm_count"):
        family: Any = load_family(name)
        assert isinstance(family, Family)
        for level in family.levels:
            for seed in range(100):
                params, _ = draw(family, level, seed)
                channels = len(params.x) if name.startswith("other") else params.shape[1]
                assert channels % params.groups == 0


# -- B44: threads and devices ----------------------------------------------------------------------
KEYS = """
import json, os, sys
from studynorm.engine.files import family_files
from studynorm.worker import lab
def keys():
    variants = [lab.variant(family, 3, 7) for family in family_files()]
    print(json.dumps([[variant.family, variant.question, variant.answer] for variant in variants]))
keys()
if len(sys.argv) > 1:
    lab.torch_module().set_num_threads(int(sys.argv[1]))
    keys()
"""
Keys = list[tuple[str, str, Any]]


def keys(*arguments: str, **environment: str) -> list[Keys]:
    """Return question and key of every family for seed 7, as the engine process gives them.

    With a number as the argument, once more with so many torch threads.
    """
    done = subprocess.run(
        [sys.executable, "-c", KEYS, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stderr == ""
    return [[tuple(row) for row in json.loads(line)] for line in done.stdout.splitlines()]


def test_a_seed_gives_the_same_question_and_key_on_every_machine() -> None:
    """Whatever threads and cards the environment names, the engine's keys are the same to the last digit.

    Torch on four threads asks the same and may add up in another order: equal to 1e-12·S.
    """
    (alone,) = keys(OMP_NUM_THREADS="1")
    assert [family for family, _, _ in alone] == list(family_files())
    same, threaded = keys("4", OMP_NUM_THREADS="4", CUDA_VISIBLE_DEVICES="99")
    assert same == alone
    for (family, question, key), (_, again, other) in zip(alone, threaded, strict=True):
        assert again == question
        exact = isinstance(key, str)
        assert (key == other) if exact else distance(key, other) <= 1e-12 * scale_of(key), family


# -- the worked examples of the lesson -------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "given", "answer"),
    [
        ("batchnorm.vector", {"x": "0,2,4,6", "eps": "0"}, (-1.3416408, -0.4472136, 0.4472136, 1.3416408)),
        (
            "backward.input_gradient",
            {"x": "0,2,4,6", "upstream": "1,0,0,0"},
            (0.1341641, -0.1788854, -0.0447214, 0.0894427),
        ),
        ("running_stats.variance", {"x": "0,2,4,6"}, 1.5666667),
        ("running_stats.eval_output", {"x": "0,2,4,6", "query": "3"}, 2.1571),
        (
            "residual.product",
            {"plus_count": "25", "plus": "0.1", "minus_count": "25", "minus": "0.1"},
            0.99**25,
        ),
    ],
)
def test_the_worked_examples(name: str, given: dict[str, str], answer: Any) -> None:
    """The lesson's numbers come out, verified."""
    variant = solved(name, **given)
    assert variant.answer == pytest.approx(answer, rel=2e-5)
    assert variant.verified is not None
    assert variant.verified.max_abs_diff < 1e-12


def test_the_exact_product_of_many_branches_may_be_typed() -> None:
    """1.01^500·0.99^500 is right although its digits fill a page."""
    variant = solved("residual.product", plus_count="500", plus="0.01", minus_count="500", minus="0.01")
    assert grade(variant, "1.01^500*0.99^500").outcome is Outcome.CORRECT
    assert grade(variant, "0.9999^500").outcome is Outcome.CORRECT
