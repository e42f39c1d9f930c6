"""Card and problem texts and verdicts as plain lines: for pipes, dumb terminals and screen readers."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from studynorm.content import blocks as b
from studynorm.content.markup import parse_markup
from studynorm.content.visible import visible
from studynorm.engine.grading import Outcome, Verdict
from studynorm.mathtext import ascii_line, cell_width, one_line, spoken
from studynorm.study.sevenbit import seven_bit

WIDTH = 78
Maths: TypeAlias = Literal["unicode", "ascii", "words"]
"""How formulas are written: in Unicode signs, in 7-bit characters (all other text too), or in words."""


def plain_text(text: str, width: int = WIDTH, maths: Maths = "unicode") -> str:
    """Return Markdown with LaTeX as lines of at most `width` characters where words allow it."""
    writer = _Writer(maths)
    return "\n\n".join("\n".join(writer.block(block, width)) for block in parse_markup(text))


def labelled(name: str, text: str, maths: Maths = "unicode") -> str:
    """Return a text behind its name: in one line with it, or below it where it begins with no paragraph."""
    blocks = parse_markup(text)
    number = len(blocks) == 1 and isinstance(blocks[0], b.Bullets) and len(blocks[0].items) == 1
    if number or (blocks and isinstance(blocks[0], b.Paragraph)):  # a lone `4.` is no list
        return plain_text(f"{name}: {text}", maths=maths)
    return f"{name}:\n{plain_text(text, maths=maths)}"


def plain_line(text: str, maths: Maths = "unicode") -> str:
    """Return signs that are no Markdown, such as a worked line, as `maths` has them; in words, spelled."""
    return visible(text) if maths == "unicode" else seven_bit(visible(text))


def verdict_text(verdict: Verdict, maths: Maths = "unicode") -> str:
    """Return a verdict as lines: how the answer was read, what is said to it, and which entries are right."""
    lines = [_sentence(plain_text(f"Read as {verdict.read_as}", maths=maths))] if verdict.read_as else []
    said = verdict.message if verdict.kept else f"Not counted: {verdict.message}"
    lines.append(plain_text(said, maths=maths))
    if verdict.outcome is Outcome.WRONG and len(verdict.marks) > 1:
        marks = ", ".join(
            f"{number} {'right' if right else 'wrong'}" for number, right in enumerate(verdict.marks, 1)
        )
        lines.append(f"Entries: {marks}.")
    return "\n".join(lines)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!", ":")) else f"{text}."


@dataclass(frozen=True, slots=True)
class _Writer:
    maths: Maths

    def block(self, block: b.Block, width: int) -> Iterator[str]:
        """Yield the lines of a block."""
        match block:
            case b.Paragraph(spans) | b.Heading(_, spans):
                for line in self._spans(spans).split("\n"):
                    yield from _wrapped(line, width)
            case b.CodeBlock(_, text):
                yield from (f"    {line}" for line in self._words(text).split("\n"))
            case b.MathBlock(source):
                lines = _wrapped(self._formula(source), width - 4)
                yield from (f"{' ' * (6 if number else 4)}{line}" for number, line in enumerate(lines))
            case b.Bullets(items, ordered, start):
                for number, item in enumerate(items, start):
                    sign = f"{number}. " if ordered else "- "
                    lines = [line for part in item for line in self.block(part, width - len(sign))]
                    yield from _hanging(lines, sign)
            case b.Table(header, rows):
                yield from self._table([header, *rows], width)
            case b.Quote(parts):
                yield from (f"> {line}" for part in parts for line in self.block(part, width - 2))
            case b.Rule():
                yield "-" * min(width, 20)

    def _table(self, rows: Sequence[Sequence[Sequence[b.Span]]], width: int) -> Iterator[str]:
        """Yield a table in columns; in words, or where it is too wide, a line for each value."""
        cells = [[self._spans(cell) for cell in row] for row in rows]
        widths = [max(map(cell_width, column)) for column in zip(*cells, strict=True)]
        if self.maths == "words" or sum(widths) + 2 * (len(widths) - 1) > width:
            for place, row in enumerate(cells[1:]):
                if place:
                    yield ""
                for title, cell in zip(cells[0], row, strict=True):
                    yield from _wrapped(f"{title}: {cell}" if title else cell, width)
            return
        for place, row in enumerate(cells):
            padded = (cell + " " * (room - cell_width(cell)) for cell, room in zip(row, widths, strict=True))
            yield "  ".join(padded).rstrip()
            if place == 0:
                yield "  ".join("-" * room for room in widths)

    def _spans(self, spans: Sequence[b.Span]) -> str:
        return "".join(self._span(span) for span in spans)

    def _span(self, span: b.Span) -> str:
        match span:
            case b.Text(text) | b.Code(text):
                return self._words(text)
            case b.Strong(inner) | b.Emph(inner):
                return self._spans(inner)
            case b.Link(inner, target):
                label = self._spans(inner)
                return label if label == target else f"{label} ({self._words(target)})"
            case b.Math(source, _):
                return self._formula(source)
            case b.Break():
                return "\n"

    def _words(self, text: str) -> str:
        if self.maths == "words":  # a sign that many voices pass over
            return visible(text).replace("− ", "−").replace("−", "minus ")
        return seven_bit(visible(text)) if self.maths == "ascii" else visible(text)

    def _formula(self, source: str) -> str:
        write = {"unicode": one_line, "ascii": ascii_line, "words": spoken}[self.maths]
        return visible(write(source))


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, max(width, 10), break_long_words=False, break_on_hyphens=False) or [""]


def _hanging(lines: Sequence[str], sign: str) -> Iterator[str]:
    for place, line in enumerate(lines):
        yield (sign if place == 0 else " " * len(sign)) + line
