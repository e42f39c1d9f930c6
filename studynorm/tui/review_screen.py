"""A review: shows what the StudySession opens, takes keys, and makes one call for each."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static

from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import StoreError
from studynorm.study.confidence import LEVELS
from studynorm.study.offers import Offer, card_links
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Pending, ProblemPrompt
from studynorm.study.tries import is_readable
from studynorm.study.why import why_asked
from studynorm.tui.answer_field import AnswerInput, AnswerPanel
from studynorm.tui.calm_screen import HERE
from studynorm.tui.card_view import card_answer, card_question
from studynorm.tui.confidence_bar import ConfidenceBar
from studynorm.tui.patience import Patience
from studynorm.tui.practice import Practice
from studynorm.tui.problem_screen import ProblemScreen, leaving_bindings, problem_bindings
from studynorm.tui.rating_bar import RatingBar
from studynorm.tui.reading import Echo, Tone
from studynorm.tui.review_rules import (
    ASKS_CONFIDENCE,
    SUSPENDED,
    Shown,
    accepted_rating,
    place_in,
    review_offered,
    review_standing,
)
from studynorm.tui.top_bar import Standing

SURE = "How sure you are, before the answer"


class ReviewScreen(ProblemScreen):
    """Cards and problems of one session, until it is done."""

    TRY_AGAIN = Echo("Enter goes back to your answer; a rating ends the try.", Tone.QUIET)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "reveal('enter')", "Show the answer", group=HERE),
        Binding("space", "reveal('space')", "Show the answer", group=HERE),
        Binding("enter,space", "judge", "Check", group=HERE),
        Binding("escape", "retype", "Back to the answer", show=False, group=HERE),
        Binding("enter,i,space", "type", "Answer", group=HERE),
        Binding("enter", "accept('enter')", "Accept", group=HERE),
        Binding("space", "accept('space')", "Accept", group=HERE),
        Binding("1", "rate(1)", "Again", show=False, group=HERE),
        Binding("2", "rate(2)", "Hard", show=False, group=HERE),
        Binding("3", "rate(3)", "Good", show=False, group=HERE),
        Binding("4", "rate(4)", "Easy", show=False, group=HERE),
        *(Binding(key, f"sure({key!r})", SURE, show=False, group=HERE) for key in LEVELS),
        *problem_bindings(),
        Binding("u", "undo", "Undo", group=HERE),
        Binding("e", "edit", "Edit the card", show=False, group=HERE),
        Binding("minus", "begin('-')", "Another try", show=False, group=HERE),
        Binding("minus", "bury", "Bury until tomorrow", show=False, group=HERE),
        Binding("at,exclamation_mark", "suspend", "Suspend", show=False, group=HERE),
        Binding("r", "reload", "Read the decks again", show=False, group=HERE),
        Binding("y", "why", "Why now", show=False, group=HERE),
        *leaving_bindings(),
    ]

    session: StudySession
    _asked: ProblemPrompt | None = None
    """The problem whose answer waits for the learner to say how sure they are."""

    def questions(self) -> Iterable[Widget]:
        """Yield the question how sure one is."""
        yield ConfidenceBar()

    def buttons(self) -> Iterable[Widget]:
        """Yield the ratings."""
        yield RatingBar()

    def show_end(self) -> None:
        """Show what was done."""
        self.study.show_done(self.session)

    def standing(self, situation: Shown) -> Standing:
        """Return what the top line says of the session."""
        return review_standing(self.session, self.study.topic_title(self.session.situation))

    def _parts(self, situation: Shown) -> tuple[RenderableType, dict[str, RenderableType]]:
        if not isinstance(situation, CardPrompt):
            return super()._parts(situation)
        answer = {"answer-text": card_answer(situation, self.palette)} if situation.revealed else {}
        return card_question(situation, self.palette), {**answer}

    def _show_lower(self) -> None:
        super()._show_lower()
        situation = self.session.situation
        reveal = self.query_one("#reveal", Static)
        reveal.display = isinstance(situation, CardPrompt) and not situation.revealed
        reveal.update(
            Text.assemble(
                ("Show the answer\n", self.palette.ink),
                ("Space", f"bold {self.palette.accent}"),
            )
        )
        sure = self.query_one(ConfidenceBar)
        # Behind a card it keeps its place, so that the ratings come where the wide button was.
        card = isinstance(situation, CardPrompt) and self.session.may_ask_confidence
        sure.display, sure.visible = card or self._asks, self._asks
        bar = self.query_one(RatingBar)
        bar.display = self.session.ratable
        if isinstance(situation, CardPrompt | ProblemPrompt) and self.session.ratable:
            bar.show(situation.intervals, accepted_rating(self.session), self.palette)

    # -- keys ----------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        if action in ("judge", "retype"):
            return self._waits
        if action == "sure":
            return self._asks
        verdict = review_offered(action, self.session)
        return super().check_action(action, parameters) if verdict is None else verdict

    def press_wide_button(self) -> None:
        """Show the answer of a card."""
        self.action_reveal("mouse")

    def action_reveal(self, key: str) -> None:
        """Show the answer of a card."""
        if isinstance(self.session.situation, CardPrompt) and self.session.gate.admits(key):
            self.session.reveal()
            self.show()

    # -- how sure one is -----------------------------------------------------------------------------
    @property
    def _waits(self) -> bool:
        """Whether an answer was handed in and waits for the learner to say how sure they are."""
        return self._asked is not None and self._asked is self.session.situation

    @property
    def _asks(self) -> bool:
        """Whether a key would say now how sure one is."""
        asked = self._waits or isinstance(self.session.situation, CardPrompt)
        return asked and self.session.asks_confidence

    def holds_back(self, prompt: ProblemPrompt, typed: str) -> bool:
        """Ask first how sure the learner is; handed in again, or not readable, it is judged at once."""
        if self._waits or not self.session.asks_confidence or not is_readable(prompt, typed):
            return False
        self.set_focus(None)
        self._asked = prompt
        self.query_one(AnswerPanel).hold(ASKS_CONFIDENCE)
        self._show_lower()
        self.refresh_bindings()
        return True

    def on_descendant_focus(self) -> None:
        """Ask no more how sure one is of an answer that goes on being written."""
        if self._asked is not None:
            self._asked = None
            self.query_one(AnswerPanel).let_go()
            self._show_lower()

    def judge(self, typed: str) -> None:
        """Judge an answer."""
        self._asked = None
        super().judge(typed)
        self._show_lower()

    def action_judge(self) -> None:
        """Judge the answer that waits, without saying how sure one is."""
        if self._waits and self.session.gate.admits("enter"):
            self.judge(self.query_one(AnswerInput).value)

    def action_retype(self) -> None:
        """Go on writing the answer that waits."""
        self.action_type()

    def action_sure(self, key: str) -> None:
        """Say how sure one is, and see the answer or have one's own judged."""
        if not self._asks or not self.session.gate.admits(key):
            return
        self.session.be_sure(LEVELS[key])
        if self._waits:
            self.judge(self.query_one(AnswerInput).value)
        else:
            self.session.reveal()
            self.show()

    def on_confidence_bar_chosen(self, event: ConfidenceBar.Chosen) -> None:
        """Take a click on an answer as its key."""
        self.action_sure(event.key)

    # -- ratings -------------------------------------------------------------------------------------
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
        at = place_in(self.session)

        def give() -> None:
            if at != place_in(self.session):
                return  # something else was done while another program was writing
            rated = self.session.answer(rating)
            self.study.link.look()
            self._follow()
            if rated:
                self.study.show_leech(self.session)

        self._patience.give(give, f"Press {int(rating)} to try again.")

    @cached_property
    def _patience(self) -> Patience:
        return Patience(self)

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

    def action_suspend(self) -> None:
        """Ask the open item no more until it is resumed."""
        self._pause(self.session.suspend, "@", SUSPENDED)

    def action_begin(self, text: str) -> None:
        """Begin another try at a problem with what was typed outside the field."""
        field = self.query_one(AnswerInput)
        field.focus()
        field.value = text
        field.cursor_position = len(text)

    def action_bury(self) -> None:
        """Ask the open item no more today."""
        self._pause(self.session.bury, "-", "Buried: it comes back on the next study day.")

    def _pause(self, pause: Callable[[], bool], key: str, words: str) -> None:
        if not self.session.gate.admits(key):
            return
        try:
            paused = pause()
        except StoreError as error:
            self.tell(str(error), trouble=True)
            return
        if paused:
            self.study.link.look()
            self._follow()
            if self.is_current:
                self.tell(words)

    def action_edit(self) -> None:
        """Open the card in the learner's editor; it stays on the screen."""
        if isinstance(self.session.situation, CardPrompt):
            self.study.edit_item(self.session.situation.item)

    def action_why(self) -> None:
        """Say in one sentence why the open item is due now."""
        situation = self.session.situation
        if not isinstance(situation, CardPrompt | ProblemPrompt):
            return
        try:
            self.tell(why_asked(self.study.desk, situation.item))
        except StoreError as error:
            self.tell(str(error), trouble=True)

    def action_reload(self) -> None:
        """Read the decks again; the open item stays."""
        self.study.reload_decks()

    def decks_changed(self) -> None:
        """Show the open card as it reads now."""
        catalogue, before = self.study.desk.catalogue, self.session.situation
        self.session.reload(catalogue)
        self._follow()
        if isinstance(before, CardPrompt) and before.item not in catalogue.candidates:
            faults = [
                fault for fault in catalogue.library.errors if fault.place.path == before.card.place.path
            ]
            self.study.tell_trouble(
                str(faults[0]) if faults else f"{before.item} is in no deck any more; its memory is kept."
            )

    def _on_offer(self) -> tuple[Offer, ...]:
        prompt = self.session.situation
        if isinstance(prompt, CardPrompt):
            return card_links(prompt.card) if prompt.revealed else ()
        return super()._on_offer()

    def turn_to_family(self, offer: Offer) -> None:
        """Practise a family beside the schedule, and come back here afterwards."""
        self.study.show_drill(Practice((offer.family,), level=offer.level))
