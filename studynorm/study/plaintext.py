"""Card and problem texts and verdicts as plain lines: for pipes, dumb terminals and screen readers."""

import textwrap
from collections.abc import Iterator, Sequence

from studynorm.content import blocks as b
from studynorm.content.markup import parse_markup
from studynorm.content.visible import visible
from studynorm.engine.grading import Outcome, Verdict
from studynorm.mathtext import one_line

WIDTH = 78


def plain_text(text: str, width: int = WIDTH) -> str:
    """Return Markdown with LaTeX as lines of at most `width` characters where words allow it."""
    return "\n\n".join("\n".join(_block(block, width)) for block in parse_markup(text))


def verdict_text(verdict: Verdict) -> str:
    """Return a verdict as lines: how the answer was read, what is said to it, and which entries are right."""
    lines = [f"Read as {verdict.read_as}."] if verdict.read_as else []
    lines.append(plain_text(verdict.message if verdict.kept else f"Not counted: {verdict.message}"))
    if verdict.outcome is Outcome.WRONG and len(verdict.marks) > 1:
        marks = ", ".join(
            f"{number} {'right' if right else 'wrong'}" for number, right in enumerate(verdict.marks, 1)
        )
        lines.append(f"Entries: {marks}.")
    return "\n".join(lines)


def _block(block: b.Block, width: int) -> Iterator[str]:
    match block:
        case b.Paragraph(spans) | b.Heading(_, spans):
            for line in _spans(spans).split("\n"):
                yield from _wrapped(line, width)
        case b.CodeBlock(_, text):
            yield from (f"    {line}" for line in visible(text).split("\n"))
        case b.MathBlock(source):
            yield f"    {visible(one_line(source))}"
        case b.Bullets(items, ordered, start):
            for number, item in enumerate(items, start):
                sign = f"{number}. " if ordered else "- "
                lines = [line for part in item for line in _block(part, width - len(sign))]
                yield from _hanging(lines, sign)
        case b.Table(header, rows):
            yield from _table([header, *rows])
        case b.Quote(parts):
            yield from (f"> {line}" for part in parts for line in _block(part, width - 2))
        case b.Rule():
            yield "-" * min(width, 20)


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, max(width, 10), break_long_words=False, break_on_hyphens=False) or [""]


def _hanging(lines: Sequence[str], sign: str) -> Iterator[str]:
    for place, line in enumerate(lines):
        yield (sign if place == 0 else " " * len(sign)) + line


def _table(rows: Sequence[Sequence[Sequence[b.Span]]]) -> Iterator[str]:
    cells = [[_spans(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    for place, row in enumerate(cells):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        if place == 0:
            yield "  ".join("-" * width for width in widths)


def _spans(spans: Sequence[b.Span]) -> str:
    return "".join(_span(span) for span in spans)


def _span(span: b.Span) -> str:
    match span:
        case b.Text(text) | b.Code(text):
            return visible(text)
        case b.Strong(inner) | b.Emph(inner):
            return _spans(inner)
        case b.Link(inner, target):
            label = _spans(inner)
            return label if label == target else f"{label} ({visible(target)})"
        case b.Math(source, _):
            return visible(one_line(source))
        case b.Break():
            return "\n"
