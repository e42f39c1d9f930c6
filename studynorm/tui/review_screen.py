"""A review: shows what the StudySession opens, takes keys, and makes one call for each."""

from collections.abc import Iterable
from typing import ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input, Static

from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import StoreError
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done, Pending, ProblemPrompt, Situation
from studynorm.tui.answer_field import AnswerInput, AnswerPanel
from studynorm.tui.calm_screen import HERE, PROGRAM, CalmScreen, scroll_bindings
from studynorm.tui.card_view import card_answer, card_question
from studynorm.tui.engine_link import Health
from studynorm.tui.problem_view import problem_parts, problem_question
from studynorm.tui.rating_bar import RatingBar
from studynorm.tui.review_rules import (
    SAME_AGAIN,
    TRY_AGAIN,
    accepted_rating,
    is_fresh,
    offered,
    pending_words,
    refusal,
    standing,
    takes_answers,
)
from studynorm.tui.review_text import ReviewText
from studynorm.tui.top_bar import TopBar


class ReviewScreen(CalmScreen):
    """Cards and problems of one session, until it is done."""

    SCROLLED = "#text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "reveal('enter')", "Show the answer", group=HERE),
        Binding("space", "reveal('space')", "Show the answer", group=HERE),
        Binding("enter,i,space", "type", "Answer", group=HERE),
        Binding("enter", "accept('enter')", "Accept", group=HERE),
        Binding("space", "accept('space')", "Accept", group=HERE),
        Binding("1", "rate(1)", "Again", show=False, group=HERE),
        Binding("2", "rate(2)", "Hard", show=False, group=HERE),
        Binding("3", "rate(3)", "Good", show=False, group=HERE),
        Binding("4", "rate(4)", "Easy", show=False, group=HERE),
        Binding("f2,h", "hint", "Hint", group=HERE),
        Binding("f3,w", "solution", "Solution", group=HERE),
        Binding("r", "try_engine", "Try the engine again", group=HERE),
        Binding("u", "undo", "Undo", group=HERE),
        Binding("q,escape", "home", "Home", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        *scroll_bindings(),
    ]

    def __init__(self, session: StudySession) -> None:
        super().__init__()
        self.session = session
        self._shown: Situation | None = None
        self._typed = ""
        self._opener = ""
        self._changed = ""

    def body(self) -> Iterable[Widget]:
        """Yield the top, the text and the three things that the lower edge can hold."""
        yield TopBar()
        yield ReviewText(id="text")
        with Vertical(id="lower"):
            yield AnswerPanel(self._meant)
            yield Static(id="reveal", markup=False)
            yield RatingBar()

    def on_mount(self) -> None:
        """Show what the session opened."""
        self.study.link.serve(self.session)
        self.show()

    def on_resize(self) -> None:
        """Fit the buttons and the rules to the new size."""
        if self._shown is not None:
            self._show_lower()

    def on_click(self, event: events.Click) -> None:
        """Reveal by a click on the button for it."""
        if event.widget is not None and event.widget.id == "reveal":
            self.action_reveal("mouse")

    # -- showing -------------------------------------------------------------------------------------
    def look(self) -> None:
        """Look at the session again after the engine's side changed something."""
        if self._shown is None:
            return
        stopped = isinstance(self._shown, Pending) and self.study.link.state.health is Health.GIVEN_UP
        if stopped or self._shown is not self.session.situation:
            self.show()
        self._news()

    def show(self) -> None:
        """Paint the situation that the session is in."""
        situation = self.session.situation
        if isinstance(situation, Done):
            self.study.show_done(self.session)
            return
        before, self._shown = self._shown, situation
        fresh = is_fresh(situation) or getattr(before, "item", None) != situation.item
        if fresh:
            self._typed = ""
            self.query_one("#text").scroll_home(animate=False)
        self._show_text(situation)
        self._show_lower()
        if fresh and isinstance(situation, ProblemPrompt):
            panel = self.query_one(AnswerPanel)
            panel.ask(situation.variant, self.palette)
            if takes_answers(situation):
                panel.field.focus()
        if not takes_answers(situation):
            self.set_focus(None)
        self._news()
        self.refresh_bindings()
        self.call_after_refresh(self._painted)

    def _follow(self) -> None:
        if self._shown is not self.session.situation:
            self.show()

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        if self._shown is not None and not isinstance(self._shown, Done):
            self._show_text(self._shown)
            self._show_lower()

    def _painted(self) -> None:
        self.session.gate.painted()

    def _show_text(self, situation: Situation) -> None:
        parts: dict[str, RenderableType] = {}
        question: RenderableType = ""
        match situation:
            case CardPrompt():
                question = card_question(situation, self.palette)
                if situation.revealed:
                    parts["answer-text"] = card_answer(situation, self.palette)
            case ProblemPrompt():
                question = problem_question(situation, self.palette)
                parts = problem_parts(situation, self._typed, self.palette)
            case Pending():
                stopped = self.study.link.state.health is Health.GIVEN_UP
                question = Text(pending_words(stopped), self.palette.quiet)
        text = self.query_one(ReviewText)
        text.set_class(isinstance(situation, ProblemPrompt), "problem")
        text.show(question, parts, self._changed)
        self.query_one(TopBar).show(standing(self.session, self.study.topic_title(situation)))

    def _show_lower(self) -> None:
        situation = self.session.situation
        self.query_one(AnswerPanel).display = takes_answers(situation)
        reveal = self.query_one("#reveal", Static)
        reveal.display = isinstance(situation, CardPrompt) and not situation.revealed
        reveal.update(
            Text.assemble(
                ("Show the answer\n", self.palette.ink),
                ("Space", f"bold {self.palette.accent}"),
            )
        )
        bar = self.query_one(RatingBar)
        bar.display = self.session.ratable
        if isinstance(situation, CardPrompt | ProblemPrompt) and self.session.ratable:
            bar.show(situation.intervals, accepted_rating(self.session), self.palette)

    def _news(self) -> None:
        """Show what the session or the engine has to say."""
        notice, self.session.notice = self.session.notice, None
        trouble = self.study.link.state.trouble
        if notice is not None:
            self.tell(notice, trouble=True)
        else:
            self.tell(trouble, trouble=True)

    # -- keys ----------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        stopped = self.study.link.state.health is Health.GIVEN_UP
        verdict = offered(action, self.session, stopped)
        return super().check_action(action, parameters) if verdict is None else verdict

    def action_reveal(self, key: str) -> None:
        """Show the answer of a card."""
        if isinstance(self.session.situation, CardPrompt) and self.session.gate.admits(key):
            self.session.reveal()
            self.show()

    def action_type(self) -> None:
        """Go to the answer field, with the answer selected that was there."""
        if takes_answers(self.session.situation):
            field = self.query_one(AnswerInput)
            field.focus()
            if self.session.ratable:
                field.select_all()

    def action_accept(self, key: str) -> None:
        """Give the rating that is marked."""
        rating = accepted_rating(self.session)
        if rating is not None:
            self._rate(rating, key)

    def action_rate(self, rating: int) -> None:
        """Give a rating."""
        self._rate(Rating(rating), str(rating))

    def on_rating_bar_chosen(self, event: RatingBar.Chosen) -> None:
        """Take a click on a rating as its key."""
        self._rate(event.rating, str(int(event.rating)))

    def _rate(self, rating: Rating, key: str) -> None:
        if not self.session.ratable or not self.session.gate.admits(key):
            return
        self._opener = key
        try:
            self.session.answer(rating)
        except StoreError as error:
            self.tell(f"{error} Press {int(rating)} to try again.", trouble=True)
            return
        self.study.link.look()
        self._follow()

    def action_undo(self) -> None:
        """Take back the newest review of the day."""
        if not self.session.gate.admits("u") and not isinstance(self.session.situation, Pending):
            return
        try:
            undone = self.session.undo()
        except StoreError as error:
            self.tell(str(error), trouble=True)
            return
        if not undone:
            self.tell("There is nothing to take back today.")
            return
        self.study.link.look()
        self._follow()

    def action_hint(self) -> None:
        """Show the next hint."""
        if self.session.hint() is not None:
            self._after_help("hints")

    def action_solution(self) -> None:
        """Show the worked solution."""
        self.session.reveal()
        self._after_help("solution")

    def _after_help(self, part: str) -> None:
        self._changed = part
        typing = self.focused is not None
        self.show()
        if typing and takes_answers(self.session.situation):
            self.query_one(AnswerInput).focus()

    def action_try_engine(self) -> None:
        """Start the engine again after it was given up."""
        self.study.link.try_again()

    def action_home(self) -> None:
        """Go back to the home screen; an item that was not rated stays as it was."""
        self.study.show_home()

    # -- the answer field ------------------------------------------------------------------------------
    def _meant(self, key: str) -> bool:
        """Tell whether the first key in an empty field is one of its own, not the last rating held down."""
        if key != self._opener:
            return True
        if not self.session.gate.admits(key):
            return False
        self._opener = ""
        return True

    def on_answer_input_left(self, event: AnswerInput.Left) -> None:
        """Let single letters work again."""
        event.stop()
        self.set_focus(None)
        self.refresh_bindings()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Judge the answer; what cannot be read or is too coarse costs nothing."""
        event.stop()
        panel, typed = self.query_one(AnswerPanel), event.value
        if not takes_answers(self.session.situation) or not self.session.gate.admits("enter"):
            return
        if self.session.ratable and typed.strip() == self._typed.strip():
            panel.hold(SAME_AGAIN)
            return
        verdict = self.session.submit(typed)
        if verdict is None:
            return
        if not verdict.graded:
            panel.hold(refusal(verdict))
            return
        self._typed = typed
        self._changed = "verdict"
        self.set_focus(None)
        self.show()
        if takes_answers(self.session.situation):
            panel.hold(TRY_AGAIN)
