"""Formulas in two dimensions: reviewed drawings, and what holds for every drawing."""

import contextlib
import random
import statistics
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from studynorm.engine.pace import slowness
from studynorm.mathtext import Box, MathError, box, cell_width, one_line, parse, stays_in_line
from tests.mathtext.golden import Entry, drawn, entries

GOLDEN = list(entries())
SOURCES = [entry.source for entry in GOLDEN]


def assert_sound(drawing: Box, width: int) -> None:
    """Assert that the rows are of one width, by the screen's own measure, and the baseline is one of them."""
    assert {cell_len(row) for row in drawing.rows} == {drawing.width}
    assert drawing.width <= width
    assert 0 <= drawing.baseline < drawing.height <= 60
    for mark in drawing.marks:
        assert 0 <= mark.start < mark.end <= len(drawing.rows[mark.row])


@pytest.mark.parametrize("entry", GOLDEN, ids=[f"{entry.file}: {entry.source[:40]}" for entry in GOLDEN])
def test_drawings_are_as_reviewed(entry: Entry) -> None:
    """Every formula of the golden files is drawn as a person found it right."""
    assert drawn(entry.source, entry.width) == entry.drawing


def test_there_are_enough_reviewed_drawings() -> None:
    """The eight formulas of the trials and dozens of others have been looked at."""
    assert sum(entry.file == "eight" for entry in GOLDEN) == 8
    assert len(GOLDEN) >= 68


@pytest.mark.parametrize("width", [200, 76, 40, 20])
@pytest.mark.parametrize("source", SOURCES)
def test_rows_have_one_width_and_known_glyphs(source: str, width: int) -> None:
    """A drawing is a rectangle, within its width, of signs that every terminal font can be asked for."""
    drawing = box(source, width)
    if drawing is None:
        return
    assert_sound(drawing, width)
    assert all(ord(char) < 0x10000 or char == "𝔼" for row in drawing.rows for char in row)


@pytest.mark.parametrize(
    "text",
    [
        "x̂ = 漢字 ŷ",
        "v⃗ 𝔼[x]",
        "⚠️ ✓",
        "⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎨⎩⎪⎫⎬⎭⎰⎱│║╱╲⟨⟩⌠⎮⌡╰─┬╯╭┴╮┌√∛∜∑∏∫‾",
        "👩 e\u0301",
        "한글 각",
        "नि",
        "👍🏻 ䷀ ☰ 𝌆",
        "",
    ],
)
def test_cells_are_counted_as_on_the_screen(text: str) -> None:
    """Wide characters have two cells and combining ones none, as the screen has it."""
    assert cell_width(text) == cell_len(text)


def test_every_sign_of_the_subset_is_measured_as_on_the_screen() -> None:
    """No glyph, and no base with its combining mark, has another width on the screen than in a drawing."""
    from studynorm.mathtext import signs
    from studynorm.mathtext.macros import ACCENTS

    tables = (signs.SIGNS, signs.BIG_OPERATORS, signs.NAMED_BIG_OPERATORS, signs.CHARACTERS)
    glyphs = [sign.glyph for table in tables for sign in table.values()]
    glyphs += [f"x{mark}" for mark in ACCENTS.values()]
    assert [glyph for glyph in glyphs if cell_width(glyph) != cell_len(glyph)] == []


def test_baseline_is_the_row_of_letters_and_bars() -> None:
    """The baseline is the bar of a fraction, the middle of a matrix, the letter under its limit."""
    for source, row in [
        (r"\frac{a}{b}", "─"),
        (r"\begin{matrix}1\\2\\3\end{matrix}", "2"),
        (r"\sum_{i=1}^{n} x", " ∑  x"),
        (r"x_L^Q", "x "),
        (r"\overbrace{x}^{n} + y", " x  + y"),
    ]:
        drawing = box(source)
        assert drawing is not None
        assert drawing.base_row == row


