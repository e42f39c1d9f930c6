"""LaTeX to syntax tree: a recursive descent over the tokens, strict about what the subset has.

Strict, because a formula that is silently drawn wrong teaches something wrong.
"""

from typing import Literal

from studynorm.mathtext.cursor import Cursor
from studynorm.mathtext.macros import (
    ACCENTS,
    ALIGNED,
    IGNORED,
    MATRICES,
    SIZES,
    SPACES,
    STYLES,
    TEXTS,
)
from studynorm.mathtext.nodes import (
    Accent,
    Aligned,
    BigOperator,
    Binomial,
    Bracket,
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
    Relation,
    Root,
    Scripts,
    Sign,
    Space,
    Styled,
    Text,
    Underbrace,
    Underline,
)
from studynorm.mathtext.shapes import spelled
from studynorm.mathtext.signs import (
    BESIDE,
    BIG_OPERATORS,
    BRACKETS,
    CHARACTERS,
    DEFINED_AS,
    NAMED_BIG_OPERATORS,
    PRIME,
    RELATIONS,
    SIGNS,
    letter,
    negated,
)
from studynorm.mathtext.tokens import Token

MAX_DEPTH = 60
_DIGITS = tuple("0123456789")
_BARS = {"|": ("lvert", "rvert"), "‖": ("lVert", "rVert")}
_FRACTIONS = ("frac", "tfrac", "dfrac", "cfrac")
_BINOMIALS = ("binom", "tbinom", "dbinom")


def parse(source: str) -> Node:
    """Return the tree of a formula (LaTeX without its `$`).

    Raises MathError, with the position, for a macro or an environment that is not in the subset, for
    unbalanced or misplaced syntax, for more than 4000 characters and for nesting deeper than 60.
    """
    parser = _Parser(source)
    node = parser.row()
    parser.finish()
    return node


