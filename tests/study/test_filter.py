"""The filter language: what it lets through, and what it says to a text that is no filter."""

import fnmatch
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studynorm.scheduling.memory import Memory, State
from studynorm.study.conditions import Filter, Named
from studynorm.study.filter import FilterError, could_become, parse
from studynorm.study.items import ItemRow, Kind
from studynorm.study.listing import Listing
from studynorm.study.ordering import Sort
from studynorm.study.overview import Strength

NEW = ItemRow(
    item="card:batchnorm/epsilon",
    kind=Kind.CARD,
    topic="batchnorm",
    title="Where does ε enter?",
    tags=("normalization", "BatchNorm"),
    strength=Strength.NEW,
    memory=None,
    due_in=None,
    due=False,
    recall=None,
    suspended=False,
    buried=False,
    leech=False,
    edited=False,
    gone=False,
    haystack="card:batchnorm/epsilon\nwhere does ε enter?\nbatchnorm\nnormalization\nbatchnorm",
    place=1,
)
MEMORY = Memory(NEW.item, State.REVIEW, None, 7.46, 5.0, None, 739_680, 0, 739_670, 6, 3)
KNOWN = replace(
    NEW,
    item="family:backward.gradient",
    kind=Kind.FAMILY,
    topic="backward",
    title="The input gradient",
    tags=("gradients",),
    strength=Strength.YOUNG,
    memory=MEMORY,
    due_in=-2,
    due=True,
    recall=0.873,
    haystack="family:backward.gradient\nthe input gradient\nbackward\ngradients",
    place=2,
)
ROWS = (NEW, KNOWN)


def let_through(text: str, rows: Sequence[ItemRow] = ROWS) -> list[int]:
    """Return the places of the rows that a filter lets through."""
    found = parse(text)
    assert isinstance(found, Filter), found
    return [row.place for row in found.select(rows)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("", [1, 2]),
        ("   ", [1, 2]),
        ("WHERE enter", [1]),
        ("enter gradient", []),
        ('"input gradient"', [2]),
        ('"gradient input"', []),
        ("card:batchnorm/epsilon", [1]),
        ("is:new", [1]),
        ("-is:new", [2]),
        ("is:family", [2]),
        ("is:due", [2]),
        ("is:card or is:family", [1, 2]),
        ("is:new or is:new", [1]),
        ("is:new is:family or input", [2]),
        ("topic:back", [2]),
        ("topic:ack", []),
        ("topic:*ack*", [2]),
        ("topic:b*d", [2]),
        ('topic:"back"', []),
        ('topic:"backward"', [2]),
        ("tag:batch", [1]),
        ("TAG:GRAD*", [2]),
        ("deck:b", [1]),
        ("stability<7.5", [2]),
        ("stability<7", []),
        ("stability=7.5", [2]),
        ("stability=7", [2]),
        ("stability=7.4", []),
        ("stability > 7", [2]),
        ("stability>7", [2]),
        ("stability>=7.46", [2]),
        ("stability≤7.46", [2]),
        ("-stability<7", [1, 2]),
        ("difficulty==5", [2]),
        ("lapses>2", [2]),
        ("lapses>3", []),
        ("lapses<1", [1]),
        ("reps=6", [2]),
        ("recall<90%", [2]),
        ("recall<0.87", []),
        ("recall=87%", [2]),
        ("due<0", [2]),
        ("due=-2", [2]),
        ("due>=-1", []),
        ('-"input gradient"', [1]),
        ('"is:new"', []),
        ("momentum=None", []),
        ("family:backward", [2]),
        ("-card:batch", [2]),
        ('"foo:bar"', []),
        ("x[:, 0]", []),
    ],
)
def test_a_filter_lets_through_what_it_says(text: str, places: list[int]) -> None:
    """Each kind of term on a new card and a known family; recall is 0.873, stability 7.46, due -2."""
    assert let_through(text) == places


