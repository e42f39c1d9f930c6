"""`statistics.*`: counts of GroupNorm, InstanceNorm, the causal leak and a model's norms."""

from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant


def solved(name: str, **given: str) -> Variant:
    """Return the verified variant of these values."""
    family: Any = load_family(f"statistics.{name}")
    assert isinstance(family, Family), family
    return verified_values(family, 1, given, torch)


def named(variant: Variant, typed: str) -> list[str]:
    """Return the ids of the slips named for a typed answer, which must be wrong."""
    verdict = grade(variant, typed)
    assert verdict.outcome is Outcome.WRONG
    return [slip.id for slip in verdict.misconceptions]


@pytest.mark.parametrize(
    ("groups", "counts"), [("3", (200, 60, 12)), ("6", (100, 120, 12)), ("1", (600, 20, 12))]
)
def test_groupnorm_counts(groups: str, counts: tuple[int, ...]) -> None:
    """On (20, 6, 10, 10) a group has 6/G channels of 100 positions, and each example has G groups."""
    assert solved("groupnorm_count", shape="20,6,10,10", groups=groups).answer == counts


@pytest.mark.parametrize(
    ("typed", "beliefs"),
    [
        ("300 60 12", ["groups_as_group_size"]),
        ("4000 60 12", ["examples_averaged_too"]),
        ("600 60 12", ["channels_averaged_too"]),
        ("2 60 12", ["positions_forgotten"]),
        ("200 3 12", ["means_shared_by_examples"]),
        ("200 60 6", ["learned_per_group"]),
        ("2 3 6", ["positions_forgotten", "means_shared_by_examples", "learned_per_group"]),
        ("201 60 12", []),
    ],
)
def test_groupnorm_slips_are_named_part_by_part(typed: str, beliefs: list[str]) -> None:
    """Three groups of two channels on (20, 6, 10, 10): 200, 60 and 12 are right."""
    assert named(solved("groupnorm_count", shape="20,6,10,10", groups="3"), typed) == beliefs


@pytest.mark.parametrize(
    ("affine", "tracking", "state"),
    [
        ("False", "False", (0, 0)),
        ("True", "False", (200, 0)),
        ("False", "True", (0, 200)),
        ("True", "True", (200, 200)),
    ],
)
def test_instancenorm_counts(affine: str, tracking: str, state: tuple[int, ...]) -> None:
    """On (20, 100, 35, 45): 35·45 positions, 20·100 means, and 2·100 numbers for each flag that is on."""
    variant = solved("instancenorm_count", shape="20,100,35,45", affine=affine, tracking=tracking)
    assert variant.answer == (1575, 2000, *state)


@pytest.mark.parametrize(
    ("typed", "beliefs"),
    [
        ("80 6 0 0", ["examples_averaged_too"]),
        ("120 6 0 0", ["channels_averaged_too"]),
        ("40 3 0 0", ["means_shared_by_examples"]),
        ("40 6 6 0", ["learned_by_default"]),
        ("40 6 0 6", ["running_by_default"]),
        ("40 3 6 6", ["means_shared_by_examples", "learned_by_default", "running_by_default"]),
    ],
)
def test_instancenorm_slips_are_named_part_by_part(typed: str, beliefs: list[str]) -> None:
    """On (2, 3, 5, 8) the defaults leave 40, 6, 0 and 0."""
    assert named(solved("instancenorm_count", shape="2,3,5,8"), typed) == beliefs


@pytest.mark.parametrize(
    ("typed", "belief"), [("40 6 0 6", "flags_swapped"), ("40 6 12 0", "state_per_example")]
)
def test_slips_about_the_flags_are_named(typed: str, belief: str) -> None:
    """With affine=True the layer learns 2·3 numbers and stores none."""
    assert named(solved("instancenorm_count", shape="2,3,5,8", affine="True"), typed) == [belief]


@pytest.mark.parametrize(
    ("shape", "index", "counts"),
    [("4,10", "3", (28, 30)), ("4,10", "10", (0, 30)), ("1,10", "3", (7, 0)), ("2,1", "1", (0, 1))],
)
def test_what_leaks_through_a_shared_mean(shape: str, index: str, counts: tuple[int, ...]) -> None:
    """B·(T − t) values are later, (B − 1)·T are foreign; a lone sequence still has its own future."""
    assert solved("causal_leak", shape=shape, index=index).answer == counts


