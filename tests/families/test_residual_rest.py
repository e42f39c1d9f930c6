"""`residual.*` beyond one block and the product: values by hand, named slips and what is refused."""

from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant


def solved(name: str, **given: str) -> Variant:
    """Return the verified variant of these values, of level 2 or the nearest one."""
    family: Any = load_family(f"residual.{name}")
    assert isinstance(family, Family), family
    return verified_values(family, 2, given, torch)


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


# -- two_blocks --------------------------------------------------------------------------------------
BLOCKS = {"a": "1,2;0,1", "b": "0,1;1,0"}


def test_the_later_block_stands_on_the_left() -> None:
    """(I + B)(I + A) = (1, 1; 1, 1)(2, 2; 0, 2) = (2, 4; 2, 4)."""
    variant = solved("two_blocks", **BLOCKS)
    assert variant.answer == ((2.0, 4.0), (2.0, 4.0))
    assert grade(variant, "2 4; 2 4").outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("4 4; 2 2", "order_reversed"),
        ("2 3; 1 2", "first_order_sum"),
        ("0 1; 1 2", "plain_product"),
        ("2 2; 4 4", "transposed"),
        ("3 3; 1 3", "blocks_added"),
    ],
)
def test_slips_about_two_blocks_are_named(typed: str, belief: str) -> None:
    """A = (1, 2; 0, 1) and B = (0, 1; 1, 0) tell all five slips apart."""
    assert named(solved("two_blocks", **BLOCKS), typed) == [belief]


def test_a_block_that_undoes_itself_gives_an_exact_zero() -> None:
    """With A = −I nothing passes the first block, whatever follows it."""
    assert solved("two_blocks", a="-1,0;0,-1", b="0.1,0.2;0.3,0.4").answer == ((0.0, 0.0), (0.0, 0.0))


# -- plain_exponent and growth -----------------------------------------------------------------------
def test_fifty_plain_layers_lose_fifty_powers_of_ten() -> None:
    """0.1^50 is 10^−50, and 0.5^10 = 1/1024 is 10^−3.0103."""
    assert solved("plain_exponent", slope="0.1", depth="50").answer == pytest.approx(-50, rel=1e-12)
    assert solved("plain_exponent", slope="0.5", depth="10").answer == pytest.approx(-3.0103, abs=1e-5)


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("50", "sign_flipped"),
        ("1e-50", "value_for_exponent"),
        ("-115.13", "natural_logarithm"),
        ("0.699", "added_not_multiplied"),
        ("2.07", "residual_instead"),
    ],
)
def test_slips_about_the_exponent_are_named(typed: str, belief: str) -> None:
    """50 ln 0.1 is −115.13, log₁₀ 5 is 0.699, and 1.1^50 is 10^2.07."""
    assert named(solved("plain_exponent", slope="0.1", depth="50"), typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("1", "skip_protects"),
        ("2", "first_order_sum"),
        ("2.718", "exponential_for_power"),
        ("1e-10", "plain_product"),
        ("1024", "doubled_per_block"),
    ],
)
def test_slips_about_growth_are_named(typed: str, belief: str) -> None:
    """Ten branches of 0.1 give 1.1^10 = 2.5937."""
    variant = solved("growth", slope="0.1", depth="10")
    assert variant.answer == pytest.approx(2.59374246, rel=1e-9)
    assert named(variant, typed) == [belief]


# -- paths and expansion -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "counts"),
    [
        ({"depth": "6", "block": "2", "branches": "2"}, (16, 6)),
        ({"depth": "54", "branches": "1"}, (18_014_398_509_481_984, 54)),
        ({"depth": "3", "branches": "0"}, (8, 1)),
    ],
)
def test_paths_are_counted_exactly(given: dict[str, str], counts: tuple[int, int]) -> None:
    """Four blocks passed make 16 paths and 6 pairs of branches; 54 blocks make 2^54 paths."""
    assert solved("paths", **given).answer == counts


