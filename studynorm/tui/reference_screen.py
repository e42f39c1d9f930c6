"""The glossary, what to read, the reading plan and wiring diagrams: found by words, read, and followed on."""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from studynorm.content.reference import ReferenceBook, matching
from studynorm.content.referencefile import shipped_reference
from studynorm.tui.calm_screen import HERE, MOVING, PROGRAM, CalmScreen, scroll_bindings
from studynorm.tui.reference_links import Link, links_of
from studynorm.tui.reference_pane import EntryList, EntryPane, FilterInput, LinkList
from studynorm.tui.reference_view import Entry, Section, entry_row, section_line, topics_of

_WIDE = 100
"""From here on list and entry stand side by side; the style sheet knows it as `-wide`."""
_WIDEST, _LIST, _GAP, _MARGIN = 120, 40, 3, 4


class ReferenceScreen(CalmScreen):
    """Four sections under one filter; list and entry side by side where there is room.

    With `term`, an id or a name, that term is open at first.
    """

    CSS_PATH: ClassVar[Path] = Path(__file__).with_name("reference.tcss")
    SCROLLED = "#reference-text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,o", "links", "Links", group=HERE),
        Binding("slash", "find", "Find", group=HERE),
        Binding("tab", "turn(1)", "Next part", show=False, group=HERE),
        Binding("shift+tab", "turn(-1)", "Part before", show=False, group=HERE),
        *(
            Binding(str(number), f"section({number})", section, show=False, group=HERE)
            for number, section in enumerate(Section, 1)
        ),
        Binding("n", "move(1)", "Next entry", group=HERE),
        Binding("p", "move(-1)", "Entry before", show=False, group=HERE),
        Binding("q,escape", "back", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        Binding("J", "scroll_text(1)", "Entry down", show=False, group=MOVING),
        Binding("K", "scroll_text(-1)", "Entry up", show=False, group=MOVING),
        *scroll_bindings(),
    ]

    def __init__(self, term: str | None = None) -> None:
        super().__init__()
        self._term = term
        self._book = ReferenceBook()
        self._section = Section.TERMS
        self._shown: dict[Section, tuple[Entry, ...]] = dict.fromkeys(Section, ())
        self._at: dict[Section, str] = {}
        self._links: tuple[Link, ...] = ()
        self._trail: list[tuple[Section, str, str]] = []
        self._spans: list[tuple[int, int]] = []

    def body(self) -> Iterable[Widget]:
        """Yield the sections, the filter, the list and the entry."""
        yield Static(id="reference-tabs", markup=False)
        with Horizontal(id="reference-find"):
            yield Static("/ ", id="reference-mark", markup=False)
            yield FilterInput(id="reference-filter", compact=True, placeholder="words of a name or meaning")
        with Horizontal(id="reference-body"):
            yield EntryList(id="reference-list", markup=False, compact=True)
            yield EntryPane(id="reference-text")

    def on_mount(self) -> None:
        """Read the files, and open the term that was asked for."""
        self._book = shipped_reference()
        if self._book.errors:
            more = len(self._book.errors) - 1
            self.tell(f"{self._book.errors[0]}{f' (and {more} more)' if more else ''}", trouble=True)
        self.set_focus(self._list)
        self._filter("")
        if self._term is None:
            return
        found = self._book.term(self._term)
        if found is None:
            self.tell(f"There is no term “{self._term}”.")
        else:
            self._open_at(Section.TERMS, found.id)

    def on_resize(self) -> None:
        """Fit everything to the new width."""
        if self._side_by_side and self.has_class("reading"):
            self.remove_class("reading")
            self.set_focus(self._list)
        self.call_after_refresh(self.repaint)

    def repaint(self) -> None:
        """Paint everything again in the colours and the size of now."""
        super().repaint()
        self._fill()

    # -- showing ---------------------------------------------------------------------------------------
    @property
    def _list(self) -> EntryList:
        return self.query_one(EntryList)

    @property
    def _side_by_side(self) -> bool:
        return self.size.width >= _WIDE

    @property
    def _column(self) -> int:
        """The width of everything."""
        return min(self.size.width, _WIDEST) - _MARGIN

    @property
    def _reading(self) -> bool:
        """Whether an entry hides the list."""
        return self.has_class("reading")

    @property
    def _typed(self) -> str:
        return self.query_one(FilterInput).value

    @property
    def _entry(self) -> Entry | None:
        shown, at = self._shown[self._section], self._list.highlighted
        return None if at is None or at >= len(shown) else shown[at]

    def _filter(self, typed: str) -> None:
        """Choose the entries that match, and show the best of them."""
        book = self._book
        self._shown = {
            Section.TERMS: matching(book.terms, typed),
            Section.REFERENCES: matching(book.references, typed),
            Section.PLAN: matching(book.steps, typed),
            Section.DIAGRAMS: matching(book.diagrams, typed),
        }
        if typed.strip():
            self._at.clear()
        self._fill()

    def _fill(self) -> None:
        counts = {section: len(entries) for section, entries in self._shown.items()}
        line, self._spans = section_line(self._section, counts, self._column, self.palette)
        self.query_one("#reference-tabs", Static).update(line)
        entries = self._shown[self._section]
        room = max(1, (_LIST if self._side_by_side else self._column) - 3)
        wanted = self._at.get(self._section)
        ids = [entry.id for entry in entries]
        self._list.set_options(Option(entry_row(entry, room, self.palette), id=entry.id) for entry in entries)
        self._list.highlighted = ids.index(wanted) if wanted in ids else 0 if ids else None
        self._show_entry()

    def _show_entry(self) -> None:
        entry, pane = self._entry, self.query_one(EntryPane)
        self._links = ()
        if entry is None:
            pane.say("Nothing here has all these words." if self._typed else "There is nothing here.")
        else:
            catalogue = self.study.desk.catalogue
            self._at[self._section] = entry.id
            self._links = links_of(self._book.see(entry), self._book, catalogue)
            titles = [catalogue.topic_title(topic) for topic in topics_of(entry)]
            room = self._column - (_LIST + _GAP if self._side_by_side else 0) - 1
            pane.show(entry, titles, self._links, room, self.palette)
        self.refresh_bindings()

    def _open_at(self, section: Section, entry_id: str) -> None:
        """Turn to an entry and open it."""
        self._section = section
        self._at[section] = entry_id
        self._fill()
        self._read()

    def _read(self) -> None:
        """Open the marked entry where it is not beside the list anyway."""
        if self._entry is None:
            return
        if self._side_by_side:
            self.set_focus(self._list)
        else:
            self.set_focus(None)
            self.add_class("reading")
        self._show_entry()

    # -- keys ------------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        match action:
            case "links":
                free = self._reading or self._side_by_side
                return bool(self._links) and free and not isinstance(self.focused, LinkList)
            case "move":
                return self._reading or isinstance(self.focused, FilterInput)
            case "find":
                return not isinstance(self.focused, FilterInput)
        return super().check_action(action, parameters)

    def on_option_list_option_highlighted(self) -> None:
        """Show the marked entry."""
        if self._entry is not None and self._at.get(self._section) != self._entry.id:
            self._show_entry()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the entry, or go where the link leads."""
        event.stop()
        if isinstance(event.option_list, LinkList):
            self._follow(self._links[event.option_index])
        elif self._side_by_side:
            self.action_links()
        else:
            self._read()

    def _follow(self, link: Link) -> None:
        section = link.section
        if section is None:
            self.study.show_target(link.target)
            return
        entry = self._entry
        if entry is not None:
            self._trail.append((self._section, entry.id, self._typed))
        self._set_filter("")
        self._open_at(section, link.target.partition(":")[2])

    def _set_filter(self, typed: str) -> None:
        field = self.query_one(FilterInput)
        with field.prevent(Input.Changed):
            field.value = typed
        self.set_class(bool(typed), "finding")
        self._filter(typed)

    def action_links(self) -> None:
        """Go to the links of the entry."""
        if self._links:
            self.query_one(EntryPane).go_to_links()

    def action_section(self, number: int) -> None:
        """Turn to a section by its number."""
        self._section = list(Section)[number - 1]
        self._trail.clear()
        self.remove_class("reading")
        if not isinstance(self.focused, FilterInput):
            self.set_focus(self._list)
        self._fill()

    def action_turn(self, way: int) -> None:
        """Turn to the next section, or the one before."""
        sections = list(Section)
        self.action_section((sections.index(self._section) + way) % len(sections) + 1)

    def action_move(self, way: int) -> None:
        """Mark the next entry, or the one before."""
        entries, at = self._shown[self._section], self._list.highlighted
        if at is not None:
            self._list.highlighted = min(max(at + way, 0), len(entries) - 1)
            self._show_entry()

    def action_find(self) -> None:
        """Type words to find entries by."""
        self.remove_class("reading")
        self.add_class("finding")
        self.set_focus(self.query_one(FilterInput))

    def action_take(self) -> None:
        """Leave the field with what was found, and open the marked entry."""
        self._leave_field()
        self._read()

    def action_clear(self) -> None:
        """Leave the field and show everything again."""
        self._set_filter("")
        self._leave_field()

    def _leave_field(self) -> None:
        self.set_class(bool(self._typed), "finding")
        self.set_focus(self._list)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter by what is typed."""
        event.stop()
        self._filter(event.value)

    def action_back(self) -> None:
        """Go back: from links to the entry, along the links followed, to the list, to all, and out."""
        if isinstance(self.focused, LinkList):
            if self._side_by_side:
                self.set_focus(self._list)
            else:
                self.set_focus(None)
        elif self._trail:
            section, entry_id, typed = self._trail.pop()
            self._set_filter(typed)
            self._open_at(section, entry_id)
        elif self._reading:
            self.remove_class("reading")
            self.set_focus(self._list)
        elif self._typed:
            self.action_clear()
        else:
            self.app.pop_screen()

    def on_click(self, event: events.Click) -> None:
        """Turn to a section by a click on it."""
        if event.widget is None or event.widget.id != "reference-tabs":
            return
        offset = event.get_content_offset(event.widget)
        for number, (start, end) in enumerate(self._spans, 1):
            if offset is not None and start <= offset.x < end:
                self.action_section(number)
