"""A calm box when an item has slipped once too often: one key to what helps, or on to the next item."""

from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from studynorm.storage.errors import StoreError
from studynorm.study.leech import Leech
from studynorm.study.session import StudySession
from studynorm.tui.leech_view import leech_title, leech_view, ways_of, ways_view
from studynorm.tui.overlay import Overlay
from studynorm.tui.practice import Practice
from studynorm.tui.review_rules import SUSPENDED

if TYPE_CHECKING:
    from studynorm.tui.app import StudyNorm


class LeechScreen(Overlay):
    """Shows the ways; those that lead elsewhere come back here, and the time spent counts for no answer.

    The key that gave the rating may still be held down, so that every key asks the session's gate.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key, f"press({key!r})", label)
            for key, label in (
                ("n", "Note"),
                ("t", "Easier"),
                ("e", "Edit"),
                ("at", "Suspend"),
                ("u", "Undo"),
                ("enter", "Go on"),
                ("space", "Go on"),
                ("escape", "Go on"),
                ("q", "Go on"),
            )
        ),
    ]

    def __init__(self, session: StudySession, leech: Leech) -> None:
        super().__init__("A leech", "", "Enter goes on")
        self.add_class("wide")
        self.session = session
        self._leech = leech

    @property
    def study(self) -> "StudyNorm":
        """The program."""
        return cast("StudyNorm", self.app)

    def compose(self) -> ComposeResult:
        """Yield the box with the item and the ways."""
        catalogue, palette = self.study.desk.catalogue, self.study.palette
        self._ways = ways_of(self._leech, catalogue)
        title = leech_title(self._leech, catalogue)
        with VerticalScroll(classes="box", can_focus=False) as box:
            box.border_title, box.border_subtitle = self._head, self._foot
            yield Static(leech_view(self._leech, title, palette), classes="read", markup=False)
            yield Static(ways_view(self._ways, palette), id="leech-ways", markup=False)

    def on_mount(self) -> None:
        """Let the keys count once the box is painted."""
        super().on_mount()
        self.call_after_refresh(self.session.gate.painted)

    def on_click(self, event: events.Click) -> None:
        """Take a click on a way as its key; a click anywhere else goes on, as on every overlay."""
        event.prevent_default()
        ways = self.query_one("#leech-ways")
        offset = event.get_content_offset(ways) if event.widget is ways else None
        if offset is None:
            self.action_press("escape")
        elif offset.y < len(self._ways):
            self.action_press(self._ways[offset.y].key)

    def action_press(self, key: str) -> None:
        """Take a way, or go on."""
        key = "@" if key == "at" else key
        if key == "u":
            self._go_on()
            self._under("action_undo")
            return
        if not self.session.gate.admits(key):
            return
        if key in ("enter", "space", "escape", "q"):
            self._go_on()
        elif any(way.key == key for way in self._ways):
            self._take(key)

    def _take(self, key: str) -> None:
        easier = self._leech.easier
        match key:
            case "n":
                self.study.show_topic(self._leech.topic)
            case "t" if easier is not None and easier.family:
                self.study.show_drill(Practice((easier.family,), level=easier.level))
            case "t" if easier is not None:
                self.study.show_target(easier.id)
            case "e":
                self.study.edit_item(self._leech.item)
            case "@":
                self._suspend()

    def _suspend(self) -> None:
        try:
            self.session.suspend_leech()
        except StoreError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self._go_on()
        self._under("show")
        self._under("tell", SUSPENDED)

    def _go_on(self) -> None:
        self.dismiss()
        self.session.resume_timing()

    def _under(self, method: str, *arguments: str) -> None:
        """Call a method of the screen beneath, which is that of the session or of its end."""
        getattr(self.app.screen, method)(*arguments)
