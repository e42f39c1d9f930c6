"""Markdown on the screen: formulas drawn, tables that read well, nothing cut at any width."""

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType

from studynorm.content.card import Card
from studynorm.content.deckfile import read_deck
from studynorm.locate import content_root
from studynorm.tui.flow import Flow, title_flow
from studynorm.tui.markup_view import markup, markup_line
from studynorm.tui.theme import palette_of

PALETTE = palette_of({})
NORMALIZED = r"\hat x_i = \frac{x_i-\mu}{\sqrt{\sigma^2+\varepsilon}}"
DRAWN = [
    "      xᵢ − μ",
    "x̂ᵢ = ────────",
    "      ┌──────",
    "     ╲│σ² + ε",
]
TABLE = r"""
| symbol | what it is | in PyTorch |
|---|---|---|
| $n$ | values in the group | batch size × positions |
| $\mu$, $\sigma^2$ | mean and biased variance of the group | new at every call |
| $\gamma$, $\beta$ | learned, one pair per channel | `weight`, `bias`; start at 1 and 0 |
"""


def lines(source: str, width: int = 74) -> list[str]:
    """Return what is shown, without the blanks at the ends of lines."""
    out = StringIO()
    Console(file=out, width=width, color_system=None, legacy_windows=False).print(markup(source, PALETTE))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def printed(text: RenderableType, width: int) -> list[str]:
    """Return the lines of a text, without the blanks at their ends."""
    out = StringIO()
    Console(file=out, width=width, color_system=None, legacy_windows=False).print(Group(text))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def indented(rows: list[str], by: int = 3) -> list[str]:
    return [" " * by + row for row in rows]


def test_a_display_formula_is_drawn_and_indented() -> None:
    """A formula of its own has rows, three columns from the margin."""
    assert lines(f"$${NORMALIZED}$$") == indented(DRAWN)


def test_a_formula_that_needs_rows_parts_the_words_of_its_sentence() -> None:
    """The bracket and the comma that touch it stay with it, in the row of its letters."""
    shown = lines(f"Take the value (that is ${NORMALIZED}$), and go on.")
    assert shown == [
        "Take the value (that is",
        "         xᵢ − μ",
        "   x̂ᵢ = ────────),",
        "         ┌──────",
        "        ╲│σ² + ε",
        "and go on.",
    ]
    assert lines(rf"Take (${NORMALIZED}$).")[2] == "   (x̂ᵢ = ────────)."


def test_a_formula_of_one_row_stays_in_its_sentence() -> None:
    """So do a short fraction and a root over something plain."""
    shown = lines(r"By $x_i$, $\frac{n}{n-1}$ and $\sqrt{\sigma^2+\varepsilon}$, not $\sigma+\varepsilon$.")
    assert shown == ["By xᵢ, n/(n − 1) and √(σ² + ε), not σ + ε."]


def test_a_formula_alone_in_its_paragraph_is_displayed() -> None:
    """An answer that is a fraction is drawn as one; one of a single row stays at the margin."""
    assert lines(r"$\frac{n}{n-1}$.") == ["     n", "   ─────.", "   n − 1"]
    assert lines(r"$x_i$.") == ["xᵢ."]


HALF = r"$\frac{n}{n-1}$"


@pytest.mark.parametrize(
    ("marked", "shown"),
    [
        (f"**{HALF}**", "n/(n − 1)"),
        (f"*{HALF}*", "n/(n − 1)"),
        (f"[{HALF}](https://a.b)", "n/(n − 1) (https://a.b)"),
    ],
)
def test_a_marked_formula_stays_in_its_sentence(marked: str, shown: str) -> None:
    """The answer to a cloze is bold, and still a part of its sentence."""
    assert lines(rf"divided by {marked}; $\mu$ is") == [f"divided by {shown}; μ is"]


def test_a_bold_formula_alone_in_its_paragraph_is_displayed() -> None:
    """What is bold is a paragraph of its own when no words stand beside it."""
    assert lines(f"**{HALF}**.") == lines(f"{HALF}.") == ["     n", "   ─────.", "   n − 1"]


