"""The parameters of a family in words: what each may be and what it is when left out."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm.engine.family import Family, Given, givens
from studynorm.engine.numbers import plain


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as an author declared it; `default` is None where it must be given."""

    name: str
    meaning: str
    domain: str
    default: str | None


def parameters_of(family: Family[Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a family in order, in the words of `--set`."""
    return tuple(
        Parameter(name, spec.label, domain(spec), default(spec)) for name, spec in givens(family).items()
    )


def domain(spec: Given) -> str:
    """Return in words what a parameter may be."""
    match spec.shape:
        case "scalar":
            return f"a number{_bounds(spec)}"
        case "whole":
            return f"a whole number{_bounds(spec)}"
        case "option":
            return f"one of {', '.join(spec.options)}"
        case "shape":
            return f"{spec.length[0]} whole sizes{_bounds(spec)}"
        case "matrix" if spec.square:
            return f"a square matrix of at most {spec.length[1]} rows"
        case "matrix":
            return f"a matrix of at most {spec.length[1]} rows and columns"
    if spec.like is not None:
        return f"as many numbers as {spec.like} has {'columns' if spec.across else 'entries'}"
    least = max(spec.length[0], 2 if spec.group else 1)
    differ = ", not all equal where eps is 0" if spec.group else ""
    return f"{least} to {spec.length[1]} numbers{differ}"


def default(spec: Given) -> str | None:
    """Return what a parameter is when left out; None where it must be given."""
    if spec.default is None:
        return None
    value = plain(spec.default)
    return f"{value} for each" if spec.like is not None else value


def _bounds(spec: Given) -> str:
    if spec.above is not None:
        most = "" if math.isinf(spec.high) else f", at most {plain(spec.high)}"
        return f" above {plain(spec.above)}{most}"
    if math.isinf(spec.low) and math.isinf(spec.high):
        return ""
    if math.isinf(spec.high):
        return f", {plain(spec.low)} or more"
    if math.isinf(spec.low):
        return f", at most {plain(spec.high)}"
    return f" from {plain(spec.low)} to {plain(spec.high)}"
