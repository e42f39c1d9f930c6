"""Intervals as a learner reads them on a button."""

from studynorm.scheduling.memory import Memory
from studynorm.scheduling.studyday import Moment

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400  # seconds
_YEAR_DAYS = 365
_MONTH_DAYS = _YEAR_DAYS / 12


def interval_text(after: Memory, moment: Moment, learn_ahead: int = 1200) -> str:
    """Return how far off the due time is: `<10m`, `30m`, `3.5h`, `4d`, `2.1mo`, `1.3y`, or `now`.

    A step within `learn_ahead` seconds carries `<`, because it may be shown sooner. Minutes and days are
    whole; hours, months and years have one decimal unless it is zero.
    """
    if after.due_day is not None:
        return _days_text(after.due_day - moment.day)
    seconds = ((after.due_at or 0) - moment.at) / 1000
    text = _seconds_text(seconds)
    return f"<{text}" if 0 < seconds < learn_ahead else text


def _seconds_text(seconds: float) -> str:
    if seconds <= 0:
        return "now"
    if seconds < _MINUTE:
        return f"{max(1, int(seconds))}s"
    minutes = int(seconds / _MINUTE + 0.5)
    if minutes < 60:
        return f"{minutes}m"
    hours = round(seconds / _HOUR, 1)
    return f"{hours:g}h" if hours < 24 else _days_text(int(seconds / _DAY + 0.5))


def _days_text(days: int) -> str:
    if days <= 0:
        return "now"
    if days < 30:
        return f"{days}d"
    months = round(days / _MONTH_DAYS, 1)
    return f"{months:g}mo" if months < 12 else f"{round(days / _YEAR_DAYS, 1):g}y"
