"""Words that flow over lines, with formulas among them that are not torn apart."""

import re
from typing import Any

from rich.cells import cell_len
from rich.containers import Lines
from rich.text import Text

_GLUE = "\ufdd0"
"""Stands for a blank that is no place to break a line; no text can contain it."""
_LONGEST_UNBROKEN = 28
_BEHIND_OPERATOR = re.compile(r"(?<= [=+−·⊙≈≤≥<>≪≫←→∈∝≠≡]) ")


class Flow(Text):
    """A text whose short formulas are not broken at the end of a line, and long ones before an operator."""

    def append_formula(self, formula: Text) -> None:
        """Append a formula; only a line narrower than it breaks it elsewhere."""
        if formula.cell_len <= _LONGEST_UNBROKEN:
            formula.plain = formula.plain.replace(" ", _GLUE)
        else:
            formula.plain = _BEHIND_OPERATOR.sub(_GLUE, formula.plain)
        self.append_text(formula)

    def wrap(self, *arguments: Any, **options: Any) -> Lines:
        """Return the lines of the text, broken at the blanks that may be broken."""
        width = arguments[1] if len(arguments) > 1 else options["width"]
        text = self.copy()
        text.plain = "".join(
            word.replace(_GLUE, " ") if cell_len(word) > width else word
            for word in re.split(r"(\s+)", self.plain)
        )
        lines = text.wrap(*arguments, **options)
        for line in lines:
            if _GLUE in line.plain:
                line.plain = line.plain.replace(_GLUE, " ")
        return lines

    def height(self, width: int) -> int:
        """Return how many lines the words take at a width."""
        lines, column = 1, 0
        for word in map(cell_len, self.plain.split()):
            if column and column + 1 + word > width:
                lines, column = lines + 1, 0
            column += word + (column > 0)
        return lines

    def unbroken(self) -> Text:
        """Return the text as it is on a single line."""
        text = self.copy()
        text.plain = text.plain.replace(_GLUE, " ")
        return text
