"""What a wrong answer offers, to choose from: cards to read and what is easier."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from studynorm.study.offers import Offer
from studynorm.tui.theme import Palette


class OfferList(OptionList):
    """The offers; Enter, Space or a click takes one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Take"),
        Binding("down,j", "cursor_down", "Next", show=False),
        Binding("up,k", "cursor_up", "Before", show=False),
    ]


class OffersScreen(ModalScreen[Offer | None]):
    """Returns the offer that was chosen, None for none."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,o", "dismiss", "Close")]

    def __init__(self, offers: Sequence[Offer], palette: Palette) -> None:
        super().__init__()
        self._offers = offers
        self._palette = palette

    def compose(self) -> ComposeResult:
        """Yield the box with the list."""
        options = [
            Option(Text(offer.text[0].upper() + offer.text[1:], self._palette.ink)) for offer in self._offers
        ]
        box = Vertical(OfferList(*options, markup=False, compact=True), classes="box")
        box.border_title = "Turn to"
        box.border_subtitle = "Enter takes · Esc closes"
        yield box

    def on_mount(self) -> None:
        """Let the keys of the list work."""
        offers = self.query_one(OfferList)
        offers.highlighted = 0
        offers.focus()

    def on_click(self, event: events.Click) -> None:
        """Close on a click beside the box."""
        if event.widget is self:
            self.dismiss(None)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the chosen offer."""
        event.stop()
        self.dismiss(self._offers[event.option_index])
