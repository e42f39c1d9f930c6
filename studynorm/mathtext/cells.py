"""How many terminal cells a text takes, by the rule by which the screen counts them."""

import unicodedata
from functools import lru_cache

_EMOJI = "\ufe0f"


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
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
