r"""The reviewed drawings in `golden/*.txt`, and how they are renewed: `python -m tests.mathtext.golden`.

An entry is a line `$$ source`, or `$$40 source` for a drawing of at most 40 columns, and the drawing under
it. Renewing draws every entry again; read the difference with your own eyes before you keep it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from studynorm.mathtext import box

FOLDER = Path(__file__).with_name("golden")
_ENTRY = re.compile(r"^\$\$(\d*) (.*)\n((?:(?!\$\$).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """A formula, the most columns it may take, and its reviewed drawing."""

    file: str
    source: str
    width: int
    drawing: str


def entries() -> Iterator[Entry]:
    """Yield all reviewed drawings."""
    for path in sorted(FOLDER.glob("*.txt")):
        for width, source, drawing in _ENTRY.findall(path.read_text(encoding="utf-8")):
            yield Entry(path.stem, source, int(width or 76), drawing.strip("\n"))


def drawn(source: str, width: int) -> str:
    """Return the drawing as text, without the blanks at the ends of its rows."""
    found = box(source, width)
    return "no drawing" if found is None else "\n".join(row.rstrip() for row in found.rows)


def renew() -> None:
    """Draw every entry again."""
    for path in sorted(FOLDER.glob("*.txt")):
        parts = []
        for width, source, _ in _ENTRY.findall(path.read_text(encoding="utf-8")):
            parts.append(f"$${width} {source}\n{drawn(source, int(width or 76))}\n")
        path.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    renew()
