"""Boxes in rows and columns: matrices, the branches of a definition, aligned lines."""

import re
from collections.abc import Sequence

from studynorm.mathtext.box import Align, Box, beside, blank, stacked, text_box
from studynorm.mathtext.stretch import bracket

_NUMBER = re.compile(r"([−+]?\d*)(\.\d*)?")
_FENCES = {
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": ("{", "}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"),
}
Cells = Sequence[Sequence[Box]]


def fenced(left: str, body: Box, right: str) -> Box:
    """Return the body between brackets of its height; an empty name stands for no bracket."""
    sides = [bracket(glyph, body.above, body.below) if glyph else blank(0) for glyph in (left, right)]
    return beside((sides[0], body, sides[1]))


def matrix(env: str, cells: Cells) -> Box:
    """Return a matrix; a column of numbers is set by its decimal points, any other is centred."""
    if not cells:
        return fenced(*_around(env, text_box(" ")))
    columns = [_decimal(column) for column in zip(*cells, strict=True)]
    even = list(zip(*columns, strict=True))
    return fenced(*_around(env, grid(even, ["center"] * len(columns), [1 if env == "smallmatrix" else 2])))


def _around(env: str, body: Box) -> tuple[str, Box, str]:
    left, right = _FENCES.get(env, ("", ""))
    return left, body, right


def cases(rows: Sequence[tuple[Box, Box | None]]) -> Box:
    """Return branches behind a brace: the values in one column, their conditions in the other."""
    if not rows:
        return fenced("{", text_box(" "), "")
    cells = [(value, blank(0) if condition is None else condition) for value, condition in rows]
    return fenced("{", grid(cells, ["left", "left"], [3]), "")


def aligned(rows: Cells) -> Box:
    """Return lines that meet at their marks; lines without a mark are centred."""
    if not rows:
        return blank(0)
    columns = len(rows[0])
    if columns == 1:
        return grid(rows, ["center"], [0], apart=False)
    sides: list[Align] = ["right" if column % 2 == 0 else "left" for column in range(columns)]
    return grid(rows, sides, [0 if column % 2 == 0 else 3 for column in range(columns)], apart=False)


def grid(cells: Cells, sides: Sequence[Align], gaps: Sequence[int], *, apart: bool = True) -> Box:
    """Return cells in rows and columns, the middle of it all at the baseline.

    `gaps` are the blanks behind the columns, the last repeated. Rows that are taller than one line stand
    apart, and where `apart` is set two rows do, so that they have a middle.
    """
    widths = [max(box.width for box in column) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        parts: list[Box] = []
        for number, (box, width, side) in enumerate(zip(row, widths, sides, strict=True)):
            if number:
                parts.append(blank(gaps[min(number - 1, len(gaps) - 1)]))
            parts.append(box.widened(width, side))
        lines.append(beside(parts))
    if (apart and len(lines) == 2) or any(line.height > 1 for line in lines):
        empty = blank(0)
        lines = [
            line for number, whole in enumerate(lines) for line in ((empty, whole) if number else (whole,))
        ]
    if len(lines) == 1:
        return lines[0]
    height = sum(line.height for line in lines)
    return stacked(lines, _middle(lines, height), "left")


def _middle(lines: Sequence[Box], height: int) -> int:
    """Return the baseline: that of the middle line where there is one, else the middle row."""
    if len(lines) % 2 and lines[len(lines) // 2].width:
        half = len(lines) // 2
        return sum(line.height for line in lines[:half]) + lines[half].baseline
    return (height - 1) // 2


def _decimal(column: Sequence[Box]) -> list[Box]:
    """Return the boxes of a column of numbers with their decimal points below each other."""
    numbers = [
        _NUMBER.fullmatch(box.base_row) if box.height == 1 and not box.marks else None for box in column
    ]
    if not all(numbers):
        return list(column)
    wholes = max(len(number[1]) for number in numbers if number)
    parts = max(len(number[2] or "") for number in numbers if number)
    return [
        text_box(number[1].rjust(wholes) + (number[2] or "").ljust(parts)) if number else box
        for number, box in zip(numbers, column, strict=True)
    ]
