"""Early, overdue and same-day answers, and steps that were changed while an item stood at one."""

import pytest

from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment

A, H, G, E = Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.EASY
DAY, DAY_MS = 738_000, 86_400_000
ITEM = "card:a/b"

# Days since the last answer: recall, then the stability after Again, Hard, Good and Easy, worked out by hand
# from the published formulas of FSRS-6 with the default weights at stability 30 and difficulty 5.
ELAPSED = {
    0: (1.0000, 8.5154, 30.0000, 30.0000, 43.3529),
    1: (0.9951, 1.9870, 31.5757, 32.6200, 34.9070),
    20: (0.9254, 2.2288, 54.4440, 70.6451, 106.1243),
    30: (0.9000, 2.3240, 63.0938, 85.0279, 133.0617),
    60: (0.8459, 2.5408, 82.1319, 116.6843, 192.3509),
    395: (0.6664, 3.4157, 151.4981, 232.0254, 408.3734),
}


def memory_at(state: State, step: int | None = None) -> Memory:
    """Return a memory that was answered at the start of its study day; one in Review is due 30 days on."""
    in_review = state is State.REVIEW
    return Memory(
        item=ITEM,
        state=state,
        step=step,
        stability=30.0,
        difficulty=5.0,
        due_at=None if in_review else 60_000,
        due_day=DAY + 30 if in_review else None,
        last_at=0,
        last_day=DAY,
        reps=9,
        lapses=2,
    )


@pytest.mark.parametrize("days", ELAPSED)
def test_what_counts_is_the_days_that_passed_and_not_the_due_day(days: int) -> None:
    """Same day, a day on, ten days early, on time, a month and a year late; so too where it was set due."""
    scheduler = Scheduler(fuzz=False)
    memory = memory_at(State.REVIEW)
    now = Moment(days * DAY_MS, 0, DAY + days)
    recall, *stabilities = ELAPSED[days]
    assert scheduler.recall(memory, now) == pytest.approx(recall, abs=5e-5)
    outcomes = scheduler.outcomes(ITEM, memory, now)
    assert [after.stability for after in outcomes.values()] == pytest.approx(stabilities, abs=5e-5)
    for due in (DAY, DAY + 1, DAY + 1000):
        moved = Memory(**{name: getattr(memory, name) for name in memory.__slots__} | {"due_day": due})
        assert scheduler.outcomes(ITEM, moved, now) == outcomes


@pytest.mark.parametrize("days", ELAPSED)
def test_the_next_interval_begins_today(days: int) -> None:
    """At a desired retention of 0.9 a pass is due its stability in days after the answer."""
    now = Moment(days * DAY_MS, 0, DAY + days)
    outcomes = Scheduler(fuzz=False).outcomes(ITEM, memory_at(State.REVIEW), now)
    for rating in (H, G, E):
        due = outcomes[rating].due_day
        assert due is not None
        assert due - now.day == round(outcomes[rating].stability)


def test_a_second_answer_of_a_day_counts_once() -> None:
    """Good twice on the due day: the second finds no day passed and leaves the stability where it was."""
    scheduler = Scheduler(fuzz=False)
    now = Moment(30 * DAY_MS, 0, DAY + 30)
    once = scheduler.review(ITEM, memory_at(State.REVIEW), G, now).after
    twice = scheduler.review(ITEM, once, G, Moment(now.at + 3_600_000, 0, now.day)).after
    assert once.stability == pytest.approx(85.0279, abs=5e-5)
    assert twice.stability == once.stability
    assert twice.due_day == once.due_day


# Where the item stands, the steps that are set now, and what the four buttons lead to: a step and its
# seconds, or None for Review. As in Anki: Again goes to the first step; Hard stays (on the first of several
# it waits for the mean of two, on a single one for one and a half); Good goes on, behind the last to Review.
STEPS: list[tuple[State | None, int, tuple[int, ...], list[tuple[int, int] | None]]] = [
    (None, 0, (60, 600), [(0, 60), (0, 330), (1, 600), None]),
    (None, 0, (60,), [(0, 60), (0, 90), None, None]),
    (None, 0, (), [None, None, None, None]),
    (State.LEARNING, 1, (60, 600), [(0, 60), (1, 600), None, None]),
    (State.LEARNING, 1, (60, 600, 3600), [(0, 60), (1, 600), (2, 3600), None]),
    (State.LEARNING, 1, (60,), [(0, 60), None, None, None]),
    (State.LEARNING, 2, (60, 600), [(0, 60), None, None, None]),
    (State.LEARNING, 1, (), [None, None, None, None]),
    (State.LEARNING, 0, (), [None, None, None, None]),
    (State.RELEARNING, 0, (600,), [(0, 600), (0, 900), None, None]),
    (State.RELEARNING, 1, (600,), [(0, 600), None, None, None]),
    (State.RELEARNING, 0, (600, 1200), [(0, 600), (0, 900), (1, 1200), None]),
    (State.RELEARNING, 0, (), [None, None, None, None]),
]


@pytest.mark.parametrize(("state", "step", "steps", "expected"), STEPS)
def test_steps_go_on_under_the_settings_of_now(
    state: State | None, step: int, steps: tuple[int, ...], expected: list[tuple[int, int] | None]
) -> None:
    """More steps than before, fewer, and none: each button leads to a step that there is, or to Review."""
    memory = None if state is None else memory_at(state, step)
    learning = state in (None, State.LEARNING)
    scheduler = Scheduler(
        Settings(
            learning_steps=steps if learning else (60, 600), relearning_steps=(600,) if learning else steps
        )
    )
    outcomes = scheduler.outcomes(ITEM, memory, Moment(1_000_000, 0, DAY))
    found = [
        None if after.due_at is None else (after.step, (after.due_at - 1_000_000) // 1000)
        for after in outcomes.values()
    ]
    assert found == expected
    for after in outcomes.values():
        assert after.state is (State.REVIEW if after.due_at is None else state or State.LEARNING)
        assert after.due_day is None or after.due_day > DAY


def test_without_learning_steps_a_new_item_comes_back_in_whole_days() -> None:
    """1, 1, 2 and 8 days, as fsrs 6.3.2 has them."""
    outcomes = Scheduler(Settings(learning_steps=()), fuzz=False).outcomes(ITEM, None, Moment(0, 0, DAY))
    assert [(after.due_day or 0) - DAY for after in outcomes.values()] == [1, 1, 2, 8]


def test_without_relearning_steps_a_lapse_stays_in_review() -> None:
    """It counts as a lapse and is due after its new stability of 2.32 days, before any pass would be."""
    scheduler = Scheduler(Settings(relearning_steps=()), fuzz=False)
    outcomes = scheduler.outcomes(ITEM, memory_at(State.REVIEW), Moment(30 * DAY_MS, 0, DAY + 30))
    again = outcomes[A]
    assert (again.state, again.lapses, again.step) == (State.REVIEW, 3, None)
    assert again.due_day == DAY + 30 + 2
    assert [after.lapses for after in outcomes.values()] == [3, 2, 2, 2]
