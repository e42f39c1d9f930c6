"""The answer field: takes every key as text, echoes how it is read, and gives way by Enter or Esc."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from studynorm.engine.variant import Variant
from studynorm.tui.calm_screen import IN_FIELD
from studynorm.tui.markup_view import markup_line
from studynorm.tui.reading import Echo, Tone, caret_line, echo_of
from studynorm.tui.theme import Palette


class AnswerInput(Input):
    """A text field without opinions about the text.

    `meant` decides whether a key that comes first in an empty field was meant for it: the key that
    rated the item before may still be held down.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Check", group=IN_FIELD),
        Binding("escape", "leave", "Leave the field", group=IN_FIELD),
    ]

    class Left(Message):
        """The learner left the field."""

    def __init__(self, meant: Callable[[str], bool]) -> None:
        super().__init__(id="answer", select_on_focus=False, compact=True, placeholder="type your answer")
        self._meant = meant

    async def _on_key(self, event: events.Key) -> None:
        if not self.value and not self._meant(event.key):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)

    def action_leave(self) -> None:
        """Give the keys back to the screen."""
        self.post_message(self.Left())


class AnswerPanel(Vertical):
    """The field with its echo."""

    def __init__(self, meant: Callable[[str], bool]) -> None:
        super().__init__(id="answer-panel")
        self._meant = meant
        self._variant: Variant | None = None
        self._palette: Palette | None = None
        self._held: tuple[str, Echo] | None = None

    def compose(self) -> ComposeResult:
        """Yield the field and the line under it."""
        with Horizontal(id="answer-row"):
            yield Static("❯", id="answer-mark")
            yield AnswerInput(self._meant)
        yield Static(id="echo", markup=False)

    @property
    def field(self) -> AnswerInput:
        """The text field itself."""
        return self.query_one(AnswerInput)

    def ask(self, variant: Variant, palette: Palette) -> None:
        """Prepare the field for a variant."""
        self._variant = variant
        self._palette = palette
        self._held = None
        self.field.value = ""
        self.echo()

    def hold(self, echo: Echo) -> None:
        """Keep a message under the field until the text changes."""
        self._held = (self.field.value, echo)
        self.echo()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Echo what was typed."""
        event.stop()
        self.echo()

    def on_resize(self) -> None:
        """Fit the echo to the new width."""
        self.echo()

    def echo(self) -> None:
        """Say how the text is read, or what may be typed."""
        if self._variant is None or self._palette is None:
            return
        typed = self.field.value
        if self._held is not None and self._held[0] == typed:
            echo = self._held[1]
        else:
            self._held = None
            echo = echo_of(self._variant, typed)
        if not echo.text:
            echo = Echo(self._variant.kind.how(self._variant.answer), Tone.QUIET)
        elif echo.tone is Tone.READ and any(sign in echo.text for sign in "$`*"):
            echo = Echo(markup_line(echo.text, self._palette).plain, Tone.READ)
        colours = {
            Tone.QUIET: self._palette.quiet,
            Tone.READ: self._palette.math,
            Tone.LOOK: self._palette.hard,
        }
        line = self.query_one("#echo", Static)
        width = max(10, line.size.width)
        line.update(
            Text(caret_line(echo, typed, width), colours[echo.tone], no_wrap=True, overflow="ellipsis"),
            layout=False,
        )
