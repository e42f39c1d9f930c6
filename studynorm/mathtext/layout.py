"""The tree as a drawing of several rows: fractions stacked, limits above and below, brackets that grow."""

from collections.abc import Sequence
from dataclasses import replace

from studynorm.mathtext import grids
from studynorm.mathtext.box import Box, beside, blank, stacked, text_box
from studynorm.mathtext.forms import UnicodeForms
from studynorm.mathtext.nodes import (
    Accent,
    Aligned,
    BigOperator,
    Binomial,
    Bracket,
    Cases,
    Fence,
    Fraction,
    Group,
    Matrix,
    Node,
    Number,
    Overbrace,
    Overline,
    Root,
    Scripts,
    Space,
    Styled,
    Text,
    Underbrace,
    Underline,
)
from studynorm.mathtext.rows import Placed, joined, piece_of, spaced
from studynorm.mathtext.scripts import Script, attached, lowered, raised
from studynorm.mathtext.shapes import accent_of, alone, is_short, parts, split_primes
from studynorm.mathtext.spacing import Piece, resolved
from studynorm.mathtext.stretch import bracket, integral, over, overbrace, rooted, underbrace
from studynorm.mathtext.written import BARE_RADICAND, ROOTS

_FORMS = UnicodeForms()
_BIG_ROWS = (0, 0, 1, 1, 2)
_STYLES = ("bold", "italic")


def draw(node: Node, tight: bool = False) -> Box:
    """Return the drawing of a node; `tight` leaves out the blanks round operators, as in scripts."""
    match node:
        case Group():
            return joined(placed(node.items, tight))
        case Fraction():
            return _fraction(node, tight)
        case Scripts():
            return _with_scripts(_base(node.base, tight), node.sub, node.sup)
        case BigOperator():
            return _big_operator(node)
        case Root():
            return _root(node, tight)
        case Fence():
            return _fence(node, tight)
        case Accent() | Overline() | Underline():
            return _accent(node, tight)
        case Styled():
            return _styled(node, tight)
        case Underbrace() | Overbrace():
            return _brace(node, tight)
        case Binomial():
            cells = [(draw(node.upper, tight),), (draw(node.lower, tight),)]
            return grids.fenced("(", grids.grid(cells, ["center"], [0]), ")")
        case Matrix():
            return grids.matrix(node.env, [[draw(cell, tight) for cell in row] for row in node.rows])
        case Cases():
            return grids.cases(
                [(draw(value), None if when is None else draw(when)) for value, when in node.rows]
            )
        case Aligned():
            return grids.aligned([aligned_cells(row) for row in node.rows])
        case Number():
            return text_box(node.digits)
        case Text():
            return text_box(node.text, node.style if node.style in _STYLES else "")
        case Space():
            return blank(0)
        case Bracket():
            return bracket(node.glyph, _BIG_ROWS[node.size], _BIG_ROWS[node.size])
        case _:
            return text_box(node.glyph)


def aligned_cells(row: Sequence[Node]) -> list[Box]:
    """Return the cells of an aligned line; one behind a mark begins as if something stood before it."""
    nothing = Group(())
    return [
        joined(placed((nothing, *parts(cell)) if column % 2 else parts(cell), False))
        for column, cell in enumerate(row)
    ]


def placed(items: Sequence[Node], tight: bool) -> list[Placed]:
    """Return the pieces of a row with the blanks between them; brackets grow with what they hold."""
    boxes = [draw(item, tight) for item in items]
    pieces = resolved([piece_of(item, box) for item, box in zip(items, boxes, strict=True)])
    _grow(pieces, boxes)
    return spaced(pieces, boxes, tight)


def _grow(pieces: Sequence[Piece], boxes: list[Box]) -> None:
    """Let brackets that hold something tall grow to its height, with their scripts."""
    opened: list[int] = []
    for index, piece in enumerate(pieces):
        if piece.kind == "open":
            opened.append(index)
        elif piece.kind == "close" and opened:
            first = opened.pop()
            inside = boxes[first + 1 : index]
            if inside and is_tall(inside):
                above, below = extent(inside)
                boxes[first] = _grown(pieces[first].node, boxes[first], above, below)
                boxes[index] = _grown(piece.node, boxes[index], above, below)


def _grown(node: Node, box: Box, above: int, below: int) -> Box:
    if isinstance(node, Scripts):
        base = _grown(node.base, draw(node.base), above, below)
        return _with_scripts(base, node.sub, node.sup)
    inner = alone(node)
    if not isinstance(inner, Bracket):
        return box
    return bracket(inner.glyph, max(above, box.above), max(below, box.below))


def extent(boxes: Sequence[Box]) -> tuple[int, int]:
    """Return how many rows boxes side by side have over and under their baseline."""
    return max((box.above for box in boxes), default=0), max((box.below for box in boxes), default=0)


