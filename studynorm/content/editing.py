"""Changes to the text of a deck, of one block each: every other byte stays as it was."""

from collections.abc import Sequence
from dataclasses import dataclass

from studynorm.content.frontmatter import header_line, parse_header
from studynorm.content.sections import Layout, Section, free_id, split, suggested_id
from studynorm.content.source import Source


@dataclass(frozen=True, slots=True)
class Placed:
    """A text with a block in it that begins at `line`."""

    text: str
    line: int


def layout_of(source: Source) -> Layout:
    """Return the note and the sections of a deck; where there is no header that can be read, of all lines."""
    header, _ = parse_header(source.lines)
    body = header.body if header else 0
    return split(source.lines[body:], body + 1)


def card_line(text: str, card_id: str) -> int | None:
    """Return the line of a card's heading, or None; the card and the header may be faulty."""
    found = _section(layout_of(Source.of(text)), card_id)
    return found.line if found else None


def headings(text: str) -> tuple[str, ...]:
    """Return what stands in the heading of each card, in order; the cards and the header may be faulty."""
    return tuple(section.heading for section in layout_of(Source.of(text)).sections)


def card_block(text: str, card_id: str) -> tuple[str, ...]:
    """Return the lines of a card from its heading to its last word; none where there is no such card."""
    source = Source.of(text)
    found = _section(layout_of(source), card_id)
    lines = list(source.lines[found.line - 1 : found.end - 1]) if found else []
    while lines and not lines[-1].strip(" \t"):
        lines.pop()
    return tuple(lines)


def override_deck(deck_id: str) -> str:
    """Return the text of a deck that overrides no card of the shipped deck yet."""
    return f'+++\noverrides = "{deck_id}"\n+++\n'


def own_deck(deck_id: str, title: str) -> str:
    """Return the text of a deck without a card."""
    return "\n".join(("+++", header_line("id", deck_id), header_line("title", title), "+++", ""))


def with_override(text: str, block: Sequence[str], fingerprint: str) -> Placed:
    """Add a shipped card to an override deck, with the fingerprint that tells of an upgrade later."""
    return _appended(text, (*block, f"Base: {fingerprint}"))


def with_new_card(text: str, card_id: str = "") -> Placed:
    """Add an empty recall card; the line is that of its question. Without an id it still needs one."""
    placed = _appended(text, (f"## {card_id}".rstrip(), "Q: ", "A: "))
    return Placed(placed.text, placed.line + 1)


def nameless_cards(text: str) -> int:
    """Return how many cards of a deck have no id."""
    return sum(_is_nameless(section) for section in layout_of(Source.of(text)).sections)


def with_card_ids(text: str, skip: int = 0) -> str:
    """Give every card without an id one from its first words; the first `skip` of them stay without."""
    source = Source.of(text)
    layout = layout_of(source)
    taken = {section.heading for section in layout.sections}
    lines = list(source.lines)
    for section in [section for section in layout.sections if _is_nameless(section)][skip:]:
        asked = next(field.value for field in section.fields if field.key in ("Q", "C"))
        card_id = free_id(suggested_id(asked), taken)
        taken.add(card_id)
        lines[section.line - 1] = f"## {card_id}"
    return Source(source.bom, tuple(lines), source.ends).text


def _is_nameless(section: Section) -> bool:
    return not section.heading and any(
        field.key in ("Q", "C") and field.value.strip() for field in section.fields
    )


def _section(layout: Layout, card_id: str) -> Section | None:
    return next((section for section in layout.sections if section.heading == card_id), None)


def _appended(text: str, block: Sequence[str]) -> Placed:
    source = Source.of(text)
    end = source.end
    if source.lines[-1]:
        text += end
        count = len(source.lines)
    else:
        count = len(source.lines) - 1
    if count and source.lines[count - 1].strip():
        text += end
        count += 1
    return Placed(text + "".join(line + end for line in block), count + 1)
