"""The door to the drawing of formulas: from a source to a box that fits, or to None."""

from functools import lru_cache

from studynorm.mathtext.box import Box, TooLarge
from studynorm.mathtext.breaking import within
from studynorm.mathtext.nodes import MathError
from studynorm.mathtext.parser import parse

_UNBROKEN = 200


@lru_cache(maxsize=1024)
def box(source: str, width: int = _UNBROKEN) -> Box | None:
    """Return a formula as a drawing of at most `width` cells, broken into lines where it must be.

    None where it can't be parsed, or not be drawn so narrow or within 200 × 60 cells; its one-line form,
    which for what can't be parsed is the source, is what to show then.
    """
    try:
        drawing = within(parse(source), min(width, _UNBROKEN))
    except (MathError, TooLarge):
        return None
    return drawing if 0 < drawing.width <= width else None
