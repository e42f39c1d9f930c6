"""The end of a session: stays quietly and goes on by itself when something comes due."""

from collections.abc import Iterable
from typing import ClassVar

from rich.console import Group
from rich.table import Table
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from studynorm.content.visible import visible
from studynorm.storage.errors import StoreError
from studynorm.study.session import StudySession
from studynorm.study.situation import Done
from studynorm.tui.calm_screen import HERE, PROGRAM, CalmScreen, scroll_bindings
from studynorm.tui.done_view import farewell

_LOOK_SECONDS = 30.0


class DoneScreen(CalmScreen):
    """What was done, and when the next item is due."""

    SCROLLED = "#done"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,r", "again", "Look again", group=HERE),
        Binding("u", "undo", "Undo", group=HERE),
        Binding("q,escape", "home", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        *scroll_bindings(),
    ]

    def __init__(self, session: StudySession, topic: str | None) -> None:
        super().__init__()
        self.session = session
        self._topic = topic

    def body(self) -> Iterable[Widget]:
        """Yield the one text of the screen."""
        yield VerticalScroll(
            Vertical(Static(id="farewell", markup=False), id="farewell-box"), id="done", can_focus=False
        )

    def on_mount(self) -> None:
        """Show the summary and keep looking for what comes due."""
        self.show()
        self.set_interval(_LOOK_SECONDS, self._look)

    def show(self) -> None:
        """Paint the summary."""
        done = self.session.situation
        if not isinstance(done, Done):
            return
        words = farewell(
            done,
            self.session.answered,
            self.session.counts,
            self.study.desk.clock(),
            self._topic,
            chosen=self.session.chosen,
        )
        grid = Table.grid(padding=(0, 3, 0, 0))
        for label, text in words.lines:
            grid.add_row(Text(label, self.palette.quiet), Text(text, self.palette.ink))
        title = Text(visible(words.title, keep_newlines=False), f"bold {self.palette.accent}")
        self.query_one("#farewell", Static).update(Group(title, Text(), grid))
        self.tell(self.session.notice, trouble=True)
        self.session.notice = None
        self.call_after_refresh(self.session.gate.painted)

    def look(self) -> None:
        """Nothing that the engine does changes the end of a session."""

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        self.show()

    def _look(self) -> bool:
        try:
            goes_on = self.session.refresh()
        except StoreError as error:
            self.tell(str(error), trouble=True)
            return False
        if goes_on:
            self.study.resume_review(self.session)
        else:
            self.show()
        return goes_on

    def action_again(self) -> None:
        """Look whether something has come due."""
        if self.session.gate.admits("look") and not self._look():
            self.tell("Nothing new has come due yet.")

    def action_undo(self) -> None:
        """Take back the newest review of the day."""
        if not self.session.gate.admits("u"):
            return
        try:
            undone = self.session.undo()
        except StoreError as error:
            self.tell(str(error), trouble=True)
            return
        if undone:
            self.study.resume_review(self.session)
        else:
            self.tell("There is nothing to take back today.")

    def action_home(self) -> None:
        """Go back to the home screen."""
        self.study.show_home()
