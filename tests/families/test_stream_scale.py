"""`stream_scale.*`, but for doubling: values computed by hand, named slips and what is refused."""

from math import pi
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
    family: Any = load_family(f"stream_scale.{name}")
    assert isinstance(family, Family), family
    return verified_values(family, 3, given, torch)


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


FRACTION = {"depth": "24", "denominator": "24"}
SCALED = {"depth": "3", "alpha": "0.5", "gain": "4"}
NORMALIZED = {"depth": "5", "start": "4"}
TARGET = {"depth": "2", "target": "4", "gain": "4"}
CORRELATED = {"stream": "9", "branch": "4", "correlation": "0.5"}
REZERO = {"x": "1,2", "weight": "3,-1", "upstream": "2,1"}


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("fraction", FRACTION, 2.66373),  # (25/24)^24
        ("fraction", {"depth": "4", "numerator": "3", "quantity": "rms"}, 16.0),  # the RMS doubles
        ("scaled_branch", SCALED, 8.0),  # a quarter of 4 is 1: each block doubles
        ("scaled_branch", {"depth": "2", "alpha": "-0.5", "gain": "4", "quantity": "rms"}, 2.0),
        ("normalized_branch", {"depth": "64"}, 8.06226),  # √65
        ("normalized_branch", {"depth": "64", "quantity": "variance"}, 65.0),
        ("relative_change", NORMALIZED, 1 / 3),
        ("relative_change", {"depth": "99"}, 0.1),
        ("solve_scale", TARGET, 0.5),
        ("solve_scale", {"depth": "3", "target": "8", "gain": "3", "quantity": "rms"}, 1.0),  # 4 per block
        ("correlated_branch", CORRELATED, 19.0),
        ("correlated_branch", {"stream": "3", "branch": "3", "correlation": "-1"}, 0.0),
        ("gpt2_init", {"blocks": "12"}, 0.00408248),  # 0.02/√24
        ("fixup", {"depth": "100"}, 0.1),
        ("fixup", {"depth": "16", "layers": "3"}, 0.5),
    ],
)
def test_values_worked_out_by_hand(name: str, given: dict[str, str], value: float) -> None:
    """One number each; five of the six digits shown are checked."""
    assert solved(name, **given).answer == pytest.approx(value, rel=2e-6, abs=1e-12)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"branch": "relu_linear", "gains": "2"}, 2.0),  # keeps the mean square: the stream doubles
        ({"branch": "linear_relu_linear", "gains": "2,2"}, 3.0),  # doubles it: times 3
        ({"branch": "linear_relu_linear", "gains": "2,1"}, 2.0),  # the same with a further 1/√2
        ({"branch": "linear_linear", "gains": "1,1"}, 2.0),
        ({"branch": "linear_relu", "gains": "2", "quantity": "variance"}, 1 - 1 / pi),
        ({"branch": "relu_linear", "gains": "3", "quantity": "variance"}, 1.5),
    ],
)
def test_he_branches(given: dict[str, str], value: float) -> None:
    """A matrix W with entries of variance 2/n behind a ReLU has gain 1, and ReLU(z) the mean √(q/2π)."""
    assert solved("he_branch", **given).answer == pytest.approx(value, rel=1e-9)


def test_a_wide_network_of_two_he_matrices_behaves_like_that() -> None:
    """Width 1024, eight inputs: x + W₂ relu(W₁x) measured, with a fixed seed, within 8 %."""
    generator = torch.Generator().manual_seed(0)
    first, second = (torch.randn(1024, 1024, generator=generator) * (2 / 1024) ** 0.5 for _ in range(2))
    x = torch.randn(1024, 8, generator=generator)
    growth = (x + second @ torch.relu(first @ x)).square().mean() / x.square().mean()
    assert solved("he_branch", gains="2,2").answer == pytest.approx(growth.item(), rel=0.08)


@pytest.mark.parametrize(
    ("given", "block"),
    [
        ({}, 32),  # √2^32 = 65536 > 65504
        ({"quantity": "variance"}, 16),
        ({"dtype": "bfloat16"}, 256),
        ({"dtype": "float32", "quantity": "variance"}, 128),
        ({"gain": "3"}, 16),
        ({"gain": "3", "start": "4095.9375"}, 4),  # 65535 is too large,
        ({"gain": "3", "start": "4094"}, 5),  # and 65504 is not
    ],
)
def test_the_block_that_overflows(given: dict[str, str], block: int) -> None:
    """float16 ends at 65504, the other formats just below 2^128; a branch of gain 3 doubles the RMS."""
    assert solved("overflow", **given).answer == block


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        ({"layers": "8"}, "2, 1/sqrt(8)"),  # 16 sublayers
        ({"layers": "8", "stack": "encoder"}, "2, 1/sqrt(8)"),
        ({"layers": "27", "stack": "translator"}, "3, 1/sqrt(18)"),  # 81 sublayers
    ],
)
def test_deepnorm(given: dict[str, str], exact: str) -> None:
    """α = (2N)^¼ and β = (8N)^−¼, or (3M)^¼ and (12M)^−¼ with cross-attention (Wang et al. 2022)."""
    assert grade(solved("deepnorm", **given), exact).outcome is Outcome.CORRECT


