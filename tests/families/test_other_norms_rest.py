"""`other_norms.*`: values computed by hand or by PyTorch itself, named slips and what is refused."""

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
    family: Any = load_family(f"other_norms.{name}")
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


# -- LayerNorm -------------------------------------------------------------------------------------
def test_the_worked_token() -> None:
    """The token 0, 2, 4, 6 has mean 3 and variance 5."""
    variant = solved("layernorm", x="0,2,4,6", eps="0")
    assert variant.answer == pytest.approx((-1.3416, -0.4472, 0.4472, 1.3416), abs=5e-5)
    assert right(variant, "(-3, -1, 1, 3)/sqrt(5)")


LAYERNORM = {"x": "0,2,4,6", "gamma": "2,1,1,-2", "beta": "1,0,0,2", "eps": "4"}


def test_scale_shift_and_eps_of_layernorm() -> None:
    """With variance 5 and ε = 4 the divisor is 3; scale and shift follow entry by entry."""
    assert solved("layernorm", **LAYERNORM).answer == pytest.approx((-1, -1 / 3, 1 / 3, 0), abs=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("(-6, -1, 1, -6)/sqrt(20/3 + 4) + (1, 0, 0, 2)", "unbiased_variance"),
        ("-1 1/3 5/3 3", "scalar_affine"),
        ("-1 -1/3 1/3 1", "affine_dropped"),
        ("0 -1/3 1/3 -6", "shift_before_scale"),
        ("(0, 2, 4, -12)/sqrt(18) + (1, 0, 0, 2)", "rms_instead"),
        ("(-6, -1, 1, -6)/9 + (1, 0, 0, 2)", "divided_by_variance"),
        ("(-6, -1, 1, -6)/sqrt(5) + (1, 0, 0, 2)", "eps_ignored"),
        ("(-6, -1, 1, -6)/(sqrt(5) + 4) + (1, 0, 0, 2)", "eps_outside_root"),
    ],
)
def test_layernorm_slips_are_named(typed: str, belief: str) -> None:
    """Deviations −3, −1, 1, 3 times γ are −6, −1, 1, −6."""
    assert named(solved("layernorm", **LAYERNORM), typed) == [belief]


def test_every_token_has_its_own_statistics() -> None:
    """Variance 5 for the first row, mean −1/2 and variance 35/4 for the second."""
    variant = solved("layernorm_tokens", x="0,2,4,6;1,3,-1,-5", eps="0")
    assert right(variant, "[[-3, -1, 1, 3]/sqrt(5), [3, 7, -1, -9]/sqrt(35)]")
    assert right(variant, "-1.342 -0.447 0.447 1.342; 0.507 1.183 -0.169 -1.521")


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("-1 -1 1 1; 1 1 -1 -1", "batchnorm_axes"),
        ("[[-5, 3, 11, 19], [-1, 7, -9, -25]]/sqrt(159)", "whole_input_averaged"),
        ("[[-3, -1, 1, 3]/sqrt(20/3), [3, 7, -1, -9]/2/sqrt(35/3)]", "unbiased_variance"),
    ],
)
def test_slips_about_which_numbers_share_a_mean_are_named(typed: str, belief: str) -> None:
    """All eight numbers have mean 5/4 and variance 159/16; two numbers in a column always give ±1."""
    assert named(solved("layernorm_tokens", x="0,2,4,6;1,3,-1,-5", eps="0"), typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("-2 2; -2 2", "scalar_affine"),
        ("-1 1; -1 1", "affine_dropped"),
        ("-2 2; -3 3", "affine_per_token"),
    ],
)
def test_slips_about_scales_per_feature_are_named(typed: str, belief: str) -> None:
    """Two features give ±1 in each row, and γ = (2, 3) belongs to the columns: −2 3; −2 3."""
    variant = solved("layernorm_tokens", x="0,4;1,9", gamma="2,3", eps="0")
    assert right(variant, "-2 3; -2 3")
    assert named(variant, typed) == [belief]


