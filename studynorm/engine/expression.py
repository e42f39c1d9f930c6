"""Reads typed mathematics without eval: numbers, lists, matrices and the expressions between them.

Every input ends in a value or in an `Unreadable` that names the offending place; the work is bounded
by the length of the text, so that nothing typed can hang the program.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

ANSWER_LIMIT = 200
_DEPTH_LIMIT = 40
_BITS_LIMIT = 2048
"""Beyond this, exact arithmetic gives way to floats: enough for every whole number that a float holds."""
_WORK_LIMIT = 300
"""How many sums, products, powers and function values, counted entry by entry, one answer may take."""
_DIGITS_LIMIT = 60
_EXPONENT_LIMIT = 308


class Unreadable(ValueError):
    """What was typed cannot be read; `position` counts characters of the typed text from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number that was read.

    `exact` is kept while the arithmetic stays rational. `unit` is the power of ten of the last typed
    digit when the number was typed as one decimal (`0.45` has −2), None for an expression.
    """

    value: float
    exact: Fraction | None = None
    unit: int | None = None


Value = Scalar | tuple["Value", ...]
Names = Mapping[str, Value]

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"))
_SIGNS = str.maketrans(
    {
        "−": "-", "–": "-", "—": "-", "﹣": "-", "－": "-", "‐": "-", "‑": "-",
        "＋": "+", "·": "*", "×": "*", "⋅": "*", "∙": "*", "÷": "/", "⁄": "/", "∕": "/", "／": "/",
        "，": ",", "；": ";", "（": "(", "）": ")", "［": "[", "］": "]", "．": ".",
    }
)  # fmt: skip

_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<power>\*\*|\^)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<sign>[-+*/()\[\],;√])"
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: Literal["number", "power", "name", "sign", "end"]
    text: str
    start: int
    end: int
    blank_before: bool


def _normalise(text: str) -> tuple[str, list[int]]:
    """Return the text in plain signs and, for each of its characters, the typed position."""
    out: list[str] = []
    where: list[int] = []
    index = 0
    while index < len(text):
        char = text[index]
        if char in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻":
            run = index
            while run < len(text) and text[run] in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻":
                run += 1
            piece = "^(" + text[index:run].translate(_SUPERSCRIPTS) + ")"
            out.append(piece)
            where.extend([index] * len(piece))
            index = run
            continue
        if ord(char) in _INVISIBLE:
            index += 1
            continue
        if char == "π":
            piece = "pi"
        elif char == "½":
            if "".join(out).rstrip()[-1:].isdigit():
                raise Unreadable("write a mixed number as a decimal, as in 1.5", index)
            piece = "(1/2)"
        elif char.isspace() and char != "\n":
            piece = " "
        else:
            piece = char.translate(_SIGNS)
            digit = unicodedata.decimal(piece, None) if len(piece) == 1 else None
            if digit is not None:
                piece = str(digit)
        out.append(piece)
        where.extend([index] * len(piece))
        index += 1
    return "".join(out), where


# A power of ten that lost its raised exponent when it was copied: 1.2×10−3. Read as a product and a
# difference it would be 9.
_LOST_EXPONENT = re.compile(r"[×·⋅∙]\s*10[-+−–—]\d")


def _tokenise(text: str) -> list[_Token]:
    lost = _LOST_EXPONENT.search(text)
    if lost:
        raise Unreadable("is this a power of ten? Write 1.2e-3 or 1.2*10^-3", lost.start())
    plain, where = _normalise(text)
    tokens: list[_Token] = []
    at = 0
    blank = False
    while at < len(plain):
        if plain[at] in " \n":
            blank = True
            at += 1
            continue
        match = _TOKEN.match(plain, at)
        if match is None:
            raise Unreadable(_why_not(plain[at]), where[at])
        kind = match.lastgroup
        assert kind in {"number", "power", "name", "sign"}
        tokens.append(_Token(kind, match.group(), where[at], where[match.end() - 1] + 1, blank))  # type: ignore[arg-type]
        at = match.end()
        blank = False
    tokens.append(_Token("end", "", len(text), len(text), blank))
    return tokens


def _why_not(char: str) -> str:
    if char == "%":
        return "write a percentage as a decimal: 25% is 0.25"
    if char in "=<>≈":
        return f"only the answer itself is wanted, without “{char}”"
    if char in "'\"`":
        return "quotes have no place in an answer"
    shown = char if char.isprintable() else f"U+{ord(char):04X}"
    return f"“{shown}” cannot be read here"


# Functions that a learner may type. Each takes and returns one real number.
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "ln": math.log,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "abs": abs,
    "tanh": math.tanh,
}  # fmt: skip
_CONSTANTS = {"pi": Scalar(math.pi), "e": Scalar(math.e)}


# How tightly each operation binds. Juxtaposition binds tighter than “/”: 1/2pi is 1/(2π), as the echo shows.
_SUM, _PRODUCT, _UNARY, _JUXTAPOSED, _POWER, _ROOT = 10, 20, 22, 25, 30, 40


class _Parser:
    """Pratt parser that evaluates as it reads."""

    def __init__(self, tokens: list[_Token], *, in_list: bool, names: Names | None) -> None:
        self.tokens = tokens
        self.at = 0
        self.in_list = in_list
        self.names = names
        self.depth = 0
        self.work = 0

    def counted(self, value: Value, position: int) -> Value:
        """Return a computed value, having counted the work it took; an author's expression is free."""
        self.work += _size(value)
        if self.names is None and self.work > _WORK_LIMIT:
            raise Unreadable("too much arithmetic for one answer; type the numbers themselves", position)
        return value

    def ends(self) -> bool:
        return self.tokens[self.at].kind == "end"

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
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
                left = self.counted(_power(left, self.expression(_POWER), token.start), token.start)
            elif token.kind == "sign" and token.text in "*/":
                if floor >= _PRODUCT:
                    break
                self.take()
                left = self.counted(
                    _zip(token.text, left, self.expression(_PRODUCT), token.start), token.start
                )
            elif token.kind == "sign" and token.text in "+-":
                if floor >= _SUM:
                    break
                self.take()
                left = self.counted(_zip(token.text, left, self.expression(_SUM), token.start), token.start)
            elif self._implicit_product(token):
                if floor >= _JUXTAPOSED:
                    break
                left = self.counted(_zip("*", left, self.expression(_JUXTAPOSED), token.start), token.start)
            else:
                break
        self.depth -= 1
        return left

    def _implicit_product(self, token: _Token) -> bool:
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
            return self.counted(_negate(self.expression(max(_UNARY, floor))), token.start)
        if token.text == "+":
            return self.expression(max(_UNARY, floor))
        if token.text == "√":
            return self.counted(_apply("sqrt", self.expression(_ROOT), token.start), token.start)
        if token.text in {"(", "["}:
            closing = ")" if token.text == "(" else "]"
            inner = self.rows(closing)
            self.take()
            return inner
        self.at -= 1
        raise self._stray()

    def _named(self, token: _Token) -> Value:
        name = token.text
        calls = self.is_sign("(") and not (self.in_list and self.token.blank_before)
        if self.names is not None and name in self.names and not calls:
            return self.names[name]
        if name in _FUNCTIONS or (self.names is not None and name in _REDUCTIONS):
            if not calls:
                raise Unreadable(f"“{name}” wants brackets, as in {name}(5)", token.start)
            opened = self.take()
            argument = self.rows(")")
            self.take()
            if name in _REDUCTIONS and self.names is not None:
                return _reduce(name, argument, opened.start)
            return self.counted(_apply(name, argument, token.start), token.start)
        if name in _CONSTANTS and not calls:
            return _CONSTANTS[name]
        if name.lower() in {"nan", "inf", "infinity"}:
            raise Unreadable("a finite number is wanted", token.start)
        if calls:
            raise Unreadable(
                f"“{name}” is not a function known here; sqrt, exp, ln and log2 are", token.start
            )
        raise Unreadable(f"“{name}” is not a number", token.start)


