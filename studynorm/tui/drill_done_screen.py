"""The end of a drill: how it went, and the way to another one."""

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from studynorm.study.course import DrillDone
from studynorm.study.drill import DrillSession
from studynorm.tui.calm_screen import HERE, PROGRAM, CalmScreen, scroll_bindings
from studynorm.tui.drill_view import drill_summary
from studynorm.tui.practice import Practice


class DrillDoneScreen(CalmScreen):
    """What was asked, what was right, and how long it took."""

    SCROLLED = "#done"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,r", "again", "Once more", group=HERE),
        Binding("q,escape", "home", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        *scroll_bindings(),
    ]

    def __init__(self, session: DrillSession, practice: Practice) -> None:
        super().__init__()
        self.session = session
        self._practice = practice

    def body(self) -> Iterable[Widget]:
        """Yield the one text of the screen."""
        yield VerticalScroll(
            Vertical(Static(id="farewell", markup=False), id="farewell-box"), id="done", can_focus=False
        )

    def on_mount(self) -> None:
        """Show the summary, and what the drill still had to say."""
        self.repaint()
        self.tell(self.session.notice, trouble=True)
        self.session.notice = None
        self.call_after_refresh(self.session.gate.painted)

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self.repaint()

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        done = self.session.situation
        if isinstance(done, DrillDone):
            adaptive, narrow = self._practice.level is None, self.size.width < 60
            summary = drill_summary(
                done, self.session.seed, adaptive=adaptive, narrow=narrow, palette=self.palette
            )
            self.query_one("#farewell", Static).update(summary)

    def action_again(self) -> None:
        """Drill the same once more, with other numbers."""
        if self.session.gate.admits("again"):
            self.study.show_drill(replace(self._practice, seed=None), again=True)

    def action_home(self) -> None:
        """Go back to where the drill was begun."""
        self.study.show_home()
