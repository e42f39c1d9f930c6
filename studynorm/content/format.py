"""A deck in its tidy form: what it lacks filled in, blank lines and keys in order, no word touched."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from studynorm.content.deck import CARD_ID, parse_deck
from studynorm.content.editing import layout_of, with_card_ids
from studynorm.content.filling import is_whole, with_header, with_headings
from studynorm.content.frontmatter import parse_header
from studynorm.content.markup import parse_markup
from studynorm.content.place import ContentError
from studynorm.content.sections import KEY, MEANT, NEAR_KEY, Section, split
from studynorm.content.source import Source

_BLANKS = " \t"


@dataclass(frozen=True, slots=True)
class Formatted:
    """The tidy text and what is still wrong with it; where the deck is `unreadable`, the text as it was."""

    text: str
    errors: tuple[ContentError, ...]
    unreadable: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    end: str

    @property
    def blank(self) -> bool:
        return not self.text.strip(_BLANKS)


def format_deck(text: str, path: Path, taken: Collection[str] = ()) -> Formatted:
    """Return a deck's text in its tidy form; formatting that again changes nothing.

    Missing ids and headings are filled in (a deck's id from its file name, unlike all `taken`), keys and ids
    spelled as the reader wants them where only one reading is left, one blank line parts two cards, and
    blanks that show nothing go. A card that has a fault stays as it is, byte for byte.
    """
    filled = with_header(text, path, taken)
    if parse_deck(filled, path)[0] is None:
        return Formatted(text, parse_deck(text, path)[1], unreadable=True)
    tidy = _tidied(with_card_ids(with_headings(filled)))
    deck, errors = parse_deck(tidy, path)
    return Formatted(tidy, (*errors, deck.unfinished) if deck and deck.unfinished else errors)


def _tidied(text: str) -> str:
    source = Source.of(text)
    header, _ = parse_header(source.lines)
    body = header.body if header else 0
    layout = layout_of(source)
    lines = [_Line(line, end) for line, end in zip(source.lines, source.ends, strict=True)]
    first = layout.sections[0].line - 1 if layout.sections else len(lines)
    head, note = lines[:body], lines[body:first]
    while head[0].blank:
        del head[0]
    parts = [
        head,
        note if layout.faults else _note(note, layout.inside, source.end, last=first == len(lines)),
    ]
    taken = {section.heading for section in layout.sections}
    for section in layout.sections:
        span = slice(section.line - 1, section.end - 1)
        card = _card(lines[span], layout.inside[span.start - body : span.stop - body], section, taken)
        parts.append(_parted(card, source.end, last=span.stop == len(lines)) if card else lines[span])
    return source.bom + "".join(line.text + line.end for part in parts for line in part)


def _note(lines: Sequence[_Line], inside: bytes, end: str, *, last: bool) -> list[_Line]:
    start = next((index for index, line in enumerate(lines) if not line.blank), len(lines))
    gap = [_Line("", lines[0].end or end)] if start else []
    if start == len(lines):
        return [] if last else gap
    note = [
        line if inner else _Line(line.text.rstrip(_BLANKS), line.end)
        for line, inner in zip(lines[start:], inside[start : len(lines)], strict=True)
    ]
    if _shown(lines[start:]) != _shown(note):
        note = list(lines[start:])
    return gap + _parted(note, end, last=last)


def _shown(lines: Sequence[_Line]) -> object:
    return parse_markup("\n".join(line.text for line in lines).strip(" \t\n"))


def _parted(lines: Sequence[_Line], end: str, *, last: bool) -> list[_Line]:
    """Return the lines with one blank line behind them, or none at the end of the file."""
    kept = list(lines)
    blank_end = end
    while kept[-1].blank:
        blank_end = kept.pop().end or end
    kept[-1] = _Line(kept[-1].text, kept[-1].end or end)
    return kept if last else [*kept, _Line("", blank_end)]


def _card(lines: Sequence[_Line], inside: bytes, section: Section, taken: set[str]) -> list[_Line]:
    """Return the lines of a card in order; none where it has a fault and is left alone."""
    keyed = [
        line if inner else _Line(_respelled(line.text), line.end)
        for line, inner in zip(lines, inside, strict=True)
    ]
    if not is_whole([line.text for line in keyed]):
        return []
    keyed[0] = _Line(_heading(lines[0].text, section.heading, taken), lines[0].end)
    tidy = _ordered(keyed, inside, strip=True)
    return tidy if _fields(tidy) == _fields(keyed) else _ordered(keyed, inside, strip=False)


def _respelled(line: str) -> str:
    near = None if KEY.match(line) else NEAR_KEY.match(line)
    return f"{MEANT[near[1].lower()]}:{line[near.end() :]}" if near else line


def _heading(line: str, heading: str, taken: set[str]) -> str:
    """Return the line of a heading; what differs from an id by capitals and gaps alone becomes that id."""
    if CARD_ID.fullmatch(heading):
        return f"## {heading}"
    spelled = re.sub(r"[\s_-]+", "-", heading.lower()).strip("-")
    if not CARD_ID.fullmatch(spelled) or spelled in taken:
        return line
    taken.add(spelled)
    return f"## {spelled}"


def _ordered(lines: Sequence[_Line], inside: bytes, *, strip: bool) -> list[_Line]:
    ordered = [lines[0]]
    for line, inner in zip(lines[1:], inside[1:], strict=True):
        key = None if inner else KEY.match(line.text)
        text = line.text.rstrip(_BLANKS) if strip and not inner else line.text
        if key:
            while ordered[-1].blank and (len(ordered) == 2 or ordered[-2].blank):
                ordered.pop()
            value = text[key.end() :].lstrip(_BLANKS)
            text = f"{key[0]} {value}" if value else key[0]
        ordered.append(_Line(text, line.end))
    return ordered


def _fields(lines: Sequence[_Line]) -> list[object]:
    """Return what the keys of a card hold, as it is shown."""
    (section,) = split([line.text for line in lines], 1).sections
    return [(field.key, parse_markup(field.value)) for field in section.fields]
