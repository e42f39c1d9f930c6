"""The text of a deck file, byte for byte: its lines as the reader counts them, each with its own line end.

Separate because reading counts lines, and editing must give back everything it did not touch.
"""

import re
from dataclasses import dataclass

BOM = "\ufeff"
_ENDS = re.compile(r"\r\n|\n")


@dataclass(frozen=True, slots=True)
class Source:
    """A text taken apart: `lines[i]` ends with `ends[i]`, and the last line has no end."""

    bom: str
    lines: tuple[str, ...]
    ends: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Source":
        """Take a text apart. A carriage return ends a line only where the text has no line feed at all."""
        bom = BOM if text.startswith(BOM) else ""
        body = text.removeprefix(BOM)
        ends = _ENDS.findall(body) if "\n" in body else ["\r"] * body.count("\r")
        return cls(bom, tuple(lines_of(text)), (*ends, ""))

    @property
    def end(self) -> str:
        """The line end that a new line takes: that of the first line, or a line feed."""
        return self.ends[0] or "\n"

    @property
    def text(self) -> str:
        """The text as it was."""
        return self.bom + "".join(line + end for line, end in zip(self.lines, self.ends, strict=True))


def lines_of(text: str) -> list[str]:
    """Return the lines of a deck's text without their ends and without a byte order mark."""
    text = text.removeprefix(BOM).replace("\r\n", "\n")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    return text.split("\n")
