"""Decks are read as DESIGN's format says, and every fault is named by its line and costs only its card."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studynorm.content.deck import Deck, parse_deck
from studynorm.content.fences import CodeFence, fence_of
from studynorm.content.place import ContentError

PATH = Path("deck.md")
HEAD = '+++\nid = "norms"\ntitle = "Norms"\ntags = ["a", "b"]\n+++\n'  # five lines: the body begins in line 6
GOOD = "## fine\nQ: Is it?\nA: Yes.\n"


def read(body: str, head: str = HEAD) -> tuple[Deck, tuple[ContentError, ...]]:
    """Parse a deck that must come out, whatever its cards."""
    deck, errors = parse_deck(head + body, PATH)
    assert deck is not None
    return deck, errors


def clean(body: str) -> Deck:
    """Parse a deck that must have no fault."""
    deck, errors = read(body)
    assert errors == ()
    return deck


def test_every_part_of_a_deck_is_read() -> None:
    """Header, note and all keys of a card come out as written."""
    deck = clean(
        "The note with $\\mu$.\n\n### not a card\n\n"
        "## forward-pass\nQ: Write it for $x_1$.\nA: $\\mu = 0$\nWhy: It sticks.\n"
        "See: family:batchnorm.vector, demo:batchnorm_playground\n"
        "Check: claim:batchnorm.default_eps\nBase: 0123456789abcdef\n"
    )
    assert (deck.id, deck.title, deck.tags, deck.requires) == ("norms", "Norms", ("a", "b"), ())
    assert deck.note == "The note with $\\mu$.\n\n### not a card"
    (card,) = deck.cards
    assert (card.deck_id, card.id, card.kind) == ("norms", "forward-pass", "recall")
    assert (card.front, card.back, card.why) == ("Write it for $x_1$.", "$\\mu = 0$", "It sticks.")
    assert card.see == ("family:batchnorm.vector", "demo:batchnorm_playground")
    assert card.claims == ("claim:batchnorm.default_eps",)
    assert card.tags == ("a", "b")
    assert card.base == "0123456789abcdef"
    assert str(card.place) == "deck.md:10"
    assert card.item_ids == ("card:norms/forward-pass",)
    assert (card.question(), card.answer()) == (card.front, card.back)


def test_a_value_runs_to_the_next_key() -> None:
    """Blank lines and lists inside a value stay, blank lines around it don't."""
    deck = clean("## a\nQ:\n\nOne\n\n- two\n- three\n\nA: x\n  y\n\n\n## b\nQ: q\nA: a\n")
    assert deck.cards[0].front == "One\n\n- two\n- three"
    assert deck.cards[0].back == "x\n  y"
    assert [card.id for card in deck.cards] == ["a", "b"]


def test_a_forced_line_break_behind_a_key_stays() -> None:
    """Two blanks at the end of the first line of a value mean what they mean in the next."""
    deck = clean("## a\nQ: one  \ntwo  \nthree  \nA: a  \n")
    assert deck.cards[0].front == "one  \ntwo  \nthree"
    assert deck.cards[0].back == "a"


@pytest.mark.parametrize("fence", ["```", "~~~", "`````", "~~~~~~"])
def test_keys_and_headings_in_a_code_fence_are_text(fence: str) -> None:
    """Inside a fence, `A:`, `q:` and `## x` mean nothing, and neither does a shorter fence."""
    code = f"{fence}python\nA: no\nq: no\n## no\n{fence[:2]}\n{fence}"
    deck = clean(f"## a\nQ: See\n{code}\nA: yes\n{GOOD}")
    assert deck.cards[0].front == f"See\n{code}"
    assert deck.cards[0].back == "yes"
    assert len(deck.cards) == 2