def test_the_first_step_of_rezero() -> None:
    """F(x) = (3, −2), so ∂α = 2·3 − 1·2 = 4 and α goes to −0.4; w does not move and y = x."""
    assert solved("rezero_first_step", **REZERO).answer == pytest.approx((1, 4, 0, -0.4), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "given", "typed", "belief"),
    [
        ("fraction", FRACTION, "2^24", "gain_one_assumed"),
        ("fraction", FRACTION, "2", "additive"),
        ("fraction", FRACTION, "2.718", "limit_instead"),
        ("fraction", FRACTION, "1.632", "root_swapped"),
        ("fraction", FRACTION, "1", "skip_protects"),
        ("fraction", {"depth": "2", "denominator": "4"}, "81/16", "rms_added"),
        ("scaled_branch", SCALED, "27", "factor_not_squared"),
        ("scaled_branch", SCALED, "125", "factor_ignored"),
        ("scaled_branch", {"depth": "3", "alpha": "0.5", "gain": "8"}, "2.25^3", "skip_scaled_too"),
        ("scaled_branch", SCALED, "sqrt(8)", "root_swapped"),
        ("scaled_branch", SCALED, "2", "one_block_only"),
        ("scaled_branch", {"depth": "3", "alpha": "0.5", "gain": "8"}, "125/64", "gain_ignored"),
        ("scaled_branch", {"depth": "3", "alpha": "0.5", "gain": "8"}, "7", "additive"),
        ("normalized_branch", NORMALIZED, "sqrt(128)", "compounded"),
        ("normalized_branch", NORMALIZED, "9", "root_swapped"),
        ("normalized_branch", NORMALIZED, "7", "rms_added"),
        ("normalized_branch", NORMALIZED, "sqrt(5)", "start_forgotten"),
        ("normalized_branch", NORMALIZED, "2", "norm_holds_stream"),
        ("relative_change", NORMALIZED, "1/9", "root_missing"),
        ("relative_change", NORMALIZED, "0.5", "norm_holds_stream"),
        ("relative_change", NORMALIZED, "0.2", "inverse_depth"),
        ("relative_change", NORMALIZED, "1/7", "rms_added"),
        ("relative_change", NORMALIZED, "1/sqrt(10)", "one_step_too_many"),
        ("relative_change", NORMALIZED, "1/sqrt(5)", "start_forgotten"),
        ("solve_scale", TARGET, "0.25", "root_missing"),
        ("solve_scale", TARGET, "2", "target_divided"),
        ("solve_scale", TARGET, "sqrt(3/8)", "additive"),
        ("solve_scale", TARGET, "sqrt(2/4)", "skip_forgotten"),
        ("solve_scale", TARGET, "1", "gain_ignored"),
        ("solve_scale", TARGET, "sqrt(3)/2", "root_swapped"),
        ("he_branch", {"gains": "4,2"}, "9", "relu_miscounted"),
        ("he_branch", {"gains": "4,2"}, "2", "gain_one_assumed"),
        ("he_branch", {"gains": "4,2"}, "4", "skip_forgotten"),
        ("he_branch", {"gains": "4,2"}, "1", "skip_protects"),
        ("he_branch", {"gains": "4,2", "branch": "linear_linear"}, "5", "relu_miscounted"),
        (
            "he_branch",
            {"gains": "4", "branch": "linear_relu", "quantity": "variance"},
            "2",
            "mean_square_for_variance",
        ),
        (
            "he_branch",
            {"gains": "4", "branch": "linear_relu", "quantity": "variance"},
            "4-8/pi",
            "absolute_value",
        ),
        ("correlated_branch", CORRELATED, "13", "taken_uncorrelated"),
        ("correlated_branch", CORRELATED, "16", "factor_two_missing"),
        ("correlated_branch", CORRELATED, "49", "root_missing"),
        ("correlated_branch", CORRELATED, "14", "covariance_taken"),
        ("correlated_branch", CORRELATED, "7", "sign_flipped"),
        ("correlated_branch", CORRELATED, "25", "rms_added"),
        ("overflow", {"gain": "3"}, "8", "root_swapped"),
        ("overflow", {"gain": "3"}, "128", "range_confused"),
        ("overflow", {"gain": "3"}, "15", "one_step_short"),
        ("overflow", {"gain": "3"}, "17", "one_step_too_many"),
        ("overflow", {"gain": "3"}, "32", "gain_one_assumed"),
        ("gpt2_init", {"blocks": "8"}, "0.02/sqrt(8)", "blocks_for_layers"),
        ("gpt2_init", {"blocks": "8"}, "0.00125", "root_missing"),
        ("gpt2_init", {"blocks": "8"}, "0.000025", "variance_for_std"),
        ("gpt2_init", {"blocks": "8"}, "0.08", "exponent_sign"),
        ("gpt2_init", {"blocks": "8"}, "0.02", "unscaled"),
        ("deepnorm", {"layers": "8"}, "4, 1/8", "square_roots"),
        ("deepnorm", {"layers": "8"}, "1/sqrt(8), 2", "alpha_beta_swapped"),
        ("deepnorm", {"layers": "8"}, "24^(1/4), 96^(-1/4)", "other_architecture"),
        ("deepnorm", {"layers": "8"}, "2, sqrt(8)", "exponent_sign"),
        ("deepnorm", {"layers": "8"}, "8^(1/4), 32^(-1/4)", "layers_for_sublayers"),
        ("fixup", {"depth": "16", "layers": "3"}, "1/4", "always_root_depth"),
        ("fixup", {"depth": "16", "layers": "3"}, "16^(-1/3)", "root_of_all_layers"),
        ("fixup", {"depth": "16", "layers": "3"}, "16^(-1/6)", "zero_layer_counted"),
        ("fixup", {"depth": "16", "layers": "3"}, "2", "exponent_sign"),
        ("fixup", {"depth": "16", "layers": "3"}, "1/16", "inverse_depth"),
        ("rezero_first_step", REZERO, "1 0 0 0", "alpha_gradient_zero"),
        ("rezero_first_step", REZERO, "1 4 2 -0.4", "branch_learns_first"),
        ("rezero_first_step", REZERO, "4 4 0 -0.4", "branch_added"),
        ("rezero_first_step", REZERO | {"x": "1,3"}, "1 5 0 -0.5", "input_for_branch"),
        ("rezero_first_step", REZERO, "1 4 0 0.4", "sign_flipped"),
        ("rezero_first_step", REZERO, "1 2 0 -0.2", "means_for_sums"),
    ],
)
def test_slips_are_named(name: str, given: dict[str, str], typed: str, belief: str) -> None:
    """Each wrong answer, worked out by hand as that belief would have it, gets that belief's name."""
    assert named(solved(name, **given), typed) == [belief]


