"""The scrolled part of a review: the question, and under a rule what has come to it since."""

from collections.abc import Iterable, Mapping

from rich.console import RenderableType
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

PARTS = ("answer-text", "verdict", "hints", "solution", "more")
"""What can stand under the question, from top to bottom."""
_LAYOUTS = 3


class ReviewText(VerticalScroll):
    """Shows a question and its parts, and brings what is new into view."""

    can_focus = False

    def __init__(self, sheet: Widget, *, id: str) -> None:
        """Show `sheet`, the rows of an answer that is picked, between the question and its parts."""
        super().__init__(id=id)
        self._sheet = sheet

    def compose(self) -> Iterable[Widget]:
        """Yield the question and a place for each part."""
        yield Static(id="question")
        yield self._sheet
        with Vertical(id="below"):
            yield from (Static(id=part) for part in PARTS)

    def show(self, question: RenderableType, parts: Mapping[str, RenderableType], changed: str) -> None:
        """Show a question with the parts that it has; `changed` names one that is new though it was there."""
        self.query_one("#question", Static).update(question)
        newest = None
        for name in PARTS:
            part = self.query_one(f"#{name}", Static)
            if name in parts:
                if name != PARTS[-1] and (not part.display or name == changed):
                    newest = name
                part.update(parts[name])
            part.display = name in parts
        self.query_one("#below").display = bool(parts)
        if newest is not None:
            self.call_after_refresh(self._bring_into_view, newest, _LAYOUTS)

    def _bring_into_view(self, part: str, layouts: int) -> None:
        """Scroll as little as shows the new part, or to its beginning where it is longer than the view.

        What was just shown may be measured only `layouts` refreshes later.
        """
        if layouts:
            self.call_after_refresh(self._bring_into_view, part, layouts - 1)
        first = self.query_one("#below" if part in PARTS[:2] else f"#{part}")
        if self.max_scroll_y > 0:
            self.scroll_to_widget(first, top=first.size.height >= self.size.height, animate=False)
