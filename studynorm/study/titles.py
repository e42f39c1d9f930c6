"""What an item is called in a list: its question as one plain line."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from studynorm.content import blocks as b
from studynorm.content.card import HIDDEN
from studynorm.content.markup import parse_markup
from studynorm.content.visible import visible
from studynorm.mathtext import one_line

_LONGEST = 300
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
    """Return the first line of a question, math and code in it as they are read, safe to show."""
    first = _PARAGRAPHS.split(question.strip(), maxsplit=1)[0]
    if _SIMPLE.fullmatch(first):
        line = _INLINE.sub(lambda match: match[1] or _formula(match[2]), first)
    else:
        lines = (line for block in parse_markup(first) for line in _lines(block))
        line = next((line for line in lines if line.strip()), HIDDEN)
    return visible(" ".join(line.split()), keep_newlines=False)[:_LONGEST]


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
