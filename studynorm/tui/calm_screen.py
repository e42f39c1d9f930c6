"""What every screen has: a notice line, the key line, and a word instead of chaos when it is too small."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from studynorm.content.visible import visible
from studynorm.tui.key_line import KeyLine
from studynorm.tui.more import follow_scrolling, has_more
from studynorm.tui.theme import Palette

if TYPE_CHECKING:
    from studynorm.tui.app import StudyNorm

HERE = Binding.Group("Here")
IN_FIELD = Binding.Group("In the field")
MOVING = Binding.Group("Moving")
PROGRAM = Binding.Group("The program")


def scroll_bindings() -> list[BindingType]:
    """Return the keys that move a long text."""
    return [
        Binding("down,j", "scroll_text(1)", "Down", show=False, group=MOVING),
        Binding("up,k", "scroll_text(-1)", "Up", show=False, group=MOVING),
        Binding("pagedown", "scroll_page(1)", "A page down", show=False, group=MOVING),
        Binding("pageup", "scroll_page(-1)", "A page up", show=False, group=MOVING),
        Binding("g", "scroll_far(-1)", "To the start", show=False, group=MOVING),
        Binding("G", "scroll_far(1)", "To the end", show=False, group=MOVING),
    ]


class CalmScreen(Screen[None]):
    """A screen with a notice line and a key line; `body` yields what is between the top and these."""

    AUTO_FOCUS = ""
    SCROLLED: ClassVar[str] = ""
    """The selector of what the moving keys move."""

    @property
    def study(self) -> "StudyNorm":
        """The program."""
        return cast("StudyNorm", self.app)

    @property
    def palette(self) -> Palette:
        """The colours of the theme."""
        return self.study.palette

    def compose(self) -> ComposeResult:
        """Yield the parts of the screen, the bottom ones last."""
        with Vertical(id="stage"):
            with Vertical(classes="column"):
                yield from self.body()
            yield Static(id="notice", markup=False)
        yield KeyLine()
        yield Static("studynorm needs a larger window", id="too-small", markup=False)

    def body(self) -> Iterable[Widget]:
        """Yield what the screen shows."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Say at the bottom when a text goes on below."""
        if self.SCROLLED:
            follow_scrolling(self, self._scrolled(), self.query_one(KeyLine).refresh)

    @property
    def has_more(self) -> bool:
        """Whether the text goes on below what is shown of it."""
        return any(has_more(part) for part in self.query(self.SCROLLED or "#nothing"))

    def tell(self, message: str | None, *, trouble: bool = False) -> None:
        """Show one line of news, or clear it; trouble carries a sign as well as a colour."""
        if not self.query("#notice"):  # the screen is not composed yet
            self.call_after_refresh(self.tell, message, trouble=trouble)
            return
        line = self.query_one("#notice", Static)
        line.display = bool(message)
        if message:
            text = visible(message, keep_newlines=False)
            colour = self.palette.hard if trouble else self.palette.quiet
            line.update(Text(f"! {text}" if trouble else text, colour))

    def action_scroll_text(self, lines: int) -> None:
        """Move the text by lines."""
        self._scrolled().scroll_relative(y=lines, animate=False)

    def action_scroll_page(self, pages: int) -> None:
        """Move the text by pages."""
        part = self._scrolled()
        part.scroll_relative(y=pages * max(1, part.size.height - 2), animate=False)

    def action_scroll_far(self, way: int) -> None:
        """Move to the start or the end of the text."""
        part = self._scrolled()
        if way < 0:
            part.scroll_home(animate=False)
        else:
            part.scroll_end(animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the moving keys only where there is something to move."""
        if action in ("scroll_text", "scroll_page", "scroll_far"):
            return any(part.max_scroll_y > 0 for part in self.query(self.SCROLLED or "#nothing"))
        return True

    def _scrolled(self) -> Widget:
        return self.query_one(self.SCROLLED)

    def repaint(self) -> None:
        """Paint everything again in the colours and the size of now."""
        self.query_one(KeyLine).refresh()


def plain(text: str) -> Content:
    """Return text for a widget that would otherwise read markup in it."""
    return Content(visible(text, keep_newlines=False))
