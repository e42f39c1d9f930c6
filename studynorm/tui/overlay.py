"""A box over the screen with something to read: scrolls, and closes by any of the keys for it or a click."""

from typing import ClassVar

from rich.console import RenderableType
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from studynorm.tui.more import MORE, follow_scrolling, has_more


class Overlay(ModalScreen[None]):
    """Shows one text with a title; a click closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,space", "dismiss", "Close"),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("pagedown", "move(10)", "A page down", show=False),
        Binding("pageup", "move(-10)", "A page up", show=False),
    ]

    def __init__(self, title: str, content: RenderableType, closing: str = "Esc closes") -> None:
        super().__init__()
        self._head = title
        self._content = content
        self._foot = closing

    def compose(self) -> ComposeResult:
        """Yield the box with its text."""
        box = VerticalScroll(Static(self._content, classes="read"), classes="box", can_focus=False)
        box.border_title = self._head
        box.border_subtitle = self._foot
        yield box

    def on_mount(self) -> None:
        """Say at the lower edge when the text goes on below it."""
        follow_scrolling(self, self.query_one(".box"), self._hint)

    def foot(self, words: str) -> None:
        """Say something else at the lower edge."""
        self._foot = words
        self._hint()

    def _hint(self) -> None:
        box = self.query_one(".box")
        box.border_subtitle = f"{MORE} · {self._foot}" if has_more(box) else self._foot

    def on_click(self, event: events.Click) -> None:
        """Close on a click."""
        self.dismiss()

    def action_move(self, lines: int) -> None:
        """Scroll the text."""
        self.query_one(".box").scroll_relative(y=lines, animate=False)
