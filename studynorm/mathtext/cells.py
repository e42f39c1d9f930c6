"""How many terminal cells a text takes, by the rule by which the screen counts them."""

import unicodedata
from functools import lru_cache

_EMOJI = "\ufe0f"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
"""They colour the sign before them."""
_WIDE = (
    range(0x2630, 0x2638),
    range(0x268A, 0x2690),
    range(0x4DC0, 0x4E00),
    range(0x1D300, 0x1D357),
    range(0x1D360, 0x1D377),
)
"""Wide since Unicode 16, which Python's own table may not know: the signs of the Yijing and counting rods."""


def cell_width(text: str) -> int:
    """Return the cells of `text`: two for wide characters, none for combining ones, one for the others."""
    if text.isascii():
        return len(text)
    width = 0
    before = ""
    for char in text:
        if char == _EMOJI:
            # It turns a sign of one cell into a picture of two.
            width += before != "" and _cells(before) == 1 and unicodedata.category(before) == "So"
            before = ""
            continue
        cells = _cells(char)
        width += cells
        before = char if cells else before
    return width


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Mc") or "\u1160" <= char <= "\u11ff":
        return 0
    place = ord(char)
    if place in _SKIN_TONES:
        return 0
    wide = unicodedata.east_asian_width(char) in "WF" or any(place in signs for signs in _WIDE)
    return 2 if wide else 1