@pytest.mark.parametrize(
    ("typed", "beliefs"),
    [
        ("5 6", ["one_path_per_block"]),
        ("24 6", ["orders_counted"]),
        ("32 6", ["one_choice_too_many"]),
        ("16 12", ["branches_in_order"]),
        ("16 2", ["one_way_per_length"]),
        ("64 6", ["start_forgotten"]),
        ("16 15", ["start_forgotten_in_choice"]),
        ("64 15", ["start_forgotten", "start_forgotten_in_choice"]),
    ],
)
def test_slips_about_paths_are_named(typed: str, beliefs: list[str]) -> None:
    """From block 2 of 6 there are 16 paths, 6 of them through two branches; slips of both parts combine."""
    assert named(solved("paths", depth="6", block="2", branches="2"), typed) == beliefs


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("24", "whole_derivative"),
        ("-17", "sign_flipped"),
        ("6", "plain_product"),
        ("11", "pairs_only"),
        ("18", "identity_left"),
    ],
)
def test_slips_about_the_expansion_are_named(typed: str, belief: str) -> None:
    """2 · 3 · 4 = 24 less 1 + 1 + 2 + 3 leaves 17: the pairs 2 + 3 + 6 and the triple 6."""
    variant = solved("expansion", slopes="1,2,3")
    assert variant.answer == 17.0
    assert named(variant, typed) == [belief]


def test_terms_that_cancel_leave_an_exact_zero() -> None:
    """0.3·0.5 − 0.3·0.2 − 0.5·0.2 leaves 0.15 − 0.06 − 0.1 − 0.03 = −0.04; with 0 as a slope, 0 is left."""
    assert solved("expansion", slopes="0.3,0.5,-0.2").answer == pytest.approx(-0.04, rel=1e-12)
    assert solved("expansion", slopes="0.3,0").answer == 0.0


# -- gradient_row ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("3 5", "transposed"),
        ("6 1", "identity_forgotten"),
        ("1 2", "branch_forgotten"),
        ("-5 1", "identity_minus"),
    ],
)
def test_slips_about_the_gradient_row_are_named(typed: str, belief: str) -> None:
    """ȳ = (1, 2) through A = (0, 1; 3, 0): ȳA = (6, 1), and with the skip (7, 3)."""
    variant = solved("gradient_row", upstream="1,2", a="0,1;3,0")
    assert variant.answer == (7.0, 3.0)
    assert named(variant, typed) == [belief]


# -- path_length, short_paths and deleted_blocks -----------------------------------------------------
@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("5", "unweighted_paths"),
        ("2.5", "gain_as_share"),
        ("0.333", "one_path_per_length"),
        ("8", "skip_counted_as_branch"),
    ],
)
def test_slips_about_the_mean_length_are_named(typed: str, belief: str) -> None:
    """Ten blocks of a = 1/4: a fifth of what passes a block takes its branch, so 2 of them on average."""
    variant = solved("path_length", depth="10", gain="0.25")
    assert variant.answer == pytest.approx(2, rel=1e-12)
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("0.5", "unweighted_paths"),
        ("0.896", "gain_as_share"),
        ("1.2/1.248", "one_path_per_length"),
        ("0.6/1.728", "longest_only"),
        ("1/1.728", "longest_left_out"),
    ],
)
def test_slips_about_the_share_are_named(typed: str, belief: str) -> None:
    """Three blocks of a = 0.2: (1 + 0.2)³ = 1.728, of which 1 + 3·0.2 come through at most one branch."""
    variant = solved("short_paths", depth="3", gain="0.2", longest="1")
    assert variant.answer == pytest.approx(1.6 / 1.728, rel=1e-12)
    assert named(variant, typed) == [belief]


def test_all_paths_carry_everything() -> None:
    """Paths of at most L branches are all paths; with a = 1 half of 2³ paths have at most one branch."""
    assert solved("short_paths", depth="9", gain="0.3", longest="9").answer == pytest.approx(1, rel=1e-12)
    assert solved("short_paths", depth="3", gain="1", longest="1").answer == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize(
    ("quantity", "typed", "belief"),
    [
        ("share", "0.8", "linear_share"),
        ("share", "0", "plain_stack_broken"),
        ("share", "3/4", "share_lost"),
        ("share", "1 - 1/2^8", "two_to_deleted_lost"),
        ("paths", "819.2", "linear_share"),
        ("paths", "1020", "two_to_deleted_lost"),
    ],
)
def test_slips_about_deleted_blocks_are_named(quantity: str, typed: str, belief: str) -> None:
    """Without 2 of 10 branches a quarter of the 1024 paths is left."""
    variant = solved("deleted_blocks", depth="10", deleted="2", quantity=quantity)
    assert variant.answer == (0.25 if quantity == "share" else 256)
    assert named(variant, typed) == [belief]


