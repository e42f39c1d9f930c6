"""Where scripts stand: as raised and lowered glyphs beside a base, or on rows of their own."""

from dataclasses import dataclass

from studynorm.mathtext.box import Box, beside, blank, stacked, text_box
from studynorm.mathtext.forms import RAISED, UnicodeForms

_FORMS = UnicodeForms()
# These stand high in their cell as they are.
_HIGH = frozenset("*⋆†")


@dataclass(frozen=True, slots=True)
class Script:
    """A script as drawn; `small` tells that its glyphs are raised or lowered themselves."""

    box: Box
    small: bool


def lowered(box: Box) -> Script:
    """Return a subscript, in glyphs where every character has one."""
    glyphs = _FORMS.lowered(box.base_row) if box.height == 1 else None
    return Script(box, False) if glyphs is None else Script(text_box(glyphs), True)


def raised(box: Box, base: Box) -> Script:
    """Return a superscript, in glyphs where every character has one and the base ends in none."""
    if box.height > 1 or base.base_row[-1:] in RAISED - {"′"}:
        return Script(box, False)
    glyphs = box.base_row if box.base_row in _HIGH else _FORMS.raised(box.base_row)
    return Script(box, False) if glyphs is None else Script(text_box(glyphs), True)


def attached(base: Box, low: Script | None, high: Script | None) -> Box:
    """Return a base with its scripts; those of a tall base stand at its corners."""
    # Rows, counted from the baseline: the last one of the superscript, the first one of the subscript.
    high_row = 0 if high is None else -base.above if high.small or base.above else -1
    low_row = 0 if low is None else base.below if low.small or base.below else 1
    if high is None and low is None:
        return base
    if high is None or low is None or high_row == low_row:
        return beside((base, *(_at(low, low_row) if low else ()), *(_at(high, high_row) if high else ())))
    column = [high.box]
    if low_row - high_row > 1:
        column.append(blank(0, low_row - high_row - 1))
    scripts = stacked((*column, low.box), high.box.height - 1 - high_row, "left")
    return beside((base, scripts))


def _at(script: Script, row: int) -> tuple[Box]:
    """Return a script with the baseline so many rows under it, or over it where `row` is positive."""
    box = script.box
    if row > 0:
        return (box.based(0).padded(above=row).based(0),)
    if row < 0:
        return (box.padded(below=-row).based(box.height - 1 - row),)
    return (box,)
