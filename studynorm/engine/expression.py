"""Reads typed mathematics without eval: numbers, lists, matrices and the expressions between them.

Every input ends in a value or in an `Unreadable` that names the offending place; the work is bounded
by the length of the text, so that nothing typed can hang the program.
"""

from fractions import Fraction

from studynorm.engine.arithmetic import (
    CONSTANTS,
    FUNCTIONS,
    REDUCTIONS,
    apply_function,
    combine_entries,
    negate,
    raise_to,
    reduce_list,
    size_of,
    to_float,
)
from studynorm.engine.tokens import Token, tokenise
from studynorm.engine.value import Names, Scalar, Unreadable, Value

ANSWER_LIMIT = 200
_DEPTH_LIMIT = 40
_WORK_LIMIT = 300
"""How many sums, products, powers and function values, counted entry by entry, one answer may take."""
_DIGITS_LIMIT = 60
_EXPONENT_LIMIT = 308

# How tightly each operation binds. Juxtaposition binds tighter than “/”: 1/2pi is 1/(2π), as the echo shows.
_SUM, _PRODUCT, _UNARY, _JUXTAPOSED, _POWER, _ROOT = 10, 20, 22, 25, 30, 40


class _Parser:
    """Pratt parser that evaluates as it reads."""

    def __init__(self, tokens: list[Token], *, in_list: bool, names: Names | None) -> None:
        self.tokens = tokens
        self.at = 0
        self.in_list = in_list
        self.names = names
        self.depth = 0
        self.work = 0

    def counted(self, value: Value, position: int) -> Value:
        """Return a computed value, having counted the work it took; an author's expression is free."""
        self.work += size_of(value)
        if self.names is None and self.work > _WORK_LIMIT:
            raise Unreadable("too much arithmetic for one answer; type the numbers themselves", position)
        return value

    def ends(self) -> bool:
        return self.tokens[self.at].kind == "end"

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.token
        self.at += 1
        return token

    def is_sign(self, text: str) -> bool:
        return self.token.kind == "sign" and self.token.text == text

    def starts_entry(self) -> bool:
        """Tell whether a blank at this place separates two entries of a list."""
        token = self.token
        if not (self.in_list and token.blank_before):
            return False
        if token.kind in {"number", "name"} or token.text in {"(", "[", "√"}:
            return True
        following = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        return token.text in {"-", "+"} and not following.blank_before and following.kind != "end"

    # -- lists -------------------------------------------------------------------------------
    def rows(self, closing: str | None) -> Value:
        """Read entries up to `closing`; `;` parts rows, `,` or a blank parts entries."""
        opened = self.tokens[self.at - 1].start if closing else 0
        rows: list[tuple[Value, ...]] = []
        entries: list[Value] = []
        commas = semicolons = False
        while True:
            if self._closes(closing):
                break
            if self.ends():
                raise Unreadable(f"the bracket opened here is never closed with “{closing}”", opened)
            if self.is_sign(",") or self.is_sign(";"):
                raise Unreadable("an entry is missing before this separator", self.token.start)
            entries.append(self.expression(0))
            if self.is_sign(","):
                commas = True
                self.take()
                if self.ends() and closing is None:
                    break
                if self.is_sign(";"):
                    raise Unreadable("an entry is missing before this separator", self.token.start)
            elif self.is_sign(";"):
                semicolons = True
                self.take()
                rows.append(tuple(entries))
                entries = []
            elif self.ends() and closing is not None:
                continue
            elif not (self._closes(closing) or self.starts_entry()):
                raise self._stray()
        if entries:
            rows.append(tuple(entries))
        if not rows:
            raise Unreadable("nothing was typed" if closing is None else "the brackets are empty", opened)
        if semicolons and all(len(row) == 1 for row in rows) and not commas:
            return tuple(row[0] for row in rows)
        if semicolons and len(rows) > 1:
            if len({len(row) for row in rows}) > 1:
                raise Unreadable(
                    "the rows between “;” have different lengths; write decimals with a point, as in 0.5",
                    opened,
                )
            return tuple(rows)
        if len(rows[0]) == 1 and not commas and not semicolons and closing in {None, ")"}:
            return rows[0][0]
        return rows[0]

    def _closes(self, closing: str | None) -> bool:
        return self.ends() if closing is None else self.is_sign(closing)

    def _stray(self) -> Unreadable:
        token = self.token
        if token.text in {")", "]"}:
            return Unreadable(f"“{token.text}” closes a bracket that was never opened", token.start)
        if token.text == "," and not self.in_list:
            return Unreadable("one number is wanted: write a decimal with a point, as in 0.5", token.start)
        if token.text == ";" and not self.in_list:
            return Unreadable("one number is wanted, not a list", token.start)
        if token.kind == "number":
            return Unreadable("two numbers stand side by side; what is between them?", token.start)
        if token.kind == "end":
            return Unreadable("the answer stops too early", token.start)
        return Unreadable(f"“{token.text}” is not expected here", token.start)

    # -- expressions -------------------------------------------------------------------------
    def expression(self, floor: int) -> Value:
        self.depth += 1
        if self.depth > _DEPTH_LIMIT:
            raise Unreadable("too many brackets or powers inside each other", self.token.start)
        left = self.prefix(floor)
        while True:
            token = self.token
            if self.starts_entry():
                break
            if token.kind == "power":
                if floor > _POWER:
                    break
                self.take()
                left = self.counted(raise_to(left, self.expression(_POWER), token.start), token.start)
            elif token.kind == "sign" and token.text in "*/":
                if floor >= _PRODUCT:
                    break
                self.take()
                left = self.counted(
                    combine_entries(token.text, left, self.expression(_PRODUCT), token.start), token.start
                )
            elif token.kind == "sign" and token.text in "+-":
                if floor >= _SUM:
                    break
                self.take()
                left = self.counted(
                    combine_entries(token.text, left, self.expression(_SUM), token.start), token.start
                )
            elif self._implicit_product(token):
                if floor >= _JUXTAPOSED:
                    break
                left = self.counted(
                    combine_entries("*", left, self.expression(_JUXTAPOSED), token.start), token.start
                )
            else:
                break
        self.depth -= 1
        return left

    def _implicit_product(self, token: Token) -> bool:
        previous = self.tokens[self.at - 1]
        if previous.kind == "name" and token.text in {"(", "["}:
            return False
        return token.kind == "name" or token.text in {"(", "√"}

    def prefix(self, floor: int) -> Value:
        token = self.take()
        if token.kind == "number":
            if self.token.kind == "name" and self.token.text in {"e", "E"} and not self.token.blank_before:
                raise Unreadable("the exponent is unfinished; write 1e-3", self.token.start)
            return _number(token)
        if token.kind == "name":
            return self._named(token)
        if token.text == "-":
            return self.counted(negate(self.expression(max(_UNARY, floor))), token.start)
        if token.text == "+":
            return self.expression(max(_UNARY, floor))
        if token.text == "√":
            return self.counted(apply_function("sqrt", self.expression(_ROOT), token.start), token.start)
        if token.text in {"(", "["}:
            closing = ")" if token.text == "(" else "]"
            inner = self.rows(closing)
            self.take()
            return inner
        self.at -= 1
        raise self._stray()

    def _named(self, token: Token) -> Value:
        name = token.text
        calls = self.is_sign("(") and not (self.in_list and self.token.blank_before)
        if self.names is not None and name in self.names and not calls:
            return self.names[name]
        if name in FUNCTIONS or (self.names is not None and name in REDUCTIONS):
            if not calls:
                raise Unreadable(f"“{name}” wants brackets, as in {name}(5)", token.start)
            opened = self.take()
            argument = self.rows(")")
            self.take()
            if name in REDUCTIONS and self.names is not None:
                return reduce_list(name, argument, opened.start)
            return self.counted(apply_function(name, argument, token.start), token.start)
        if name in CONSTANTS and not calls:
            return CONSTANTS[name]
        if name.lower() in {"nan", "inf", "infinity"}:
            raise Unreadable("a finite number is wanted", token.start)
        if calls:
            raise Unreadable(
                f"“{name}” is not a function known here; sqrt, exp, ln and log2 are", token.start
            )
        raise Unreadable(f"“{name}” is not a number", token.start)


