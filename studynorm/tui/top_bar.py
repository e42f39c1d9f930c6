"""The top of a session: what is asked, how much is left, and how far the sitting has come."""

from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.widget import Widget

from studynorm.content.visible import visible
from studynorm.study.situation import Counts, Stage
from studynorm.tui.theme import Palette

_COLOURS = {Stage.NEW: "easy", Stage.LEARNING: "again", Stage.REVIEW: "good"}


@dataclass(frozen=True, slots=True)
class Standing:
    """What the top line says: the title, a quiet word behind it, what is left and what is done.

    Without `counts`, `aside` stands in their place, and `left` is how many are left, None for no end.
    """

    title: str
    detail: str
    counts: Counts | None
    stage: Stage | None
    answered: int
    aside: str = ""
    left: int | None = None


def counts_text(counts: Counts, stage: Stage | None, palette: Palette) -> Text:
    """Return `3 + 1 + 12` in the three colours: zeros faint, the stage on the screen underlined."""
    text = Text(no_wrap=True)
    for number, kind in enumerate(Stage):
        text.append(" + " if number else "", palette.faint)
        count = getattr(counts, kind.value)
        colour = str(getattr(palette, _COLOURS[kind])) if count else palette.faint
        text.append(str(count), f"bold underline {colour}" if kind is stage else colour)
    return text


def top_line(standing: Standing, width: int, palette: Palette) -> Text:
    """Return the top line, cut to a width; the counts are never cut."""
    if standing.counts is None:
        counts = Text(standing.aside, palette.quiet, no_wrap=True)
    else:
        counts = counts_text(standing.counts, standing.stage, palette)
    room = max(0, width - counts.cell_len - 2)
    title = visible(standing.title, keep_newlines=False)
    line = Text(no_wrap=True, overflow="crop", end="")
    if cell_len(title) > room:
        title = set_cell_size(title, max(0, room - 1)).rstrip() + "…" if room > 1 else ""
    line.append(title, f"bold {palette.ink}")
    if standing.detail and cell_len(title) + 3 + cell_len(standing.detail) <= room:
        line.append(f"   {standing.detail}", palette.quiet)
    line.append(" " * max(0, width - line.cell_len - counts.cell_len))
    return line.append_text(counts)


def progress_line(standing: Standing, width: int, palette: Palette) -> Text:
    """Return a rule whose bright part is the share of the sitting that is done."""
    left = standing.left if standing.counts is None else standing.counts.total
    whole = 0 if left is None else standing.answered + left
    done = width * standing.answered // whole if whole else 0
    line = Text("━" * done, palette.accent, no_wrap=True, overflow="crop", end="")
    return line.append("─" * max(0, width - done), palette.faint)


class TopBar(Widget):
    """Two lines: title and counts, and the progress rule."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__()
        self._standing: Standing | None = None

    def show(self, standing: Standing) -> None:
        """Show where the session stands."""
        self._standing = standing
        self.refresh()

    def render(self) -> Text:
        """Paint both lines."""
        if self._standing is None:
            return Text()
        palette: Palette = self.app.palette  # type: ignore[attr-defined]
        width = max(1, self.content_size.width)
        return Text("\n").join(
            [top_line(self._standing, width, palette), progress_line(self._standing, width, palette)]
        )
