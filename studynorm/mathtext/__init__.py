"""A LaTeX subset for terminals: source to syntax tree, and the tree to a drawing, a line, ASCII and words."""

from studynorm.mathtext.box import Box
from studynorm.mathtext.cells import cell_width
from studynorm.mathtext.drawn import box
from studynorm.mathtext.inline import stays_in_line
from studynorm.mathtext.linear import ascii_line, one_line
from studynorm.mathtext.nodes import MathError, Node
from studynorm.mathtext.parser import parse
from studynorm.mathtext.spoken import spoken

__all__ = [
    "Box",
    "MathError",
    "Node",
    "ascii_line",
    "box",
    "cell_width",
    "one_line",
    "parse",
    "spoken",
    "stays_in_line",
]
