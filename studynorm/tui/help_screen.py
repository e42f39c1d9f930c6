"""The help: every key that works on the screen beneath, taken from its live bindings."""

from collections.abc import Sequence
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from studynorm.tui.calm_screen import HERE, IN_FIELD, MOVING, PROGRAM
from studynorm.tui.key_line import KeyCap, all_caps, live_caps
from studynorm.tui.theme import Palette

_AFTER_ESCAPE = "After Esc, outside the field"
_ORDER = (IN_FIELD.description, _AFTER_ESCAPE, HERE.description, MOVING.description, PROGRAM.description)


def help_text(now: Sequence[KeyCap], after_escape: Sequence[KeyCap], palette: Palette) -> RenderableType:
    """Return the keys by group; those that wait for Esc, because a field takes letters as text, come last."""
    groups: dict[str, list[KeyCap]] = {}
    for cap in now:
        groups.setdefault(cap.group, []).append(cap)
    if after_escape:
        groups[_AFTER_ESCAPE] = list(after_escape)
    parts: list[RenderableType] = []
    for title, caps in sorted(groups.items(), key=lambda group: _ORDER.index(group[0])):
        if parts:
            parts.append(Text())
        parts.append(Text(title, f"bold {palette.quiet}"))
        grid = Table.grid(padding=(0, 3, 0, 0))
        grid.add_column(no_wrap=True, min_width=16)
        grid.add_column()
        for cap in caps:
            keys = Text()
            for number, name in enumerate(cap.names):
                keys.append(" or " if number else "", palette.quiet)
                keys.append(name, f"bold {palette.accent}")
            grid.add_row(keys, Text(cap.label, palette.ink))
        parts.append(grid)
    parts += [
        Text(),
        Text(
            "Every answer is saved before the next item is drawn: you can leave at any time.", palette.quiet
        ),
    ]
    return Group(*parts)


def help_of(screen: Screen[object], palette: Palette) -> RenderableType:
    """Return the help for a screen as it stands now."""
    now, typing = live_caps(screen, all_keys=True), screen.focused is not None
    known = {cap.label for cap in now}
    outside = all_caps(screen) if typing else ()
    return help_text(now, [cap for cap in outside if cap.label not in known], palette)


class HelpScreen(ModalScreen[None]):
    """An overlay with the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter,space", "dismiss", "Close"),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("pagedown", "move(10)", "A page down", show=False),
        Binding("pageup", "move(-10)", "A page up", show=False),
    ]

    def __init__(self, content: RenderableType) -> None:
        super().__init__()
        self._content = content

    def compose(self) -> ComposeResult:
        """Yield the box with its text."""
        box = VerticalScroll(Static(self._content, id="keys"), id="help", can_focus=False)
        box.border_title = "Keys"
        box.border_subtitle = "Esc closes"
        yield box

    def on_click(self) -> None:
        """Close on any click."""
        self.dismiss()

    def action_move(self, lines: int) -> None:
        """Scroll the keys."""
        self.query_one("#help").scroll_relative(y=lines, animate=False)
