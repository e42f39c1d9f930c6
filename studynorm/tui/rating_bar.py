"""The four rating buttons: key, word and interval, always in the same places."""

from collections.abc import Mapping

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Static

from studynorm.scheduling.rating import Rating
from studynorm.tui.theme import Palette

_COLOURS = {Rating.AGAIN: "again", Rating.HARD: "hard", Rating.GOOD: "good", Rating.EASY: "easy"}


def button_text(rating: Rating, interval: str, accepted: bool, palette: Palette, width: int) -> Text:
    """Return the two lines of a button; the rating that Enter accepts is marked by words and weight."""
    colour = str(getattr(palette, _COLOURS[rating]))
    first = Text(no_wrap=True, overflow="crop")
    first.append(f"{int(rating)} ", palette.quiet)
    first.append(rating.label, f"bold {colour}")
    second = Text(interval, palette.ink, no_wrap=True, overflow="crop")
    if accepted:
        for mark in ("  ⏎ Enter", " ⏎"):
            if second.cell_len + len(mark) <= width:
                second.append(mark, f"bold {colour}")
                break
    return Text("\n").join([first, second])


class RatingButton(Static):
    """One rating; a click on it counts as its key."""

    can_focus = False

    def __init__(self, rating: Rating) -> None:
        super().__init__(id=f"rate-{int(rating)}", classes=f"rating {_COLOURS[rating]}", markup=False)
        self.rating = rating

    def on_click(self, event: events.Click) -> None:
        """Tell the screen which rating was chosen."""
        event.stop()
        self.post_message(RatingBar.Chosen(self.rating))


class RatingBar(Horizontal):
    """The row of ratings."""

    can_focus = False

    class Chosen(Message):
        """A rating was clicked."""

        def __init__(self, rating: Rating) -> None:
            super().__init__()
            self.rating = rating

    def compose(self) -> ComposeResult:
        """Yield the buttons, Again to Easy."""
        for rating in Rating:
            yield RatingButton(rating)

    def show(self, intervals: Mapping[Rating, str], accepted: Rating | None, palette: Palette) -> None:
        """Put the intervals on the buttons and mark the rating that Enter accepts."""
        for button in self.query(RatingButton):
            button.set_class(button.rating is accepted, "accepted")
            width = max(8, self.size.width // 4 - 4) if self.size.width else 14
            button.update(
                button_text(
                    button.rating, intervals[button.rating], button.rating is accepted, palette, width
                )
            )
