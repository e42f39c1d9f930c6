"""One row for each item: what it is called, how it stands, and in which order rows are listed."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studynorm.content.library import load_library
from studynorm.engine.family import Family
from studynorm.engine.files import family_files
from studynorm.engine.registry import load_family
from studynorm.engine.titles import family_titles
from studynorm.mathtext.cells import cell_width
from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.storage.memories import put_memory
from studynorm.storage.store import Store
from studynorm.study import titles
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk
from studynorm.study.items import ItemRow, Kind, item_rows
from studynorm.study.ordering import Sort, due_text, ordered, state_words
from studynorm.study.overview import Strength
from studynorm.study.titles import around_gap, shortened, title_of
from tests.conftest import SAMPLE, FrozenClock

TODAY = 739_677  # 2 March 2026
ONE = "card:first/one"


def keep(store: Store, *memories: Memory) -> None:
    """Store memories without any review."""
    with store.transaction("BEGIN IMMEDIATE") as connection:
        for memory in memories:
            put_memory(connection, memory)


def in_review(item: str, *, due_in: int, stability: float = 10.0, lapses: int = 0, last: int = -10) -> Memory:
    """Return a memory in Review, due so many days from today."""
    return Memory(
        item=item,
        state=State.REVIEW,
        step=None,
        stability=stability,
        difficulty=5.0,
        due_at=None,
        due_day=TODAY + due_in,
        last_at=0,
        last_day=TODAY + last,
        reps=lapses + 1,
        lapses=lapses,
    )


def in_step(item: str, *, due_at: int, step: int = 0, state: State = State.LEARNING) -> Memory:
    """Return a memory in a learning step, due at an instant."""
    return Memory(item, state, step, 0.5, 5.0, due_at, None, 0, TODAY, 1, 0)


def row_of(desk: Desk, item: str) -> ItemRow:
    """Return the row of an item."""
    return next(row for row in item_rows(desk) if row.item == item)


def test_rows_stand_in_learning_order_with_their_kind_topic_and_title(desk_of: Callable[..., Desk]) -> None:
    """Cards, each cloze mark and families; titles are the questions as one reads them."""
    rows = item_rows(desk_of("batchnorm.entry"))
    assert [(row.item, row.kind, row.topic, row.title) for row in rows] == [
        ("family:batchnorm.entry", Kind.FAMILY, "batchnorm", "One normalized entry of a batch"),
        ("card:first/one", Kind.CARD, "first", "What is one?"),
        ("card:first/two", Kind.CARD, "first", "What is two?"),
        ("card:first/marks#mean", Kind.CLOZE, "first", "Mean […] and variance σ²."),
        ("card:first/marks#var", Kind.CLOZE, "first", "Mean μ and variance […]."),
        ("card:second/red", Kind.CARD, "second", "Which axis does [red] mark?"),
        ("card:second/blue", Kind.CARD, "second", "What is x[:, 0]?"),
    ]
    assert [row.place for row in rows] == [1, 2, 3, 4, 5, 6, 7]
    assert all(row.strength is Strength.NEW and row.due_in is None and not row.due for row in rows)


def test_a_row_says_when_its_item_is_due_and_whether_now(
    desk_of: Callable[..., Desk], clock: FrozenClock
) -> None:
    """Study days count from today; a step counts by its instant, and after midnight still for today."""
    desk = desk_of()
    now = clock().at
    keep(
        desk.store,
        in_review("card:first/one", due_in=-3),
        in_review("card:first/two", due_in=5, stability=21.0),
        in_step("card:second/red", due_at=now + 60_000),
        in_step("card:second/blue", due_at=now + 18 * 3_600_000),  # 03:00 of the night, before the day ends
    )
    found = {row.item: row for row in item_rows(desk)}
    assert (found["card:first/one"].due_in, found["card:first/one"].due) == (-3, True)
    assert (found["card:first/two"].due_in, found["card:first/two"].due) == (5, False)
    assert found["card:first/two"].strength is Strength.MATURE
    assert (found["card:second/red"].due_in, found["card:second/red"].due) == (0, False)
    assert found["card:second/blue"].due_in == 0
    clock.forward(minutes=1)
    assert row_of(desk, "card:second/red").due
    texts = {item: due_text(row, desk.clock()) for item, row in found.items()}
    assert texts["card:first/one"] == "-3d"
    assert texts["card:first/two"] == "5d"
    assert texts["card:second/red"] == "now"
    assert texts["card:second/blue"] == "03:00"
    assert texts["card:first/marks#var"] == ""


def test_what_was_done_to_an_item_is_in_its_row(desk_of: Callable[..., Desk], clock: FrozenClock) -> None:
    """Suspended and buried items are not due; a burial ends with its study day."""
    desk = desk_of()
    keep(desk.store, in_review("card:first/one", due_in=0), in_review("card:first/two", due_in=0))
    desk.store.upkeep.suspend(["card:first/one"], clock())
    desk.store.upkeep.bury(["card:first/two"], clock())
    one, two = row_of(desk, "card:first/one"), row_of(desk, "card:first/two")
    assert (one.suspended, one.buried, one.due) == (True, False, False)
    assert (two.suspended, two.buried, two.due) == (False, True, False)
    assert state_words(one)[0] == "suspended"
    assert state_words(two)[0] == "buried"
    clock.forward(days=1)
    two = row_of(desk, "card:first/two")
    assert (two.buried, two.due, two.due_in) == (False, True, -1)


def test_a_leech_has_as_many_lapses_as_the_setting_says(desk_of: Callable[..., Desk]) -> None:
    """At `leech_at` lapses, not one before."""
    desk = desk_of(settings=Settings(leech_at=4))
    keep(
        desk.store,
        in_review("card:first/one", due_in=1, lapses=3),
        in_review("card:first/two", due_in=1, lapses=4),
    )
    assert not row_of(desk, "card:first/one").leech
    assert row_of(desk, "card:first/two").leech


def test_recall_is_90_percent_after_as_many_days_as_the_stability(desk_of: Callable[..., Desk]) -> None:
    """That is what FSRS means by stability."""
    desk = desk_of()
    keep(desk.store, in_review(ONE, due_in=0, stability=10.0, last=-10))
    assert row_of(desk, ONE).recall == pytest.approx(0.9, abs=1e-9)


def test_a_card_that_reads_otherwise_than_when_answered_is_edited(
    desk_of: Callable[..., Desk], clock: FrozenClock
) -> None:
    """Other words count, and only for cards that were answered with a fingerprint."""
    desk = desk_of()
    card = desk.catalogue.library.card(ONE)
    assert card is not None
    review = desk.scheduler.review(ONE, None, Rating.EASY, clock())
    desk.store.record(review, fingerprint=card.fingerprint)
    assert not row_of(desk, ONE).edited
    library = desk.catalogue.library
    decks = tuple(
        replace(deck, cards=tuple(replace(one, front="Quite another?") for one in deck.cards))
        for deck in library.decks
    )
    desk.catalogue = build_catalogue(replace(library, decks=decks), [])
    assert row_of(desk, ONE).edited
    assert not row_of(desk, "card:first/two").edited


def test_a_memory_without_its_card_or_family_is_kept_as_gone(desk_of: Callable[..., Desk]) -> None:
    """They stand last, under what their ids tell, and are never due."""
    desk = desk_of()
    keep(
        desk.store,
        in_review("family:batchnorm.no_more", due_in=-1),
        in_review("card:old/mine#a", due_in=-1),
        in_review("exercise:slug", due_in=-1),
    )
    gone = [row for row in item_rows(desk) if row.gone]
    assert [(row.item, row.kind, row.topic) for row in gone] == [
        ("card:old/mine#a", Kind.CLOZE, "old"),
        ("exercise:slug", Kind.CARD, "slug"),
        ("family:batchnorm.no_more", Kind.FAMILY, "batchnorm"),
    ]
    assert [row.place for row in gone] == [7, 8, 9]
    assert not any(row.due for row in gone)
    assert state_words(gone[0]) == ("gone", "young")


def test_the_titles_read_from_the_files_are_those_of_the_families() -> None:
    """Reading a title from the text of a file gives what importing it gives, for every family."""
    found = family_titles()
    assert list(found) == list(family_files())
    for name, title in found.items():
        family = load_family(name)
        assert isinstance(family, Family), name
        assert title == family.title


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What is $\\sigma^2$?\n\nAnd more.", "What is σ²?"),
        ("one line\nand the next", "one line and the next"),
        ("```python\nx = 1\n```\nWhat is x?", "x = 1"),
        ("| axis | size |\n|---|---|\n| 0 | 2 |", "axis size"),
        ("- first\n- second", "first"),
        ("*Why* is `a*b` not **so**?", "Why is a*b not so?"),
        ("a\x1b[31mb", "a␛[31mb"),
        ("Costs $5 or $6?", "Costs $5 or $6?"),
        ("   ", "[…]"),
        ("A note.\n\nThe mean is […].", "…The mean is […]."),
        ("| a | b |\n|---|---|\n| 0 | 2 |\n\n- one\n- *two* […]", "…two […]"),
    ],
)
def test_a_title_is_the_first_line_as_one_reads_it(question: str, title: str) -> None:
    """Math and code are shown as they are read, and nothing is left that a terminal obeys."""
    assert title_of(question) == title


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (80, "In training BatchNorm takes the mean […] of the batch, not of the run."),
        (60, "In training BatchNorm takes the mean […] of the batch, not of the run."),
        (40, "…takes the mean […] of the batch, not of the run."),
        (26, "…the mean […] of the batch, not of the run."),
        (8, "…[…] of the batch, not of the run."),
    ],
)
def test_a_title_that_is_cut_before_its_gap_begins_near_the_gap(width: int, shown: str) -> None:
    """Whole words stand before it, about as many cells as behind it, and a sign for what is left out."""
    title = "In training BatchNorm takes the mean […] of the batch, not of the run."
    assert around_gap(title, width) == shown


def test_a_gap_near_the_end_has_more_words_before_it() -> None:
    """Room that nothing behind the gap takes is not wasted; a title without a gap stays as it is."""
    assert around_gap("one two three four five six seven […].", 26) == "…four five six seven […]."
    assert around_gap("one two three four five six seven eight", 26).startswith("one two")


@given(st.text(alphabet="ab x\u0302漢", max_size=40), st.integers(0, 30), st.integers(0, 40))
def test_a_shortened_title_takes_no_more_cells_than_it_has(text: str, at: int, width: int) -> None:
    """With wide and with combining letters, and a gap anywhere, which is seen where it has room."""
    title = f"{text[:at]} […] {text[at:]}"
    cut = shortened(title, width)
    assert cell_width(cut) <= width
    assert width < 8 or "[…]" in cut


def slow_title(question: str) -> str:
    """Return the title by the long way, through Markdown."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(titles, "_SIMPLE", re.compile("(?!)"))
        return title_of.__wrapped__(question)


