"""Mean and variance of one group in plain Python: the torch-free side of every answer."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from studynorm.engine.rng import Rng


def mean(values: Sequence[float]) -> float:
    """Return the mean of the numbers as they are displayed, without loss: 0.1, 0.2 and 0.3 have 0.2.

    nan where a value is not finite, so that a slip built on it is set aside.
    """
    if not all(map(math.isfinite, values)):
        return math.nan
    return float(sum(map(_displayed, values), Fraction()) / len(values))


def _displayed(value: float) -> Fraction:
    return Fraction(int(value)) if value == int(value) else Fraction(repr(value))


@dataclass(frozen=True, slots=True)
class Moments:
    """One group's mean and variances, by a two-pass sum."""

    x: tuple[float, ...]
    mean: float
    deviations: tuple[float, ...]
    squares: float
    """Sum of squared deviations."""

    @property
    def var(self) -> float:
        """The biased variance: divide by n."""
        return self.squares / len(self.x)

    @property
    def unbiased(self) -> float:
        """The unbiased variance: divide by n − 1."""
        return self.squares / (len(self.x) - 1)

    def hat(self, eps: float = 0.0) -> tuple[float, ...]:
        """Return the normalized values: deviation / √(biased variance + ε)."""
        return divided(self.deviations, math.sqrt(self.var + eps))


def moments(x: Sequence[float]) -> Moments:
    """Return the moments of one group of numbers."""
    exact = [_displayed(value) for value in x]
    centre = sum(exact, Fraction()) / len(exact)
    deviations = tuple(float(value - centre) for value in exact)
    return Moments(tuple(x), float(centre), deviations, math.fsum(value * value for value in deviations))


def exact_hat(x: Sequence[float], eps: float = 0.0) -> tuple[tuple[Fraction, ...], Fraction]:
    """Return d and s of the normalized values d/√s without loss: the deviations, and σ² + ε."""
    exact = [_displayed(value) for value in x]
    centre = sum(exact, Fraction()) / len(exact)
    deviations = tuple(value - centre for value in exact)
    squares = sum((value * value for value in deviations), Fraction())
    return deviations, squares / len(exact) + _displayed(eps)


def flat(values: Sequence[float]) -> bool:
    """Tell whether the numbers are equal, as far as float64 can tell: they have no variance."""
    return max(values) - min(values) <= 1e-14 * max(map(abs, values))


def divided(values: Sequence[float], by: float) -> tuple[float, ...]:
    """Return every value divided by `by`; nan where that is 0, so that the slip is set aside."""
    return tuple(value / by if by else math.nan for value in values)


def affine(values: Sequence[float], gamma: float, beta: float) -> tuple[float, ...]:
    """Return γ·value + β for every value."""
    return tuple(gamma * value + beta for value in values)


TIDY_DEVIATIONS: tuple[tuple[int, ...], ...] = (
    (-7, -1, 1, 7),
    (-5, 1, 1, 3),
    (-3, -1, -1, 5),
    (-3, -1, 0, 1, 3),
    (-7, -1, 1, 2, 5),
    (-6, -3, 1, 3, 5),
    (-5, -3, -1, 3, 6),
    (-5, -2, -1, 1, 7),
    (-3, -2, 0, 1, 1, 3),
    (-6, -1, 0, 2, 2, 3),
    (-5, -2, 0, 0, 3, 4),
    (-4, -2, -2, 1, 2, 5),
    (-6, -4, -1, 3, 3, 5),
    (-5, -4, -2, 1, 5, 5),
)
"""Sets of 4 to 6 whole deviations with sum 0 and a whole standard deviation above 1."""


def tidy_batch(rng: Rng) -> tuple[float, ...]:
    """Draw a batch of whole numbers with a whole mean and a whole standard deviation above 1."""
    centre = rng.integer(-3, 6)
    return tuple(float(centre + deviation) for deviation in rng.shuffled(rng.choice(TIDY_DEVIATIONS)))


def untidy_batch(rng: Rng, fewest: int = 3, most: int = 5) -> tuple[float, ...]:
    """Draw a batch of `fewest` to `most` whole numbers from −6 to 12."""
    return tuple(map(float, rng.integers(rng.integer(fewest, most), -6, 12)))
