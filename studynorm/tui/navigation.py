"""From screen to screen: what each screen asks the program for when it leads to another.

Every screen is imported when it is first shown, so that the first frame waits for none of them.
"""

import threading
from typing import TYPE_CHECKING

from textual.app import App

from studynorm.storage.errors import StoreError
from studynorm.tui.home_screen import HomeScreen
from studynorm.tui.practice import Practice, begin, weak_of

if TYPE_CHECKING:
    from studynorm.study.desk import Desk
    from studynorm.study.drill import DrillSession
    from studynorm.study.session import StudySession


class Navigation(App[None]):
    """The part of the program that leads from screen to screen."""

    deck_errors: int
    _opening: threading.Lock
    _topic: str | None

    @property
    def desk(self) -> "Desk":
        """The open desk."""
        raise NotImplementedError

    def _session(self, topic: str | None = None, limit: int | None = None) -> "StudySession":
        raise NotImplementedError

    def _tell(self, message: str) -> None:
        raise NotImplementedError

    def show_review(self, topic: str | None = None, limit: int | None = None) -> None:
        """Begin a session, of one topic or of all, for at most so many answers."""
        from studynorm.tui.review_screen import ReviewScreen

        try:
            session = self._session(topic, limit)
        except StoreError as error:
            self._tell(str(error))
            return
        self._topic = topic
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
        self._topic = None
        self.push_screen(ReviewScreen(session))

    def resume_review(self, session: "StudySession") -> None:
        """Go on with a session that was done."""
        from studynorm.tui.review_screen import ReviewScreen

        self.switch_screen(ReviewScreen(session))

    def show_done(self, session: "StudySession") -> None:
        """Show the end of a session."""
        from studynorm.tui.done_screen import DoneScreen

        topic = None if self._topic is None else self.desk.catalogue.topic_title(self._topic)
        self.switch_screen(DoneScreen(session, topic))

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
            with self._opening:
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
            with self._opening:
                return weak_of(self.desk)
        except StoreError as error:
            self._tell(str(error))
            return ()

    def show_demos(self) -> None:
        """Show the list of demos."""
        from studynorm.tui.demo_list_screen import DemoListScreen

        self.push_screen(DemoListScreen())

    def reload_decks(self) -> None:
        """Read decks and families again and show the home screen anew."""
        from studynorm.content.library import NoDecks
        from studynorm.engine.files import NoFamilies
        from studynorm.study.catalogue import open_catalogue

        try:
            catalogue = open_catalogue(self.desk.home.decks)
        except (NoDecks, NoFamilies) as error:
            self._tell(str(error))
            return
        self.desk.catalogue = catalogue
        self.deck_errors = len(catalogue.library.errors)
        if isinstance(self.screen, HomeScreen):
            self.screen.reload()
