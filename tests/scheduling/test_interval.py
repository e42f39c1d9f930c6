"""Intervals as text."""

import pytest

from studynorm.scheduling.interval import interval_text
from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.studyday import Moment

NOW = Moment(at=1_000_000, offset=60, day=738_000)


def step(seconds: float) -> Memory:
    """Return a memory in Learning, due so many seconds from now."""
    due = NOW.at + round(seconds * 1000)
    return Memory("card:a/b", State.LEARNING, 0, 1.0, 5.0, due, None, min(NOW.at, due), NOW.day, 1, 0)


def days(count: int) -> Memory:
    """Return a memory in Review, due so many study days from now."""
    due = NOW.day + count
    return Memory("card:a/b", State.REVIEW, None, 1.0, 5.0, None, due, NOW.at, min(NOW.day, due), 1, 0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "now"),
        (0, "now"),
        (0.2, "<1s"),
        (30, "<30s"),
        (60, "<1m"),
        (330, "<6m"),
        (600, "<10m"),
        (1199, "<20m"),
        (1200, "20m"),
        (1800, "30m"),
        (3569, "59m"),
        (3590, "1h"),
        (10_800, "3h"),
        (12_600, "3.5h"),
        (86_300, "1d"),
        (86_400, "1d"),
    ],
)
def test_steps(seconds: float, text: str) -> None:
    """Steps read in whole minutes, then hours; those that may come sooner carry a `<`."""
    assert interval_text(step(seconds), NOW) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "now"),
        (1, "1d"),
        (4, "4d"),
        (29, "29d"),
        (30, "1mo"),
        (64, "2.1mo"),  # 64 / 30.417
        (350, "11.5mo"),
        (364, "1y"),
        (365, "1y"),
        (475, "1.3y"),  # 475 / 365
        (36_500, "100y"),
    ],
)
def test_days(count: int, text: str) -> None:
    """Days are whole, months and years have one decimal unless it is zero."""
    assert interval_text(days(count), NOW) == text


def test_the_mark_follows_the_learn_ahead_setting() -> None:
    """Only a step shorter than the learn-ahead time carries the `<`."""
    assert interval_text(step(600), NOW, learn_ahead=600) == "10m"
    assert interval_text(step(600), NOW, learn_ahead=601) == "<10m"
