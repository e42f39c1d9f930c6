"""The home screen: what is left today, what was done, how each topic stands, and what to press."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Digits, OptionList, Static
from textual.widgets.option_list import Option

from studynorm.storage.errors import StoreError
from studynorm.tui.calm_screen import HERE, MOVING, PROGRAM, CalmScreen

if TYPE_CHECKING:
    from studynorm.study.catchup import Waiting
    from studynorm.study.overview import Overview

_COUNTS = ("new", "learning", "review")
_ON_THE_DESK = frozenset(
    {
        "review",
        "topic",
        "practice",
        "browse",
        "progress",
        "interview",
        "reference",
        "settings",
        "catch_up",
        "ready",
        "reload",
        "undo",
    }
)


class CountBox(Vertical):
    """One large number with its word."""

    def __init__(self, name: str) -> None:
        super().__init__(id=f"count-{name}", classes="count")
        self._word = name

    def compose(self) -> Iterable[Widget]:
        """Yield the number and the word."""
        yield Digits("–")
        yield Static(classes="small", markup=False)
        yield Static(self._word, classes="word", markup=False)

    def show(self, number: int) -> None:
        """Show a number; zero is dimmed."""
        self.query_one(Digits).update(str(number))
        self.query_one(".small", Static).update(str(number))
        self.set_class(number == 0, "zero")


class TopicList(OptionList):
    """The topics; moving is for the keys, and Enter belongs to the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "cursor_down", "Next topic", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Topic before", show=False, group=MOVING),
        Binding("enter", "screen.review", "Review", group=HERE),
    ]


class HomeScreen(CalmScreen):
    """Where every sitting begins and ends."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "review", "Review", group=HERE),
        Binding("t", "topic", "Topic", group=HERE),
        Binding("p", "practice", "Practice", group=HERE),
        Binding("b", "browse", "Browse", group=HERE),
        Binding("s", "progress", "Progress", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
        Binding("q", "app.quit", "Quit", group=PROGRAM),
        Binding("d", "demos", "Demos", group=HERE),
        Binding("i", "interview", "Interview", group=HERE),
        Binding("w", "reference", "Glossary", group=HERE),
        Binding("o", "settings", "Options", group=HERE),
        Binding("I", "ready", "Readiness", show=False, group=HERE),
        Binding("c", "catch_up", "Catch up", show=False, group=HERE),
        Binding("u", "undo", "Undo", show=False, group=HERE),
        Binding("r", "reload", "Read the decks again", show=False, group=HERE),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._overview: Overview | None = None

    def body(self) -> Iterable[Widget]:
        """Yield name and date, the counts, and the topics."""
        with Horizontal(id="head"):
            yield Static("studynorm", id="name", markup=False)
            yield Static(id="date", markup=False)
        with Horizontal(id="counts"):
            yield from (CountBox(name) for name in _COUNTS)
            yield Static(id="headline", classes="headline", markup=False)
        yield Static(id="headline-below", classes="headline", markup=False)
        yield Static("Opening your decks …", id="topic-head", markup=False)
        with Vertical(id="topic-place"):
            yield TopicList(markup=False, compact=True)
        yield Static(id="legend", markup=False)

    def on_mount(self) -> None:
        """Let the moving keys work at once."""
        self.query_one(TopicList).focus()

    def on_screen_resume(self) -> None:
        """Show the numbers of now whenever the learner comes back."""
        if self._overview is not None:
            self.reload()

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        self.call_after_refresh(self._show_topics)

    def reload(self) -> None:
        """Read the state of the profile and show it. Shows a notice where it cannot be read."""
        overview = self.study.overview()
        if overview is not None:
            self.show(overview)

    def decks_changed(self) -> None:
        """Show decks that were read again, unless another screen hides them."""
        if self.is_current:
            self.reload()

    def show(self, overview: "Overview") -> None:
        """Show the state of the profile."""
        self._overview = overview
        from studynorm.tui.home_view import amiss_words, date_line, home_lines, name_words

        desk = self.study.desk
        self.query_one("#name", Static).update(name_words(desk.name, self.palette))
        date = date_line(overview.moment, desk.settings.interview_date)
        self.query_one("#date", Static).update(Text(date, no_wrap=True, overflow="ellipsis"))
        for name in _COUNTS:
            self.query_one(f"#count-{name}", CountBox).show(getattr(overview.today, name))
        lines = home_lines(overview, self._waiting(), desk.settings.learn_ahead, self.palette)
        for place in self.query(".headline").results(Static):
            place.update(lines)
        library = desk.catalogue.library
        decks = (len(library.errors), len(library.notices))
        self.tell(amiss_words(desk.config.troubles, desk.zone_trouble, *decks) or None, trouble=True)
        self._show_topics()
        self.refresh_bindings()

    def _waiting(self) -> "Waiting | None":
        """Return what is waiting; None where that cannot be read."""
        from studynorm.study.catchup import look

        with suppress(StoreError):
            return look(self.study.desk)
        return None

    def repaint(self) -> None:
        """Paint everything again in the colours of now."""
        super().repaint()
        if self._overview is not None:
            self.reload()

    def _show_topics(self) -> None:
        if self._overview is None:
            return
        from studynorm.tui.home_view import header_row, legend, topic_row

        topics = self.query_one(TopicList)
        width = topics.scrollable_content_region.width - 2
        if width < 4:
            return
        self.query_one("#topic-head", Static).update(header_row(width, self.palette))
        self.query_one("#legend", Static).update(legend(self.palette))
        at = topics.highlighted
        topics.set_options(
            Option(topic_row(topic, width, self.palette), id=topic.id) for topic in self._overview.topics
        )
        topics.highlighted = at if at is not None else 0 if self._overview.topics else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer nothing that needs the decks before they are open."""
        if action in _ON_THE_DESK:
            return self._overview is not None and self.is_current
        return super().check_action(action, parameters)

    def action_review(self) -> None:
        """Begin the daily review."""
        self.study.show_review()

    def action_topic(self) -> None:
        """Show the highlighted topic: its note, its items, and a review of it alone."""
        topic = self._highlighted()
        if topic is not None:
            self.study.show_topic(topic)

    def action_browse(self) -> None:
        """Show all items as a table."""
        self.study.show_browse()

    def action_progress(self) -> None:
        """Show how learning goes."""
        self.study.show_progress()

    def action_settings(self) -> None:
        """Show the options."""
        self.study.show_settings()

    def action_interview(self) -> None:
        """Show the interview questions."""
        self.study.show_interview()

    def action_ready(self) -> None:
        """Show how much would be recalled on the day of the interview."""
        self.study.show_readiness()

    def action_catch_up(self) -> None:
        """Show the plans for catching up."""
        self.study.show_catch_up()

    def action_reference(self) -> None:
        """Show the glossary, the references and the diagrams."""
        self.study.show_reference()

    def _highlighted(self) -> str | None:
        topics = self.query_one(TopicList)
        at = topics.highlighted
        return None if at is None else topics.get_option_at_index(at).id

    def action_practice(self) -> None:
        """Choose what to practise, the highlighted topic marked."""
        self.study.show_practice(self._highlighted())

    def action_demos(self) -> None:
        """Show the demos."""
        self.study.show_demos()

    def action_undo(self) -> None:
        """Take back the newest review of the day, and show its item again."""
        self.study.show_undone()

    def action_reload(self) -> None:
        """Read decks and progress again."""
        self.study.reload_decks()
