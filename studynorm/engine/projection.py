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


def exact_gradient(
    x: Sequence[float], g: Sequence[Fraction], eps: float, *, centred: bool = True
) -> str | None:
    """Return (g − ⟨g⟩ − x̂⟨g⊙x̂⟩)/√(σ²+ε) as text, exactly; None where it is longer than an answer may be.

    Without `centred` it is RMSNorm's: nothing is centred and the mean square takes the place of σ².
    """
    values, n = [Fraction(str(value)) for value in x], len(x)
    if centred:
        middle = sum(values, Fraction()) / n
        values = [value - middle for value in values]
    square = sum(value * value for value in values) / n + Fraction(str(eps))
    shift = sum(g, Fraction()) / n if centred else Fraction()
    slope = sum(a * b for a, b in zip(g, values, strict=True)) / n / square
    cells = ", ".join(str(a - shift - b * slope) for a, b in zip(g, values, strict=True))
    text = f"({cells})/sqrt({square})"
    return text if len(text) <= 200 else None


def without_dust(value: T, size: float) -> T:
    """Return an answer, or exact zeros in its shape where no entry exceeds `DUST`·`size`."""
    dusty = math.isfinite(size) and max(map(abs, flatten(value))) <= DUST * size
    zeros: T = _zeros(value)
    return zeros if dusty else value


def _zeros(value: Any) -> Any:
    return tuple(map(_zeros, value)) if isinstance(value, list | tuple) else 0.0
