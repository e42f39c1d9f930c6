"""A drawn formula: rows of equal width with a baseline, and how such boxes are put together.

The baseline is the row on which letters stand and in which the bar of a fraction lies.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from studynorm.mathtext.cells import cell_width

MAX_WIDTH = 200
MAX_HEIGHT = 60
Align = Literal["left", "center", "right"]


class TooLarge(Exception):
    """The drawing has more cells than anyone could read."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The characters `start` to `end` of a row are of a style: "bold" or "italic"."""

    row: int
    start: int
    end: int
    style: str


@dataclass(frozen=True, slots=True)
class Box:
    """Rows of text, each `width` cells wide; neighbours are joined at the `baseline` row."""

    rows: tuple[str, ...]
    baseline: int = 0
    marks: tuple[Mark, ...] = ()
    width: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", cell_width(self.rows[0]))
        if self.width > MAX_WIDTH or len(self.rows) > MAX_HEIGHT:
            raise TooLarge

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def above(self) -> int:
        """How many rows lie over the baseline."""
        return self.baseline

    @property
    def below(self) -> int:
        """How many rows lie under the baseline."""
        return len(self.rows) - 1 - self.baseline

    @property
    def base_row(self) -> str:
        """The text of the baseline row."""
        return self.rows[self.baseline]

    def based(self, baseline: int) -> "Box":
        """Return the box with another row as its baseline."""
        return Box(self.rows, baseline, self.marks)

    def styled(self, style: str) -> "Box":
        """Return the box with everything in a style."""
        marks = tuple(Mark(row, 0, len(text), style) for row, text in enumerate(self.rows) if text.strip())
        return replace(self, marks=(*self.marks, *marks))

    def padded(self, above: int = 0, below: int = 0) -> "Box":
        """Return the box with empty rows over and under it."""
        if above <= 0 and below <= 0:
            return self
        empty = " " * self.width
        rows = (empty,) * max(above, 0) + self.rows + (empty,) * max(below, 0)
        return Box(rows, self.baseline + max(above, 0), _moved(self.marks, max(above, 0), 0))

    def widened(self, width: int, align: Align = "center") -> "Box":
        """Return the box with blanks at its sides; an odd one out goes to the right."""
        room = width - self.width
        if room <= 0:
            return self
        left = {"left": 0, "center": room // 2, "right": room}[align]
        rows = tuple(" " * left + row + " " * (room - left) for row in self.rows)
        return Box(rows, self.baseline, _moved(self.marks, 0, left))


def text_box(text: str, style: str = "") -> Box:
    """Return a box of one row."""
    box = Box((text,))
    return box.styled(style) if style else box


def blank(width: int, height: int = 1) -> Box:
    """Return an empty box."""
    return Box((" " * width,) * height)


def upright(glyphs: Sequence[str], baseline: int) -> Box:
    """Return a box with a row for each text of equal width."""
    return Box(tuple(glyphs), baseline)


def beside(boxes: Iterable[Box]) -> Box:
    """Return boxes side by side, joined at their baselines."""
    shown = [box for box in boxes if box.width]
    if len(shown) == 1:
        return shown[0]
    if not shown:
        return Box(("",))
    above = max(box.above for box in shown)
    below = max(box.below for box in shown)
    if above + below + 1 > MAX_HEIGHT or sum(box.width for box in shown) > MAX_WIDTH:
        raise TooLarge
    even = [box.padded(above - box.above, below - box.below) for box in shown]
    rows = ["".join(parts) for parts in zip(*(box.rows for box in even), strict=True)]
    marks: list[Mark] = []
    lengths = [0] * len(rows)
    for box in even:
        marks += [
            Mark(mark.row, mark.start + lengths[mark.row], mark.end + lengths[mark.row], mark.style)
            for mark in box.marks
        ]
        lengths = [length + len(row) for length, row in zip(lengths, box.rows, strict=True)]
    return Box(tuple(rows), above, tuple(marks))


def stacked(boxes: Sequence[Box], baseline: int, align: Align = "center") -> Box:
    """Return boxes under each other; `baseline` is the row, counted from the top of the first one."""
    if sum(box.height for box in boxes) > MAX_HEIGHT:
        raise TooLarge
    width = max(box.width for box in boxes)
    rows: list[str] = []
    marks: list[Mark] = []
    for box in boxes:
        even = box.widened(width, align)
        marks += _moved(even.marks, len(rows), 0)
        rows += even.rows
    return Box(tuple(rows), baseline, tuple(marks))


def _moved(marks: tuple[Mark, ...], down: int, right: int) -> tuple[Mark, ...]:
    return tuple(Mark(mark.row + down, mark.start + right, mark.end + right, mark.style) for mark in marks)
