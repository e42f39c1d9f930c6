"""A final pass: it asks like a review, and the schedule is afterwards what it was, to the last row."""

import sqlite3
from collections.abc import Callable

import pytest

from studynorm.content.card import Card
from studynorm.engine.files import family_files
from studynorm.engine.variant import Variant
from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import Busy
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk
from studynorm.study.rehearsal import BUTTONS, Rehearsal, begin_pass
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done, Key, Pending, ProblemPrompt
from tests.study.backlogs import TODAY, memory, put

DeskOf = Callable[..., Desk]
SessionOf = Callable[..., StudySession]
Draw = Callable[[Key], Variant]

FAMILY = "batchnorm.entry"
CARDS = ("card:first/one", "card:second/blue", "card:first/two", "card:second/red")


def dump(desk: Desk, *without: str) -> dict[str, list[str]]:
    """Return every row of every table but some, as SQLite itself has them."""
    with sqlite3.connect(f"file:{desk.path}?mode=ro", uri=True) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        found = {
            name: sorted(map(repr, connection.execute(f'SELECT * FROM "{name}"')))
            for (name,) in tables
            if name not in without
        }
    connection.close()
    return found


def begun(desk: Desk, *items: str) -> Rehearsal:
    """Return a pass over items that are all in Review."""
    put(desk.store, (memory(item, 30.0, TODAY - 40, TODAY - 10) for item in items))
    return begin_pass(desk, items, 7)


def judge(session: Rehearsal, rating: Rating) -> str:
    """Show and judge the card on the screen; return its item."""
    prompt = session.situation
    assert isinstance(prompt, CardPrompt)
    session.reveal()
    assert session.answer(rating)
    return prompt.item


def serve(session: Rehearsal, draw: Draw) -> None:
    """Give the pass every variant that it wants."""
    while keys := session.wanted():
        for key in keys:
            session.provide(key, draw(key))


class TestSchedule:
    """What a pass must never touch."""

    def test_a_whole_pass_changes_no_table_but_the_attempts(self, desk_of: DeskOf, verified: Draw) -> None:
        """Cards and a problem, forgotten and known, taken back and judged again: no other row differs."""
        desk = desk_of(FAMILY)
        session = begun(desk, *CARDS[:2], f"family:{FAMILY}")
        before = dump(desk, "attempt", "sqlite_sequence")
        assert before["memory"]
        serve(session, verified)
        judge(session, Rating.AGAIN)
        judge(session, Rating.GOOD)
        assert session.undo()
        judge(session, Rating.AGAIN)
        assert isinstance(session.situation, ProblemPrompt)
        assert session.submit("123")
        assert session.submit("124")
        assert session.answer(Rating.AGAIN)
        while not isinstance(session.situation, Done):
            serve(session, verified)
            session.reveal()
            assert session.answer(Rating.GOOD)
        assert dump(desk, "attempt", "sqlite_sequence") == before
        assert [kept.kind for kept in desk.store.attempts(9)] == ["drill", "drill"]

    def test_the_next_review_is_as_without_a_pass(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw
    ) -> None:
        """The same item opens with the same intervals, and the problem of the review has its own numbers."""
        desk = desk_of(FAMILY)
        session = begun(desk, f"family:{FAMILY}")
        key = session_of(desk).wanted()[0]
        (rehearsed,) = session.wanted()
        assert rehearsed.seed != key.seed
        assert rehearsed.level == key.level == 3
        serve(session, verified)
        session.submit("5")
        session.answer(Rating.AGAIN)
        assert session_of(desk).wanted()[0] == key

    def test_the_cards_buttons_name_no_interval(self, desk_of: DeskOf) -> None:
        """They say what they lead to: it comes again, or it is known."""
        session = begun(desk_of(), CARDS[0])
        assert isinstance(session.situation, CardPrompt)
        assert session.situation.intervals == BUTTONS == {Rating.AGAIN: "comes again", Rating.GOOD: "known"}


