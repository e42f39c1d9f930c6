"""What the home screen says, as plain functions of an Overview: the headline, the topics, the notices."""

from collections.abc import Sequence
from datetime import date

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.scheduling.studyday import Moment
from studynorm.study.catchup import Waiting
from studynorm.study.overview import Overview, Strength, TopicState
from studynorm.tui.catchup_view import home_words
from studynorm.tui.theme import Palette
from studynorm.tui.when import counted, date_words, duration_words, next_words

SIGNS = {Strength.NEW: "·", Strength.LEARNING: "┄", Strength.YOUNG: "─", Strength.MATURE: "━"}
_COUNT_WIDTH, _GAP = 5, 2
_WIDEST_BAR, _NARROWEST_BAR = 24, 8
_LEAST_TITLE = 14


def due_now(overview: Overview, learn_ahead: int) -> int:
    """Return how many items a session would show now; learning steps that are far off don't count."""
    waiting = overview.today.new + overview.today.review
    soon = overview.next_at is not None and overview.next_at - overview.moment.at <= 1000 * learn_ahead
    return waiting + (overview.today.learning if soon else 0)


def headline(overview: Overview, learn_ahead: int) -> str:
    """Say in one line what there is to do, or that there is nothing and when the next item comes."""
    if due_now(overview, learn_ahead):
        return "Press Enter to begin."
    coming = next_words(overview.moment, overview.next_at, overview.next_day)
    if not coming:
        return "Nothing is due."
    done = "All done for today." if overview.done.answers else "Nothing is due now."
    return f"{done} The next item comes {coming}."


def done_words(overview: Overview) -> str:
    """Say what was done today; empty when nothing was."""
    done = overview.done
    if not done.answers:
        return ""
    time = duration_words(done.duration_ms)
    return f"Today: {counted(done.answers, 'answer')}, {done.passed} passed, {time}"


def home_lines(overview: Overview, waiting: Waiting | None, learn_ahead: int, palette: Palette) -> Text:
    """Return the lines beside the counts: what to do, what a catch-up plan is about, and what was done.

    That far more is waiting than usual comes first.
    """
    begin, catch_up = headline(overview, learn_ahead), "" if waiting is None else home_words(waiting)
    offered = waiting is not None and waiting.offered
    first, second = (catch_up, begin) if offered else (begin, catch_up)
    text = Text(first, palette.ink)
    for line in filter(None, (second, done_words(overview))):
        text.append(f"\n{line}", palette.quiet)
    return text


def date_line(now: Moment, interview: date | None) -> str:
    """Return the study day, and how far off the interview is where one is to come."""
    days = None if interview is None else interview.toordinal() - now.day
    if days is None or days < 0:
        return date_words(now)
    when = ("today", "tomorrow")[days] if days < 2 else f"in {days} days"
    return f"{date_words(now)} · interview {when}"


def name_words(profile: str, palette: Palette) -> Text:
    """Return the name of the program, and that of the profile where it is not the usual one."""
    text = Text("studynorm", f"bold {palette.accent}", no_wrap=True, overflow="ellipsis")
    return text if profile == "default" else text.append(f" · {profile}", f"not bold {palette.quiet}")


def amiss_words(options: Sequence[object], zone: str | None, errors: int, notices: int) -> str:
    """Return what wants a look: problems of the options, the time zone, then the decks.

    A single problem of the options is told in full where there is room for it.
    """
    others = [part for part in (zone, problems_words(errors, notices)) if part]
    found = f"{counted(len(options), 'problem')} in config.toml"
    if options and not others:
        found = f"{found}: {options[0]}" if len(options) == 1 else f"{found}, the first: {options[0]}"
    elif options:
        found = f"{found} (o shows them)"
    return " ".join(f"{part.rstrip('.')}." for part in ([found] if options else []) + others)


