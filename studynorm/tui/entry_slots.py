"""A list or matrix that fills while it is typed: which entry each number so far becomes."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from studynorm.engine.answer import Integers, Matrix, Vector
from studynorm.engine.expression import read
from studynorm.engine.value import Scalar, Unreadable, Value
from studynorm.engine.variant import Variant
from studynorm.study.worked import number_text
from studynorm.tui.theme import Palette

EMPTY = "·"
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_CUTS = 6


def slots(variant: Variant, typed: str) -> tuple[tuple[str, ...], ...]:
    """Return the entries by rows, `EMPTY` where there is none yet; nothing for other kinds of answer."""
    truth = variant.answer
    if isinstance(variant.kind, Vector | Integers):
        return (_filled(_flat(_so_far(typed)), len(truth)),)
    if isinstance(variant.kind, Matrix):
        value = _rows_so_far(typed)
        nested = not isinstance(value, Scalar) and any(isinstance(row, tuple) for row in value)
        rows = [_flat(row) for row in value] if nested and isinstance(value, tuple) else [_flat(value)]
        width = len(truth[0])
        return tuple(_filled(rows[at] if at < len(rows) else (), width) for at in range(len(truth)))
    return ()


def slots_view(variant: Variant, typed: str, palette: Palette) -> Table:
    """Return the entries as a small grid: what is there in the colour of math, what is not faint."""
    grid = Table.grid(padding=(0, 3, 0, 0))
    for row in slots(variant, typed):
        grid.add_row(*(Text(entry, palette.faint if entry == EMPTY else palette.math) for entry in row))
    return grid


def _so_far(typed: str) -> Value:
    """Return what the longest readable beginning of a text means; an empty list for nothing."""
    text = typed.strip()
    ends = [at + (sign in ")]}") for at, sign in enumerate(text) if sign in " ,;()[]{}"]
    for end in [len(text), *reversed(ends[-_CUTS:])]:
        begun = text[:end].rstrip(" ,;")
        try:
            return read(begun + _closing(begun), in_list=True)
        except Unreadable:
            continue
    return ()


def _rows_so_far(typed: str) -> Value:
    """Return the rows so far, of which the last may be shorter than the others."""
    parts = typed.strip().removeprefix("[").removesuffix("]").split(";")
    if len(parts) == 1 or any(sign in typed for sign in "()[]{}"):
        return _so_far(typed)
    return tuple(_flat(_so_far(part)) for part in parts)


def _closing(text: str) -> str:
    opened: list[str] = []
    for sign in text:
        if sign in _CLOSERS:
            opened.append(_CLOSERS[sign])
        elif opened and sign == opened[-1]:
            opened.pop()
    return "".join(reversed(opened))


def _flat(value: Value) -> tuple[Scalar, ...]:
    if isinstance(value, Scalar):
        return (value,)
    return tuple(entry for part in value for entry in _flat(part))


def _filled(entries: Sequence[Scalar], count: int) -> tuple[str, ...]:
    texts = [number_text(entry.value, 5) for entry in entries[:count]]
    return tuple(texts + [EMPTY] * (count - len(texts)))
