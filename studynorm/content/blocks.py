"""What a card text is made of once its Markdown is read: blocks, and the spans inside them.

Separate from the reading, so that whoever draws or exports a card needs these shapes and nothing of Markdown.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """Plain characters, as typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Bold spans."""

    spans: tuple["Span", ...]


@dataclass(frozen=True, slots=True)
class Emph:
    """Emphasised spans."""

    spans: tuple["Span", ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Code inside a line."""

    text: str


@dataclass(frozen=True, slots=True)
class Math:
    """LaTeX without its delimiters; `display` tells that it was written as a formula of its own."""

    source: str
    display: bool


@dataclass(frozen=True, slots=True)
class Link:
    """Spans that lead to `target`, an address as written."""

    spans: tuple["Span", ...]
    target: str


@dataclass(frozen=True, slots=True)
class Break:
    """A forced line break."""


Span: TypeAlias = Text | Strong | Emph | Code | Math | Link | Break


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Spans that flow as one paragraph."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines of code without the last line feed; `language` is the first word behind the fence, or empty."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class MathBlock:
    """A display formula that stands alone."""

    source: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; an ordered one counts from `start`."""

    items: tuple[tuple["Block", ...], ...]
    ordered: bool
    start: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table: each cell is a tuple of spans, and every row is as long as the header."""

    header: tuple[tuple[Span, ...], ...]
    rows: tuple[tuple[tuple[Span, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Quoted blocks."""

    blocks: tuple["Block", ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across."""


Block: TypeAlias = Paragraph | Heading | CodeBlock | MathBlock | Bullets | Table | Quote | Rule
