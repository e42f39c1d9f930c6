"""The help: every key that works on the screen beneath, taken from its live bindings."""

from collections.abc import Sequence
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.screen import Screen

from studynorm.tui.calm_screen import HERE, IN_FIELD, MOVING, PROGRAM
from studynorm.tui.key_line import KeyCap, all_caps, live_caps
from studynorm.tui.overlay import Overlay
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


class HelpScreen(Overlay):
    """An overlay with the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("question_mark,f1", "dismiss", "Close")]

    def __init__(self, content: RenderableType) -> None:
        super().__init__("Keys", content)
