"""How Browse looks: which columns fit a width, the header, one row, and the words around the table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from studynorm.content.visible import visible
from studynorm.scheduling.studyday import Moment
from studynorm.study.items import ItemRow, Kind
from studynorm.study.ordering import Sort, due_text, state_words
from studynorm.study.overview import Strength
from studynorm.study.titles import around_gap
from studynorm.tui.theme import Palette

KIND_SIGNS = {Kind.CARD: "Q", Kind.CLOZE: "…", Kind.FAMILY: "#"}
MARK = "✓"
_KINDS = tuple(f"{sign} {kind.value}" for kind, sign in KIND_SIGNS.items())
_MATTERS = ("! leech", "* edited")
_LEAD = 3
"""Cells for a mark or the kind, and for a sign that something is the matter."""
_GAP = 2
_SHORTEST_TITLE = 24


@dataclass(frozen=True, slots=True)
class Column:
    """A column; a click on its header sorts by `sort`, where it has one."""

    name: str
    width: int
    sort: Sort | None = None
    right: bool = False


_TITLE = Column("title", 0, Sort.TITLE)
# In the order in which they are wanted when the window grows.
_WANTED = (
    Column("state", 9),
    Column("due", 5, Sort.DUE, right=True),
    Column("topic", 13, Sort.ORDER),
    Column("stab", 5, Sort.STABILITY, right=True),
    Column("lapses", 7, Sort.LAPSES, right=True),
    Column("recall", 7, Sort.RECALL, right=True),
    Column("diff", 5, Sort.DIFFICULTY, right=True),
    Column("tags", 12),
)
_SHOWN = ("topic", "state", "due", "stab", "diff", "lapses", "recall", "tags")


def columns_for(width: int) -> tuple[Column, ...]:
    """Return the columns of a table of some width; the title takes what the others leave."""
    left, chosen = width - _LEAD, list[Column]()
    for column in _WANTED:
        if left - column.width - _GAP < (_SHORTEST_TITLE if width >= 64 else 12):
            break
        left -= column.width + _GAP
        chosen.append(column)
    chosen.sort(key=lambda column: _SHOWN.index(column.name))
    return (replace(_TITLE, width=max(1, left)), *chosen)


def header(
    columns: Sequence[Column], sort: Sort, *, rising: bool, palette: Palette
) -> tuple[Text, list[tuple[int, int, Sort]]]:
    """Return the header with an arrow at what is sorted by, and which cells sort by what when clicked."""
    line, spans = Text(" " * _LEAD, no_wrap=True, overflow="crop"), list[tuple[int, int, Sort]]()
    for number, column in enumerate(columns):
        line.append(" " * (_GAP if number else 0))
        here = column.sort is sort
        name = f"{column.name}{'▲' if rising else '▼'}" if here else column.name
        start = line.cell_len
        line.append(fitted(name, column.width, right=column.right), palette.accent if here else palette.quiet)
        if column.sort is not None:
            spans.append((start, line.cell_len, column.sort))
    return line, spans


class RowPainter:
    """Paints rows for one width and one palette."""

    def __init__(self, columns: Sequence[Column], now: Moment, palette: Palette) -> None:
        self._columns = columns
        self._now = now
        self._ink, self._quiet, self._accent = (
            Style(color=colour) for colour in (palette.ink, palette.quiet, palette.accent)
        )
        self._paused, self._late = Style(color=palette.hard), Style(color=palette.again)
        self._strengths = {
            Strength.NEW: Style(color=palette.easy),
            Strength.LEARNING: self._late,
            Strength.YOUNG: Style(color=palette.good),
            Strength.MATURE: Style(color=palette.good, bold=True),
        }

    def strip(self, row: ItemRow, *, marked: bool) -> Strip:
        """Return one row; neighbours in one style are one segment, as each costs time with every frame."""
        sign = MARK if marked else KIND_SIGNS[row.kind]
        matter = matter_sign(row)
        parts = [(sign, self._accent if marked else self._quiet)]
        parts.append((f"{matter} ", self._quiet if matter == " " else self._late))
        for number, column in enumerate(self._columns):
            text, style = self.cell(column.name, row)
            if column.name == _TITLE.name and row.kind is Kind.CLOZE:
                text = around_gap(text, column.width)
            blank = " " * (_GAP if number else 0)
            parts.append((blank + fitted(text, column.width, right=column.right), style))
        return Strip(
            Segment("".join(text for text, _ in run), style)
            for style, run in groupby(parts, key=lambda part: part[1])
        )

    def cell(self, name: str, row: ItemRow) -> tuple[str, Style]:
        """Return the text of a column for a row, and its style."""
        memory = row.memory
        idle = row.suspended or row.buried or row.gone
        match name:
            case "title":
                return row.title, self._quiet if idle else self._ink
            case "topic":
                return row.topic, self._quiet
            case "state":
                return state_words(row)[0], self._paused if idle else self._strengths[row.strength]
            case "due":
                late = not idle and row.due
                return due_text(row, self._now), self._late if late else self._quiet
            case "stab":
                return ("" if memory is None else number_text(memory.stability)), self._quiet
            case "diff":
                return ("" if memory is None else f"{memory.difficulty:.1f}"), self._quiet
            case "lapses":
                return (
                    str(memory.lapses) if memory is not None else ""
                ), self._late if row.leech else self._quiet
            case "recall":
                return ("" if row.recall is None else f"{row.recall:.0%}"), self._quiet
            case _:
                return " ".join(row.tags), self._quiet


def matter_sign(row: ItemRow) -> str:
    """Return `!` for a leech, `*` for a card that reads otherwise than when it was last answered."""
    return "!" if row.leech else "*" if row.edited else " "


def with_legend(line: Text, width: int, palette: Palette, *, marks: bool = False) -> Text:
    """Return a line with the meaning of the signs at its right end, as much of it as there is room for.

    `marks` tells whether rows are marked, which hides their kinds.
    """
    kinds = (*_KINDS, f"{MARK} marked") if marks else _KINDS
    for legend in ((*kinds, *_MATTERS), kinds):
        words = "  ".join(legend)
        room = width - line.cell_len - cell_len(words)
        if room >= _GAP + 1:
            return line.append(" " * room).append(words, f"not bold not reverse {palette.quiet}")
    return line


def about(row: ItemRow) -> str:
    """Return what the columns are too narrow for: kind, id and every word on the state."""
    return " · ".join((row.kind.value, *state_words(row), visible(row.name, keep_newlines=False)))


def count_words(shown: int, total: int, marked: int, sort: Sort) -> str:
    """Return how many rows are shown, and in which order."""
    words = f"{shown} of {total}" if shown != total else f"{total} items"
    return f"{words}{f' · {marked} marked' if marked else ''} · by {sort.value}"


def number_text(days: float) -> str:
    """Return a stability: one decimal below 100 days, whole above."""
    return f"{days:.1f}" if days < 99.95 else f"{days:.0f}"


def fitted(text: str, width: int, *, right: bool = False) -> str:
    """Return a text that takes exactly so many cells; one that is cut ends in `…`."""
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1) + "…"
    return " " * (width - length) + text if right else text + " " * (width - length)
