"""Ranges, ticks and short numbers of a plot's axes: pure arithmetic, apart from how a plot is painted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_MOST_DIGITS = 9
_SMALLEST = 1e-290  # ranges below this are no ranges


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction of a plot: its range and ticks (position, label); on a log axis in exponents of ten."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Return 0..1 for a value within the range; halves keep a range beyond the largest float finite."""
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)


def axis_of(values: Sequence[float], log: bool, most: int) -> Axis:
    """Return an axis that holds all `values` (at least one, all finite), with two to about `most` ticks.

    Ticks stand at the data where these are few and apart, else at round numbers. Equal values get some room.
    """
    low, high = min(values), max(values)
    seen = sorted(set(values))
    size = max(abs(low), abs(high))
    if high / 2 - low / 2 <= max(1e-12 * size, _SMALLEST):
        room = 0.5 if log and size < 1e6 else size / 2 if size > 4 * _SMALLEST else 1.0
        low, high = max(low - room, -1.7e308), min(high + room, 1.7e308)
        seen = []
    if 1 < len(seen) <= min(most, 5) and _are_apart(seen, most):
        positions = seen
    else:
        positions = _decades(low, high, most) if log else _round_numbers(low, high, most)
    inside = [at for at in positions if low <= at <= high]
    if len(inside) < 2:
        inside = [low, high]
    for digits in range(3, _MOST_DIGITS + 1):
        labels = [short_number(at, log, digits) for at in inside]
        if len(set(labels)) == len(labels):
            break
    return Axis(low, high, tuple(zip(inside, labels, strict=True)))


def short_number(value: float, log: bool = False, digits: int = 3) -> str:
    """Write a number with so many significant digits: `0.398`, `1e-50`; `log` means an exponent of ten."""
    if log and not -3 < value < 5:
        whole = math.floor(value)
        mantissa = round(10 ** (value - whole), digits - 2)
        return f"{mantissa:g}e{whole}" if mantissa < 10 else f"1e{whole + 1}"
    number = 10**value if log else value
    text = f"{number:.{digits if abs(number) < 1000 else max(digits, 6)}g}"
    before, _, exponent = text.partition("e")
    return f"{before}e{int(exponent)}" if exponent else "0" if text == "-0" else text


def _are_apart(seen: Sequence[float], most: int) -> bool:
    return min(b / 2 - a / 2 for a, b in pairwise(seen)) >= (seen[-1] / 2 - seen[0] / 2) / (2 * most)


def _decades(low: float, high: float, most: int) -> list[float]:
    """Return whole exponents; within two decades also those of 2 and 5."""
    if high - low > 2:
        return _round_numbers(low, high, most, smallest=1.0)
    if high - low < 0.5:
        return _round_numbers(low, high, most)
    decades = range(math.floor(low), math.floor(high) + 1)
    return [decade + math.log10(digit) for decade in decades for digit in (1, 2, 5)]


def _round_numbers(low: float, high: float, most: int, smallest: float = 0.0) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten, that is at least `smallest`."""
    rough = max((high / 2 - low / 2) / most * 2, smallest)
    if not 1e-300 < rough < 1e300:
        return [low, high]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [step * n for n in range(first, min(last, first + 2 * most) + 1)]
