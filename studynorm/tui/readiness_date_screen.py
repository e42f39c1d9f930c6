"""A small field over the screen for the date of the interview; what is typed is read back as a day."""

import datetime
from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from studynorm.study.duedate import NotADueDay, day_words, due_day
from studynorm.tui.text_input import TextInput

if TYPE_CHECKING:
    from studynorm.tui.app import StudyNorm

NO_DATE = 0
"""Returned where the date is to be taken away; no study day has this number."""
_FORMS = "A date such as 2027-01-15, a weekday such as fri, or 30 for in 30 days; empty takes it away"


class DateInput(TextInput):
    """The field."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Set it"),
        Binding("escape", "screen.dismiss", "Close"),
    ]


class DateScreen(ModalScreen[int | None]):
    """Returns the study day that was typed, NO_DATE for an empty field, None where nothing is to change."""

    DEFAULT_CSS = """
    DateInput, DateInput:focus { width: 100%; height: 1; border: none; padding: 0 1; background: $panel;
      background-tint: transparent 0%; }
    #date-words { width: 100%; height: 2; margin: 1 0 0 0; }
    """

    def __init__(self, present: datetime.date | None, today: int) -> None:
        super().__init__()
        self._present = present
        self._today = today

    def compose(self) -> ComposeResult:
        """Yield the box with the field, and a line for the day that is read."""
        present = "" if self._present is None else self._present.isoformat()
        with Vertical(classes="box") as box:
            box.border_title = "When is the interview?"
            box.border_subtitle = "Enter sets it · Esc closes"
            yield DateInput(present, compact=True, placeholder="2027-01-15", select_on_focus=True)
            yield Static(id="date-words", markup=False)

    def on_mount(self) -> None:
        """Let the learner type."""
        field = self.query_one(DateInput)
        field.focus()
        self._say(field.value)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say which day is meant so far."""
        event.stop()
        self._say(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the day; a text that is none is told and stays."""
        event.stop()
        if not event.value.strip():
            self.dismiss(NO_DATE)
            return
        try:
            self.dismiss(due_day(event.value, self._today))
        except NotADueDay as refused:
            self._tell(f"! {refused}", "hard")

    def _say(self, typed: str) -> None:
        try:
            self._tell(f"The interview is {day_words(due_day(typed, self._today), self._today)}", "math")
        except NotADueDay as refused:
            self._tell(str(refused) if typed.strip() else _FORMS, "quiet")

    def _tell(self, words: str, colour: str) -> None:
        palette = cast("StudyNorm", self.app).palette
        text = f"{words[:1].upper()}{words[1:]}."
        self.query_one("#date-words", Static).update(Text(text, str(getattr(palette, colour))))
