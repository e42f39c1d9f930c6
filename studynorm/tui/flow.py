"""Words that flow over lines, with formulas among them that are not torn apart."""

import re
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.containers import Lines
from rich.measure import Measurement
from rich.style import Style
from rich.text import Text

_GLUE = "\ufdd0"
"""Stands for a blank that is no place to break a line, and only while lines are broken."""
_FORMULA = Style(meta={"formula": True})
"""Tells a formula from the words beside it; it changes nothing of what is shown."""
_LONGEST_UNBROKEN = 28
_BEHIND_OPERATOR = re.compile(r"(?<= [=+−·⊙≈≤≥<>≪≫←→∈∝≠≡]) ")
_IN_TITLE = re.compile(r"\S+(?: [=+−·⊙≈≤≥<>≪≫←→∈∝≠≡] \S+)+")


class Flow(Text):
    """A text whose short formulas are not broken at the end of a line, and long ones before an operator.

    It holds for what wraps a text by `wrap`, as a Group does; `Static` and `Console.print` given the bare
    text take its characters and break them themselves.
    """

    def append_formula(self, formula: Text) -> None:
        """Append a formula; only a line narrower than it breaks it elsewhere."""
        start = len(self)
        self.append_text(formula).stylize(_FORMULA, start)

    def wrap(self, *arguments: Any, **options: Any) -> Lines:
        """Return the lines of the text, broken at the blanks that may be broken."""
        width = arguments[1] if len(arguments) > 1 else options["width"]
        text = self.copy()
        text.plain = "".join(
            word.replace(_GLUE, " ") if cell_len(word) > width else word
            for word in re.split(r"(\s+)", self._glued())
        )
        lines = text.wrap(*arguments, **options)
        for line in lines:
            if _GLUE in line.plain:
                line.plain = line.plain.replace(_GLUE, " ")
        return lines

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        text = self.copy()
        text.plain = self._glued()
        return text.__rich_measure__(console, options)

    def word_widths(self) -> list[int]:
        """Return the widths of the words; what is not broken is one word."""
        return [cell_len(word) for word in self._glued().split()]

    def height(self, width: int) -> int:
        """Return how many lines the words take at a width."""
        lines, column = 1, 0
        for word in self.word_widths():
            if column and column + 1 + word > width:
                lines, column = lines + 1, 0
            column += word + (column > 0)
        return lines

    def _glued(self) -> str:
        """Return the characters, blanks that may not be broken marked."""
        plain = self.plain
        for start, end, style in self.spans:
            if style == _FORMULA:
                formula = plain[start:end]
                short = cell_len(formula) <= _LONGEST_UNBROKEN
                glued = formula.replace(" ", _GLUE) if short else _BEHIND_OPERATOR.sub(_GLUE, formula)
                plain = plain[:start] + glued + plain[end:]
        return plain


def title_flow(title: str, style: str = "") -> Flow:
    """Return a plain line whose formulas, told by their operators, are not broken where it is wrapped."""
    flow = Flow(title, style)
    for formula in _IN_TITLE.finditer(title):
        flow.stylize(_FORMULA, *formula.span())
    return flow
