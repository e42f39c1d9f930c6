"""`fmt` fills in what is missing and tidies up, touches no word of a card, and is done after one go."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studynorm.content.card import Card
from studynorm.content.deck import parse_deck
from studynorm.content.format import format_deck
from studynorm.content.markup import parse_markup
from studynorm.content.source import Source
from studynorm.locate import content_root

PATH = Path("my-deck.md")
HEAD = '+++\nid = "norms"\ntitle = "Norms"\n+++\n'


def tidy(text: str, path: Path = PATH, taken: tuple[str, ...] = ()) -> str:
    """Format a deck that can be read, and see that a second time changes nothing."""
    done = format_deck(text, path, taken)
    assert not done.unreadable
    assert format_deck(done.text, path, taken).text == done.text
    return done.text


def body(text: str) -> str:
    """Format the body of a deck and return it."""
    formatted = tidy(HEAD + text)
    assert formatted.startswith(HEAD)
    return formatted.removeprefix(HEAD)


# -- what is filled in -----------------------------------------------------------------------------------
def test_a_card_without_an_id_gets_one_from_its_question() -> None:
    """It is made of the first words, and unlike the other ids of the deck."""
    text = (
        "##\nQ: What is eps for?\nA: a\n\n## what-is-eps-for-2\nQ: q\nA: a\n\n##\nQ: What is eps for?\nA: a\n"
    )
    assert [line for line in body(text).split("\n") if line.startswith("##")] == [
        "## what-is-eps-for",
        "## what-is-eps-for-2",
        "## what-is-eps-for-3",
    ]


def test_cards_above_every_heading_get_one_each() -> None:
    """A file of nothing but questions and answers becomes a deck (B22)."""
    sketch = "Q: What is eps for?\nA: avoid division by zero\n\nQ: What is eps for?\nA: numerical safety\n"
    assert tidy(sketch) == (
        '+++\nid = "my-deck"\ntitle = "My deck"\n+++\n'
        "## what-is-eps-for\nQ: What is eps for?\nA: avoid division by zero\n\n"
        "## what-is-eps-for-2\nQ: What is eps for?\nA: numerical safety\n"
    )


def test_a_note_with_a_line_that_looks_like_a_key_is_no_card() -> None:
    """Where the lines below a heading would be no whole card, none is put in, and the fault stays named."""
    text = HEAD + "The shape:\n\nC: channels\n\n## a\nQ: q\nA: a\n"
    done = format_deck(text, PATH)
    assert done.text == text
    assert [error.place.line for error in done.errors] == [7]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("+++\n+++\n", 'id = "my-deck"\ntitle = "My deck"\n'),
        ('+++\ntitle = "T"\n+++\n', 'id = "my-deck"\ntitle = "T"\n'),
        ('+++\nid = "x"\ntags = ["a"]\n+++\n', 'title = "My deck"\nid = "x"\ntags = ["a"]\n'),
        ("", 'id = "my-deck"\ntitle = "My deck"\n'),
    ],
)
def test_a_deck_without_id_or_title_gets_them_from_its_file_name(header: str, expected: str) -> None:
    """Only what is missing is put in, in front of what is there."""
    card = "## a\nQ: q\nA: a\n"
    lines = tidy(header + card).replace("+++\n\n##", "+++\n##")
    assert lines == f"+++\n{expected}+++\n{card}"


def test_the_id_of_a_deck_is_unlike_all_others() -> None:
    """A number behind it tells it from the decks that there are; odd file names give an id too."""
    text = "+++\n+++\n## a\nQ: q\nA: a\n"
    assert 'id = "batchnorm-3"\n' in tidy(text, Path("batchnorm.md"), ("batchnorm", "batchnorm-2"))
    assert 'id = "layer_norm"\n' in tidy(text, Path("layer_norm.md"))
    assert 'id = "dim-2-x"\n' in tidy(text, Path("[dim] 2\x1bX.md"))
    assert 'id = "my-deck"\n' in tidy(text, Path("漢字.md"))


# -- what is tidied --------------------------------------------------------------------------------------
def test_one_blank_line_parts_two_cards_and_none_ends_the_file() -> None:
    """Blanks at line ends, below a heading and before a key go; values keep the blank lines inside them."""
    messy = (
        "\n\n\nA note. \n\n\n\n##   a  \n\n\nQ:  q \nA:one\n\n- two \n\n\nWhy: w\n## b\nQ: q\nA: a\n\n\n  \n"
    )
    assert body(messy) == ("\nA note.\n\n## a\nQ: q\nA: one\n\n- two\n\nWhy: w\n\n## b\nQ: q\nA: a\n")


def test_a_deck_without_a_last_line_feed_gets_one() -> None:
    """So that the next block begins on a line of its own."""
    assert body("## a\nQ: q\nA: a") == "## a\nQ: q\nA: a\n"


KEYS = [
    ("## a\nQuestion: q\nAnswer: a\n", "## a\nQ: q\nA: a\n"),
    ("## a\nq: q\na : a\nWHY: w\nsee: family:x.y\n", "## a\nQ: q\nA: a\nWhy: w\nSee: family:x.y\n"),
    ("## Two Words\nQ: q\nA: a\n", "## two-words\nQ: q\nA: a\n"),
    ("## a_b--c\nQ: q\nA: a\n", "## a-b-c\nQ: q\nA: a\n"),
]


@pytest.mark.parametrize(("written", "meant"), KEYS)
def test_keys_and_ids_are_spelled_as_the_reader_wants_them(written: str, meant: str) -> None:
    """Capitals, blanks and the long words for question and answer have one reading, so they become it."""
    assert body(written) == meant


UNTOUCHED = [
    "## a\nQ: q\nA: a\nAnswer: text or key?\n",
    "## a\nQ: q\nanswer: one\na: two\n",
    "## a\nQ: q  \n\n\n",
    "## a\nQ: q\nA: ```py\nx = 1   \n\n\n",
    "## a\nQ: $$ x  \nA: a\n\n\n",
    "##\n\n\nno key at all  \n",
    "## What is ε?\nQ: q\nA: a\n",
    "## a\nQ: \nA: \n",
    "## a\nQ: q\nA: a\n\n## a\nQ: other\nA: a\n",
]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_has_two_readings_or_a_fault_stays_as_it_is(text: str) -> None:
    """Byte for byte, and what is wrong with it is told."""
    done = format_deck(HEAD + text, PATH)
    assert done.text == HEAD + text
    assert done.errors


def test_a_faulty_card_does_not_keep_its_neighbours_from_being_tidied() -> None:
    """The blanks around it are its own."""
    text = "## a\nQ: q\nA: a \n## bad\nQ: q  \n\n\n\n## c\nQ:  q\nA: a\n"
    assert body(text) == "## a\nQ: q\nA: a\n\n## bad\nQ: q  \n\n\n\n## c\nQ: q\nA: a\n"


SHOWN = [
    "## a\nQ: q\nA: a line break  \nin two lines\n",
    "## a\nQ: q\nA:\n```\ncode  \n\n\n\nmore \n```\n",
    "## a\nQ: q\nA:\n\n    indented  \n      \n    code\n",
    "## a\nQ: q\nA: code `over  \ntwo` lines\n",
    "## a\nQ: q\nA: $x \n+ y$ and $$\nz  \n$$\n",
]


@pytest.mark.parametrize("text", SHOWN)
def test_a_blank_that_shows_is_kept(text: str) -> None:
    """Forced line breaks, code and formulas keep their blanks."""
    assert body(text) == text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark_stay(end: str, bom: str) -> None:
    """New lines end as the old ones do."""
    messy = HEAD.replace('id = "norms"\n', "") + "##\nQ: What is it?\nA: a \n##   b\nQ: q\nA: a\n"
    done = tidy(bom + messy.replace("\n", end))
    assert done.startswith(bom + "+++" + end + 'id = "my-deck"' + end)
    assert set(Source.of(done).ends[:-1]) == {end}
    assert "## what-is-it" in done


# -- what is left alone ----------------------------------------------------------------------------------
UNREADABLE = [
    ("", 1),
    ("\n\n", 1),
    ("# A page\n\nThat is no deck.\n", 1),
    ("---\ntitle: x\n---\n\nQ: q\nA: a\n", 1),
    ('+++\nid = "a\n+++\n', 2),
    ('+++\nid = "A b"\ntitle = "x"\n+++\n## a\nQ: q\nA: a\n', 2),
    ('+++\nid = "a"\ntitle = "x"\n', 1),
    ("\0Q\0:\0", 1),
]


@pytest.mark.parametrize(("text", "line"), UNREADABLE)
def test_what_is_no_deck_comes_back_as_it_was_and_is_named(text: str, line: int) -> None:
    """The first error has the line."""
    done = format_deck(text, PATH)
    assert done.unreadable
    assert done.text == text
    assert done.errors[0].place.line == line


def test_every_shipped_deck_is_tidy() -> None:
    """What is handed out is what `fmt` would write."""
    for path in sorted((content_root() / "cards").glob("*.md")):
        text = path.read_bytes().decode("utf-8")
        assert format_deck(text, path).text == text, f"run `studynorm fmt {path}`"


PIECES = [
    "## a",
    "##  b ",
    "##",
    "## Two Words",
    "Q: q ",
    "A:  x  ",
    "answer: y",
    "C: {{a::b}} ",
    "C: {{",
    "```",
    "~~~py",
    "$$",
    "Why: w",
    "See: family:x.y",
    "text  ",
    "    code  ",
    "- one ",
    "",
    "  ",
]


def asked(cards: tuple[Card, ...]) -> dict[str, object]:
    """Return what the cards show, by id."""
    return {
        card.id: (
            *(parse_markup(text) for text in (card.front, card.back, card.why)),
            card.item_ids,
            card.fingerprint,
            card.see,
        )
        for card in cards
    }


@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=25),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([HEAD, "+++\n+++\n", "\ufeff" + HEAD, ""]),
)
def test_formatting_loses_no_card_and_is_done_after_one_go(pieces: list[str], end: str, head: str) -> None:
    """Whatever a deck holds: each card that was asked is asked as before, and a second go changes nothing."""
    text = (head + "\n".join(pieces)).replace("\n", end)
    done = format_deck(text, PATH)
    assert format_deck(done.text, PATH).text == done.text
    if done.unreadable:
        assert done.text == text
        return
    before, after = parse_deck(text, PATH)[0], parse_deck(done.text, PATH)[0]
    assert after is not None
    if before is not None:
        kept = asked(after.cards)
        assert {card_id: kept.get(card_id) for card_id in asked(before.cards)} == asked(before.cards)
        assert after.note.split() == before.note.split() or len(after.cards) > len(before.cards)
