"""Cloze marks: what opens and closes them, what they are scheduled as, and how they are asked."""

from pathlib import Path

import pytest

from studynorm.content.card import Card
from studynorm.content.cloze import find_marks
from studynorm.content.deck import parse_deck
from studynorm.content.markup import Math, Paragraph, Strong, parse_markup


def cloze(text: str) -> Card:
    """Return the one cloze card with this text."""
    deck, errors = parse_deck(f'+++\nid = "d"\ntitle = "D"\n+++\n## c\nC: {text}\n', Path("d.md"))
    assert deck is not None
    assert errors == ()
    (card,) = deck.cards
    return card


MARKS = [
    ("plain text", []),
    ("the {{mean::average}}", [("mean", "average")]),
    (
        r"scale {{s::$\frac{1}{\sqrt{\sigma^{2}}}$}} and sum {{k::$\sum_{k} \frac{x^{2k}}{2k!}$}} ends.",
        [("s", r"$\frac{1}{\sqrt{\sigma^{2}}}$"), ("k", r"$\sum_{k} \frac{x^{2k}}{2k!}$")],
    ),
    ("Factorial {{a::$x!$}} then {{b::$x$ again}}.", [("a", "$x!$"), ("b", "$x$ again")]),
    ("{{Front}} and {{{FrontSide}}} {{#A}}x{{/A}} are text", []),
    ("code `{{a::b}}` and\n```\n{{a::b}}\n```\nare text", []),
    (r"math $\{{a::b}}$ and \(x_{{a::b}}\) is math", []),
    ("{{a::`}}`}} holds code", [("a", "`}}`")]),
    ("{{a::x[:, 0]}} and [{{b::y}}]", [("a", "x[:, 0]"), ("b", "y")]),
    ("{{a::{x}}} keeps its braces", [("a", "{x}")]),
    ("{{a::std::vector}} has more colons", [("a", "std::vector")]),
    ("{{a::one}} {{b::two}} {{a::three}}", [("a", "one"), ("b", "two"), ("a", "three")]),
    ("costs {{a::$5}} and {{b::$6}}", [("a", "$5"), ("b", "$6")]),
    ("{{a::one\ntwo}}", [("a", "one\ntwo")]),
]


@pytest.mark.parametrize(("text", "expected"), MARKS)
def test_marks_are_found_outside_math_and_code(text: str, expected: list[tuple[str, str]]) -> None:
    """The marks are these, and their offsets cut them out of the text with their braces."""
    marks, faults = find_marks(text)
    assert faults == ()
    assert [(mark.id, mark.text) for mark in marks] == expected
    assert all(text[mark.start : mark.end] == f"{{{{{mark.id}::{mark.text}}}}}" for mark in marks)


def test_template_words_in_a_question_are_text() -> None:
    """A recall card has no marks, whatever braces it shows (B28)."""
    deck, errors = parse_deck(
        '+++\nid = "d"\ntitle = "D"\n+++\n## c\nQ: {{Front}} {{c1::trap}} {{{FrontSide}}}\nA: text\n',
        Path("d.md"),
    )
    assert errors == ()
    assert deck is not None
    assert deck.cards[0].marks == ()
    assert deck.cards[0].question() == "{{Front}} {{c1::trap}} {{{FrontSide}}}"


def test_each_distinct_mark_id_is_one_item() -> None:
    """Marks that share an id are asked together."""
    card = cloze("{{a::one}} {{b::two}} {{a::three}}")
    assert card.item_ids == ("card:d/c#a", "card:d/c#b")
    assert card.question("a") == "[…] two […]"
    assert card.answer("a") == "**one** two **three**"
    assert card.question("b") == "one […] three"


def test_without_a_mark_id_everything_is_hidden_and_shown() -> None:
    """The card as a whole hides all its marks, and its answer is the plain text."""
    card = cloze("{{a::one}} and {{b::two}}")
    assert card.question() == "[…] and […]"
    assert card.answer() == "one and two"


def test_an_unknown_mark_is_refused() -> None:
    """Asking for a mark that the card lacks is a programming error, and says which."""
    with pytest.raises(KeyError, match="nope"):
        cloze("{{a::one}}").question("nope")


def test_a_math_mark_stays_math_in_bold() -> None:
    """Bold around a formula keeps it a formula."""
    answer = cloze(r"var {{v::$\sigma^2$}}").answer("v")
    (block,) = parse_markup(answer)
    assert isinstance(block, Paragraph)
    assert block.spans[-1] == Strong((Math(r"\sigma^2", display=False),))


@pytest.mark.parametrize("text", ["x{{a::(b)}}y", "{{a::two*stars}}", "x{{a::[i]}}y", "$x${{a::(b)}}"])
def test_no_asterisk_that_was_not_typed_is_ever_shown(text: str) -> None:
    """Where Markdown wouldn't read the asterisks as bold, the mark is left plain."""
    card = cloze(text)
    (block,) = parse_markup(card.answer("a"))
    assert "**" not in str(block)


def test_blanks_inside_a_mark_stay_outside_the_bold_text() -> None:
    """`** x **` would not be bold, so the blanks are moved out."""
    assert cloze("a{{m:: x }}b").answer("m") == "a **x** b"
