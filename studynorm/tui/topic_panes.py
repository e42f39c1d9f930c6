"""The two panes of a topic: its note, and the list of its items; where there is no room, one of them."""

from collections.abc import Iterable, Sequence

from rich.text import Text
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from studynorm.content.visible import visible
from studynorm.scheduling.studyday import Moment
from studynorm.study.items import ItemRow
from studynorm.study.ordering import Sort
from studynorm.tui.browse_table import BrowseTable
from studynorm.tui.browse_view import header, with_legend
from studynorm.tui.markup_view import markup
from studynorm.tui.theme import Palette
from studynorm.tui.topic_view import TopicPainter, columns_for

_EMPTY_NOTE = "This topic has no note."
_EMPTY_LIST = "This topic has no cards and no families."


class ItemTable(BrowseTable):
    """The items of the topic; says when it has got another size, as its columns are to fit it."""

    class Resized(Message):
        """The table has another size."""

    def on_resize(self) -> None:
        """Say so."""
        self.post_message(self.Resized())


class TopicPanes(Horizontal):
    """Note and items; which of them are seen is up to the classes of the screen."""

    def compose(self) -> Iterable[Widget]:
        """Yield the note, and the items with the names of their columns and the title at the cursor."""
        with Vertical(id="topic-note-pane"):
            yield Static("Note", id="topic-note-name", classes="topic-pane-name", markup=False)
            with VerticalScroll(id="topic-note", can_focus=False):
                yield Static(id="topic-note-text", markup=False)
        with Vertical(id="topic-items-pane"):
            yield Static("Items", id="topic-items-name", classes="topic-pane-name", markup=False)
            yield Static(id="topic-columns", markup=False)
            yield Static(_EMPTY_LIST, id="topic-empty", markup=False)
            yield ItemTable()
            yield Static(id="topic-here", markup=False)

    @property
    def table(self) -> ItemTable:
        """The list."""
        return self.query_one(ItemTable)

    def show_note(self, note: str, palette: Palette) -> None:
        """Show a note."""
        shown = markup(note, palette) if note else Text(_EMPTY_NOTE, palette.quiet)
        self.query_one("#topic-note-text", Static).update(shown)

    def show_rows(self, rows: Sequence[ItemRow], *, anew: bool) -> None:
        """Show rows with the cursor on the item where it was, or `anew` on the first one."""
        table = self.table
        here, at = table.here, 0 if anew else table.at
        if here is not None and not anew:
            at = next((place for place, row in enumerate(rows) if row.item == here.item), at)
        table.show(rows, at)
        self.query_one("#topic-empty").display = not rows
        self.query_one("#topic-columns").display = bool(rows)

    def show_title(self) -> None:
        """Show the whole title of the item at the cursor."""
        here = self.table.here
        title = "" if here is None else visible(here.title, keep_newlines=False)
        self.query_one("#topic-here", Static).update(title)

    def paint(self, now: Moment, palette: Palette) -> None:
        """Fit the rows to the room that there is, in the colours of now; nothing where they are hidden."""
        room = self.table.scrollable_content_region.width
        if room < 4:
            return
        columns = columns_for(room - 1)  # a blank before the scroll bar
        names, _ = header(columns, Sort.ORDER, rising=True, palette=palette)
        self.query_one("#topic-columns", Static).update(names)
        name = with_legend(Text("Items"), room, palette)
        self.query_one("#topic-items-name", Static).update(name)
        self.table.paint_with(TopicPainter(columns, now, palette), frozenset())
