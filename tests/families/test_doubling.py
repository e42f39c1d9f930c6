"""`stream_scale.doubling`: values by hand, named slips and what is refused."""

from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant, from_values


def family() -> Family[Any]:
    """Return the family under test."""
    found = load_family("stream_scale.doubling")
    assert isinstance(found, Family), found
    return found


def solved(depth: int, quantity: str = "variance") -> Variant:
    """Return the verified variant of these values, at level 2."""
    return verified_values(family(), 2, {"depth": str(depth), "quantity": quantity}, torch)


@pytest.mark.parametrize("text", ["2^24", "16777216", "1.68e7", "4096^2"])
def test_the_variance_after_24_blocks(text: str) -> None:
    """24 blocks of gain 1 multiply the variance by 2^24 = 16 777 216."""
    variant = solved(24)
    assert variant.answer == 16777216
    assert grade(variant, text).outcome is Outcome.CORRECT
    assert grade(variant, "1.7e7").outcome is Outcome.IMPRECISE


@pytest.mark.parametrize(
    ("depth", "text"), [(24, "4096"), (5, "4sqrt(2)"), (5, "sqrt(32)"), (5, "5.66"), (5, "2^2.5")]
)
def test_the_rms_is_the_root(depth: int, text: str) -> None:
    """The RMS grows by √2 per block: 2^12 = 4096 after 24, 4√2 after 5."""
    assert grade(solved(depth, "rms"), text).outcome is Outcome.CORRECT


def test_variance_is_asked_for_unless_told_otherwise() -> None:
    """With the depth alone, 10 blocks give 1024."""
    assert verified_values(family(), 1, {"depth": "10"}, torch).answer == 1024


@pytest.mark.parametrize(
    ("quantity", "typed", "belief"),
    [
        ("variance", "20", "linear_growth"),
        ("variance", "11", "additive"),
        ("variance", "32", "root_swapped"),
        ("variance", "1", "skip_protects"),
        ("rms", "sqrt(20)", "linear_growth"),
        ("rms", "3.32", "additive"),
        ("rms", "1024", "root_swapped"),
        ("rms", "1", "skip_protects"),
    ],
)
def test_slips_are_named(quantity: str, typed: str, belief: str) -> None:
    """After 10 blocks the variance is 1024-fold and the RMS 32-fold; slips carry over to the root."""
    verdict = grade(solved(10, quantity), typed)
    assert verdict.outcome is Outcome.WRONG
    assert [slip.id for slip in verdict.misconceptions] == [belief]


@pytest.mark.parametrize(("quantity", "value"), [("variance", 2.0**500), ("rms", 2.0**250)])
def test_the_deepest_stream_is_exact(quantity: str, value: float) -> None:
    """At depth 500 torch's measured growth is still the exact power of 2."""
    variant = solved(500, quantity)
    assert variant.answer == value
    assert grade(variant, "2^500" if quantity == "variance" else "2^250").outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"depth": "0"}, "depth"),
        ({"depth": "501"}, "depth"),
        ({"depth": "2.5"}, "depth"),
        ({"depth": "4", "quantity": "std"}, "quantity"),
        ({}, "depth"),
    ],
)
def test_what_is_no_depth_or_quantity_is_refused(given: dict[str, str], name: str) -> None:
    """The refusal names the parameter."""
    with pytest.raises(Refused) as refused:
        from_values(family(), 1, given)
    assert refused.value.name == name
