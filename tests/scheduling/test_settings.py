"""Settings out of range are refused by name, with the range."""

import math
from datetime import UTC, date, datetime

import pytest

from studynorm.scheduling.settings import SettingError, Settings


def test_the_defaults_are_the_ones_people_know() -> None:
    """Retention 0.90, steps 1m 10m / 10m, 20 new, 200 reviews, 20 min ahead, leech at 8, 04:00, 100 years."""
    assert Settings() == Settings(0.90, (60, 600), (600,), 36_500, 20, 200, 20 * 60, 8, 4, None, False)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("desired_retention", 0.70),
        ("desired_retention", 0.99),
        ("learning_steps", ()),
        ("learning_steps", (1, 86_399)),
        ("relearning_steps", tuple(range(1, 11))),
        ("maximum_interval", 1),
        ("maximum_interval", 36_500),
        ("new_per_day", 0),
        ("reviews_per_day", 9999),
        ("learn_ahead", 0),
        ("leech_at", 1),
        ("day_starts_at", 0),
        ("day_starts_at", 23),
        ("interview_date", None),
        ("interview_date", date(2026, 12, 24)),
        ("confidence", True),
    ],
)
def test_the_edges_of_each_range_are_allowed(field: str, value: object) -> None:
    """Each range includes its ends."""
    assert getattr(Settings(**{field: value}), field) == value  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("desired_retention", 0.69),
        ("desired_retention", 1.0),
        ("desired_retention", math.nan),
        ("desired_retention", True),
        ("desired_retention", "0.9"),
        ("learning_steps", (0,)),
        ("learning_steps", (86_400,)),
        ("learning_steps", (0.5,)),
        ("learning_steps", [60]),
        ("learning_steps", 60),
        ("relearning_steps", tuple(range(1, 12))),
        ("maximum_interval", 0),
        ("maximum_interval", -1),
        ("maximum_interval", 36_501),
        ("maximum_interval", 10_000_000),
        ("maximum_interval", 30.0),
        ("new_per_day", -1),
        ("new_per_day", True),
        ("reviews_per_day", 10_000),
        ("learn_ahead", 86_400),
        ("leech_at", 0),
        ("day_starts_at", 24),
        ("day_starts_at", None),
        ("interview_date", "2026-12-24"),
        ("interview_date", datetime(2026, 12, 24, tzinfo=UTC)),
        ("interview_date", 20261224),
        ("confidence", 1),
        ("confidence", "yes"),
    ],
)
def test_a_value_out_of_range_is_named(field: str, value: object) -> None:
    """The error is one line with the field, the value and what is allowed."""
    with pytest.raises(SettingError) as caught:
        Settings(**{field: value})  # type: ignore[arg-type]
    error = caught.value
    assert (error.field, error.value) == (field, value) or value is math.nan
    assert str(error) == f"{field} = {value!r} is not possible; allowed: {error.allowed}"
    ranged = field not in ("interview_date", "confidence")
    assert any(digit in error.allowed for digit in "0123456789") == ranged
    assert "\n" not in str(error)
