"""An opened item, over the screen from which it was opened, and a question that wants a yes or a no."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from studynorm.tui.overlay import Overlay


class ItemScreen(Overlay):
    """Shows an item. `leads` are what its keys lead to, each behind the key `p`, `h` or `e`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "lead('p')", "Practise", show=False),
        Binding("h,i", "lead('h')", "History", show=False),
        Binding("e", "lead('e')", "Edit", show=False),
    ]
    _NAMES: ClassVar[Mapping[str, str]] = {"p": "practises", "h": "history", "e": "edits"}

    def __init__(self, title: str, content: RenderableType, leads: Mapping[str, Callable[[], None]]) -> None:
        keys = " · ".join(f"{key} {self._NAMES[key]}" for key in leads)
        super().__init__(title, content, f"{keys} · Esc closes" if keys else "Esc closes")
        self._leads = leads
        self.add_class("wide")

    def action_lead(self, key: str) -> None:
        """Close, and go where a key leads."""
        if key in self._leads:
            self.dismiss()
            self.app.call_later(self._leads[key])


class AskScreen(ModalScreen[bool]):
    """Asks whether something is to be done; anything but `y` is a no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "say(True)", "Yes"),
        Binding("n,escape,q,enter,space", "say(False)", "No"),
    ]

    def __init__(self, title: str, words: Text) -> None:
        super().__init__()
        self._head = title
        self._words = words

    def compose(self) -> ComposeResult:
        """Yield the box with the question."""
        box = Vertical(Static(self._words, classes="read"), classes="box")
        box.border_title = self._head
        box.border_subtitle = "y yes · n no"
        yield box

    def action_say(self, yes: bool) -> None:
        """Close with the answer."""
        self.dismiss(yes)
