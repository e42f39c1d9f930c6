"""`deployment.*`: values computed by hand, named slips and what is refused."""

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
    family: Any = load_family(f"deployment.{name}")
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


FOLD = {
    "weight": "1,2;3,4",
    "bias": "1,2",
    "gamma": "2,3",
    "beta": "5,-1",
    "running_mean": "3,1",
    "running_var": "4,0.25",
    "eps": "0",
}
"""s = (2/2, 3/½) = (1, 6)."""


def test_folding_into_the_layer_before() -> None:
    """With s = (1/2, 6): rows 0.5·(1, 2) and 6·(3, 4), b′ = 0.5·(1 − 3) + 5 and 6·(2 − 1) − 1."""
    variant = solved("fold_linear", **FOLD | {"gamma": "1,3"})
    assert right(variant, "0.5 1 4; 18 24 5")
    assert named(variant, "0.5 1 4.5; 18 24 -5") == ["bias_not_scaled"]
    assert named(variant, "0.5 1 2.5; 18 24 10") == ["mean_not_scaled"]
    assert named(variant, "0.5 12 4; 1.5 24 5") == ["rows_columns_swapped"]
    assert named(variant, "0.5 18 4; 1 24 5") == ["other_layout"]


def test_folding_for_row_vectors_scales_columns() -> None:
    """The same layer for x on the left: the transpose, with the bias as a last row."""
    variant = solved("fold_linear", **FOLD | {"gamma": "1,3", "layout": "row"})
    assert right(variant, "0.5 18; 1 24; 4 5")
    assert named(variant, "0.5 1; 18 24; 4 5") == ["other_layout"]


def test_folding_a_layer_that_is_not_square() -> None:
    """One output, three inputs: with γ = 2 and σ̂² + ε = 4 everything is as large as before."""
    variant = solved("fold_linear", weight="1,2,3", gamma="2", running_var="3", eps="1", running_mean="5")
    assert variant.answer == ((1, 2, 3, -5),)


def test_torchs_own_fusion_agrees() -> None:
    """PyTorch's `fuse_linear_bn_eval` gives the same weight and bias."""
    from torch.nn.utils.fusion import fuse_linear_bn_eval

    linear, norm = torch.nn.Linear(2, 2).double(), torch.nn.BatchNorm1d(2, eps=0.0).double()
    with torch.no_grad():
        linear.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        linear.bias.copy_(torch.tensor([1.0, 2.0]))
        norm.weight.copy_(torch.tensor([2.0, 3.0]))
        norm.bias.copy_(torch.tensor([5.0, -1.0]))
        norm.running_mean = torch.tensor([3.0, 1.0]).double()
        norm.running_var = torch.tensor([4.0, 0.25]).double()
    fused = fuse_linear_bn_eval(linear.eval(), norm.eval())
    both = torch.hstack((fused.weight, fused.bias.reshape(-1, 1))).tolist()
    assert [list(row) for row in solved("fold_linear", **FOLD).answer] == both


def test_folding_into_a_convolution() -> None:
    """Channel 2 has s = 3/2: the whole filter takes it, and b′ = 1.5·(0 − 4) + 1."""
    given = {"gamma": "1,3", "beta": "0,1", "running_mean": "0,4", "running_var": "0.25,4", "eps": "0"}
    variant = solved("fold_conv", weight="2,4;6,8", index="2", **given)
    assert right(variant, "3 6 9 12 -5")
    assert named(variant, "4 8 9 12 -5") == ["input_channel_scaled"]
    assert named(variant, "3 6 9 12 0") == ["bias_dropped"]
    assert named(variant, "3 6 9 12 -3") == ["mean_not_scaled"]
    biased = solved("fold_conv", weight="2,4;6,8", index="2", bias="2", **given)
    assert right(biased, "3 6 9 12 -2")
    assert named(biased, "3 6 9 12 -3") == ["bias_not_scaled"]


def test_folding_into_the_layer_after() -> None:
    """With s = (1, 6), c = β − sμ̂ = (2, −7): columns scaled, b′ = b + Wc = (1 − 12, 2 − 22)."""
    variant = solved("fold_before", **FOLD)
    assert right(variant, "1 12 -11; 3 24 -20")
    assert named(variant, "1 12 1; 3 24 2") == ["bias_unchanged"]
    assert named(variant, "1 12 3; 3 24 -5") == ["shift_skips_weight"]
    assert named(variant, "1 2 3; 18 24 5") == ["folded_as_after"]
    assert named(variant, "1 2 -11; 18 24 -20") == ["rows_columns_swapped"]