@pytest.mark.parametrize(
    ("text", "message", "position", "unfinished"),
    [
        ("is:du", "is: due", 0, True),
        ("norm is:m", "is: mature", 5, True),
        ("is:du norm", "is: due", 0, False),
        ("is:deu", "did you mean is:due?", 0, False),
        ("-is:deu", "did you mean is:due?", 1, False),
        ("is:xyz", "there are due new", 0, False),
        ("stability<", "a number of days", 0, True),
        ("lapses >", "lapses> and a number", 0, True),
        ("stabilty<7", "did you mean stability<?", 0, False),
        ("lapses>many", "many is no number", 7, False),
        ("recall<nine", "0.9 or 90%", 7, False),
        ("topc:back", "did you mean topic:?", 0, False),
        ("norm foo:bar", "no foo: — there are is: topic: tag: deck: and card: family:", 5, False),
        ("-foo:bar", "In quotes it is text.", 1, False),
        ('foo:"a b"', "there is no foo:", 0, False),
        ("famly:batchnorm", "did you mean family:?", 0, False),
        ("stability:7", "did you mean stability<?", 0, False),
        ("topic:", "the beginning of a name", 0, True),
        ("a or", "between two terms", 2, True),
        ("or a", "between two terms", 0, False),
        ("a or or b", "between two terms", 5, False),
        ("-", "turns a term round", 0, True),
        ('norm "', "between the quotes", 5, True),
        ('"" norm', "between the quotes", 0, False),
    ],
)
def test_a_text_that_is_no_filter_is_told_where_and_how_to_go_on(
    text: str, message: str, position: int, unfinished: bool
) -> None:
    """The message names what could follow or what was meant; an open end counts as unfinished."""
    found = parse(text)
    assert isinstance(found, FilterError)
    assert message in found.message
    assert (found.position, found.unfinished) == (position, unfinished)


@given(st.text(alphabet="ab :\"'-<>=*%0.ist \\\x00or", max_size=30))
def test_any_text_is_a_filter_or_an_error_within_it(text: str) -> None:
    """Nothing raises, and the position is a character of the text."""
    found = parse(text)
    if isinstance(found, FilterError):
        assert 0 <= found.position < len(text)
    else:
        found.select(ROWS)


@pytest.mark.parametrize(
    ("text", "more"), [("st", "stability<"), ("norm to", "topic:"), ("-i", "is:"), ("is ", ""), ("norm", "")]
)
def test_the_beginning_of_a_key_says_what_it_may_become(text: str, more: str) -> None:
    """Only the word that is being typed counts."""
    assert could_become(text) == more


# -- against an independent reading ------------------------------------------------------------------
WORDS = ("norm", "mean", "ε", "axis", "residual")
TOPICS = ("batchnorm", "backward", "residual")
TAGS = ("grad", "norm", "shape")


@st.composite
def rows(draw: Callable[..., Any]) -> ItemRow:
    """Draw a row whose parts need not fit together, so that conditions are tried one by one."""
    words = draw(st.lists(st.sampled_from(WORDS), max_size=3))
    topic, tags = draw(st.sampled_from(TOPICS)), tuple(draw(st.lists(st.sampled_from(TAGS), max_size=2)))
    known = draw(st.booleans())
    lapses = draw(st.integers(0, 5))
    memory = Memory(
        "card:x/y",
        State.REVIEW,
        None,
        draw(st.sampled_from([0.5, 6.96, 7.0, 7.04, 7.5, 21.0])),
        draw(st.sampled_from([1.0, 4.5, 5.0, 10.0])),
        None,
        5,
        0,
        1,
        lapses + 1,
        lapses,
    )
    return replace(
        NEW,
        title=" ".join(words),
        topic=topic,
        tags=tags,
        kind=draw(st.sampled_from(list(Kind))),
        strength=draw(st.sampled_from(list(Strength))),
        memory=memory if known else None,
        due_in=draw(st.integers(-3, 3)) if known else None,
        recall=draw(st.sampled_from([0.5, 0.87, 0.9, 1.0])) if known else None,
        due=draw(st.booleans()),
        suspended=draw(st.booleans()),
        buried=draw(st.booleans()),
        leech=draw(st.booleans()),
        edited=draw(st.booleans()),
        gone=draw(st.booleans()),
        haystack="\n".join(("card:x/y", " ".join(words), topic, *tags)),
        place=draw(st.integers(1, 10**9)),
    )


