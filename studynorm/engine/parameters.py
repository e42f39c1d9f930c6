"""Reads a learner's own numbers, `NAME=VALUE`, into the parameters of a family."""

import math
from collections.abc import Mapping
from typing import Any

from studynorm.engine.expression import read
from studynorm.engine.family import Family, Given, Refused, givens
from studynorm.engine.numbers import plain
from studynorm.engine.value import Scalar, Unreadable, Value

_SET_LIMIT = 4000


def read_params(family: Family[Any], given: Mapping[str, str]) -> Any:
    """Read `NAME=VALUE` texts into the parameters of a family. Raises `Refused`, naming the parameter."""
    declared = givens(family)
    for name in given:
        if name not in declared:
            raise Refused(name, f"{family.id} has no such parameter; it has {', '.join(declared)}")
    values: dict[str, Any] = {}
    for name, spec in declared.items():
        if name in given:
            values[name] = _read_given(name, spec, given[name])
    for name, spec in declared.items():
        if name not in values:
            values[name] = _default(name, spec, values, declared)
    for name, spec in declared.items():
        if spec.like is not None and len(values[name]) != (wanted := _length(spec, values)):
            raise Refused(name, f"has {len(values[name])} entries; give as many as {spec.like} has: {wanted}")
    return family.given(**values)


def _length(spec: Given, values: Mapping[str, Any]) -> int:
    """Return how many entries a vector has that is as long as another parameter, or as its rows."""
    assert spec.like is not None
    other = values[spec.like]
    return len(other[0] if spec.across else other)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"


def _read_given(name: str, spec: Given, text: str) -> Any:
    if spec.shape == "option":
        if text.strip() not in spec.options:
            raise Refused(name, f"one of {', '.join(spec.options)} is wanted, not “{_short(text)}”")
        return text.strip()
    try:
        value = read(text, in_list=spec.shape in {"vector", "matrix", "shape"}, limit=_SET_LIMIT)
    except Unreadable as unread:
        raise Refused(
            name, f"{unread.message} (at character {unread.position + 1} of “{_short(text)}”)"
        ) from None
    if spec.shape in {"vector", "shape"}:
        entries = (value,) if isinstance(value, Scalar) else value
        if not all(isinstance(entry, Scalar) for entry in entries):
            raise Refused(name, "a plain list is wanted, as in 0,2,4,6")
        low, high = spec.length
        if not low <= len(entries) <= high:
            wanted = f"{low}" if low == high else f"{low} to {high}"
            raise Refused(name, f"{wanted} numbers are wanted, and this has {len(entries)}")
        cells = tuple(_number(name, spec, entry) for entry in entries)
        return tuple(int(cell) for cell in cells) if spec.shape == "shape" else cells
    if spec.shape == "matrix":
        return _read_matrix(name, spec, value, column=";" in text)
    if not isinstance(value, Scalar):
        raise Refused(name, f"one number is wanted, and this is a list of {len(value)}")
    return _number(name, spec, value)


def _read_matrix(name: str, spec: Given, value: Value, *, column: bool) -> Any:
    """Read a matrix; where any shape will do, a plain list is one row, or one column if `;` parts it."""
    rows = value if isinstance(value, tuple) else (value,)
    if not spec.square and all(isinstance(row, Scalar) for row in rows):
        rows = tuple((cell,) for cell in rows) if column else (rows,)
    widths = {len(row) if isinstance(row, tuple) else 0 for row in rows}
    most = spec.length[1]
    fits = widths == {len(rows)} if spec.square else len(widths) == 1 and 0 < min(widths) <= most
    if not fits or len(rows) > most:
        wanted = f"a square matrix of at most {most} rows is wanted, as in 0,0.1;-0.1,0"
        if not spec.square:
            wanted = f"a matrix of at most {most} rows and columns is wanted, as in 0,2,4;1,3,9"
        raise Refused(name, wanted)
    return tuple(tuple(_number(name, spec, cell) for cell in row) for row in rows if isinstance(row, tuple))


def _number(name: str, spec: Given, value: Any) -> Any:
    if not isinstance(value, Scalar):
        raise Refused(name, "numbers are wanted, not lists inside the list")
    number = value.value
    if abs(number) > 1e150 or (number != 0 and abs(number) < 1e-150):
        raise Refused(name, f"{plain(number)} is outside ±1e-150 … ±1e150, where sums of squares are safe")
    if spec.above is not None and not number > spec.above:
        raise Refused(name, f"a number above {plain(spec.above)} is wanted, not {plain(number)}")
    if not spec.low <= number <= spec.high:
        bounds = (
            f"{plain(spec.low)} or more"
            if math.isinf(spec.high)
            else f"{plain(spec.low)} to {plain(spec.high)}"
        )
        raise Refused(name, f"{bounds} is wanted, not {plain(number)}")
    if spec.shape in {"whole", "shape"}:
        if not number.is_integer():
            raise Refused(name, f"a whole number is wanted, not {plain(number)}")
        return int(number)
    return number


def _default(name: str, spec: Given, values: Mapping[str, Any], declared: Mapping[str, Given]) -> Any:
    if spec.default is None:
        raise Refused(name, f"this parameter has no default ({spec.label}); add --set {name}=…")
    if spec.like is not None:
        if spec.like not in values:
            raise Refused(spec.like, f"this parameter has no default ({declared[spec.like].label})")
        return (float(spec.default),) * _length(spec, values)
    return spec.default