def test_a_border_without_an_error_is_exactly_zero() -> None:
    """With β = sμ̂, here 0.3 = 3·0.1, BatchNorm makes 0 of 0, and padding does no harm."""
    given = {"gamma": "3", "beta": "0.3", "running_mean": "0.1", "running_var": "1", "eps": "0"}
    assert solved("fold_border", weight="1,4,-2", **given).answer == 0


@pytest.mark.parametrize(("place", "gap"), [("left", 7), ("right", -14), ("inside", 0)])
def test_the_border_of_a_folded_convolution(place: str, gap: float) -> None:
    """γ/σ̂ = 2 and c = 3 − 2·(−2) = 7: the tap on the padding times 7, and nothing elsewhere."""
    given = {"gamma": "1", "beta": "3", "running_mean": "-2", "running_var": "0.25", "eps": "0"}
    variant = solved("fold_border", weight="1,4,-2", place=place, **given)
    assert variant.answer == pytest.approx(gap, abs=1e-12)
    if place == "left":
        assert named(variant, "0") == ["border_forgotten"]
        assert named(variant, "-14") == ["other_border"]
        assert named(variant, "21") == ["whole_kernel"]


def test_the_mean_across_devices() -> None:
    """(2·1 + 6·5)/8 = 4."""
    variant = solved("sync_mean", counts="2,6", means="1,5")
    assert variant.answer == pytest.approx(4, rel=1e-12)
    assert named(variant, "3") == ["plain_average"]
    assert named(variant, "32") == ["sums_for_means"]
    assert named(variant, "2") == ["weights_inverted"]


def test_the_variance_across_devices() -> None:
    """Around 4: 2·(3 + 9) + 6·(4 + 1) = 54 over 8 values."""
    variant = solved("sync_variance", counts="2,6", means="1,5", variances="3,4")
    assert right(variant, "54/8")
    assert named(variant, "3.5") == ["plain_average"]
    assert named(variant, "30/8") == ["spread_of_means_forgotten"]
    assert named(variant, "7.5") == ["unweighted"]
    assert named(variant, "54/7") == ["unbiased_variance"]
    running = solved("sync_variance", counts="2,6", means="1,5", variances="3,4", asked="running")
    assert right(running, "54/7")
    assert named(running, "54/8") == ["biased_running_variance"]
    assert named(running, "9") == ["unbiased_per_device"]


def test_a_device_with_one_value_adds_its_distance_alone() -> None:
    """0 on one device, 3 and 3 on the other: mean 2, variance (4 + 1 + 1)/3."""
    assert solved("sync_variance", counts="1,2", means="0,3", variances="0,0").answer == pytest.approx(2)


def test_what_synchronization_sends() -> None:
    """A layer of 16 channels sends 2·16 + 1 numbers forward and 32 backward."""
    variant = solved("sync_cost", shape="8,16,32,32", depth="10")
    assert variant.answer == (650, 0)
    assert named(variant, "650 650") == ["layernorm_synchronized"]
    assert named(variant, "330 0") == ["backward_forgotten"]
    assert named(variant, "65 0") == ["once_per_model"]
    assert named(variant, "640 0") == ["count_forgotten"]


def test_micro_batches_normalize_apart() -> None:
    """Alone, 0 and 2 become ∓1; among 0, 2, 4, 6 the 0 becomes −3/√5."""
    variant = solved("micro_batches", x="0,2,4,6", parts="2", index="1")
    assert right(variant, "-1, -3/sqrt(5)")
    assert named(variant, "-3/sqrt(5), -3/sqrt(5)") == ["accumulation_is_big_batch"]
    assert named(variant, "-3/sqrt(5), -1") == ["parts_swapped"]


def test_micro_batches_move_the_running_mean_twice() -> None:
    """From 0 with m = 0.1: 0.1·1 then 0.9·0.1 + 0.1·5 = 0.59; in one pass 0.1·3."""
    variant = solved("micro_batch_mean", x="0,2,4,6")
    assert variant.answer == pytest.approx((0.59, 0.3), rel=1e-12)
    assert named(variant, "0.3 0.3") == ["accumulation_is_big_batch"]
    assert named(variant, "0.5 0.3") == ["last_micro_batch_only"]
    assert named(variant, "4.59 2.7") == ["keras_momentum"]


