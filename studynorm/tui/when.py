"""Times and durations in the words of someone who looks at a local clock."""

from datetime import UTC, date, datetime, timedelta, timezone

from studynorm.scheduling.studyday import Moment

_MINUTE = 60_000  # ms


def date_words(now: Moment) -> str:
    """Return the study day: `Tuesday, 15 September`."""
    day = date.fromordinal(now.day)
    return f"{day:%A}, {day.day} {day:%B}"


def clock_words(at: int, offset: int) -> str:
    """Return the local time of an instant, `at` in UTC milliseconds and `offset` in minutes: `15:42`."""
    zone = timezone(timedelta(minutes=offset))
    return f"{datetime.fromtimestamp(at / 1000, UTC).astimezone(zone):%H:%M}"


def next_words(now: Moment, next_at: int | None, next_day: int | None) -> str:
    """Say when the next item comes: `in 9 minutes, at 15:42`, `tomorrow`, `on Friday`; empty when never."""
    if next_at is not None:
        minutes = -(-(next_at - now.at) // _MINUTE)
        if minutes <= 0:
            return "now"
        time = clock_words(next_at, now.offset)
        if minutes < 60:
            return f"in {counted(minutes, 'minute')}, at {time}"
        return f"at {time}"
    if next_day is None:
        return ""
    days = next_day - now.day
    if days <= 0:
        return "today"
    if days == 1:
        return "tomorrow"
    then = date.fromordinal(next_day)
    if days < 7:
        return f"on {then:%A}"
    return f"in {days} days, on {then.day} {then:%B}"


def duration_words(milliseconds: int) -> str:
    """Return a time spent: `under a minute`, `5 min`, `1 h 20 min`."""
    minutes = round(milliseconds / _MINUTE)
    if minutes < 1:
        return "under a minute"
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def counted(number: int, thing: str) -> str:
    """Return `1 answer`, `2 answers`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
