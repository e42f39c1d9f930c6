"""The bottom line: the keys that work now, taken from the live bindings, and how the engine is.

What is shown can be clicked. What is chosen and how it fits the width are plain functions.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.keys import format_key, key_to_character
from textual.screen import Screen
from textual.widget import Widget

from studynorm.tui.more import MORE
from studynorm.tui.theme import Palette

_NAMES = {
    "escape": "Esc",
    "enter": "Enter",
    "space": "Space",
    "tab": "Tab",
    "question_mark": "?",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
}


_SIGNS = {"at": "@", "minus": "-", "slash": "/"}
"""Keys that are characters, which Textual itself does not know of."""


@dataclass(frozen=True, slots=True)
class KeyCap:
    """One thing that can be done: the keys that do it, in order, and the word for it."""

    keys: tuple[str, ...]
    label: str
    group: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The keys as they are written on a keyboard."""
        return tuple(key_name(key) for key in self.keys)


def key_name(key: str) -> str:
    """Return how a key is written: `Esc`, `Ctrl+Q`, `F1`, `?`."""
    *modifiers, last = key.split("+")
    name = _NAMES.get(last) or format_key(last)
    if (modifiers and len(name) == 1) or (name[0] == "f" and name[1:].isdigit()):
        name = name.upper()
    return "+".join([*(modifier.capitalize() for modifier in modifiers), name])


def key_caps(
    bindings: Iterable[tuple[str, Binding]], consumed: Callable[[str], bool], *, all_keys: bool = False
) -> tuple[KeyCap, ...]:
    """Return what the live bindings do, in the order in which they were declared.

    `consumed` tells whether a focused field takes a key as text. One action is one cap, however many
    keys it has. Only our own bindings have a group and count. Without `all_keys` only those that are
    meant for the bottom line are returned.
    """
    found: dict[tuple[str, str], list[str]] = {}
    groups: dict[tuple[str, str], str] = {}
    for key, binding in bindings:
        if binding.group is None or not (binding.show or all_keys) or consumed(key):
            continue
        place = (binding.action.partition("(")[0].rpartition(".")[2], binding.description)
        found.setdefault(place, []).append(key)
        groups.setdefault(place, binding.group.description)
    return tuple(KeyCap(tuple(keys), place[1], groups[place]) for place, keys in found.items())


def fitting(caps: Sequence[KeyCap], width: int) -> tuple[KeyCap, ...]:
    """Return the leading caps that fit into a width, each with its first key only."""
    used, shown = 0, list[KeyCap]()
    for cap in caps:
        used += cell_len(cap.names[0]) + 1 + cell_len(cap.label) + (2 if shown else 0)
        if used > width:
            break
        shown.append(cap)
    return tuple(shown)


def live_caps(screen: "Screen[object]", *, all_keys: bool = False) -> tuple[KeyCap, ...]:
    """Return the caps of a screen as it stands now."""
    focused = screen.focused

    def consumed(key: str) -> bool:
        character = _SIGNS.get(key) or key_to_character(key)
        return focused is not None and focused.check_consume_key(key, character)

    live = ((key, active.binding) for key, active in screen.active_bindings.items() if active.enabled)
    return key_caps(live, consumed, all_keys=all_keys)


def all_caps(screen: "Screen[object]") -> tuple[KeyCap, ...]:
    """Return the caps of a screen as they were if no field took letters as text."""
    live = ((key, active.binding) for key, active in screen.active_bindings.items() if active.enabled)
    return key_caps(live, lambda key: False, all_keys=True)


class KeyLine(Widget):
    """The bottom line of a screen."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__()
        self._caps: tuple[KeyCap, ...] = ()
        self._spans: list[tuple[int, int, str]] = []

    def on_mount(self) -> None:
        """Follow the screen's bindings."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)
        self._changed(self.screen)

    def _changed(self, screen: "Screen[object]") -> None:
        caps = live_caps(screen)
        if caps != self._caps:
            self._caps = caps
            self.refresh()

    def render(self) -> Text:
        """Paint the caps that fit, and the engine's state where there is room.

        Where the text above goes on below its edge, this is said in the place of the engine's state.
        """
        palette: Palette = self.app.palette  # type: ignore[attr-defined]
        chip: str = self.app.engine_chip  # type: ignore[attr-defined]
        more = bool(getattr(self.screen, "has_more", False))
        width = self.content_size.width - (cell_len(MORE) + 2 if more else 0)
        text = Text(no_wrap=True, overflow="crop", end="")
        self._spans = []
        for cap in fitting(self._caps, width):
            if text.cell_len:
                text.append("  ")
            start = text.cell_len
            text.append(cap.names[0], f"bold {palette.accent}")
            text.append(f" {cap.label}", palette.quiet)
            self._spans.append((start, text.cell_len, cap.keys[0]))
        if more:
            text.append(" " * max(2, self.content_size.width - text.cell_len - cell_len(MORE)))
            self._spans.append((text.cell_len, self.content_size.width, "pagedown"))
            return text.append(MORE, f"bold {palette.accent}")
        for words in (chip, chip.removeprefix("engine: ")):
            chip, room = words, width - text.cell_len - cell_len(words)
            if room >= 2:
                break
        if chip and room >= 2:
            text.append(" " * room)
            text.append(chip, palette.faint if "torch" in chip else palette.quiet)
        return text

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for start, end, key in self._spans:
            if start <= offset.x < end:
                self.app.simulate_key(key)
                event.stop()
                return
