"""What stands beside what in a row: the class of each node, and the blanks between two neighbours.

The classes are TeX's; the blanks are whole ones, and fall away in scripts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from studynorm.mathtext.forms import RAISED
from studynorm.mathtext.nodes import (
    BigOperator,
    Bracket,
    Fence,
    Function,
    Group,
    Node,
    Operator,
    Punctuation,
    Relation,
    Scripts,
    Sign,
    Space,
    Styled,
    Text,
)
from studynorm.mathtext.written import Written

Kind = Literal[
    "ord", "sign", "bin", "rel", "open", "close", "punct", "function", "big", "inner", "text", "space"
]


@dataclass(frozen=True, slots=True)
class Piece:
    """A node of a row in writing, with its class; `gap` is the width of a space node in blanks."""

    node: Node
    kind: Kind
    written: Written
    gap: int = 0


def kind_of(node: Node) -> Kind:
    """Return the class of a node by itself; `resolved` settles what depends on the neighbours."""
    match node:
        case Scripts():
            return kind_of(node.base)
        case Styled(body=Sign() as sign):
            return kind_of(sign)
        case Group(items=(only,)):
            return "ord" if isinstance(only, Operator | Relation | Punctuation) else kind_of(only)
        case Operator():
            return "bin"
        case Relation():
            return "rel"
        case Punctuation():
            return "punct"
        case Bracket():
            return "close" if node.side == "close" else "open"
        case Function():
            return "function"
        case BigOperator():
            return "function" if node.named and node.lower is None and node.upper is None else "big"
        case Fence():
            return "inner"
        case Text():
            return "text"
        case Space():
            return "space"
        case _:
            return "ord"


def resolved(pieces: Sequence[Piece]) -> list[Piece]:
    """Tell opening bars from closing ones, and signs from operators between two operands."""
    result: list[Piece] = []
    for piece in _with_bars(pieces):
        if piece.kind in ("rel", "punct", "close") or (piece.kind == "space" and piece.gap > 1):
            _end_of_operand(result)
        if piece.kind == "bin" and not _is_operand(_last(result)):
            piece = replace(piece, kind="sign")
        result.append(piece)
    _end_of_operand(result)
    return result


def _with_bars(pieces: Sequence[Piece]) -> list[Piece]:
    """Pair the bars; one without a partner inside its brackets only divides, as in `p(x|y)`."""
    result: list[Piece] = []
    # The open brackets, as the bar's glyph (or "" for another bracket) and the index of the piece.
    opened: list[tuple[str, int]] = []

    def divide(index: int) -> None:
        result[index] = replace(result[index], kind="sign")

    for index, piece in enumerate(pieces):
        result.append(piece)
        bar = _bar(piece.node)
        if bar is not None:
            if opened and opened[-1][0] == bar:
                opened.pop()
                result[index] = replace(piece, kind="close")
            else:
                opened.append((bar, index))
                result[index] = replace(piece, kind="open")
        elif piece.kind == "open":
            opened.append(("", index))
        elif piece.kind == "close":
            while opened and opened[-1][0]:
                divide(opened.pop()[1])
            if opened:
                opened.pop()
    for glyph, index in opened:
        if glyph:
            divide(index)
    return result


def gap_between(left: Piece, right: Piece, *, tight: bool) -> int:
    """Return how many blanks stand between two neighbours, neither of which is a space."""
    if _runs_together(left.written, right.written):
        return 1
    kinds = (left.kind, right.kind)
    if "rel" in kinds or "bin" in kinds:
        return 0 if tight and not _is_word(left) and not _is_word(right) else 1
    if right.kind in ("punct", "close"):
        return 0
    if left.kind == "punct":
        return 0 if tight else 1
    if left.kind == "big":
        return 1
    if left.kind == "function":
        return 0 if right.kind in ("open", "inner") or right.written.text.startswith("(") else 1
    if right.kind in ("function", "big"):
        return 1 if left.kind in ("ord", "close", "inner") and left.written.text != "/" else 0
    return 0


def joined(pieces: Sequence[Piece], *, tight: bool) -> str:
    """Return the row: its pieces with their blanks."""
    parts: list[str] = []
    left: Piece | None = None
    asked = 0
    for piece in pieces:
        if piece.kind == "space":
            asked = max(asked, piece.gap)
            continue
        if left is not None:
            gap = max(gap_between(left, piece, tight=tight), 0 if tight and asked == 1 else asked)
            if parts[-1].endswith(" ") or piece.written.text.startswith(" "):
                gap = max(gap - 1, 0)
            parts.append(" " * gap)
        asked = 0
        if piece.written.text:
            parts.append(piece.written.text)
            left = piece
    return "".join(parts)


def touches(pieces: Sequence[Piece], index: int) -> bool:
    """Tell whether the piece at `index` is multiplied with, or a function applied to, what is beside it."""
    left = _neighbour(pieces, index, -1)
    right = _neighbour(pieces, index, 1)
    return (left is not None and left.kind in ("ord", "close", "inner", "function", "big")) or (
        right is not None and right.kind in ("ord", "open", "inner", "function", "big")
    )


def _neighbour(pieces: Sequence[Piece], index: int, step: int) -> Piece | None:
    index += step
    while 0 <= index < len(pieces) and pieces[index].kind == "space":
        if pieces[index].gap > 1:
            return None
        index += step
    return pieces[index] if 0 <= index < len(pieces) else None


def _bar(node: Node) -> str | None:
    while isinstance(node, Scripts):
        node = node.base
    return node.glyph if isinstance(node, Bracket) and node.side == "middle" else None


def _last(pieces: Sequence[Piece]) -> Piece | None:
    return next((piece for piece in reversed(pieces) if piece.kind != "space"), None)


def _is_operand(piece: Piece | None) -> bool:
    return piece is not None and piece.kind in ("ord", "close", "inner", "text")


def _end_of_operand(result: list[Piece]) -> None:
    """Turn an operator with nothing behind it into a plain sign."""
    for index in range(len(result) - 1, -1, -1):
        if result[index].kind == "bin":
            result[index] = replace(result[index], kind="sign")
        if result[index].kind != "space":
            return


def _is_word(piece: Piece) -> bool:
    return piece.kind in ("rel", "bin") and any(char.isalpha() for char in piece.written.text)


def _runs_together(left: Written, right: Written) -> bool:
    before, behind = left.text[-1:], right.text[:1]
    if not before or not behind:
        return False
    if behind in RAISED and behind != "′":
        return True
    if not before.isalnum() or not (behind.isalnum() or behind == "√"):
        return False
    return left.word_behind or right.word_before or (before in "0123456789" and behind in "0123456789")
