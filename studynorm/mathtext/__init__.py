"""A LaTeX subset for terminals: source to syntax tree, and the tree to one line, to ASCII and to words."""

from studynorm.mathtext.linear import ascii_line, one_line
from studynorm.mathtext.nodes import MathError, Node
from studynorm.mathtext.parser import parse
from studynorm.mathtext.spoken import spoken

__all__ = ["MathError", "Node", "ascii_line", "one_line", "parse", "spoken"]
