"""Half-made memories and mismatched reviews cannot be built."""

from dataclasses import replace

import pytest

from studynorm.scheduling.memory import Memory, Review, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment

REVIEW = Memory("card:a/b", State.REVIEW, None, 3.0, 5.0, None, 738_005, 1000, 738_000, 4, 1)
LEARNING = Memory("card:a/b", State.LEARNING, 1, 3.0, 5.0, 2000, None, 1000, 738_000, 1, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"item": ""},
        {"stability": 0.0},
        {"stability": -1.0},
        {"stability": float("nan")},
        {"stability": float("inf")},
        {"difficulty": 0.9},
        {"difficulty": 10.1},
        {"difficulty": float("nan")},
        {"reps": 0},
        {"lapses": -1},
        {"lapses": 5},
        {"step": 0},
        {"due_day": None},
        {"due_at": 2000},
        {"due_day": 737_999},
        {"state": State.RELEARNING},
    ],
    ids=str,
)
def test_half_a_memory_in_review_is_refused(change: dict[str, object]) -> None:
    """In Review a memory has a due day and nothing of a step; its numbers are possible ones."""
    with pytest.raises(ValueError, match=r"."):
        replace(REVIEW, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"step": None},
        {"step": -1},
        {"due_at": None},
        {"due_day": 738_001},
        {"due_at": 999},
        {"state": State.REVIEW},
    ],
    ids=str,
)
def test_half_a_memory_at_a_step_is_refused(change: dict[str, object]) -> None:
    """In Learning and Relearning a memory has a step and a due instant, not before its newest review."""
    with pytest.raises(ValueError, match=r"^card:a/b: "):
        replace(LEARNING, **change)  # type: ignore[arg-type]


def test_a_review_is_about_one_item() -> None:
    """A review whose memories belong to another item, or whose answer time is negative, is refused."""
    moment = Moment(1000, 0, 738_000)
    assert Review("card:a/b", Rating.GOOD, None, moment, 0, LEARNING, REVIEW).after is REVIEW
    other = replace(LEARNING, item="card:a/c")
    for before, after, duration in ((other, REVIEW, 0), (None, other, 0), (None, REVIEW, -1)):
        with pytest.raises(ValueError, match="review"):
            Review("card:a/b", Rating.GOOD, None, moment, duration, before, after)


def test_ratings_read_as_on_the_buttons() -> None:
    """The labels are the four words of the buttons, in order 1 to 4."""
    assert [rating.label for rating in Rating] == ["Again", "Hard", "Good", "Easy"]
    assert [int(rating) for rating in Rating] == [1, 2, 3, 4]
