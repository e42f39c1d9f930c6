"""The answers of the past, newest first: each opens as it was then, also after its family changed."""

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from studynorm.storage.errors import StoreError
from studynorm.study.replay import Replay, replays_of
from studynorm.tui.calm_screen import HERE, MOVING, PROGRAM, CalmScreen
from studynorm.tui.overlay import Overlay
from studynorm.tui.replay_view import replay_row, replay_view

_MOST = 200


class AttemptList(OptionList):
    """The answers; Enter or a click opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Open", group=HERE),
        Binding("down,j", "cursor_down", "Next", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Before", show=False, group=MOVING),
    ]


class AttemptsScreen(CalmScreen):
    """The newest answers of reviews and drills."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "app.pop_screen", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._replays: list[Replay] = []

    def body(self) -> Iterable[Widget]:
        """Yield the title and the list."""
        yield Static("Past answers", classes="title", markup=False)
        yield Static(
            "What you typed in reviews and drills, as it was then.", classes="subtitle", markup=False
        )
        yield AttemptList(markup=False, compact=True)

    def on_mount(self) -> None:
        """Read the newest answers."""
        try:
            self._replays, left_out = replays_of(self.study.desk.store, _MOST)
            self.tell(left_out, trouble=True)
        except StoreError as error:
            self.tell(str(error), trouble=True)
        if not self._replays and not self.query_one("#notice").display:
            self.tell("Nothing was typed yet.")
        self.repaint()
        self.query_one(AttemptList).focus()

    def repaint(self) -> None:
        """Paint the list in the colours of now."""
        super().repaint()
        answers = self.query_one(AttemptList)
        at = answers.highlighted or 0
        answers.set_options(Option(replay_row(replay, self.palette)) for replay in self._replays)
        answers.highlighted = at if self._replays else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the chosen answer."""
        event.stop()
        replay = self._replays[event.option_index]
        at = replay.at.astimezone()
        title = f"Answer {replay.id}, {at.day} {at:%B %Y, %H:%M}, in a {replay.kind}"
        box = Overlay(title, replay_view(replay, self.palette))
        box.add_class("wide")
        self.app.push_screen(box)