def test_eps_left_out_for_several_tokens_is_named() -> None:
    """Variances 4 and 16 and ε = 9: the divisors are √13 and 5."""
    variant = solved("layernorm_tokens", x="0,4;1,9", eps="9")
    assert right(variant, "[[-2, 2]/sqrt(13), [-4, 4]/5]")
    assert named(variant, "-1 1; -1 1") == ["eps_ignored"]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("[[0, 2, 4, 6]/sqrt(14), [-3, -1, 1, 3]/sqrt(5)]", "layernorm_rmsnorm_swapped"),
        ("[[-3, -1, 1, 3]/sqrt(5), [-3, -1, 1, 3]/sqrt(14)]", "centred"),
        ("[[0, 2, 4, 6]/sqrt(5), [0, 2, 4, 6]/sqrt(14)]", "no_centring"),
        ("[[-3, -1, 1, 3]/sqrt(5), [0, 2, 4, 6]/sqrt(56)]", "divided_by_norm"),
        ("[[-3, -1, 1, 3]/sqrt(20/3), [0, 2, 4, 6]/sqrt(14)]", "unbiased_variance"),
    ],
)
def test_layernorm_beside_rmsnorm(typed: str, belief: str) -> None:
    """The token 0, 2, 4, 6 has variance 5 and mean square 14."""
    variant = solved("layernorm_vs_rmsnorm", x="0,2,4,6", eps="0")
    assert right(variant, "[[-3, -1, 1, 3]/sqrt(5), [0, 2, 4, 6]/sqrt(14)]")
    assert named(variant, typed) == [belief]


def test_a_centred_token_is_the_same_for_both() -> None:
    """Where the mean is 0, LayerNorm and RMSNorm agree, so swapping them is not named."""
    variant = solved("layernorm_vs_rmsnorm", x="-3,-1,1,3", eps="0")
    assert variant.answer[0] == pytest.approx(variant.answer[1], rel=1e-12)
    slips = {slip.id: slip for slip in variant.misconceptions}
    assert not slips["layernorm_rmsnorm_swapped"].distinguishable


# -- GroupNorm and InstanceNorm --------------------------------------------------------------------
GROUPS = {"x": "0,2;4,6;1,1;1,1;5,7;9,3", "groups": "3", "gamma": "2,1,1,1,1,5", "eps": "4"}


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("2*(-7/3)/sqrt(38/9 + 4)", "groups_as_group_size"),
        ("2*(-1)/sqrt(1/2 + 4)", "interleaved_groups"),
        ("2*(-10/3)/sqrt(224/12 - 100/9 + 4)", "layer_norm_instead"),
        ("2*(-1)/sqrt(1 + 4)", "instance_norm_instead"),
        ("-6/sqrt(20/3 + 4)", "unbiased_variance"),
        ("-6/sqrt(5)", "eps_ignored"),
    ],
)
def test_groupnorm_slips_are_named(typed: str, belief: str) -> None:
    """The first of three groups is 0, 2, 4, 6: 2·(0 − 3)/√(5 + 4) = −2."""
    variant = solved("groupnorm", **GROUPS)
    assert variant.answer == pytest.approx(-2, abs=1e-12)
    assert named(variant, typed) == [belief]


def test_scale_and_shift_of_groupnorm_belong_to_channels() -> None:
    """Channel 6 is in group 3 (5, 7, 9, 3: mean 6, variance 5) and has γ₆ = 5, not γ₃ = 1."""
    variant = solved("groupnorm", **GROUPS, channel="6")
    assert variant.answer == pytest.approx(5, abs=1e-12)
    assert named(variant, "1") == ["affine_per_group"]


def test_a_list_parted_by_semicolons_is_one_column() -> None:
    """Four channels at one position in two groups: 5 of the group 3, 5 becomes 1."""
    assert right(solved("groupnorm", x="1;2;3;5", groups="2", channel="4", eps="0"), "1")


