"""Which study days between two answers were free."""

import pytest

from studynorm.scheduling.freedays import free_days


@pytest.mark.parametrize(
    ("last", "today", "first_due", "free"),
    [
        (100, 103, None, [101, 102]),
        (100, 103, 500, [101, 102]),
        (100, 110, 103, [101, 102]),
        (100, 103, 101, []),
        (100, 103, -9, []),
        (100, 101, None, []),
        (100, 100, None, []),
        (100, 90, None, []),
        (5, 740_000, None, []),
    ],
)
def test_free_days_end_before_the_first_due_one(
    last: int, today: int, first_due: int | None, free: list[int]
) -> None:
    """Neither the day of the answer nor today is one; a stretch of two thousand years is none at all."""
    assert list(free_days(last, today, first_due)) == free