@pytest.mark.parametrize(
    ("source", "row"),
    [
        (r"r = \sqrt{\frac{a}{b}}", "r = │─"),
        (r"r + \sqrt{\frac{a}{b}}^2", "r + │─ "),
        (r"\frac{1}{2}\sqrt{\frac{a}{b}}", "─  │─"),
        (r"r = \sqrt{a + b}", "r = ╲│a + b"),
    ],
)
def test_one_blank_stands_before_a_tall_root(source: str, row: str) -> None:
    """The foot that hangs under the line takes no column of its own, unless it would touch a denominator."""
    drawing = box(source)
    assert drawing is not None
    assert drawing.base_row == row


def test_bold_and_italic_are_styles_and_not_letters() -> None:
    r"""`\mathbf` and `\textit` mark cells; the characters stay plain ones."""
    drawing = box(r"\frac{\mathbf{x}}{\textit{so}}")
    assert drawing is not None
    assert drawing.rows == ("x ", "──", "so")
    assert [(mark.row, mark.start, mark.end, mark.style) for mark in drawing.marks] == [
        (0, 0, 1, "bold"),
        (2, 0, 2, "italic"),
    ]


@pytest.mark.parametrize("source", [r"\foo x", "a}", r"\frac{1}", ""])
def test_what_cannot_be_parsed_has_no_drawing_and_shows_its_source(source: str) -> None:
    """The caller is told, and the one-line form it then shows is the source."""
    assert box(source) is None
    assert one_line(source) == source


@pytest.mark.parametrize(
    "source",
    [
        "x" * 250,
        r"\begin{matrix}" + r"1\\" * 80 + r"\end{matrix}",
        r"\begin{matrix}" + "&" * 300 + r"\end{matrix}",
        r"\sqrt{" + "x" * 250 + "}",
        r"\text{" + "word " * 100 + "}",
    ],
)
def test_beyond_200_by_60_cells_there_is_no_drawing(source: str) -> None:
    """What nobody could take in comes as its line, and within a moment."""
    assert box(source) is None
    assert one_line(source)


@pytest.mark.parametrize(
    ("opening", "closing"), [(r"\frac{1}{", "}"), (r"\sqrt{", "}"), (r"\left(\frac1", r"\right)")]
)
def test_deep_nests_end_in_a_drawing_or_none(opening: str, closing: str) -> None:
    """Twenty-five levels raise nothing, whatever comes of them."""
    drawing = box(opening * 25 + "x" + closing * 25)
    if drawing is not None:
        assert_sound(drawing, 200)


def test_lines_are_broken_at_relations_before_operators() -> None:
    """The second relation starts a line under the first, and operators go on under what follows it."""
    drawing = box("f = a + b + c = d + e", 14)
    assert drawing is not None
    assert [row.rstrip() for row in drawing.rows] == ["f = a + b + c", "  = d + e"]
    narrow = box("f = aaa + bbb + ccc", 14)
    assert narrow is not None
    assert [row.rstrip() for row in narrow.rows] == ["f = aaa + bbb", "    + ccc"]


def test_what_cannot_be_broken_has_no_drawing_at_that_width() -> None:
    """A fraction is never torn apart; the caller shows its line instead."""
    source = r"\frac{a + b + c + d + e + f}{2}"
    assert box(source, 40) is not None
    assert box(source, 20) is None


IN_LINE = [
    r"x_i + y",
    r"\frac{1}{n}",
    r"\frac{n}{n-1}",
    r"-\frac{1}{n}\hat x_i\hat x_j",
    r"\sqrt{\sigma^2+\varepsilon}",
    r"\sum_i \bar x_i = 0",
    "x_L",
    r"\binom{n}{k}",
    r"\foo",
    "(" + ",".join(["-1.3416"] * 12) + ")",
]
BLOCKS = [
    r"\hat x_i = \frac{x_i-\mu}{\sqrt{\sigma^2+\varepsilon}}",
    r"\frac{n}{n-1}\sigma^2",
    r"\frac{\frac ab}{c}",
    r"\sqrt{\frac1d\sum_i x_i^2}",
    r"\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}",
    r"\begin{cases} 1 & x > 0 \\ 0 \end{cases}",
    r"\underbrace{a+b}_{c}",
    r"\int_0^1 f\,dx",
    r"\lim_{n\to\infty} x_n",
]


