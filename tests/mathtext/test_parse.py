"""The tree has the formula's structure, and what is outside the subset is refused by name and position."""

import pytest

from studynorm.mathtext import MathError, one_line, parse
from studynorm.mathtext.nodes import (
    Accent,
    BigOperator,
    Bracket,
    Cases,
    Fence,
    Fraction,
    Function,
    Group,
    Matrix,
    Node,
    Number,
    Operator,
    Relation,
    Root,
    Scripts,
    Space,
    Styled,
    Symbol,
    Text,
    Underbrace,
)


def only(source: str) -> Node:
    """Return the single node of a formula."""
    node = parse(source)
    assert isinstance(node, Group)
    (item,) = node.items
    return item


def glyphs(node: Node | None) -> str:
    """Return the glyphs of a flat node."""
    match node:
        case Group(items):
            return "".join(glyphs(item) for item in items)
        case Number(digits):
            return digits
        case Symbol() | Operator() | Relation() | Bracket() | Function():
            return node.glyph
        case _:
            return "?"


def test_fractions_take_braces_or_single_signs() -> None:
    r"""`\frac12` is one half, and `\frac{a+b}c` has a sum above."""
    half = only(r"\frac12")
    assert isinstance(half, Fraction)
    assert (half.numerator, half.denominator) == (Number("1"), Number("2"))
    other = only(r"\frac{a+b}c")
    assert isinstance(other, Fraction)
    assert (glyphs(other.numerator), glyphs(other.denominator)) == ("a+b", "c")


def test_scripts_come_in_either_order() -> None:
    """`x_i^2` and `x^2_i` are one tree; `x^10` raises the 1 alone, as in TeX."""
    assert only("x_i^2") == only("x^2_i")
    scripts = only("x_i^2")
    assert isinstance(scripts, Scripts)
    assert (glyphs(scripts.base), glyphs(scripts.sub), glyphs(scripts.sup)) == ("x", "i", "2")
    row = parse("x^10")
    assert isinstance(row, Group)
    assert row.items[1] == Number("0")


def test_numbers_keep_their_digits() -> None:
    """A decimal number is one node, a point at the end is not part of it."""
    row = parse("0.10 3.")
    assert isinstance(row, Group)
    assert row.items[:2] == (Number("0.10"), Number("3"))


def test_roots_have_a_degree_or_none() -> None:
    r"""The bracket behind `\sqrt` is its degree."""
    root = only(r"\sqrt[n+1]{x}")
    assert isinstance(root, Root)
    assert (glyphs(root.index), glyphs(root.radicand)) == ("n+1", "x")
    assert isinstance(only(r"\sqrt x"), Root)


def test_big_operators_own_their_limits() -> None:
    r"""Limits are part of the operator; an integral's stand beside it; `\limits` changes nothing."""
    total = only(r"\sum_{i=1}^n")
    assert isinstance(total, BigOperator)
    assert (glyphs(total.lower), glyphs(total.upper), total.named, total.beside) == ("i=1", "n", False, False)
    assert only(r"\sum\limits_{i=1}^n") == total
    integral = only(r"\int_a^b")
    assert isinstance(integral, BigOperator)
    assert integral.beside
    limit = only(r"\lim_{x\to0}")
    assert isinstance(limit, BigOperator)
    assert (limit.named, limit.upper) == (True, None)


def test_left_and_right_make_a_fence() -> None:
    """The brackets are kept with their sides; a point is no bracket; a bar faces inwards."""
    fence = only(r"\left[ x \right)")
    assert isinstance(fence, Fence)
    assert fence.left is not None
    assert fence.right is not None
    assert (fence.left.glyph, fence.right.glyph, glyphs(fence.body)) == ("[", ")", "x")
    half_open = only(r"\left. x \right|")
    assert isinstance(half_open, Fence)
    assert half_open.left is None
    assert half_open.right is not None
    assert half_open.right.side == "close"


def test_sized_brackets_keep_size_and_side() -> None:
    r"""`\Bigl|` opens, `\bigr|` closes, `\big(` has the side of its sign."""
    row = parse(r"\Bigl| x \bigr| \big(")
    assert isinstance(row, Group)
    brackets = [item for item in row.items if isinstance(item, Bracket)]
    assert [(one.glyph, one.side, one.size) for one in brackets] == [
        ("|", "open", 2),
        ("|", "close", 1),
        ("(", "open", 1),
    ]


def test_environments_keep_rows_and_cells() -> None:
    """Rows are filled up to one length, an empty last row is dropped, cases have values and conditions."""
    matrix = only(r"\begin{bmatrix} a & b \\ c \\ \end{bmatrix}")
    assert isinstance(matrix, Matrix)
    assert matrix.env == "bmatrix"
    assert [[glyphs(cell) for cell in row] for row in matrix.rows] == [["a", "b"], ["c", ""]]
    cases = only(r"\begin{cases} 1 & x>0 \\ 0 \end{cases}")
    assert isinstance(cases, Cases)
    assert [(glyphs(value), condition and glyphs(condition)) for value, condition in cases.rows] == [
        ("1", "x>0"),
        ("0", None),
    ]


