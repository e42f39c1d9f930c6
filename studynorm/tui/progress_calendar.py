"""The heat calendar: a column a week, a row a weekday, with what the shades mean in numbers."""

from datetime import date

from rich.cells import cell_len
from rich.text import Text

from studynorm.study.heat import WEEKS, Calendar
from studynorm.study.progress import Progress
from studynorm.study.progress_words import NONE, counted, day_words, grouped, streak_words
from studynorm.tui.theme import Palette

SHADES = "·░▒▓█"
_REST = "-"
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_SIDE = 5
_WEEK = 7


def calendar_view(progress: Progress, width: int, palette: Palette) -> Text:
    """Return the calendar as wide as there is room: two cells a day, one, or the newest weeks alone."""
    calendar = progress.calendar
    if not calendar.answers:
        return Text(
            "Every study day with an answer becomes a square here. Nothing is written down for the last "
            "53 weeks yet.",
            palette.quiet,
        )
    cell = 2 if width >= _SIDE + 2 * WEEKS else 1
    weeks = min(WEEKS, max(1, (width - _SIDE) // cell))
    first = calendar.first + _WEEK * (WEEKS - weeks)
    text = Text(no_wrap=True, overflow="crop")
    text.append(_months(first, weeks, cell), palette.quiet)
    for weekday, name in enumerate(_WEEKDAYS):
        text.append(f"\n{name:{_SIDE}}", palette.quiet)
        for week in range(weeks):
            text.append_text(_cell(calendar, first + _WEEK * week + weekday, cell, palette))
    text.append("\n\n").append_text(_legend(calendar, width, palette))
    return text


def calendar_words(progress: Progress, palette: Palette) -> Text:
    """Return the calendar's figures: all answers, the busiest day, the last seven days, the streak."""
    calendar, today = progress.calendar, progress.moment.day
    present, more = streak_words(progress.streak)
    text = Text(f"{present} {more}".rstrip(), palette.ink)
    if calendar.busiest is None:
        return text
    most = f"{calendar.answers[calendar.busiest]} {_on(day_words(calendar.busiest, today))}"
    text.append(
        f"\n{counted(calendar.total, 'answer')} on {counted(len(calendar.answers), 'day')} of 53 weeks, "
        f"at most {most}.",
        palette.ink,
    )
    last = (
        f"{date.fromordinal(day):%a} {_count(calendar, day)}" for day in range(today - _WEEK + 1, today + 1)
    )
    return text.append(f"\nThe last seven days: {', '.join(last)}.", palette.quiet)


def _on(day: str) -> str:
    return day if day == "today" else f"on {day}"


def _count(calendar: Calendar, day: int) -> str:
    return NONE if day in calendar.rest else str(calendar.answers.get(day, 0))


def _months(first: int, weeks: int, cell: int) -> str:
    """Return the names of the months, each above the first week in it, where they do not touch."""
    line = " " * _SIDE
    before = date.fromordinal(first - _WEEK).month
    for week in range(weeks):
        monday = date.fromordinal(first + _WEEK * week)
        at = _SIDE + cell * week
        if monday.month != before and cell_len(line) <= at and at + 3 <= _SIDE + cell * weeks:
            line = line.ljust(at) + f"{monday:%b} "
        before = monday.month
    return line.rstrip()


def _cell(calendar: Calendar, day: int, cells: int, palette: Palette) -> Text:
    level = calendar.level(day)
    if day > calendar.today and not level:
        return Text(" " * cells)
    if day in calendar.rest:
        sign, style = _REST, palette.quiet
    elif level:
        sign, style = SHADES[level], palette.accent
    else:
        sign, style = SHADES[0], palette.faint
    return Text(sign, style).append(" " * (cells - 1))


def _legend(calendar: Calendar, width: int, palette: Palette) -> Text:
    """Return what the signs mean, in numbers of answers."""
    limits = calendar.thresholds
    meanings = [(SHADES[0], "none", palette.faint), (_REST, "nothing due", palette.quiet)]
    for level, start in enumerate(limits, 1):
        end = limits[level] - 1 if level < len(limits) else None
        words = f"{grouped(start)}+" if end is None else str(start) if end == start else f"{start}–{end}"
        meanings.append((SHADES[level], words, palette.accent))
    text = Text(f"{'':{_SIDE}}answers:  ", palette.quiet)
    for number, (sign, words, style) in enumerate(meanings):
        gap = "   " if number else ""
        if text.cell_len + len(gap) + len(words) + 2 > width:
            text.append("\n" + " " * _SIDE)
            gap = ""
        text.append(gap)
        text.append(sign, style)
        text.append(f" {words}", palette.quiet)
    return text