def test_a_fence_may_open_behind_its_key() -> None:
    """A value that is nothing but code needs no line of its own before it."""
    deck = clean("## a\nQ: Code?\nA: ```py\nC: x\n## y\n```\nWhy: so\n")
    assert deck.cards[0].back == "```py\nC: x\n## y\n```"
    assert deck.cards[0].why == "so"


def test_keys_in_a_math_block_are_text() -> None:
    """A line `A: …` between `$$` and `$$` belongs to the formula."""
    deck = clean("## a\nQ: Map?\nA: $$\nA: X \\to Y\n## no\n$$\nWhy: so\n")
    assert deck.cards[0].back == "$$\nA: X \\to Y\n## no\n$$"
    assert deck.cards[0].why == "so"


def test_other_words_with_a_colon_are_text() -> None:
    """`Note:` or a time at the start of a line is no key, and a key behind a blank isn't either."""
    deck = clean("## a\nQ: one\nNote: two\n12:30\n A: three\nA: four\n")
    assert deck.cards[0].front == "one\nNote: two\n12:30\n A: three"


def test_a_reference_may_be_spread_over_lines_and_keys() -> None:
    """`See:` takes blanks, commas and line breaks, may be repeated, and drops doubles."""
    deck = clean("## a\nQ: q\nA: a\nSee: family:x.y,\n  card:norms/b#m-1\nSee: exercise:run-bn family:x.y\n")
    assert deck.cards[0].see == ("family:x.y", "card:norms/b#m-1", "exercise:run-bn")


def test_line_ends_and_byte_order_marks_make_no_difference() -> None:
    """A file saved on Windows, or with a byte order mark, or with old Mac line ends, reads the same."""
    text = HEAD + "note\n\n## a\nQ: one\ntwo\nA: $$\nx\n$$\n"
    expected, _ = parse_deck(text, PATH)
    assert expected is not None
    for variant in (text.replace("\n", "\r\n"), "\ufeff" + text, text.replace("\n", "\r")):
        assert parse_deck(variant, PATH) == (expected, ())


def test_odd_characters_stay_in_the_text() -> None:
    """Escape codes, a lone carriage return, NUL and brackets are kept for the screen to show (B01, B12)."""
    question = "red \x1b[31mtext cr\rOVER \x00 \x9b31m\u202edesrever\u202c [red] [b]"
    deck = clean(f"## a\nQ: {question}\nA: ok\n")
    assert deck.cards[0].front == question


def test_an_edited_answer_or_question_keeps_the_item_id() -> None:
    """The id comes from the heading alone; the fingerprint tells of the edit (B22)."""
    first = clean("## eps\nQ: What is eps for?\nA: avoid division by zero\n").cards[0]
    answer = clean("## eps\nQ: What is eps for?\nA: avoid division by zero.\n").cards[0]
    question = clean("## eps\nQ: What is ε (eps) for?\nA: avoid division by zero\n").cards[0]
    spaced = clean("## eps\nQ: What is  eps\nfor?\nA:\n\navoid division by zero\n").cards[0]
    assert first.item_ids == answer.item_ids == question.item_ids == ("card:norms/eps",)
    assert len({first.fingerprint, answer.fingerprint, question.fingerprint}) == 3
    assert spaced.fingerprint == first.fingerprint
    assert len(first.fingerprint) == 16
    assert int(first.fingerprint, 16) >= 0


def test_equal_cards_under_two_ids_are_two_cards() -> None:
    """The same words twice are no clash, since identity is the id (B22)."""
    deck = clean("## a\nQ: q\nA: a\n## b\nQ: q\nA: a\n")
    assert [card.item_ids[0] for card in deck.cards] == ["card:norms/a", "card:norms/b"]