def _number(token: _Token) -> Scalar:
    mantissa, _, exponent = token.text.lower().partition("e")
    if len(mantissa) > _DIGITS_LIMIT or len(exponent) > 5 or abs(int(exponent or 0)) > _EXPONENT_LIMIT:
        raise Unreadable("this number has too many digits", token.start)
    decimals = len(mantissa.partition(".")[2])
    exact = Fraction(token.text)
    return Scalar(_to_float(exact, token.start), exact, int(exponent or 0) - decimals)


def _to_float(exact: Fraction, position: int) -> float:
    try:
        return float(exact)
    except OverflowError:
        raise Unreadable("this number is too large", position) from None


def _finite(value: float, position: int) -> Scalar:
    if not math.isfinite(value):
        raise Unreadable("this number is too large", position)
    return Scalar(value)


def _size(value: Value) -> int:
    return 1 if isinstance(value, Scalar) else sum(map(_size, value))


def _bits(exact: Fraction) -> int:
    return max(exact.numerator.bit_length(), exact.denominator.bit_length())


def _negate(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(_negate(entry) for entry in value)
    return Scalar(-value.value, None if value.exact is None else -value.exact, value.unit)


def _zip(sign: str, left: Value, right: Value, position: int) -> Value:
    """Combine entry by entry; a scalar meets every entry of a list."""
    if isinstance(left, Scalar):
        if isinstance(right, Scalar):
            return _arithmetic(sign, left, right, position)
        return tuple(_zip(sign, left, entry, position) for entry in right)
    if isinstance(right, Scalar):
        return tuple(_zip(sign, entry, right, position) for entry in left)
    if len(left) != len(right):
        raise Unreadable(f"lists of {len(left)} and {len(right)} entries cannot be combined", position)
    return tuple(_zip(sign, a, b, position) for a, b in zip(left, right, strict=True))


def _combine(sign: str, a: Fraction, b: Fraction) -> Fraction:
    return a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b


def _arithmetic(sign: str, left: Scalar, right: Scalar, position: int) -> Scalar:
    if sign == "/" and (right.value == 0 if right.exact is None else right.exact == 0):
        raise Unreadable("division by zero", position)
    if (
        left.exact is not None
        and right.exact is not None
        and _bits(left.exact) + _bits(right.exact) <= _BITS_LIMIT
    ):
        exact = _combine(sign, left.exact, right.exact)
        return Scalar(_to_float(exact, position), exact, _scientific_unit(sign, left, right))
    a, b = left.value, right.value
    try:
        return _finite(
            a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b, position
        )
    except ZeroDivisionError:
        raise Unreadable("division by zero", position) from None


def _scientific_unit(sign: str, left: Scalar, right: Scalar) -> int | None:
    """Return the unit of `1.2×10^-3`, which is a decimal like 1.2e-3 and not an expression."""
    if sign != "*" or left.unit is None or right.unit is not None or not (left.exact and right.exact):
        return None
    size = max(right.exact.numerator, right.exact.denominator)
    zeros = len(str(size)) - 1
    if zeros == 0 or size != 10**zeros or min(right.exact.numerator, right.exact.denominator) != 1:
        return None
    return left.unit + (zeros if right.exact > 1 else -zeros)


def _power(base: Value, exponent: Value, position: int) -> Value:
    if isinstance(base, tuple):
        return tuple(_power(entry, exponent, position) for entry in base)
    if isinstance(exponent, tuple):
        raise Unreadable("an exponent is one number", position)
    if base.exact is not None and exponent.exact is not None and exponent.exact.denominator == 1:
        power = exponent.exact.numerator
        if base.exact == 0 and power < 0:
            raise Unreadable("division by zero", position)
        if _bits(base.exact) * abs(power) <= _BITS_LIMIT:
            exact = base.exact**power
            return Scalar(_to_float(exact, position), exact)
    try:
        value = base.value**exponent.value
    except ZeroDivisionError:
        raise Unreadable("division by zero", position) from None
    except OverflowError:
        raise Unreadable("this power is too large", position) from None
    if isinstance(value, complex):
        raise Unreadable("a root of a negative number is not real", position)
    return _finite(value, position)


def _apply(name: str, argument: Value, position: int) -> Value:
    if isinstance(argument, tuple):
        return tuple(_apply(name, entry, position) for entry in argument)
    try:
        value = _FUNCTIONS[name](argument.value)
    except ValueError:
        raise Unreadable(f"{name} of {argument.value:g} is not a real number", position) from None
    except OverflowError:
        raise Unreadable("this number is too large", position) from None
    if name == "sqrt" and argument.exact is not None and argument.exact >= 0:
        top, bottom = math.isqrt(argument.exact.numerator), math.isqrt(argument.exact.denominator)
        root = Fraction(top, bottom)
        if root * root == argument.exact:
            return Scalar(float(root), root)
    return _finite(value, position)


# Reductions belong to worked solutions, where lists have names; a learner types numbers.
_REDUCTIONS = {"sum", "mean", "prod", "len", "entry", "identity"}


def _reduce(name: str, argument: Value, position: int) -> Value:
    if name == "entry":
        if not (isinstance(argument, tuple) and len(argument) == 2 and isinstance(argument[0], tuple)):
            raise Unreadable("entry wants a list and a place, as in entry(x, 2)", position)
        place = _count(argument[1], "the place", position)
        if place > len(argument[0]):
            raise Unreadable(f"there is no entry {place} in a list of {len(argument[0])}", position)
        return argument[0][place - 1]
    if name == "identity":
        size = _count(argument, "the size", position)
        return tuple(
            tuple(Scalar(float(i == j), Fraction(int(i == j))) for j in range(size)) for i in range(size)
        )
    entries = argument if isinstance(argument, tuple) else (argument,)
    if name == "len":
        return Scalar(float(len(entries)), Fraction(len(entries)))
    total: Value = Scalar(1.0, Fraction(1)) if name == "prod" else Scalar(0.0, Fraction(0))
    for entry in entries:
        total = _zip("*" if name == "prod" else "+", total, entry, position)
    if name == "mean":
        return _zip("/", total, Scalar(float(len(entries)), Fraction(len(entries))), position)
    return total


def _count(value: Value, what: str, position: int) -> int:
    if not (isinstance(value, Scalar) and value.value.is_integer() and value.value >= 1):
        raise Unreadable(f"{what} is a whole number from 1", position)
    return int(value.value)


def read(text: str, *, in_list: bool, limit: int = ANSWER_LIMIT) -> Value:
    """Read what a learner typed.

    `in_list` says that blanks part entries (`1 -2 3` has three); without it only one number is
    wanted and a comma is refused. Raises `Unreadable`.
    """
    if len(text) > limit:
        raise Unreadable(f"an answer has at most {limit} characters", limit)
    parser = _Parser(_tokenise(text), in_list=in_list, names=None)
    return _whole(parser, in_list=in_list)


def evaluate(expression: str, names: Names) -> Value:
    """Evaluate an expression of a worked solution, with `names` for the givens and earlier steps.

    Knows, besides what a learner may type, `mean`, `sum`, `prod`, `len`, `entry(list, place)` and
    `identity(size)`. Raises `Unreadable`.
    """
    parser = _Parser(_tokenise(expression), in_list=False, names=names)
    return _whole(parser, in_list=False)


def _whole(parser: _Parser, *, in_list: bool) -> Value:
    if parser.ends():
        raise Unreadable("nothing was typed", 0)
    value = parser.rows(None) if in_list else parser.expression(0)
    if not parser.ends():
        raise parser._stray()
    return value


def lift(value: object) -> Value:
    """Turn a plain number or nested list into a `Value`, exactly."""
    if isinstance(value, bool | int | float):
        return Scalar(float(value), Fraction(value))
    if isinstance(value, list | tuple):
        return tuple(lift(entry) for entry in value)
    raise TypeError(f"{value!r} is no number")


def lower(value: Value) -> "float | tuple[object, ...]":
    """Turn a `Value` into floats and nested tuples."""
    return value.value if isinstance(value, Scalar) else tuple(lower(entry) for entry in value)
