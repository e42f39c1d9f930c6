"""How figures of progress read, on the screen and on plain lines alike: shares, intervals, times, days."""

from datetime import date

from studynorm.study.retention import Share
from studynorm.study.slips import Period, Trend
from studynorm.study.streak import Streak

NONE = "–"
"""Stands where there is no figure."""

TREND_SIGNS = {Trend.FADING: "↘", Trend.STEADY: "→", Trend.GROWING: "↗", Trend.UNKNOWN: "·"}
_MINUTE, _HOUR = 60, 3600  # seconds


def percent(value: float | None) -> str:
    """Return a share as `88%`; below 100 % it never reads `100%`, above 0 % never `0%`."""
    if value is None:
        return NONE
    whole = round(100 * value)
    if whole == 100 and value < 1:
        return ">99%"
    return "<1%" if whole == 0 and value > 0 else f"{whole}%"


def interval_words(share: Share) -> str:
    """Return the 95 % interval of a share: `82–93%`."""
    if share.interval is None:
        return NONE
    low, high = (round(100 * end) for end in share.interval)
    return f"{low}–{high}%"


def of_words(share: Share) -> str:
    """Return `126 of 143`; a sign where there is nothing."""
    return f"{share.hits} of {share.n}" if share.n else NONE


def period_words(period: Period) -> str:
    """Return `3 of 12`; a sign where nothing was answered."""
    return f"{period.times} of {period.answers}" if period.answers else NONE


def counted(number: int, thing: str) -> str:
    """Return `1 answer`, `2 answers`, `1 234 answers`."""
    return f"{grouped(number)} {thing}{'' if number == 1 else 's'}"


def grouped(number: int) -> str:
    """Return a whole number with a blank between thousands: `1 234`."""
    return f"{number:,}".replace(",", " ")


def seconds_words(milliseconds: float | None) -> str:
    """Return an answer time: `8 s`, `2:05 min`; tenths below ten seconds."""
    if milliseconds is None:
        return NONE
    seconds = milliseconds / 1000
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < _MINUTE else f"{whole // _MINUTE}:{whole % _MINUTE:02} min"


def spent_words(milliseconds: int) -> str:
    """Return a time spent: `40 s`, `5 min`, `1 h 20 min`."""
    seconds = round(milliseconds / 1000)
    if seconds < _MINUTE:
        return f"{seconds} s"
    hours, minutes = divmod(round(seconds / _MINUTE), _HOUR // _MINUTE)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def day_words(day: int, today: int) -> str:
    """Return a study day as `today`, `Fri 6 Mar`, with the year where it is another one."""
    if day == today:
        return "today"
    found = date.fromordinal(day)
    year = "" if found.year == date.fromordinal(today).year else f" {found.year}"
    return f"{found:%a} {found.day} {found:%b}{year}"


def streak_words(streak: Streak) -> tuple[str, str]:
    """Return the present streak in one sentence, and in another the longest and the last 30 days."""
    if not streak.longest:
        return "No streak yet: the first answer begins one.", ""
    rest = f", {streak.rest} of them with nothing due" if streak.rest else ""
    present = (
        f"{counted(streak.days, 'day')} in a row{rest}." if streak.days else "The next answer begins one."
    )
    return (
        present,
        f"Longest: {counted(streak.longest, 'day')}. Studied on {streak.recent} of the last 30 days.",
    )


def slip_words(name: str) -> str:
    """Return the id of a misconception as words: `unbiased variance`."""
    return name.replace("_", " ")