# Each body begins in line 6 and ends with a good card, which must survive.
CARD_FAULTS = [
    ("## a\nQ: q\nA: a\n## a\nQ: r\nA: b\n", 9, "deck.md:6"),
    ("## a\nA: a\n", 6, "no `Q:`"),
    ("## a\nQ: q\n", 6, "no `A:`"),
    ("## a\nQ:\nA: a\n", 7, "`Q:` is empty"),
    ("## a\nQ: q\nA: \u200b \t\n\n", 8, "`A:` is empty"),
    ("## a\nQ: q\nQ: r\nA: a\n", 8, "second `Q:`"),
    ("## a\nQ: q\nA: a\nA: b\n", 9, "second `A:`"),
    ("## a\nC: {{m::x}}\nA: a\n", 8, "both `C:` and `A:`"),
    ("## a\nQ: q\nC: {{m::x}}\n", 7, "both `C:` and `Q:`"),
    ("## a\nC: no mark\n", 7, "no mark"),
    ("## a\nC: inside $x {{m::y}} z$\n", 7, "no mark"),
    ("## a\nC:\none\n\ntwo {{m::x\n", 10, "never closed"),
    ("## a\nC: {{m::}}\n", 7, "empty"),
    ("## a\nC: {{::x}}\n", 7, "no id"),
    ("## a\nC: {{Bad Id::x}}\n", 7, "'Bad Id'"),
    ("## a\nC: {{a::x {{b::y}} z}}\n", 7, "another mark"),
    ("## a\nloose\nQ: q\nA: a\n", 6, "text before the first key"),
    ("## a\nQ: q\nAnswer: a\nA: b\n", 8, "`Answer:`"),
    ("## a\nquestion: q\nA: b\n", 7, "`question:`"),
    ("## a\nQ: q\na: b\n", 8, "`a:`"),
    ("## a\nQ: q\nA: a\nWHY: b\n", 9, "`WHY:`"),
    ("## a\nQ : q\nA: a\n", 7, "`Q :`"),
    ("##\nQ: What is eps for?\nA: a\n", 6, "no id"),
    ("## Two Words\nQ: q\nA: a\n", 6, "'Two Words'"),
    ("## a--b\nQ: q\nA: a\n", 6, "'a--b'"),
    ("## a_b\nQ: q\nA: a\n", 6, "'a_b'"),
    ("## a\nQ: q\nA: a\nSee: family:nodot\n", 9, "'family:nodot'"),
    ("## a\nQ: q\nA: a\nSee: the paper\n", 9, "'the'"),
    ("## a\nQ: q\nA: a\nSee:\n", 9, "`See:` is empty"),
    ("## a\nQ: q\nA: a\nCheck: batchnorm.eps\n", 9, "'batchnorm.eps'"),
    ("## a\nQ: q\nA: a\nBase: xyz\n", 9, "fingerprint"),
    ("## a\nQ: q\nA: a\nBase: xyz\nmore\n", 9, "fingerprint"),
    ("## a\nQ: q\nA: a\nBase: 0123456789abcdef\n\nmore\nand more\n", 11, "text behind `Base:`"),
    ("## a\nQ: q\n```py\nx\nA: a\n", 8, "fence is never closed"),
    ("## a\nQ: q\nA: ~~~\nx\n", 8, "fence is never closed"),
    ("## a\nQ: $$ x\nA: a\n\n", 7, "`$$` is never closed"),
]


@pytest.mark.parametrize(("body", "line", "words"), CARD_FAULTS)
def test_a_faulty_card_is_named_by_line_and_costs_only_itself(body: str, line: int, words: str) -> None:
    """The error points at the line, says what is wrong and what to write, and the next card loads."""
    deck, errors = read(body + GOOD)
    assert [error.place.line for error in errors] == [line]
    assert words in errors[0].message
    assert errors[0].way_out
    assert str(errors[0]).startswith(f"deck.md:{line}: ")
    assert "fine" in [card.id for card in deck.cards]
    assert len(deck.cards) == body.count("## a\nQ: q\nA: a\n## a\n") + 1


