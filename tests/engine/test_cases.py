"""Field reports about BatchNorm's statistics and ε, through the families that answer them."""

from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant


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
