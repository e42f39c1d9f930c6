"""The bracket of a normalization's backward pass in plain Python, and which results count as zero."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

from studynorm.engine.moments import mean
from studynorm.engine.numbers import flatten

T = TypeVar("T")

DUST = 1e-9
"""An answer below this share of the numbers it comes from is rounding, or the work of the default ε."""


def projected(
    g: Sequence[float], hat: Sequence[float], *, centre: float = 1.0, along: float = 1.0
) -> tuple[float, ...]:
    """Return g − `centre`·⟨g⟩ − `along`·⟨g⊙x̂⟩·x̂ with `hat` for x̂."""
    slopes = [value * unit for value, unit in zip(g, hat, strict=True)]
    shift, slope = centre * mean(g), along * mean(slopes)
    return tuple(value - shift - unit * slope for value, unit in zip(g, hat, strict=True))


def gradient(
    x: Sequence[float], g: Sequence[float], eps: float, *, centred: bool = True
) -> tuple[float, ...]:
    """Return (g − ⟨g⟩ − x̂⟨g⊙x̂⟩)/√(σ²+ε) of one group, rounded once; inf where float64 overflows.

    Without `centred` it is RMSNorm's: nothing is centred and the mean square takes the place of σ².
    """
    cells, square = _exactly(x, g, eps, centred)
    root = math.sqrt(to_float(square))
    return tuple(to_float(cell) / root for cell in cells)


def gradient_text(x: Sequence[float], g: Sequence[float], eps: float, *, centred: bool = True) -> str | None:
    """Return `gradient` as an exact expression; None where it is longer than an answer may be."""
    cells, square = _exactly(x, g, eps, centred)
    text = f"({', '.join(map(str, cells))})/sqrt({square})"
    return text if len(text) <= 200 else None


def _exactly(
    x: Sequence[float], g: Sequence[float], eps: float, centred: bool
) -> tuple[list[Fraction], Fraction]:
    """Return the bracket and the square of its divisor, of the numbers as they are displayed."""
    n = len(x)
    values, ups = ([Fraction(str(entry)) for entry in numbers] for numbers in (x, g))
    middle, shift = (sum(numbers, Fraction()) / n if centred else Fraction() for numbers in (values, ups))
    deviations = [value - middle for value in values]
    square = sum((value * value for value in deviations), Fraction()) / n + Fraction(str(eps))
    slope = sum((a * b for a, b in zip(ups, deviations, strict=True)), Fraction()) / n / square
    return [a - shift - b * slope for a, b in zip(ups, deviations, strict=True)], square


def to_float(value: Fraction) -> float:
    """Return the nearest float; ±inf beyond the largest one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def surd(factor: Fraction, square: Fraction, rest: Fraction) -> float:
    """Return factor·√square + rest to the last digits, also where the two cancel; 0 exactly where it is 0."""
    root, other = to_float(factor) * math.sqrt(to_float(square)), to_float(rest)
    apart = root - other
    if factor * rest >= 0 or apart == 0 or not math.isfinite(apart):
        return root + other
    # a + b = (a² − b²)/(a − b), and the squares are rational.
    return to_float((factor * factor * square - rest * rest) / Fraction(apart))


def without_dust(value: T, size: float) -> T:
    """Return an answer, or exact zeros in its shape where no entry exceeds `DUST`·`size`."""
    if not (math.isfinite(size) and all(abs(number) <= DUST * size for number in flatten(value))):
        return value
    zeros: T = _zeros(value)
    return zeros


def _zeros(value: Any) -> Any:
    return tuple(map(_zeros, value)) if isinstance(value, list | tuple) else 0.0
