"""An item to read over the screen, with links to what it leads to, and keys for what can be done to it."""

from typing import TYPE_CHECKING, ClassVar, cast

from rich.console import RenderableType
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from studynorm.content.visible import visible
from studynorm.storage.errors import StoreError
from studynorm.study.item_sheet import ItemSheet, Link, item_sheet
from studynorm.study.items import ItemRow
from studynorm.study.offers import Offer
from studynorm.tui.history_view import history_view
from studynorm.tui.item_actions import ItemActions
from studynorm.tui.offers_screen import MOST_KEYS, OffersScreen
from studynorm.tui.overlay import Overlay
from studynorm.tui.peek_view import foot_words, known_links, link_line, peek_view
from studynorm.tui.practice import Practice

if TYPE_CHECKING:
    from studynorm.tui.app import StudyNorm


class PeekScreen(Overlay, ItemActions):
    """Shows a card or family. Digits follow its links, so that one gets from card to family to demo."""

    DEFAULT_CSS = """
    #peek-links { width: 100%; height: auto; margin: 1 0 0 0; text-wrap: nowrap; text-overflow: ellipsis; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"follow({number})", f"Link {number}", show=False)
            for number in range(1, MOST_KEYS + 1)
        ),
        Binding("o", "list", "Choose a link", show=False),
        Binding("h,i", "history", "History", show=False),
        Binding("p", "practise", "Practise", show=False),
        Binding("e", "edit", "Edit", show=False),
        Binding("g", "grade", "Grade now", show=False),
        Binding("D", "set_due", "Set when it is due", show=False),
        Binding("u", "take_back", "Give back what was forgotten or set due", show=False),
    ]

    def __init__(self, sheet: ItemSheet) -> None:
        super().__init__(visible(sheet.item, keep_newlines=False), Text())
        self.add_class("wide")
        self._sheet = sheet
        self._links: tuple[Link, ...] = ()
        self._shown = self._gone = False

    @property
    def study(self) -> "StudyNorm":
        """The program."""
        return cast("StudyNorm", self.app)

    def compose(self) -> ComposeResult:
        """Yield the box with the item and its links."""
        view, links = self._look()
        with VerticalScroll(classes="box", can_focus=False) as box:
            box.border_title, box.border_subtitle = self._head, self._foot
            yield Static(view, classes="read", markup=False)
            yield Static(links, id="peek-links", markup=False)

    def _look(self) -> tuple[RenderableType, Text]:
        """Return what is shown of the item, and its links; note where they lead and which keys work."""
        from studynorm.demos.registry import demos

        sheet, palette = self._sheet, self.study.palette
        self._links = known_links(sheet.links, {name: demo.title for name, demo in demos().items()})
        self._foot = foot_words(
            len(self._links), edits=sheet.card is not None, practises=self._practises, asks=self._asks
        )
        lines = (link_line(number, link, palette) for number, link in enumerate(self._links, 1))
        return peek_view(sheet, palette), Text("\n").join(lines)

    @property
    def _practises(self) -> bool:
        return self._sheet.is_family and not self._sheet.fault

    @property
    def _asks(self) -> bool:
        return not all(row.gone for row in self.targets())

    # -- what is done to the item, see ItemActions ----------------------------------------------------
    def targets(self) -> list[ItemRow]:
        """Return the item as a row; of a cloze that is shown whole, a row for each mark."""
        return [row for row, _ in self._sheet.standing]

    def say(self, message: str, *, trouble: bool = False) -> None:
        """Say what came of a change."""
        self.notify(message, severity="warning" if trouble else "information", markup=False)

    def show_anew(self) -> None:
        """Show the item as it is now, here and on the screens beneath."""
        self.study.items_changed()

    def on_screen_resume(self) -> None:
        """Show what became of it, after practice or an edit."""
        if self._shown:
            self.decks_changed()
        self._shown = True

    def decks_changed(self) -> None:
        """Show the item as it is now, once nothing hides it; close where it is gone."""
        if self._gone or not self.is_active:
            return
        try:
            sheet = item_sheet(self.study.desk, self._sheet.item)
        except StoreError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        if sheet is None:
            self._gone = True
            self.app.call_later(self.dismiss)  # the screen above may still be closing
        elif sheet != self._sheet:
            self._sheet = sheet
            view, links = self._look()
            self.query_one(".read", Static).update(view)
            self.query_one("#peek-links", Static).update(links)
            self.foot(self._foot)

    # -- keys ----------------------------------------------------------------------------------------
    def on_click(self, event: events.Click) -> None:
        """Follow a link that is clicked; a click anywhere else closes, as on every overlay."""
        if event.widget is None or event.widget.id != "peek-links":
            return
        offset = event.get_content_offset(event.widget)
        if offset is not None:
            event.prevent_default()
            self.action_follow(offset.y + 1)

    def action_follow(self, number: int) -> None:
        """Go where a link leads; Esc comes back here."""
        if 1 <= number <= len(self._links):
            self._go(self._links[number - 1].id)

    def _go(self, target: str) -> None:
        if target.startswith("demo:"):
            self.study.show_target(target)
        else:
            self.study.show_item(target)

    def action_list(self) -> None:
        """Choose one of all links."""

        def chosen(offer: Offer | None) -> None:
            if offer is not None:
                self._go(offer.id)

        offers = [Offer(link.kind, link.id, None, f"{link.kind:<8}{link.title}") for link in self._links]
        if offers:
            self.app.push_screen(OffersScreen(offers, self.study.palette), chosen)

    def action_history(self) -> None:
        """Show what happened to it, and why it is due when it is."""
        box = Overlay(self._head, history_view(self._sheet.standing, self.study.palette))
        box.add_class("wide")
        self.app.push_screen(box)

    def action_practise(self) -> None:
        """Practise the family, beside the schedule."""
        if self._practises:
            self.study.show_drill(Practice((self._sheet.item.removeprefix("family:"),)))

    def action_edit(self) -> None:
        """Open the card in the learner's editor."""
        if self._sheet.card is not None:
            self.study.edit_item(self._sheet.item)
