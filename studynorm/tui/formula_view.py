"""A formula on rows of its own, drawn for the width it is given, with what stands around it in the text."""

from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.style import Style
from rich.text import Text

from studynorm import mathtext
from studynorm.content.visible import visible

_NARROW = 20


@dataclass(frozen=True)
class FormulaView:
    """Shows a formula in two dimensions; where it does not fit, in one line, and as source if it must be.

    `before` and `behind` are the bracket and the punctuation that touch it.
    """

    source: str
    style: Style
    around: Style
    indent: int = 0
    before: str = ""
    behind: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        indent, drawing = 0, None
        for indent in dict.fromkeys((self.indent, min(self.indent, 1), 0)):
            drawing = self.drawn(options.max_width - indent)
            if drawing is not None:
                break
        if drawing is None:
            yield Padding(self._line(), (0, 0, 0, min(self.indent, options.max_width // 8)))
            return
        margin = indent + cell_len(self.before)
        for number, row in enumerate(drawing.rows):
            line = Text(" " * margin, no_wrap=True)
            if number == drawing.baseline and self.before:
                line = Text(" " * indent, no_wrap=True).append(self.before, self.around)
            start = len(line)
            line.append(row, self.style)
            for mark in drawing.marks:
                if mark.row == number:
                    line.stylize(mark.style, start + mark.start, start + mark.end)
            if number == drawing.baseline:
                line.append(self.behind, self.around)
            line.rstrip()
            yield line

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widest, narrowest = self.widths()
        return Measurement(min(narrowest, options.max_width), min(widest, options.max_width))

    def drawn(self, width: int) -> mathtext.Box | None:
        """Return the drawing within a width, None where there is none."""
        room = width - cell_len(self.before) - cell_len(self.behind)
        return mathtext.box(self.source, room) if room > 0 else None

    def widths(self) -> tuple[int, int]:
        """Return how wide it is at ease, and broken into lines."""
        touching = cell_len(self.before) + cell_len(self.behind) + self.indent
        whole = mathtext.box(self.source)
        if whole is None:
            line = self._line()
            return line.cell_len, max(map(cell_len, line.plain.split()), default=1)
        broken = mathtext.box(self.source, _NARROW) or whole
        return whole.width + touching, broken.width + touching

    def _line(self) -> Text:
        text = Text(self.before, self.around)
        text.append(visible(mathtext.one_line(self.source), keep_newlines=False), self.style)
        return text.append(self.behind, self.around)
