"""A topic and an item as they stand: what is counted, what is predicted, where they lead."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from studynorm.content.library import load_library
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.storage.store import Store
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk
from studynorm.study.item_sheet import ItemSheet, item_sheet
from studynorm.study.items import item_rows
from studynorm.study.topic import topic_sheet
from tests.conftest import SAMPLE, FrozenClock

LINKED = """+++
id = "linked"
title = "Linked"
+++
The note.

## here
Q: Where does this lead?
A: To many places.
See: card:first/one family:batchnorm.entry demo:pre_post_ln family:batchnorm.gone card:first/gone

## twice
Q: And this?
A: To the same demo.
See: demo:pre_post_ln demo:residual_product
"""


def rate(desk: Desk, item: str, rating: Rating) -> None:
    """Answer an item once."""
    memory = desk.store.memory(item)
    desk.store.record(desk.scheduler.review(item, memory, rating, desk.clock(), duration_ms=1000))


def linked(desk: Desk, folder: Path, *families: str) -> Desk:
    """Give a desk a deck with links, beside the sample decks."""
    (folder / "linked.md").write_text(LINKED, "utf-8")
    desk.catalogue = build_catalogue(load_library(SAMPLE, folder), families)
    return desk


def sheet_of(desk: Desk, item: str) -> ItemSheet:
    """Return the sheet of an item that is there."""
    sheet = item_sheet(desk, item)
    assert sheet is not None
    return sheet


def test_a_topic_counts_its_items_and_nobody_elses(desk_of: Callable[..., Desk], clock: FrozenClock) -> None:
    """Of four, two were answered; another topic's answer does not count. A card's marks come a day apart."""
    desk = desk_of("batchnorm.entry")
    rate(desk, "card:first/one", Rating.AGAIN)
    rate(desk, "card:first/two", Rating.EASY)
    rate(desk, "card:second/red", Rating.EASY)
    sheet = topic_sheet(desk, "first")
    assert [row.item for row in sheet.rows] == [
        "card:first/one",
        "card:first/two",
        "card:first/marks#mean",
        "card:first/marks#var",
    ]
    state = sheet.state
    assert (state.new, state.learning, state.young, state.mature) == (2, 1, 1, 0)
    assert (state.today.new, state.today.learning, state.today.review) == (1, 1, 0)
    assert sheet.note == "A note."
    assert sheet.families == ()


def test_new_items_that_the_day_has_no_room_for_can_be_started_in_their_topic(
    desk_of: Callable[..., Desk], clock: FrozenClock
) -> None:
    """With two new items a day both come from the first topic; the second alone would ask its own two."""
    desk = desk_of(settings=Settings(new_per_day=2))
    first, second = topic_sheet(desk, "first"), topic_sheet(desk, "second")
    assert (first.state.today.new, first.startable) == (2, 0)
    assert (second.state.today.new, second.startable) == (0, 2)
    assert desk.session(topic="second").counts.new == second.startable
    desk.store.upkeep.suspend(["card:second/red"], clock())
    assert topic_sheet(desk, "second").startable == 1
    rate(desk, "card:first/one", Rating.EASY)
    rate(desk, "card:first/two", Rating.EASY)
    assert topic_sheet(desk, "second").startable == 0  # the new items of the day are used up


def test_predicted_recall_is_the_mean_over_what_has_a_memory(
    desk_of: Callable[..., Desk], clock: FrozenClock
) -> None:
    """The rows' own predictions are averaged; new items don't pull it down, and without any there is none."""
    desk = desk_of()
    assert topic_sheet(desk, "first").recall is None
    rate(desk, "card:first/one", Rating.EASY)
    rate(desk, "card:first/two", Rating.GOOD)
    clock.forward(days=20)
    known = [row.recall for row in item_rows(desk) if row.recall is not None]
    assert len(known) == 2
    assert known[0] != known[1]
    assert topic_sheet(desk, "first").recall == pytest.approx(sum(known) / 2)


def test_a_topic_knows_its_place_its_families_and_its_demos_once(
    desk_of: Callable[..., Desk], tmp_path: Path
) -> None:
    """Demos come from cards and from families, each once; shipped topics stand before one's own."""
    desk = linked(desk_of(), tmp_path, "transformer.final_norm")
    own = topic_sheet(desk, "linked")
    assert own.demos == ("pre_post_ln", "residual_product")
    assert (own.number, own.of) == (len(desk.catalogue.topics), 4)
    family = topic_sheet(desk, "transformer")
    assert family.families == ("transformer.final_norm",)
    assert family.demos == ("pre_post_ln",)
    assert family.note == ""
    assert (family.number, family.state.total) == (1, 1)


