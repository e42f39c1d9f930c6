"""The widgets of the reference: the list of entries, the field for words, and the pane with one entry."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from studynorm.tui.calm_screen import HERE, IN_FIELD, MOVING
from studynorm.tui.reference_links import Link
from studynorm.tui.reference_view import Entry, entry_view, link_row
from studynorm.tui.text_input import TextInput
from studynorm.tui.theme import Palette


class EntryList(OptionList):
    """The entries of a section; Enter or a click opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Open", group=HERE),
        Binding("down,j", "cursor_down", "Next", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Before", show=False, group=MOVING),
        Binding("g", "first", "To the start", show=False, group=MOVING),
        Binding("G", "last", "To the end", show=False, group=MOVING),
    ]


class LinkList(OptionList):
    """Where an entry leads; Enter or a click goes there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Go there", group=HERE),
        Binding("down,j", "cursor_down", "Next link", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Link before", show=False, group=MOVING),
    ]


class FilterInput(TextInput):
    """The field for words; what is typed filters at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.take", "Show", group=IN_FIELD),
        Binding("down", "screen.move(1)", "Next", show=False, group=IN_FIELD),
        Binding("up", "screen.move(-1)", "Before", show=False, group=IN_FIELD),
        Binding("escape", "screen.clear", "Clear", group=IN_FIELD),
    ]


class EntryPane(VerticalScroll):
    """One entry with its links below; everything scrolls together."""

    can_focus = False

    def compose(self) -> Iterable[Widget]:
        """Yield the words and the links."""
        yield Static(id="reference-words", markup=False)
        yield Static("See also", id="reference-see", markup=False)
        yield LinkList(id="reference-links", markup=False, compact=True)

    def show(
        self, entry: Entry, topics: Sequence[str], links: Sequence[Link], width: int, palette: Palette
    ) -> None:
        """Show an entry from its start; `width` is the room for a link."""
        self.query_one("#reference-words", Static).update(entry_view(entry, topics, palette))
        self._show_links(Option(link_row(link.target, link.title, width, palette)) for link in links)

    def say(self, words: str) -> None:
        """Show some words in the place of an entry."""
        self.query_one("#reference-words", Static).update(words)
        self._show_links(())

    def _show_links(self, options: Iterable[Option]) -> None:
        links = self.query_one(LinkList)
        links.set_options(options)
        links.display = self.query_one("#reference-see").display = links.option_count > 0
        self.scroll_home(animate=False)

    def go_to_links(self) -> None:
        """Let the keys move along the links, the first one marked."""
        links = self.query_one(LinkList)
        links.highlighted = None
        self.screen.set_focus(links)
        links.highlighted = 0

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Keep the marked link in view."""
        event.stop()
        place = event.option_list.virtual_region.y + event.option_index
        if event.option_list.has_focus and not 0 <= place - self.scroll_offset.y < self.size.height:
            self.scroll_to(y=place - self.size.height + 2, animate=False)
