"""The PyTorch program that computes the answer of a problem: to read, and to copy."""

from typing import ClassVar

from textual.binding import Binding, BindingType

from studynorm.tui.markup_view import source_block
from studynorm.tui.overlay import Overlay
from studynorm.tui.theme import Palette


class ProgramScreen(Overlay):
    """Shows a program."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "copy", "Copy program"),
        Binding("p", "dismiss", "Close"),
    ]

    def __init__(self, program: str, palette: Palette) -> None:
        super().__init__("PyTorch program", source_block(program, palette), "c copies · Esc closes")
        self._program = program
        self.add_class("wide")

    def action_copy(self) -> None:
        """Copy the program."""
        self.app.copy_to_clipboard(self._program)
        self.foot("copied, where the terminal allows it · Esc closes")