class TestOrder:
    """What comes when."""

    def test_a_forgotten_card_comes_again_after_the_others(self, desk_of: DeskOf) -> None:
        """In the given order, then the forgotten ones once more, until each is known."""
        session = begun(desk_of(), *CARDS)
        assert session.left == 4
        asked = [judge(session, rating) for rating in (Rating.AGAIN, Rating.GOOD, Rating.AGAIN, Rating.GOOD)]
        assert asked == list(CARDS)
        assert (session.left, session.answered, session.forgotten) == (2, 2, (CARDS[0], CARDS[2]))
        assert judge(session, Rating.AGAIN) == CARDS[0]
        assert judge(session, Rating.GOOD) == CARDS[2]
        assert judge(session, Rating.GOOD) == CARDS[0]
        assert isinstance(session.situation, Done)
        assert (session.left, session.answered, session.forgotten) == (0, 4, (CARDS[0], CARDS[2]))

    def test_it_comes_again_after_eight_others_of_many(self, desk_of: DeskOf, verified: Draw) -> None:
        """Not only at the end of a long pass: one of the eight is open, seven stand before it."""
        names = [*family_files()][:12]
        session = begun(desk_of(*names), CARDS[0], *(f"family:{name}" for name in names))
        serve(session, verified)
        judge(session, Rating.AGAIN)
        assert list(session._queue).index(CARDS[0]) == 7

    def test_items_that_are_gone_and_doubles_are_left_out(self, desk_of: DeskOf) -> None:
        """A pass over nothing is done at once."""
        desk = desk_of()
        assert begin_pass(desk, (CARDS[0], "card:gone/x", CARDS[0]), 1).left == 1
        assert isinstance(begin_pass(desk, ("card:gone/x",), 1).situation, Done)
        assert isinstance(begin_pass(desk, (), 1).situation, Done)

    def test_only_again_and_good_are_ratings(self, desk_of: DeskOf) -> None:
        """And none before the answer was seen."""
        session = begun(desk_of(), CARDS[0])
        assert not session.ratable
        assert not session.answer(Rating.GOOD)
        session.reveal()
        assert session.ratable
        assert not session.answer(Rating.HARD)
        assert not session.answer(Rating.EASY)
        assert session.answer(Rating.GOOD)


class TestUndo:
    """Taking back within the pass."""

    def test_each_rating_is_taken_back_in_turn(self, desk_of: DeskOf) -> None:
        """A card is open again with its answer; the order and the sums are what they were."""
        session = begun(desk_of(), *CARDS)
        states = list[tuple[object, ...]]()

        def state() -> tuple[object, ...]:
            prompt = session.situation
            item = prompt.item if isinstance(prompt, CardPrompt) else None
            return item, tuple(session._queue), session.left, session.answered, session.forgotten

        for rating in (Rating.AGAIN, Rating.GOOD, Rating.GOOD, Rating.AGAIN, Rating.GOOD, Rating.GOOD):
            states.append(state())
            judge(session, rating)
        assert isinstance(session.situation, Done)
        for before in reversed(states):
            assert session.undo()
            assert state() == before
            assert isinstance(session.situation, CardPrompt)
            assert session.situation.revealed
        assert not session.undo()
        assert not session.begun

    def test_a_problem_is_open_again_with_the_same_numbers(self, desk_of: DeskOf, verified: Draw) -> None:
        """Unanswered; what was typed stays with the drills."""
        desk = desk_of(FAMILY)
        session = begun(desk, f"family:{FAMILY}", CARDS[0])
        serve(session, verified)
        while not isinstance(session.situation, ProblemPrompt):
            judge(session, Rating.GOOD)
        shown = session.situation.variant
        session.submit("5")
        session.reveal()
        assert session.suggested is Rating.AGAIN
        assert session.answer(Rating.AGAIN)
        assert session.undo()
        prompt = session.situation
        assert isinstance(prompt, ProblemPrompt)
        assert prompt.variant == shown
        assert (prompt.verdicts, prompt.hints, prompt.solution_shown, prompt.closed) == ((), (), False, False)
        assert len(desk.store.attempts(9)) == 1


