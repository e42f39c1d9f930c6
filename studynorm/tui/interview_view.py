"""What the interview screens show, as plain functions: the list, the clock, the rubric, the result."""

from collections.abc import Collection, Sequence
from datetime import date

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.scheduling.studyday import Moment
from studynorm.storage.interviews import InterviewAnswer
from studynorm.study.interview import Interview, Record
from studynorm.tui.markup_view import markup, markup_line
from studynorm.tui.theme import Palette
from studynorm.tui.when import counted


def time_text(seconds: int) -> str:
    """Return seconds as `4:05`."""
    return f"{abs(seconds) // 60}:{abs(seconds) % 60:02d}"


def clock_text(interview: Interview, palette: Palette) -> Text:
    """Return how long the answer takes; where it is timed, what is left or how far it is over."""
    limit = time_text(60 * interview.question.minutes)
    if interview.shown:
        return Text(f"took {time_text(interview.seconds)} of {limit}", palette.quiet)
    if not interview.timed:
        return Text(f"{time_text(interview.seconds)} of {limit}", palette.quiet)
    if interview.left >= 0:
        return Text(f"{time_text(interview.left)} left of {limit}", palette.ink)
    return Text(f"over by {time_text(interview.left)}", f"bold {palette.again}")


def score_text(answer: InterviewAnswer) -> str:
    """Return how many points of the rubric were made: `4 of 6 points`."""
    return f"{len(answer.made)} of {counted(len(answer.made) + len(answer.missed), 'point')}"


def day_text(day: int, now: Moment) -> str:
    """Return a study day as seen from now: `today`, `yesterday`, `3 days ago`, `on 5 March 2026`."""
    ago = now.day - day
    if ago <= 0:
        return "today"
    if ago == 1:
        return "yesterday"
    if ago < 30:
        return f"{ago} days ago"
    then = date.fromordinal(day)
    return f"on {then.day} {then:%B %Y}"


def record_row(record: Record, now: Moment, palette: Palette) -> RenderableType:
    """Return a question in the list: its first line, its minutes, and what was made of it last."""
    grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
    grid.add_column(ratio=1)
    question = markup_line(record.question.ask, palette)
    question.truncate(400)
    aside = f"{record.question.minutes} min"
    if record.last is None:
        aside += "  ·  not answered yet"
    else:
        aside += f"  ·  {score_text(record.last)} {day_text(record.last.moment.day, now)}"
        if record.times > 1 and record.best is not None:
            aside += f"  ·  best {record.best:.0%} in {counted(record.times, 'answer')}"
    grid.add_row(question)
    grid.add_row(Text(aside, palette.quiet))
    grid.add_row(Text())
    return grid


def hints_view(hints: Sequence[str], palette: Palette) -> RenderableType:
    """Return the hints that were asked for."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for number, hint in enumerate(hints, 1):
        grid.add_row(Text(f"Hint {number}", palette.quiet), markup(hint, palette))
    return grid


def model_view(answer: str, palette: Palette) -> RenderableType:
    """Return the model answer."""
    return Group(Text("Model answer", f"bold {palette.quiet}"), markup(answer, palette))


def notes_view(notes: str, palette: Palette) -> RenderableType:
    """Return what the learner typed, to be compared with the model answer."""
    return Group(Text("Your notes", f"bold {palette.quiet}"), Text(visible(notes), palette.ink))


def rubric_heading(points: Sequence[str], made: Collection[int], palette: Palette) -> Text:
    """Return the line over the points: how many of them were made."""
    return Text(f"Which points did you make?  {len(made)} of {len(points)}", f"bold {palette.quiet}")


def point_view(number: int, point: str, palette: Palette, *, made: bool, at_cursor: bool) -> RenderableType:
    """Return a point to tick, the one at the cursor marked; a tick is a sign as well as a colour."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    for _ in range(3):
        grid.add_column(no_wrap=True)
    grid.add_column()
    tick = Text("[x]", f"bold {palette.good}") if made else Text("[ ]", palette.quiet)
    cursor = Text("❯" if at_cursor else " ", f"bold {palette.accent}")
    grid.add_row(cursor, tick, Text(f"{number + 1}", palette.quiet), markup(point, palette))
    return grid
