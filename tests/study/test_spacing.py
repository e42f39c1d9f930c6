"""Items of one topic are parted, also while steps come due in between."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studynorm.content.library import load_library
from studynorm.scheduling.rating import Rating
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk
from studynorm.study.session import StudySession
from studynorm.study.situation import Done
from tests.conftest import FrozenClock
from tests.known import in_review, in_steps

DeskOf = Callable[..., Desk]
SessionOf = Callable[..., StudySession]


@pytest.fixture
def desk(desk_of: DeskOf, tmp_path: Path) -> Desk:
    """A desk over three decks a, b and c of nine cards each, all suspended."""
    for topic in "abc":
        cards = "".join(f"## n{n}\nQ: {topic}{n}?\nA: {n}\n\n" for n in range(9))
        text = f'+++\nid = "{topic}"\ntitle = "{topic}"\n+++\n\n{cards}'
        (tmp_path / f"{topic}.md").write_text(text, "utf-8")
    desk = desk_of()
    desk.catalogue = build_catalogue(load_library(tmp_path, None), ())
    desk.store.upkeep.suspend(desk.catalogue.candidates, desk.clock())
    return desk


def among(desk: Desk, *items: str) -> list[str]:
    """Take items into the day, and return their ids."""
    ids = [f"card:{item}" for item in items]
    desk.store.upkeep.resume(ids, desk.clock())
    return ids


def asked(session: StudySession, clock: FrozenClock, seconds: float = 10) -> list[str]:
    """Rate everything Easy and return the cards in the order in which they came."""
    seen = []
    while not isinstance(session.situation, Done):
        seen.append(session.situation.item.removeprefix("card:"))
        session.reveal()
        assert session.answer(Rating.EASY)
        clock.forward(seconds=seconds)
    return seen


def test_a_due_step_lets_another_topic_go_first(
    desk: Desk, session_of: SessionOf, clock: FrozenClock
) -> None:
    """Two steps of one topic are due: a review of another topic comes between them."""
    for item in among(desk, "a/n0", "a/n1"):
        in_steps(desk, item)
    for item in among(desk, "b/n0", "b/n1"):
        in_review(desk, item)
    assert asked(session_of(desk), clock) == ["a/n0", "b/n0", "a/n1", "b/n1"]


def test_among_due_steps_the_other_topic_comes_first(
    desk: Desk, session_of: SessionOf, clock: FrozenClock
) -> None:
    """Three steps are due, two of them of one topic and earlier."""
    for item in among(desk, "a/n0", "a/n1", "b/n0"):
        in_steps(desk, item)
    assert asked(session_of(desk), clock) == ["a/n0", "b/n0", "a/n1"]


def test_steps_before_their_time_are_parted_too(
    desk: Desk, session_of: SessionOf, clock: FrozenClock
) -> None:
    """Nothing is due, and three steps are within the learn-ahead time."""
    for minutes, item in enumerate(among(desk, "a/n0", "a/n1", "b/n0"), 5):
        in_steps(desk, item, due_in_ms=minutes * 60_000)
    assert asked(session_of(desk), clock, seconds=1) == ["a/n0", "b/n0", "a/n1"]


def test_after_a_step_a_review_of_another_topic_is_drawn_forward(
    desk: Desk, session_of: SessionOf, clock: FrozenClock
) -> None:
    """Behind a step of `a` the queue would begin with `a`: the review of `b` goes first."""
    for item in among(desk, "a/n0"):
        in_steps(desk, item)
    for days, item in enumerate(among(desk, "a/n1", "b/n0", "a/n2")):
        in_review(desk, item, due_in=days - 3)
    assert asked(session_of(desk), clock) == ["a/n0", "b/n0", "a/n1", "a/n2"]


def test_new_items_keep_their_order(desk: Desk, session_of: SessionOf, clock: FrozenClock) -> None:
    """A later new item may build on the one before it, so none is drawn forward."""
    for item in among(desk, "a/n0"):
        in_steps(desk, item)
    among(desk, "a/n1", "b/n0")
    assert asked(session_of(desk), clock) == ["a/n0", "a/n1", "b/n0"]


def test_nothing_is_lost_or_doubled_where_no_order_helps(
    desk: Desk, session_of: SessionOf, clock: FrozenClock
) -> None:
    """One topic only: the steps first, then the queue, each once."""
    for item in among(desk, "a/n7", "a/n8"):
        in_steps(desk, item)
    for item in among(desk, "a/n0", "a/n1", "a/n2"):
        in_review(desk, item)
    assert asked(session_of(desk), clock) == ["a/n7", "a/n8", "a/n0", "a/n1", "a/n2"]
