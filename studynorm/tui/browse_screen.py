"""Every item in one table: filtered while one types, sorted, opened, explained, and changed."""

import gc
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Static

from studynorm.content.visible import visible
from studynorm.scheduling.memory import Review
from studynorm.storage.errors import StoreError
from studynorm.study.history import story_of
from studynorm.study.items import ItemRow, Kind, item_rows
from studynorm.study.listing import Listing
from studynorm.study.ordering import Sort
from studynorm.tui.browse_table import BrowseHead, BrowseTable
from studynorm.tui.browse_view import RowPainter, about, columns_for, count_words, header, with_legend
from studynorm.tui.calm_screen import HERE, IN_FIELD, PROGRAM, CalmScreen
from studynorm.tui.history_view import history_view
from studynorm.tui.item_actions import ItemActions
from studynorm.tui.overlay import Overlay
from studynorm.tui.practice import Practice
from studynorm.tui.text_input import TextInput

LEGEND = "words  is:due  is:new  topic:back*  tag:…  stability<7  lapses>3  -is:new  a or b"


class FilterInput(TextInput):
    """The filter; what is typed acts at once, and a key behind the one that leaves it is not for it any more.

    Over a slow line both come together, and the second is here before the first has acted.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "screen.to_table", "To the table", group=IN_FIELD),
        Binding("enter,down", "screen.to_table", "To the table", show=False, group=IN_FIELD),
    ]

    @property
    def content_width(self) -> int:
        """The width of the field while the text fits: another one would lay out the screen with every key."""
        return max(super().content_width, self.scrollable_content_region.width)

    def watch_value(self, value: str) -> None:
        """Filter in the same breath, so that field and table are painted once and not one after the other."""
        if self.is_mounted and isinstance(self.screen, BrowseScreen):
            self.screen.type(value)

    async def _on_key(self, event: events.Key) -> None:
        here, leaves = self.screen.focused is self, event.key in ("escape", "enter", "down")
        if here and not leaves:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        if here:
            await self.run_action("screen.to_table")
        else:
            self.app.simulate_key(event.key)


class BrowseScreen(CalmScreen, ItemActions):
    """The table of all items, filtered at first by `filter`."""

    CSS_PATH = Path(__file__).with_name("browse.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("/", "to_filter", "Filter", group=HERE),
        Binding("s", "sort", "Sort", group=HERE),
        Binding("S", "reverse", "Other way round", show=False, group=HERE),
        Binding("x,space", "mark", "Mark", group=HERE),
        Binding("X", "mark_all", "Mark all or none", show=False, group=HERE),
        Binding("g", "grade", "Grade now", group=HERE),
        Binding("@", "suspend", "Suspend, or resume", show=False, group=HERE),
        Binding("-", "bury", "Bury until tomorrow, or take out again", show=False, group=HERE),
        Binding("F", "forget", "Forget", show=False, group=HERE),
        Binding("D", "set_due", "Set when it is due", show=False, group=HERE),
        Binding("u", "take_back", "Give back what was forgotten or set due", show=False, group=HERE),
        Binding("h,i", "history", "History", group=HERE),
        Binding("e", "edit", "Edit", show=False, group=HERE),
        Binding("p", "practise", "Practise this family", show=False, group=HERE),
        Binding("r", "reload", "Read the decks again", show=False, group=HERE),
        Binding("q", "app.pop_screen", "Back", group=HERE),
        Binding("escape", "clear", "Clear the marks, then the filter; then back", show=False, group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
    ]

    def __init__(self, filter: str = "") -> None:
        super().__init__()
        self._given = filter
        self._list = Listing(filter)
        self._marked: frozenset[str] = frozenset()
        self._newest: Review | None = None

    def body(self) -> Iterable[Widget]:
        """Yield the count, the filter with its hint, and the table."""
        with Horizontal(id="browse-top"):
            yield Static("Browse", id="browse-name", markup=False)
            yield Static("reading …", id="browse-count", markup=False)
        with Horizontal(id="filter-panel"):
            yield FilterInput(
                self._list.text,
                id="filter",
                placeholder="type / and what to look for",
                select_on_focus=False,
                compact=True,
            )
        yield Static(id="filter-hint", markup=False)
        yield BrowseHead()
        yield BrowseTable()

    def on_mount(self) -> None:
        """Read the items once the screen is there."""
        self._table.focus()
        self.call_after_refresh(self.decks_changed)

    def on_screen_resume(self) -> None:
        """Read the items again where something was answered over this screen."""
        if self._list.rows and self._newest != self._newest_now():
            self.decks_changed()

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self.call_after_refresh(self._paint)

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        self._paint()

    # -- what is shown -------------------------------------------------------------------------------
    @property
    def _table(self) -> BrowseTable:
        return self.query_one(BrowseTable)

    def decks_changed(self) -> None:
        """Read decks and profile again; filter, order and cursor stay."""
        self._newest = self._newest_now()
        try:
            self._list.take(item_rows(self.study.desk))
        except StoreError as error:
            self.tell(str(error), trouble=True)
            return
        gc.freeze()  # else the collector goes through all of them between two keys, for 0.1 s
        self._show()
        self._paint()

    def _newest_now(self) -> Review | None:
        try:
            return self.study.desk.store.last_review(self.study.desk.clock().day)
        except StoreError:  # told where the items are read
            return None

    def on_unmount(self) -> None:
        """Leave the rows to the garbage collector again."""
        gc.unfreeze()

    def _show(self) -> None:
        """Show the list; the cursor stays on its item, or where it was, but at the top while one types."""
        here, at, shown = self._table.here, self._table.at, self._list.shown
        if here is not None:
            places = (place for place, row in enumerate(shown) if row.item == here.item)
            at = next(places, 0 if self._typing else at)
        self._table.show(shown, at)
        self._tell_count()

    def _paint(self) -> None:
        width = self._table.scrollable_content_region.width
        if width < 4:
            return
        columns = columns_for(width - 1)  # a blank before the scroll bar
        head = header(columns, self._list.sort, rising=self._list.rising, palette=self.palette)
        self.query_one(BrowseHead).show(*head)
        self._table.paint_with(RowPainter(columns, self.study.desk.clock(), self.palette), self._marked)
        self._tell_count()
        self._tell_hint()

    def _tell_count(self) -> None:
        shown = self._list.shown
        marked = sum(row.item in self._marked for row in shown) if self._marked else 0
        words = count_words(len(shown), len(self._list.rows), marked, self._list.sort)
        self.query_one("#browse-count", Static).update(words, layout=False)

    def _tell_hint(self) -> None:
        here, hint = self._table.here, self.query_one("#filter-hint", Static)
        if self._list.hint:
            sign, colour = ("! ", self.palette.hard) if self._list.amiss else ("", self.palette.quiet)
            line = Text(sign + visible(self._list.hint, keep_newlines=False), colour)
        elif self._typing and not self._list.text:
            line = Text(LEGEND, self.palette.quiet)
        elif here is None:
            line = Text("No item matches." if self._list.text else "There are no items.", self.palette.quiet)
        else:
            line = Text(about(here), self.palette.quiet)
            line = with_legend(line, hint.content_size.width, self.palette, marks=bool(self._marked))
        hint.update(line, layout=False)

    @property
    def _typing(self) -> bool:
        return isinstance(self.focused, FilterInput)

    def on_browse_table_moved(self) -> None:
        """Say which row the cursor is on."""
        self._tell_hint()

    # -- the filter ----------------------------------------------------------------------------------
    def type(self, text: str) -> None:
        """Filter by what is typed so far."""
        if text != self._list.text:
            self._list.type(text)
            self._show()
            self._tell_hint()

    def on_descendant_focus(self) -> None:
        """Offer the language of the filter where it can be typed."""
        self._tell_hint()

    def action_to_filter(self) -> None:
        """Let the learner type."""
        self.query_one(FilterInput).focus()

    def action_to_table(self) -> None:
        """Leave the filter for the table."""
        self.set_focus(self._table)

    def action_clear(self) -> None:
        """Take the marks away, else the filter that was typed; without both go back."""
        if self._marked:
            self._marked = frozenset()
            self._paint()
        elif self._list.text and self._list.text != self._given:
            self.query_one(FilterInput).value = ""
        else:
            self.study.pop_screen()

    # -- order ---------------------------------------------------------------------------------------
    def action_sort(self) -> None:
        """Sort by what comes next."""
        sorts = list(Sort)
        self._sort_by(sorts[(sorts.index(self._list.sort) + 1) % len(sorts)])

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._sort_by(self._list.sort)

    def on_browse_head_clicked(self, event: BrowseHead.Clicked) -> None:
        """Sort by the clicked column, the other way round at the second click."""
        self._sort_by(event.sort)

    def _sort_by(self, sort: Sort) -> None:
        self._list.sort_by(sort)
        self._show()
        self._paint()

    # -- marks ---------------------------------------------------------------------------------------
    def action_mark(self) -> None:
        """Mark the row, or take its mark away, and go on to the next."""
        here = self._table.here
        if here is not None:
            self._marked ^= {here.item}
            self._table.action_move(1)
            self._paint()

    def action_mark_all(self) -> None:
        """Mark every row that is shown; where all are, none."""
        shown = frozenset(row.item for row in self._list.shown)
        self._marked = self._marked - shown if shown <= self._marked else self._marked | shown
        self._paint()

    # -- what is done to items, see ItemActions ------------------------------------------------------
    def targets(self) -> list[ItemRow]:
        """Return the marked rows that are shown, or the one under the cursor."""
        marked = [row for row in self._list.shown if row.item in self._marked]
        here = self._table.here
        return marked or ([] if here is None else [here])

    def say(self, message: str, *, trouble: bool = False) -> None:
        """Say what came of a change."""
        self.tell(message, trouble=trouble)

    def show_anew(self) -> None:
        """Show the rows as they are now."""
        self.decks_changed()

    # -- looking closer ------------------------------------------------------------------------------
    def on_browse_table_opened(self) -> None:
        """Open the row under the cursor."""
        row = self._table.here
        if row is not None:
            self.study.show_item(row.item)

    def action_history(self) -> None:
        """Show what happened to the item under the cursor, and why it is due when it is."""
        row = self._table.here
        if row is None:
            return
        try:
            story = story_of(self.study.desk, row)
        except StoreError as error:
            self.tell(str(error), trouble=True)
            return
        box = Overlay(visible(row.item, keep_newlines=False), history_view([(row, story)], self.palette))
        box.add_class("wide")
        self.app.push_screen(box)

    def action_practise(self) -> None:
        """Drill the family under the cursor."""
        row = self._table.here
        if row is not None and row.kind is Kind.FAMILY and not row.gone:
            self.study.show_drill(Practice((row.name,)))
        else:
            self.tell("Only a family can be practised; a card comes back when it is due.")

    def action_edit(self) -> None:
        """Open the card under the cursor in the learner's editor."""
        row = self._table.here
        if row is None:
            return
        if row.kind is Kind.FAMILY or row.gone:
            self.tell("Only a card can be edited.")
            return
        self.study.edit_item(row.item)

    def action_reload(self) -> None:
        """Read the decks again."""
        self.study.reload_decks()
        self.tell("The decks were read again.")
