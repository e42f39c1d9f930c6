"""Our Markdown: CommonMark with tables, without HTML or entities, and with math and code kept out of it.

What a reader typed is what a reader sees: tags, entities and brackets that are no link stay as they are.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

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
from studynorm.content.placeholders import Placeholders

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = [
    "Block",
    "Break",
    "Bullets",
    "Code",
    "CodeBlock",
    "Emph",
    "Heading",
    "Link",
    "Math",
    "MathBlock",
    "Paragraph",
    "Quote",
    "Rule",
    "Span",
    "Strong",
    "Table",
    "Text",
    "parse_markup",
]

# Beyond these a text is no card; it is shown as it was typed.
MAX_NESTING = 30
MAX_CHARACTERS = 100_000
MAX_BRACKETS = 300
_BRACKETS = re.compile(r"[\[<]|!\[")

# One line in which nothing means anything to Markdown: most of what is on cards, and not worth a tokenizer.
_PLAIN = re.compile(r"[^\W\d_](?:[^\\*_\[\]<>!`&|~\n\t]*[^\\*_\[\]<>!`&|~\s])?")


class _TooDeep(Exception):
    """The text nests deeper than anything that could be shown."""


def parse_markup(text: str) -> tuple[Block, ...]:
    """Return the blocks of `text`. Never raises: a text that nests beyond reason is one plain paragraph."""
    if len(text) > MAX_CHARACTERS:
        return _as_typed(text)
    cut = Placeholders(text.replace("\r\n", "\n"))
    if len(_BRACKETS.findall(cut.masked)) > MAX_BRACKETS:
        return _as_typed(text)
    if _PLAIN.fullmatch(cut.masked):
        spans = tuple(cut.spans(cut.masked))
        if len(spans) > 1:
            spans = _merged(spans)
        if not any(isinstance(span, Math) and span.display for span in spans):
            return (Paragraph(spans),)
    try:
        return _Reader(cut).blocks()
    except _TooDeep:
        return _as_typed(text)


def _as_typed(text: str) -> tuple[Block, ...]:
    spans: list[Span] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        spans += (Text(line), Break()) if line else (Break(),)
    return (Paragraph(tuple(spans[:-1])),)


@cache
def _tokenizer() -> "Callable[[str], list[Token]]":
    from markdown_it import MarkdownIt

    class Parser(MarkdownIt):
        def normalizeLink(self, url: str) -> str:  # noqa: N802 - overrides; a placeholder must not be escaped
            return url

        def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - as above
            return link

    parser = Parser("commonmark", {"html": False, "maxNesting": MAX_NESTING})
    parser.enable("table")
    parser.disable(["html_block", "html_inline", "entity", "backticks", "reference", "lheading"])
    return parser.parse


class _Reader:
    """Turns markdown-it's flat list of tokens into nested blocks."""

    def __init__(self, cut: Placeholders) -> None:
        self._cut = cut
        self._tokens = _tokenizer()(cut.masked)
        self._position = 0
        # At its limit markdown-it drops what is nested deeper, without a word.
        if any(token.level >= MAX_NESTING - 1 for token in self._tokens):
            raise _TooDeep

    def blocks(self, end: str = "") -> tuple[Block, ...]:
        """Read up to the token of type `end`, or to the last one."""
        blocks: list[Block] = []
        while self._position < len(self._tokens):
            token = self._tokens[self._position]
            self._position += 1
            if token.type == end:
                break
            blocks.append(self._block(token))
        return tuple(blocks)

    def _block(self, token: "Token") -> Block:
        match token.type:
            case "heading_open":
                return Heading(int(token.tag[1]), self._inline_until("heading_close"))
            case "fence" | "code_block":
                language = self._cut.restored(token.info).split()
                return CodeBlock(
                    language[0] if language else "", self._cut.restored(token.content).removesuffix("\n")
                )
            case "hr":
                return Rule()
            case "blockquote_open":
                return Quote(self.blocks("blockquote_close"))
            case "bullet_list_open":
                return Bullets(self._items("bullet_list_close"), ordered=False, start=1)
            case "ordered_list_open":
                start = int(token.attrGet("start") or 1) if token.attrs else 1
                return Bullets(self._items("ordered_list_close"), ordered=True, start=start)
            case "table_open":
                return self._table()
            case _:  # paragraph_open: the subset has no other block
                spans = self._inline_until("paragraph_close")
                alone = spans[0] if len(spans) == 1 else None
                return (
                    MathBlock(alone.source) if isinstance(alone, Math) and alone.display else Paragraph(spans)
                )

    def _items(self, end: str) -> tuple[tuple[Block, ...], ...]:
        items: list[tuple[Block, ...]] = []
        while (token := self._tokens[self._position]).type != end:
            self._position += 1
            if token.type == "list_item_open":
                items.append(self.blocks("list_item_close"))
        self._position += 1
        return tuple(items)

    def _table(self) -> Table:
        rows: list[list[tuple[Span, ...]]] = []
        while (token := self._tokens[self._position]).type != "table_close":
            self._position += 1
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(_spans(token.children or (), self._cut))
        self._position += 1
        return Table(tuple(rows[0]), tuple(tuple(row) for row in rows[1:]))

    def _inline_until(self, end: str) -> tuple[Span, ...]:
        spans: tuple[Span, ...] = ()
        while (token := self._tokens[self._position]).type != end:
            self._position += 1
            if token.type == "inline":
                spans = _spans(token.children or (), self._cut)
        self._position += 1
        return spans


def _spans(tokens: "Sequence[Token]", cut: Placeholders) -> tuple[Span, ...]:
    """Turn inline tokens into spans; an image is its text."""
    # One list of spans for each open bold, emphasis or link, the outermost first.
    open_spans: list[list[Span]] = [[]]
    targets: list[str] = []
    for token in tokens:
        if token.type in ("strong_open", "em_open", "link_open"):
            if len(open_spans) > MAX_NESTING:
                raise _TooDeep
            if token.type == "link_open":
                targets.append(cut.restored(str(token.attrGet("href") or "")))
            open_spans.append([])
        elif token.type in ("strong_close", "em_close", "link_close"):
            inner = _merged(open_spans.pop())
            if token.type == "link_close":
                open_spans[-1].append(Link(inner, targets.pop()))
            else:
                open_spans[-1].append(Strong(inner) if token.type == "strong_close" else Emph(inner))
        elif token.type == "image":
            open_spans[-1].extend(_spans(token.children or (), cut))
        elif token.type == "hardbreak":
            open_spans[-1].append(Break())
        elif token.type == "softbreak":
            open_spans[-1].append(Text(" "))
        else:
            open_spans[-1].extend(cut.spans(token.content))
    return _merged(open_spans[0])


def _merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for span in spans:
        last = merged[-1] if merged else None
        if isinstance(span, Text) and isinstance(last, Text):
            merged[-1] = Text(last.text + span.text)
        else:
            merged.append(span)
    return tuple(merged)
