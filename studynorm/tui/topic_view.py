"""How a topic looks, as plain functions: its head, what its items are worth, and the rows of the list."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.scheduling.studyday import Moment
from studynorm.study.items import ItemRow
from studynorm.study.overview import Strength, TopicState
from studynorm.study.situation import Counts
from studynorm.study.topic import TopicSheet
from studynorm.tui.browse_view import Column, RowPainter, fitted
from studynorm.tui.home_view import SIGNS, strength_bar
from studynorm.tui.theme import Palette
from studynorm.tui.when import clock_words, counted

_LEAD, _GAP = 3, 2
_STATE, _DUE, _RECALL = Column("state", 10), Column("due", 12), Column("recall", 6, right=True)
_LEAST_TITLE = 26
_WIDEST_BAR, _NARROWEST_BAR = 24, 6
_MINUTE = 60_000  # ms
_MONTH_DAYS, _YEAR_DAYS = 30.4, 365
_STARTS_HERE = "Today's new items come from earlier topics; Space starts here."
NOTE, ITEMS = "note", "items"


# -- the head ------------------------------------------------------------------------------------------
def title_line(sheet: TopicSheet, width: int, palette: Palette) -> Text:
    """Return the title, and at the right which of the topics this is."""
    place = f"topic {sheet.number} of {sheet.of}" if sheet.number else ""
    if cell_len(place) + 14 > width:
        place = ""
    place = f" {place}" if place else ""
    room = max(1, width - cell_len(place))
    text = Text(no_wrap=True, overflow="crop")
    text.append(fitted(visible(sheet.state.title, keep_newlines=False), room), f"bold {palette.ink}")
    return text.append(place, palette.quiet)


def strength_line(state: TopicState, width: int, palette: Palette) -> Text:
    """Return how many items there are and how well they are known, as a bar and in numbers."""
    text = Text(counted(state.total, "item"), palette.ink, no_wrap=True, overflow="crop")
    parts = (
        (Strength.MATURE, state.mature, palette.accent),
        (Strength.YOUNG, state.young, palette.accent),
        (Strength.LEARNING, state.learning, palette.hard),
        (Strength.NEW, state.new, palette.quiet),
    )
    for words in (True, False):
        counts = Text()
        for strength, count, colour in parts:
            counts.append("   ")
            counts.append(f"{SIGNS[strength]} {count}", colour if count else palette.faint)
            if words:
                counts.append(f" {strength.value}", palette.quiet if count else palette.faint)
        room = width - text.cell_len - counts.cell_len
        if room >= 0:
            break
    bar = min(_WIDEST_BAR, room - 3)
    if bar >= _NARROWEST_BAR and state.total:
        text.append("   ")
        text.append_text(strength_bar(state, bar, palette))
    return text.append_text(counts)


def today_line(sheet: TopicSheet, palette: Palette) -> Text:
    """Return what is left today, and how much of what was learned would be recalled now."""
    words = _STARTS_HERE if sheet.startable else left_words(sheet.state.today)
    text = Text(words, palette.ink, overflow="ellipsis", no_wrap=True)
    if sheet.recall is not None:
        text.append(f"   Predicted recall today: {sheet.recall:.0%}", palette.quiet)
    return text


def left_words(left: Counts) -> str:
    """Say what is left today, as in `Left today: 3 new, 1 learning.`; zeros are left out."""
    parts = ((left.new, "new"), (left.learning, "learning"), (left.review, "to review"))
    told = ", ".join(f"{count} {word}" for count, word in parts if count)
    return f"Left today: {told}." if told else "Nothing is left today."


def tabs_line(active: str, items: int, palette: Palette) -> tuple[Text, dict[str, tuple[int, int]]]:
    """Return the names of the two panes with the active one marked, and from where to where each reaches."""
    line, spans = Text(no_wrap=True, overflow="crop"), dict[str, tuple[int, int]]()
    for name, words in ((NOTE, " Note "), (ITEMS, f" Items {items} ")):
        start = line.cell_len
        line.append(words, f"bold reverse {palette.accent}" if name == active else palette.quiet)
        spans[name] = (start, line.cell_len)
        line.append("  ")
    return line, spans


# -- the list ------------------------------------------------------------------------------------------
def columns_for(width: int) -> tuple[Column, ...]:
    """Return the columns of a list of some width; the title takes what the others leave."""
    left, chosen = width - _LEAD, list[Column]()
    for column in (_STATE, _DUE, _RECALL):
        if left - column.width - _GAP < _LEAST_TITLE:
            break
        left -= column.width + _GAP
        chosen.append(column)
    return (Column("title", max(1, left)), *chosen)


def due_words(row: ItemRow, now: Moment) -> str:
    """Say when an item is asked: `now`, `in 9 min`, `today`, `in 12 days`, `3 days late`, `suspended`, ….

    Empty for a new item.
    """
    memory, days = row.memory, row.due_in
    if row.suspended or row.buried:
        return "suspended" if row.suspended else "buried"
    if memory is None or days is None:
        return ""
    if memory.due_at is not None and days <= 0:
        minutes = -(-(memory.due_at - now.at) // _MINUTE)
        if minutes < 60:
            return "now" if minutes <= 0 else f"in {minutes} min"
        return f"at {clock_words(memory.due_at, now.offset)}"
    if days < 0:
        return f"{_span(-days)} late"
    return ("today", "tomorrow")[days] if days < 2 else f"in {_span(days)}"


def _span(days: int) -> str:
    if days < 100:
        return counted(days, "day")
    if days < 2 * _YEAR_DAYS:
        return f"{days / _MONTH_DAYS:.0f} mo"
    return f"{days / _YEAR_DAYS:.0f} years"


class TopicPainter(RowPainter):
    """Paints the rows of a topic: the state with the sign of the bar, and the due day in words."""

    def __init__(self, columns: Sequence[Column], now: Moment, palette: Palette) -> None:
        super().__init__(columns, now, palette)
        self._today = now
        self._told = {
            Strength.NEW: Style(color=palette.quiet),
            Strength.LEARNING: Style(color=palette.hard),
            Strength.YOUNG: Style(color=palette.accent),
            Strength.MATURE: Style(color=palette.accent),
        }
        self._idle, self._waiting = Style(color=palette.hard), Style(color=palette.good)
        self._later = Style(color=palette.quiet)

    def cell(self, name: str, row: ItemRow) -> tuple[str, Style]:
        """Return the text of a column for a row, and its style."""
        match name:
            case "state":
                return f"{SIGNS[row.strength]} {row.strength.value}", self._told[row.strength]
            case "due":
                paused = row.suspended or row.buried
                style = self._idle if paused else self._waiting if row.due else self._later
                return due_words(row, self._today), style
            case _:
                return super().cell(name, row)
