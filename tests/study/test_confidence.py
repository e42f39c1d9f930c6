"""How sure the learner is: asked before the answer alone, stored with the review, and only if switched on."""

from collections.abc import Callable

import pytest

from studynorm.engine.variant import Variant
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.study.confidence import LEVELS, percent_of
from studynorm.study.desk import Desk
from studynorm.study.replay import replay_of
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Key, ProblemPrompt
from tests.conftest import FrozenClock

DeskOf = Callable[..., Desk]
SessionOf = Callable[..., StudySession]
Draw = Callable[[Key], Variant]
ASKED = Settings(confidence=True)
ONE, TWO = "card:first/one", "card:first/two"
FAMILY = "batchnorm.entry"


def stored(desk: Desk, item: str) -> list[int | None]:
    """Return how sure one was at each review of an item."""
    return [review.confidence for review in desk.store.upkeep.reviews(item)]


def at_problem(desk: Desk, session_of: SessionOf, draw: Draw) -> StudySession:
    """Return a session that stands at a problem, always the same."""
    desk.store.salt = "always the same variant"
    session = session_of(desk, items=[f"family:{FAMILY}"])
    for key in session.wanted():
        session.provide(key, draw(key))
    assert isinstance(session.situation, ProblemPrompt)
    return session


def right(session: StudySession) -> float:
    """Return the right answer of the problem that is open."""
    assert isinstance(session.situation, ProblemPrompt)
    answer = session.situation.variant.answer
    assert isinstance(answer, float)
    return answer


def test_the_keys_are_none_of_the_ratings() -> None:
    """Six digits, none of which rates: 0 says 0, the others their tens."""
    assert dict(LEVELS) == {"0": 0, "5": 50, "6": 60, "7": 70, "8": 80, "9": 90}


@pytest.mark.parametrize(
    ("text", "percent"),
    [
        ("70", 70),
        (" 70 % ", 70),
        ("0", 0),
        ("100%", 100),
        ("101", None),
        ("-1", None),
        ("7.5", None),
        ("", None),
        ("٧٠", None),
        ("9" * 400, None),
    ],
)
def test_what_may_be_typed(text: str, percent: int | None) -> None:
    """Whole per cent from 0 to 100."""
    assert percent_of(text) == percent


@pytest.mark.parametrize("percent", [0, 70])
def test_what_is_said_before_the_answer_is_stored(
    desk_of: DeskOf, session_of: SessionOf, percent: int
) -> None:
    """Nothing said is None, and 0 is not that; what is said belongs to this card alone."""
    desk = desk_of(settings=ASKED)
    session = session_of(desk, items=[ONE, TWO])
    assert session.asks_confidence
    assert session.be_sure(percent)
    session.reveal()
    assert not session.asks_confidence
    assert not session.be_sure(90)  # the answer was seen
    assert session.answer(Rating.EASY)
    session.reveal()
    assert session.answer(Rating.EASY)
    assert stored(desk, ONE) == [percent]
    assert stored(desk, TWO) == [None]


def test_switched_off_nothing_is_asked_or_stored(desk_of: DeskOf, session_of: SessionOf) -> None:
    """The default."""
    desk = desk_of()
    session = session_of(desk, items=[ONE])
    assert not session.asks_confidence
    assert not session.be_sure(70)
    session.reveal()
    assert session.answer(Rating.EASY)
    assert stored(desk, ONE) == [None]


def test_undo_takes_it_away_and_it_is_not_asked_of_a_revealed_card(
    desk_of: DeskOf, session_of: SessionOf
) -> None:
    """The card comes back revealed: how sure one was cannot be said any more."""
    desk = desk_of(settings=ASKED)
    session = session_of(desk, items=[ONE])
    session.be_sure(80)
    session.reveal()
    assert session.answer(Rating.EASY)
    assert session.undo()
    assert stored(desk, ONE) == []
    assert not session.asks_confidence
    assert session.answer(Rating.GOOD)
    assert stored(desk, ONE) == [None]


def test_of_a_problem_it_is_asked_until_an_answer_is_judged(
    desk_of: DeskOf, session_of: SessionOf, verified: Draw
) -> None:
    """Unreadable text tells nothing; a wrong answer does, and what was said before is stored."""
    desk = desk_of(FAMILY, settings=ASKED)
    session = at_problem(desk, session_of, verified)
    verdict = session.submit("one half")
    assert verdict is not None
    assert verdict.outcome == "malformed"
    assert session.be_sure(60)
    assert session.be_sure(90)  # changed one's mind, nothing was seen
    session.submit("123456")
    assert not session.asks_confidence
    session.submit(repr(right(session)))
    assert session.answer(Rating.HARD)
    assert stored(desk, f"family:{FAMILY}") == [90]
    replays = [replay_of(attempt) for attempt in desk.store.attempts(10)]
    assert [replay.confidence for replay in replays] == [90, 90]


def test_too_coarse_an_answer_ends_the_question(
    desk_of: DeskOf, session_of: SessionOf, verified: Draw
) -> None:
    """To be told “more digits” is to be told that the answer is nearly right."""
    desk = desk_of(FAMILY, settings=ASKED)
    session = at_problem(desk, session_of, verified)
    verdict = session.submit(f"{right(session):.1g}")
    assert verdict is not None
    assert verdict.outcome == "imprecise"
    assert not session.asks_confidence


def test_a_hint_does_not_end_it_and_the_solution_does(
    desk_of: DeskOf, session_of: SessionOf, verified: Draw
) -> None:
    """Hints do not contain the answer."""
    session = at_problem(desk_of(FAMILY, settings=ASKED), session_of, verified)
    assert session.hint() is not None
    assert session.asks_confidence
    session.reveal()
    assert not session.asks_confidence


def test_a_drill_replay_has_none(desk_of: DeskOf, session_of: SessionOf, verified: Draw) -> None:
    """Confidence belongs to reviews; an attempt of a drill, which has no review, is told without it."""
    desk = desk_of(FAMILY, settings=ASKED)
    session = at_problem(desk, session_of, verified)
    session.submit("123456")
    session.reveal()
    assert session.answer(Rating.AGAIN)
    (attempt,) = desk.store.attempts(10)
    desk.store.record_drill(attempt.attempt)
    assert [replay_of(one).confidence for one in desk.store.attempts(10)] == [None, None]


def test_a_new_card_begins_unsaid(desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock) -> None:
    """What was said of a card that was then buried is not stored with the next."""
    desk = desk_of(settings=ASKED)
    session = session_of(desk, items=[ONE, TWO])
    session.be_sure(90)
    session.bury()
    assert isinstance(session.situation, CardPrompt)
    assert session.situation.item == TWO
    session.reveal()
    assert session.answer(Rating.EASY)
    assert stored(desk, TWO) == [None]