def test_a_question_before_any_heading_asks_for_one() -> None:
    """Each `Q:` without a card is named with an id to write, and doesn't swallow the note."""
    deck, errors = read("A note.\n\nQ: What is eps for?\nA: safety\n\nC: {{a::b}}\n" + GOOD)
    assert [error.place.line for error in errors] == [8, 11]
    assert "## what-is-eps-for" in errors[0].way_out
    assert deck.note == "A note."
    assert [card.id for card in deck.cards] == ["fine"]


@pytest.mark.parametrize("heading", ["# two", "### two", "#two"])
def test_a_heading_of_another_depth_is_told_with_the_right_one(heading: str) -> None:
    """Above every card and behind `Base:`, where it swallows a card, the way out is the heading meant."""
    _, errors = read(f"{heading}\nQ: q\nA: a\n\n")
    assert [error.place.line for error in errors] == [7]
    assert f"Write `## two` instead of `{heading}`" in errors[0].way_out
    _, errors = read(f"## one\nQ: q\nA: a\nBase: 0123456789abcdef\n\n{heading}\nQ: r\nA: b\n")
    assert errors[0].place.line == 11
    assert f"Write `## two` instead of `{heading}`" in errors[0].way_out


def test_an_empty_new_card_is_unfinished_and_no_error() -> None:
    """As `card new` leaves it, with or without an id; it is no card yet and the others load."""
    deck, errors = read(GOOD + "\n## \nQ: \nA: \n\n## b\nQ:\nA:\n")
    assert errors == ()
    assert [card.id for card in deck.cards] == ["fine"]
    assert deck.unfinished is not None
    assert (deck.unfinished.place.line, deck.unfinished.message) == (10, "2 new cards are still empty")


@pytest.mark.parametrize(
    "block",
    [
        "## b\nQ: q\nA: \n",
        "## b\nA: \nQ: \nA: \n",
        "## b\nQ: \nA: \nWhy: w\n",
        "## fine\nQ: \nA: \n",
        "## B\nQ: \nA: \n",
    ],
)
def test_what_somebody_began_is_no_empty_new_card(block: str) -> None:
    """A word, a further key, an id that is taken or none: these are told as errors."""
    deck, errors = read(GOOD + block)
    assert errors
    assert deck.unfinished is None


def test_an_override_left_empty_is_an_error() -> None:
    """Its words were there and are gone; nobody adds a new card in such a deck."""
    deck, errors = read("## a\nQ: \nA: \n", '+++\noverrides = "norms"\n+++\n')
    assert [error.message for error in errors] == ["`Q:` is empty", "`A:` is empty"]
    assert deck.unfinished is None


def test_the_missing_id_is_suggested_from_the_question() -> None:
    """A heading without an id gets one proposed from its own words."""
    _, errors = read("##\nQ: Which axis does γ live on?\nA: a\n")
    assert "`## which-axis-does-live-on`" in errors[0].way_out


def test_an_open_fence_does_not_swallow_cards_with_fences() -> None:
    """When fences don't pair up, the card that left one open is named and the others load."""
    code = "```py\nx = 1\n```\n"
    body = f"## a\nQ: q\nA:\n{code}## b\nQ: q\nA:\n```py\nopen\n## c\nQ: q\nA:\n{code}## d\nQ: q\nA: a\n"
    deck, errors = read(body)
    assert [card.id for card in deck.cards] == ["a", "c", "d"]
    assert [error.place.line for error in errors] == [15]


def test_several_faults_come_in_the_order_of_the_file() -> None:
    """All faults of a deck are reported at once, by line."""
    _, errors = read("## a\nQ: q\n## b\nC: none\n## a\nQ: q\nA: \n")
    assert [error.place.line for error in errors] == [6, 9, 10, 12]


