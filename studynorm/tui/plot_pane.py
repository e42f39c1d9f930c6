"""Shows a plot as large as its place, and draws it anew when the place has settled on another size."""

import asyncio

from rich.text import Text
from textual import work
from textual.timer import Timer
from textual.widgets import Static

from studynorm.demos.demo import Plot
from studynorm.plotting import draw

_REDRAW_SECONDS = 0.1  # so that dragging a window does not draw at every step


class PlotPane(Static):
    """A place for a plot."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__(id="plot", markup=False)
        self._plot: Plot | None = None
        self._settling: Timer | None = None

    def show(self, plot: Plot) -> None:
        """Draw a plot into the place."""
        self._plot = plot
        self._draw()

    def on_resize(self) -> None:
        """Draw for the new size once it has settled."""
        if self._settling is not None:
            self._settling.stop()
        self._settling = self.set_timer(_REDRAW_SECONDS, self._draw)

    @work(exclusive=True, group="plot")
    async def _draw(self) -> None:
        """Draw in a thread: the first plot loads the library."""
        width, height = self.size
        if self._plot is not None and width > 0 and height > 0:
            drawn = await asyncio.to_thread(draw, self._plot, width, height, colour=True)
            self.update(Text.from_ansi(drawn, no_wrap=True, overflow="crop"))
