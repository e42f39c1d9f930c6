"""`statistics.*_count`: counts from the lesson, slips by part and what is refused."""

from typing import Any

import pytest
import torch

from studynorm.engine.family import Family, Refused
from studynorm.engine.grading import Outcome, grade
from studynorm.engine.oracle import verified_values
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant


def solved(name: str, shape: str) -> Variant:
    """Return the verified variant of this shape."""
    family: Any = load_family(f"statistics.{name}")
    assert isinstance(family, Family), family
    return verified_values(family, 1, {"shape": shape}, torch)


@pytest.mark.parametrize(
    ("name", "shape", "counts"),
    [
        ("batchnorm_count", "8,16,32,32", (8192, 16, 32, 32)),
        ("batchnorm_count", "2,1,1,1", (2, 1, 2, 2)),
        ("batchnorm_count", "1,5,3,7", (21, 5, 10, 10)),
        ("layernorm_count", "8,128,512", (512, 1024, 1024)),
        ("layernorm_count", "1,1,1", (1, 1, 2)),
    ],
)
def test_counts(name: str, shape: str, counts: tuple[int, ...]) -> None:
    """N·H·W, C, 2C and 2C for images; D, B·T and 2D for tokens; each a whole number."""
    answer = solved(name, shape).answer
    assert answer == counts
    assert all(type(part) is int for part in answer)


@pytest.mark.parametrize("text", ["8192 16 32 32", "2^13, 16, 2*16, 32", "8*32*32, 16, 32.0, 32"])
def test_products_and_powers_are_accepted(text: str) -> None:
    """A count may be typed as an expression."""
    assert grade(solved("batchnorm_count", "8,16,32,32"), text).outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("typed", "beliefs"),
    [
        ("131072 16 32 32", ["channels_averaged_too"]),
        ("1024 16 32 32", ["examples_apart"]),
        ("8 16 32 32", ["positions_forgotten"]),
        ("8192 16 64 32", ["running_counted_as_learned"]),
        ("8192 16 32 48", ["counter_per_channel"]),
        ("8192 16 32 33", ["counter_counted"]),
        ("1024 16 64 33", ["examples_apart", "running_counted_as_learned", "counter_counted"]),
        ("8192 17 64 32", ["running_counted_as_learned"]),
        ("8191 16 32 32", []),
    ],
)
def test_batchnorm_slips_are_named_part_by_part(typed: str, beliefs: list[str]) -> None:
    """Each slip concerns one part of the answer, and several can meet in one."""
    verdict = grade(solved("batchnorm_count", "8,16,32,32"), typed)
    assert verdict.outcome is Outcome.WRONG
    assert [slip.id for slip in verdict.misconceptions] == beliefs


@pytest.mark.parametrize(
    ("typed", "beliefs"),
    [
        ("65536 1024 1024", ["tokens_averaged_too"]),
        ("524288 1024 1024", ["whole_input_averaged"]),
        ("512 8 1024", ["mean_per_sequence"]),
        ("1024 512 1024", ["batchnorm_axes"]),
        ("512 1024 2048", ["learned_per_token"]),
        ("65536 8 2048", ["tokens_averaged_too", "mean_per_sequence", "learned_per_token"]),
    ],
)
def test_layernorm_slips_are_named_part_by_part(typed: str, beliefs: list[str]) -> None:
    """Only the swap concerns two parts at once."""
    verdict = grade(solved("layernorm_count", "8,128,512"), typed)
    assert verdict.outcome is Outcome.WRONG
    assert [slip.id for slip in verdict.misconceptions] == beliefs


def test_a_missing_part_is_malformed() -> None:
    """Three numbers where four are asked for are no try, and the message gives both counts."""
    verdict = grade(solved("batchnorm_count", "8,16,32,32"), "8192 16 32")
    assert verdict.outcome is Outcome.MALFORMED
    assert "4" in verdict.message
    assert "3" in verdict.message


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("batchnorm_count", "8,16,32"),
        ("batchnorm_count", "8,16,32,32,1"),
        ("batchnorm_count", "8,0,32,32"),
        ("batchnorm_count", "8,1.5,32,32"),
        ("batchnorm_count", "1,16,1,1"),
        ("batchnorm_count", "2,4096,64,64"),
        ("layernorm_count", "8,128"),
        ("layernorm_count", "8,128,-512"),
        ("layernorm_count", "4096,4096,2"),
    ],
)
def test_impossible_shapes_are_refused(name: str, shape: str) -> None:
    """Wrong axes, empty axes, one value per channel and more than 2^24 numbers."""
    with pytest.raises(Refused) as refused:
        solved(name, shape)
    assert refused.value.name == "shape"