@pytest.mark.parametrize("source", IN_LINE)
def test_a_formula_whose_line_is_its_natural_form_stays_in_the_line(source: str) -> None:
    """One row, a short fraction, a root over something plain, a short script: read as quickly in a line."""
    assert stays_in_line(source)


@pytest.mark.parametrize("source", BLOCKS)
def test_a_formula_that_needs_rows_is_set_as_a_block(source: str) -> None:
    """What a line could only show in nested brackets gets rows of its own."""
    assert not stays_in_line(source)


TOKENS = r"""
\frac \sqrt [ ] { } ^ _ x 漢 1 .5 + - = \left( \right) \left| \right. \sum \hat \bar \text{a} \mathrm & \\
\begin{pmatrix} \end{pmatrix} \begin{cases} \end{cases} \begin{aligned} \end{aligned} \quad \, , ' | \| \big(
\operatorname{f} \binom \underbrace \overbrace \overline \underline \lim : ! / \max \middle \mathbb \mathbf
\int \foo \alpha \cdot ( ) ~ % é ŷ \vec \left\{ \right\rangle \Bigg[ \not
"""
WHOLES = r"""
{a} {b+c} {\frac12} {x_L} {\sqrt{x+1}} {n\to\infty} {\begin{matrix}1&2\\3&4\end{matrix}} {} {\hat{x}} +x =y
{\left(\frac{a}b\right)} {\sum_{i=1}^n{x_i}} {\text{so}} {a=b+c,d} {\begin{cases}1&a\\2\end{cases}}
{\underbrace{a}_{b}}
\frac{a}{b+c} \sqrt[3]{x_L} \hat{x}_L^2 (\frac{a}{b}) \quad \int_0^1 |x| \binom{n}{k} \mathbf{x}
"""


def test_twenty_thousand_random_formulas_raise_nothing_but_math_errors() -> None:
    """A random string of tokens is refused by the parser, or drawn soundly, or has no drawing."""
    draws = random.Random(20_260_915)
    tokens, wholes = TOKENS.split(), WHOLES.split()
    sound = 0
    for number in range(20_000):
        share = draws.choice((0.1, 0.9))
        pieces = (wholes if draws.random() < share else tokens for _ in range(draws.randint(1, 10)))
        source = "".join(draws.choice(some) for some in pieces)
        width = (200, 24, 40)[number % 3]
        drawing = box.__wrapped__(source, width)
        if drawing is not None:
            assert_sound(drawing, width)
            sound += 1
        if drawing is None or number % 10 == 0:
            with contextlib.suppress(MathError):
                parse(source)
            stays_in_line(source)
    assert sound > 5_000


@given(st.text(max_size=40), st.integers(1, 80))
def test_any_text_is_drawn_soundly_or_not_at_all(text: str, width: int) -> None:
    """No text, and no width, raises anything."""
    drawing = box(text, width)
    if drawing is not None and not any(
        unicodedata.category(char) in ("Cn", "Co", "Lo", "Mc") for char in text
    ):
        assert_sound(drawing, width)


def test_a_formula_takes_well_under_five_milliseconds() -> None:
    """The middle one of the reviewed formulas, parsed and drawn and broken, costs less than 5 ms of CPU."""
    spent = []
    for source in SOURCES:
        begun = time.process_time()
        for _ in range(3):
            box.__wrapped__(source, 60)
        spent.append((time.process_time() - begun) / 3)
    assert statistics.median(spent) < 0.005 * slowness()