def is_tall(boxes: Sequence[Box]) -> bool:
    """Tell whether brackets round these must grow: not for a script or a limit that hangs out."""
    above, below = extent(boxes)
    return above > 0 and below > 0


# -- fractions, roots, scripts ---------------------------------------------------------------------------


def _fraction(node: Fraction, tight: bool) -> Box:
    if tight and is_short(node.numerator) and is_short(node.denominator):
        flat = beside((draw(node.numerator, True), text_box("/"), draw(node.denominator, True)))
        if flat.height == 1:
            return flat
    upper, lower = draw(node.numerator, tight), draw(node.denominator, tight)
    width = max(upper.width, lower.width, 1)
    if any(isinstance(alone(half), Fraction) for half in (node.numerator, node.denominator)):
        width += 2
    return stacked((upper, text_box("─" * width), lower), upper.height)


def _root(node: Root, tight: bool) -> Box:
    radicand = draw(node.radicand, tight)
    index = None if node.index is None else draw(node.index, True)
    if radicand.height == 1 and BARE_RADICAND.fullmatch(radicand.base_row):
        sign = "√" if index is None else _root_sign(index)
        if sign:
            return beside((text_box(sign), radicand))
    return rooted(radicand if radicand.width else blank(1), index)


def _root_sign(index: Box) -> str:
    if index.height > 1:
        return ""
    glyphs = _FORMS.raised(index.base_row)
    return ROOTS.get(index.base_row) or (f"{glyphs}√" if glyphs else "")


def _base(node: Node, tight: bool) -> Box:
    """Return the base of scripts, in brackets where its end would not be seen."""
    box = draw(node, tight)
    inner = alone(node)
    loose = (
        isinstance(inner, Fraction | BigOperator)
        or (isinstance(inner, Scripts) and inner.sup is not None)
        or (isinstance(inner, Group) and len(inner.items) > 1)
        or (isinstance(inner, Root) and box.height == 1)
    )
    return grids.fenced("(", box, ")") if loose else box


def _with_scripts(base: Box, sub: Node | None, sup: Node | None) -> Box:
    primes, rest = split_primes(sup)
    if primes:
        base = attached(base, None, Script(text_box("".join(prime.glyph for prime in primes)), small=True))
    low = None if sub is None else lowered(draw(sub, True))
    high = None if rest is None else raised(draw(rest, True), base)
    return attached(base, low, high)


def _big_operator(node: BigOperator) -> Box:
    lower = None if node.lower is None else draw(node.lower, True)
    upper = None if node.upper is None else draw(node.upper, True)
    sign = text_box(node.sign.glyph)
    if lower is None and upper is None:
        return sign
    if node.beside:
        return integral(node.sign.glyph, upper, lower)
    limits = [box for box in (upper, sign, lower) if box is not None]
    return stacked(limits, 0 if upper is None else upper.height)


# -- what stands around, over or under a body ------------------------------------------------------------


def _fence(node: Fence, tight: bool) -> Box:
    row = placed(parts(node.body), tight)
    body = joined(row)
    above, below = (body.above, body.below) if is_tall([body]) else (0, 0)
    if above:
        body = joined([replace(place, box=_grown_bar(place, above, below)) for place in row])
    sides = [
        blank(0) if side is None else bracket(side.glyph, above, below) for side in (node.left, node.right)
    ]
    return beside((sides[0], body, sides[1]))


def _grown_bar(place: Placed, above: int, below: int) -> Box:
    node = place.piece.node
    divides = isinstance(node, Bracket) and place.piece.kind == "sign"
    return bracket(node.glyph, above, below) if divides and isinstance(node, Bracket) else place.box


def _accent(node: Accent | Overline | Underline, tight: bool) -> Box:
    name, mark = accent_of(node)
    body = alone(node.body)
    if isinstance(body, Scripts):
        # A hat over x with its index is read as the index of x with its hat.
        return _with_scripts(_accented(name, mark, body.base, tight), body.sub, body.sup)
    return _accented(name, mark, body, tight)


def _accented(name: str, mark: str, body: Node, tight: bool) -> Box:
    box = draw(body, tight)
    if is_short(body) and box.height == 1:
        text = _FORMS.accented(name, mark, box.base_row)
        if text is not None:
            return Box((text,), 0, box.marks)
    return over(name, box)


def _styled(node: Styled, tight: bool) -> Box:
    box = draw(node.body, tight)
    if node.style in _STYLES:
        return box.styled(node.style)
    return Box(tuple(_FORMS.styled(node.style, row) for row in box.rows), box.baseline, box.marks)


def _brace(node: Underbrace | Overbrace, tight: bool) -> Box:
    body = draw(node.body, tight)
    body = body.widened(max(body.width, 3))
    label = [] if node.label is None else [draw(node.label, True)]
    if isinstance(node, Underbrace):
        return stacked((body, underbrace(body.width), *label), body.baseline)
    above = sum(box.height for box in label) + 1
    return stacked((*label, overbrace(body.width), body), above + body.baseline)
