"""Leeches: when one is spoken of, what is offered then, and how they are found."""

from collections.abc import Callable
from pathlib import Path

import pytest
from anki.collection import Collection

from studynorm.content.library import load_library
from studynorm.engine.variant import Variant
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.study.catalogue import build_catalogue
from studynorm.study.conditions import Filter
from studynorm.study.desk import Desk
from studynorm.study.filter import parse
from studynorm.study.items import item_rows
from studynorm.study.leech import is_told
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done, Key, ProblemPrompt
from tests.conftest import SAMPLE, FrozenClock
from tests.known import in_review

DeskOf = Callable[..., Desk]
SessionOf = Callable[..., StudySession]
ONE, TWO, RED = "card:first/one", "card:first/two", "card:second/red"
FAMILY = "batchnorm.entry"

LINKED = """+++
id = "linked"
title = "Linked deck"
+++

## hard
Q: Why is this hard?
A: It builds on much.
See: demo:pre_post_ln family:batchnorm.entry card:nowhere/at-all card:second/blue

## harder
Q: And this?
A: It builds on more.
See: family:batchnorm.entry

## bare
Q: And this?
A: It builds on nothing.
"""


def rated(session: StudySession, rating: Rating) -> str:
    """Reveal what is open, rate it and return its item."""
    assert not isinstance(session.situation, Done)
    item = session.situation.item
    session.reveal()
    assert session.answer(rating)
    return item


def matching(desk: Desk, text: str) -> list[str]:
    """Return the items that a filter lets through."""
    found = parse(text)
    assert isinstance(found, Filter)
    return [row.item for row in found.select(item_rows(desk))]


def test_a_lapse_is_spoken_of_exactly_where_anki_calls_it_a_leech(tmp_path: Path) -> None:
    """For several thresholds the first thirty lapses, against Anki's own scheduler."""
    collection = Collection(str(tmp_path / "collection.anki2"))
    note = collection.new_note(collection.models.by_name("Basic"))
    note["Front"] = "?"
    collection.add_note(note, 1)
    card = note.cards()[0]
    try:
        for threshold in (1, 2, 3, 7, 8, 9):
            config = collection.decks.config_dict_for_deck_id(1)
            config["lapse"]["leechFails"] = threshold
            collection.decks.update_config(config)
            for lapses in range(1, 31):
                card.load()
                card.type, card.queue, card.ivl, card.factor, card.lapses = 2, 2, 10, 2500, lapses - 1
                collection.update_card(card)
                states = collection._backend.get_scheduling_states(card.id)
                leeched = states.again.normal.relearning.review.leeched
                assert is_told(lapses, threshold) == leeched, (lapses, threshold)
    finally:
        collection.close()


def test_the_eighth_lapse_is_spoken_of_and_then_every_fourth(
    desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
) -> None:
    """Of lapses 7 to 13 only 8 and 12 are told, with the topic of the item; the rating is stored before."""
    desk = desk_of()
    in_review(desk, ONE, lapses=6)
    told = []
    for _ in range(7):
        session = session_of(desk, items=[ONE])
        rated(session, Rating.AGAIN)
        memory = desk.store.memory(ONE)
        assert memory is not None
        if session.leech is not None:
            assert (session.leech.item, session.leech.topic) == (ONE, "first")
            told.append((memory.lapses, session.leech.lapses))
        clock.forward(minutes=10)
        rated(session, Rating.GOOD)  # out of its relearning step
        assert session.leech is None
        clock.forward(days=1)
    memory = desk.store.memory(ONE)
    assert memory is not None
    assert memory.lapses == 13
    assert told == [(8, 8), (12, 12)]


@pytest.mark.parametrize("rating", [Rating.HARD, Rating.GOOD, Rating.EASY])
def test_a_leech_that_is_recalled_is_not_spoken_of(
    desk_of: DeskOf, session_of: SessionOf, rating: Rating
) -> None:
    """Eight lapses before and none now."""
    desk = desk_of()
    in_review(desk, ONE, lapses=8)
    session = session_of(desk, items=[ONE])
    rated(session, rating)
    assert session.leech is None


def test_again_in_a_step_is_no_lapse(desk_of: DeskOf, session_of: SessionOf) -> None:
    """The eighth lapse is told once, not again while it is relearned."""
    desk = desk_of()
    in_review(desk, ONE, lapses=7)
    session = session_of(desk, items=[ONE])
    rated(session, Rating.AGAIN)
    assert session.leech is not None
    rated(session, Rating.AGAIN)
    assert session.leech is None


def test_undo_takes_the_lapse_and_the_leech_back(desk_of: DeskOf, session_of: SessionOf) -> None:
    """The memory is the one before, and nothing is told any more."""
    desk = desk_of()
    before = in_review(desk, ONE, lapses=7)
    session = session_of(desk, items=[ONE])
    rated(session, Rating.AGAIN)
    assert matching(desk, "tag:leech") == [ONE]
    assert session.undo()
    assert session.leech is None
    assert desk.store.memory(ONE) == before
    assert matching(desk, "tag:leech") == []