# -- projection_parameters ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("73984", "kernel_of_three"),
        ("320", "input_channels_only"),
        ("25088", "identity_has_parameters"),
        ("8576", "bias_counted"),
        ("8192", "norm_forgotten"),
        ("8704", "running_counted_as_learned"),
    ],
)
def test_slips_about_the_projection_are_named(typed: str, belief: str) -> None:
    """The second stage of ResNet-18, from 64 to 128 channels, has 8448 learned numbers on its skips."""
    variant = solved("projection_parameters", blocks="2", width_in="64", width_out="128", extra="batchnorm")
    assert variant.answer == 8448
    assert named(variant, typed) == [belief]


@pytest.mark.parametrize(("typed", "belief"), [("6", "bias_forgotten"), ("8", "bias_per_input")])
def test_slips_about_the_bias_are_named(typed: str, belief: str) -> None:
    """From 2 to 3 channels with a bias: 2 · 3 + 3 = 9."""
    variant = solved("projection_parameters", blocks="1", width_in="2", width_out="3", extra="bias")
    assert variant.answer == 9
    assert named(variant, typed) == [belief]


# -- highway -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("typed", "belief"),
    [
        ("1.5", "gate_held"),
        ("3", "residual_instead"),
        ("2.75", "skip_not_gated"),
        ("2.25", "skip_gate_held"),
        ("1", "gates_swapped"),
    ],
)
def test_slips_about_the_highway_are_named(typed: str, belief: str) -> None:
    """½·2 + ½ + ¼·(3 − 1) = 2."""
    variant = solved("highway", x="1", h="3", h_slope="2", gate="0.5", gate_slope="0.25")
    assert variant.answer == 2.0
    assert named(variant, typed) == [belief]


# -- refusals ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("family", "given", "name"),
    [
        ("two_blocks", {"a": "1,2;3,4", "b": "1,0,0;0,1,0;0,0,1"}, "b"),
        ("two_blocks", {"a": "1,2;3,4"}, "b"),
        ("plain_exponent", {"slope": "0", "depth": "3"}, "slope"),
        ("plain_exponent", {"slope": "0.1", "depth": "301"}, "depth"),
        ("paths", {"depth": "6", "block": "6", "branches": "0"}, "block"),
        ("paths", {"depth": "6", "block": "2", "branches": "5"}, "branches"),
        ("paths", {"depth": "61", "branches": "1"}, "depth"),
        ("expansion", {"slopes": "0.5"}, "slopes"),
        ("expansion", {"slopes": ",".join(["0.1"] * 65)}, "slopes"),
        ("expansion", {"slopes": "1e150,1e150,1e150"}, "slopes"),
        ("gradient_row", {"upstream": "1,2,3", "a": "1,2;3,4"}, "upstream"),
        ("growth", {"slope": "-0.1", "depth": "3"}, "slope"),
        ("growth", {"slope": "1", "depth": "1000"}, "depth"),
        ("path_length", {"depth": "3", "gain": "0"}, "gain"),
        ("short_paths", {"depth": "3", "gain": "0.5", "longest": "4"}, "longest"),
        ("deleted_blocks", {"depth": "3", "deleted": "4"}, "deleted"),
        ("projection_parameters", {"blocks": "2", "width_in": "8", "width_out": "8"}, "width_out"),
        ("highway", {"x": "1", "h": "1", "h_slope": "1", "gate": "1.5", "gate_slope": "0"}, "gate"),
    ],
)
def test_values_outside_the_domain_are_refused(family: str, given: dict[str, str], name: str) -> None:
    """The refusal names the parameter at fault."""
    with pytest.raises(Refused) as refused:
        solved(family, **given)
    assert refused.value.name == name