@pytest.mark.parametrize(
    ("deck", "card", "mark", "sentence"),
    [
        ("batchnorm", "normalize-cloze", "denominator", "divided by √(σ² + ε); μ"),
        ("backward", "input-gradient-cloze", "spread", "divided by √(σ² + ε)."),
        ("stream_scale", "deepnorm-constants", "alpha", "α = (2N)^(1/4) on"),
        ("stream_scale", "deepnorm-constants", "beta", "β = (8N)^(−1/4) on"),
    ],
)
def test_the_answer_to_a_cloze_reads_as_its_sentence(deck: str, card: str, mark: str, sentence: str) -> None:
    """A root or a power that was asked for stands where the gap was."""
    shipped, _ = read_deck(content_root() / "cards" / f"{deck}.md")
    assert shipped is not None
    (found,) = (one for one in shipped.cards if one.id == card)
    assert sentence in " ".join(lines(found.answer(mark), 200))


def test_formulas_are_drawn_in_bold_words_lists_and_quotes() -> None:
    """Wherever words may be, a formula may be."""
    assert lines(f"**so ${NORMALIZED}$**") == ["so", *indented(DRAWN)]
    assert lines(f"- so ${NORMALIZED}$") == [" • so", *indented(DRAWN, 6)]
    assert lines(f"> so ${NORMALIZED}$") == ["   so", *indented(DRAWN, 6)]


def test_a_formula_is_broken_at_the_width_of_the_screen() -> None:
    """The second relation goes under the first."""
    source = f"$${NORMALIZED} = \\alpha + \\beta + \\gamma + \\delta$$"
    assert lines(source, 40)[1].endswith("= α + β + γ + δ")
    shown = lines(source, 24)
    assert shown[-1] == "      = α + β + γ + δ"


def test_source_is_shown_where_there_is_no_drawing() -> None:
    """An unknown macro or broken syntax: the source, whole, in the line and as a block."""
    assert lines(r"see $\foo{x}$ there") == [r"see \foo{x} there"]
    assert lines(r"$$\foo{\bar x$$") == [r"   \foo{\bar x"]


def test_what_is_too_wide_to_draw_comes_as_its_line() -> None:
    """Nothing is cut: the line is wrapped, and every sign of it is there."""
    source = r"$$\frac{aaaa+bbbb+cccc+dddd+eeee+ffff}{2}$$"
    assert "─" in "".join(lines(source, 60))
    assert "".join("".join(lines(source, 24)).split()) == "(aaaa+bbbb+cccc+dddd+eeee+ffff)/2"


def test_bold_letters_are_bold() -> None:
    r"""`\mathbf` is a style of its cells and of no others."""
    out = StringIO()
    Console(file=out, width=40, color_system="standard", force_terminal=True, legacy_windows=False).print(
        markup(r"$$\frac{a}{\mathbf{b}}$$", PALETTE)
    )
    bold = [line for line in out.getvalue().splitlines() if re.search(r"\x1b\[(?:\d+;)*1(?:;\d+)*m", line)]
    assert len(bold) == 1
    assert "b" in bold[0]


def test_a_table_that_fits_keeps_its_cells_in_one_line() -> None:
    """At 80 columns the table of a note has a line for each row."""
    shown = lines(TABLE, 80)
    assert len(shown) == 4
    assert shown[2] == "  μ, σ²   mean and biased variance of the group  new at every call"


def test_a_narrow_table_shares_its_room_by_content() -> None:
    """No column is squeezed to a word a line while another has room, and no word is torn."""
    shown = lines(TABLE, 60)
    words = {word for line in shown for word in line.split()}
    assert {"variance", "positions", "channel", "weight,"} <= words
    assert len(shown) <= 8


def test_a_table_that_cannot_fit_shows_each_value_behind_its_header() -> None:
    """At 24 columns a row is a few lines, one for each column."""
    shown = lines(TABLE, 24)
    assert shown[0] == "  symbol: n"
    assert shown[1] == "  what it is: values in"
    assert "  symbol: μ, σ²" in shown
    assert all(cell_len(line) <= 24 for line in shown)


