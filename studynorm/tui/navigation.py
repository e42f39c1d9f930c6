"""From screen to screen: what each screen asks the program for when it leads to another.

Every screen is imported when it is first shown, so that the first frame waits for none of them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import App

from studynorm.storage.errors import StoreError
from studynorm.tui.calm_screen import CalmScreen
from studynorm.tui.practice import Practice, begin, weak_of
from studynorm.tui.theme import Palette

if TYPE_CHECKING:
    from studynorm.study.desk import Desk
    from studynorm.study.drill import DrillSession
    from studynorm.study.rehearsal import Rehearsal
    from studynorm.study.session import StudySession


class Navigation(App[None]):
    """The part of the program that leads from screen to screen."""

    palette: Palette

    @property
    def desk(self) -> "Desk":
        """The open desk."""
        raise NotImplementedError

    def _session(
        self, topic: str | None = None, limit: int | None = None, items: Sequence[str] | None = None
    ) -> "StudySession":
        raise NotImplementedError

    def _tell(self, message: str) -> None:
        raise NotImplementedError

    def tell_trouble(self, message: str) -> None:
        """Say on the screen that is shown what is wrong."""
        self._tell(message)

    def _say(self, message: str) -> None:
        """Show a line of news that is no trouble."""
        if isinstance(self.screen, CalmScreen):
            self.screen.tell(message)

    def show_review(
        self, topic: str | None = None, limit: int | None = None, items: Sequence[str] | None = None
    ) -> None:
        """Begin a session of one topic, of some items or of all, for at most so many answers."""
        from studynorm.tui.review_screen import ReviewScreen

        try:
            session = self._session(topic, limit, items)
        except StoreError as error:
            self._tell(str(error))
            return
        self.push_screen(ReviewScreen(session))

    def show_undone(self) -> None:
        """Take back the newest review of the day from the home screen."""
        from studynorm.tui.review_screen import ReviewScreen

        try:
            session = self._session()
            undone = session.undo()
        except StoreError as error:
            self._tell(str(error))
            return
        if not undone:
            self._tell("There is nothing to take back today.")
            return
        self.push_screen(ReviewScreen(session))

    def resume_review(self, session: "StudySession") -> None:
        """Go on with a session that was done."""
        from studynorm.tui.review_screen import ReviewScreen

        self.switch_screen(ReviewScreen(session))

    def show_done(self, session: "StudySession") -> None:
        """Show the end of a session."""
        from studynorm.tui.done_screen import DoneScreen

        topic = None if session.topic is None else self.desk.catalogue.topic_title(session.topic)
        self.switch_screen(DoneScreen(session, topic))

    def show_leech(self, session: "StudySession") -> None:
        """Say what may help with the item that the newest rating of a session made a leech."""
        from studynorm.tui.leech_screen import LeechScreen

        if session.leech is not None:
            self.push_screen(LeechScreen(session, session.leech))

    def show_home(self) -> None:
        """Go back to the screen beneath, which mostly is the home screen."""
        self.pop_screen()

    def show_practice(self, topic: str | None = None) -> None:
        """Show what can be practised, with a topic marked."""
        from studynorm.tui.practice_screen import PracticeScreen

        self.push_screen(PracticeScreen(topic))

    def show_drill(self, practice: Practice, *, again: bool = False) -> None:
        """Begin a drill over this screen, or `again` in place of the end of another."""
        from studynorm.tui.drill_screen import DrillScreen

        try:
            session = begin(self.desk, practice)
        except StoreError as error:
            self._tell(str(error))
            return
        if session is None:
            self._tell("No slip was named in the last 30 days: there is nothing weak to practise.")
        elif again:
            self.switch_screen(DrillScreen(session, practice))
        else:
            self.push_screen(DrillScreen(session, practice))

    def show_drill_done(self, session: "DrillSession", practice: Practice) -> None:
        """Show how a drill went."""
        from studynorm.tui.drill_done_screen import DrillDoneScreen

        self.switch_screen(DrillDoneScreen(session, practice))

    def weak_families(self) -> tuple[str, ...]:
        """Return the families in which slips were named lately; none where the profile cannot be read."""
        try:
            return weak_of(self.desk)
        except StoreError as error:
            self._tell(str(error))
            return ()

    def show_target(self, target: str, level: int | None = None) -> None:
        """Turn to a card, family or demo by its id; says so where there is no such thing."""
        kind, _, name = target.partition(":")
        match kind:
            case "card":
                self.show_item(target)
            case "family" if target in self.desk.catalogue.candidates:
                self.show_drill(Practice((name,), level=level))
            case "demo":
                from studynorm.demos.registry import demos
                from studynorm.tui.demo_screen import DemoScreen

                demo = demos().get(name)
                if demo is None:
                    self._tell(f"There is no demo {name}.")
                else:
                    self.push_screen(DemoScreen(demo))
            case _:
                self._tell(f"There is nothing by the name {target}.")

    def show_item(self, item: str) -> None:
        """Show a card or family to read, with what is remembered of it and where it leads."""
        from studynorm.study.item_sheet import item_sheet
        from studynorm.tui.peek_screen import PeekScreen

        try:
            sheet = item_sheet(self.desk, item)
        except StoreError as error:
            self._tell(str(error))
            return
        if sheet is None:
            self._tell(f"There is nothing by the name {item}.")
        else:
            self.push_screen(PeekScreen(sheet))

    def show_answers(self) -> None:
        """Show what was typed in the past."""
        from studynorm.tui.attempts_screen import AttemptsScreen

        self.push_screen(AttemptsScreen())

    def show_browse(self, text: str = "") -> None:
        """Show the table of all items, filtered by `text`."""
        from studynorm.tui.browse_screen import BrowseScreen

        self.push_screen(BrowseScreen(text))

    def show_topic(self, topic: str) -> None:
        """Show a topic: its note, and its items with what is remembered of them."""
        from studynorm.tui.topic_screen import TopicScreen

        self.push_screen(TopicScreen(topic))

    def show_reference(self, term: str | None = None) -> None:
        """Show the glossary, the references and the diagrams."""
        from studynorm.tui.reference_screen import ReferenceScreen

        self.push_screen(ReferenceScreen(term))

    def show_interview(self) -> None:
        """Show the interview questions."""
        from studynorm.tui.interview_list_screen import InterviewListScreen

        self.push_screen(InterviewListScreen())

    def edit_item(self, item: str) -> None:
        """Open a card in the learner's editor, and show it as it reads afterwards; its memory stays."""
        from studynorm.tui.editing import edit_card

        edited = edit_card(self, item)
        if edited is None or edited.problems or not edited.reworded or edited.card is None:
            return
        try:
            known = any(self.desk.store.memory(each) is not None for each in edited.card.item_ids)
        except StoreError as error:
            self._tell(str(error))
            return
        if known:
            self._say("Edited. What you learned is kept. If the meaning changed, forget it (b at home, F).")

    def show_demos(self) -> None:
        """Show the list of demos."""
        from studynorm.tui.demo_list_screen import DemoListScreen

        self.push_screen(DemoListScreen())

    def show_progress(self) -> None:
        """Show how learning goes."""
        from studynorm.tui.progress_screen import ProgressScreen

        if not isinstance(self.screen, ProgressScreen):
            self.push_screen(ProgressScreen())

    def show_settings(self) -> None:
        """Show the options."""
        from studynorm.tui.settings_screen import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(SettingsScreen())

    def show_weights(self) -> None:
        """Show FSRS' weights: fit them, or choose others."""
        from studynorm.tui.optimise_screen import OptimiseScreen

        if not isinstance(self.screen, OptimiseScreen):
            self.push_screen(OptimiseScreen())

    def show_catch_up(self) -> None:
        """Show the plans for catching up; says so where there is nothing to spread."""
        from studynorm.study.catchup import foreseen, waiting_words
        from studynorm.tui.catchup_screen import CatchUpScreen

        try:
            waiting = foreseen(self.desk)
        except StoreError as error:
            self._tell(str(error))
            return
        if waiting.plan is not None or waiting.backlog.choices(waiting.usual):
            self.push_screen(CatchUpScreen(waiting), self._catch_up_changed)
        else:
            self._say(f"{waiting_words(waiting.backlog.due)}: that needs no plan.")

    def _catch_up_changed(self, words: str | None) -> None:
        if words is not None:  # the screen beneath shows itself anew first
            self.call_after_refresh(self._say, words)

    def show_readiness(self) -> None:
        """Show how much would be recalled on the day of the interview."""
        from studynorm.tui.readiness_screen import ReadinessScreen

        if not isinstance(self.screen, ReadinessScreen):
            self.push_screen(ReadinessScreen())

    def show_pass(self, on: int, topic: str | None = None, limit: int | None = None) -> None:
        """Begin a final pass before a study day: what would be forgotten on it, or all of a topic."""
        import secrets

        from studynorm.study.readiness import NOTHING, for_pass
        from studynorm.study.rehearsal import begin_pass
        from studynorm.tui.rehearsal_screen import RehearsalScreen

        try:
            items = for_pass(self.desk, on, topic, limit)
            session = begin_pass(self.desk, items, secrets.randbelow(2**31))
        except StoreError as error:
            self._tell(str(error))
            return
        if items:
            self.push_screen(RehearsalScreen(session))
        else:
            self._say(NOTHING)

    def show_pass_done(self, session: "Rehearsal") -> None:
        """Show how a final pass went."""
        from studynorm.tui.rehearsal_done_screen import RehearsalDoneScreen

        self.switch_screen(RehearsalDoneScreen(session))

    def resume_pass(self, session: "Rehearsal") -> None:
        """Go on with a final pass."""
        from studynorm.tui.rehearsal_screen import RehearsalScreen

        self.switch_screen(RehearsalScreen(session))

    def options_changed(self) -> None:
        """Go by the options of the desk as they are now."""
        raise NotImplementedError

    def reload_decks(self) -> None:
        """Read decks, families and options again; every screen that shows some of it shows it anew."""
        from studynorm.content.library import NoDecks
        from studynorm.engine.files import NoFamilies
        from studynorm.study.catalogue import open_catalogue
        from studynorm.study.preferences import reread

        try:
            catalogue = open_catalogue(self.desk.home.decks)
        except (NoDecks, NoFamilies) as error:
            self._tell(str(error))
            return
        self.desk.catalogue = catalogue
        reread(self.desk)
        self.options_changed()
        self.items_changed()

    def items_changed(self) -> None:
        """Have every screen show anew what it shows of items."""
        for screen in self.screen_stack:
            changed = getattr(screen, "decks_changed", None)
            if changed is not None:
                changed()
