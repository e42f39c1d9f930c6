"""Drawn parts side by side in a row: the blanks between them, by the rules for lines and for bars."""

from collections.abc import Sequence
from dataclasses import dataclass

from studynorm.mathtext.box import Box, beside, blank
from studynorm.mathtext.nodes import (
    BigOperator,
    Fraction,
    Function,
    Node,
    Overline,
    Root,
    Scripts,
    Sign,
    Space,
    Styled,
    Text,
)
from studynorm.mathtext.shapes import alone
from studynorm.mathtext.spacing import Piece, gap_between, kind_of
from studynorm.mathtext.written import Level, Written

_QUAD = 18
QUAD_CELLS = 3
"""How many cells a quad is wide."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece of a row as it is drawn, with the blanks before it."""

    piece: Piece
    box: Box
    gap: int


def piece_of(node: Node, box: Box) -> Piece:
    """Return a drawn node as a piece for the rules of spacing."""
    gap = 0
    if isinstance(node, Space) and node.width > 0:
        gap = 1 if node.width < _QUAD // 2 else QUAD_CELLS * max(node.width // _QUAD, 1)
    before, behind = _word_ends(node, box)
    return Piece(node, kind_of(node), Written(box.base_row, Level.ATOM, before, behind), gap)


def spaced(pieces: Sequence[Piece], boxes: Sequence[Box], tight: bool) -> list[Placed]:
    """Return the pieces that are shown, each with the blanks before it."""
    row: list[Placed] = []
    left: Placed | None = None
    asked = 0
    for piece, box in zip(pieces, boxes, strict=True):
        if piece.kind == "space":
            asked = max(asked, piece.gap)
            continue
        gap = 0
        if left is not None:
            gap = max(_gap(left, piece, box, tight), 0 if tight and asked == 1 else asked)
            if gap == 1 and _hangs_clear(left.box, piece.node, box):
                gap = 0
            if _ends_blank(left) or (piece.kind == "text" and box.base_row.startswith(" ")):
                gap = max(gap - 1, 0)
        asked = 0
        row.append(Placed(piece, box, gap))
        left = row[-1] if box.width or left is None else left
    return row


def joined(row: Sequence[Placed]) -> Box:
    """Return a row as one box."""
    return beside(part for place in row for part in (blank(place.gap), place.box))


def _word_ends(node: Node, box: Box) -> tuple[bool, bool]:
    """Tell whether letters beside a part would run into it, before it and behind it."""
    inner = alone(node)
    match inner:
        case Text() | Function():
            return True, True
        case Scripts(base=base):
            return _word_ends(base, box)[0], False
        case BigOperator(named=True):
            return True, inner.lower is None and inner.upper is None
        case Root():
            return False, box.height == 1
        case Sign() | Styled():
            word = len(box.base_row) > 1 and box.base_row.isalpha()
            return word, word
        case _:
            return False, False


def _ends_blank(place: Placed) -> bool:
    return place.piece.kind == "text" and place.box.base_row.endswith(" ")


def _gap(left: Placed, piece: Piece, box: Box, tight: bool) -> int:
    gap = gap_between(left.piece, piece, tight=tight)
    if gap or piece.kind in ("punct", "close") or left.piece.kind == "open":
        return gap
    before, behind = left.piece.node, piece.node
    return int(_has_bar(before, left.box) or _has_bar(behind, box) or _has_roof(before, left.box))


def _hangs_clear(left: Box, node: Node, box: Box) -> bool:
    """Tell whether a root's foot, under the line, gives the blank before the sign and touches nothing."""
    inner = alone(node)
    root = alone(inner.base) if isinstance(inner, Scripts) else inner
    if not isinstance(root, Root) or not box.base_row.startswith(" "):
        return False
    beside = left.rows[left.baseline :]
    under = box.rows[box.baseline :]
    return all(
        mine.startswith(" ") or theirs.endswith(" ") for theirs, mine in zip(beside, under, strict=False)
    )


def _has_bar(node: Node, box: Box) -> bool:
    return isinstance(alone(node), Fraction) and box.height > 1


def _has_roof(node: Node, box: Box) -> bool:
    return isinstance(alone(node), Root | Overline) and box.height > 1
