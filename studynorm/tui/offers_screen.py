"""What there is to turn to, to choose from: cards to read, families to practise, demos to watch."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from studynorm.content.visible import visible
from studynorm.study.catalogue import Catalogue
from studynorm.study.item_sheet import links_of
from studynorm.study.offers import Offer
from studynorm.tui.theme import Palette

MOST_KEYS = 9
"""So many offers have a digit as their key."""
_DOES = {"card": "Read", "demo": "Watch"}


def titled(offers: Iterable[Offer], catalogue: Catalogue) -> tuple[str, ...]:
    """Return what each offer leads to do with what, by its title; by its name where it is not there."""
    from studynorm.demos.registry import demos

    words = list[str]()
    for offer in offers:
        name = offer.id.partition(":")[2]
        if offer.kind == "demo":
            title = demos()[name].title if name in demos() else name
        else:
            title = next((link.title for link in links_of(catalogue, [offer.id])), name)
        level = "" if offer.level is None else f", level {offer.level}"
        what = offer.text if offer.kind == "twin" else f"{title}{level}"
        words.append(f"{_DOES.get(offer.kind, 'Practise')}: {what}")
    return tuple(words)


class OfferList(OptionList):
    """The offers; Enter, Space or a click takes one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Take"),
        Binding("down,j", "cursor_down", "Next", show=False),
        Binding("up,k", "cursor_up", "Before", show=False),
    ]


class OffersScreen(ModalScreen[Offer | None]):
    """Returns the offer that was chosen, None for none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(number), f"take({number})", "Take", show=False) for number in range(1, MOST_KEYS + 1)),
        Binding("escape,q,o", "dismiss", "Close"),
    ]

    def __init__(self, offers: Sequence[Offer], palette: Palette, words: Sequence[str] | None = None) -> None:
        """Show `words`, one line for each offer; without them its own text."""
        super().__init__()
        self._offers = offers
        self._words = words or [offer.text for offer in offers]
        self._palette = palette

    def compose(self) -> ComposeResult:
        """Yield the box with the list."""
        options = [Option(self._row(number, words)) for number, words in enumerate(self._words, 1)]
        box = Vertical(OfferList(*options, markup=False, compact=True), classes="box")
        box.border_title = "Turn to"
        digits = min(len(self._offers), MOST_KEYS)
        box.border_subtitle = f"{f'1–{digits}' if digits > 1 else '1'} or Enter takes · Esc closes"
        yield box

    def _row(self, number: int, words: str) -> Text:
        row = Text(no_wrap=True, overflow="ellipsis")
        row.append(f"{number}  " if number <= MOST_KEYS else "   ", f"bold {self._palette.accent}")
        return row.append(visible(words, keep_newlines=False), self._palette.ink)

    def on_mount(self) -> None:
        """Let the keys of the list work."""
        offers = self.query_one(OfferList)
        offers.highlighted = 0
        offers.focus()

    def on_click(self, event: events.Click) -> None:
        """Close on a click beside the box."""
        if event.widget is self:
            self.dismiss(None)

    def action_take(self, number: int) -> None:
        """Return the offer behind a digit."""
        if number <= len(self._offers):
            self.dismiss(self._offers[number - 1])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the chosen offer."""
        event.stop()
        self.dismiss(self._offers[event.option_index])
