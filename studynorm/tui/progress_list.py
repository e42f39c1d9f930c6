"""The list of the progress screen: rows with headings between them, and the keys that move in it."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from studynorm.tui.calm_screen import HERE, MOVING
from studynorm.tui.progress_rows import Row


class ProgressList(OptionList):
    """The rows of a section; ← and → belong to the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "screen.topic", "Open topic", group=HERE),
        Binding("enter,space", "screen.practice", "Practice", group=HERE),
        Binding("down,j", "cursor_down", "Next", show=False, group=MOVING),
        Binding("up,k", "cursor_up", "Before", show=False, group=MOVING),
        Binding("left", "screen.turn(-1)", "Part before", show=False),
        Binding("right", "screen.turn(1)", "Next part", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="progress-list", markup=False, compact=True)
        self.rows: tuple[Row, ...] = ()

    @property
    def here(self) -> Row | None:
        """The row at the cursor."""
        at = self.highlighted
        return None if at is None or at >= len(self.rows) else self.rows[at]

    def show(self, rows: tuple[Row, ...], wanted: str | None) -> None:
        """Show rows with the cursor on the one of an id, or else on the first that can be chosen."""
        self.rows = rows
        ids = [row.id for row in rows]
        first = next((place for place, name in enumerate(ids) if name), None)
        self.set_options(Option(row.line, disabled=not row.id) for row in rows)
        self.highlighted = ids.index(wanted) if wanted in ids else first
