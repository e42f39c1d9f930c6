"""Where the text of a card that can't be read is to be mended: at its first fault."""

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from studynorm.content.editing import layout_of
from studynorm.content.frontmatter import parse_header
from studynorm.content.source import Source


def line_to_mend(
    text: str, card_id: str, faults: Iterable[int], others: Collection[str], traces: Collection[str] = ()
) -> int | None:
    """Return the line of the first fault below the header that may be this card's, or None.

    `faults` are the lines of all faults of the text. Where the card has its heading, those under it are its
    own. Where it has none, its text is where the card's id, alone in a line, or one of the `traces` is a
    line; and it may be behind each fault that is neither under a heading of the `others` nor beside their id.
    """
    source = Source.of(text)
    header, _ = parse_header(source.lines)
    body = header.body if header else 0
    sections = layout_of(source).sections
    own = next((section for section in sections if section.heading == card_id), None)
    note_end = sections[0].line - 1 if sections else len(source.lines)
    for fault in sorted(line for line in faults if line > body):
        section = next((section for section in sections if section.line <= fault < section.end), None)
        if own is not None:
            if section is own:
                return fault
            continue
        around = source.lines[section.line : section.end - 1] if section else source.lines[body:note_end]
        named = {line.strip(" \t#").lower() for line in around}
        if card_id in named or any(line.rstrip() in traces for line in around):
            return fault
        if not (section and section.heading in others) and not named & set(others):
            return fault
    return None


def names_deck(text: str, path: Path, deck_id: str) -> bool:
    """Tell whether a text whose header can't be read was meant as this deck, or as one that overrides it."""
    if path.stem == deck_id or path.stem.startswith(f"{deck_id}.overrides"):
        return True
    layout, lines = layout_of(Source.of(text)), Source.of(text).lines
    head = lines[: layout.sections[0].line - 1] if layout.sections else lines
    named = re.compile(rf"\s*(?:id|overrides)\b.*(?<![\w-]){re.escape(deck_id)}(?![\w-])")
    return any(named.match(line) for line in head)
