"""What a deck lacks to be one, filled in: its header, its id and title, the headings of its cards."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import Path

from studynorm.content.deck import parse_deck
from studynorm.content.editing import layout_of
from studynorm.content.frontmatter import header_line, parse_header, suggested_deck_id, title_of
from studynorm.content.sections import free_id, split
from studynorm.content.source import Source

_HEADER = ("+++", 'id = "x"', 'title = "x"', "+++")


def with_header(text: str, path: Path, taken: Collection[str]) -> str:
    """Give a deck without header, id or title what it lacks, named after its file and unlike all `taken` ids.

    A text that has a header with other faults, or that holds no card at all, comes back as it is.
    """
    source = Source.of(text)
    if parse_header(source.lines)[0] is not None:
        return text
    deck_id = free_id(suggested_deck_id(path.stem) or "my-deck", taken)
    named, titled = header_line("id", deck_id), header_line("title", title_of(path.stem.strip() or deck_id))
    first = next((index for index, line in enumerate(source.lines) if line.strip()), len(source.lines))
    if first == len(source.lines):
        return text
    if source.lines[first].rstrip() == "+++":
        tries = [(first + 1, (named,)), (first + 1, (titled,)), (first + 1, (named, titled))]
    elif source.lines[first].rstrip() != "---" and _has_cards(source.lines):
        tries = [(first, ("+++", named, titled, "+++"))]
    else:
        return text
    for at, lines in tries:
        filled = _inserted(source, {at: lines})
        if parse_header(filled.lines)[0] is not None:
            return filled.text
    return text


def with_headings(text: str) -> str:
    """Put a heading without an id above each card that stands in the note, if all of them are then whole."""
    source = Source.of(text)
    layout = layout_of(source)
    if not layout.strays or len(layout.faults) > len(layout.strays):
        return text
    bound = layout.sections[0].line if layout.sections else len(source.lines) + 1
    for start, end in pairwise((*layout.strays, bound)):
        if not is_whole(("##", *source.lines[start - 1 : end - 1])):
            return text
    return _inserted(source, {line - 1: ("##",) for line in layout.strays}).text


def is_whole(lines: Sequence[str]) -> bool:
    """Tell whether the lines of one card, its heading first, have no fault apart from its id."""
    deck, errors = parse_deck("\n".join((*_HEADER, "## x", *lines[1:])), Path("x"))
    return deck is not None and len(deck.cards) == 1 and not errors


def _has_cards(lines: Sequence[str]) -> bool:
    layout = split(lines, 1)
    keys = {field.key for section in layout.sections for field in section.fields}
    return bool(layout.strays or keys & {"Q", "C"}) and not any("\0" in line for line in lines)


def _inserted(source: Source, more: dict[int, Sequence[str]]) -> Source:
    """Return the text with new lines in front of those of the given indices."""
    lines: list[str] = []
    ends: list[str] = []
    for index, (line, end) in enumerate(zip(source.lines, source.ends, strict=True)):
        for new in more.get(index, ()):
            lines.append(new)
            ends.append(source.end)
        lines.append(line)
        ends.append(end)
    return Source(source.bom, tuple(lines), tuple(ends))
