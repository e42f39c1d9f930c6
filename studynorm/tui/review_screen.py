"""A review: shows what the StudySession opens, takes keys, and makes one call for each."""

from collections.abc import Callable, Iterable
from typing import ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static

from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import StoreError
from studynorm.study.offers import Offer, card_links
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Pending, ProblemPrompt
from studynorm.tui.answer_field import AnswerInput
from studynorm.tui.calm_screen import HERE
from studynorm.tui.card_view import card_answer, card_question
from studynorm.tui.practice import Practice
from studynorm.tui.problem_screen import ProblemScreen, leaving_bindings, problem_bindings
from studynorm.tui.rating_bar import RatingBar
from studynorm.tui.reading import Echo, Tone
from studynorm.tui.review_rules import Shown, accepted_rating, review_offered, review_standing
from studynorm.tui.top_bar import Standing


class ReviewScreen(ProblemScreen):
    """Cards and problems of one session, until it is done."""

    TRY_AGAIN = Echo("Enter goes back to your answer; a rating ends the try.", Tone.QUIET)
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
        *problem_bindings(),
        Binding("u", "undo", "Undo", group=HERE),
        Binding("e", "edit", "Edit the card", show=False, group=HERE),
        Binding("minus", "begin('-')", "Another try", show=False, group=HERE),
        Binding("minus", "bury", "Bury until tomorrow", show=False, group=HERE),
        Binding("at,exclamation_mark", "suspend", "Suspend", show=False, group=HERE),
        Binding("r", "reload", "Read the decks again", show=False, group=HERE),
        *leaving_bindings(),
    ]

    session: StudySession

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
        bar = self.query_one(RatingBar)
        bar.display = self.session.ratable
        if isinstance(situation, CardPrompt | ProblemPrompt) and self.session.ratable:
            bar.show(situation.intervals, accepted_rating(self.session), self.palette)

    # -- keys ----------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
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

    def action_suspend(self) -> None:
        """Ask the open item no more until it is resumed."""
        self._pause(
            self.session.suspend, "@", "Suspended. To resume it, press b at home and filter is:suspended."
        )

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
