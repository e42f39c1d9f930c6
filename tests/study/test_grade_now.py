"""Grade now: a session over exactly the chosen items, whatever their due days."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studynorm.content.library import load_library
from studynorm.engine.variant import Variant
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Counts, Done, Key, Pending, ProblemPrompt, Stage
from tests.conftest import SAMPLE, FrozenClock
from tests.known import in_review, in_steps

DeskOf = Callable[..., Desk]
SessionOf = Callable[..., StudySession]
ONE, TWO, MEAN, VAR, RED, BLUE = (
    "card:first/one",
    "card:first/two",
    "card:first/marks#mean",
    "card:first/marks#var",
    "card:second/red",
    "card:second/blue",
)
FAMILY = "batchnorm.entry"


def item_of(session: StudySession) -> str:
    """Return the item that is open."""
    assert not isinstance(session.situation, Done)
    return session.situation.item


def rated(session: StudySession, rating: Rating = Rating.EASY) -> str:
    """Reveal what is open, rate it and return its item."""
    item = item_of(session)
    session.reveal()
    assert session.answer(rating)
    return item


def all_rated(session: StudySession, rating: Rating = Rating.EASY) -> list[str]:
    """Rate everything and return the items in the order in which they came."""
    seen = []
    while not isinstance(session.situation, Done):
        seen.append(rated(session, rating))
    return seen


def test_exactly_the_chosen_items_are_asked(desk_of: DeskOf, session_of: SessionOf) -> None:
    """One due in a month, a new one, one in a step of tomorrow, and both marks of a cloze; nothing else."""
    desk = desk_of()
    in_review(desk, BLUE, days_ago=5, due_in=25)
    in_review(desk, ONE)  # due, and not chosen
    in_steps(desk, RED, due_in_ms=20 * 3_600_000)
    session = session_of(desk, items=[BLUE, MEAN, RED, VAR, BLUE])
    assert session.chosen
    assert session.counts == Counts(2, 1, 1)
    assert item_of(session) == BLUE
    assert sorted(all_rated(session)) == sorted([BLUE, MEAN, RED, VAR])
    assert isinstance(session.situation, Done)
    assert desk.store.day_summary(desk.clock().day).answers == 5  # with the one that led to the step


def test_an_early_answer_counts_the_days_that_passed(desk_of: DeskOf, session_of: SessionOf) -> None:
    """After 20 of 30 days Good leads to a stability of 70.65, by hand, and not to the 85.03 of day 30."""
    desk = desk_of()
    in_review(desk, ONE, days_ago=20, due_in=10)
    session = session_of(desk, items=[ONE])
    assert isinstance(session.situation, CardPrompt)
    shown = session.situation.intervals[Rating.GOOD]
    rated(session, Rating.GOOD)
    memory = desk.store.memory(ONE)
    assert memory is not None
    assert memory.stability == pytest.approx(70.6451, abs=5e-5)
    assert memory.due_day is not None
    days = memory.due_day - desk.clock().day
    assert 66 <= days <= 76  # 70.65 less and more 5 % and two days of fuzz
    assert shown == f"{round(days / (365 / 12), 1):g}mo"


def test_what_was_forgotten_before_it_was_due_is_recorded_so(desk_of: DeskOf, session_of: SessionOf) -> None:
    """Again ten days early is a lapse: stability 2.23, and a relearning step."""
    desk = desk_of()
    in_review(desk, ONE, days_ago=20, due_in=10)
    rated(session := session_of(desk, items=[ONE]), Rating.AGAIN)
    memory = desk.store.memory(ONE)
    assert memory is not None
    assert (memory.lapses, memory.due_day) == (1, None)
    assert memory.stability == pytest.approx(2.2288, abs=5e-5)
    assert item_of(session) == ONE  # its step comes back in this session
    rated(session, Rating.GOOD)
    assert isinstance(session.situation, Done)


def test_limits_do_not_hold_it_back_and_its_answers_count(desk_of: DeskOf, session_of: SessionOf) -> None:
    """With no new cards and one review a day three new ones are asked, and the daily review then has none."""
    desk = desk_of(settings=Settings(new_per_day=2, reviews_per_day=1))
    in_review(desk, ONE)
    in_review(desk, TWO)
    assert sorted(all_rated(session_of(desk, items=[ONE, RED, BLUE, MEAN]))) == sorted([ONE, RED, BLUE, MEAN])
    load = desk.store.day_load(desk.clock().day)
    assert (load.new, load.reviews) == (3, 1)
    assert isinstance(session_of(desk).situation, Done)


def test_suspended_items_are_left_out_with_a_sentence_and_buried_ones_asked(
    desk_of: DeskOf, session_of: SessionOf
) -> None:
    """One asked for the buried one; the suspended one and one that is gone are named by number."""
    desk = desk_of()
    desk.store.upkeep.suspend([ONE], desk.clock())
    desk.store.upkeep.bury([TWO], desk.clock())
    session = session_of(desk, items=[ONE, TWO, RED, "card:first/gone"])
    assert session.notice == (
        "1 of 4 chosen items is suspended, so it is not asked. "
        "1 of 4 chosen items is gone, so it is not asked."
    )
    assert all_rated(session) == [TWO, RED]


def test_nothing_but_suspended_items_ends_at_once(desk_of: DeskOf, session_of: SessionOf) -> None:
    """The session is done and says why."""
    desk = desk_of()
    desk.store.upkeep.suspend([ONE], desk.clock())
    session = session_of(desk, items=[ONE])
    assert isinstance(session.situation, Done)
    assert session.notice == "The chosen item is suspended, so it is not asked."


def test_a_done_session_does_not_begin_again(
    desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
) -> None:
    """Looking again later, also on the next study day, asks no chosen item twice; a due step comes back."""
    desk = desk_of()
    session = session_of(desk, items=[ONE, RED])
    rated(session, Rating.EASY)
    rated(session, Rating.EASY)
    assert not session.refresh()
    clock.forward(days=30)
    assert not session.refresh()
    session = session_of(desk, items=[BLUE])
    rated(session, Rating.AGAIN)
    assert item_of(session) == BLUE
    clock.forward(minutes=2)
    assert rated(session, Rating.EASY) == BLUE
    assert isinstance(session.situation, Done)


def test_undo_brings_a_chosen_item_back_and_the_others_stay(desk_of: DeskOf, session_of: SessionOf) -> None:
    """Rated, undone, rated again: each chosen item is asked, and there are two answers at the end."""
    desk = desk_of()
    before = in_review(desk, ONE, due_in=9)
    session = session_of(desk, items=[ONE, RED])
    rated(session)
    assert session.undo()
    assert desk.store.memory(ONE) == before
    assert item_of(session) == ONE
    assert session.answer(Rating.EASY)
    assert all_rated(session) == [RED]
    assert session.undo()
    assert session.undo()
    assert item_of(session) == ONE
    assert sorted(all_rated(session)) == [ONE, RED]
    assert desk.store.day_summary(desk.clock().day).answers == 2


def test_a_step_that_was_put_back_stays_the_next_one(desk_of: DeskOf, session_of: SessionOf) -> None:
    """A chosen step of tomorrow is open; undoing the answer before it does not put it off until tomorrow."""
    desk = desk_of()
    in_steps(desk, RED, due_in_ms=20 * 3_600_000)
    session = session_of(desk, items=[ONE, RED])
    rated(session)
    assert item_of(session) == RED
    assert session.undo()
    assert item_of(session) == ONE
    assert session.answer(Rating.EASY)
    assert item_of(session) == RED


def test_edited_decks_keep_the_choice_and_what_was_asked(
    desk_of: DeskOf, session_of: SessionOf, tmp_path: Path
) -> None:
    """Once the decks are read again the open card stays; rated and lost ones are not asked."""
    desk = desk_of()
    session = session_of(desk, items=[ONE, TWO, RED, BLUE])
    assert rated(session) == ONE
    opened = item_of(session)
    for name in ("first.md", "second.md"):
        text = (SAMPLE / name).read_text("utf-8").partition("## blue")[0]
        (tmp_path / name).write_text(text, "utf-8")
    session.reload(build_catalogue(load_library(tmp_path, None), ()))
    assert item_of(session) == opened
    assert sorted(all_rated(session)) == [TWO, RED]


def test_a_limit_ends_it(desk_of: DeskOf, session_of: SessionOf) -> None:
    """Two answers of three."""
    session = session_of(desk_of(), items=[ONE, RED, TWO], limit=2)
    assert len(all_rated(session)) == 2


def test_a_family_waits_for_its_variant_at_the_level_of_its_memory(
    desk_of: DeskOf, session_of: SessionOf, verified: Callable[[Key], Variant]
) -> None:
    """A card first, then the problem once it is drawn, at level 3 for a stability of 30 days."""
    desk = desk_of(FAMILY)
    in_review(desk, f"family:{FAMILY}", due_in=12)
    session = session_of(desk, items=[f"family:{FAMILY}", ONE])
    assert item_of(session) == ONE
    rated(session)
    assert isinstance(session.situation, Pending)
    for key in session.wanted():
        assert key.level == 3
        session.provide(key, verified(key))
    assert isinstance(session.situation, ProblemPrompt)
    assert session.situation.stage is Stage.REVIEW


def test_no_item_at_all_is_a_done_session(desk_of: DeskOf, session_of: SessionOf) -> None:
    """An empty choice is not the daily review."""
    session = session_of(desk_of(), items=[])
    assert isinstance(session.situation, Done)
    assert session.notice is None