HEADER_FAULTS = [
    ("", 1, "empty"),
    (" \n\n", 1, "empty"),
    ("## a\nQ: q\nA: a\n", 1, "no `+++`"),
    ('+++\nid = "a"\ntitle = "A"\n', 1, "never closed"),
    ('+++\ntitle = "A"\n+++\n', 1, "lacks `id`"),
    ('+++\nid = "a"\n+++\n', 1, "lacks `title`"),
    ('+++\nid = "a"\ntitle = "  "\n+++\n', 3, "`title` is empty"),
    ('+++\nid = "a"\ntitle = "x\\ny"\n+++\n', 3, "more than one line"),
    ('+++\ntitle = "A"\nid = "A b"\n+++\n', 3, "'A b'"),
    ('+++\ntitle = "A"\nid = 3\n+++\n', 3, "not a text"),
    ('+++\nid = "a"\ntitle = "A"\ntag = ["x"]\n+++\n', 4, "'tag'"),
    ('+++\nid = "a"\ntitle = "A"\n[extra]\nx = 1\n+++\n', 4, "'extra'"),
    ('+++\nid = "a"\ntitle = "A"\ntags = "x"\n+++\n', 4, "`tags`"),
    ('+++\nid = "a"\ntitle = "A"\nrequires = ["B!"]\n+++\n', 4, "'B!'"),
    ('+++\nid = "a"\ntitle = A\n+++\n', 3, "not valid TOML"),
    ('+++\nid = "a"\nid = "b"\n+++\n', 3, "not valid TOML"),
    ('+++\nid = "a\x1b"\ntitle = "A"\n+++\n', 2, "not valid TOML"),
    ('+++\noverrides = "a"\ntitle = "A"\n+++\n', 3, "override deck has no key 'title'"),
    ("+++\nx = " + "[" * 5000 + "\n+++\n", 1, "nested too deeply"),
]


@pytest.mark.parametrize(("text", "line", "words"), HEADER_FAULTS)
def test_a_faulty_header_leaves_no_deck(text: str, line: int, words: str) -> None:
    """The header's fault is named at its own line."""
    deck, errors = parse_deck(text, PATH)
    assert deck is None
    assert [(error.place.line, words in error.message) for error in errors] == [(line, True)]


def test_text_in_utf_16_is_recognised() -> None:
    """NUL bytes at the head of a file lead to the advice to save it as UTF-8."""
    deck, errors = parse_deck("".join(f"{char}\0" for char in HEAD), PATH)
    assert deck is None
    assert "UTF-8" in errors[0].way_out


@given(st.text())
def test_no_text_makes_the_parser_raise(text: str) -> None:
    """Whatever a file holds, the answer is a deck or errors, and never neither."""
    deck, errors = parse_deck(text, PATH)
    assert deck is not None or errors


PIECES = [
    "## ",
    "## a",
    "##",
    "Q:",
    "A: x",
    "C: {{a::b}}",
    "C: {{",
    "```",
    "~~~py",
    "$$",
    "Why:",
    "See: x",
    "\n",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=30))
def test_no_mixture_of_deck_syntax_makes_the_parser_raise(pieces: list[str]) -> None:
    """No id comes out twice, every card has an item, and every error has a line of the file."""
    text = HEAD + "\n".join(pieces)
    deck, errors = parse_deck(text, PATH)
    assert deck is not None
    ids = [card.id for card in deck.cards]
    assert len(ids) == len(set(ids))
    assert all(card.item_ids and card.front.strip() for card in deck.cards)
    assert all(1 <= error.place.line <= text.count("\n") + text.count("\r") + 1 for error in errors)


def test_reading_looks_at_each_line_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times the cards cost ten times the work: the fence test runs a fixed number of times a line."""
    calls = 0

    def counted(line: str) -> CodeFence | None:
        nonlocal calls
        calls += 1
        return fence_of(line)

    monkeypatch.setattr("studynorm.content.sections.fence_of", counted)
    body = "".join(f"## c-{number}\nQ: q\n```\nx\n```\nA: a\n" for number in range(500))
    assert len(clean(body).cards) == 500
    assert calls <= 2 * body.count("\n")
