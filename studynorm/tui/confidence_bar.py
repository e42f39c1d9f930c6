"""One quiet line that asks how sure the learner is; each answer has a key and can be clicked."""

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from studynorm.study.confidence import LEVELS
from studynorm.tui.theme import Palette

Spans = tuple[tuple[int, int, str], ...]


def confidence_line(width: int, palette: Palette) -> tuple[Text, Spans]:
    """Return the line, without the words where it would be too long, and which cells mean which key."""
    for worded in (True, False):
        line = Text("How sure?", palette.quiet, no_wrap=True, overflow="crop")
        spans = []
        for key, percent in LEVELS.items():
            line.append("  ")
            start = line.cell_len
            line.append(key, f"bold {palette.accent}")
            if worded:
                line.append(f" {percent}%" if percent else " no idea", palette.ink)
            spans.append((start, line.cell_len, key))
        if line.cell_len <= width:
            break
    return line, tuple(spans)


class ConfidenceBar(Widget):
    """The line; a click on an answer counts as its key."""

    can_focus = False

    class Chosen(Message):
        """An answer was clicked."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def render(self) -> Text:
        """Paint the line in the colours of now."""
        palette: Palette = self.app.palette  # type: ignore[attr-defined]
        return confidence_line(self.content_size.width, palette)[0]

    def on_click(self, event: events.Click) -> None:
        """Tell which answer was clicked."""
        event.stop()
        offset = event.get_content_offset(self)
        palette: Palette = self.app.palette  # type: ignore[attr-defined]
        for start, end, key in confidence_line(self.content_size.width, palette)[1]:
            if offset is not None and start <= offset.x < end:
                self.post_message(self.Chosen(key))
