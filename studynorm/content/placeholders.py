"""Placeholders for what Markdown must not see: math, code and odd characters leave and return.

A placeholder is made of private-use characters, which Markdown takes for letters. Such characters in the text
itself are cut out like the rest, so no text can pose as a placeholder.
"""

import re
from collections.abc import Iterator

from studynorm.content.blocks import Code, Math, Span, Text
from studynorm.content.verbatim import Stretch, stretches

_OPEN, _CLOSE, _ZERO = "\ue000", "\ue001", 0xE010
_PLACEHOLDER = re.compile(f"{_OPEN}([{chr(_ZERO)}-{chr(_ZERO + 9)}]+){_CLOSE}")
# Markdown drops, replaces or strips these; the private ones would look like placeholders.
_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ue000-\ue01f\ufffd]"
)


class Placeholders:
    """The things cut out of one text, and the text that is left, `masked`."""

    def __init__(self, text: str) -> None:
        self._cut: list[tuple[str, Span]] = []
        parts: list[str] = []
        position = 0
        for stretch in stretches(text):
            parts.append(self._without_odd(text[position : stretch.start]))
            whole = text[stretch.start : stretch.end]
            if stretch.kind == "fence":
                parts.append(self._without_odd(whole))
            else:
                parts.append(self._placeholder(whole, _span(stretch)))
            position = stretch.end
        parts.append(self._without_odd(text[position:]))
        self.masked = "".join(parts)

    def restored(self, masked: str) -> str:
        """Return the text as it was written."""
        return _PLACEHOLDER.sub(lambda match: self._cut[_index(match)][0], masked)

    def spans(self, masked: str) -> Iterator[Span]:
        """Yield the plain text and what was cut out of it, in order."""
        position = 0
        for match in _PLACEHOLDER.finditer(masked):
            if match.start() > position:
                yield Text(masked[position : match.start()])
            yield self._cut[_index(match)][1]
            position = match.end()
        if position < len(masked):
            yield Text(masked[position:])

    def _without_odd(self, text: str) -> str:
        return _ODD.sub(lambda match: self._placeholder(match[0], Text(match[0])), text)

    def _placeholder(self, whole: str, span: Span) -> str:
        digits = "".join(chr(_ZERO + int(digit)) for digit in str(len(self._cut)))
        self._cut.append((whole, span))
        return f"{_OPEN}{digits}{_CLOSE}"


def _index(match: re.Match[str]) -> int:
    return int("".join(str(ord(char) - _ZERO) for char in match[1]))


def _span(stretch: Stretch) -> Span:
    if stretch.kind == "code":
        return Code(stretch.source)
    return Math(stretch.source, stretch.kind == "display")
