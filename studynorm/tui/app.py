"""The program in the terminal: opens the desk after the first frame, and leads from screen to screen."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import App
from textual.binding import Binding, BindingType

from studynorm.storage.errors import StoreError
from studynorm.study.config import known_theme
from studynorm.study.safekeeping import keep_daily_backup
from studynorm.tui.calm_screen import PROGRAM, CalmScreen
from studynorm.tui.ending import Guarded
from studynorm.tui.engine_link import Engine, EngineLink
from studynorm.tui.help_screen import HelpScreen, help_of
from studynorm.tui.home_screen import HomeScreen
from studynorm.tui.key_line import KeyLine
from studynorm.tui.navigation import Navigation
from studynorm.tui.practice import Practice
from studynorm.tui.theme import LIGHT_THEME, THEME, palette_of, variables

if TYPE_CHECKING:
    from textual.command import Provider
    from textual.theme import Theme

    from studynorm.study.desk import Desk
    from studynorm.study.drill import DrillSituation
    from studynorm.study.overview import Overview
    from studynorm.study.session import StudySession
    from studynorm.study.situation import Situation


_PATIENCE_MS = 200
"""So long a key may be held up by another program that writes; see `Patience` for what comes then."""


def _search() -> "type[Provider]":
    from studynorm.tui.palette import SearchProvider

    return SearchProvider


class StudyNorm(Guarded, Navigation):
    """The whole terminal program. `open_desk` opens the profile; it is called after the first frame."""

    TITLE = "studynorm"
    CSS_PATH = Path(__file__).with_name("studynorm.tcss")
    COMMANDS = App.COMMANDS | {_search}
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012  declared so by Textual
        (0, "-too-narrow"),
        (24, "-narrow"),
        (64, "-medium"),
        (100, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012  as above
        (0, "-too-low"),
        (7, "-low"),
        (20, "-normal"),
        (32, "-high"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+z",
            "suspend_process",
            "Pause the program (fg goes on)",
            show=False,
            priority=True,
            group=PROGRAM,
        ),
        Binding("ctrl+c,ctrl+q", "quit", "Quit at once", show=False, priority=True, group=PROGRAM),
        Binding(
            "ctrl+p",
            "command_palette",
            "Search, commands and themes",
            show=False,
            priority=True,
            group=PROGRAM,
        ),
    ]

    def __init__(
        self,
        open_desk: "Callable[[], Desk]",
        engines: Callable[[Path], Engine] | None = None,
        *,
        engine: bool = True,
        review: bool = False,
        topic: str | None = None,
        limit: int | None = None,
        items: Sequence[str] | None = None,
        drill: Practice | None = None,
        interview: bool = False,
        first: Callable[[Navigation], None] | None = None,
        theme: str | None = None,
    ) -> None:
        """Prepare the program.

        `engines` makes engine processes, given their log file; without `engine` none is started, and no
        problem is drawn. With `review` a session begins at once, of one `topic`, of some `items` or of all,
        for at most `limit` answers; with `drill` a drill, or the choice of one where it names nothing, and
        with `interview` the choice of a question. `first` is called once the desk is open, to show something
        else. `theme` colours what is shown before.
        """
        super().__init__()
        self._open_desk = open_desk
        self._engines = engines
        self._with_engine = engine
        self._begin = (topic, limit, items) if review else None
        self._drill = drill
        self._interview = interview
        self._first = first
        self._desk: Desk | None = None
        self._link: EngineLink | None = None
        self.failure: str | None = None
        self.palette = palette_of({})
        self.register_theme(THEME)
        self.register_theme(LIGHT_THEME)
        self.theme = theme if theme in self.available_themes else THEME.name

    # -- what the screens ask for ----------------------------------------------------------------------
    @property
    def is_open(self) -> bool:
        """Whether the desk is open."""
        return self._desk is not None

    @property
    def desk(self) -> "Desk":
        """The open desk."""
        assert self._desk is not None
        return self._desk

    @property
    def link(self) -> EngineLink:
        """The link to the engine process."""
        assert self._link is not None
        return self._link

    @property
    def engine_chip(self) -> str:
        """A few words on the engine for the bottom line."""
        return "" if self._link is None else self._link.state.chip

    def new_engine(self) -> Engine:
        """Make an engine process, which starts at its first request."""
        if self._engines is not None:
            return self._engines(self.desk.worker_log)
        from studynorm.worker.client import Worker

        return Worker(self.desk.worker_log)

    def overview(self) -> "Overview | None":
        """Read how the profile stands; None with a notice where it cannot be read."""
        from studynorm.study.overview import overview

        try:
            return overview(self.desk)
        except StoreError as error:
            self._tell(str(error))
            return None

    def topic_title(self, situation: "Situation | DrillSituation") -> str:
        """Return the title of the topic that a situation belongs to."""
        topic = getattr(situation, "topic", "")
        return self.desk.catalogue.topic_title(topic)

    # -- beginning and end -----------------------------------------------------------------------------
    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give every theme the colours of ratings and marks."""
        return variables(self.current_theme)

    def get_css_variables(self) -> dict[str, str]:
        """Mark rows with a colour that the terminal has, where the theme is made of the terminal's own."""
        theme = self.current_theme
        return {**super().get_css_variables(), **(variables(theme) if theme.ansi else {})}

    def get_default_screen(self) -> HomeScreen:
        """Begin at home."""
        return HomeScreen()

    def on_mount(self) -> None:
        """Open the desk once the first frame is there."""
        self._follow_theme()
        self.theme_changed_signal.subscribe(self, self._theme_changed)
        self.call_after_refresh(self._open)

    async def on_unmount(self) -> None:
        """Leave no engine process behind."""
        if self._link is not None:
            await self._link.close()

    def close_desk(self) -> None:
        """Close the profile."""
        if self._desk is not None:
            self._desk.close()

    def _open(self) -> None:
        from studynorm.content.library import NoDecks
        from studynorm.engine.files import NoFamilies
        from studynorm.study.overview import overview

        try:
            self._desk = self._open_desk()
            self._desk.patience_ms = _PATIENCE_MS
            self.options_changed()
            seen = overview(self._desk)
        except (StoreError, NoDecks, NoFamilies) as error:
            self._fail(str(error))
            return
        self._link = EngineLink(self.new_engine(), self._desk.worker_log, self._engine_changed)
        if isinstance(self.screen, HomeScreen):
            self.screen.show(seen)
        if self._begin is not None:
            self.show_review(*self._begin)
        if self._drill == Practice():
            self.show_practice()
        elif self._drill is not None:
            self.show_drill(self._drill)
        if self._interview:
            self.show_interview()
        if self._first is not None:
            self._first(self)
        self.call_after_refresh(self._warm_up)

    def _fail(self, message: str) -> None:
        self.failure = message
        self.exit(return_code=1)

    @work(name="warm-up")
    async def _warm_up(self) -> None:
        """Open the profile for writing and start the engine, once there is something to look at."""
        try:
            session = await asyncio.to_thread(self._session)
        except StoreError as error:
            self._fail(str(error))
            return
        if session.notice:
            self._tell(session.notice)
        keep_daily_backup(self.desk, self._tell_later)
        if self._with_engine:
            if not self.link.serves:
                self.link.serve(session)
            self._run_engine()

    def _session(
        self, topic: str | None = None, limit: int | None = None, items: Sequence[str] | None = None
    ) -> "StudySession":
        return self.desk.session(topic=topic, limit=limit, items=items)

    @work(name="engine", exit_on_error=True)
    async def _run_engine(self) -> None:
        await self.link.run()

    def _engine_changed(self) -> None:
        if not self.is_running:
            return
        for screen in self.screen_stack:
            look = getattr(screen, "look", None)
            if look is not None:
                look()
            for line in screen.query(KeyLine):
                line.refresh()

    def _theme_changed(self, theme: "Theme") -> None:
        failed = self._keep_theme()
        self._follow_theme()
        if failed:
            self._tell(failed)

    def options_changed(self) -> None:
        """Go by the options of the desk as they are now."""
        self.desk.use(known_theme(self.desk.config, self.available_themes))
        self.theme = self.desk.config.theme

    def _keep_theme(self) -> str | None:
        """Remember a theme that was chosen in the palette; return why it cannot be."""
        if not self.is_open or self.theme == self.desk.config.theme:
            return None
        from studynorm.study.configfile import ConfigError
        from studynorm.study.options import OPTIONS
        from studynorm.study.preferences import keep

        try:
            keep(self.desk, OPTIONS["theme"], self.theme)
        except ConfigError as error:
            return f"The theme is not remembered. {error.path.name}: {error.reason}"
        return None

    def _follow_theme(self) -> None:
        self.palette = palette_of(self.theme_variables, self.current_theme)
        for screen in self.screen_stack:
            if isinstance(screen, CalmScreen) and screen.query(KeyLine):
                screen.repaint()

    def _tell(self, message: str) -> None:
        if isinstance(self.screen, CalmScreen):
            self.screen.tell(message, trouble=True)
        else:
            self.notify(message, severity="warning", markup=False)

    def _tell_later(self, message: str) -> None:
        """Say something from another thread."""
        self.call_later(self._tell, message)

    # -- help and search -------------------------------------------------------------------------------
    def action_command_palette(self) -> None:
        """Open the search, in which the commands are found too."""
        from textual.command import CommandPalette

        if not isinstance(self.screen, CommandPalette):
            self.push_screen(
                CommandPalette(placeholder="Search topics, cards, problems, demos, terms, commands")
            )

    def action_help(self) -> None:
        """Show the keys that work on this screen."""
        self.push_screen(HelpScreen(help_of(self.screen, self.palette)))


def run(
    open_desk: "Callable[[], Desk]",
    *,
    review: bool = False,
    topic: str | None = None,
    limit: int | None = None,
    items: Sequence[str] | None = None,
    drill: Practice | None = None,
    interview: bool = False,
    first: Callable[[Navigation], None] | None = None,
    theme: str | None = None,
) -> int:
    """Run the program in this terminal and return its exit code.

    It begins at home, or with `review` in a session of one `topic`, of some `items` or of all, for at most
    `limit` answers, or with `drill` in a drill, or in the choice of one where it names nothing, or with
    `interview` in the choice of an interview question, or with what `first` shows once the desk is open.
    `theme` colours what is shown before that.
    A profile or installation that cannot be used ends in one line on standard error and code 1.
    """
    for name in ("COLUMNS", "LINES"):  # where a shell exports them they are of another moment
        os.environ.pop(name, None)
    app = StudyNorm(
        open_desk,
        review=review,
        topic=topic,
        limit=limit,
        items=items,
        drill=drill,
        interview=interview,
        first=first,
        theme=theme,
    )
    try:
        code = app.run_guarded()
    finally:
        app.close_desk()
    if app.failure is not None:
        sys.stderr.write(f"studynorm: {app.failure}\n")
    return code
