"""Where a piece of deck text stands, and what is wrong there.

Separate from decks and cards so that every layer above can name a file and a line in the same way.
"""

from dataclasses import dataclass
from pathlib import Path

from studynorm.content.visible import visible


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a deck file; lines count from 1, and 1 also stands for the file as a whole."""

    path: Path
    line: int

    def __str__(self) -> str:
        return f"{visible(str(self.path), keep_newlines=False)}:{self.line}"


@dataclass(frozen=True, slots=True)
class ContentError:
    """A fault in a deck: where it is, what it is, and what to write instead.

    `message` has no full stop at its end; `way_out` is one or more whole sentences.
    """

    place: Place
    message: str
    way_out: str

    def __str__(self) -> str:
        return f"{self.place}: {visible(f'{self.message}. {self.way_out}', keep_newlines=False)}"
