"""A due day as a learner writes it: `0`, `5`, `tomorrow`, a weekday or an ISO date; and how it is said."""

import re
from datetime import date

FARTHEST = 36_500
"""The farthest due day that can be set, in study days from today."""
FORMS = "0 for today, 5 for in five study days, tomorrow, a weekday such as fri, or a date such as 2026-12-24"

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORTEST_WEEKDAY = 2
_DAYS = re.compile(r"[+-]?\d+", re.ASCII)
_ISO = re.compile(r"\d{4}-\d{1,2}-\d{1,2}", re.ASCII)


class NotADueDay(ValueError):
    """A text that names no day on which an item can be due; the message says why, in one line."""


def due_day(text: str, today: int) -> int:
    """Return the study day that a text names; a weekday is the next one after today.

    Raises NotADueDay for a text that names none, for a day before today, and for one too far off.
    """
    day = _named(text.strip().casefold(), today)
    if day < today:
        raise NotADueDay("that day is over; 0 is today")
    if day > today + FARTHEST:
        raise NotADueDay(f"that is too far off: at most {FARTHEST} days")
    return day


def _named(word: str, today: int) -> int:
    if word in ("today", "tod"):
        return today
    if word in ("tomorrow", "tom"):
        return today + 1
    if _DAYS.fullmatch(word):
        return today + max(-FARTHEST, min(int(word[:12]), 2 * FARTHEST))
    if _ISO.fullmatch(word):
        try:
            return date(*map(int, word.split("-"))).toordinal()
        except ValueError:
            raise NotADueDay(f"there is no day {word}") from None
    weekdays = [at for at, name in enumerate(_WEEKDAYS) if name.startswith(word)]
    if len(word) >= _SHORTEST_WEEKDAY and len(weekdays) == 1:
        ahead = (weekdays[0] - date.fromordinal(today).weekday()) % 7
        return today + (ahead or 7)
    raise NotADueDay(f"a day is {FORMS}")


def day_words(day: int, today: int) -> str:
    """Say which study day is meant: `today`, `tomorrow, 3 March`, `on Friday, 6 March, in 4 days`."""
    days = day - today
    if days <= 0:
        return "today"
    then = date.fromordinal(day)
    year = "" if then.year == date.fromordinal(today).year else f" {then.year}"
    on = f"{then.day} {then:%B}{year}"
    return f"tomorrow, {on}" if days == 1 else f"on {then:%A}, {on}, in {days} days"