def test_a_tall_formula_in_a_table_stands_in_the_row_of_its_neighbours() -> None:
    """The words beside a drawn formula are in the row of its letters."""
    shown = lines(f"| a | b |\n|---|---|\n| word | ${NORMALIZED}$ |")
    assert shown[2] == "  word   x̂ᵢ = ────────"
    assert shown[1] == "               xᵢ − μ"


@pytest.mark.parametrize("width", [1, 5, 20, 33, 47, 80])
@pytest.mark.parametrize("path", sorted((content_root() / "cards").glob("*.md")), ids=lambda path: path.stem)
def test_every_note_and_card_can_be_shown_at_any_width(path: Path, width: int) -> None:
    """Nothing is wider than the screen from 20 columns on, and nothing raises below."""
    deck, _ = read_deck(path)
    assert deck is not None
    for text in (deck.note, *(card.answer(mark_of(card)) for card in deck.cards)):
        shown = lines(text, width)
        if width >= 20:
            assert all(cell_len(line) <= width for line in shown)


def mark_of(card: Card) -> str | None:
    return card.marks[0].id if card.marks else None


def test_a_wide_character_keeps_the_frame_straight() -> None:
    """Chinese characters and letters with hats are measured as the screen measures them."""
    for line in lines(r"$$\frac{\text{漢字}}{x} + \hat 漢 \begin{pmatrix} 漢 & 1 \\ 2 & ŷ \end{pmatrix}$$"):
        assert cell_len(line) <= 30
    shown = lines(r"$$\begin{pmatrix} 漢 & 1 \\ 2 & ŷ \end{pmatrix}$$")
    assert len({cell_len(line) for line in shown}) == 1


def test_a_formula_is_not_torn_apart_at_the_end_of_a_line() -> None:
    """A short formula goes to the next line whole, and a long one is broken before an operator."""
    shown = lines(r"the running mean is $\mu = 2 + a$, so", 28)
    assert shown == ["the running mean is", "μ = 2 + a, so"]
    long = lines(r"$aaaaaa + bbbbbb + cccccc + dddddd + eeeeee$ so", 26)
    assert all(not line.endswith(" +") for line in long)


def test_resizing_back_restores_the_lines() -> None:
    """A text that was shown narrow is shown as before when the screen is wide again."""
    content = markup(r"the mean is $\mu = 2 + aaaaaa + bbbbbb$, so", PALETTE)

    def at(width: int) -> str:
        out = StringIO()
        Console(file=out, width=width, color_system=None, legacy_windows=False).print(content)
        return out.getvalue()

    wide = at(30)
    at(10)
    assert at(30) == wide


def test_a_single_line_keeps_its_formulas_in_it() -> None:
    """A title or a choice has one row, whatever formula it holds."""
    line = markup_line(rf"so ${NORMALIZED}$ it is", PALETTE)
    assert line.plain == "so x̂ᵢ = (xᵢ − μ)/√(σ² + ε) it is"


def test_a_single_line_that_is_wrapped_keeps_its_short_formulas_whole() -> None:
    """Beside other words, too; its characters are plain ones for whoever takes only those."""
    guess = markup_line(r"it divides by $\sqrt{\sigma^2+\varepsilon}$", PALETTE)
    line = Flow("Your guess: ").append_text(guess)
    assert line.plain == "Your guess: it divides by √(σ² + ε)"
    assert printed(line, 31) == ["Your guess: it divides by", "√(σ² + ε)"]


@pytest.mark.parametrize(
    ("title", "width", "shown"),
    [
        ("What does √(σ² + ε) divide here?", 16, ["What does", "√(σ² + ε) divide", "here?"]),
        ("So y = x + F(x) holds", 12, ["So", "y = x + F(x)", "holds"]),
        ("one = aaaa + bbbb + cccc + dddd + eeee", 24, ["one = aaaa + bbbb + cccc", "+ dddd + eeee"]),
        ("Linear, then a norm – or not?", 14, ["Linear, then a", "norm – or not?"]),
    ],
)
def test_a_plain_title_is_not_broken_beside_its_operators(title: str, width: int, shown: list[str]) -> None:
    """A formula in a title is told by its operators; words break as ever."""
    assert printed(title_flow(title), width) == shown
