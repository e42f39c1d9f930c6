"""A table of any number of rows of which only those in view are painted, and its header."""

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from studynorm.study.items import ItemRow
from studynorm.study.ordering import Sort
from studynorm.tui.browse_view import RowPainter
from studynorm.tui.calm_screen import HERE, MOVING


class BrowseTable(ScrollView, can_focus=True):
    """The rows; one is marked out as the one that keys act on. Enter or a second click opens it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"browse--here"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", group=HERE),
        Binding("down,j", "move(1)", "Next", show=False, group=MOVING),
        Binding("up,k", "move(-1)", "Before", show=False, group=MOVING),
        Binding("pagedown", "page(1)", "A page down", show=False, group=MOVING),
        Binding("pageup", "page(-1)", "A page up", show=False, group=MOVING),
        Binding("home", "far(-1)", "To the first", show=False, group=MOVING),
        Binding("G,end", "far(1)", "To the last", show=False, group=MOVING),
    ]

    class Moved(Message):
        """Another row is the one that keys act on."""

    class Opened(Message):
        """The row under the cursor is to be opened."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[ItemRow] = ()
        self._marked: frozenset[str] = frozenset()
        self._painter: RowPainter | None = None
        self._at = 0
        self._style = Style()

    # -- what is shown -------------------------------------------------------------------------------
    @property
    def at(self) -> int:
        """The place of the cursor."""
        return self._at

    @property
    def here(self) -> ItemRow | None:
        """The row under the cursor; None where there is no row."""
        return self._rows[self._at] if self._at < len(self._rows) else None

    def show(self, rows: Sequence[ItemRow], at: int) -> None:
        """Show rows, with the cursor on one of them."""
        self._rows = rows
        self._fit()
        self._at = max(0, min(at, len(rows) - 1))
        self._into_view()
        self.refresh()

    def _fit(self) -> None:
        """Scroll over as many rows as there are; the screen is not laid out anew, as that is slow."""
        width, height = self.scrollable_content_region.size
        self.set_reactive(BrowseTable.virtual_size, Size(width, len(self._rows)))
        self.vertical_scrollbar.window_size = height
        self.vertical_scrollbar.window_virtual_size = max(height, len(self._rows))
        self.scroll_y = self.validate_scroll_y(self.scroll_y)

    def paint_with(self, painter: RowPainter, marked: frozenset[str]) -> None:
        """Paint with this painter from here on, some items marked."""
        self._painter, self._marked = painter, marked
        self._fit()
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of a part of what is in view."""
        self._style = self.rich_style  # worked out from the theme, which is slow for each line
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Return one line of what is in view."""
        at, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if self._painter is None or at >= len(self._rows):
            return Strip.blank(width, self._style)
        row = self._rows[at]
        strip = self._painter.strip(row, marked=row.item in self._marked)
        style = self.get_component_rich_style("browse--here") if at == self._at else self._style
        return strip.adjust_cell_length(width).apply_style(style)

    # -- moving --------------------------------------------------------------------------------------
    def move_to(self, at: int) -> None:
        """Put the cursor on a row, the nearest one where there is none."""
        at = max(0, min(at, len(self._rows) - 1))
        if at != self._at:
            self._at = at
            self._into_view()
            self.refresh()
            self.post_message(self.Moved())

    def on_resize(self) -> None:
        """Keep the cursor in view, as when a line of news takes a row away."""
        self._fit()
        self._into_view()

    def _into_view(self) -> None:
        top, height = self.scroll_offset.y, max(1, self.scrollable_content_region.height)
        if not top <= self._at < top + height:
            wanted = self._at if self._at < top else self._at - height + 1
            self.scroll_to(y=wanted, animate=False, force=True, immediate=True)

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows."""
        self.move_to(self._at + rows)

    def action_page(self, pages: int) -> None:
        """Move the cursor by pages."""
        self.move_to(self._at + pages * max(1, self.scrollable_content_region.height - 1))

    def action_far(self, way: int) -> None:
        """Move the cursor to the first or the last row."""
        self.move_to(0 if way < 0 else len(self._rows) - 1)

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if self.here is not None:
            self.post_message(self.Opened())

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the clicked row; open the one on which it stood already."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y + self.scroll_offset.y >= len(self._rows):
            return
        at = offset.y + self.scroll_offset.y
        if at == self._at:
            self.action_open()
        self.move_to(at)


class BrowseHead(Widget):
    """The names of the columns; a click on one sorts by it."""

    class Clicked(Message):
        """A column was clicked."""

        def __init__(self, sort: Sort) -> None:
            super().__init__()
            self.sort = sort

    def __init__(self) -> None:
        super().__init__()
        self._line = Text()
        self._spans: list[tuple[int, int, Sort]] = []

    def show(self, line: Text, spans: list[tuple[int, int, Sort]]) -> None:
        """Show a header, with the cells that sort when they are clicked."""
        self._line, self._spans = line, spans
        self.refresh()

    def render(self) -> Text:
        """Return the line."""
        return self._line

    def on_click(self, event: events.Click) -> None:
        """Sort by the clicked column."""
        offset = event.get_content_offset(self)
        for start, end, sort in self._spans:
            if offset is not None and start <= offset.x < end:
                self.post_message(self.Clicked(sort))
                return
