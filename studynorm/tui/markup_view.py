"""Paints our Markdown as Rich renderables: math in one line, code highlighted, nothing a terminal obeys."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.containers import Lines
from rich.padding import Padding
from rich.rule import Rule as RichRule
from rich.style import Style
from rich.table import Table as RichTable
from rich.text import Text as RichText

from studynorm.content.blocks import (
    Block,
    Break,
    Bullets,
    Code,
    CodeBlock,
    Emph,
    Heading,
    Link,
    Math,
    MathBlock,
    Paragraph,
    Quote,
    Rule,
    Span,
    Strong,
    Table,
    Text,
)
from studynorm.content.markup import parse_markup
from studynorm.content.visible import visible
from studynorm.mathtext import one_line
from studynorm.tui.theme import Palette

_GLUE = "\ufdd0"
"""Stands for a blank that is no place to break a line; no text can contain it."""
_LONGEST_UNBROKEN = 28
_THEMES = {True: "one-dark", False: "friendly"}


class Flow(RichText):
    """A text whose short formulas are not broken at the end of a line."""

    def wrap(self, *arguments: Any, **options: Any) -> Lines:
        """Return the lines of the text, broken at the blanks that may be broken."""
        lines = super().wrap(*arguments, **options)
        for line in lines:
            if _GLUE in line.plain:
                line.plain = line.plain.replace(_GLUE, " ")
        return lines


def markup(source: str, palette: Palette, style: str = "") -> RenderableType:
    """Return Markdown with math, ready to show; `style` is the style of plain words."""
    return _blocks(parse_markup(source), palette, Style.parse(style) if style else Style(color=palette.ink))


def markup_line(source: str, palette: Palette, style: str = "") -> RichText:
    """Return Markdown as one flowing text: the paragraphs' words in a row, other blocks as their text."""
    base = Style.parse(style) if style else Style(color=palette.ink)
    parts: list[RichText] = []
    for block in parse_markup(source):
        match block:
            case Paragraph(spans) | Heading(_, spans):
                parts.append(_spans(spans, palette, base))
            case MathBlock(math):
                parts.append(_math(math, palette, base))
            case CodeBlock(_, text):
                parts.append(RichText(visible(text, keep_newlines=False), base + Style(color=palette.code)))
            case _:
                return RichText(visible(source, keep_newlines=False), base)
    line = RichText(" ").join(parts)
    line.plain = line.plain.replace(_GLUE, " ")
    return line


def _blocks(blocks: Sequence[Block], palette: Palette, base: Style) -> RenderableType:
    shown: list[RenderableType] = []
    for number, block in enumerate(blocks):
        if number and not (isinstance(block, Bullets) and len(blocks) == 2 and number == 1):
            shown.append(RichText())
        shown.append(_block(block, palette, base))
    return Group(*shown)


def _block(block: Block, palette: Palette, base: Style) -> RenderableType:
    match block:
        case Paragraph(spans):
            return _spans(spans, palette, base)
        case Heading(_, spans):
            return _spans(spans, palette, base + Style(bold=True, color=palette.accent))
        case MathBlock(source):
            return Padding(_math(source, palette, base), (0, 0, 0, 3))
        case CodeBlock(language, text):
            return Padding(_code(language, text, palette), (0, 0, 0, 2))
        case Bullets(items, ordered, start):
            grid = RichTable.grid(padding=(0, 1, 0, 0))
            grid.add_column(justify="right", style=palette.accent, no_wrap=True)
            grid.add_column()
            for number, item in enumerate(items, start):
                grid.add_row(f"{number}." if ordered else "•", _blocks(item, palette, base))
            return Padding(grid, (0, 0, 0, 1))
        case Table(header, rows):
            table = RichTable(box=None, padding=(0, 3, 0, 0), header_style=Style(), pad_edge=False)
            for title in header:
                table.add_column(_spans(title, palette, Style(color=palette.quiet)), overflow="fold")
            for row in rows:
                table.add_row(*(_spans(cell, palette, base) for cell in row))
            return Padding(table, (0, 0, 0, 2))
        case Quote(inner):
            return Padding(_blocks(inner, palette, base + Style(italic=True)), (0, 0, 0, 3))
        case Rule():
            return RichRule(style=palette.faint)


def _spans(spans: Sequence[Span], palette: Palette, base: Style) -> RichText:
    text = Flow(style=base)
    for span in spans:
        match span:
            case Text(words):
                text.append(visible(words, keep_newlines=False), base)
            case Strong(inner):
                text.append_text(_spans(inner, palette, base + Style(bold=True)))
            case Emph(inner):
                text.append_text(_spans(inner, palette, base + Style(italic=True)))
            case Code(words):
                text.append(visible(words, keep_newlines=False), base + Style(color=palette.code))
            case Math(source):
                formula = _math(source, palette, base)
                if formula.cell_len <= _LONGEST_UNBROKEN:
                    formula.plain = formula.plain.replace(" ", _GLUE)
                text.append_text(formula)
            case Link(inner, target):
                text.append_text(_spans(inner, palette, base + Style(underline=True)))
                text.append(f" ({visible(target, keep_newlines=False)})", Style(color=palette.quiet))
            case Break():
                text.append("\n")
    return text


def _math(source: str, palette: Palette, base: Style) -> RichText:
    return RichText(
        visible(one_line(source), keep_newlines=False), base + Style(color=palette.math), no_wrap=False
    )


def source_block(text: str, palette: Palette) -> RenderableType:
    """Return a Python program, highlighted."""
    return _code("python", text, palette)


def source_line(text: str, palette: Palette) -> RichText:
    """Return one line of Python, highlighted, its indentation kept."""
    return _highlighted("python", visible(text, keep_newlines=False), palette)


def _code(language: str, text: str, palette: Palette) -> RenderableType:
    shown = visible(text)
    if not language:
        return RichText(shown, Style(color=palette.code))
    return _highlighted(language, shown, palette)


def _highlighted(language: str, text: str, palette: Palette) -> RichText:
    """Return code in the colours of its language, on whatever is behind it."""
    from rich.syntax import Syntax

    painted = Syntax("", language, theme=_THEMES[palette.dark]).highlight(text)
    painted.rstrip()
    lines = RichText(painted.plain, Style(color=palette.ink))
    for start, end, style in painted.spans:
        if isinstance(style, Style):
            lines.stylize(Style(color=style.color, bold=style.bold, italic=style.italic), start, end)
    return lines
