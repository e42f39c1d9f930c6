"""Whether a formula inside a sentence stays in the line of words, or is set on rows of its own.

It stays where its drawing has one row, and where its one-line form is as natural, so that nothing has to
be puzzled out of brackets: with short fractions, roots over something plain, short scripts and limits.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from studynorm.mathtext.box import TooLarge
from studynorm.mathtext.cells import cell_width
from studynorm.mathtext.forms import UnicodeForms
from studynorm.mathtext.layout import draw
from studynorm.mathtext.linear import one_line
from studynorm.mathtext.nodes import (
    Accent,
    Aligned,
    BigOperator,
    Binomial,
    Cases,
    Fence,
    Fraction,
    Group,
    MathError,
    Matrix,
    Node,
    Overbrace,
    Overline,
    Root,
    Scripts,
    Space,
    Styled,
    Underbrace,
    Underline,
)
from studynorm.mathtext.parser import parse
from studynorm.mathtext.shapes import alone, is_letters, is_short
from studynorm.mathtext.spacing import kind_of

_FORMS = UnicodeForms()
_LONGEST_HALF = 8
_LONGEST_SCRIPT = 12
_LONGEST = 34
_MOST_SLASHES = 2
_QUAD = 18
_FACTORS = ("ord", "open", "close", "inner", "function", "big")


@lru_cache(maxsize=1024)
def stays_in_line(source: str) -> bool:
    """Tell whether a formula is set in the line of the words around it; what can't be parsed is."""
    try:
        node = parse(source)
        flat = draw(node).height == 1
    except (MathError, TooLarge):
        return True
    if flat:
        return True
    line = one_line(source)
    return (
        cell_width(line) <= _LONGEST and line.count("/") <= _MOST_SLASHES and _is_plain(node, stacked=False)
    )


def _is_plain(node: Node, *, stacked: bool) -> bool:
    """Tell whether a part reads well in a line; `stacked` tells that it is inside a fraction or a root."""
    match node:
        case Group(items):
            return _row_is_plain(items, stacked=stacked)
        case Fraction(upper, lower):
            return not stacked and _is_half(upper) and _is_half(lower)
        case Root(radicand, index):
            whole = is_short(radicand) or not stacked
            return whole and _is_plain(radicand, stacked=True) and (index is None or is_short(index))
        case Scripts(base, sub, sup):
            return _is_plain(base, stacked=stacked) and all(
                _is_script(script) for script in (sub, sup) if script is not None
            )
        case BigOperator(_, lower, upper):
            bare = _is_limit(lower, _FORMS.lowered) and _is_limit(upper, _FORMS.raised)
            return (lower is None and upper is None) or (bare and not stacked and not node.beside)
        case Fence(_, _, body) | Styled(_, body):
            return _is_plain(body, stacked=stacked)
        case Accent(_, _, body):
            inner = alone(body)
            return is_short(inner.base if isinstance(inner, Scripts) else inner)
        case Overline(body) | Underline(body):
            return is_letters(alone(body))
        case Binomial(upper, lower):
            return not stacked and _is_half(upper) and _is_half(lower)
        case Matrix() | Cases() | Aligned() | Underbrace() | Overbrace():
            return False
        case _:
            return True


def _row_is_plain(items: Sequence[Node], *, stacked: bool) -> bool:
    shown = [item for item in items if not (isinstance(item, Space) and item.width < _QUAD)]
    for number, item in enumerate(shown):
        if not _is_plain(item, stacked=stacked):
            return False
        inner = alone(item)
        if isinstance(inner, Fraction) and not (is_short(inner.numerator) and is_short(inner.denominator)):
            beside = (*shown[max(number - 1, 0) : number], *shown[number + 1 : number + 2])
            if any(kind_of(neighbour) in _FACTORS for neighbour in beside):
                return False
    return True


def _is_half(half: Node) -> bool:
    return _is_plain(half, stacked=True) and _is_narrow(half, _LONGEST_HALF)


def _is_script(script: Node) -> bool:
    return _is_plain(script, stacked=True) and _is_narrow(script, _LONGEST_SCRIPT)


def _is_limit(limit: Node | None, glyphs_of: Callable[[str], str | None]) -> bool:
    """Tell whether a limit is one sign, or has small glyphs."""
    if limit is None:
        return True
    drawing = draw(limit, tight=True)
    return drawing.height == 1 and (drawing.width == 1 or glyphs_of(drawing.base_row) is not None)


def _is_narrow(node: Node, width: int) -> bool:
    return draw(node, tight=width != _LONGEST_HALF).width <= width
