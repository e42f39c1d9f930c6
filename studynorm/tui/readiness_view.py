"""What the readiness screen shows, as plain functions: one row for each topic, and the sums above."""

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from studynorm.content.visible import visible
from studynorm.study.readiness import Outlook, Readiness, below_words, date_words, pace_words
from studynorm.tui.theme import Palette

SURE, MAYBE, NOT = "━", "╍", "─"
"""Up to the lower end of the range, up to its upper end, and the rest."""
_LEARNED, _SHARE, _BELOW, _GAP = 9, 9, 7, 2
_WIDEST_BAR, _NARROWEST_BAR, _LEAST_TITLE = 24, 8, 16


def columns(width: int) -> tuple[int, int]:
    """Return the widths of title and bar for rows of a width; 0 leaves the bar out."""
    fixed = _LEARNED + _SHARE + _BELOW
    bar = min(_WIDEST_BAR, width - fixed - _GAP - 30)
    if bar < _NARROWEST_BAR:
        bar = min(_NARROWEST_BAR, width - fixed - _GAP - _LEAST_TITLE)
    if bar < _NARROWEST_BAR:
        return max(4, width - fixed), 0
    return width - fixed - _GAP - bar, bar


def header_row(width: int, palette: Palette) -> Text:
    """Return the titles of the columns."""
    title, bar = columns(width)
    text = Text(no_wrap=True, overflow="crop", style=palette.quiet)
    text.append("Topic".ljust(title) + "learned".rjust(_LEARNED))
    if bar:
        text.append(" " * _GAP + "recall".ljust(bar))
    return text.append(("on the day" if bar else "recall").rjust(_SHARE) + "below".rjust(_BELOW))


def outlook_row(title: str, outlook: Outlook, width: int, palette: Palette, *, bold: bool = False) -> Text:
    """Return one topic: how much of it is learned, its predicted recall with its range, and what is below."""
    room, bar = columns(width)
    weight = "bold " if bold else ""
    text = Text(no_wrap=True, overflow="crop")
    text.append(_cut(visible(title, keep_newlines=False), room), f"{weight}{palette.ink}")
    whole = not outlook.unlearned and outlook.items
    learned = f"{outlook.learned}/{outlook.items}"
    text.append(learned.rjust(_LEARNED), palette.good if whole else palette.quiet)
    if bar:
        text.append(" " * _GAP).append_text(recall_bar(outlook, bar, palette))
    share = share_text(outlook).rjust(_SHARE)
    text.append(share, f"{weight}{palette.ink}" if outlook.learned else palette.faint)
    return text.append(str(outlook.below).rjust(_BELOW), palette.hard if outlook.below else palette.faint)


def share_text(outlook: Outlook) -> str:
    """Return `83 % ±6`, the half width of the range; `–` where nothing is learned."""
    if outlook.recall is None:
        return "–"
    half = outlook.half_width or 0.0
    return f"{round(100 * outlook.recall)} % ±{round(100 * half)}"


def recall_bar(outlook: Outlook, width: int, palette: Palette) -> Text:
    """Return a bar: bright up to the lower end of the range, broken up to its upper end."""
    low, high = outlook.interval or (0.0, 0.0)
    sure, maybe = int(low * width), round(high * width)
    text = Text(SURE * sure, palette.accent, no_wrap=True)
    text.append(MAYBE * max(0, maybe - sure), palette.accent)
    return text.append(NOT * (width - max(sure, maybe)), palette.faint)


def legend(palette: Palette) -> Text:
    """Return what the signs and the ± mean."""
    words = f"±: 95 of 100 such days, if nothing is reviewed before.   {3 * SURE}{2 * MAYBE} that range"
    return Text(words, palette.quiet, no_wrap=True, overflow="ellipsis")


def sentences(ready: Readiness, limit: int, palette: Palette) -> Text:
    """Return what stands above the table: the day, what would be forgotten, and the pace."""
    text = Text(date_words(ready), palette.ink)
    text.append(f"\n{below_words(ready)}", palette.quiet)
    pace = pace_words(ready, limit)
    return text.append(f"\n{pace}", palette.quiet) if pace else text


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width - 1:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, max(0, width - 2)).rstrip() + "…", width)
