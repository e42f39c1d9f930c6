"""What is read from typed mathematics: numbers, exact where they can be, and nested lists of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


class Unreadable(ValueError):
    """What was typed cannot be read; `position` counts characters of the typed text from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number that was read.

    `exact` is kept while the arithmetic stays rational. `unit` is the power of ten of the last typed
    digit when the number was typed as one decimal (`0.45` has −2), None for an expression.
    """

    value: float
    exact: Fraction | None = None
    unit: int | None = None


Value = Scalar | tuple["Value", ...]
Names = Mapping[str, Value]


def lift(value: object) -> Value:
    """Turn a plain number or nested list into a `Value`, exactly."""
    if isinstance(value, bool | int | float):
        return Scalar(float(value), Fraction(value))
    if isinstance(value, list | tuple):
        return tuple(lift(entry) for entry in value)
    raise TypeError(f"{value!r} is no number")


def lower(value: Value) -> "float | tuple[object, ...]":
    """Turn a `Value` into floats and nested tuples."""
    return value.value if isinstance(value, Scalar) else tuple(lower(entry) for entry in value)
