"""Arithmetic on what was read: exact while it stays rational and small, in floats beyond, never unbounded."""

import math
from collections.abc import Callable
from fractions import Fraction

from studynorm.engine.value import Scalar, Unreadable, Value

_BITS_LIMIT = 2048
"""Beyond this, exact arithmetic gives way to floats: enough for every whole number that a float holds."""

# Functions that a learner may type. Each takes and returns one real number.
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "ln": math.log,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "abs": abs,
    "tanh": math.tanh,
}  # fmt: skip
CONSTANTS = {"pi": Scalar(math.pi), "e": Scalar(math.e)}


def to_float(exact: Fraction, position: int) -> float:
    """Return the nearest float. Raises `Unreadable` where there is none."""
    try:
        return float(exact)
    except OverflowError:
        raise Unreadable("this number is too large", position) from None


def _finite(value: float, position: int) -> Scalar:
    if not math.isfinite(value):
        raise Unreadable("this number is too large", position)
    return Scalar(value)


def size_of(value: Value) -> int:
    """Return how many numbers a value holds."""
    return 1 if isinstance(value, Scalar) else sum(map(size_of, value))


def _bits(exact: Fraction) -> int:
    return max(exact.numerator.bit_length(), exact.denominator.bit_length())


def negate(value: Value) -> Value:
    """Return the value with every sign changed; a typed decimal stays one."""
    if isinstance(value, tuple):
        return tuple(negate(entry) for entry in value)
    return Scalar(-value.value, None if value.exact is None else -value.exact, value.unit)


def combine_entries(sign: str, left: Value, right: Value, position: int) -> Value:
    """Combine entry by entry; a scalar meets every entry of a list."""
    if isinstance(left, Scalar):
        if isinstance(right, Scalar):
            return _arithmetic(sign, left, right, position)
        return tuple(combine_entries(sign, left, entry, position) for entry in right)
    if isinstance(right, Scalar):
        return tuple(combine_entries(sign, entry, right, position) for entry in left)
    if len(left) != len(right):
        raise Unreadable(f"lists of {len(left)} and {len(right)} entries cannot be combined", position)
    return tuple(combine_entries(sign, a, b, position) for a, b in zip(left, right, strict=True))


def _combine(sign: str, a: Fraction, b: Fraction) -> Fraction:
    return a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b


def _arithmetic(sign: str, left: Scalar, right: Scalar, position: int) -> Scalar:
    if sign == "/" and (right.value == 0 if right.exact is None else right.exact == 0):
        raise Unreadable("division by zero", position)
    if (
        left.exact is not None
        and right.exact is not None
        and _bits(left.exact) + _bits(right.exact) <= _BITS_LIMIT
    ):
        exact = _combine(sign, left.exact, right.exact)
        return Scalar(to_float(exact, position), exact, _scientific_unit(sign, left, right))
    a, b = left.value, right.value
    try:
        return _finite(
            a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b, position
        )
    except ZeroDivisionError:
        raise Unreadable("division by zero", position) from None


def _scientific_unit(sign: str, left: Scalar, right: Scalar) -> int | None:
    """Return the unit of `1.2×10^-3`, which is a decimal like 1.2e-3 and not an expression."""
    if sign != "*" or left.unit is None or right.unit is not None or not (left.exact and right.exact):
        return None
    size = max(right.exact.numerator, right.exact.denominator)
    zeros = len(str(size)) - 1
    if zeros == 0 or size != 10**zeros or min(right.exact.numerator, right.exact.denominator) != 1:
        return None
    return left.unit + (zeros if right.exact > 1 else -zeros)


def raise_to(base: Value, exponent: Value, position: int) -> Value:
    """Raise every entry of the base to one power. Raises `Unreadable`."""
    if isinstance(base, tuple):
        return tuple(raise_to(entry, exponent, position) for entry in base)
    if isinstance(exponent, tuple):
        raise Unreadable("an exponent is one number", position)
    if base.exact is not None and exponent.exact is not None and exponent.exact.denominator == 1:
        power = exponent.exact.numerator
        if base.exact == 0 and power < 0:
            raise Unreadable("division by zero", position)
        if _bits(base.exact) * abs(power) <= _BITS_LIMIT:
            exact = base.exact**power
            return Scalar(to_float(exact, position), exact)
    try:
        value = base.value**exponent.value
    except ZeroDivisionError:
        raise Unreadable("division by zero", position) from None
    except OverflowError:
        raise Unreadable("this power is too large", position) from None
    if isinstance(value, complex):
        raise Unreadable("a root of a negative number is not real", position)
    return _finite(value, position)


def apply_function(name: str, argument: Value, position: int) -> Value:
    """Apply a function to every entry. Raises `Unreadable` outside its domain."""
    if isinstance(argument, tuple):
        return tuple(apply_function(name, entry, position) for entry in argument)
    try:
        value = FUNCTIONS[name](argument.value)
    except ValueError:
        raise Unreadable(f"{name} of {argument.value:g} is not a real number", position) from None
    except OverflowError:
        raise Unreadable("this number is too large", position) from None
    if name == "sqrt" and argument.exact is not None and argument.exact >= 0:
        top, bottom = math.isqrt(argument.exact.numerator), math.isqrt(argument.exact.denominator)
        root = Fraction(top, bottom)
        if root * root == argument.exact:
            return Scalar(float(root), root)
    return _finite(value, position)


# Reductions belong to worked solutions, where lists have names; a learner types numbers.
REDUCTIONS = {"sum", "mean", "prod", "len", "entry", "identity"}


def reduce_list(name: str, argument: Value, position: int) -> Value:
    """Return what a worked solution takes of a list: its mean, an entry …. Raises `Unreadable`."""
    if name == "entry":
        if not (isinstance(argument, tuple) and len(argument) == 2 and isinstance(argument[0], tuple)):
            raise Unreadable("entry wants a list and a place, as in entry(x, 2)", position)
        place = _count(argument[1], "the place", position)
        if place > len(argument[0]):
            raise Unreadable(f"there is no entry {place} in a list of {len(argument[0])}", position)
        return argument[0][place - 1]
    if name == "identity":
        size = _count(argument, "the size", position)
        return tuple(
            tuple(Scalar(float(i == j), Fraction(int(i == j))) for j in range(size)) for i in range(size)
        )
    entries = argument if isinstance(argument, tuple) else (argument,)
    if name == "len":
        return Scalar(float(len(entries)), Fraction(len(entries)))
    total: Value = Scalar(1.0, Fraction(1)) if name == "prod" else Scalar(0.0, Fraction(0))
    for entry in entries:
        total = combine_entries("*" if name == "prod" else "+", total, entry, position)
    if name == "mean":
        return combine_entries("/", total, Scalar(float(len(entries)), Fraction(len(entries))), position)
    return total


def _count(value: Value, what: str, position: int) -> int:
    if not (isinstance(value, Scalar) and value.value.is_integer() and value.value >= 1):
        raise Unreadable(f"{what} is a whole number from 1", position)
    return int(value.value)
