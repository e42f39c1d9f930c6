"""A drill on the screen: one problem after another, without ratings and without a trace in the schedule."""

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import Static

from studynorm.engine.variant import Variant
from studynorm.study.drill import DrillSession
from studynorm.study.offers import Offer
from studynorm.tui.calm_screen import HERE, PROGRAM, scroll_bindings
from studynorm.tui.drill_view import drill_standing
from studynorm.tui.practice import Practice
from studynorm.tui.problem_screen import ProblemScreen, problem_bindings
from studynorm.tui.reading import Echo, Tone
from studynorm.tui.review_rules import Shown, drill_offered
from studynorm.tui.top_bar import Standing


class DrillScreen(ProblemScreen):
    """Problems of one drill, until its end or the learner's."""

    TRY_AGAIN = Echo("Enter goes back to your answer; n goes on to the next problem.", Tone.QUIET)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "next('enter')", "Next problem", group=HERE),
        Binding("space", "next('space')", "Next problem", group=HERE),
        Binding("n", "next('n')", "Next problem", group=HERE),
        Binding("enter,i,space", "type", "Answer", group=HERE),
        Binding("n", "skip", "Next problem", group=HERE),
        *problem_bindings(),
        Binding("q,escape", "home", "End", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        *scroll_bindings(),
    ]

    session: DrillSession

    def __init__(self, session: DrillSession, practice: Practice) -> None:
        super().__init__(session)
        self._practice = practice
        self._timed: Variant | None = None
        self._took = 0.0

    def show(self) -> None:
        """Paint the situation that the drill is in; the time of a problem stands still once it is closed."""
        problem = self.problem
        if problem is not None and problem.closed and problem.variant is not self._timed:
            self._timed, self._took = problem.variant, self.session.seconds
        super().show()

    def show_end(self) -> None:
        """Show how the drill went."""
        self.study.show_drill_done(self.session, self._practice)

    def standing(self, situation: Shown) -> Standing:
        """Return what the top line says of the drill."""
        return drill_standing(self.session, self.study.topic_title(self.session.situation), self._took)

    def _show_lower(self) -> None:
        super()._show_lower()
        problem, button = self.problem, self.query_one("#reveal", Static)
        button.display = problem is not None and problem.closed
        words = "See how it went" if self.session.left == 0 else "Next problem"
        button.update(
            Text.assemble((f"{words}\n", self.palette.ink), ("Enter", f"bold {self.palette.accent}"))
        )

    # -- keys ----------------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        verdict = drill_offered(action, self.session)
        return super().check_action(action, parameters) if verdict is None else verdict

    def action_next(self, key: str) -> None:
        """Go on from a closed problem."""
        if not self.session.gate.admits(key):
            return
        self._opener = key
        if self.session.next():
            self.study.link.look()
            self._follow()

    def action_skip(self) -> None:
        """Go on though there is another try."""
        self.action_next("n")

    def press_wide_button(self) -> None:
        """Go on."""
        self.action_next("mouse")

    def action_home(self) -> None:
        """End the drill; without a finished problem there is nothing to sum up."""
        if self.session.answered or self.session.finished:
            self.session.stop()
            self.show_end()
        else:
            self.study.show_home()

    def turn_to_family(self, offer: Offer) -> None:
        """Have a family asked next."""
        if self.session.take(offer):
            self.study.link.look()
            self.tell(f"Next comes {offer.text}.")
        else:
            self.tell("This drill has a single problem. Practice at home begins another one.")
