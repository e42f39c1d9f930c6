"""What an item is called in a list: its question as one plain line."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from studynorm.content import blocks as b
from studynorm.content.card import HIDDEN
from studynorm.content.markup import parse_markup
from studynorm.content.visible import visible
from studynorm.mathtext import one_line
from studynorm.mathtext.cells import cell_width

_LONGEST = 300
_AFTER_GAP = 6
"""So many cells behind a gap belong to it: without them its siblings may look like it."""
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
# A line of words, short code, simple formulas and cloze gaps, in which nothing else means anything to
# Markdown: most questions are such, and reading them as Markdown takes ten times as long.
_WORDS = r"(?:[^\W_]|[ ,.;:?'\"()/+=−–—…%-])++"
_CODE = r"`(?=[^\s`])[^`$\\\n]*(?<=[^\s`])`(?!`)"
_FORMULA = r"\$(?=[^\s$])(?:[^$`\\\n]|\\[A-Za-z]+|\\[,;!{}])+(?<=[^\s\\])\$(?![\d$])"
_GAP = re.escape(HIDDEN) + r"(?!\()"
_SIMPLE = re.compile(rf"[^\W\d_](?:{_WORDS}|{_CODE}|{_FORMULA}|{_GAP})*+")
_INLINE = re.compile(r"`([^`]*)`|\$([^$]*)\$")


@lru_cache(maxsize=65_536)
def title_of(question: str) -> str:
    """Return the first line of a question, of a cloze the one with the gap; math and code as they are read.

    It is safe to show. A line that is far down, and one that is cut before its gap, begin with `…`.
    """
    paragraphs = _PARAGRAPHS.split(question.strip())
    first = paragraphs[0]
    if len(paragraphs) > 1:
        first = next((paragraph for paragraph in paragraphs if HIDDEN in paragraph), first)
    if _SIMPLE.fullmatch(first):
        line = _INLINE.sub(lambda match: match[1] or _formula(match[2]), first)
    else:
        lines = [line for block in parse_markup(first) for line in _lines(block) if line.strip()]
        line = next((line for line in lines if HIDDEN in line), lines[0] if lines else HIDDEN)
    title = visible(" ".join(line.split()), keep_newlines=False)
    if first is not paragraphs[0]:
        title = f"…{title}"
    return title if len(title) <= _LONGEST else around_gap(title, _LONGEST)[:_LONGEST]


@lru_cache(maxsize=4096)
def around_gap(title: str, width: int) -> str:
    """Return a title from a word before its gap on, behind `…`, where its first `width` cells lack the gap.

    Marks of one card read alike up to their gaps; so cut, they can be told apart in a narrow column.
    """
    before, gap, after = title.partition(HIDDEN)
    if not gap or cell_width(title) <= width or cell_width(before + gap) + _AFTER_GAP <= width:
        return title
    room = width - cell_width(HIDDEN) - 1
    room -= min(cell_width(after), room // 2)
    words = [match.end() for match in re.finditer(" ", before)]
    start = next((at for at in words if cell_width(before[at:]) <= room), len(before))
    return f"…{title[start:]}"


def shortened(title: str, width: int) -> str:
    """Return a title in at most so many cells, its gap among them; one that is cut ends in `…`."""
    title = around_gap(title, width)
    if cell_width(title) <= width:
        return title
    end = next(end for end in range(len(title), -1, -1) if cell_width(title[:end]) < max(1, width))
    return f"{title[:end]}…" if width > 0 else ""


def _lines(block: b.Block) -> Iterator[str]:
    match block:
        case b.Paragraph(spans) | b.Heading(_, spans):
            yield from _flat(spans).split("\n")
        case b.CodeBlock(_, text):
            yield from text.split("\n")
        case b.MathBlock(source):
            yield _formula(source)
        case b.Bullets(items, _, _):
            yield from (line for item in items for part in item for line in _lines(part))
        case b.Quote(parts):
            yield from (line for part in parts for line in _lines(part))
        case b.Table(header, _):
            yield "  ".join(_flat(cell) for cell in header)
        case b.Rule():
            return


def _flat(spans: Sequence[b.Span]) -> str:
    parts = []
    for span in spans:
        match span:
            case b.Text(text) | b.Code(text):
                parts.append(text)
            case b.Math(source, _):
                parts.append(_formula(source))
            case b.Strong(inner) | b.Emph(inner) | b.Link(inner, _):
                parts.append(_flat(inner))
            case b.Break():
                parts.append("\n")
    return "".join(parts)


@lru_cache(maxsize=4096)
def _formula(source: str) -> str:
    return one_line(source)
