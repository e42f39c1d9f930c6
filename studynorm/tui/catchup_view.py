"""What home and the box say about catching up, as plain functions; never a word of blame."""

from collections.abc import Sequence
from datetime import date

from rich.text import Text

from studynorm.scheduling.catchup import Backlog
from studynorm.study.catchup import Waiting, through_words, waiting_words
from studynorm.tui.theme import Palette
from studynorm.tui.when import counted


def home_words(waiting: Waiting) -> str:
    """Return the line on the home screen; empty where there is nothing to say."""
    if waiting.plan is None:
        if waiting.caught_up:
            return "You have caught up: new items come again."
        return f"{waiting_words(waiting.backlog.due)}. c spreads them out." if waiting.offered else ""
    per_day, days = waiting.plan.per_day, waiting.days_left
    if days is None:
        return f"Catch-up: {per_day} a day, and as much comes due. c changes it."
    done = waiting.backlog.done >= per_day
    today = f"today’s {per_day} are done" if done else f"{per_day} a day"
    return f"Catch-up: {today}, about {counted(days, 'day')} left."


def box_words(waiting: Waiting, palette: Palette) -> Text:
    """Return what stands above the plans: how much is waiting, and what a plan does."""
    text = Text(f"{waiting_words(waiting.backlog.due)}.", f"bold {palette.ink}")
    if waiting.usual is not None:
        text.append(f" Your usual day has {waiting.usual}.", f"not bold {palette.quiet}")
    words = "At most so many a day, the most forgotten first; new items pause until you are through."
    return text.append(f"\n{words}", f"not bold {palette.quiet}")


def plan_row(number: str, backlog: Backlog, per_day: int, palette: Palette, *, held: bool) -> Text:
    """Return one plan: how many a day, on how many days, and the last of them."""
    row = Text(no_wrap=True, overflow="ellipsis")
    row.append(f"{number}  ", f"bold {palette.accent}")
    row.append(f"{per_day:>4} a day", f"bold {palette.ink}" if held else palette.ink)
    row.append(f"  {_until_words(backlog, per_day)}", palette.quiet)
    return row.append(" · in use" if held else "", palette.accent)


def _until_words(backlog: Backlog, per_day: int) -> str:
    """Return `  8 days, until Mon 9 Mar`, so that rows stand under each other."""
    last, days = backlog.through(per_day), backlog.days(per_day)
    if last is None or days is None:
        return "       no end within a year"
    then = date.fromordinal(last)
    year = "" if then.year == date.fromordinal(backlog.today).year else f" {then.year}"
    return f"{days:>4} {'day ' if days == 1 else 'days'}, until {then:%a} {then.day} {then:%b}{year}"


def action_row(key: str, words: str, palette: Palette) -> Text:
    """Return a row that does something else."""
    row = Text(no_wrap=True, overflow="ellipsis")
    return row.append(f"{key}  ", f"bold {palette.accent}").append(words, palette.ink)


def number_words(typed: str, backlog: Backlog, most: int) -> tuple[int | None, str]:
    """Return the number that is typed, if it can be one, and what to say of it."""
    text = typed.strip()
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= most):
        return None, f"a whole number from 1 to {most}"
    number = int(text)
    if backlog.due + backlog.done <= number:
        return None, f"all of it fits into one day of {number}: there is nothing to spread"
    return number, through_words(backlog, number)


def held_first(choices: Sequence[int], held: int | None) -> tuple[int, ...]:
    """Return the choices with the number of the plan that holds among them, in order."""
    return tuple(sorted({*choices, *([] if held is None else [held])}))
