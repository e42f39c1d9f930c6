"""How ready one is: the predicted recall of each topic on the day of the interview, and the final pass."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from studynorm.storage.errors import StoreError
from studynorm.study.configfile import ConfigError
from studynorm.study.options import OPTIONS
from studynorm.study.preferences import keep, keep_default
from studynorm.study.readiness import Readiness, readiness
from studynorm.tui.calm_screen import HERE, MOVING, PROGRAM, CalmScreen
from studynorm.tui.readiness_date_screen import NO_DATE, DateScreen
from studynorm.tui.readiness_view import header_row, legend, outlook_row, sentences


class OutlookList(OptionList):
    """The topics; moving is for the keys, and Enter belongs to the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.rehearse", "Final pass", group=HERE),
        Binding("down,j", "cursor_down", "Next topic", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Topic before", show=False, group=MOVING),
    ]


class ReadinessScreen(CalmScreen):
    """The outlook for the interview date, or for today where none is set."""

    CSS_PATH: ClassVar[Path] = Path(__file__).with_name("readiness.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "rehearse", "Final pass", group=HERE),
        Binding("t", "rehearse_topic", "All of the topic", group=HERE),
        Binding("d", "date", "Interview date", group=HERE),
        Binding("q,escape", "app.pop_screen", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._ready: Readiness | None = None

    def body(self) -> Iterable[Widget]:
        """Yield the sentences, the table and its legend."""
        yield Static("Readiness", classes="title", markup=False)
        yield Static(id="ready-words", markup=False)
        yield Static(id="ready-head", markup=False)
        with Vertical(id="ready-place"):
            yield OutlookList(markup=False, compact=True)
        yield Static(id="ready-sum", markup=False)
        yield Static(id="ready-legend", markup=False)

    def on_mount(self) -> None:
        """Let the keys of the list work."""
        self.query_one(OutlookList).focus()

    def on_screen_resume(self) -> None:
        """Read everything anew whenever the learner comes here."""
        self.reload()

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        self.call_after_refresh(self.repaint)

    def decks_changed(self) -> None:
        """Show decks that were read again."""
        self.reload()

    def reload(self) -> None:
        """Read the memories and show what they predict; says why where they cannot be read."""
        try:
            self._ready = readiness(self.study.desk)
        except StoreError as error:
            self.tell(str(error), trouble=True)
        self.repaint()

    def repaint(self) -> None:
        """Paint everything again in the colours and the size of now."""
        super().repaint()
        ready, topics = self._ready, self.query_one(OutlookList)
        width = topics.scrollable_content_region.width - 2
        if ready is None or width < 4:
            return
        palette = self.palette
        limit = self.study.desk.settings.new_per_day
        self.query_one("#ready-words", Static).update(sentences(ready, limit, palette))
        self.query_one("#ready-head", Static).update(header_row(width, palette))
        at = topics.highlighted or 0
        topics.set_options(
            Option(outlook_row(topic.title, topic.outlook, width, palette), id=topic.id)
            for topic in ready.topics
        )
        topics.highlighted = min(at, len(ready.topics) - 1) if ready.topics else None
        whole = outlook_row("All topics", ready.overall, width, palette, bold=True)
        self.query_one("#ready-sum", Static).update(whole)
        self.query_one("#ready-legend", Static).update(legend(palette))
        self.refresh_bindings()

    # -- the final pass ------------------------------------------------------------------------------
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what would do something now."""
        match action:
            case "rehearse":
                return self._ready is not None and bool(self._ready.below)
            case "rehearse_topic":
                return bool(self._learned_of(self._topic))
        return super().check_action(action, parameters)

    @property
    def _topic(self) -> str | None:
        topics = self.query(OutlookList)
        at = topics.first().highlighted if topics else None
        return None if at is None else topics.first().get_option_at_index(at).id

    def _learned_of(self, topic: str | None) -> int:
        rows = self._ready.topics if self._ready is not None else ()
        return next((row.outlook.learned for row in rows if row.id == topic), 0)

    def on_option_list_option_highlighted(self) -> None:
        """Offer what the topic under the cursor has."""
        self.refresh_bindings()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take a click on a topic as marking it."""
        event.stop()

    def action_rehearse(self) -> None:
        """Begin a pass over what would be forgotten."""
        if self._ready is not None:
            self.study.show_pass(self._ready.on)

    def action_rehearse_topic(self) -> None:
        """Begin a pass over all of the topic under the cursor."""
        if self._ready is not None:
            self.study.show_pass(self._ready.on, self._topic)

    # -- the date ------------------------------------------------------------------------------------
    def action_date(self) -> None:
        """Let the learner set the interview date."""
        desk = self.study.desk
        self.app.push_screen(DateScreen(desk.settings.interview_date, desk.clock().day), self._set_date)

    def _set_date(self, chosen: int | None) -> None:
        if chosen is None:
            return
        desk, option = self.study.desk, OPTIONS["interview_date"]
        try:
            if chosen == NO_DATE:
                keep_default(desk, option)
            else:
                keep(desk, option, date.fromordinal(chosen))
        except ConfigError as error:
            self.tell(str(error), trouble=True)
            return
        self.study.options_changed()
        self.tell(None)
        self.reload()
