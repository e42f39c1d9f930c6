"""Paints our Markdown as Rich renderables: formulas drawn, code highlighted, nothing a terminal obeys."""

import re
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Group, RenderableType
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
from studynorm.mathtext import box, one_line, stays_in_line
from studynorm.tui.flow import Flow
from studynorm.tui.formula_view import FormulaView
from studynorm.tui.table_view import Cell, TableView
from studynorm.tui.theme import Palette

_INDENT = 3
_OPENING = re.compile(r"[(\[“‘]+$")
_CLOSING = re.compile(r"^[)\]”’.,;:!?]+")
_THEMES = {True: "one-dark", False: "friendly"}


def markup(source: str, palette: Palette, style: str = "") -> RenderableType:
    """Return Markdown with math, ready to show; `style` is the style of plain words."""
    return _blocks(parse_markup(source), palette, Style.parse(style) if style else Style(color=palette.ink))


def markup_line(source: str, palette: Palette, style: str = "") -> Flow:
    """Return Markdown as one flowing text: the paragraphs' words in a row, other blocks as their text."""
    base = Style.parse(style) if style else Style(color=palette.ink)
    line = Flow()
    for number, block in enumerate(parse_markup(source)):
        if number:
            line.append(" ")
        match block:
            case Paragraph(spans) | Heading(_, spans):
                line.append_text(_line(spans, palette, base))
            case MathBlock(math):
                line.append_formula(_math(math, palette, base))
            case CodeBlock(_, text):
                line.append(visible(text, keep_newlines=False), base + Style(color=palette.code))
            case _:
                return Flow(visible(source, keep_newlines=False), base)
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
            return Group(*_flows(spans, palette, base, _INDENT))
        case Heading(_, spans):
            return _line(spans, palette, base + Style(bold=True, color=palette.accent))
        case MathBlock(source):
            return FormulaView(source, base + Style(color=palette.math), base, _INDENT)
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
            head = [Cell.of(_flows(title, palette, Style(color=palette.quiet), 0)) for title in header]
            body = [[Cell.of(_flows(cell, palette, base, 0)) for cell in row] for row in rows]
            return Padding(TableView(head, body), (0, 0, 0, 2))
        case Quote(inner):
            return Padding(_blocks(inner, palette, base + Style(italic=True)), (0, 0, 0, 3))
        case Rule():
            return RichRule(style=palette.faint)


class _Flows:
    """Words and the formulas among them; one that needs rows of its own ends the words before it."""

    def __init__(self, palette: Palette, indent: int, *, in_line: bool, alone: bool = False) -> None:
        self.parts: list[Flow | FormulaView] = []
        self._palette = palette
        self._indent = indent
        self._in_line = in_line
        self._alone = alone

    def add(self, spans: Sequence[Span], base: Style) -> None:
        """Add spans, in the order in which they are read."""
        palette = self._palette
        for span in spans:
            match span:
                case Text(words):
                    self._words(visible(words, keep_newlines=False), base)
                case Strong(inner):
                    self.add(inner, base + Style(bold=True))
                case Emph(inner):
                    self.add(inner, base + Style(italic=True))
                case Code(words):
                    self._words(visible(words, keep_newlines=False), base + Style(color=palette.code))
                case Math(source, display):
                    self._formula(source, base, alone=display or self._alone)
                case Link(inner, target):
                    self.add(inner, base + Style(underline=True))
                    self._words(f" ({visible(target, keep_newlines=False)})", Style(color=palette.quiet))
                case Break():
                    self._flow(base).append("\n")

    def _words(self, words: str, style: Style) -> None:
        last = self.parts[-1] if self.parts else None
        if isinstance(last, FormulaView):
            closing = _CLOSING.match(words)
            if closing is not None and not last.behind:
                self.parts[-1] = replace(last, behind=closing[0])
                words = words[closing.end() :]
            words = words.lstrip()
        if words:
            self._flow(style).append(words, style)

    def _formula(self, source: str, base: Style, *, alone: bool) -> None:
        style = base + Style(color=self._palette.math)
        if self._in_line or (stays_in_line(source) and not (alone and _is_tall(source))):
            self._flow(base).append_formula(_math(source, self._palette, base))
            return
        before = ""
        last = self.parts[-1] if self.parts else None
        if isinstance(last, Flow):
            opening = _OPENING.search(last.plain)
            if opening is not None:
                before = opening[0]
                last.right_crop(len(before))
            last.rstrip()
            if not last.plain:
                self.parts.pop()
        self.parts.append(FormulaView(source, style, base, self._indent, before))

    def _flow(self, base: Style) -> Flow:
        last = self.parts[-1] if self.parts else None
        if isinstance(last, Flow):
            return last
        flow = Flow(style=base)
        self.parts.append(flow)
        return flow


def _flows(spans: Sequence[Span], palette: Palette, base: Style, indent: int) -> Sequence[Flow | FormulaView]:
    flows = _Flows(palette, indent, in_line=False, alone=indent > 0 and _is_formula(spans))
    flows.add(spans, base)
    return flows.parts or [Flow(style=base)]


def _line(spans: Sequence[Span], palette: Palette, base: Style) -> Flow:
    """Return spans as one text, every formula in its line."""
    flows = _Flows(palette, 0, in_line=True)
    flows.add(spans, base)
    (line,) = flows.parts or [Flow(style=base)]
    assert isinstance(line, Flow)
    return line


def _is_formula(spans: Sequence[Span]) -> bool:
    """Tell whether a paragraph is one formula, in bold or not, and at most a full stop."""
    shown = [span for span in spans if not (isinstance(span, Text) and not span.text.strip(" ."))]
    match shown:
        case [Math()]:
            return True
        case [Strong(inner) | Emph(inner)]:
            return _is_formula(inner)
        case _:
            return False


def _is_tall(source: str) -> bool:
    drawing = box(source)
    return drawing is not None and drawing.height > 1


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
