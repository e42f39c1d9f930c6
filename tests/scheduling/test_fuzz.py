"""Fuzz: the ranges people know from Anki, drawn evenly and in order."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studynorm.scheduling.fuzz import fuzz_draw, fuzz_range, fuzzed


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (1, (1, 1)),
        (2, (2, 2)),
        (3, (2, 4)),  # 3 ± (0.15·0.5 + 1) = 1.925 … 4.075
        (7, (5, 9)),  # 7 ± (0.15·4.5 + 1) = 5.325 … 8.675
        (10, (8, 12)),  # 10 ± (0.675 + 0.1·3 + 1) = 8.025 … 11.975
        (20, (17, 23)),  # 20 ± (0.675 + 1.3 + 1) = 17.025 … 22.975
        (100, (93, 107)),  # 100 ± (0.675 + 1.3 + 0.05·80 + 1) = 93.025 … 106.975
    ],
)
def test_the_range_around_an_interval(days: int, expected: tuple[int, int]) -> None:
    """±15 % of days 2.5–7, ±10 % of days 7–20, ±5 % beyond, plus one day, rounded, never below 2 days."""
    assert fuzz_range(days, 36_500) == expected


def test_draws_are_even_over_the_range() -> None:
    """Ten days become 8, 9, 10, 11 and 12, each for a fifth of the items."""
    counts = Counter(fuzzed(10, fuzz_draw(f"card:a/{n}", 1), 36_500) for n in range(5000))
    assert set(counts) == {8, 9, 10, 11, 12}
    assert all(900 < count < 1100 for count in counts.values())  # 1000 ± 3.5 standard deviations (28)


@given(
    st.integers(1, 36_500), st.floats(0, 1, exclude_max=True), st.integers(1, 36_500), st.integers(0, 36_500)
)
def test_fuzz_keeps_to_its_range_and_maximum(days: int, draw: float, maximum: int, last: int) -> None:
    """The result lies in the range, at or below the maximum and at least one day."""
    days = min(days, maximum)
    shortest, longest = fuzz_range(days, maximum)
    assert 1 <= shortest <= fuzzed(days, draw, maximum, last) <= longest <= maximum


@given(
    st.lists(st.integers(1, 36_500), min_size=2, max_size=4),
    st.floats(0, 1, exclude_max=True),
    st.integers(1, 36_500),
    st.integers(0, 36_500),
)
def test_one_draw_keeps_the_order_of_intervals(
    lengths: list[int], draw: float, maximum: int, last: int
) -> None:
    """A longer interval never becomes shorter than a shorter one under the same draw."""
    result = [fuzzed(min(days, maximum), draw, maximum, last) for days in sorted(lengths)]
    assert result == sorted(result)


def test_a_draw_belongs_to_item_and_repetition() -> None:
    """The same item and count draw the same number below 1; another item or count draws another."""
    assert fuzz_draw("card:a/b", 3) == fuzz_draw("card:a/b", 3)
    draws = {
        fuzz_draw(item, reps) for item in ("card:a/b", "card:a/b#1", "card:a/b1") for reps in (1, 11, 111)
    }
    assert len(draws) == 9
    assert all(0 <= draw < 1 for draw in draws)
