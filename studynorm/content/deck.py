"""A deck: one topic's note and cards, and the reading of a deck's text with every fault named by its line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from studynorm.content.card import Card, Mark
from studynorm.content.cloze import find_marks
from studynorm.content.frontmatter import Header, LineFault, parse_header
from studynorm.content.place import ContentError, Place
from studynorm.content.sections import Field, Section, meant_heading, split, suggested_id
from studynorm.content.source import lines_of

CARD_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SEE = re.compile(
    r"family:[a-z0-9_]+\.[a-z0-9_]+|demo:[a-z0-9_-]+|exercise:[a-z0-9_-]+"
    r"|card:[a-z0-9]+(?:[-_][a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*(?:\#[a-z0-9-]+)?"
)
_CLAIM = re.compile(r"claim:[a-z0-9_]+\.[a-z0-9_]+")
_BASE = re.compile(r"[0-9a-f]{16}")
_SEPARATORS = re.compile(r"[,\s]+")
_REPEATABLE = ("See", "Check")
_SEEN = re.compile(r"[^\s\u00ad\u200b-\u200f\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Deck:
    """One deck file. An override deck has the id of the deck whose cards it replaces, and no title.

    `unfinished` tells that it has cards which are still as empty as a new one; they are no cards of it yet.
    """

    id: str
    title: str
    tags: tuple[str, ...]
    requires: tuple[str, ...]
    note: str
    cards: tuple[Card, ...]
    path: Path
    overrides: bool
    unfinished: ContentError | None = None


def parse_deck(text: str, path: Path) -> tuple[Deck | None, tuple[ContentError, ...]]:
    """Read a deck from the text of its file; `path` only names it.

    A faulty card is left out and named; a faulty header leaves no deck. Never raises, whatever the text.
    """
    lines = lines_of(text)
    header, header_faults = parse_header(lines)
    if header is None:
        return None, _errors(path, header_faults)
    layout = split(lines[header.body :], header.body + 1)
    faults = list(layout.faults)
    cards: list[Card] = []
    empty: list[int] = []
    seen: dict[str, int] = {}
    for section in layout.sections:
        found = list(_heading_faults(section, seen, path))
        if not found:
            seen[section.heading] = section.line
        if not header.overrides and _is_unfinished(section) and not (section.heading and found):
            empty.append(section.line)
            continue
        reader = _CardReader(section, header, path)
        card = reader.card()
        found += reader.faults
        if not found:
            cards.append(card)
        faults += found
    deck = Deck(
        header.id,
        header.title,
        header.tags,
        header.requires,
        layout.note,
        tuple(cards),
        path,
        header.overrides,
        _still_empty(path, empty),
    )
    return deck, _errors(path, faults)


def _errors(path: Path, faults: tuple[LineFault, ...] | list[LineFault]) -> tuple[ContentError, ...]:
    ordered = sorted(faults, key=lambda fault: fault.line)
    return tuple(ContentError(Place(path, fault.line), fault.message, fault.way_out) for fault in ordered)


def _still_empty(path: Path, lines: Sequence[int]) -> ContentError | None:
    if not lines:
        return None
    cards = "a new card is" if len(lines) == 1 else f"{len(lines)} new cards are"
    return ContentError(Place(path, lines[0]), f"{cards} still empty", "Write behind `Q:` and `A:`.")


def _is_unfinished(section: Section) -> bool:
    return (
        [(field.key, field.value) for field in section.fields] == [("Q", ""), ("A", "")]
        and not section.loose
        and not section.faults
    )


def _heading_faults(section: Section, seen: dict[str, int], path: Path) -> Iterator[LineFault]:
    if not section.heading:
        text = next((field.value for field in section.fields if field.key in "QC"), "")
        yield LineFault(
            section.line, "the card has no id", f"Write one, for instance `## {suggested_id(text)}`."
        )
    elif not CARD_ID.fullmatch(section.heading):
        yield LineFault(
            section.line,
            f"{section.heading!r} is no card id",
            f"Use small letters, digits and single hyphens: `## {suggested_id(section.heading)}`.",
        )
    elif section.heading in seen:
        yield LineFault(
            section.line,
            f"the card id {section.heading!r} is taken by {Place(path, seen[section.heading])}",
            "The first one is used; give this card an id of its own.",
        )


class _CardReader:
    """Makes the card of one section and gathers what is wrong with it."""

    def __init__(self, section: Section, header: Header, path: Path) -> None:
        self._section = section
        self._header = header
        self._path = path
        self.faults = list(section.faults)
        self._fields: dict[str, Field] = {}
        self._gather()

    def card(self) -> Card:
        section, fields = self._section, self._fields
        cloze = "C" in fields
        if not self.faults:
            self._check_shape()
        front = fields.get("C" if cloze else "Q")
        marks = self._marks(front) if cloze and front and not self.faults else ()
        back, why, base = fields.get("A"), fields.get("Why"), fields.get("Base")
        if base is not None and not _BASE.fullmatch(base.value):
            self._wrong_base(base)
        return Card(
            deck_id=self._header.id,
            id=section.heading,
            kind="cloze" if cloze else "recall",
            front=front.value if front else "",
            back=back.value if back else "",
            why=why.value if why else "",
            see=self._ids("See", _SEE, "family:topic.name, card:deck/id, demo:name or exercise:name"),
            claims=self._ids("Check", _CLAIM, "claim:topic.name"),
            tags=self._header.tags,
            place=Place(self._path, section.line),
            marks=marks,
            base=base.value if base else None,
        )

    def _fault(self, line: int, message: str, way_out: str) -> None:
        self.faults.append(LineFault(line, message, way_out))

    def _wrong_base(self, base: Field) -> None:
        first, *more = base.value.split("\n")
        if not more or not _BASE.fullmatch(first.rstrip(" \t")):
            self._fault(
                base.line, "`Base:` is no fingerprint", "It is 16 hexadecimal digits; leave it as it was."
            )
            return
        offset, text = next((at, line) for at, line in enumerate(more, 1) if line.strip(" \t"))
        way_out = meant_heading(text) or "Remove it, or put it above the line `Base:`."
        self._fault(base.line + offset, "there is text behind `Base:`", way_out)

    def _gather(self) -> None:
        if self._section.loose and not self.faults:
            self._fault(
                self._section.line, "there is text before the first key", "Begin the card with `Q:` or `C:`."
            )
        for field in self._section.fields:
            earlier = self._fields.get(field.key)
            if earlier is None:
                self._fields[field.key] = field
            elif field.key in _REPEATABLE:
                self._fields[field.key] = Field(field.key, f"{earlier.value} {field.value}", earlier.line)
            else:
                self._fault(
                    field.line,
                    f"the card has a second `{field.key}:`",
                    "Begin a new card with `## some-id`, or put a blank before the line if it is text.",
                )

    def _check_shape(self) -> None:
        fields, line = self._fields, self._section.line
        if "C" in fields and ("Q" in fields or "A" in fields):
            extra = fields.get("Q") or fields["A"]
            self._fault(
                extra.line,
                f"the card has both `C:` and `{extra.key}:`",
                "A cloze card has `C:` alone: make two cards.",
            )
            return
        for key in ("C",) if "C" in fields else ("Q", "A"):
            if key not in fields:
                self._fault(line, f"the card has no `{key}:`", _MISSING[key])
            elif not _SEEN.search(fields[key].value):
                self._fault(fields[key].line, f"`{key}:` is empty", _MISSING[key])

    def _marks(self, front: Field) -> tuple[Mark, ...]:
        marks, faults = find_marks(front.value)
        for fault in faults:
            line = front.line + front.value.count("\n", 0, fault.offset)
            self._fault(line, fault.message, fault.way_out)
        if not marks and not faults:
            self._fault(
                front.line,
                "the cloze text has no mark",
                "Write `{{id::text}}` around what to recall; a mark may hold whole math, not a part of it.",
            )
        return marks

    def _ids(self, key: str, pattern: re.Pattern[str], shape: str) -> tuple[str, ...]:
        field = self._fields.get(key)
        if field is None:
            return ()
        ids = [one for one in _SEPARATORS.split(field.value) if one]
        wrong = [repr(one) for one in ids if not pattern.fullmatch(one)]
        if wrong:
            self._fault(field.line, f"`{key}:` can't name {', '.join(wrong)}", f"Write {shape}.")
        if not ids:
            self._fault(field.line, f"`{key}:` is empty", f"Write {shape}, or leave the line out.")
        return tuple(dict.fromkeys(ids))


_MISSING = {
    "Q": "Write the question behind `Q:`.",
    "A": "Write the answer behind `A:`.",
    "C": "Write the text with its `{{id::text}}` marks behind `C:`.",
}
