"""The colours: our two themes, and the palette from which texts are painted under any theme."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from textual.theme import BUILTIN_THEMES, Theme

THEME = Theme(
    name="studynorm",
    primary="#b3a5ef",
    secondary="#8d99ab",
    accent="#b3a5ef",
    foreground="#d5dbe4",
    background="#14171d",
    surface="#1a1e26",
    panel="#232936",
    success="#84c991",
    warning="#e6a96b",
    error="#ef7f86",
    dark=True,
    variables={
        "input-selection-background": "#b3a5ef 35%",
        "input-cursor-background": "#d5dbe4",
        "scrollbar": "#2c3341",
        "scrollbar-hover": "#3a4355",
        "scrollbar-active": "#b3a5ef",
        "scrollbar-background": "#14171d",
        "scrollbar-background-hover": "#14171d",
        "scrollbar-background-active": "#14171d",
        "scrollbar-corner-color": "#14171d",
        "border": "#3a4252",
        "border-blurred": "#2c3341",
    },
)

LIGHT_THEME = Theme(
    name="studynorm-light",
    primary="#5a46b0",
    secondary="#5b6472",
    accent="#5a46b0",
    foreground="#22262e",
    background="#faf9f6",
    surface="#f1efe9",
    panel="#e2dff0",
    success="#1f7a33",
    warning="#9a5600",
    error="#b3202c",
    dark=False,
    variables={
        "input-selection-background": "#5a46b0 30%",
        "input-cursor-background": "#22262e",
        "scrollbar": "#d3d0c8",
        "scrollbar-hover": "#c2beb4",
        "scrollbar-active": "#5a46b0",
        "scrollbar-background": "#faf9f6",
        "scrollbar-background-hover": "#faf9f6",
        "scrollbar-background-active": "#faf9f6",
        "scrollbar-corner-color": "#faf9f6",
        "border": "#c9c5bb",
        "border-blurred": "#d8d5cc",
    },
)

_ON_DARK = {
    "ink": "#d5dbe4",
    "quiet": "#8d99ab",
    "faint": "#4d5768",
    "math": "#f0dfb8",
    "code": "#a8d5c5",
    "again": "#ef7f86",
    "hard": "#e6a96b",
    "good": "#84c991",
    "easy": "#7db4f0",
}
_ON_LIGHT = {
    "ink": "#22262e",
    "quiet": "#5b6472",
    "faint": "#a9b1bd",
    "math": "#6b4a00",
    "code": "#0d6050",
    "again": "#b3202c",
    "hard": "#9a5600",
    "good": "#1f7a33",
    "easy": "#1f5fae",
}
_OF_THE_TERMINAL = {
    "ink": "ansi_default",
    "quiet": "ansi_default",
    "math": "ansi_yellow",
    "code": "ansi_cyan",
    "again": "ansi_red",
    "hard": "ansi_magenta",
    "good": "ansi_green",
    "faint": "ansi_bright_black",
}
# Every text must be seen on a row that is marked, too.
_ON_DARK_TERMINAL = {**_OF_THE_TERMINAL, "easy": "ansi_bright_cyan", "panel": "ansi_blue"}
_ON_LIGHT_TERMINAL = {**_OF_THE_TERMINAL, "easy": "ansi_blue", "panel": "ansi_bright_cyan"}


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of texts as `#rrggbb`, or as names of the terminal's own sixteen colours.

    `again` to `easy` are the four ratings; `easy`, `again` and `good` also stand for new, learning and
    review, and `good` and `again` for right and wrong. A sign or a word always says the same.
    """

    ink: str
    quiet: str
    faint: str
    math: str
    code: str
    again: str
    hard: str
    good: str
    easy: str
    accent: str
    dark: bool = True


def ordered(themes: Iterable[str]) -> tuple[str, ...]:
    """Return the names of themes in the order in which they are offered: ours, then the others by name."""
    ours = (THEME.name, LIGHT_THEME.name)
    return (*ours, *sorted(set(themes) - set(ours)))


def theme_names() -> tuple[str, ...]:
    """Return the name of every theme there is."""
    return ordered(BUILTIN_THEMES)


def variables(theme: Theme) -> dict[str, str]:
    """Return the palette's variables; for the terminal's own colours also that of a row that is marked."""
    if theme.ansi:
        return dict(_ON_DARK_TERMINAL if theme.dark else _ON_LIGHT_TERMINAL)
    return dict(_ON_DARK if theme.dark else _ON_LIGHT)


def palette_of(css: Mapping[str, str], theme: Theme = THEME) -> Palette:
    """Return the palette of a theme's variables."""
    colours = variables(theme)
    known = {field.name: css.get(field.name, colours.get(field.name, "")) for field in fields(Palette)[:-2]}
    known["accent"] = css.get("accent", "#b3a5ef")
    # Rich knows the terminal's colours without the prefix.
    return Palette(**{name: colour.removeprefix("ansi_") for name, colour in known.items()}, dark=theme.dark)