def test_text_keeps_its_blanks_and_styles_their_body() -> None:
    r"""`\text` is read to the letter, escapes resolved; `\mathbf` wraps a node."""
    assert only(r"\text{ if  a\_b \{x\} {c}~d}") == Text(" if a_b {x} c d")
    assert only(r"\textbf{so}") == Text("so", "bold")
    styled = only(r"\mathbb R")
    assert isinstance(styled, Styled)
    assert (styled.style, glyphs(styled.body)) == ("blackboard", "R")
    accent = only(r"\widehat\beta")
    assert isinstance(accent, Accent)
    assert (accent.name, glyphs(accent.body)) == ("hat", "β")
    brace = only(r"\underbrace{x}_{y}")
    assert isinstance(brace, Underbrace)
    assert glyphs(brace.label) == "y"


def test_unicode_signs_are_the_same_nodes_as_their_macros() -> None:
    """A minus, a Greek letter or an arrow may be typed as itself."""
    assert parse("α − β ≤ γ → ∞ ⊙ ‖") == parse(r"\alpha - \beta \le \gamma \to \infty \odot \|")


def test_blanks_are_what_was_asked_for() -> None:
    r"""Plain blanks are nothing; `\,` is 3/18 em, `\quad` 18/18."""
    row = parse(r"a \, b \quad c \! d")
    assert isinstance(row, Group)
    assert [item.width for item in row.items if isinstance(item, Space)] == [3, 18, -3]


ERRORS = [
    (r"a + \foo", 4, r"\foo"),
    (r"\begin{array}{c}x\end{array}", 0, "'array'"),
    (r"\begin{cases}x", 0, r"\end{cases}"),
    (r"\begin{matrix}x\end{cases}", 15, r"\end{matrix}"),
    (r"x\end{matrix}", 1, r"\end"),
    (r"\left(x", 0, r"\right"),
    (r"x\right)", 1, r"\right"),
    (r"\left x\right)", 6, "bracket"),
    ("{x", 0, "'}'"),
    ("x}", 1, "'}'"),
    ("a & b", 2, "'&'"),
    (r"a \\ b", 2, "\\\\"),
    ("x_i_j", 3, "second subscript"),
    ("x^2^3", 3, "second superscript"),
    ("x^2'", 3, "prime"),
    ("x^", 2, "superscript"),
    ("x^_2", 2, "superscript"),
    (r"\frac{1}", 8, r"\frac"),
    (r"\sqrt[3", 5, "']'"),
    (r"\text{a", 5, "'}'"),
    (r"\text a", 6, "'{'"),
    (r"\text{\alpha}", 6, r"\alpha"),
    (r"\operatorname{\alpha+1}", 13, "letters"),
    (r"\not x", 5, "relation"),
    ("50%", 2, r"\%"),
    ("#1", 0, r"\#"),
    ("$x$", 0, r"\$"),
    ("x\x1b", 1, "U+001B"),
    ("x\\", 1, "backslash"),
    (r"\begin{cases}a&b&c\end{cases}", 0, "cases"),
    ("x" * 4001, 4000, "4000"),
    ("{" * 100, 60, "60"),
]


@pytest.mark.parametrize(("source", "position", "words"), ERRORS, ids=[source[:20] for source, *_ in ERRORS])
def test_what_is_not_in_the_subset_is_refused_with_its_place(source: str, position: int, words: str) -> None:
    """The error names what is wrong and the offset of the character at fault."""
    with pytest.raises(MathError) as caught:
        parse(source)
    assert words in caught.value.message
    assert caught.value.position == position


NESTED = [
    (r"\sqrt{", "x", "}"),
    (r"\frac{1}{", "x", "}"),
    (r"\hat", " x", ""),
    (r"x^{", "x", "}"),
    (r"\left(", "x", r"\right)"),
    (r"\begin{matrix}", "x", r"\end{matrix}"),
    (r"\underbrace{", "x", "}_{a}"),
    (r"\frac", "1", "2"),
    (r"\sqrt[", "n", "]{x}"),
    (r"\displaystyle", " x", ""),
    (r"\sqrt\displaystyle", " x", ""),
]


@pytest.mark.parametrize(("opening", "middle", "closing"), NESTED)
@pytest.mark.parametrize("depth", [10, 29])
def test_formulas_nest_as_deep_as_anyone_needs(opening: str, middle: str, closing: str, depth: int) -> None:
    """Thirty levels are read and written."""
    source = opening * depth + middle + closing * depth
    parse(source)
    assert one_line(source) != source


@pytest.mark.parametrize(("opening", "middle", "closing"), NESTED[:-2])
@pytest.mark.parametrize("depth", [61, 150])
def test_depth_ends_in_an_error_and_never_in_a_recursion(
    opening: str, middle: str, closing: str, depth: int
) -> None:
    """A formula nested beyond the limit is refused as too deep."""
    with pytest.raises(MathError, match="nests deeper"):
        parse(opening * depth + middle + closing * depth)
