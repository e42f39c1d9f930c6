"""How numbers and lists of numbers are written, in Markdown with LaTeX and as plain text."""

import math
from collections.abc import Sequence


def plain(value: object) -> str:
    """Return the shortest text that reads back as `value`: `-0.5`, `(0, 2, 4)`, `[1 2; 3 4]`."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        if value and isinstance(value[0], Sequence):
            return "[" + "; ".join(" ".join(plain(entry) for entry in row) for row in value) + "]"
        return "(" + ", ".join(plain(entry) for entry in value) + ")"
    assert isinstance(value, int | float)
    if float(value).is_integer() and abs(value) < (10**21 if isinstance(value, int) else 1e15):
        return str(int(value))
    mantissa, _, exponent = repr(float(value)).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}" if exponent else mantissa


def tex(value: object) -> str:
    """Return LaTeX (without the `$`) whose numbers are exactly `value`."""
    if isinstance(value, str):
        return rf"\text{{{value}}}"
    if isinstance(value, Sequence):
        if value and isinstance(value[0], Sequence):
            rows = r" \\ ".join(" & ".join(tex(entry) for entry in row) for row in value)
            return rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"
        return "(" + ", ".join(tex(entry) for entry in value) + ")"
    mantissa, _, exponent = plain(value).partition("e")
    if not exponent:
        return mantissa
    power = f"10^{{{exponent}}}"
    return power if mantissa == "1" else f"-{power}" if mantissa == "-1" else rf"{mantissa} \cdot {power}"


def rounded(value: object, digits: int = 6) -> str:
    """Return `value` with at most `digits` significant digits, for reading rather than computing."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        # An entry that is rounding noise beside the others is a zero to the reader.
        noise = 1e-12 * scale_of(value)
        if value and isinstance(value[0], Sequence):
            rows = (" ".join(_entry(entry, noise, digits) for entry in row) for row in value)
            return "[" + "; ".join(rows) + "]"
        return "(" + ", ".join(_entry(entry, noise, digits) for entry in value) + ")"
    assert isinstance(value, int | float)
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):
        return str(int(value))
    return plain(float(f"{value:.{digits}g}"))


def _entry(value: object, noise: float, digits: int) -> str:
    return "0" if isinstance(value, float) and abs(value) < noise else rounded(value, digits)


def flatten(value: object) -> tuple[float, ...]:
    """Return the numbers of a nested list in reading order; whole numbers stay exact, a text has none."""
    if isinstance(value, float):
        return (value,)
    if isinstance(value, str):
        return ()
    if isinstance(value, tuple | list):
        if all(type(entry) is float for entry in value):
            return tuple(value)
        return tuple(number for entry in value for number in flatten(entry))
    assert isinstance(value, int)
    return (value,)


def scale_of(value: object) -> float:
    """Return the max-norm, the scale S of the number contract; 1 where everything is zero."""
    return max((abs(number) for number in flatten(value)), default=0.0) or 1.0


def distance(one: object, other: object) -> float:
    """Return the max-norm of the difference of two answers of one shape; infinite for two shapes.

    Texts are 0 apart where they are the same, else infinitely far.
    """
    if isinstance(one, str) or isinstance(other, str):
        return 0.0 if one == other else math.inf
    a, b = flatten(one), flatten(other)
    if len(a) != len(b):
        return math.inf
    return max((abs(p - q) for p, q in zip(a, b, strict=True)), default=0.0)