@pytest.mark.parametrize("channel", ["1", "2"])
def test_groupnorm_with_a_group_per_channel_is_instancenorm(channel: str) -> None:
    """Two ways to the same number."""
    given = {"x": "0,2,4,6;1,1,5,1", "channel": channel, "position": "3", "eps": "1"}
    by_groups = solved("groupnorm", groups="2", **given)
    assert by_groups.answer == pytest.approx(
        solved("instancenorm", other="9,9,8,7;0,1,0,3", **given).answer, rel=1e-12
    )


INSTANCES = {"x": "0,2,4,6;1,1,5,1", "other": "4,4,4,4;8,8,8,8"}


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("-3.5/sqrt(11/4)", "batch_norm_instead"),
        ("-2.5/sqrt(17/4)", "layer_norm_instead"),
        ("-17/sqrt(115)", "whole_input_averaged"),
        ("-3/sqrt(20/3)", "unbiased_variance"),
    ],
)
def test_instancenorm_slips_are_named(typed: str, belief: str) -> None:
    """The channel asked for is 0, 2, 4, 6 alone, with mean 3 and variance 5."""
    variant = solved("instancenorm", **INSTANCES, eps="0")
    assert right(variant, "-3/sqrt(5)")
    assert named(variant, typed) == [belief]


def test_eps_left_out_of_instancenorm_is_named() -> None:
    """With ε = 11 the divisor is 4."""
    variant = solved("instancenorm", **INSTANCES, eps="11")
    assert right(variant, "-3/4")
    assert named(variant, "-3/sqrt(5)") == ["eps_ignored"]


# -- the default ε ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("dtype", "x", "value"),
    [
        ("float32", "2^-12, 2^-12", 1 / sqrt(3)),
        ("bfloat16", "2^-12, 2^-12", 1 / sqrt(3)),
        ("float16", "2^-12, 2^-12", 1 / sqrt(3)),
        ("float64", "2^-26, -2^-26", 1 / sqrt(2)),
    ],
)
def test_the_default_eps_by_hand(dtype: str, x: str, value: float) -> None:
    """Mean square 2⁻²⁴ and ε = 2⁻²³ give 1/√3, mean square and ε = 2⁻⁵² give 1/√2."""
    assert solved("rmsnorm_default_eps", x=x, dtype=dtype).answer == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("dtype", "x", "rel"),
    [
        ("float32", (3e-4, -5e-4, 1e-4, 2e-4), 1e-6),
        ("float16", (2.0**-11, -(2.0**-12), 2.0**-10), 1e-3),
        ("bfloat16", (4e-6, -3e-6, 2e-6), 1e-2),
        ("float64", (3e-8, -5e-8, 1e-8), 1e-12),
    ],
)
def test_the_default_eps_of_the_real_call(dtype: str, x: tuple[float, ...], rel: float) -> None:
    """PyTorch's own call in that type gives the same, within the precision of the type."""
    out = torch.nn.functional.rms_norm(torch.tensor(x, dtype=getattr(torch, dtype)), (len(x),))
    variant = solved("rmsnorm_default_eps", x=",".join(map(repr, x)), index="2", dtype=dtype)
    assert out[1].item() == pytest.approx(variant.answer, rel=rel)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("1", "eps_ignored"),
        ("2^-20/sqrt(2^-40 + 1e-5)", "layernorm_default_eps"),
        ("2^-20/sqrt(2^-40 + 1e-6)", "customary_eps"),
        ("2^-20/(2^-20 + 2^-23)", "eps_outside_root"),
        ("2^-20/sqrt(2^-40 + 2^-7)", "eps_of_input_type"),
    ],
)
def test_other_ideas_of_the_default_eps_are_named(typed: str, belief: str) -> None:
    """Two entries of 2⁻²⁰ in bfloat16; right is 2⁻²⁰/√(2⁻⁴⁰ + 2⁻²³)."""
    variant = solved("rmsnorm_default_eps", x="2^-20, 2^-20", dtype="bfloat16")
    assert right(variant, "2^-20/sqrt(2^-40 + 2^-23)")
    assert named(variant, typed) == [belief]


