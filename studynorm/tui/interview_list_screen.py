"""Where an interview question is chosen: each with its time and what was made of it last."""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from studynorm.storage.errors import StoreError
from studynorm.study.interview import Interview, NoQuestions, Record, next_question, questions, records
from studynorm.tui.calm_screen import HERE, MOVING, PROGRAM, CalmScreen
from studynorm.tui.interview_screen import InterviewScreen
from studynorm.tui.interview_view import record_row


class QuestionList(OptionList):
    """The questions; Enter or a click begins with one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Begin", group=HERE),
        Binding("down,j", "cursor_down", "Next", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Before", show=False, group=MOVING),
    ]


class InterviewListScreen(CalmScreen):
    """The questions of the interview mode."""

    CSS_PATH: ClassVar[Path] = Path(__file__).with_name("interview.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "next", "Ask me one", group=HERE),
        Binding("t", "timed", "Against the clock", group=HERE),
        Binding("q,escape", "app.pop_screen", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._records: tuple[Record, ...] = ()
        self._timed = False

    def body(self) -> Iterable[Widget]:
        """Yield the title and the list."""
        yield Static("Interview", classes="title", markup=False)
        yield Static(id="interview-mode", classes="subtitle", markup=False)
        yield QuestionList(markup=False, compact=True)

    def on_mount(self) -> None:
        """Let the keys of the list work."""
        self._read()
        self.query_one(QuestionList).focus()

    def on_screen_resume(self) -> None:
        """Show what was answered since."""
        if self._records:
            self._read()

    def _read(self) -> None:
        try:
            self._records = records(questions(), self.study.desk.store)
        except (StoreError, NoQuestions) as error:
            self.tell(str(error), trouble=True)
        self.repaint()

    def repaint(self) -> None:
        """Paint the list in the colours of now."""
        super().repaint()
        way = "down" if self._timed else "up"
        self.query_one("#interview-mode", Static).update(
            f"Answer aloud or in notes, then tick your points. Time is counted {way}."
        )
        asked = self.query_one(QuestionList)
        at = asked.highlighted or 0
        now = self.study.desk.clock()
        asked.set_options(Option(record_row(record, now, self.palette)) for record in self._records)
        asked.highlighted = at if self._records else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Begin with the chosen question."""
        event.stop()
        self._begin(self._records[event.option_index])

    def action_next(self) -> None:
        """Begin with a question that was never answered, or else with the one that went worst."""
        if self._records:
            chosen = next_question(self._records)
            self._begin(next(record for record in self._records if record.question is chosen))

    def action_timed(self) -> None:
        """Count the time down, or only count it."""
        self._timed = not self._timed
        self.repaint()

    def _begin(self, record: Record) -> None:
        desk = self.study.desk
        interview = Interview(record.question, desk.store, desk.clock, desk.ticks, timed=self._timed)
        self.app.push_screen(InterviewScreen(interview))
