"""Interview questions: what is asked, how time runs, how points are ticked, and what is kept."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from studynorm.storage.errors import Busy
from studynorm.storage.interviews import Interviews
from studynorm.study.desk import Desk
from studynorm.study.interview import (
    Interview,
    NoQuestions,
    Question,
    next_question,
    questions,
    records,
)
from tests.conftest import FrozenClock

DeskOf = Callable[..., Desk]
ASKED = Question("why", "Why $x$?", "Because.", ("One.", "Two.", "Three."), ("Think.", "Harder."), 2)
OTHER = replace(ASKED, id="how")


@pytest.fixture
def desk(desk_of: DeskOf) -> Desk:
    """A desk without families."""
    return desk_of()


def begin(desk: Desk, clock: FrozenClock, question: Question = ASKED, *, timed: bool = False) -> Interview:
    """Begin a question by the frozen clock."""
    return Interview(question, desk.store, desk.clock, clock.tick, timed=timed)


def test_the_five_questions_of_the_lesson_and_more_are_asked() -> None:
    """Each has a time, a model answer, hints, and a rubric of three to six points."""
    found = {question.id: question for question in questions()}
    assert {"train_and_test", "backward", "why_layernorm", "thousand_layers", "warmup"} <= set(found)
    assert len(found) >= 15
    for question in found.values():
        assert 3 <= len(question.points) <= 6
        assert 1 <= question.minutes <= 10
        assert question.answer
        assert len(question.hints) >= 2
        assert not question.ask.startswith("Interview question")


def test_the_time_runs_until_the_model_answer_is_shown(desk: Desk, clock: FrozenClock) -> None:
    """A question of two minutes has 30 s left after 90 s and is over by 60 s after 180 s; then it stands."""
    interview = begin(desk, clock, timed=True)
    clock.forward(seconds=90)
    assert (interview.seconds, interview.left) == (90, 30)
    clock.forward(seconds=90)
    assert interview.left == -60
    interview.show()
    clock.forward(hours=1)
    assert (interview.seconds, interview.left) == (180, -60)


def test_hints_come_one_by_one_until_the_answer_is_shown(desk: Desk, clock: FrozenClock) -> None:
    """There are two; none comes after the model answer."""
    interview = begin(desk, clock)
    assert interview.hint() == "Think."
    other = begin(desk, clock)
    assert [other.hint(), other.hint(), other.hint()] == ["Think.", "Harder.", None]
    interview.show()
    assert interview.hint() is None


def test_points_can_be_ticked_only_when_they_are_shown(desk: Desk, clock: FrozenClock) -> None:
    """A tick comes and goes; a number that is no point does nothing."""
    interview = begin(desk, clock)
    interview.toggle(0)
    assert interview.made == frozenset()
    interview.show()
    for point in (0, 2, 0, 3, -1):
        interview.toggle(point)
    assert interview.made == {2}


def test_an_answer_is_kept_with_its_points_word_for_word(desk: Desk, clock: FrozenClock) -> None:
    """Time, moment, notes and both kinds of points come back as they were; the score is the share made."""
    interview = begin(desk, clock)
    interview.notes = "σ over the batch\n\udc80"
    clock.forward(seconds=61)
    interview.show()
    interview.toggle(1)
    interview.finish()
    (kept,) = desk.store.interviews.all()
    assert (kept.question, kept.seconds, kept.moment) == ("why", 61, clock())
    assert (kept.made, kept.missed) == (("Two.",), ("One.", "Three."))
    assert kept.notes == "σ over the batch\n\\udc80"
    assert kept.score == pytest.approx(1 / 3)


def test_what_cannot_be_kept_can_be_tried_again(
    desk: Desk, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy profile leaves the ticks as they are."""
    interview = begin(desk, clock)
    interview.show()
    interview.toggle(0)

    def busy(*_: object) -> None:
        raise Busy("another program is writing")

    with monkeypatch.context() as held:
        held.setattr(Interviews, "record", busy)
        with pytest.raises(Busy):
            interview.finish()
    assert interview.finish().made == ("One.",)


def test_the_question_asked_next_is_new_or_the_one_that_went_worst(desk: Desk, clock: FrozenClock) -> None:
    """Unanswered comes first; then the poorest last answer, not the poorest ever."""
    asked = (ASKED, OTHER)
    for question, points in ((ASKED, (0,)), (ASKED, (0, 1, 2))):
        interview = begin(desk, clock, question)
        interview.show()
        for point in points:
            interview.toggle(point)
        interview.finish()
    assert next_question(records(asked, desk.store)) is OTHER
    interview = begin(desk, clock, OTHER)
    interview.show()
    interview.toggle(0)
    interview.toggle(1)
    interview.finish()
    first, second = records(asked, desk.store)
    assert (first.times, first.best, second.times) == (2, 1.0, 1)
    assert next_question((first, second)) is OTHER


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[[prompt]", "cannot be read"),
        ('[[prompt]]\nid = "x"\nminutes = 3\nask = "?"', "'answer' is missing"),
        ('[[prompt]]\nid = "x"\nminutes = 0\nask = "?"\nanswer = "!"\npoints = ["a"]\nhints = []', "minutes"),
        ('[[prompt]]\nid = "x"\nminutes = 3\nask = "?"\nanswer = "!"\npoints = []\nhints = []', "points"),
    ],
)
def test_a_broken_file_is_named_with_its_fault(tmp_path: Path, text: str, named: str) -> None:
    """The message names the file, and the prompt where there is one."""
    file = tmp_path / "recalls.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(NoQuestions, match=named) as raised:
        questions(file)
    assert "recalls.toml" in str(raised.value)
    assert "\n" not in str(raised.value)
