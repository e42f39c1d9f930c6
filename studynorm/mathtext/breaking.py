"""A drawing that keeps within a width: a row that is too long goes on in further lines.

It is broken where a reader pauses: between formulas, then before relations, then before operators, then
inside brackets. The parts of a fraction, a root or a matrix are never torn apart.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from studynorm.mathtext.box import Box, beside, blank, stacked
from studynorm.mathtext.layout import draw, placed
from studynorm.mathtext.nodes import Aligned, Fence, Group, Node, Scripts
from studynorm.mathtext.rows import QUAD_CELLS, Placed, joined
from studynorm.mathtext.shapes import alone, parts

_INDENT = 4
_FORMULA, _RELATION, _OPERATOR, _COMMA, _INSIDE, _FIRST_RELATION = range(6)


class Pause(NamedTuple):
    """How good a place is for a break; the smaller, the better. `depth` counts the brackets round it."""

    kind: int
    depth: int = 0


def within(node: Node, width: int) -> Box:
    """Return the drawing of a formula in lines of at most `width` cells, as far as it can be broken."""
    whole = alone(node)
    if not isinstance(whole, Aligned):
        return _under([*_Lines(parts(node), width).boxes()])
    if _natural_width(whole) <= width:
        return draw(whole)
    lines: list[Box] = []
    relation: int | None = None
    for row in whole.rows:
        goes_on = row[0] == Group(()) and relation is not None
        broken = _Lines([part for cell in row for part in parts(cell)], width, relation if goes_on else None)
        lines += broken.boxes()
        relation = broken.relation
    return _under(lines)


def _natural_width(whole: Aligned) -> int:
    return sum(
        max(draw(cell).width for cell in column) + QUAD_CELLS for column in zip(*whole.rows, strict=True)
    )


def _under(lines: Sequence[Box]) -> Box:
    """Return lines under each other, with an empty row where tall ones would touch."""
    column: list[Box] = []
    for line in lines:
        if column and column[-1].below and line.above:
            column.append(blank(0))
        column.append(line)
    return stacked(column, lines[0].baseline, "left")


def _opened(node: Node) -> Iterator[Node]:
    """Yield the brackets of a fence and what they hold, so that it can be broken inside."""
    scripts = node if isinstance(node, Scripts) else None
    fence = node if scripts is None else scripts.base
    if not isinstance(fence, Fence) or fence.left is None or fence.right is None:
        yield node
        return
    yield replace(fence.left, side="open")
    for part in parts(fence.body):
        yield from _opened(part)
    closing = replace(fence.right, side="close")
    yield closing if scripts is None else Scripts(closing, scripts.sub, scripts.sup)


class _Lines:
    """A row, broken; `relation` is the column of its first relation once the lines are there."""

    def __init__(self, items: Sequence[Node], width: int, relation: int | None = None) -> None:
        self.relation = relation
        self._width = width
        self._start_at = relation or 0
        self._row: Sequence[Placed] = placed(items, False)
        if self._start_at + sum(place.gap + place.box.width for place in self._row) > width:
            self._row = placed([part for item in items for part in _opened(item)], False)
        self._ends = [*accumulate(place.gap + place.box.width for place in self._row)]
        kinds = [place.piece.kind for place in self._row]
        steps = ((kind == "open") - (kind == "close") for kind in kinds)
        self._depths = [max(depth, 0) for depth in accumulate(steps, initial=0)]

    def boxes(self) -> Iterator[Box]:
        """Yield the lines."""
        if not self._row:
            yield joined(())
        start, indent = 0, self._start_at
        inside: list[int] = []
        while start < len(self._row):
            end, pause = self._end(start, indent)
            yield self._line(start, end, indent, inside)
            start = end
            if start == len(self._row):
                break
            if pause.kind == _FORMULA:
                indent, self.relation = 0, None
            else:
                indent = self._indent(start, pause, inside)

    def _line(self, start: int, end: int, indent: int, inside: list[int]) -> Box:
        """Return the pieces `start` to `end` as a line; note the columns of a relation and open brackets."""
        column = indent
        line = [blank(indent)]
        for index in range(start, end):
            place = self._row[index]
            gap = place.gap if index > start else 0
            column += gap
            if place.piece.kind == "rel" and not inside and self.relation is None:
                self.relation = column
            line += (blank(gap), place.box)
            column += place.box.width
            if place.piece.kind == "open":
                inside.append(column)
            elif place.piece.kind == "close" and inside:
                inside.pop()
        return beside(line)

    def _indent(self, start: int, pause: Pause, inside: Sequence[int]) -> int:
        if pause.kind == _INSIDE and inside:
            wanted = inside[-1]
        elif self.relation is None or pause.kind == _FIRST_RELATION:
            wanted = _INDENT
        else:
            wanted = self.relation if pause.kind == _RELATION else self.relation + 2
        if wanted > self._width // 2:
            wanted = _INDENT
        unbroken = self._cells(start, self._next(start))
        # Where no indent leaves enough room, better at the margin than beyond the edge.
        return wanted if wanted + unbroken <= self._width else min(_INDENT, max(self._width - unbroken, 0))

    def _cells(self, start: int, end: int) -> int:
        """Return the width of the pieces `start` to `end` as a line."""
        before = self._ends[start - 1] if start else 0
        return self._ends[end - 1] - before - self._row[start].gap

    def _end(self, start: int, indent: int) -> tuple[int, Pause]:
        """Return where the line that begins at `start` is best ended, and how good the place is."""
        room = self._width - indent
        if self._cells(start, len(self._row)) <= room:
            return len(self._row), Pause(_FORMULA)
        found: tuple[int, Pause] | None = None
        related = self._row[start].piece.kind == "rel"
        for index in range(start + 1, len(self._row)):
            if self._cells(start, index) > room and found is not None:
                break
            pause = self._pause(index)
            if pause == (_RELATION, 0) and not related:
                related = True
                if self._cells(start, index) <= self._width // 3:
                    pause = Pause(_FIRST_RELATION)
            if pause is not None and (found is None or pause <= found[1]):
                found = index, pause
        return found or (len(self._row), Pause(_FORMULA))

    def _next(self, start: int) -> int:
        """Return the first place behind `start` for a break."""
        places = (index for index in range(start + 1, len(self._row)) if self._pause(index) is not None)
        return next(places, len(self._row))

    def _pause(self, index: int) -> Pause | None:
        """Return how good it is to break before a piece, None where it is no place to break."""
        left, place = self._row[index - 1], self._row[index]
        kind, depth = place.piece.kind, self._depths[index]
        if kind in ("close", "punct"):
            return None
        if depth:
            pausing = left.piece.kind == "punct" or (kind in ("rel", "bin") and left.piece.kind != "open")
            return Pause(_INSIDE, depth) if pausing else None
        if place.gap >= QUAD_CELLS:
            return Pause(_FORMULA)
        if kind == "rel":
            return Pause(_RELATION)
        if kind == "bin":
            return Pause(_OPERATOR)
        return Pause(_COMMA) if left.piece.kind == "punct" else None
