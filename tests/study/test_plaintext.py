"""Texts by lines: formulas as Unicode, as ASCII or as words, nothing wider than asked, nothing lost."""

from pathlib import Path

import pytest

from studynorm.content.card import Card
from studynorm.content.deckfile import read_deck
from studynorm.engine.grading import Outcome, Verdict, grade
from studynorm.engine.registry import load_families
from studynorm.engine.variant import draw
from studynorm.locate import content_root
from studynorm.mathtext import cell_width
from studynorm.study.plaintext import Maths, labelled, plain_line, plain_text, verdict_text
from studynorm.study.sevenbit import seven_bit
from studynorm.study.worked import plain_solution

DECKS = sorted((content_root() / "cards").glob("*.md"))
SENTENCE = r"Divide by $\sqrt{\sigma^2+\varepsilon}$ — not by “σ” → done."
TABLE = "| $n$ | what |\n|---|---|\n| 1 | the “first” |\n| 2 | 漢字 |\n"


@pytest.mark.parametrize(
    ("maths", "line"),
    [
        ("unicode", "Divide by √(σ² + ε) — not by “σ” → done."),
        ("ascii", 'Divide by sqrt(sigma^2 + eps) -- not by "sigma" -> done.'),
        ("words", "Divide by the square root of sigma squared plus epsilon — not by “σ” → done."),
    ],
)
def test_formulas_are_written_in_the_form_that_is_wanted(maths: Maths, line: str) -> None:
    """Unicode is the default; ASCII takes in all other text; words leave the text as it is."""
    assert plain_text(SENTENCE, 200, maths) == line
    assert plain_text(SENTENCE, 200) == "Divide by √(σ² + ε) — not by “σ” → done."


def test_a_table_has_columns_or_a_line_for_each_value() -> None:
    """Columns where they fit; in words, or where they don't fit, each value behind its header."""
    assert plain_text(TABLE).splitlines() == [
        "n  what",
        "-  -----------",
        "1  the “first”",
        "2  漢字",
    ]
    spoken = ["n: 1", "what: the “first”", "", "n: 2", "what: 漢字"]
    assert plain_text(TABLE, maths="words").splitlines() == spoken
    assert plain_text(TABLE, 12).splitlines() == ["n: 1", "what: the", "“first”", "", "n: 2", "what: 漢字"]


def test_a_long_display_formula_is_wrapped_and_indented() -> None:
    """Its further lines stand a little to the right, so that it is seen to go on."""
    text = plain_text("$$" + "aaaa+" * 9 + "b$$", 40)
    first, *rest = text.splitlines()
    assert first.startswith("    aaaa + ")
    assert rest
    assert all(line.startswith("      ") and len(line) <= 42 for line in rest)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("σ̂² = x̂ᵢ · 2", "sigma_hat^2 = x_hat_i * 2"),
        ("ȳ, x̄, σ̃′", "y_bar, x_bar, sigma_tilde'"),
        ("2⁻²⁴ ≤ 1", "2^(-24) <= 1"),
        ("−0.5 × 3 ≈ √2…", "-0.5 x 3 ~= sqrt 2..."),
        ("“é” – ‘ö’ │ ─", "\"e\" - 'o' | -"),
        ("W → W − η∇ℒ", "W -> W - eta grad L"),
        ("2γx̂x̂ = ∂x", "2 gamma x_hat x_hat = dx"),
        ("piñata, naïve, Müller", "pinata, naive, Muller"),
        ("plain", "plain"),
        ("漢字", "漢字"),
    ],
)
def test_text_becomes_seven_bit_and_keeps_what_has_no_such_form(text: str, line: str) -> None:
    """Quotes, dashes, arrows, Greek, hats and powers are spelled; a Chinese character stays."""
    assert seven_bit(text) == line
    assert plain_line(text, "ascii") == plain_line(text, "words") == line
    assert plain_line(text) == text


def mark_of(card: Card) -> str | None:
    return card.marks[0].id if card.marks else None


@pytest.mark.parametrize("path", DECKS, ids=[path.stem for path in DECKS])
def test_every_deck_can_be_read_in_seven_bit_and_in_words(path: Path) -> None:
    """In ASCII nothing else is written; in words no formula leaves a backslash, a root or a bar behind."""
    deck, _ = read_deck(path)
    assert deck is not None
    for text in (
        deck.note,
        *(text for card in deck.cards for text in (card.answer(mark_of(card)), card.why)),
    ):
        line = plain_text(text, maths="ascii")
        assert [char for char in line if not char.isascii()] == []
        assert all(cell_width(row) <= 78 for row in line.splitlines() if not row.startswith("    "))
        assert not set("√∑∏∂⎛─│┌╲") & set(plain_text(text, maths="words"))


def test_every_family_can_be_solved_in_seven_bit() -> None:
    """Question, hints, solution and verdict of each family hold ASCII characters alone."""
    families, _ = load_families()
    for family in families.values():
        _, variant = draw(family, next(iter(family.levels)), 1)
        said = [plain_text(text, maths="ascii") for text in (variant.question, *variant.hints)]
        said.append(plain_solution(variant, "ascii"))
        if variant.kind.judged:
            said.append(verdict_text(grade(variant, "12345"), "ascii"))
        assert [char for text in said for char in text if not char.isascii()] == [], family.id


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Four.", "Answer: Four."),
        ("4.", "Answer: 4."),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "Answer:\na  b\n-  -\n1  2"),
        ("2. second\n3. third", "Answer:\n2. second\n3. third"),
        ("$$x$$", "Answer:\n    x"),
    ],
)
def test_what_is_no_paragraph_keeps_its_form_below_its_label(text: str, said: str) -> None:
    """A label before a table or a list would make a paragraph of it; a number with a point is no list."""
    assert labelled("Answer", text) == said


@pytest.mark.parametrize(
    ("read_as", "maths", "line"),
    [
        ("c) The mean of $NL$ values.", "unicode", "Read as c) The mean of NL values."),
        ("a) `eps` is $10^{-5}$", "unicode", "Read as a) eps is 10⁻⁵."),
        ("b) Is it?", "unicode", "Read as b) Is it?"),
        ("−1.3416", "ascii", "Read as -1.3416."),
        ("1, 2, 3", "unicode", "Read as 1, 2, 3."),
    ],
)
def test_how_an_answer_was_read_is_a_sentence_with_its_formulas(
    read_as: str, maths: Maths, line: str
) -> None:
    """What was picked is Markdown with formulas as in the question, and ends with one full stop."""
    verdict = Verdict(Outcome.CORRECT, "Right.", read_as)
    assert verdict_text(verdict, maths).splitlines()[0] == line
