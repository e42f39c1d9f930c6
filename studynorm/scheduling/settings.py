"""The learner's scheduling settings, checked when made, so that no later step meets an impossible one."""

from dataclasses import dataclass
from typing import TypeGuard

_DAY = 86_400  # seconds


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

    def __post_init__(self) -> None:
        _check_retention(self.desired_retention)
        _check_steps("learning_steps", self.learning_steps)
        _check_steps("relearning_steps", self.relearning_steps)
        _check_whole("maximum_interval", self.maximum_interval, 1, 36_500, "days")
        _check_whole("new_per_day", self.new_per_day, 0, 9999, "items")
        _check_whole("reviews_per_day", self.reviews_per_day, 0, 9999, "items")
        _check_whole("learn_ahead", self.learn_ahead, 0, _DAY - 1, "seconds")
        _check_whole("leech_at", self.leech_at, 1, 9999, "lapses")
        _check_whole("day_starts_at", self.day_starts_at, 0, 23, "as the local hour")


def is_number(value: object) -> TypeGuard[float]:
    """Say whether a value is an int or a float; a bool is neither."""
    return isinstance(value, float | int) and not isinstance(value, bool)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_whole(field: str, value: object, lowest: int, highest: int, unit: str) -> None:
    if not (_is_whole(value) and lowest <= value <= highest):
        raise SettingError(field, value, f"a whole number from {lowest} to {highest} {unit}")


def _check_retention(value: object) -> None:
    if not (is_number(value) and 0.70 <= value <= 0.99):
        raise SettingError("desired_retention", value, "a number from 0.70 to 0.99")


def _check_steps(field: str, value: object) -> None:
    if not (
        isinstance(value, tuple)
        and len(value) <= 10
        and all(_is_whole(step) and 1 <= step < _DAY for step in value)
    ):
        raise SettingError(field, value, f"at most 10 steps of 1 to {_DAY - 1} whole seconds each")
