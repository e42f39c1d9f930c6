"""A formula on one line, bracketed so that it can be read in one way only."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from studynorm.mathtext.forms import AsciiForms, Forms, UnicodeForms
from studynorm.mathtext.nodes import (
    Accent,
    Aligned,
    BigOperator,
    Binomial,
    Cases,
    Fence,
    Fraction,
    Function,
    Group,
    MathError,
    Matrix,
    Node,
    Number,
    Overbrace,
    Overline,
    Root,
    Scripts,
    Sign,
    Space,
    Styled,
    Symbol,
    Text,
    Underbrace,
    Underline,
)
from studynorm.mathtext.parser import parse
from studynorm.mathtext.shapes import (
    accent_of,
    alone,
    is_differential,
    is_letters,
    is_short,
    parts,
    split_primes,
)
from studynorm.mathtext.signs import BRACKETS, CHARACTER_BRACKETS
from studynorm.mathtext.spacing import Piece, joined, kind_of, resolved, touches
from studynorm.mathtext.written import (
    BARE_RADICAND,
    ROOTS,
    Level,
    Written,
    in_brackets,
    is_bare,
    is_bracketed,
)

_SQUARE = (CHARACTER_BRACKETS["["], CHARACTER_BRACKETS["]"])
_MATRIX_BRACKETS = {
    "Bmatrix": (BRACKETS["lbrace"], BRACKETS["rbrace"]),
    "vmatrix": (BRACKETS["lvert"], BRACKETS["rvert"]),
    "Vmatrix": (BRACKETS["lVert"], BRACKETS["rVert"]),
}
_CONDITION = re.compile(r"\s*(?:if|when|for|where|otherwise|else|unless)\b")
_QUAD = 18


def one_line(source: str) -> str:
    """Return a formula as one line of Unicode; one that can't be parsed comes back as it was."""
    try:
        return _Line(UnicodeForms()).write(parse(source))
    except MathError:
        return source


def ascii_line(source: str) -> str:
    """Return a formula as one line of 7-bit characters; one that can't be parsed shows its source."""
    forms = AsciiForms()
    try:
        return _Line(forms).write(parse(source))
    except MathError:
        return forms.text(source)