@pytest.mark.parametrize(
    ("typed", "beliefs"),
    [
        ("7 30", ["own_sequence_only"]),
        ("32 30", ["present_counted_as_future"]),
        ("21 30", ["own_sequence_left_out"]),
        ("28 40", ["own_sequence_counted"]),
        ("28 3", ["same_step_only"]),
        ("7 3", ["own_sequence_only", "same_step_only"]),
    ],
)
def test_slips_about_the_leak_are_named_part_by_part(typed: str, beliefs: list[str]) -> None:
    """Four sequences of ten time steps, seen from the third: 28 and 30 are right."""
    assert named(solved("causal_leak", shape="4,10", index="3"), typed) == beliefs


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"depth": "12", "width": "768"}, 38400),
        ({"depth": "32", "width": "4096", "asked": "RMSNorm"}, 266240),
        ({"depth": "32", "width": "4096", "asked": "saving"}, 266240),
        ({"depth": "6", "width": "512", "final": "no"}, 12288),
    ],
)
def test_norm_parameters_of_known_models(given: dict[str, str], count: int) -> None:
    """GPT-2 small has 25 LayerNorms of 768, Llama 2 7B has 65 RMSNorms of 4096; a post-LN encoder has 2·6."""
    assert solved("norm_parameters", **given).answer == count


@pytest.mark.parametrize(
    ("asked", "typed", "belief"),
    [
        ("LayerNorm", "2*24*768", "final_norm_miscounted"),
        ("LayerNorm", "2*13*768", "one_norm_per_block"),
        ("LayerNorm", "25*768", "bias_miscounted"),
        ("RMSNorm", "2*25*768", "bias_miscounted"),
        ("saving", "2*25*768", "bias_miscounted"),
        ("saving", "24*768", "final_norm_miscounted"),
    ],
)
def test_slips_about_norm_parameters_are_named(asked: str, typed: str, belief: str) -> None:
    """Twelve blocks of width 768 with a final norm have 25 norms."""
    assert named(solved("norm_parameters", depth="12", width="768", asked=asked), typed) == [belief]


def test_a_final_norm_that_is_not_there_is_named() -> None:
    """Without a final norm twelve blocks have 24 norms, not 25."""
    variant = solved("norm_parameters", depth="12", width="768", final="no")
    assert named(variant, "38400") == ["final_norm_miscounted"]


@pytest.mark.parametrize(
    ("family", "given", "name"),
    [
        ("groupnorm_count", {"shape": "2,6,4,4", "groups": "4"}, "groups"),
        ("groupnorm_count", {"shape": "2,6,4,4", "groups": "12"}, "groups"),
        ("groupnorm_count", {"shape": "2,6,4,4", "groups": "0"}, "groups"),
        ("groupnorm_count", {"shape": "1,6,1,1", "groups": "6"}, "shape"),
        ("groupnorm_count", {"shape": "256,256,256,256"}, "shape"),
        ("instancenorm_count", {"shape": "2,6,1,1"}, "shape"),
        ("instancenorm_count", {"shape": "2,6,4"}, "shape"),
        ("instancenorm_count", {"shape": "256,256,256,256"}, "shape"),
        ("instancenorm_count", {"shape": "2,6,4,4", "affine": "yes"}, "affine"),
        ("causal_leak", {"shape": "4,10"}, "index"),
        ("causal_leak", {"shape": "4,10", "index": "11"}, "index"),
        ("causal_leak", {"shape": "4,10", "index": "0"}, "index"),
        ("causal_leak", {"shape": "1,1", "index": "1"}, "shape"),
        ("causal_leak", {"shape": "2048,1024", "index": "1"}, "shape"),
        ("norm_parameters", {"depth": "0", "width": "8"}, "depth"),
        ("norm_parameters", {"depth": "1000", "width": "8"}, "depth"),
        ("norm_parameters", {"depth": "2", "width": "8", "asked": "BatchNorm"}, "asked"),
    ],
)
def test_values_outside_the_domain_are_refused(family: str, given: dict[str, str], name: str) -> None:
    """The refusal names the parameter at fault."""
    with pytest.raises(Refused) as refused:
        solved(family, **given)
    assert refused.value.name == name