# -- weight normalization --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("30 40", "not_divided_by_length"),
        ("3/5 4/5", "length_dropped"),
        ("6/5 8/5", "divided_by_squared_length"),
        ("(6, 8)*sqrt(2)", "rms_instead"),
        ("30/7 40/7", "divided_by_sum"),
    ],
)
def test_weight_normalization_of_a_vector(typed: str, belief: str) -> None:
    """The vector 3, 4 has length 5; with g = 10 it becomes 6, 8."""
    variant = solved("weight_norm", v="3,4", g="10")
    assert right(variant, "6 8")
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("15/sqrt(73) 20/sqrt(52); 160/sqrt(73) 120/sqrt(52)", "length_per_column"),
        ("[[15, 20], [160, 120]]/sqrt(125)", "length_of_whole_matrix"),
        ("15 20; 160 120", "not_divided_by_length"),
        ("0.6 0.8; 0.8 0.6", "length_dropped"),
        ("0.6 0.8; 1.6 1.2", "divided_by_squared_length"),
    ],
)
def test_weight_normalization_of_a_matrix(typed: str, belief: str) -> None:
    """The rows 3, 4 and 8, 6 have the lengths 5 and 10; g = (5, 20) makes them 3, 4 and 16, 12."""
    variant = solved("weight_norm_matrix", v="3,4;8,6", g="5,20")
    assert right(variant, "3 4; 16 12")
    assert named(variant, typed) == [belief]


# -- length, DyT, rows and columns -----------------------------------------------------------------
@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("10", "eps_ignored"),
        ("9", "one_degree_lost"),
        ("1", "unit_length"),
        ("sqrt(8)", "root_swapped"),
        ("40/9", "eps_outside_root"),
        ("sqrt(10)", "root_of_count"),
    ],
)
def test_the_squared_length_of_a_normalized_vector(typed: str, belief: str) -> None:
    """Ten values with variance 4 and ε = 1: 10·4/5 = 8."""
    variant = solved("normalized_length", n="10", var="4", eps="1")
    assert right(variant, "8")
    assert named(variant, typed) == [belief]


def test_the_length_itself() -> None:
    """Its square is 8, and for ε = 0 it is √n."""
    variant = solved("normalized_length", n="10", var="4", eps="1", quantity="length")
    assert right(variant, "2.83")
    assert named(variant, "8") == ["root_swapped"]
    without_eps = solved("normalized_length", n="10", var="4", eps="0", quantity="length")
    assert without_eps.answer == pytest.approx(sqrt(10), rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("tanh(1)/2 tanh(2)/2 0", "alpha_outside"),
        ("tanh(1) tanh(2) 0", "alpha_ignored"),
        ("1/(1 + exp(-0.5)) 1/(1 + exp(-1)) 0.5", "sigmoid_instead"),
        ("0 tanh(0.5*sqrt(3/2)) -tanh(0.5*sqrt(3/2))", "statistics_used"),
    ],
)
def test_dyt_slips_are_named(typed: str, belief: str) -> None:
    """From a table: tanh 0.5 = 0.4621171573, tanh 1 = 0.7615941560."""
    variant = solved("dyt", x="1,2,0", alpha="0.5")
    assert variant.answer == pytest.approx((0.4621171573, 0.7615941560, 0), abs=1e-10)
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [("0.4621171573 0", "affine_dropped"), ("tanh(2) tanh(-1)", "affine_inside")],
)
def test_scale_and_shift_of_dyt_come_last(typed: str, belief: str) -> None:
    """With γ = (2, 3) and β = (1, −1): 2·tanh 0.5 + 1 and 3·0 − 1."""
    variant = solved("dyt", x="1,0", alpha="0.5", gamma="2,3", beta="1,-1")
    assert variant.answer == pytest.approx((1.9242343146, -1), abs=1e-9)
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("3/sqrt(5), 3/sqrt(6.5)", "rows_columns_swapped"),
        ("3/sqrt(6.5)*sqrt(3/4), 3/sqrt(20/3)", "unbiased_variance"),
        ("3 3", "no_scaling"),
        ("61/sqrt(839), 61/sqrt(839)", "whole_input_averaged"),
    ],
)
def test_one_entry_by_column_and_by_row(typed: str, belief: str) -> None:
    """Column 6, 0, 1, 5: mean 3, variance 6.5. Row 0, 2, 4, 6: 3 and 5. Altogether: 35/16 and 839/256."""
    x = "0,2,4,6;2,0,4,0;1,1,4,1;2,2,1,5"
    variant = solved("rows_and_columns", x=x, row="1", column="4", eps="0")
    assert right(variant, "3/sqrt(6.5), 3/sqrt(5)")
    assert named(variant, typed) == [belief]