class _Line:
    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        self._unicode = isinstance(forms, UnicodeForms)

    def write(self, node: Node) -> str:
        """Return the line of a whole formula."""
        return self._written(node).text.strip()

    def _written(self, node: Node, tight: bool = False) -> Written:
        match node:
            case Group():
                return self._row(node.items, tight)
            case Fraction():
                return self._fraction(node, tight)
            case Scripts():
                base = self._base(node.base, tight)
                return self._with_scripts(base, node.sub, node.sup)
            case BigOperator():
                sign = Written(self._forms.sign(node.sign), Level.ATOM, node.named, node.named)
                return replace(self._with_scripts(sign, node.lower, node.upper), level=Level.ATOM)
            case Root():
                return self._root(node, tight)
            case Fence():
                return self._fence(node, tight)
            case Accent() | Overline() | Underline():
                return self._accent(node, tight)
            case Styled():
                return self._styled(node, tight)
            case Matrix() | Cases() | Aligned():
                return self._rows(node, tight)
            case Underbrace() | Overbrace():
                return self._brace(node, tight)
            case Binomial():
                upper, lower = self._written(node.upper, tight), self._written(node.lower, tight)
                return Written(f"({upper.text} choose {lower.text})", Level.ATOM)
            case _:
                return self._leaf(node)

    def _leaf(self, node: Sign | Number | Text | Space) -> Written:
        if isinstance(node, Number):
            return Written(node.digits, Level.ATOM)
        if isinstance(node, Text):
            text = self._forms.text(node.text)
            return Written(text, Level.SUM if " " in text.strip() else Level.ATOM, True, True)
        if isinstance(node, Space):
            return Written("", Level.ATOM)
        form = self._forms.sign(node)
        word = isinstance(node, Function) or (len(form) > 1 and form.isalpha())
        return Written(form, Level.ATOM, word, word)

    # -- rows --------------------------------------------------------------------------------------------

    def _row(self, items: Sequence[Node], tight: bool) -> Written:
        if len(items) == 1:
            return self._written(items[0], tight)
        pieces = resolved([self._piece(item, tight) for item in items])
        pieces = [
            replace(piece, written=piece.written.bracketed(Level.PRODUCT))
            if piece.written.level == Level.QUOTIENT and touches(pieces, index)
            else piece
            for index, piece in enumerate(pieces)
        ]
        shown = [piece for piece in pieces if piece.written.text]
        text = joined(pieces, tight=tight)
        if not shown:
            return Written(text, Level.ATOM)
        return Written(text, _row_level(pieces), shown[0].written.word_before, shown[-1].written.word_behind)

    def _piece(self, node: Node, tight: bool) -> Piece:
        gap = 0
        if isinstance(node, Space) and node.width > 0:
            gap = 1 if node.width < _QUAD // 2 else 2 * max(node.width // _QUAD, 1)
        return Piece(node, kind_of(node), self._written(node, tight), gap)

    # -- fractions, roots, scripts -----------------------------------------------------------------------

    def _fraction(self, node: Fraction, tight: bool) -> Written:
        upper = self._written(node.numerator, tight).bracketed(Level.PRODUCT)
        lower = self._written(node.denominator, tight)
        if not is_differential(node):
            lower = lower.bracketed(Level.POWER)
        return Written(f"{upper.text}/{lower.text}", Level.QUOTIENT, upper.word_before, lower.word_behind)

    def _root(self, node: Root, tight: bool) -> Written:
        radicand = self._written(node.radicand, tight)
        index = "" if node.index is None else self._written(node.index, True).text
        if not self._unicode:
            text = f"sqrt({radicand.text})" if not index else f"root({index}, {radicand.text})"
            return Written(text, Level.ATOM, word_before=True)
        raised = ROOTS.get(index) or ("√" if not index else None)
        if raised is None:
            glyphs = self._forms.raised(index)
            if glyphs is None:
                return Written(f"root({index}, {radicand.text})", Level.ATOM, word_before=True)
            raised = f"{glyphs}√"
        if BARE_RADICAND.fullmatch(radicand.text):
            return Written(f"{raised}{radicand.text}", Level.POWER, word_behind=True)
        return Written(f"{raised}{in_brackets(radicand.text)}", Level.POWER)

    def _base(self, node: Node, tight: bool) -> Written:
        written = self._written(node, tight)
        return written if kind_of(node) in ("bin", "rel", "punct", "text") else written.bracketed(Level.ATOM)

    def _with_scripts(self, base: Written, sub: Node | None, sup: Node | None) -> Written:
        primes, rest = split_primes(sup)
        text = base.text + "".join(self._forms.sign(prime) for prime in primes)
        word = base.word_behind and sub is None and rest is None
        level = Level.ATOM
        if sub is not None:
            script, word = self._script("_", self._forms.lowered, sub)
            text += script
        if rest is not None:
            script, word = self._script("^", self._forms.raised, rest)
            text += script
            level = Level.POWER
        return Written(text, level, base.word_before, word)

    def _script(self, mark: str, glyphs_of: Callable[[str], str | None], node: Node) -> tuple[str, bool]:
        """Return a script in writing, and whether letters behind it would run into it."""
        written = self._written(node, tight=True)
        glyphs = glyphs_of(written.text)
        if glyphs is not None:
            return glyphs, False
        bare = is_bare(written)
        return mark + (written.text if bare or is_bracketed(written.text) else f"({written.text})"), bare

    # -- what stands around or over a body ---------------------------------------------------------------

    def _fence(self, node: Fence, tight: bool) -> Written:
        body = self._written(node.body, tight)
        if node.left is None or node.right is None:
            body = body.bracketed(Level.PRODUCT)
        left = "" if node.left is None else self._forms.sign(node.left)
        right = "" if node.right is None else self._forms.sign(node.right)
        return Written(f"{left}{body.text}{right}", Level.ATOM)

    def _accent(self, node: Accent | Overline | Underline, tight: bool) -> Written:
        body = alone(node.body)
        name, mark = accent_of(node)
        if isinstance(body, Scripts):
            # A hat over x with its index is read as the index of x with its hat.
            base = self._written(body.base, tight)
            accented = self._accented(name, mark, body.base, base)
            if accented is not None:
                return self._with_scripts(accented, body.sub, body.sup)
            written = self._with_scripts(base.bracketed(Level.ATOM), body.sub, body.sup)
        else:
            written = self._written(body, tight)
            accented = self._accented(name, mark, body, written)
            if accented is not None:
                return accented
        if self._unicode and not isinstance(node, Accent) and is_letters(body):
            return Written("".join(char + mark for char in written.text), Level.ATOM)
        return Written(f"{name}{in_brackets(written.text)}", Level.ATOM, word_before=True)

    def _accented(self, name: str, mark: str, body: Node, written: Written) -> Written | None:
        """Return a single sign under its accent, None for a longer body."""
        if not is_short(body):
            return None
        text = self._forms.accented(name, mark, written.text)
        return None if text is None else Written(text, Level.ATOM, not self._unicode, not self._unicode)

    def _styled(self, node: Styled, tight: bool) -> Written:
        written = self._written(node.body, tight)
        text = self._forms.styled(node.style, written.text)
        if len(text) > 1 and text.isalpha() and node.style not in ("blackboard", "calligraphic", "fraktur"):
            return Written(text, Level.ATOM, True, True)
        return replace(written, text=text)

    def _brace(self, node: Underbrace | Overbrace, tight: bool) -> Written:
        body = self._written(node.body, tight)
        under = isinstance(node, Underbrace)
        if node.label is None:
            return body
        label = self._written(node.label, tight).text.strip()
        if not self._unicode:
            name = "underbrace" if under else "overbrace"
            return Written(f"{name}({body.text}, {label})", Level.ATOM, word_before=True)
        return Written(f"{in_brackets(body.text)}{'⏟' if under else '⏞'}({label})", Level.ATOM)

    # -- environments ------------------------------------------------------------------------------------

    def _rows(self, node: Matrix | Cases | Aligned, tight: bool) -> Written:
        if isinstance(node, Aligned):
            lines = [
                self._row([part for cell in row for part in parts(cell)], tight).text for row in node.rows
            ]
            return Written("; ".join(line.strip() for line in lines), Level.SUM)
        if isinstance(node, Cases):
            branches = "; ".join(self._branch(value, condition, tight) for value, condition in node.rows)
            return Written(f"{{ {branches} }}", Level.ATOM)
        left, right = (self._forms.sign(sign) for sign in _MATRIX_BRACKETS.get(node.env, _SQUARE))
        cells = [[self._written(cell, tight).text.strip() for cell in row] for row in node.rows]
        return Written(f"{left}{'; '.join('  '.join(row) for row in cells)}{right}", Level.ATOM)

    def _branch(self, value: Node, condition: Node | None, tight: bool) -> str:
        text = self._written(value, tight).text.strip().rstrip(",")
        if condition is None:
            return text
        under = self._written(condition, tight).text.strip()
        return f"{text} {under}" if not under or _CONDITION.match(under) else f"{text} if {under}"


