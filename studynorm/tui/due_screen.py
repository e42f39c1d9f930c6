"""A small field over the screen for a due day; what is typed is read back as a day at once."""

from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from studynorm.content.visible import visible
from studynorm.study.duedate import FORMS, NotADueDay, day_words, due_day
from studynorm.tui.text_input import TextInput

if TYPE_CHECKING:
    from studynorm.tui.app import StudyNorm


class DueInput(TextInput):
    """The field."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Set it"),
        Binding("escape", "screen.dismiss", "Close"),
    ]


class DueScreen(ModalScreen[int | None]):
    """Returns the study day that was typed, None for none."""

    def __init__(self, what: str, today: int) -> None:
        super().__init__()
        self._what = what
        self._today = today

    def compose(self) -> ComposeResult:
        """Yield the box with the field, and a line for the day that is read."""
        with Vertical(classes="box") as box:
            box.border_title = f"Due when? {visible(self._what, keep_newlines=False)}"
            box.border_subtitle = "Enter sets it · Esc closes"
            yield DueInput(compact=True, placeholder="5")
            yield Static(id="due-words", markup=False)

    def on_mount(self) -> None:
        """Let the learner type."""
        self.query_one(DueInput).focus()
        self._say("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say which day is meant so far."""
        event.stop()
        self._say(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the day; a text that is none is told and stays."""
        event.stop()
        try:
            self.dismiss(due_day(event.value, self._today))
        except NotADueDay as refused:
            self._tell(f"{refused}.", "hard", sign="! ")

    def _say(self, typed: str) -> None:
        try:
            self._tell(f"Due {day_words(due_day(typed, self._today), self._today)}.", "math")
        except NotADueDay as refused:
            self._tell(f"{refused if typed.strip() else FORMS}.", "quiet")

    def _tell(self, words: str, colour: str, sign: str = "") -> None:
        palette = cast("StudyNorm", self.app).palette
        words = sign + words[:1].upper() + words[1:]
        self.query_one("#due-words", Static).update(Text(words, str(getattr(palette, colour))))
