"""The stretches of a text that no Markdown or cloze rule may look into: code and math.

Separate because cards (for their marks) and markup (for its spans) must cut at exactly the same places.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from studynorm.content.fences import CodeFence, closes, fence_of

_OPENER = re.compile(r"\\[\s\S]|`+|\$")
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")
# Code ends with its block; math may have lines that begin with a sign, so only a blank line ends it.
_BLOCK_EDGE = re.compile(r"\n[ \t]*(?=\n|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|>)")
_BLANKS = " \t\n"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch `text[start:end]` with its delimiters, and `source`, what stands between them."""

    kind: Literal["fence", "code", "math", "display"]
    start: int
    end: int
    source: str


def stretches(text: str) -> tuple[Stretch, ...]:
    r"""Return the code and math of `text` in order, none overlapping.

    Math is `$…$` (no blank just inside, no digit just after), `$$…$$`, `\(…\)` or `\[…\]`, and never holds a
    blank line. A delimiter without its partner is plain text, and so is one behind a backslash.
    """
    found: list[Stretch] = []
    position = 0
    for start, end, source in _fences(text):
        found.extend(_inline(text, position, start))
        found.append(Stretch("fence", start, end, source))
        position = end
    found.extend(_inline(text, position, len(text)))
    return tuple(found)


def _fences(text: str) -> Iterator[tuple[int, int, str]]:
    if "```" not in text and "~~~" not in text:
        return
    opening: CodeFence | None = None
    start = inner = position = 0
    for line in text.split("\n"):
        after = min(position + len(line) + 1, len(text))
        if opening is None:
            opening = fence_of(line)
            start, inner = position, after
        elif closes(opening, line):
            yield start, after, text[inner:position]
            opening = None
        position = after
    if opening is not None:
        yield start, len(text), text[inner:]


def _inline(text: str, start: int, end: int) -> Iterator[Stretch]:
    part = text[start:end]
    if "`" not in part and "$" not in part and "\\" not in part:
        return
    closers = _Closers(part)
    position = 0
    while match := _OPENER.search(part, position):
        position = match.end()
        stretch = closers.stretch(match[0], match.start())
        if stretch is not None:
            position = stretch.end
            yield Stretch(stretch.kind, start + stretch.start, start + stretch.end, stretch.source)
        elif match[0] == "$" and part.startswith("$", position):
            position += 1  # a lone `$$` is not tried again as `$`


class _Closers:
    """Where delimiters can close, so that each opener finds its partner by bisection."""

    def __init__(self, part: str) -> None:
        self._part = part
        self._edges = [match.start() for match in _BLOCK_EDGE.finditer(part)]
        self._blank_lines = [match.start() for match in _BLANK_LINE.finditer(part)]
        self._at: dict[str, list[int]] = {}
        for match in re.finditer("`+", part):
            self._at.setdefault(match[0], []).append(match.start())
        for match in _OPENER.finditer(part):
            if match[0] in ("$", "\\)", "\\]"):
                self._at.setdefault(match[0], []).append(match.start())
        dollars = self._at.get("$", [])
        self._at["$$"] = [one for one, two in pairwise(dollars) if two == one + 1]

    def stretch(self, opener: str, at: int) -> Stretch | None:
        if opener[0] == "`":
            return self._code(opener, at)
        if opener == "\\(":
            return self._math("\\)", "math", at, 2)
        if opener == "\\[":
            return self._math("\\]", "display", at, 2)
        if opener != "$":
            return None
        if self._part.startswith("$$", at):
            return self._math("$$", "display", at, 2)
        return self._dollars(at)

    def _next(self, closer: str, after: int, edges: list[int]) -> int | None:
        places = self._at.get(closer, [])
        index = bisect_left(places, after)
        if index == len(places):
            return None
        edge = bisect_right(edges, after - 1)
        if edge < len(edges) and edges[edge] < places[index]:
            return None
        return places[index]

    def _code(self, run: str, at: int) -> Stretch | None:
        end = self._next(run, at + len(run), self._edges)
        if end is None:
            return None
        source = self._part[at + len(run) : end].replace("\n", " ")
        if len(source) > 2 and source[0] == source[-1] == " " and source.strip(" "):
            source = source[1:-1]
        return Stretch("code", at, end + len(run), source)

    def _math(self, closer: str, kind: Literal["math", "display"], at: int, width: int) -> Stretch | None:
        end = self._next(closer, at + width, self._blank_lines)
        if end is None or not (source := self._part[at + width : end].strip(_BLANKS)):
            return None
        return Stretch(kind, at, end + width, source)

    def _dollars(self, at: int) -> Stretch | None:
        part = self._part
        if at + 1 >= len(part) or part[at + 1] in _BLANKS:
            return None
        stretch = self._math("$", "math", at, 1)
        if (
            stretch is None
            or part[stretch.end - 2] in _BLANKS
            or part[stretch.end : stretch.end + 1].isdigit()
        ):
            return None
        return stretch