def test_a_leech_is_not_suspended_by_itself_and_can_be_in_one_go(
    desk_of: DeskOf, session_of: SessionOf
) -> None:
    """Suspending it leaves the open card open; undo resumes it first, and then takes the lapse back."""
    desk = desk_of()
    in_review(desk, ONE, lapses=7)
    session = session_of(desk, items=[ONE, RED])
    rated(session, Rating.AGAIN)
    assert desk.store.upkeep.paused(desk.clock().day) == frozenset()
    assert isinstance(session.situation, CardPrompt)
    assert session.situation.item == RED
    assert session.suspend_leech()
    assert not session.suspend_leech()
    assert session.situation.item == RED
    assert desk.store.upkeep.paused(desk.clock().day) == {ONE}
    rated(session, Rating.EASY)
    assert isinstance(session.situation, Done)
    assert session.situation.next_at is None
    assert session.undo()
    assert session.undo()
    assert desk.store.upkeep.paused(desk.clock().day) == frozenset()
    assert session.situation.item == ONE
    assert session.undo()
    memory = desk.store.memory(ONE)
    assert memory is not None
    assert memory.lapses == 7


def test_a_suspended_leech_that_is_open_again_makes_room(desk_of: DeskOf, session_of: SessionOf) -> None:
    """Alone in its session the lapsed card comes back at once; suspending it ends the session."""
    desk = desk_of()
    in_review(desk, ONE, lapses=7)
    session = session_of(desk, items=[ONE])
    rated(session, Rating.AGAIN)
    assert isinstance(session.situation, CardPrompt)
    assert session.suspend_leech()
    assert isinstance(session.situation, Done)
    assert session.situation.next_at is None


def test_what_is_easier_than_a_card(desk_of: DeskOf, session_of: SessionOf, tmp_path: Path) -> None:
    """The first card that it names and that is there, else its family at level 1, else nothing."""
    (tmp_path / "linked.md").write_text(LINKED, "utf-8")
    desk = desk_of()
    desk.catalogue = build_catalogue(load_library(SAMPLE, tmp_path), [FAMILY])
    items = ["card:linked/hard", "card:linked/harder", "card:linked/bare"]
    for item in items:
        in_review(desk, item, lapses=7)
    session, easier = session_of(desk, items=items), []
    for _ in items:
        rated(session, Rating.AGAIN)
        assert session.leech is not None
        assert session.leech.editable
        offer = session.leech.easier
        easier.append(None if offer is None else (offer.id, offer.level))
    assert easier == [("card:second/blue", None), (f"family:{FAMILY}", 1), None]


def test_what_is_easier_than_a_problem(
    desk_of: DeskOf, session_of: SessionOf, verified: Callable[[Key], Variant]
) -> None:
    """Asked at level 3, as its stability is above 21 days, its twin is the same at level 2."""
    desk = desk_of(FAMILY)
    in_review(desk, f"family:{FAMILY}", lapses=7)
    session = session_of(desk, items=[f"family:{FAMILY}"])
    for key in session.wanted():
        session.provide(key, verified(key))
    assert isinstance(session.situation, ProblemPrompt)
    assert session.situation.variant.level == 3
    rated(session, Rating.AGAIN)
    assert session.leech is not None
    assert not session.leech.editable
    offer = session.leech.easier
    assert offer is not None
    assert (offer.kind, offer.family, offer.level) == ("twin", FAMILY, 2)


def test_the_tag_goes_by_the_count_and_the_setting(desk_of: DeskOf) -> None:
    """`tag:leech` finds what `is:leech` finds; a higher `leech_at` takes the tag away again."""
    desk = desk_of()
    for item, lapses in ((ONE, 7), (TWO, 8), (RED, 20)):
        in_review(desk, item, lapses=lapses)
    assert matching(desk, "tag:leech") == matching(desk, "is:leech") == [TWO, RED]
    assert matching(desk, "-tag:leech is:mature") == [ONE]
    assert [row.tags for row in item_rows(desk, {ONE, TWO})] == [(), ("leech",)]
    desk.settings = Settings(leech_at=9)
    assert matching(desk, "tag:leech") == matching(desk, "is:leech") == [RED]
    desk.settings = Settings(leech_at=3)
    assert matching(desk, "tag:leech") == [ONE, TWO, RED]


def test_a_deck_with_a_tag_of_that_name_keeps_it_once(desk_of: DeskOf, tmp_path: Path) -> None:
    """A learner's own `leech` tag is found without any lapse, and is not doubled by them."""
    deck = '+++\nid = "own"\ntitle = "Own"\ntags = ["leech"]\n+++\n\n## a\nQ: a?\nA: b\n\n## b\nQ: b?\nA: c\n'
    (tmp_path / "own.md").write_text(deck, "utf-8")
    desk = desk_of()
    desk.catalogue = build_catalogue(load_library(SAMPLE, tmp_path), ())
    in_review(desk, "card:own/a", lapses=8)
    assert matching(desk, "tag:leech") == ["card:own/a", "card:own/b"]
    assert matching(desk, "is:leech") == ["card:own/a"]
    assert [row.tags for row in item_rows(desk, {"card:own/a"})] == [("leech",)]