class TestProblems:
    """Families in a pass."""

    def test_a_problem_that_comes_again_has_fresh_numbers(self, desk_of: DeskOf, verified: Draw) -> None:
        """At the level of its memory: stability 30 days is level 3."""
        session = begun(desk_of(FAMILY), f"family:{FAMILY}")
        seen = list[str]()
        for _ in range(4):
            serve(session, verified)
            prompt = session.situation
            assert isinstance(prompt, ProblemPrompt)
            assert prompt.variant.level == 3
            seen.append(str(prompt.variant.params))
            session.reveal()
            assert session.answer(Rating.AGAIN)
        assert len(set(seen)) == 4

    def test_cards_come_first_while_the_engine_draws(self, desk_of: DeskOf, verified: Draw) -> None:
        """And when only the problem is left, the pass waits for it."""
        session = begun(desk_of(FAMILY), f"family:{FAMILY}", CARDS[0])
        (key,) = session.wanted()
        assert judge(session, Rating.GOOD) == CARDS[0]
        assert isinstance(session.situation, Pending)
        assert session.wanted() == (key,)
        session.provide(key, verified(key))
        assert isinstance(session.situation, ProblemPrompt)

    def test_right_after_a_hint_is_known(self, desk_of: DeskOf, verified: Draw) -> None:
        """There is no Hard in a pass; right at once is known too."""
        session = begun(desk_of(FAMILY), f"family:{FAMILY}")
        serve(session, verified)
        prompt = session.situation
        assert isinstance(prompt, ProblemPrompt)
        assert session.hint() is not None
        session.submit(repr(prompt.variant.answer))
        assert session.suggested is Rating.GOOD

    def test_a_family_that_cannot_be_drawn_is_left_out_and_named(self, desk_of: DeskOf) -> None:
        """After six seeds, whether the pass waits for it or not."""
        for waits in (True, False):
            desk = desk_of(FAMILY)
            session = begun(desk, *(() if waits else (CARDS[0],)), f"family:{FAMILY}")
            tried = set[int]()
            while keys := session.wanted():
                tried.add(keys[0].seed)
                session.refuse(keys[0], "broken")
            assert len(tried) == 6
            assert session.notice == f"{FAMILY} is left out: broken"
            assert session.left == (0 if waits else 1)

    def test_an_answer_that_cannot_be_saved_changes_nothing(
        self, desk_of: DeskOf, verified: Draw, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The problem stays open as it was."""
        desk = desk_of(FAMILY)
        session = begun(desk, f"family:{FAMILY}")
        serve(session, verified)
        before = session.situation

        def refuse(*_: object) -> int:
            raise Busy("locked")

        monkeypatch.setattr(type(desk.store), "record_drill", refuse)
        with pytest.raises(Busy):
            session.submit("5")
        assert session.situation is before


def test_decks_read_again_are_followed(desk_of: DeskOf) -> None:
    """An open card is shown as it reads now; one that is gone is left out, and cannot come back by undo."""
    desk = desk_of()
    session = begun(desk, *CARDS)
    judge(session, Rating.AGAIN)
    open_card = session.situation
    assert isinstance(open_card, CardPrompt)
    library = desk.catalogue.library
    session.reload(build_catalogue(library, ()))
    assert isinstance(session.situation, CardPrompt)
    assert isinstance(session.situation.card, Card)
    assert session.situation.item == open_card.item

    class Without:
        """The library without the deck `first`."""

        decks = tuple(deck for deck in library.decks if deck.id != "first")
        deck = staticmethod(lambda topic: None if topic == "first" else library.deck(topic))
        card = staticmethod(library.card)

    session.reload(build_catalogue(Without, ()))  # type: ignore[arg-type]
    assert session.undo()
    left = set[str]()
    while isinstance(session.situation, CardPrompt):
        left.add(judge(session, Rating.GOOD))
    assert left == {CARDS[1], CARDS[3]}
