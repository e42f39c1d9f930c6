"""A StudySession: what it shows, what it stores, and what it never does."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from studynorm.engine.grading import Outcome
from studynorm.engine.variant import Variant
from studynorm.scheduling.memory import State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.storage.errors import Busy
from studynorm.study.desk import Desk
from studynorm.study.session import StudySession
from studynorm.study.shelf import level_for
from studynorm.study.situation import CardPrompt, Counts, Done, Key, Pending, ProblemPrompt, Stage
from tests.conftest import FrozenClock

DeskOf = Callable[..., Desk]
SessionOf = Callable[..., StudySession]
Draw = Callable[[Key], Variant]

FAMILY = "batchnorm.entry"
RECALL = "concepts.recall"


def serve(session: StudySession, draw: Draw) -> None:
    """Give the session every variant it wants, as the engine does."""
    while keys := session.wanted():
        for key in keys:
            session.provide(key, draw(key))


def rate_card(session: StudySession, rating: Rating = Rating.GOOD) -> str:
    """Reveal and rate the card on the screen; return its item."""
    prompt = session.situation
    assert isinstance(prompt, CardPrompt)
    session.reveal()
    assert session.answer(rating)
    return prompt.item


def problem_first(session: StudySession, draw: Draw) -> ProblemPrompt:
    """Answer cards until a problem is on the screen."""
    serve(session, draw)
    while isinstance(session.situation, CardPrompt):
        rate_card(session, Rating.EASY)
        serve(session, draw)
    assert isinstance(session.situation, ProblemPrompt)
    return session.situation


class TestCards:
    """Recall cards."""

    def test_every_new_item_comes_once_and_siblings_wait_a_day(
        self, desk_of: DeskOf, session_of: SessionOf
    ) -> None:
        """A first sitting rated Easy shows each card once, and one of the two cloze marks."""
        session = session_of(desk_of())
        assert session.counts == Counts(5, 0, 0)
        seen = []
        while isinstance(session.situation, CardPrompt):
            seen.append(rate_card(session, Rating.EASY))
        assert sorted(seen) == [
            "card:first/marks#mean",
            "card:first/one",
            "card:first/two",
            "card:second/blue",
            "card:second/red",
        ]
        assert isinstance(session.situation, Done)
        assert session.situation.summary.answers == 5

    def test_neighbours_have_different_topics_while_they_can(
        self, desk_of: DeskOf, session_of: SessionOf
    ) -> None:
        """Cards of two decks alternate until one deck is used up."""
        session = session_of(desk_of())
        topics = []
        while isinstance(session.situation, CardPrompt):
            topics.append(session.situation.topic)
            rate_card(session, Rating.EASY)
        assert topics == ["first", "second", "first", "second", "first"]

    def test_a_rating_is_stored_before_the_next_card_is_shown(
        self, desk_of: DeskOf, session_of: SessionOf
    ) -> None:
        """After one Good the store holds the memory and the review."""
        desk = desk_of()
        session = session_of(desk)
        item = rate_card(session)
        memory = desk.store.memory(item)
        assert memory is not None
        assert (memory.state, memory.reps) == (State.LEARNING, 1)
        assert desk.store.day_summary(desk.clock().day).answers == 1

    def test_what_a_button_shows_is_what_is_stored(
        self, desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
    ) -> None:
        """Easy on a new card says 8 days and stores a due day 8 days on (the published ladder, ± fuzz)."""
        desk = desk_of()
        session = session_of(desk)
        prompt = session.situation
        assert isinstance(prompt, CardPrompt)
        shown = prompt.intervals[Rating.EASY]
        item = rate_card(session, Rating.EASY)
        memory = desk.store.memory(item)
        assert memory is not None
        assert memory.due_day is not None
        assert shown == f"{memory.due_day - clock().day}d"
        assert 6 <= memory.due_day - clock().day <= 10

    def test_nothing_is_rated_before_the_answer_is_seen(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """A rating of an unrevealed card is refused and stores nothing."""
        desk = desk_of()
        session = session_of(desk)
        assert not session.answer(Rating.EASY)
        assert desk.store.day_summary(desk.clock().day).answers == 0

    def test_again_brings_the_card_back_when_nothing_else_is_left(
        self, desk_of: DeskOf, session_of: SessionOf
    ) -> None:
        """Within the learn-ahead of 20 minutes a failed card returns in the same sitting."""
        session = session_of(desk_of(), topic="second")
        first = rate_card(session, Rating.AGAIN)
        rate_card(session, Rating.EASY)
        assert isinstance(session.situation, CardPrompt)
        assert session.situation.item == first
        assert session.situation.stage is Stage.LEARNING

    def test_the_session_stops_at_its_limit(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """With a limit of two, two answers end it."""
        session = session_of(desk_of(), limit=2)
        rate_card(session)
        rate_card(session)
        assert isinstance(session.situation, Done)

    def test_daily_limits_hold_over_several_sessions(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """Three new items a day are three, however often a session is begun."""
        desk = desk_of(settings=Settings(new_per_day=3))
        session = session_of(desk)
        rate_card(session, Rating.EASY)
        again = session_of(desk)
        assert again.counts == Counts(2, 0, 0)


class TestUndo:
    """One key takes back one answer."""

    def test_undo_restores_the_memory_and_shows_the_answer_side(
        self, desk_of: DeskOf, session_of: SessionOf
    ) -> None:
        """The row is gone, the memory as before, and the same card can be rated at once."""
        desk = desk_of()
        session = session_of(desk)
        item = rate_card(session)
        assert session.undo()
        assert desk.store.memory(item) is None
        assert isinstance(session.situation, CardPrompt)
        assert (session.situation.item, session.situation.revealed) == (item, True)
        assert session.counts == Counts(5, 0, 0)
        assert session.answer(Rating.HARD)
        memory = desk.store.memory(item)
        assert memory is not None
        assert memory.reps == 1

    def test_undo_works_after_a_restart_and_for_the_whole_day(
        self, desk_of: DeskOf, session_of: SessionOf
    ) -> None:
        """A new session takes back what an earlier one stored, newest first, then says there is no more."""
        desk = desk_of()
        first = session_of(desk)
        items = [rate_card(first), rate_card(first)]
        second = session_of(desk)
        undone = []
        while second.undo():
            assert isinstance(second.situation, CardPrompt)
            undone.append(second.situation.item)
        assert undone == items[::-1]
        assert desk.store.known_items() == frozenset()

    def test_undo_of_a_learning_step_keeps_the_step(
        self, desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
    ) -> None:
        """After Again and Good, undoing the Good gives back exactly the memory of the Again."""
        desk = desk_of()
        session = session_of(desk, topic="second")
        item = rate_card(session, Rating.AGAIN)
        before = desk.store.memory(item)
        rate_card(session, Rating.EASY)
        clock.forward(minutes=2)
        assert rate_card(session) == item
        assert session.undo()
        assert desk.store.memory(item) == before


class TestProblems:
    """Problems: the engine's variants, typed answers and suggested ratings."""

    def test_cards_come_first_until_the_engine_is_ready(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """Without variants all cards are shown, and then the session waits for the problem."""
        session = session_of(desk_of(FAMILY))
        shown = 0
        while isinstance(session.situation, CardPrompt):
            rate_card(session, Rating.EASY)
            shown += 1
        assert shown == 5
        assert isinstance(session.situation, Pending)

    def test_a_variant_opens_the_problem_that_was_waited_for(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw
    ) -> None:
        """Providing the wanted key turns the wait into the problem, verified."""
        session = session_of(desk_of(FAMILY))
        while isinstance(session.situation, CardPrompt):
            rate_card(session, Rating.EASY)
        (key,) = session.wanted()
        session.provide(key, verified(key))
        assert isinstance(session.situation, ProblemPrompt)
        assert session.situation.variant.verified is not None

    @pytest.mark.parametrize(
        ("moves", "suggested"),
        [
            (("right",), Rating.GOOD),
            (("hint", "right"), Rating.HARD),
            (("wrong", "right"), Rating.HARD),
            (("wrong",), Rating.AGAIN),
            (("wrong", "wrong"), Rating.AGAIN),
            (("reveal",), Rating.AGAIN),
            (("right", "reveal"), Rating.GOOD),
        ],
    )
    def test_the_evidence_suggests_the_rating(
        self,
        desk_of: DeskOf,
        session_of: SessionOf,
        verified: Draw,
        moves: tuple[str, ...],
        suggested: Rating,
    ) -> None:
        """Right at once is Good, right after help or a slip Hard, revealed or twice wrong Again."""
        session = session_of(desk_of(FAMILY))
        prompt = problem_first(session, verified)
        for move in moves:
            if move == "hint":
                assert session.hint()
            elif move == "reveal":
                session.reveal()
            else:
                text = repr(prompt.variant.answer if move == "right" else prompt.variant.answer + 7)
                session.submit(text)
        assert session.suggested is suggested

    def test_unreadable_and_coarse_answers_cost_nothing(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw
    ) -> None:
        """Garbage leaves the prompt as it was; the right answer is still Good and one attempt is stored."""
        desk = desk_of(FAMILY)
        session = session_of(desk)
        prompt = problem_first(session, verified)
        for text in ("", "1..2", "nan", "0,5"):
            verdict = session.submit(text)
            assert verdict is not None
            assert verdict.outcome is Outcome.MALFORMED
        assert session.situation == prompt
        session.submit(repr(prompt.variant.answer))
        assert session.suggested is Rating.GOOD
        session.answer(Rating.GOOD)
        assert [attempt.verdict for attempt in desk.store.recent_attempts(prompt.item, 9)] == ["correct"]

    def test_a_named_misconception_is_kept_with_the_attempt(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw
    ) -> None:
        """Typing a slip's own value stores its id, the level and the seed."""
        desk = desk_of(FAMILY)
        session = session_of(desk)
        prompt = problem_first(session, verified)
        slip = prompt.variant.misconceptions[0]
        session.submit(repr(slip.value))
        session.answer(Rating.AGAIN)
        (attempt,) = desk.store.recent_attempts(prompt.item, 9)
        assert (attempt.misconception, attempt.level, attempt.seed) == (slip.id, 1, prompt.variant.seed)

    @pytest.mark.parametrize("rating", list(Rating))
    def test_words_show_the_model_answer_and_take_any_rating(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw, rating: Rating
    ) -> None:
        """Nothing is suggested, no second answer is taken, and words, model answer and rating are kept."""
        desk = desk_of(RECALL)
        session = session_of(desk)
        prompt = problem_first(session, verified)
        assert not session.ratable
        assert session.hint()
        verdict = session.submit("  ")
        assert verdict is not None
        assert verdict.outcome is Outcome.MALFORMED
        assert not session.ratable
        verdict = session.submit("the mean first")
        assert verdict is not None
        assert verdict.outcome is Outcome.UNJUDGED
        after = session.situation
        assert isinstance(after, ProblemPrompt)
        assert (after.closed, after.solution_shown) == (True, True)
        assert (after.solved, after.wrong, after.revealed) == (False, 0, False)
        assert session.ratable
        assert session.suggested is None
        assert session.submit("more words") is None
        session.reveal()
        assert session.suggested is None
        assert session.answer(rating)
        review = desk.store.last_review(desk.clock().day)
        assert review is not None
        assert (review.rating, review.suggested) == (rating, None)
        (attempt,) = desk.store.recent_attempts(prompt.item, 9)
        assert (attempt.verdict, attempt.typed, attempt.hints) == ("unjudged", "the mean first", 1)
        assert json.loads(attempt.answer) == prompt.variant.answer
        assert (attempt.misconception, attempt.misconceptions) == (None, "[]")

    def test_a_model_answer_that_is_looked_up_counts_as_not_known(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw
    ) -> None:
        """As with every other problem, looking before an answer suggests Again."""
        session = session_of(desk_of(RECALL))
        problem_first(session, verified)
        session.reveal()
        assert session.suggested is Rating.AGAIN

    def test_an_unrated_prompt_leaves_no_trace(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw
    ) -> None:
        """Answers typed to a problem that was not rated are not stored."""
        desk = desk_of(FAMILY)
        session = session_of(desk)
        prompt = problem_first(session, verified)
        session.submit(repr(prompt.variant.answer))
        assert desk.store.recent_attempts(prompt.item, 9) == ()
        assert desk.store.memory(prompt.item) is None

    def test_undo_brings_the_same_variant_back_also_after_a_restart(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw
    ) -> None:
        """The seed hangs on item, repetitions and profile alone, so the numbers are the same."""
        desk = desk_of(FAMILY)
        session = session_of(desk)
        prompt = problem_first(session, verified)
        session.submit(repr(prompt.variant.answer))
        session.answer(Rating.GOOD)
        later = session_of(desk)
        assert later.undo()
        serve(later, verified)
        assert isinstance(later.situation, ProblemPrompt)
        assert later.situation.variant == prompt.variant
        assert later.situation.verdicts == ()

    def test_the_next_review_draws_other_numbers(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw, clock: FrozenClock
    ) -> None:
        """After a rating the family comes back with another variant."""
        session = session_of(desk_of(FAMILY), topic="batchnorm")
        prompt = problem_first(session, verified)
        session.submit(repr(prompt.variant.answer))
        session.answer(Rating.GOOD)
        clock.forward(minutes=11)
        serve(session, verified)
        again = session.situation
        assert isinstance(again, ProblemPrompt)
        assert again.variant.prompt != prompt.variant.prompt

    def test_a_statement_seen_lately_is_not_repeated(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw, clock: FrozenClock
    ) -> None:
        """An engine that hands out the last statement again is asked for the next seed."""
        session = session_of(desk_of(FAMILY), topic="batchnorm")
        prompt = problem_first(session, verified)
        session.submit(repr(prompt.variant.answer))
        session.answer(Rating.GOOD)
        clock.forward(minutes=11)
        session.refresh()
        (key,) = session.wanted()
        session.provide(key, prompt.variant)
        assert isinstance(session.situation, Pending)
        (other,) = session.wanted()
        assert other.seed != key.seed

    def test_a_broken_variant_costs_the_learner_nothing(
        self, desk_of: DeskOf, session_of: SessionOf, verified: Draw
    ) -> None:
        """A refused seed gives way to the next; a family that always fails is set aside and named."""
        session = session_of(desk_of(FAMILY, "batchnorm.vector"), topic="batchnorm")
        tried = set()
        while isinstance(session.situation, Pending) and session.situation.key.family == FAMILY:
            key = session.situation.key
            assert key not in tried
            tried.add(key)
            session.refuse(key, "solve and torch differ")
        assert len(tried) > 1
        assert session.notice is not None
        assert FAMILY in session.notice
        serve(session, verified)
        assert isinstance(session.situation, ProblemPrompt)
        assert session.situation.variant.family == "batchnorm.vector"


class TestTime:
    """Study days and presses."""

    def test_a_rating_after_the_day_has_changed_redraws_the_buttons_first(
        self, desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
    ) -> None:
        """The study day changed before the key: nothing is stored until it is pressed again."""
        desk = desk_of()
        session = session_of(desk)
        session.reveal()
        clock.forward(days=1)
        assert not session.answer(Rating.GOOD)
        assert session.notice is not None
        assert desk.store.known_items() == frozenset()
        assert session.answer(Rating.GOOD)

    def test_tomorrow_brings_what_is_due(
        self, desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
    ) -> None:
        """A session left open over night goes on with the new day's reviews."""
        session = session_of(desk_of())
        while isinstance(session.situation, CardPrompt):
            rate_card(session, Rating.EASY)
        clock.forward(days=12)
        assert session.refresh()
        assert session.counts.review == 5

    @pytest.mark.parametrize("held", [0.03, 0.05])
    def test_a_held_key_counts_once(
        self, desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock, held: float
    ) -> None:
        """Auto-repeat of one key after the first press is refused, however long it lasts."""
        session = session_of(desk_of())
        session.gate.painted()
        admitted = 0
        for _ in range(60):
            admitted += session.gate.admits("3")
            clock.ticks += held
        assert admitted == 1

    def test_no_key_counts_before_the_prompt_is_painted(
        self, desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
    ) -> None:
        """The gate opens with the paint of the new prompt and 150 ms after the rating."""
        session = session_of(desk_of())
        assert not session.gate.admits("space")
        session.gate.painted()
        rate_card(session)
        clock.ticks += 1.0
        assert not session.gate.admits("1")
        session.gate.painted()
        clock.ticks += 0.2
        assert session.gate.admits("1")


class TestTrouble:
    """Other processes and disks."""

    def test_an_item_reviewed_elsewhere_is_counted_once(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """Two sessions over one profile: the second answer to the same prompt is not stored, and said."""
        desk = desk_of()
        one, two = session_of(desk), session_of(desk)
        assert isinstance(two.situation, CardPrompt)
        item = rate_card(one)
        assert two.situation.item == item
        two.reveal()
        assert not two.answer(Rating.AGAIN)
        assert two.notice is not None
        memory = desk.store.memory(item)
        assert memory is not None
        assert memory.reps == 1
        assert isinstance(two.situation, CardPrompt)
        assert two.situation.item != item

    def test_a_failed_write_leaves_the_prompt_to_try_again(
        self, desk_of: DeskOf, session_of: SessionOf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A StoreError comes through, nothing has changed, and the same key works afterwards."""
        desk = desk_of()
        session = session_of(desk)
        session.reveal()
        before = session.situation

        def busy(*_: Any, **__: Any) -> None:
            raise Busy("another program is writing")

        with monkeypatch.context() as patched:
            patched.setattr(type(desk.store), "record", busy)
            with pytest.raises(Busy):
                session.answer(Rating.GOOD)
        assert session.situation is before
        assert session.answer(Rating.GOOD)


def test_levels_follow_the_memory(desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock) -> None:
    """Level 1 until Review, 2 up to 21 days of stability, 3 beyond, one lower than last in Relearning."""
    desk = desk_of()
    review = desk.scheduler.outcomes("card:first/one", None, clock())
    learning, easy = review[Rating.GOOD], review[Rating.EASY]
    assert level_for(None, None) == 1
    assert level_for(learning, 3) == 1
    assert level_for(easy, None) == 2
    clock.forward(days=30)
    lapsed = desk.scheduler.outcomes("card:first/one", easy, clock())[Rating.AGAIN]
    strong = desk.scheduler.outcomes("card:first/one", easy, clock())[Rating.EASY]
    assert strong.stability > 21
    assert level_for(strong, 2) == 3
    assert (level_for(lapsed, 3), level_for(lapsed, 2), level_for(lapsed, 1)) == (2, 1, 1)