def _row_level(pieces: Sequence[Piece]) -> Level:
    """Return how tightly a row holds together, brackets in it counted as wholes."""
    depth = 0
    level = Level.PRODUCT
    shown = [piece for piece in pieces if piece.written.text or piece.gap > 1]
    closed_at: list[int] = []
    for index, piece in enumerate(shown):
        if piece.kind == "open":
            depth += 1
        elif piece.kind == "close":
            depth -= 1
            if depth == 0:
                closed_at.append(index)
        elif depth == 0:
            level = min(level, _piece_level(piece))
    if depth != 0:
        return Level.SUM
    called = [piece.kind for piece in shown[:2]]
    whole = closed_at == [len(shown) - 1] and not isinstance(shown[-1].node, Scripts)
    if whole and (called[0] == "open" or (called in (["ord", "open"], ["function", "open"]))):
        return Level.ATOM
    return Level.PRODUCT if whole and level == Level.SUM and called == ["function", "open"] else level


def _piece_level(piece: Piece) -> Level:
    if piece.kind in ("rel", "bin", "punct", "function", "big", "space"):
        return Level.SUM
    if piece.kind == "text" and " " in piece.written.text:
        return Level.SUM
    if isinstance(piece.node, Symbol) and piece.node.glyph == "/":
        return Level.QUOTIENT
    return min(piece.written.level, Level.PRODUCT)
