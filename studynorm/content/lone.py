r"""A `$`, `\(` or `\[` without its partner that was clearly meant to begin a formula."""

import re
from collections.abc import Iterator

from studynorm.content.verbatim import stretches

_OPENER = re.compile(r"\\(?P<escaped>[\\$])|(?P<math>\$\$?|\\\(|\\\[)")
_LATEX = re.compile(r"\\[A-Za-z]+|[_^][A-Za-z0-9{\\]")


def lone_openers(text: str) -> Iterator[int]:
    r"""Yield the offset of each delimiter that opens no formula though LaTeX follows it in its paragraph.

    A sign of money, as in `it costs $5`, is none: nothing behind it reads as LaTeX. `\$` is one never.
    """
    position = 0
    for start, end in [
        *((stretch.start, stretch.end) for stretch in stretches(text)),
        (len(text), len(text)),
    ]:
        for match in _OPENER.finditer(text, position, start):
            if match["math"] is None:
                continue
            behind = text[match.end() : start].partition("\n\n")[0]
            if match["math"].startswith("\\") or _LATEX.search(behind):
                yield match.start()
                break
        position = end
