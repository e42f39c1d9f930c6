"""The learner's scheduling settings, checked when made, so that no later step meets an impossible one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import TypeGuard

_DAY = 86_400  # seconds

RETENTION = (0.70, 0.99)
"""The lowest and the highest desired retention."""

WHOLE: Mapping[str, tuple[int, int, str]] = MappingProxyType(
    {
        "maximum_interval": (1, 36_500, "days"),
        "new_per_day": (0, 9999, "items"),
        "reviews_per_day": (0, 9999, "items"),
        "learn_ahead": (0, _DAY - 1, "seconds"),
        "leech_at": (1, 9999, "lapses"),
        "day_starts_at": (0, 23, "as the local hour"),
    }
)
"""The lowest and the highest value of each whole number, and what it counts."""

MOST_STEPS, LONGEST_STEP = 10, _DAY - 1


class SettingError(ValueError):
    """A setting outside its range; the message is one line with the field, the value and what is allowed."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        super().__init__(f"{field} = {value!r} is not possible; allowed: {allowed}")
        self.field = field
        self.value = value
        self.allowed = allowed


@dataclass(frozen=True, slots=True)
class Settings:
    """What the learner can set about scheduling. Raises SettingError for a value outside its range.

    Steps and `learn_ahead` are whole seconds, `maximum_interval` study days, `day_starts_at` a local hour.
    `interview_date` is the day one prepares for; with `confidence` the learner says how sure they are before
    an answer is shown.
    """

    desired_retention: float = 0.90
    learning_steps: tuple[int, ...] = (60, 600)
    relearning_steps: tuple[int, ...] = (600,)
    maximum_interval: int = 36_500
    new_per_day: int = 20
    reviews_per_day: int = 200
    learn_ahead: int = 1200
    leech_at: int = 8
    day_starts_at: int = 4
    interview_date: date | None = None
    confidence: bool = False

    def __post_init__(self) -> None:
        _check_retention(self.desired_retention)
        _check_steps("learning_steps", self.learning_steps)
        _check_steps("relearning_steps", self.relearning_steps)
        for field, (lowest, highest, unit) in WHOLE.items():
            _check_whole(field, getattr(self, field), lowest, highest, unit)
        if self.interview_date is not None and type(self.interview_date) is not date:
            raise SettingError("interview_date", self.interview_date, "a date, or None")
        if not isinstance(self.confidence, bool):
            raise SettingError("confidence", self.confidence, "True or False")


def is_number(value: object) -> TypeGuard[float]:
    """Say whether a value is an int or a float; a bool is neither."""
    return isinstance(value, float | int) and not isinstance(value, bool)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_whole(field: str, value: object, lowest: int, highest: int, unit: str) -> None:
    if not (_is_whole(value) and lowest <= value <= highest):
        raise SettingError(field, value, f"a whole number from {lowest} to {highest} {unit}")


def _check_retention(value: object) -> None:
    if not (is_number(value) and RETENTION[0] <= value <= RETENTION[1]):
        allowed = f"a number from {RETENTION[0]:.2f} to {RETENTION[1]:.2f}"
        raise SettingError("desired_retention", value, allowed)


def _check_steps(field: str, value: object) -> None:
    if not (
        isinstance(value, tuple)
        and len(value) <= MOST_STEPS
        and all(_is_whole(step) and 1 <= step <= LONGEST_STEP for step in value)
    ):
        allowed = f"at most {MOST_STEPS} steps of 1 to {LONGEST_STEP} whole seconds each"
        raise SettingError(field, value, allowed)