def test_growth_over_many_blocks_stays_finite_or_is_refused() -> None:
    """A thousand blocks with 1/1000 each reach (1.001)^1000; a thousand doublings do not fit."""
    assert solved("fraction", depth="1000", denominator="1000").answer == pytest.approx(2.716924, rel=1e-6)
    with pytest.raises(Refused):
        solved("scaled_branch", depth="1000", alpha="1")


@pytest.mark.parametrize(
    ("family", "given", "name"),
    [
        ("fraction", {}, "depth"),
        ("fraction", {"depth": "2", "denominator": "0"}, "denominator"),
        ("fraction", {"depth": "2", "numerator": "-1"}, "numerator"),
        ("fraction", {"depth": "1000", "numerator": "2"}, "depth"),
        ("scaled_branch", {"depth": "2"}, "alpha"),
        ("scaled_branch", {"depth": "1000", "alpha": "1"}, "depth"),
        ("normalized_branch", {"depth": "2", "start": "0"}, "start"),
        ("normalized_branch", {"depth": "2.5"}, "depth"),
        ("relative_change", {"depth": "0"}, "depth"),
        ("relative_change", {"depth": "2", "branch": "0"}, "branch"),
        ("solve_scale", {"depth": "2", "target": "1"}, "target"),
        ("solve_scale", {"depth": "2", "target": "2", "gain": "0"}, "gain"),
        ("he_branch", {"gains": "2"}, "gains"),
        ("he_branch", {"gains": "2,-1"}, "gains"),
        ("he_branch", {"gains": "2,2", "branch": "relu"}, "branch"),
        ("correlated_branch", {"stream": "1", "branch": "1", "correlation": "1.1"}, "correlation"),
        ("correlated_branch", {"stream": "0", "branch": "1", "correlation": "0"}, "stream"),
        ("overflow", {"dtype": "int8"}, "dtype"),
        ("overflow", {"gain": "0"}, "gain"),
        ("overflow", {"gain": "3", "start": "4094.5"}, "start"),  # 65512, which rounds to 65504
        ("gpt2_init", {"blocks": "0"}, "blocks"),
        ("deepnorm", {"layers": "0"}, "layers"),
        ("fixup", {"depth": "4", "layers": "1"}, "layers"),
        ("rezero_first_step", REZERO | {"weight": "3"}, "weight"),
        ("rezero_first_step", REZERO | {"rate": "0"}, "rate"),
        ("rezero_first_step", REZERO | {"weight": "1e100,1", "upstream": "1e100,1"}, "upstream"),
    ],
)
def test_values_outside_the_domain_are_refused(family: str, given: dict[str, str], name: str) -> None:
    """The refusal names the parameter at fault."""
    with pytest.raises(Refused) as refused:
        solved(family, **given)
    assert refused.value.name == name
