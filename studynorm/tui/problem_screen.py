"""What a review and a drill share: a problem on the screen, its answer by field or rows, and its helps."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input, Static

from studynorm.storage.errors import StoreError
from studynorm.study.course import DrillDone
from studynorm.study.offers import Offer, offers
from studynorm.study.situation import Done, Pending, ProblemPrompt
from studynorm.tui.answer_field import AnswerInput, AnswerPanel
from studynorm.tui.answer_sheet import AnswerSheet
from studynorm.tui.calm_screen import HERE, PROGRAM, CalmScreen, scroll_bindings
from studynorm.tui.engine_link import Health
from studynorm.tui.posing import Session
from studynorm.tui.problem_view import more_view, problem_parts, problem_question
from studynorm.tui.reading import Echo
from studynorm.tui.review_rules import (
    SAME_AGAIN,
    Shown,
    copies,
    is_fresh,
    pending_words,
    problem_offered,
    refusal,
    takes_answers,
    turns_to,
)
from studynorm.tui.review_text import ReviewText
from studynorm.tui.top_bar import Standing, TopBar

if TYPE_CHECKING:
    from studynorm.content.card import Card


def problem_bindings() -> list[BindingType]:
    """Return the keys of a problem outside the field."""
    return [
        Binding("f2,h", "hint", "Hint", group=HERE),
        Binding("f3,w", "solution", "Solution", group=HERE),
        Binding("o", "offers", "Turn to", group=HERE),
        Binding("c", "copy", "Copy program", group=HERE),
        Binding("p", "program", "Program", group=HERE),
        Binding("r", "try_engine", "Try the engine again", group=HERE),
    ]


def leaving_bindings() -> list[BindingType]:
    """Return the keys that lead away, and those that move the text."""
    return [
        Binding("q,escape", "home", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        *scroll_bindings(),
    ]


class ProblemScreen(CalmScreen):
    """A screen of a session; the subclasses know what surrounds the problems."""

    SCROLLED = "#text"
    TRY_AGAIN: Echo
    """What the field says after a wrong answer that leaves another try."""

    session: Session

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._sheet = AnswerSheet()
        self._shown: Shown | None = None
        self._typed = ""
        self._opener = ""
        self._changed = ""
        self._trouble: str | None = None

    def body(self) -> Iterable[Widget]:
        """Yield the top, the text and what the lower edge can hold."""
        yield TopBar()
        yield ReviewText(self._sheet, id="text")
        with Vertical(id="lower"):
            yield AnswerPanel(self._meant, self._sheet)
            yield from self.questions()
            yield Static(id="reveal", markup=False)
            yield from self.buttons()

    def questions(self) -> Iterable[Widget]:
        """Yield what stands right under the answer field."""
        return ()

    def buttons(self) -> Iterable[Widget]:
        """Yield what stands at the lower edge."""
        return ()

    def on_mount(self) -> None:
        """Show what the session opened."""
        self.study.link.serve(self.session)
        self.show()

    def on_screen_resume(self) -> None:
        """Have the engine work for this session again when the learner comes back to it."""
        if self._shown is not None:
            self.study.link.serve(self.session)

    def on_resize(self) -> None:
        """Fit the lower edge and the rules to the new size."""
        if self._shown is not None:
            self._show_lower()

    # -- showing -------------------------------------------------------------------------------------
    @property
    def problem(self) -> ProblemPrompt | None:
        """The problem on the screen."""
        prompt = self.session.situation
        return prompt if isinstance(prompt, ProblemPrompt) else None

    @property
    def engine_stopped(self) -> bool:
        """Whether the engine was given up."""
        return self.study.link.state.health is Health.GIVEN_UP

    def look(self) -> None:
        """Look at the session again after the engine's side changed something."""
        if self._shown is None:
            return
        stopped = isinstance(self._shown, Pending) and self.engine_stopped
        if stopped or self._shown is not self.session.situation:
            self.show()
        if self.session.notice is not None or self.study.link.state.trouble != self._trouble:
            self._news()

    def show(self) -> None:
        """Paint the situation that the session is in."""
        situation = self.session.situation
        if isinstance(situation, Done | DrillDone):
            self.show_end()
            return
        before, self._shown = self._shown, situation
        fresh = is_fresh(situation) or getattr(before, "item", None) != situation.item
        panel = self.query_one(AnswerPanel)
        if fresh:
            self._typed = ""
            self.query_one("#text").scroll_home(animate=False)
            self._sheet.ask(None if self.problem is None else self.problem.variant, panel.field)
            if self.problem is not None:
                panel.ask(self.problem.variant, self.palette)
        self._show_text(situation)
        self._show_lower()
        if not takes_answers(situation):
            self.set_focus(None)
        elif fresh:
            panel.field.focus()
        self._news()
        self.refresh_bindings()
        self.call_after_refresh(self._painted)

    def show_end(self) -> None:
        """Show the end of the session."""
        raise NotImplementedError

    def standing(self, situation: Shown) -> Standing:
        """Return what the top line says."""
        raise NotImplementedError

    def _show_lower(self) -> None:
        self.query_one(AnswerPanel).display = takes_answers(self.session.situation)

    def _parts(self, situation: Shown) -> tuple[RenderableType, dict[str, RenderableType]]:
        """Return the question and what stands under it."""
        if isinstance(situation, ProblemPrompt):
            parts = problem_parts(situation, self._typed, self.palette)
            more = more_view(self._on_offer(), copies(situation), self.palette)
            if more is not None:
                parts["more"] = more
            return problem_question(situation, self.palette), parts
        return Text(pending_words(self.engine_stopped), self.palette.quiet), {}

    def _show_text(self, situation: Shown) -> None:
        question, parts = self._parts(situation)
        text = self.query_one(ReviewText)
        text.set_class(isinstance(situation, ProblemPrompt), "problem")
        if isinstance(situation, ProblemPrompt):
            self._sheet.show(situation, self._typed, self.palette)
        text.show(question, parts, self._changed)
        self.query_one(TopBar).show(self.standing(situation))

    def _follow(self) -> None:
        if self._shown is not self.session.situation:
            self.show()

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        if self._shown is not None:
            self._show_text(self._shown)
            self._show_lower()

    def _painted(self) -> None:
        self.session.gate.painted()

    def _news(self) -> None:
        """Show what the session or the engine has to say."""
        notice, self.session.notice = self.session.notice, None
        self._trouble = self.study.link.state.trouble
        self.tell(self._trouble if notice is None else notice, trouble=True)

    # -- keys ----------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        if action == "offers":
            return bool(self._on_offer())
        verdict = problem_offered(action, self.session.situation, self.engine_stopped)
        return super().check_action(action, parameters) if verdict is None else verdict

    def action_type(self) -> None:
        """Go to the answer field, with the answer selected that was there."""
        if takes_answers(self.session.situation):
            field = self.query_one(AnswerInput)
            field.focus()
            if self.problem is not None and self.problem.verdicts:
                field.select_all()

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
        """Go back to where the session was begun."""
        self.study.show_home()

    def action_copy(self) -> None:
        """Copy the program that computes the answer."""
        if self.problem is not None and copies(self.problem):
            self.app.copy_to_clipboard(self.problem.variant.snippet)
            self.tell("The PyTorch program is in the clipboard, where the terminal allows it.")

    def action_program(self) -> None:
        """Show the program that computes the answer."""
        from studynorm.tui.program_screen import ProgramScreen

        if self.problem is not None and copies(self.problem):
            self.app.push_screen(ProgramScreen(self.problem.variant.snippet, self.palette))

    # -- what a wrong answer offers --------------------------------------------------------------------
    def _on_offer(self) -> tuple[Offer, ...]:
        problem = self.problem
        if problem is None or not turns_to(problem):
            return ()
        return tuple(offer for offer in offers(problem.variant) if offer.family or self._card(offer))

    def _card(self, offer: Offer) -> "Card | None":
        return self.study.desk.catalogue.library.card(offer.id)

    def action_offers(self) -> None:
        """Let the learner choose what to turn to; a single thing is shown at once."""
        from studynorm.tui.offers_screen import OffersScreen, titled

        found = self._on_offer()
        if len(found) == 1:
            self._turn_to(found[0])
        elif found:
            words = titled(found, self.study.desk.catalogue)
            self.app.push_screen(OffersScreen(found, self.palette, words), self._turn_to)

    def _turn_to(self, offer: Offer | None) -> None:
        if offer is None:
            return
        if offer.family:
            self.turn_to_family(offer)
        else:
            self.study.show_target(offer.id)

    def turn_to_family(self, offer: Offer) -> None:
        """Practise a family that is on offer."""
        raise NotImplementedError

    # -- the answer field ------------------------------------------------------------------------------
    def _meant(self, key: str) -> bool:
        """Tell whether the first key in an empty field is one of its own, not the last one held down."""
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
        """Take the answer, unless nothing of it is new or something is missing."""
        event.stop()
        panel, typed = self.query_one(AnswerPanel), event.value
        prompt = self.problem
        if prompt is None or prompt.closed or not self.session.gate.admits("enter"):
            return
        if prompt.verdicts and typed.strip() == self._typed.strip():
            panel.hold(SAME_AGAIN)
            return
        lacking = panel.lacks()
        if lacking is not None:
            panel.hold(lacking)
            return
        if not self.holds_back(prompt, typed):
            self.judge(typed)

    def holds_back(self, prompt: ProblemPrompt, typed: str) -> bool:
        """Tell whether an answer that was handed in is not to be judged yet."""
        return False

    def judge(self, typed: str) -> None:
        """Judge an answer; what cannot be read or is too coarse goes back to the field."""
        panel = self.query_one(AnswerPanel)
        try:
            verdict = self.session.submit(typed)
        except StoreError as error:
            self.tell(str(error), trouble=True)
            return
        if verdict is None:
            return
        if not verdict.kept:
            panel.field.focus()
            panel.hold(refusal(verdict))
            return
        self._typed = typed
        self._changed = "verdict"
        self.set_focus(None)
        self.show()
        if takes_answers(self.session.situation):
            panel.hold(self.TRY_AGAIN)

    def on_click(self, event: events.Click) -> None:
        """Take a click on the wide button as its key."""
        if event.widget is not None and event.widget.id == "reveal":
            self.press_wide_button()

    def press_wide_button(self) -> None:
        """Do what the wide button says."""
        raise NotImplementedError
