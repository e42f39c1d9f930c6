r"""Card text as HTML for a note field of Anki: everything is shown as typed, and math becomes MathJax.

Anki reads `{{c1::…}}`, `[sound:…]` and `\(…\)` anywhere in a field, so text that only looks like that is
written in a way that shows the same and means nothing.
"""

import html
import re
from collections.abc import Sequence

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
from studynorm.content.card import Card
from studynorm.content.markup import parse_markup
from studynorm.content.visible import visible

_UNSTORABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")  # Anki separates fields by \x1f
_MATH_DELIMITER = re.compile(r"\\(?=[()\[\]]|begin\{|end\{)")
_ANKI_TAG = re.compile(r"\[(?=/?latex\]|/?\$|sound:|anki:)", re.IGNORECASE)
_WEB = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_PRIVATE = range(0xF000, 0xF8FF)


def markup_to_html(markup: str) -> str:
    """Return card text (Markdown with math) as the HTML of a field; one paragraph alone has no `<p>`."""
    return _Writer(cloze=False).blocks(parse_markup(markup))


def cloze_to_html(card: Card) -> str:
    """Return the text of a cloze card as HTML with `{{c1::…}}`, numbered in the order of the mark ids.

    Nothing but the card's own marks reads as a mark: braces and `::` in text and code are entities, and in
    math `}}` and `::` get a blank between.
    """
    # Marks travel through the Markdown as private characters, which it takes for letters.
    unused = iter(chr(code) for code in _PRIVATE if chr(code) not in card.front)
    opening, separator, closing = next(unused), next(unused), next(unused)
    parts, position = list[str](), 0
    for mark in card.marks:
        number = card.mark_ids.index(mark.id) + 1
        parts += (card.front[position : mark.start], f"{opening}{number}{separator}{mark.text}{closing}")
        position = mark.end
    parts.append(card.front[position:])
    field = _Writer(cloze=True).blocks(parse_markup("".join(parts)))
    return re.sub(f"{opening}([0-9]+){separator}", r"{{c\1::", field).replace(closing, "}}")


class _Writer:
    """Writes blocks and spans; in a cloze field also what would read as a mark is defused."""

    def __init__(self, *, cloze: bool) -> None:
        self._cloze = cloze

    def blocks(self, blocks: Sequence[Block]) -> str:
        """Return blocks one below the other; a paragraph alone flows."""
        if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
            return self.spans(blocks[0].spans)
        return "\n".join(map(self._block, blocks))

    def spans(self, spans: Sequence[Span]) -> str:
        """Return spans in one line."""
        return "".join(map(self._span, spans))

    def _block(self, block: Block) -> str:
        match block:
            case Paragraph(spans):
                return f"<p>{self.spans(spans)}</p>"
            case Heading(level, spans):
                return f"<h{level}>{self.spans(spans)}</h{level}>"
            case CodeBlock(_, text):
                return f"<pre><code>{self._verbatim(text)}</code></pre>"
            case MathBlock(source):
                return rf"<p>\[{self._math(source)}\]</p>"
            case Bullets(items, ordered, start):
                inner = "".join(f"<li>{self.blocks(item)}</li>" for item in items)
                return f'<ol start="{start}">{inner}</ol>' if ordered else f"<ul>{inner}</ul>"
            case Table(header, rows):
                head = "".join(f"<th>{self.spans(cell)}</th>" for cell in header)
                body = "".join(
                    f"<tr>{''.join(f'<td>{self.spans(cell)}</td>' for cell in row)}</tr>" for row in rows
                )
                return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            case Quote(blocks):
                return f"<blockquote>{self.blocks(blocks)}</blockquote>"
            case Rule():
                return "<hr>"

    def _span(self, span: Span) -> str:
        match span:
            case Text(text):
                # MathJax joins what stands in one element, so a lone delimiter is put in two.
                parts = _MATH_DELIMITER.split(text)
                return "&#92;".join(
                    f"<span>{self._escaped(part[:1])}</span>{self._escaped(part[1:])}"
                    if n
                    else self._escaped(part)
                    for n, part in enumerate(parts)
                )
            case Strong(spans):
                return f"<b>{self.spans(spans)}</b>"
            case Emph(spans):
                return f"<i>{self.spans(spans)}</i>"
            case Code(text):
                return f"<code>{self._verbatim(text)}</code>"
            case Math(source, display):
                return rf"\[{self._math(source)}\]" if display else rf"\({self._math(source)}\)"
            case Link(spans, target):
                if not _WEB.match(target):
                    return self.spans(spans)
                return f'<a href="{self._escaped(target, quote=True)}">{self.spans(spans)}</a>'
            case Break():
                return "<br>"

    def _verbatim(self, text: str) -> str:
        """Return code; MathJax leaves code alone, but Anki itself looks for math delimiters everywhere."""
        return "&#92;".join(map(self._escaped, _MATH_DELIMITER.split(text)))

    def _escaped(self, text: str, *, quote: bool = False) -> str:
        shown = html.escape(_storable(text), quote=quote)
        shown = _ANKI_TAG.sub("&#91;", shown)
        if self._cloze:
            shown = shown.replace("{", "&#123;").replace("}", "&#125;").replace("::", ":&#58;")
        return shown

    def _math(self, source: str) -> str:
        if self._cloze:
            source = re.sub(r"\{(?=\{)", "{ ", re.sub(r"\}(?=\})", "} ", source)).replace("::", ": :")
        return html.escape(_storable(source), quote=False)


def _storable(text: str) -> str:
    """Return text without what a field cannot hold: control characters become visible stand-ins."""
    return _UNSTORABLE.sub(lambda match: visible(match[0]), text)