# -- refusals --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("family", "given", "name"),
    [
        ("layernorm", {"x": "5"}, "x"),
        ("layernorm", {"x": "5,5,5", "eps": "0"}, "x"),
        ("layernorm", {"x": "1,2,3", "beta": "1,2"}, "beta"),
        ("layernorm_tokens", {"x": "1,2;5,5", "eps": "0"}, "x"),
        ("layernorm_tokens", {"x": "1;2;3"}, "x"),
        ("layernorm_tokens", {"x": "1,2,3;4,5"}, "x"),
        ("layernorm_tokens", {"x": "1,2,3,4,5,6,7,8,9"}, "x"),
        ("layernorm_tokens", {"x": "1,2,4;3,4,9", "gamma": "1,2"}, "gamma"),
        ("layernorm_vs_rmsnorm", {"x": "5,5", "eps": "0"}, "x"),
        ("groupnorm", {"x": "1,2;3,4;5,6", "groups": "2"}, "groups"),
        ("groupnorm", {"x": "1;2;3", "groups": "3"}, "groups"),
        ("groupnorm", {"x": "1,2;3,4", "channel": "3"}, "channel"),
        ("groupnorm", {"x": "1,2;3,4", "position": "3"}, "position"),
        ("groupnorm", {"x": "1,1;3,4", "groups": "2", "eps": "0"}, "x"),
        ("groupnorm", {"x": "1,2;3,4", "gamma": "1,2,3"}, "gamma"),
        ("instancenorm", {"x": "1,2;3,4", "other": "1,2"}, "other"),
        ("instancenorm", {"x": "1;2", "other": "3;4"}, "x"),
        ("instancenorm", {"x": "1,1;3,4", "other": "1,2;3,4", "eps": "0"}, "x"),
        ("instancenorm", {"x": "1,2;3,4", "other": "1,2;3,4", "channel": "3"}, "channel"),
        ("instancenorm", {"x": "1,2;3,4", "other": "1,2;3,4", "position": "3"}, "position"),
        ("rmsnorm_default_eps", {"x": "1,2", "index": "3"}, "index"),
        ("rmsnorm_default_eps", {"x": "1,2", "dtype": "int8"}, "dtype"),
        ("weight_norm", {"v": "0,0"}, "v"),
        ("weight_norm_matrix", {"v": "3,4;0,0"}, "v"),
        ("weight_norm_matrix", {"v": "3,4;5,12", "g": "1"}, "g"),
        ("normalized_length", {"n": "1", "var": "1"}, "n"),
        ("normalized_length", {"n": "3", "var": "0"}, "var"),
        ("dyt", {"x": "1,2", "gamma": "1"}, "gamma"),
        ("dyt", {"x": "1,2", "alpha": "nan"}, "alpha"),
        ("rows_and_columns", {"x": "1,2,3"}, "x"),
        ("rows_and_columns", {"x": "1,2;3,4", "row": "3"}, "row"),
        ("rows_and_columns", {"x": "1,2;3,4", "column": "3"}, "column"),
        ("rows_and_columns", {"x": "1,2;1,4", "eps": "0"}, "x"),
    ],
)
def test_values_outside_the_domain_are_refused(family: str, given: dict[str, str], name: str) -> None:
    """The refusal names the parameter at fault."""
    with pytest.raises(Refused) as refused:
        solved(family, **given)
    assert refused.value.name == name
