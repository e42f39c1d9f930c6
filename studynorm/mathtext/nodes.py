"""The syntax tree of a formula: what it is made of, without a word on how it is drawn, written or read aloud.

Every printer works from these nodes alone. Signs carry their three forms, so that no printer needs a table.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Size = Literal[0, 1, 2, 3, 4]


class MathError(ValueError):
    r"""The source is not in the subset: `message` says why, `position` is the offset in the source."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} (at character {position + 1})")
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign with its glyph, its form in 7-bit ASCII, and how it is read aloud."""

    glyph: str
    ascii: str
    words: str


@dataclass(frozen=True, slots=True)
class Symbol(Sign):
    """A letter or another ordinary sign: `x`, `σ`, `∞`, `∂`."""


@dataclass(frozen=True, slots=True)
class Operator(Sign):
    """A binary operator; the printers decide from its neighbours whether it is unary."""


@dataclass(frozen=True, slots=True)
class Relation(Sign):
    """A relation or an arrow."""


@dataclass(frozen=True, slots=True)
class Punctuation(Sign):
    """A comma, a semicolon or the colon of a map."""


@dataclass(frozen=True, slots=True)
class Bracket(Sign):
    r"""A bracket that doesn't grow, or grows by `size` steps (`\big` is 1, `\Bigg` 4).

    `side` is "middle" for a bar, which may open or close.
    """

    side: Literal["open", "close", "middle"]
    size: Size = 0


@dataclass(frozen=True, slots=True)
class Function(Sign):
    r"""An upright name that is applied to what follows: `\log`, `\operatorname{mean}`."""


@dataclass(frozen=True, slots=True)
class Number:
    """Digits, with a decimal point or without."""

    digits: str


@dataclass(frozen=True, slots=True)
class Text:
    r"""Words of `\text{…}`, blanks included; `style` is "roman", "bold", "italic" or "mono"."""

    text: str
    style: str = "roman"


@dataclass(frozen=True, slots=True)
class Space:
    """A blank that was asked for, in eighteenths of an em: 3 is thin, 18 a quad, negative pulls together."""

    width: int


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes side by side. The formula as a whole and every argument is a group; its braces are not shown."""

    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Fraction:
    """A numerator over a denominator."""

    numerator: "Node"
    denominator: "Node"


@dataclass(frozen=True, slots=True)
class Binomial:
    """`upper` choose `lower`."""

    upper: "Node"
    lower: "Node"


@dataclass(frozen=True, slots=True)
class Root:
    """A square root, or the root of the degree that `index` gives."""

    radicand: "Node"
    index: "Node | None" = None


@dataclass(frozen=True, slots=True)
class Scripts:
    """A base with a subscript, a superscript or both; primes come first in `sup`."""

    base: "Node"
    sub: "Node | None"
    sup: "Node | None"


@dataclass(frozen=True, slots=True)
class BigOperator:
    """A sum, a product, an integral, or a name with limits such as `lim`; `named` tells the last kind.

    `beside` tells that the limits stand beside the sign (an integral) instead of below and above it.
    """

    sign: Sign
    lower: "Node | None" = None
    upper: "Node | None" = None
    named: bool = False
    beside: bool = False


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of cells, all rows of one length; `env` is the environment: `pmatrix`, `bmatrix`, `matrix`, …."""

    env: str
    rows: tuple[tuple["Node", ...], ...]


@dataclass(frozen=True, slots=True)
class Cases:
    """The branches of a definition: a value and, where the row has one, its condition."""

    rows: tuple[tuple["Node", "Node | None"], ...]


@dataclass(frozen=True, slots=True)
class Aligned:
    """Lines below each other; the cells of a line meet at the `&` marks."""

    rows: tuple[tuple["Node", ...], ...]


@dataclass(frozen=True, slots=True)
class Accent:
    """A sign above a body: `name` is the macro's ("hat", "bar", …), `mark` the combining character."""

    name: str
    mark: str
    body: "Node"


@dataclass(frozen=True, slots=True)
class Overline:
    """A line over the whole body."""

    body: "Node"


@dataclass(frozen=True, slots=True)
class Underline:
    """A line under the whole body."""

    body: "Node"


@dataclass(frozen=True, slots=True)
class Underbrace:
    """A brace under the body, with a label or none."""

    body: "Node"
    label: "Node | None" = None


@dataclass(frozen=True, slots=True)
class Overbrace:
    """A brace over the body, with a label or none."""

    body: "Node"
    label: "Node | None" = None


@dataclass(frozen=True, slots=True)
class Fence:
    r"""`\left … \right`: brackets that grow with the body; a side given as `.` is None."""

    left: Bracket | None
    right: Bracket | None
    body: "Node"


@dataclass(frozen=True, slots=True)
class Styled:
    """A body in another alphabet: "bold", "roman", "blackboard", "calligraphic", "fraktur", "sans", …."""

    style: str
    body: "Node"


Node: TypeAlias = (
    Symbol
    | Operator
    | Relation
    | Punctuation
    | Bracket
    | Function
    | Number
    | Text
    | Space
    | Group
    | Fraction
    | Binomial
    | Root
    | Scripts
    | BigOperator
    | Matrix
    | Cases
    | Aligned
    | Accent
    | Overline
    | Underline
    | Underbrace
    | Overbrace
    | Fence
    | Styled
)