def _number(token: Token) -> Scalar:
    mantissa, _, exponent = token.text.lower().partition("e")
    if len(mantissa) > _DIGITS_LIMIT or len(exponent) > 5 or abs(int(exponent or 0)) > _EXPONENT_LIMIT:
        raise Unreadable("this number has too many digits", token.start)
    decimals = len(mantissa.partition(".")[2])
    exact = Fraction(token.text)
    return Scalar(to_float(exact, token.start), exact, int(exponent or 0) - decimals)


def read(text: str, *, in_list: bool, limit: int = ANSWER_LIMIT) -> Value:
    """Read what a learner typed.

    `in_list` says that blanks part entries (`1 -2 3` has three); without it only one number is
    wanted and a comma is refused. Raises `Unreadable`.
    """
    if len(text) > limit:
        raise Unreadable(f"an answer has at most {limit} characters", limit)
    parser = _Parser(tokenise(text), in_list=in_list, names=None)
    return _whole(parser, in_list=in_list)


def evaluate(expression: str, names: Names) -> Value:
    """Evaluate an expression of a worked solution, with `names` for the givens and earlier steps.

    Knows, besides what a learner may type, `mean`, `sum`, `prod`, `len`, `entry(list, place)` and
    `identity(size)`. Raises `Unreadable`.
    """
    parser = _Parser(tokenise(expression), in_list=False, names=names)
    return _whole(parser, in_list=False)


def _whole(parser: _Parser, *, in_list: bool) -> Value:
    if parser.ends():
        raise Unreadable("nothing was typed", 0)
    value = parser.rows(None) if in_list else parser.expression(0)
    if not parser.ends():
        raise parser._stray()
    return value
