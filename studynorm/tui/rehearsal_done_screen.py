"""The end of a final pass: what was forgotten, that nothing of it counted, and how to count it."""

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from studynorm.study.rehearsal import Rehearsal
from studynorm.tui.calm_screen import HERE, PROGRAM, CalmScreen, scroll_bindings
from studynorm.tui.rehearsal_view import browse_text, pass_summary, titles_of


class RehearsalDoneScreen(CalmScreen):
    """How the pass went; from here it goes on, or the forgotten items are graded."""

    SCROLLED = "#done"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "resume", "Go on", group=HERE),
        Binding("g", "grade", "Grade the forgotten", group=HERE),
        Binding("b", "browse", "Browse them", group=HERE),
        Binding("u", "undo", "Undo", group=HERE),
        Binding("enter,space,q,escape", "home", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        *scroll_bindings(),
    ]

    def __init__(self, session: Rehearsal) -> None:
        super().__init__()
        self.session = session

    def body(self) -> Iterable[Widget]:
        """Yield the one text of the screen."""
        yield VerticalScroll(
            Vertical(Static(id="farewell", markup=False), id="farewell-box"), id="done", can_focus=False
        )

    def on_mount(self) -> None:
        """Show the summary, and what the pass still had to say."""
        super().on_mount()
        self.repaint()
        self.tell(self.session.notice, trouble=True)
        self.session.notice = None
        self.call_after_refresh(self.session.gate.painted)

    def look(self) -> None:
        """Nothing that the engine does changes the end of a pass."""

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        titles = titles_of(self.session.forgotten, self.study.desk.catalogue)
        self.query_one("#farewell", Static).update(pass_summary(self.session, titles, self.palette))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        match action:
            case "resume":
                return self.session.left > 0
            case "grade" | "browse":
                return bool(self.session.forgotten)
            case "undo":
                return self.session.begun
        return super().check_action(action, parameters)

    def action_resume(self) -> None:
        """Go on with the pass."""
        if self.session.gate.admits("r"):
            self.study.resume_pass(self.session)

    def action_grade(self) -> None:
        """Begin a review of the forgotten items, which counts."""
        if self.session.gate.admits("g"):
            self.study.show_review(items=self.session.forgotten)

    def action_browse(self) -> None:
        """Show the forgotten items as a table, where each can be graded."""
        self.study.show_browse(browse_text(self.session.forgotten))

    def action_undo(self) -> None:
        """Take the last rating of the pass back."""
        if self.session.gate.admits("u") and self.session.undo():
            self.study.resume_pass(self.session)

    def action_home(self) -> None:
        """Go back to where the pass was begun."""
        if self.session.gate.admits("home"):
            self.study.show_home()
