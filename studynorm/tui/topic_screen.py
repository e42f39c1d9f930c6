"""A topic: its note, its items with what is remembered of them, and what can be done with it from here."""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from studynorm.storage.errors import StoreError
from studynorm.study.items import ItemRow, Kind
from studynorm.study.offers import Offer
from studynorm.study.topic import TopicSheet, topic_sheet
from studynorm.tui.browse_view import with_legend
from studynorm.tui.calm_screen import HERE, PROGRAM, CalmScreen, scroll_bindings
from studynorm.tui.item_actions import ItemActions
from studynorm.tui.practice import Practice
from studynorm.tui.topic_panes import TopicPanes
from studynorm.tui.topic_view import (
    ITEMS,
    NOTE,
    strength_line,
    tabs_line,
    title_line,
    today_line,
)

_SIDE_BY_SIDE = 112
"""From this width on, note and items stand side by side."""


class TopicScreen(CalmScreen, ItemActions):
    """One topic; note and items stand side by side where there is room, else one of them is shown."""

    CSS_PATH = Path(__file__).with_name("topic.tcss")
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012  declared so by Textual
        (0, "-too-narrow"),
        (24, "-narrow"),
        (64, "-medium"),
        (_SIDE_BY_SIDE, "-panes"),
    ]
    SCROLLED = "#topic-note"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,v", "review", "Review", group=HERE),
        Binding("tab,n,enter", "items", "Items", group=HERE),
        Binding("tab,n", "note", "Note", group=HERE),
        Binding("p", "practice", "Practice", group=HERE),
        Binding("d", "demos", "Demos", group=HERE),
        Binding("q,escape", "back", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        Binding("left_square_bracket", "turn(-1)", "Topic before", show=False, group=HERE),
        Binding("right_square_bracket", "turn(1)", "Next topic", show=False, group=HERE),
        Binding("b", "browse", "Browse this topic", show=False, group=HERE),
        Binding("e", "edit", "Edit the card", show=False, group=HERE),
        Binding("minus", "bury", "Bury until tomorrow, or take out again", show=False, group=HERE),
        Binding("at", "suspend", "Suspend, or resume", show=False, group=HERE),
        Binding("g", "grade", "Grade now", show=False, group=HERE),
        Binding("D", "set_due", "Set when it is due", show=False, group=HERE),
        Binding("u", "take_back", "Give back what was forgotten or set due", show=False, group=HERE),
        Binding("r", "reload", "Read the decks again", show=False, group=HERE),
        *scroll_bindings(),
    ]

    def __init__(self, topic: str) -> None:
        super().__init__()
        self._topic = topic
        self._sheet: TopicSheet | None = None
        self._demos: tuple[str, ...] = ()
        self._pane = ""
        self._spans: dict[str, tuple[int, int]] = {}

    def body(self) -> Iterable[Widget]:
        """Yield the head, the names of the panes, and both panes."""
        with Vertical(id="topic-head-lines"):
            yield Static(id="topic-title", markup=False)
            yield Static(id="topic-strength", markup=False)
            yield Static(id="topic-today", markup=False)
        yield Static(id="topic-tabs", markup=False)
        yield TopicPanes(id="topic-panes")

    # -- what is shown -------------------------------------------------------------------------------
    @property
    def _panes(self) -> TopicPanes:
        return self.query_one(TopicPanes)

    @property
    def _both(self) -> bool:
        return self.app.size.width >= _SIDE_BY_SIDE

    @property
    def has_more(self) -> bool:
        """Whether the note goes on below, while it has the moving keys."""
        return self._pane == NOTE and super().has_more

    def on_screen_resume(self) -> None:
        """Show how the topic stands now, at first and whenever the learner comes back."""
        self._read()

    def decks_changed(self) -> None:
        """Show decks that were read again, unless another screen hides them."""
        if self.is_current:
            self._read()

    def on_resize(self) -> None:
        """Fit everything to the new width."""
        self.call_after_refresh(self._paint)

    def on_item_table_resized(self) -> None:
        """Fit the columns to the room that the table has got."""
        self._paint()

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        if self._sheet is not None:
            self._panes.show_note(self._sheet.note, self.palette)
            self._paint()

    def _read(self, *, anew: bool = False) -> None:
        """Read the topic; `anew` it is another one, which is shown from its start."""
        from studynorm.demos.registry import demos

        try:
            sheet = topic_sheet(self.study.desk, self._topic)
        except StoreError as error:
            self.tell(str(error), trouble=True)
            return
        before, self._sheet = self._sheet, sheet
        self._demos = tuple(name for name in sheet.demos if name in demos())
        if before is None or anew or before.note != sheet.note:
            self._panes.show_note(sheet.note, self.palette)
        if not self._pane:
            self._turn_to(ITEMS if not sheet.note or self._both else NOTE)
        self._panes.show_rows(sheet.rows, anew=anew)
        self.call_after_refresh(self._paint)
        self.refresh_bindings()

    def _paint(self) -> None:
        sheet = self._sheet
        width = self.query_one("#topic-head-lines").size.width
        if sheet is None or width < 4:
            return
        palette = self.palette
        self.query_one("#topic-title", Static).update(title_line(sheet, width, palette))
        self.query_one("#topic-strength", Static).update(strength_line(sheet.state, width, palette))
        self.query_one("#topic-today", Static).update(today_line(sheet, palette))
        line, self._spans = tabs_line(self._pane, len(sheet.rows), palette)
        if self._pane == ITEMS and sheet.rows:
            with_legend(line, width, palette)
        self.query_one("#topic-tabs", Static).update(line)
        self._panes.paint(self.study.desk.clock(), palette)

    def _turn_to(self, pane: str) -> None:
        """Give one pane the keys, and the place where there is room for one only."""
        self._pane = pane
        self.set_class(pane == NOTE, "on-note")
        self.set_class(pane == ITEMS, "on-items")
        self.set_focus(self._panes.table if pane == ITEMS else None)
        self.call_after_refresh(self._paint)
        self.refresh_bindings()

    # -- keys ----------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        sheet = self._sheet
        match action:
            case "items":
                return sheet is not None and self._pane == NOTE
            case "note":
                return sheet is not None and self._pane == ITEMS
            case "review" | "browse":
                return sheet is not None and bool(sheet.rows)
            case "practice":
                return sheet is not None and bool(sheet.families)
            case "demos":
                return bool(self._demos)
            case "turn":
                return sheet is not None and sheet.of > (1 if sheet.number else 0)
            case "bury" | "suspend" | "grade" | "set_due" | "take_back":
                return self._here() is not None
            case "edit":
                here = self._here()
                return here is not None and here.kind is not Kind.FAMILY
        return super().check_action(action, parameters)

    def _here(self) -> ItemRow | None:
        """Return the item at the cursor; None where no cursor is to be seen."""
        if self._sheet is None or not (self._both or self._pane == ITEMS):
            return None
        return self._panes.table.here

    def on_browse_table_moved(self) -> None:
        """Show the whole title of the item at the cursor, and offer what can be done with it."""
        self._panes.show_title()
        self.refresh_bindings()

    def on_browse_table_opened(self) -> None:
        """Open the item at the cursor."""
        here = self._here()
        if here is not None:
            self.study.show_item(here.item)

    def on_click(self, event: events.Click) -> None:
        """Turn to the pane whose name or text was clicked."""
        if event.widget is None:
            return
        offset = event.get_content_offset(event.widget)
        if event.widget.id == "topic-tabs" and offset is not None:
            for pane, (start, end) in self._spans.items():
                if start <= offset.x < end:
                    self._turn_to(pane)
        elif self._both and event.widget.id in ("topic-note-text", "topic-note", "topic-note-name"):
            self._turn_to(NOTE)

    def action_items(self) -> None:
        """Turn to the items."""
        self._turn_to(ITEMS)

    def action_note(self) -> None:
        """Turn to the note."""
        self._turn_to(NOTE)

    def action_review(self) -> None:
        """Review what is due of this topic."""
        self.study.show_review(topic=self._topic)

    def action_practice(self) -> None:
        """Practise the families of this topic."""
        if self._sheet is not None:
            self.study.show_drill(Practice(self._sheet.families))

    def action_demos(self) -> None:
        """Show the demo of this topic, or choose among several."""
        from studynorm.demos.registry import demos
        from studynorm.tui.offers_screen import OffersScreen

        def chosen(offer: Offer | None) -> None:
            if offer is not None:
                self.study.show_target(offer.id)

        found = [Offer("demo", f"demo:{name}", None, demos()[name].title) for name in self._demos]
        if len(found) == 1:
            chosen(found[0])
        else:
            self.app.push_screen(OffersScreen(found, self.palette), chosen)

    def action_browse(self) -> None:
        """Show the items of this topic as a table."""
        self.study.show_browse(f"topic:{self._topic}")

    def action_edit(self) -> None:
        """Open the card at the cursor in the learner's editor."""
        here = self._here()
        if here is not None:
            self.study.edit_item(here.item)

    # -- what is done to the item at the cursor, see ItemActions ---------------------------------------
    def targets(self) -> list[ItemRow]:
        """Return the item at the cursor."""
        here = self._here()
        return [] if here is None else [here]

    def say(self, message: str, *, trouble: bool = False) -> None:
        """Say what came of a change."""
        self.tell(message, trouble=trouble)

    def show_anew(self) -> None:
        """Show the topic as it is now."""
        self._read()

    def action_reload(self) -> None:
        """Read the decks again."""
        self.study.reload_decks()

    def action_turn(self, way: int) -> None:
        """Show the next topic or the one before, round the end."""
        topics = self.study.desk.catalogue.topics
        if self._sheet is None or not topics:
            return
        at = self._sheet.number - 1 if self._sheet.number else -1 if way > 0 else 0
        self._topic = topics[(at + way) % len(topics)].id
        self.tell(None)
        self.query_one("#topic-note").scroll_home(animate=False)
        self._read(anew=True)

    def action_back(self) -> None:
        """Go back to where the learner came from."""
        self.study.pop_screen()
