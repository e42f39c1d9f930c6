"""One interview question: answered aloud or in notes against the clock, then graded point by point."""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static, TextArea

from studynorm.storage.errors import StoreError
from studynorm.study.interview import Interview
from studynorm.tui.calm_screen import HERE, IN_FIELD, MOVING, PROGRAM, CalmScreen
from studynorm.tui.interview_view import (
    clock_text,
    hints_view,
    model_view,
    notes_view,
    point_view,
    rubric_heading,
)
from studynorm.tui.markup_view import markup

_PARTS = ("asked", "hints", "own", "model", "rubric")


class Notes(TextArea):
    """What the learner types instead of speaking."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "screen.leave_notes", "Leave the notes", group=IN_FIELD),
    ]

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Take Enter as text, too: it begins a new line."""
        return key == "enter" or super().check_consume_key(key, character)


class InterviewScreen(CalmScreen):
    """Question, notes, model answer and rubric."""

    CSS_PATH: ClassVar[Path] = Path(__file__).with_name("interview.tcss")
    SCROLLED = "#interview-text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter,f3", "show", "Model answer", group=HERE),
        Binding("enter", "keep", "Keep", group=HERE),
        Binding("space,x", "tick_here", "Tick", group=HERE),
        *(
            Binding(str(number), f"tick({number - 1})", f"Point {number}", show=False, group=HERE)
            for number in range(1, 10)
        ),
        Binding("i,n", "notes", "Notes", group=HERE),
        Binding("f2,h", "hint", "Hint", group=HERE),
        Binding("q,escape", "leave", "Leave", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        Binding("down,j", "move(1)", "Down", show=False, group=MOVING),
        Binding("up,k", "move(-1)", "Up", show=False, group=MOVING),
        Binding("pagedown", "scroll_page(1)", "A page down", show=False, group=MOVING),
        Binding("pageup", "scroll_page(-1)", "A page up", show=False, group=MOVING),
    ]

    def __init__(self, interview: Interview) -> None:
        super().__init__()
        self.interview = interview
        self._at = 0
        self._warned = False

    def body(self) -> Iterable[Widget]:
        """Yield the clock, the text and the notes."""
        with Horizontal(id="interview-head"):
            yield Static("Interview question", classes="title", markup=False)
            yield Static(id="interview-clock", markup=False)
        with VerticalScroll(id="interview-text", can_focus=False):
            yield from (Static(id=f"interview-{part}") for part in _PARTS)
            yield from (Static(classes="point") for _ in self.interview.question.points)
        yield Notes(id="interview-notes", show_line_numbers=False, placeholder="notes for your answer")

    def on_mount(self) -> None:
        """Show the question and start its clock."""
        self.query_one(Notes).display = False
        self.repaint()
        self.set_interval(1, self._tick)

    @property
    def _points(self) -> list[Static]:
        return list(self.query(".point").results(Static))

    def _tick(self) -> None:
        self.query_one("#interview-clock", Static).update(clock_text(self.interview, self.palette))

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        self._tick()
        interview, palette = self.interview, self.palette
        parts = {"asked": markup(interview.question.ask, palette)}
        if interview.hints:
            parts["hints"] = hints_view(interview.hints, palette)
        if interview.shown:
            parts["model"] = model_view(interview.question.answer, palette)
            parts["rubric"] = rubric_heading(interview.question.points, interview.made, palette)
            if interview.notes.strip():
                parts["own"] = notes_view(interview.notes, palette)
        for number, place in enumerate(self._points):
            place.display = interview.shown
            made, at_cursor = number in interview.made, number == self._at
            point = interview.question.points[number]
            place.update(point_view(number, point, palette, made=made, at_cursor=at_cursor))
        for part in _PARTS:
            place = self.query_one(f"#interview-{part}", Static)
            place.display = part in parts
            if part in parts:
                place.update(parts[part])
        self.refresh_bindings()

    # -- keys ----------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        interview = self.interview
        match action:
            case "show" | "notes":
                return not interview.shown
            case "hint":
                return not interview.shown and len(interview.hints) < len(interview.question.hints)
            case "keep" | "tick_here":
                return interview.shown
            case "tick":
                (number,) = parameters
                return interview.shown and int(str(number)) < len(interview.question.points)
        return super().check_action(action, parameters)

    def action_show(self) -> None:
        """Show the model answer and its points, and stop the clock."""
        self.interview.notes = self.query_one(Notes).text
        self.interview.show()
        self.query_one(Notes).display = False
        self._warned = False
        self.tell(None)
        self.repaint()
        self.call_after_refresh(self._to_model)

    def _to_model(self) -> None:
        model = self.query_one("#interview-model")
        self.query_one("#interview-text").scroll_to_widget(model, top=True, animate=False)

    def action_hint(self) -> None:
        """Show the next hint."""
        if self.interview.hint() is not None:
            self.repaint()

    def action_notes(self) -> None:
        """Take notes for the answer."""
        notes = self.query_one(Notes)
        notes.display = True
        notes.focus()

    def action_leave_notes(self) -> None:
        """Give the keys back to the screen; the notes stay."""
        notes = self.query_one(Notes)
        self.interview.notes = notes.text
        notes.display = bool(notes.text)
        self.set_focus(None)
        self.refresh_bindings()

    def action_tick_here(self) -> None:
        """Tick the point at the cursor, or take the tick back, and go to the next."""
        self.interview.toggle(self._at)
        self._go_to(min(self._at + 1, len(self.interview.question.points) - 1))

    def action_tick(self, point: int) -> None:
        """Tick a point, or take the tick back."""
        self.interview.toggle(point)
        self._go_to(point)

    def _go_to(self, point: int) -> None:
        """Put the cursor on a point, and bring it into view."""
        self._at = point
        self._warned = False
        self.tell(None)
        self.repaint()
        self.call_after_refresh(self._points[point].scroll_visible, animate=False)

    def action_move(self, lines: int) -> None:
        """Move among the points once they are in view; before, move the text."""
        text = self.query_one("#interview-text")
        last = len(self.interview.question.points) - 1
        in_view = self.interview.shown and self._points[self._at].region.bottom <= text.region.bottom
        if in_view and not (lines < 0 and self._at == 0):
            self._go_to(min(max(0, self._at + lines), last))
        else:
            text.scroll_relative(y=lines, animate=False)

    def action_keep(self) -> None:
        """Keep the answer with its ticks, and go back."""
        try:
            self.interview.finish()
        except StoreError as error:
            self.tell(f"{error} Press Enter to try again.", trouble=True)
            return
        self.dismiss()

    def action_leave(self) -> None:
        """Go back without keeping anything; asks once where there is something to lose."""
        self.interview.notes = self.query_one(Notes).text
        if (self.interview.made or self.interview.notes.strip()) and not self._warned:
            self._warned = True
            keep = (
                "Enter keeps it"
                if self.interview.shown
                else "Space shows the model answer, then Enter keeps it"
            )
            self.tell(f"This answer is not kept yet: {keep}, Esc again leaves it.", trouble=True)
            return
        self.dismiss()