NUMBERS = {
    "stability": ("7", "7.0", "21"),
    "difficulty": ("5", "4.5"),
    "lapses": ("0", "3"),
    "reps": ("1", "4"),
}
NUMBERS |= {"due": ("0", "-2", "1"), "recall": ("0.9", "90%", "87%")}
Plain = tuple[bool, str, str, str]
"""Negated or not, what kind of term, and two parts of it."""


@st.composite
def plain_terms(draw: Callable[..., Any]) -> Plain:
    """Draw a term as plain parts, of which the text and the meaning are made separately."""
    negated, kind = draw(st.booleans()), draw(st.sampled_from(["word", "is", "begins", "glob", "number"]))
    match kind:
        case "word":
            return negated, kind, draw(st.sampled_from([*WORDS, "norm mean", "x/y", "zebra"])), ""
        case "is":
            flags = ("suspended", "buried", "leech", "edited", "gone", "due", "new", "young", "card", "cloze")
            return negated, kind, draw(st.sampled_from(flags)), ""
        case "begins":
            key = draw(st.sampled_from(["topic", "tag", "deck"]))
            return negated, kind, key, draw(st.sampled_from(["b", "ba", "grad", "norm", "residual", "z"]))
        case "glob":
            return (
                negated,
                kind,
                draw(st.sampled_from(["topic", "tag"])),
                draw(st.sampled_from(["b*d", "*a*", "n*"])),
            )
    field = draw(st.sampled_from(sorted(NUMBERS)))
    sign = draw(st.sampled_from(["<", "<=", ">", ">="]))
    return negated, kind, field, sign + draw(st.sampled_from(NUMBERS[field]))


def written(term: Plain) -> str:
    """Return the text of a term."""
    negated, kind, first, second = term
    body = {"word": f'"{first}"' if " " in first else first, "is": f"is:{first}", "number": first + second}
    return ("-" if negated else "") + body.get(kind, f"{first}:{second}")


def holds(term: Plain, row: ItemRow) -> bool:
    """Tell slowly and plainly whether a term holds."""
    negated, kind, first, second = term
    names = list(row.tags) if first == "tag" else [row.topic]
    if first == "deck" and row.kind is Kind.FAMILY:
        names = []
    if kind == "word":
        found = any(first in text for text in ("card:x/y", row.title, row.topic, *row.tags))
    elif kind == "is":
        found = bool(getattr(row, first, False)) or first in (row.kind.value, row.strength.value)
    elif kind == "begins":
        found = any(name[: len(second)] == second for name in names)
    elif kind == "glob":
        fits = {
            "b*d": lambda name: name[:1] == "b" and name[-1:] == "d",
            "*a*": lambda name: "a" in name,
            "n*": lambda name: name[:1] == "n",
        }
        found = any(map(fits[second], names))
    else:
        found = compared(row, first, second)
    return found != negated


def compared(row: ItemRow, field: str, rest: str) -> bool:
    """Tell whether `rest`, a sign and a number, holds for a field."""
    sign, number = (rest[:2], rest[2:]) if rest[1] == "=" else (rest[:1], rest[1:])
    wanted = float(number[:-1]) / 100 if number.endswith("%") else float(number)
    value: float | None
    if field in ("due", "recall"):
        value = row.due_in if field == "due" else row.recall
    else:
        value = getattr(row.memory, field) if row.memory else (0 if field in ("lapses", "reps") else None)
    if value is None:
        return False
    return {"<": value < wanted, ">": value > wanted}.get(sign[0], False) or (
        sign.endswith("=") and value == wanted
    )