def problems_words(errors: int, notices: int) -> str:
    """Return the line about decks that want a look: broken ones first; empty when all is well.

    `notices` counts the learner's versions of shipped cards that an upgrade has overtaken.
    """
    if errors:
        return f"{counted(errors, 'problem')} in your decks: run “studynorm check”."
    if notices:
        whose = "card" if notices == 1 else "cards"
        return f"{notices} edited {whose} of yours changed in the shipped decks: run “studynorm check”."
    return ""


def columns(width: int) -> tuple[int, int]:
    """Return the widths of the title and of the strength bar for rows of a width; 0 leaves the bar out."""
    fixed = 3 * _COUNT_WIDTH
    bar = min(_WIDEST_BAR, width - fixed - 2 * _GAP - 4 - 34)
    if bar < _NARROWEST_BAR:
        bar = min(_NARROWEST_BAR, width - fixed - 2 * _GAP - 4 - _LEAST_TITLE)
    if bar < _NARROWEST_BAR:
        return max(4, width - fixed), 0
    return width - fixed - 2 * _GAP - 4 - bar, bar


def header_row(width: int, palette: Palette) -> Text:
    """Return the titles of the columns."""
    title, bar = columns(width)
    text = Text(no_wrap=True, overflow="crop", style=palette.quiet)
    text.append("Topic".ljust(title))
    for word in ("new", "lrn", "due"):
        text.append(word.rjust(_COUNT_WIDTH))
    if bar:
        text.append(" " * _GAP + "strength".ljust(bar) + " " * _GAP + "of".rjust(4))
    return text


def topic_row(topic: TopicState, width: int, palette: Palette) -> Text:
    """Return one topic: its title, what is left today, its strength bar and its number of items."""
    title, bar = columns(width)
    text = Text(no_wrap=True, overflow="crop")
    text.append(_cut(visible(topic.title, keep_newlines=False), title), palette.ink)
    for count, colour in (
        (topic.today.new, palette.easy),
        (topic.today.learning, palette.again),
        (topic.today.review, palette.good),
    ):
        text.append(str(count).rjust(_COUNT_WIDTH), colour if count else palette.faint)
    if bar:
        text.append(" " * _GAP)
        text.append_text(strength_bar(topic, bar, palette))
        text.append(" " * _GAP + str(topic.total).rjust(4), palette.quiet)
    return text


def strength_bar(topic: TopicState, width: int, palette: Palette) -> Text:
    """Return a bar of mature, young, learning and new items, told apart by signs as well as colours."""
    parts = (
        (Strength.MATURE, topic.mature, palette.accent),
        (Strength.YOUNG, topic.young, palette.accent),
        (Strength.LEARNING, topic.learning, palette.hard),
        (Strength.NEW, topic.new, palette.faint),
    )
    cells = shares([count for _, count, _ in parts], width)
    text = Text(no_wrap=True)
    for (strength, _, colour), number in zip(parts, cells, strict=True):
        text.append(SIGNS[strength] * number, colour)
    return text


def shares(counts: list[int], width: int) -> list[int]:
    """Share out `width` cells by counts: every count above 0 gets a cell where there are enough."""
    total = sum(counts)
    if not total or width <= 0:
        return [0] * len(counts)
    cells = [max(1 if count else 0, count * width // total) for count in counts]
    while sum(cells) != width:
        excess = {at: cells[at] - width * counts[at] / total for at in range(len(counts))}
        if sum(cells) > width:
            spare = [at for at in excess if cells[at] > 1] or [at for at in excess if cells[at]]
            cells[max(spare, key=excess.__getitem__)] -= 1
        else:
            cells[min(excess, key=excess.__getitem__)] += 1
    return cells


def legend(palette: Palette) -> Text:
    """Return what the signs of the bar mean."""
    text = Text(no_wrap=True, overflow="crop", style=palette.quiet)
    for number, (strength, sign) in enumerate(reversed(SIGNS.items())):
        text.append(f"{'   ' if number else ''}{3 * sign} {strength.value}")
    return text


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width - 1:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, max(0, width - 2)).rstrip() + "…", width)
