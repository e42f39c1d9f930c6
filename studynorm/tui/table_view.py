"""A Markdown table at the width it is given: columns by their content, or a line for each value."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from studynorm.tui.flow import Flow
from studynorm.tui.formula_view import FormulaView

_GAPS = (3, 2)
_COMFORT = 12
"""So narrow a column of words may become, and no narrower."""


@dataclass(frozen=True)
class Cell:
    """What stands in a cell: words and formulas under each other, its width at ease and its narrowest."""

    parts: tuple[Flow | FormulaView, ...]
    wide: int
    narrow: int

    @classmethod
    def of(cls, parts: Sequence[Flow | FormulaView]) -> "Cell":
        """Return a cell with its measures."""
        wide = narrow = 0
        for part in parts:
            if isinstance(part, FormulaView):
                most, least = part.widths()
            else:
                most, least = part.cell_len, max(part.word_widths(), default=0)
            wide, narrow = max(wide, most), max(narrow, least)
        return cls(tuple(parts), wide, max(narrow, min(wide, _COMFORT)))

    def height(self, width: int) -> int:
        """Return how many lines it takes at a width."""
        lines = 0
        for part in self.parts:
            if isinstance(part, FormulaView):
                drawing = part.drawn(width)
                lines += 1 if drawing is None else drawing.height
            else:
                lines += part.height(width)
        return lines


@dataclass(frozen=True)
class TableView:
    """Shows the header over the rows; where columns would be too narrow, each value behind its header."""

    header: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rooms = [(gap, options.max_width - gap * (len(self.header) - 1)) for gap in _GAPS]
        wanted = [max(max(cell.wide for cell in column), 1) for column in self._by_column()]
        for gap, room in rooms:
            if sum(wanted) <= room:
                yield self._columns(wanted, gap)
                return
        for gap, room in rooms:
            widths = self._shared(wanted, room)
            if widths is not None:
                yield self._columns(widths, gap)
                return
        yield self._values()

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        wide = sum(max(cell.wide for cell in column) + _GAPS[0] for column in self._by_column()) - _GAPS[0]
        return Measurement(min(20, options.max_width), min(max(wide, 20), options.max_width))

    def _by_column(self) -> list[tuple[Cell, ...]]:
        return list(zip(self.header, *self.rows, strict=True))

    def _shared(self, wanted: Sequence[int], room: int) -> list[int] | None:
        """Return the widths of the columns where not all get what they want; None where none is enough.

        Of two ways of sharing the one with fewer lines: narrow columns first, or all by their content.
        """
        columns = self._by_column()
        least = [max(max(cell.narrow for cell in column), 1) for column in columns]
        if sum(least) > room:
            return None
        ways = (_narrow_first(least, wanted, room), _by_content(least, wanted, room))
        return min(ways, key=self._height)

    def _height(self, widths: Sequence[int]) -> int:
        rows = (self.header, *self.rows)
        return sum(max(cell.height(width) for cell, width in zip(row, widths, strict=True)) for row in rows)

    def _columns(self, widths: Sequence[int], gap: int) -> RenderableType:
        grid = Table.grid(padding=(0, gap, 0, 0), pad_edge=False)
        for width in widths:
            grid.add_column(width=width)
        for row in (self.header, *self.rows):
            shown = [Group(*cell.parts) for cell in row]
            bases = [_baseline(cell, width) for cell, width in zip(row, widths, strict=True)]
            downs = [max(bases) - base for base in bases]
            grid.add_row(*(Padding(part, (down, 0, 0, 0)) for part, down in zip(shown, downs, strict=True)))
        return grid

    def _values(self) -> RenderableType:
        lines: list[RenderableType] = []
        for row in self.rows:
            if lines:
                lines.append(Text())
            for title, cell in zip(self.header, row, strict=True):
                lines += _value(title, cell)
        return Group(*lines)


def _narrow_first(least: Sequence[int], wanted: Sequence[int], room: int) -> list[int]:
    """Return widths: each column, the narrowest first, has what it wants within its share of what is left."""
    widths = list(least)
    waiting = sorted(range(len(wanted)), key=lambda place: wanted[place])
    for number, place in enumerate(waiting):
        others = waiting[number + 1 :]
        left = room - sum(widths[done] for done in waiting[:number])
        share = max(left // (len(others) + 1), left - sum(wanted[other] for other in others))
        most = left - sum(least[other] for other in others)
        widths[place] = max(least[place], min(wanted[place], share, most))
    return widths


def _by_content(least: Sequence[int], wanted: Sequence[int], room: int) -> list[int]:
    """Return widths: spare cells go, one by one, to the column that is longest for its width."""
    widths = list(least)
    for _ in range(room - sum(least)):
        growing = [place for place, width in enumerate(widths) if width < wanted[place]]
        if not growing:
            break
        longest = max(growing, key=lambda place: wanted[place] / widths[place])
        widths[longest] += 1
    return widths


def _baseline(cell: Cell, width: int) -> int:
    """Return the row in which the letters of the first line of a cell stand."""
    first = cell.parts[0]
    drawing = first.drawn(width) if isinstance(first, FormulaView) else None
    return 0 if drawing is None else drawing.baseline


def _value(title: Cell, cell: Cell) -> list[RenderableType]:
    """Return a value behind its header, further parts under it."""
    head = Flow()
    for part in title.parts:
        if isinstance(part, Flow) and part.plain:
            head.append_text(part).append(": ", part.style)
    first, *rest = cell.parts
    if isinstance(first, Flow):
        lines: list[RenderableType] = [head.append_text(first)]
    else:
        lines, rest = [head] if head.plain else [], [first, *rest]
    return [*lines, *(Padding(part, (0, 0, 0, 2)) for part in rest)]