@settings(max_examples=300, deadline=None)
@given(
    st.lists(rows(), max_size=8, unique_by=lambda row: row.place),
    st.lists(st.lists(plain_terms(), min_size=1, max_size=3), min_size=1, max_size=3),
)
def test_a_filter_agrees_with_a_slow_reading_of_the_same_terms(
    table: list[ItemRow], alternatives: list[list[Plain]]
) -> None:
    """Any alternatives of any terms on any rows let through the same rows, in their order."""
    text = " or ".join(" ".join(written(term) for term in terms) for terms in alternatives)
    expected = [
        row.place for row in table if any(all(holds(term, row) for term in terms) for terms in alternatives)
    ]
    assert let_through(text, table) == expected


# -- while one types ---------------------------------------------------------------------------------
def typed(listing: Listing, text: str) -> list[int]:
    """Type a text, and return the places of the rows that are shown then."""
    listing.type(text)
    return [row.place for row in listing.shown]


def test_a_half_typed_term_neither_empties_the_table_nor_filters_yet() -> None:
    """Of `gradient is:du` the first word filters, and a quiet hint says what could follow."""
    listing = Listing()
    listing.take(ROWS)
    assert typed(listing, "gradient is:du") == [2]
    assert (listing.hint, listing.amiss) == ("is: due", False)
    assert typed(listing, "stability<") == [1, 2]
    assert "a number of days" in listing.hint
    assert typed(listing, "stability<7") == []
    assert listing.hint == ""


def test_a_word_that_begins_a_key_does_not_empty_the_table() -> None:
    """No item holds `stab`, but it may become `stability<`; `zebra` becomes nothing else."""
    listing = Listing()
    listing.take(ROWS)
    assert typed(listing, "gradient stab") == [2]
    assert "stability<" in listing.hint
    assert typed(listing, "gradient zebra") == []


def test_a_slip_within_the_text_keeps_what_was_shown() -> None:
    """A wrong term is marked as amiss, and the rows stay those of the last filter."""
    listing = Listing()
    listing.take(ROWS)
    assert typed(listing, "gradient") == [2]
    assert typed(listing, "is:deu gradient") == [2]
    assert listing.amiss
    assert "did you mean is:due?" in listing.hint


def test_filter_and_order_survive_rows_that_were_read_again() -> None:
    """New rows are filtered and sorted as the old ones were."""
    listing = Listing("-zebra")
    listing.take(ROWS)
    listing.sort_by(Sort.TITLE)
    listing.sort_by(Sort.TITLE)
    assert [row.place for row in listing.shown] == [1, 2]
    assert not listing.rising
    listing.take((KNOWN, replace(NEW, title="A zebra", haystack="a zebra"), replace(NEW, title="Z", place=3)))
    assert [row.place for row in listing.shown] == [3, 2]


def test_a_pattern_of_many_stars_takes_no_longer_than_a_short_one() -> None:
    """Sixty stars and a letter that no topic has: an answer at once, where trying every split takes years."""
    begun = time.process_time()
    named = Named("topic", "*".join("a" * 60) + "q")
    row_topics = ["a" * 80, "a" * 80 + "q", "b"]
    assert [named._fits(topic) for topic in row_topics] == [False, True, False]
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("pattern", ["*", "a*", "*a", "a*a", "a**b", "*ab*", "ab*ba", "a*b*c"])
def test_a_pattern_means_what_the_shell_means(pattern: str) -> None:
    """Held against fnmatch over short names."""
    for name in ("", "a", "b", "aa", "ab", "aba", "abba", "aab", "abc", "acbxc"):
        assert Named("topic", pattern)._fits(name) is fnmatch.fnmatchcase(name, pattern), name
