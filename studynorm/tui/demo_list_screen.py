"""The list of demos: each with its title and the question that it answers."""

from collections.abc import Iterable
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from studynorm.demos.demo import Demo
from studynorm.demos.registry import demos
from studynorm.tui.calm_screen import HERE, MOVING, PROGRAM, CalmScreen
from studynorm.tui.demo_screen import DemoScreen
from studynorm.tui.markup_view import markup_line
from studynorm.tui.theme import Palette


def demo_entry(demo: Demo, palette: Palette) -> RenderableType:
    """Return the entry of a demo: its title, and its question under it."""
    title = Text(demo.title, f"bold {palette.ink}")
    return Group(title, markup_line(demo.question, palette, palette.quiet), Text())


class DemoList(OptionList):
    """The demos; Enter or a click opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "select", "Open", group=HERE),
        Binding("down,j", "cursor_down", "Next demo", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Demo before", show=False, group=MOVING),
    ]


class DemoListScreen(CalmScreen):
    """Where a demo is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "app.pop_screen", "Back", group=HERE),
        Binding("question_mark,f1", "app.help", "Help", group=PROGRAM),
    ]

    def body(self) -> Iterable[Widget]:
        """Yield the title and the list."""
        yield Static("Demos", classes="title", markup=False)
        yield Static("Predict, then watch it measured with PyTorch.", classes="subtitle", markup=False)
        yield DemoList(markup=False, compact=True)

    def on_mount(self) -> None:
        """Fill the list and let its keys work."""
        self.repaint()
        self.query_one(DemoList).focus()

    def repaint(self) -> None:
        """Paint the list in the colours of now."""
        super().repaint()
        entries = self.query_one(DemoList)
        at = entries.highlighted or 0
        entries.set_options(Option(demo_entry(demo, self.palette), id=demo.name) for demo in demos().values())
        entries.highlighted = at

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the chosen demo."""
        event.stop()
        self.app.push_screen(DemoScreen(demos()[event.option_id or ""]))
