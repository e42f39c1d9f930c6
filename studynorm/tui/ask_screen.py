"""A question over the screen that wants a yes or a no."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static


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