class _Parser(Cursor):
    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._depth = 0

    def finish(self) -> None:
        """Refuse what is left behind the formula."""
        token = self.peek()
        if token.kind == "end":
            return
        if token.kind == "char" and token.text == "}":
            raise MathError("'}' closes nothing", token.position)
        if token.kind == "char":
            raise MathError("'&' outside an environment", token.position)
        raise MathError(f"\\{token.text} without its beginning", token.position)

    # -- rows --------------------------------------------------------------------------------------------

    def row(self, closer: str = "}") -> Group:
        """Read nodes up to what only the caller can take: the closer, `&`, a line's or a pair's end."""
        self._deeper()
        items: list[Node] = []
        while not (self._at_end() or self.at("char", closer)):
            node = self._scripted()
            if node is not None:
                items.append(node)
        self._depth -= 1
        return Group(tuple(items))

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise MathError(f"the formula nests deeper than {MAX_DEPTH}", self.peek().position)

    def _at_end(self) -> bool:
        token = self.peek()
        if token.kind == "macro":
            return token.text in ("\\", "cr", "right", "end")
        return token.kind == "end" or token.text in ("}", "&")

    def _scripted(self) -> Node | None:
        token = self.peek()
        if token.kind == "char" and token.text in ("^", "_", "'"):
            base: Node | None = Group(())
        else:
            base = self._atom()
        if base is None:
            return None
        if isinstance(base, BigOperator):
            while self.at("macro", "limits", "nolimits"):
                self.take()
        sub, sup = self._scripts()
        if sub is None and sup is None:
            return base
        if isinstance(base, BigOperator):
            return BigOperator(
                Sign(base.sign.glyph, base.sign.ascii, base.sign.words), sub, sup, base.named, base.beside
            )
        if isinstance(base, Underbrace) and sup is None:
            return Underbrace(base.body, sub)
        if isinstance(base, Overbrace) and sub is None:
            return Overbrace(base.body, sup)
        if isinstance(base, Space):
            base = Group(())
        return Scripts(base, sub, sup)

    def _scripts(self) -> tuple[Node | None, Node | None]:
        primes: list[Node] = []
        sub: Node | None = None
        sup: Node | None = None
        while (token := self.peek()).kind == "char" and token.text in ("^", "_", "'"):
            self.take()
            if token.text == "'":
                if sup is not None:
                    raise MathError("a prime behind a superscript", token.position)
                primes.append(PRIME)
            elif token.text == "_":
                if sub is not None:
                    raise MathError("a second subscript", token.position)
                sub = self._argument("a subscript")
            else:
                if sup is not None:
                    raise MathError("a second superscript", token.position)
                sup = self._argument("a superscript")
        if primes:
            rest = sup.items if isinstance(sup, Group) else () if sup is None else (sup,)
            sup = Group((*primes, *rest))
        return sub, sup

    def _argument(self, of: str) -> Node:
        """Read what a macro or a script applies to: a group in braces, or a single atom."""
        self._deeper()
        token = self.peek()
        if self._at_end() or (token.kind == "char" and token.text in ("^", "_", "'")):
            raise MathError(f"{of} has no argument", token.position)
        if token.kind == "char" and token.text == "{":
            self._depth -= 1
            return self._braces()
        if _is_digit(token):
            self.take()
            node: Node | None = Number(token.text)
        else:
            node = self._atom()
        if node is None:
            node = self._argument(of)
        self._depth -= 1
        return node

    # -- atoms -------------------------------------------------------------------------------------------

    def _atom(self) -> Node | None:
        r"""Read one atom; None for what leaves no trace, such as `\displaystyle`."""
        if self.at("char", "{"):
            return self._braces()
        token = self.take()
        if token.kind == "macro":
            return self._macro(token)
        if token.text == "~":
            return Space(SPACES[" "])
        behind = self._tokens[self._index]
        if _is_digit(token) or (token.text == "." and _is_digit(behind)):
            return self._number(token)
        if token.text == ":" and behind.text == "=":
            self.take()
            return DEFINED_AS
        return CHARACTERS.get(token.text) or letter(token.text, token.position)

    def _braces(self) -> Group:
        opening = self.take()
        group = self.row()
        if not self.at("char", "}"):
            raise MathError("'}' is missing for this '{'", opening.position)
        self.take()
        return group

    def _number(self, first: Token) -> Number:
        digits = [first.text]
        point = first.text == "."
        while (token := self._tokens[self._index]).kind == "char":
            if token.text == "." and not point and _is_digit(self._tokens[self._index + 1]):
                point = True
            elif not _is_digit(token):
                break
            digits.append(token.text)
            self._index += 1
        return Number("".join(digits))

    def _macro(self, token: Token) -> Node | None:
        name = token.text
        if name in SIGNS:
            return SIGNS[name]
        if name in BIG_OPERATORS:
            return BigOperator(BIG_OPERATORS[name], beside=name in BESIDE)
        if name in NAMED_BIG_OPERATORS:
            return BigOperator(NAMED_BIG_OPERATORS[name], named=True)
        if name in SPACES:
            return Space(SPACES[name])
        if name in IGNORED:
            return None
        if name in ACCENTS:
            return Accent(name.removeprefix("wide"), ACCENTS[name], self._argument(f"\\{name}"))
        if name in STYLES:
            return Styled(STYLES[name], self._argument(f"\\{name}"))
        if name in TEXTS:
            return Text(self.raw(name), TEXTS[name])
        if name in SIZES:
            return self._sized(token)
        return self._structure(token)

    def _structure(self, token: Token) -> Node:
        name = token.text
        if name in _FRACTIONS:
            return Fraction(self._argument(f"\\{name}"), self._argument(f"\\{name}"))
        if name in _BINOMIALS:
            return Binomial(self._argument(f"\\{name}"), self._argument(f"\\{name}"))
        match name:
            case "sqrt":
                return self._root()
            case "overline":
                return Overline(self._argument("\\overline"))
            case "underline":
                return Underline(self._argument("\\underline"))
            case "underbrace":
                return Underbrace(self._argument("\\underbrace"))
            case "overbrace":
                return Overbrace(self._argument("\\overbrace"))
            case "operatorname" | "operatorname*":
                return self._operator_name(token)
            case "left":
                return self._fence(token)
            case "middle":
                return self.delimiter(token) or Space(0)
            case "begin":
                return self._environment(token)
            case "not":
                return self._not()
        raise MathError(f"unknown macro \\{name}", token.position)

    def _root(self) -> Root:
        index: Node | None = None
        if self.at("char", "["):
            opening = self.take()
            index = self.row("]")
            if not self.at("char", "]"):
                raise MathError("']' is missing for the degree of a root", opening.position)
            self.take()
        return Root(self._argument("\\sqrt"), index)

    def _operator_name(self, token: Token) -> Node:
        position = self.peek().position
        name = spelled(self._argument(f"\\{token.text}"))
        if not name:
            raise MathError(f"\\{token.text} takes letters only", position)
        if token.text.endswith("*"):
            return BigOperator(Sign(name, name, name), named=True)
        return Function(name, name, name)

    def _not(self) -> Relation:
        token = self.take()
        sign = CHARACTERS.get(token.text) if token.kind == "char" else RELATIONS.get(token.text)
        if not isinstance(sign, Relation):
            raise MathError("\\not stands before a relation", token.position)
        return negated(sign)

    # -- brackets ----------------------------------------------------------------------------------------

    def _sized(self, macro: Token) -> Node:
        bracket = self.delimiter(macro)
        if bracket is None:
            return Space(0)
        ends = macro.text[-1]
        side = "open" if ends == "l" else "close" if ends == "r" else bracket.side
        return Bracket(bracket.glyph, bracket.ascii, bracket.words, side, SIZES[macro.text])

    def _fence(self, opening: Token) -> Fence:
        left = self.delimiter(opening)
        body = self.row()
        closing = self.take()
        if closing.kind != "macro" or closing.text != "right":
            raise MathError("\\right is missing for this \\left", opening.position)
        right = self.delimiter(closing)
        return Fence(_facing(left, "open"), _facing(right, "close"), body)

    # -- environments ------------------------------------------------------------------------------------

    def _environment(self, begin: Token) -> Node:
        name = self.environment_name(begin)
        if name not in (*MATRICES, *ALIGNED, "cases"):
            raise MathError(f"unknown environment {name!r}", begin.position)
        rows = self._rows(begin, name)
        if name == "cases":
            return self._cases(rows, begin)
        width = max((len(row) for row in rows), default=0)
        even = tuple(row + (Group(()),) * (width - len(row)) for row in rows)
        return Aligned(even) if name in ALIGNED else Matrix(name, even)

    def _rows(self, begin: Token, name: str) -> list[tuple[Node, ...]]:
        rows: list[tuple[Node, ...]] = []
        cells: list[Node] = []
        while True:
            cells.append(self.row())
            token = self.take()
            if token.kind == "char" and token.text == "&":
                continue
            if token.kind != "macro" or token.text == "right":
                raise MathError(f"\\end{{{name}}} is missing", begin.position)
            rows.append(tuple(cells))
            cells = []
            if token.text == "end":
                ended = self.environment_name(token)
                if ended != name:
                    raise MathError(f"\\end{{{ended}}} where \\end{{{name}}} belongs", token.position)
                break
            self.skip_row_gap()
        if rows[-1] == (Group(()),):
            rows.pop()
        return rows

    def _cases(self, rows: list[tuple[Node, ...]], begin: Token) -> Cases:
        if any(len(row) > 2 for row in rows):
            raise MathError("a row of cases has a value and one condition", begin.position)
        return Cases(tuple((row[0], row[1] if len(row) == 2 else None) for row in rows))


def _is_digit(token: Token) -> bool:
    return token.kind == "char" and token.text in _DIGITS


def _facing(bracket: Bracket | None, side: Literal["open", "close"]) -> Bracket | None:
    if bracket is None:
        return None
    if bracket.glyph in _BARS:
        return BRACKETS[_BARS[bracket.glyph][side == "close"]]
    return Bracket(bracket.glyph, bracket.ascii, bracket.words, side)