def test_an_unknown_topic_is_an_empty_sheet(desk_of: Callable[..., Desk]) -> None:
    """Nothing is counted, and nothing fails."""
    sheet = topic_sheet(desk_of(), "gone")
    assert (sheet.rows, sheet.note, sheet.number, sheet.recall) == ((), "", 0, None)
    assert sheet.state.title == "gone"


def test_a_card_leads_to_what_is_there(desk_of: Callable[..., Desk], tmp_path: Path) -> None:
    """Links stand in the order of `See:` by their titles; a card or family that is gone is left out."""
    desk = linked(desk_of(), tmp_path, "batchnorm.entry")
    links = sheet_of(desk, "card:linked/here").links
    assert [(link.kind, link.id) for link in links] == [
        ("card", "card:first/one"),
        ("family", "family:batchnorm.entry"),
        ("demo", "demo:pre_post_ln"),
    ]
    assert links[0].title == "What is one?"
    assert links[1].title == "One normalized entry of a batch"


def test_a_family_leads_to_its_cards_prerequisites_and_demo(desk_of: Callable[..., Desk]) -> None:
    """Its levels come along; cards of decks that are not there are left out."""
    desk = desk_of("batchnorm.entry", "batchnorm.eps")
    sheet = sheet_of(desk, "family:batchnorm.eps")
    assert [link.id for link in sheet.links] == ["family:batchnorm.entry"]
    assert sheet.card is None
    assert sheet.levels == tuple(sorted(set(sheet.levels)))
    assert sheet.levels
    assert not sheet.fault


def test_a_cloze_stands_for_one_mark_or_for_all(desk_of: Callable[..., Desk]) -> None:
    """Asked by its mark it shows that one; by its card, each mark with its own memory."""
    desk = desk_of()
    rate(desk, "card:first/marks#var", Rating.EASY)

    def standing(item: str) -> Sequence[tuple[str, bool]]:
        return [(row.item, row.memory is not None) for row, _ in sheet_of(desk, item).standing]

    assert standing("card:first/marks#mean") == [("card:first/marks#mean", False)]
    assert standing("card:first/marks") == [("card:first/marks#mean", False), ("card:first/marks#var", True)]


def test_why_a_new_item_waits_counts_the_new_ones_before_it(desk_of: Callable[..., Desk]) -> None:
    """Of the three items before it one was answered and one is suspended, so one stands before it."""
    desk = desk_of()
    rate(desk, "card:first/one", Rating.EASY)
    desk.store.upkeep.suspend(["card:first/two"], desk.clock())
    ((_, story),) = sheet_of(desk, "card:first/marks#var").standing
    assert "1 new item stands before it" in story.why


@pytest.mark.parametrize("item", ["card:first/gone", "family:batchnorm.gone", "demo:x", "nonsense", ""])
def test_what_is_not_there_has_no_sheet(desk_of: Callable[..., Desk], item: str) -> None:
    """An unknown id is None, not an error."""
    assert item_sheet(desk_of(), item) is None


def test_a_family_whose_file_went_says_so(desk_of: Callable[..., Desk]) -> None:
    """The catalogue may still know it; the sheet says what is wrong, and its topic can be shown."""
    desk = desk_of("batchnorm.vanished")
    assert "batchnorm.vanished" in sheet_of(desk, "family:batchnorm.vanished").fault
    assert topic_sheet(desk, "batchnorm").demos == ()


def test_what_is_gone_has_a_sheet_of_its_memory(desk_of: Callable[..., Desk]) -> None:
    """Its card was taken away after an answer: the sheet says so, and its past is there; unanswered, none."""
    desk = desk_of()
    rate(desk, "card:first/one", Rating.EASY)
    library = desk.catalogue.library
    decks = tuple(replace(deck, cards=()) for deck in library.decks)
    desk.catalogue = build_catalogue(replace(library, decks=decks), [])
    sheet = sheet_of(desk, "card:first/one")
    ((row, story),) = sheet.standing
    assert row.gone
    assert sheet.card is None
    assert not sheet.is_family
    assert sheet.fault == "Its card is in no deck any more."
    assert [line.what for line in story.past] == ["Easy"]
    assert item_sheet(desk, "card:first/two") is None


def test_nothing_is_written_by_looking(desk_of: Callable[..., Desk]) -> None:
    """Reading sheets leaves the profile as it was."""
    desk = desk_of()
    store: Store = desk.store
    before = store.path.read_bytes()
    topic_sheet(desk, "first")
    item_sheet(desk, "card:first/one")
    assert store.path.read_bytes() == before
    assert store.upkeep.events("card:first/one") == ()
