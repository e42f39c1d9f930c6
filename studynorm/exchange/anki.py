"""Writes decks as an Anki package (`.apkg`); the only module that meets genanki.

Anki knows notes by our card ids, and decks and note types by fixed numbers, so that a later export updates
what an earlier one brought instead of doubling it.
"""

import hashlib
import io
import itertools
import os
import re
import sqlite3
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from studynorm.content.card import Card
from studynorm.content.deck import Deck
from studynorm.exchange.html import cloze_to_html, markup_to_html
from studynorm.exchange.notetypes import note_types
from studynorm.exchange.target import ExportRefused

ROOT = "studynorm"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold: equal decks give equal files


@dataclass(frozen=True, slots=True)
class DeckCount:
    """How much of one deck went into a package; `name` is the deck's name in Anki."""

    name: str
    notes: int
    cards: int


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What a package holds: Anki makes one card of a recall card and one of each cloze mark id."""

    notes: int
    cards: int
    per_deck: tuple[DeckCount, ...]
    path: Path


def export_anki(decks: Sequence[Deck], path: Path, *, force: bool = False, clock_ms: int) -> ExportReport:
    """Write the cards of all decks to `path` and return what was written.

    `clock_ms` (UTC milliseconds since 1970) is the time of change that Anki compares: it updates a note when
    this is later than its own. The file appears complete or not at all.

    Raises ExportRefused when there is no card, when `path` has another ending than `.apkg`, exists (without
    `force`), or cannot be written.
    """
    _check_target(path, force)
    filled = [deck for deck in decks if deck.cards]
    if not filled:
        raise ExportRefused("There is no card to export. `studynorm card list` shows the cards.")
    names = deck_names(filled)
    _write(path, _package(_database(filled, names, clock_ms)))
    counts = tuple(
        DeckCount(names[deck.id], len(deck.cards), sum(len(card.item_ids) for card in deck.cards))
        for deck in filled
    )
    return ExportReport(
        notes=sum(count.notes for count in counts),
        cards=sum(count.cards for count in counts),
        per_deck=counts,
        path=path,
    )


def deck_names(decks: Sequence[Deck]) -> Mapping[str, str]:
    """Return Anki's name of each deck by its id: `studynorm::` and the title.

    `::` makes a subdeck in Anki, so in a title it becomes `∷`. Control characters and double blanks become
    one blank; an empty title becomes the deck id; decks of equal titles get their ids added.
    """
    titles = {deck.id: _title(deck) for deck in decks}
    taken = Counter(title.casefold() for title in titles.values())
    return {
        deck_id: f"{ROOT}::{title}{f' ({deck_id})' if taken[title.casefold()] > 1 else ''}"
        for deck_id, title in titles.items()
    }


def _title(deck: Deck) -> str:
    shown = unicodedata.normalize("NFC", _CONTROL.sub(" ", deck.title).replace("::", "∷"))
    return " ".join(shown.split()).strip(":") or deck.id


def _check_target(path: Path, force: bool) -> None:
    if path.suffix.lower() != ".apkg":
        raise ExportRefused(
            f"{path} does not end in .apkg: Anki opens only such files. Name it {path.name}.apkg."
        )
    if path.is_dir():
        raise ExportRefused(f"{path} is a folder. Name a file in it.")
    if not path.parent.is_dir():
        raise ExportRefused(f"There is no folder {path.parent}. Make it first, or name a file elsewhere.")
    if path.exists() and not force:
        raise ExportRefused(f"{path} exists. Add --force to overwrite it, or name another file.")


def _database(decks: Sequence[Deck], names: Mapping[str, str], clock_ms: int) -> bytes:
    """Return the SQLite collection of the package; it is built in memory, so nothing is left behind."""
    import genanki

    basic, cloze = note_types(genanki)
    package_decks = []
    position = itertools.count(1)  # new cards come in the order of the decks
    for deck in decks:
        package_deck = genanki.Deck(_number("deck", deck.id), names[deck.id])
        for card in deck.cards:
            package_deck.add_note(
                genanki.Note(
                    model=basic if card.kind == "recall" else cloze,
                    fields=_fields(card),
                    tags=_tags(deck, card),
                    guid=hashlib.sha256(f"{ROOT} card:{card.deck_id}/{card.id}".encode()).hexdigest()[:20],
                    due=next(position),
                )
            )
        package_decks.append(package_deck)
    connection = sqlite3.connect(":memory:")
    try:
        genanki.Package(package_decks).write_to_db(
            connection.cursor(), clock_ms / 1000, itertools.count(clock_ms)
        )
        connection.commit()
        return connection.serialize()
    finally:
        connection.close()


def _fields(card: Card) -> list[str]:
    source = f"card:{card.deck_id}/{card.id}"
    spare = ["", ""]
    if card.kind == "cloze":
        return [cloze_to_html(card), markup_to_html(card.why), source, *spare]
    return [markup_to_html(card.front), markup_to_html(card.back), markup_to_html(card.why), source, *spare]


def _tags(deck: Deck, card: Card) -> list[str]:
    words = (
        "_".join(_CONTROL.sub(" ", tag).split()) for tag in (*deck.tags, *card.tags, f"{ROOT}::{deck.id}")
    )
    return list(dict.fromkeys(word for word in words if word))


def _number(kind: str, name: str) -> int:
    """Return the one id of a name, in the range of Anki's own ids (milliseconds since 1970)."""
    digest = hashlib.sha256(f"{ROOT} {kind} {name}".encode()).digest()
    return 2**40 + int.from_bytes(digest[:5]) % 2**40


def _package(collection: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (("collection.anki2", collection), ("media", b"{}")):
            archive.writestr(zipfile.ZipInfo(name, _ZIP_TIME), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _write(path: Path, content: bytes) -> None:
    """Write beside the target, then rename; nothing is left when that fails."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("xb") as file:
            file.write(content)
        beside.replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExportRefused(f"{path} cannot be written ({reason}). Name a file in another folder.") from error
    finally:
        beside.unlink(missing_ok=True)
