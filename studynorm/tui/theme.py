"""The colours: our theme, and the palette from which texts are painted under any theme."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from textual.theme import Theme

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


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of texts as `#rrggbb`.

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


def variables(dark: bool) -> dict[str, str]:
    """Return the palette's variables for themes that do not define them."""
    return dict(_ON_DARK if dark else _ON_LIGHT)


def palette_of(css: Mapping[str, str], dark: bool) -> Palette:
    """Return the palette of a theme's variables."""
    colours = variables(dark)
    known = {field.name: css.get(field.name, colours.get(field.name, "")) for field in fields(Palette)[:-2]}
    return Palette(**known, accent=css.get("accent", "#b3a5ef"), dark=dark)
