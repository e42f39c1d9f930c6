"""The answer field: takes keys as text, echoes how it is read, and gives way by Enter or Esc.

Where an answer is picked, its rows take some keys, and write what they mean into the field.
"""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from studynorm.engine.discrete import Axes, Choice, CodeLine, Match, Order, YesNo
from studynorm.engine.variant import Variant
from studynorm.tui.answer_sheet import AnswerSheet
from studynorm.tui.calm_screen import IN_FIELD
from studynorm.tui.entry_slots import slots, slots_view
from studynorm.tui.markup_view import markup_line
from studynorm.tui.reading import Echo, Tone, caret_line, echo_of
from studynorm.tui.text_input import TextInput
from studynorm.tui.theme import Palette

_ROW_KEYS = (
    ("up", "", "Rows", True),
    ("down", "", "Rows", True),
    ("space", Choice.name, "Pick", True),
    ("space", CodeLine.name, "Pick", True),
    ("space", Axes.name, "In or out", True),
    ("y", YesNo.name, "Yes", True),
    ("n", YesNo.name, "No", True),
    ("space", YesNo.name, "Turn", False),
    ("space", Match.name, "Next letter", True),
    *((letter, Match.name, "This letter", False) for letter in "abcdefgh"),
    ("space", Order.name, "Carry", True),
    ("K", Order.name, "Move up", True),
    ("shift+up", Order.name, "Move up", True),
    ("J", Order.name, "Move down", True),
    ("shift+down", Order.name, "Move down", True),
    ("x", Order.name, "In or out", True),
)
"""The keys of the rows: key, kind of answer (empty for all), what it does, and if the bottom line says so."""


class AnswerInput(TextInput):
    """A text field without opinions about the text.

    `meant` decides whether a key that comes first in an empty field was meant for it: the key that
    rated the item before may still be held down. `sheet` are the rows of the answer.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Check", group=IN_FIELD),
        *(
            Binding(key, f"row({key!r}, {kind!r})", label, show=shown, group=IN_FIELD)
            for key, kind, label, shown in _ROW_KEYS
        ),
        Binding("escape", "leave", "Leave the field", group=IN_FIELD),
    ]

    class Left(Message):
        """The learner left the field."""

    def __init__(self, meant: Callable[[str], bool], sheet: AnswerSheet) -> None:
        super().__init__(id="answer", select_on_focus=False, compact=True, placeholder="type your answer")
        self._meant = meant
        self._sheet = sheet

    async def _on_key(self, event: events.Key) -> None:
        if not self.value and not self._meant(event.key):
            event.stop()
            event.prevent_default()
            return
        if self._sheet.takes(event.key):
            event.prevent_default()
            return
        await super()._on_key(event)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Take printable keys as text, but not those that mean the rows."""
        return not self._sheet.takes(key) and super().check_consume_key(key, character)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the keys of the rows where there are rows of that kind."""
        if action != "row":
            return super().check_action(action, parameters)
        key, kind = parameters
        return (
            self._sheet.sheet is not None
            and kind in ("", self._sheet.sheet.name)
            and self._sheet.takes(str(key))
        )

    def action_row(self, key: str, kind: str) -> None:
        """Give a key to the rows."""
        self._sheet.press(key)
        self.refresh_bindings()

    async def action_submit(self) -> None:
        """Hand the answer in, unless Enter means the row at the cursor."""
        if not self._sheet.enter():
            await self.check()

    async def check(self) -> None:
        """Hand the answer in."""
        await super().action_submit()

    def action_leave(self) -> None:
        """Give the keys back to the screen."""
        self.post_message(self.Left())


class AnswerPanel(Vertical):
    """The field with its echo, and the entries of a list while they are typed."""

    def __init__(self, meant: Callable[[str], bool], sheet: AnswerSheet) -> None:
        super().__init__(id="answer-panel")
        self._meant = meant
        self._sheet = sheet
        self._variant: Variant | None = None
        self._palette: Palette | None = None
        self._held: tuple[str, Echo] | None = None

    def compose(self) -> ComposeResult:
        """Yield the field and the line under it."""
        with Horizontal(id="answer-row"):
            yield Static("❯", id="answer-mark")
            yield AnswerInput(self._meant, self._sheet)
            yield Static("Check", id="check")
        yield Static(id="slots")
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
        self.query_one("#slots").display = bool(slots(variant, ""))
        self.echo()

    def hold(self, echo: Echo) -> None:
        """Keep a message under the field until the text changes."""
        self._held = (self.field.value, echo)
        self.echo()

    def let_go(self) -> None:
        """Show again how the text is read."""
        self._held = None
        self.echo()

    def on_click(self, event: events.Click) -> None:
        """Hand the answer in by a click on the word for it."""
        if event.widget is not None and event.widget.id == "check":
            event.stop()
            # By the field itself: a message that is sent from here would stop here.
            self.field.call_next(self.field.check)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Echo what was typed."""
        event.stop()
        self._sheet.follow()
        self.refresh_bindings()
        self.echo()

    def lacks(self) -> Echo | None:
        """Say how many rows have no answer, where the text was written row by row and some have none."""
        sheet, typed = self._sheet.sheet, self.field.value
        gaps = 0 if sheet is None else sheet.gaps(typed)
        if sheet is None or not gaps:
            return None
        count = len(sheet.rows(typed))
        return Echo(f"{count - gaps} of {count} have an answer", Tone.QUIET)

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
            echo = self.lacks() or echo_of(self._variant, typed)
        if not echo.text:
            how = self._variant.kind.how(self._variant.answer)
            sheet = self._sheet.sheet
            echo = Echo(how if sheet is None else f"{how}, {sheet.hint}", Tone.QUIET)
        elif echo.tone is Tone.READ and any(sign in echo.text for sign in "$`*"):
            echo = Echo(markup_line(echo.text, self._palette).plain, Tone.READ)
        colours = {
            Tone.QUIET: self._palette.quiet,
            Tone.READ: self._palette.math,
            Tone.LOOK: self._palette.hard,
        }
        if slots(self._variant, typed):
            self.query_one("#slots", Static).update(slots_view(self._variant, typed, self._palette))
        line = self.query_one("#echo", Static)
        width = max(10, line.size.width)
        line.update(
            Text(caret_line(echo, typed, width), colours[echo.tone], no_wrap=True, overflow="ellipsis"),
            layout=False,
        )
