"""The four ratings a learner gives; separate because every layer above names them."""

from enum import IntEnum


class Rating(IntEnum):
    """How well an item was recalled. Again is the only fail; Hard, Good and Easy are passes."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4

    @property
    def label(self) -> str:
        """The word on the button: `Again`, `Hard`, `Good` or `Easy`."""
        return self.name.capitalize()
