"""A final pass on the screen: shown like a review, with two ratings that lead to nothing but this pass."""

from collections.abc import Iterable
from typing import ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static

from studynorm.scheduling.rating import Rating
from studynorm.study.offers import Offer, card_links
from studynorm.study.rehearsal import BUTTONS, Rehearsal
from studynorm.study.situation import CardPrompt, Pending, ProblemPrompt
from studynorm.tui.calm_screen import HERE
from studynorm.tui.card_view import card_answer, card_question
from studynorm.tui.practice import Practice
from studynorm.tui.problem_screen import ProblemScreen, leaving_bindings, problem_bindings
from studynorm.tui.rating_bar import RatingBar, RatingButton
from studynorm.tui.reading import Echo, Tone
from studynorm.tui.rehearsal_view import pass_standing
from studynorm.tui.review_rules import Shown
from studynorm.tui.top_bar import Standing


class PassBar(RatingBar):
    """The two ratings of a pass."""

    def compose(self) -> ComposeResult:
        """Yield Again and Good."""
        for rating in BUTTONS:
            yield RatingButton(rating)


class RehearsalScreen(ProblemScreen):
    """Cards and problems of one pass, until all are known or the learner leaves."""

    TRY_AGAIN = Echo("Enter goes back to your answer; 1 or 3 ends the try.", Tone.QUIET)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "reveal('enter')", "Show the answer", group=HERE),
        Binding("space", "reveal('space')", "Show the answer", group=HERE),
        Binding("enter,i,space", "type", "Answer", group=HERE),
        Binding("enter", "accept('enter')", "Accept", group=HERE),
        Binding("space", "accept('space')", "Accept", group=HERE),
        Binding("1", "rate(1)", "Again", show=False, group=HERE),
        Binding("3", "rate(3)", "Good", show=False, group=HERE),
        *problem_bindings(),
        Binding("u", "undo", "Undo", group=HERE),
        *leaving_bindings(),
    ]

    session: Rehearsal

    def buttons(self) -> Iterable[Widget]:
        """Yield the two ratings."""
        yield PassBar()

    def show_end(self) -> None:
        """Show how the pass went."""
        self.study.show_pass_done(self.session)

    def standing(self, situation: Shown) -> Standing:
        """Return what the top line says of the pass."""
        return pass_standing(self.session, self.study.topic_title(self.session.situation))

    @property
    def accepted(self) -> Rating | None:
        """What Enter and Space give now: the suggestion for a closed problem, Good for a revealed card."""
        prompt = self.session.situation
        if isinstance(prompt, CardPrompt) and prompt.revealed:
            return Rating.GOOD
        if isinstance(prompt, ProblemPrompt) and prompt.closed:
            return self.session.suggested or Rating.GOOD
        return None

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
        words = ("Show the answer\n", self.palette.ink)
        reveal.update(Text.assemble(words, ("Space", f"bold {self.palette.accent}")))
        bar = self.query_one(PassBar)
        bar.display = self.session.ratable
        if self.session.ratable:
            bar.show(BUTTONS, self.accepted, self.palette)

    # -- keys ----------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        prompt = self.session.situation
        match action:
            case "reveal":
                return isinstance(prompt, CardPrompt) and not prompt.revealed
            case "accept":
                return self.accepted is not None
            case "rate":
                return self.session.ratable
            case "undo":
                return self.session.begun
        return super().check_action(action, parameters)

    def press_wide_button(self) -> None:
        """Show the answer of a card."""
        self.action_reveal("mouse")

    def action_reveal(self, key: str) -> None:
        """Show the answer of a card."""
        if isinstance(self.session.situation, CardPrompt) and self.session.gate.admits(key):
            self.session.reveal()
            self.show()

    def action_accept(self, key: str) -> None:
        """Give the rating that is marked."""
        if self.accepted is not None:
            self._rate(self.accepted, key)

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
        self.session.answer(rating)
        self.study.link.look()
        self._follow()

    def action_undo(self) -> None:
        """Take the last rating of this pass back."""
        if not self.session.gate.admits("u") and not isinstance(self.session.situation, Pending):
            return
        if self.session.undo():
            self.study.link.look()
            self._follow()

    def action_home(self) -> None:
        """Say how it went so far; without a rating there is nothing to say."""
        if self.session.begun:
            self.show_end()
        else:
            self.study.show_home()

    def decks_changed(self) -> None:
        """Show the open card as it reads now."""
        self.session.reload(self.study.desk.catalogue)
        self._follow()

    def _on_offer(self) -> tuple[Offer, ...]:
        prompt = self.session.situation
        if isinstance(prompt, CardPrompt):
            return card_links(prompt.card) if prompt.revealed else ()
        return super()._on_offer()

    def turn_to_family(self, offer: Offer) -> None:
        """Practise a family, and come back here afterwards."""
        self.study.show_drill(Practice((offer.family,), level=offer.level))