def test_padding_moves_mean_and_variance() -> None:
    """4, 8 and two zeros: mean 3, variance (1 + 25 + 9 + 9)/4."""
    variant = solved("padding_statistics", x="4,8", pads="2")
    assert right(variant, "3 11")
    assert named(variant, "6 4") == ["padding_ignored"]
    assert named(variant, "3 4") == ["variance_of_real_tokens"]
    assert named(variant, "3 2") == ["variance_diluted"]
    assert named(variant, "3 44/3") == ["unbiased_variance"]


def test_a_mask_undoes_the_padding() -> None:
    """The 8 of 4, 8 is 5/√11 with two zeros beside it and 1 without them."""
    variant = solved("padding_entry", x="4,8", pads="2", index="2")
    assert variant.answer == pytest.approx((5 / sqrt(11), 1), rel=1e-12)
    assert named(variant, "1 1") == ["padding_ignored"]
    assert named(variant, "2.5 1") == ["variance_of_real_tokens"]


@pytest.mark.parametrize(
    ("family", "given", "name"),
    [
        ("fold_linear", FOLD | {"running_var": "4,-1"}, "running_var"),
        ("fold_linear", FOLD | {"running_var": "4,0"}, "running_var"),
        ("fold_linear", FOLD | {"bias": "1,2,3"}, "bias"),
        ("fold_conv", {"weight": "1,2;3,4", "index": "3"}, "index"),
        ("fold_conv", {"weight": "1,2;3,4", "running_var": "0,1", "eps": "0"}, "running_var"),
        ("fold_before", {"weight": "1,2,3", "gamma": "1,2"}, "gamma"),
        ("fold_before", {"weight": "1,2,3", "running_var": "1,1,-2"}, "running_var"),
        ("fold_border", {"weight": "1,2,3,4"}, "weight"),
        ("fold_border", {"weight": "1,2,3", "running_var": "0", "eps": "0"}, "running_var"),
        ("sync_mean", {"counts": "2,0", "means": "1,2"}, "counts"),
        ("sync_mean", {"counts": "2,1.5", "means": "1,2"}, "counts"),
        ("sync_mean", {"counts": "1e6,2", "means": "1,2"}, "counts"),
        ("sync_mean", {"counts": "2,3", "means": "1"}, "means"),
        ("sync_variance", {"counts": "2,3", "means": "1,2", "variances": "1,-1"}, "variances"),
        ("sync_variance", {"counts": "1,3", "means": "1,2", "variances": "1,1"}, "variances"),
        ("sync_cost", {"shape": "8,16,32", "depth": "10"}, "shape"),
        ("sync_cost", {"shape": "1048576,1048576,1048576,2", "depth": "1"}, "shape"),
        ("micro_batches", {"x": "1,2,3", "parts": "2"}, "parts"),
        ("micro_batches", {"x": "1,2,3,4", "parts": "4"}, "parts"),
        ("micro_batches", {"x": "1,1,3,4", "parts": "2"}, "x"),
        ("micro_batches", {"x": "1,2,3,4", "index": "5"}, "index"),
        ("micro_batch_mean", {"x": "1,2,3"}, "parts"),
        ("padding_statistics", {"x": "1"}, "x"),
        ("padding_entry", {"x": "2,2", "pads": "3"}, "x"),
        ("padding_entry", {"x": "1,2", "pads": "3", "index": "3"}, "index"),
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
        ("padding_statistics", {"x": "1e12,1000000000002", "pads": "1"}),
        ("sync_variance", {"counts": "3,4", "means": "1e9,1000000001", "variances": "1e-6,1"}),
        ("micro_batches", {"x": "1e9,1000000001,1000000002,1000000004"}),
        ("fold_linear", {"weight": "1e9,1;1,1e-9", "running_var": "1e-12,1e12"}),
        ("sync_cost", {"shape": "1048576,1048576,1024,1024", "depth": "200"}),
    ],
)
def test_hard_numbers_are_answered(family: str, given: dict[str, str]) -> None:
    """Large offsets, tiny variances and huge shapes have an answer."""
    assert solved(family, **given).verified is not None