SIGNS = [
    "word",
    " ",
    "Ä",
    "$x_i$",
    "$ 5",
    "$",
    "`a_b`",
    "``",
    "`",
    "[…]",
    "(",
    "*",
    "_",
    "\\(",
    "-",
    "1. ",
    "#",
]


@given(st.lists(st.sampled_from(SIGNS), max_size=8).map("".join))
def test_the_short_way_to_a_title_gives_what_markdown_gives(question: str) -> None:
    """Whatever is put together from signs that may mean something."""
    assert title_of.__wrapped__(question) == slow_title(question)


def test_the_short_way_gives_what_markdown_gives_for_every_shipped_card() -> None:
    """For each card and each mark of a cloze."""
    for deck in load_library(SAMPLE.parents[1] / "cards", None).decks:
        for card in deck.cards:
            for mark in card.mark_ids or (None,):
                question = card.question(mark)
                assert title_of.__wrapped__(question) == slow_title(question)


def test_a_family_file_that_cannot_be_read_is_called_by_its_id(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file without a title, one in another encoding and one that is gone cost nothing but their titles."""
    (tmp_path / "plain.py").write_text("FAMILY = None\n")
    (tmp_path / "latin.py").write_bytes(b'    title = "caf\xe9"\n')
    files = {f"batchnorm.{name}": tmp_path / f"{name}.py" for name in ("plain", "latin", "gone")}
    monkeypatch.setattr("studynorm.engine.titles.family_files", lambda: files)
    assert family_titles() == {name: name for name in files}


def test_rows_are_sorted_by_what_one_looks_for_and_without_a_value_last(desk_of: Callable[..., Desk]) -> None:
    """Least stable first, most lapses first, new ones behind; reversed, new ones are still behind."""
    desk = desk_of()
    keep(
        desk.store,
        in_review("card:first/one", due_in=4, stability=30.0, lapses=1),
        in_review("card:first/two", due_in=-2, stability=3.0, lapses=2),
        in_review("card:second/red", due_in=1, stability=9.0, lapses=1),
    )
    rows = item_rows(desk)

    def names(sort: Sort, *, reverse: bool = False) -> list[str]:
        return [row.item.rpartition("/")[2] for row in ordered(rows, sort, reverse=reverse)]

    fresh = ["marks#mean", "marks#var", "blue"]
    assert names(Sort.ORDER) == ["one", "two", "marks#mean", "marks#var", "red", "blue"]
    assert names(Sort.ORDER, reverse=True) == ["blue", "red", "marks#var", "marks#mean", "two", "one"]
    assert names(Sort.STABILITY) == ["two", "red", "one", *fresh]
    assert names(Sort.STABILITY, reverse=True) == ["one", "red", "two", *fresh]
    assert names(Sort.DUE) == ["two", "red", "one", *fresh]
    assert names(Sort.LAPSES) == ["two", "one", "red", *fresh]
    assert names(Sort.TITLE)[:2] == ["marks#mean", "marks#var"]
