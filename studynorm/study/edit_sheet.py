"""Which file an edit opens, at which line, and what the editor is to find in it; nothing is written here."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from studynorm.content.deck import CARD_ID, Deck, parse_deck
from studynorm.content.deckfile import nested_deck_files, read_deck, read_text
from studynorm.content.editing import (
    card_block,
    card_line,
    headings,
    override_deck,
    own_deck,
    with_new_card,
    with_override,
)
from studynorm.content.frontmatter import DECK_ID, suggested_deck_id, title_of
from studynorm.content.library import Library, load_library
from studynorm.content.mending import line_to_mend, names_deck
from studynorm.content.place import ContentError, Place
from studynorm.content.sections import suggested_id


class CannotEdit(Exception):
    """Nothing was opened and every file is as it was; the message is one line that says what to do."""


class NoSuchCard(CannotEdit):
    """There is no card of this id to edit."""


@dataclass(frozen=True, slots=True)
class DeckFolders:
    """Where the decks are; only the user's are ever written."""

    shipped: Path
    user: Path

    def library(self) -> Library:
        """Read all decks anew."""
        return load_library(self.shipped, self.user)

    def shipped_deck(self, deck_id: str) -> Deck | None:
        """Return a shipped deck without any override, or None."""
        return load_library(self.shipped, None).deck(deck_id)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file to open at `line`: it holds `was` (None: it does not exist) and is to hold `start`."""

    path: Path
    line: int
    was: str | None
    start: str


def sheet_for_card(deck_id: str, card_id: str, folders: DeckFolders) -> Sheet:
    """Return where a card is edited: an own one in place, a shipped one in an override deck.

    A card that is there and can't be used is found too, at its first fault, whether it has its heading or
    not. Raises CannotEdit.
    """
    library = folders.library()
    shipped = folders.shipped_deck(deck_id)
    if shipped is not None:
        return _override_sheet(shipped, card_id, folders.user, library.errors)
    deck = library.deck(deck_id)
    if deck is None:
        found = _sheet_without_header(deck_id, card_id, folders.user)
    else:
        text = _text(deck.path)
        line = standing(text, deck.path, card_id, None, library.errors)
        found = Sheet(deck.path, line, text, text) if line else None
    if found is None:
        raise NoSuchCard(f"there is no card {deck_id}/{card_id}; `studynorm card list` shows all.")
    return found


def standing(
    text: str, path: Path, card_id: str, shipped: Deck | None, errors: Sequence[ContentError]
) -> int | None:
    """Return the line where a card of a file is to be read or mended; None where it is not in the file.

    `shipped` is the deck that the file overrides, if it does.
    """
    faults = [error.place.line for error in errors if error.place.path == path]
    if shipped is None:
        others = {heading for heading in headings(text) if CARD_ID.fullmatch(heading)}
        traces: tuple[str, ...] = ()
    else:
        others = {card.id for card in shipped.cards}
        block = card_block(_text(shipped.path), card_id)
        asked = [line.rstrip() for line in block if line.startswith(("Q: ", "C: "))]
        prints = [f"Base: {card.fingerprint}" for card in shipped.cards if card.id == card_id]
        traces = (*asked, *prints)
    return line_to_mend(text, card_id, faults, others, traces) or card_line(text, card_id)


def sheet_for_new_card(name: str, card_id: str | None, folders: DeckFolders) -> Sheet:
    """Return the own deck of this id, or a new one of this name, with an empty card. Raises CannotEdit."""
    path, was = _own_deck(name, folders)
    bare = was if was is not None else own_deck(suggested_deck_id(name), _title(name))
    if card_id is not None:
        if not CARD_ID.fullmatch(card_id):
            raise CannotEdit(
                f"{card_id!r} is no card id. Use small letters, digits and single hyphens, "
                f"for instance {suggested_id(card_id)}."
            )
        taken = card_line(bare, card_id)
        if taken is not None:
            raise CannotEdit(f"{Place(path, taken)}: the card id {card_id} is taken. Give another.")
    placed = with_new_card(bare, card_id or "")
    return Sheet(path, placed.line, was, placed.text)


def _override_sheet(shipped: Deck, card_id: str, user: Path, known: Sequence[ContentError]) -> Sheet:
    texts: dict[Path, str] = {}
    for file in nested_deck_files(user)[0]:
        deck, _ = read_deck(file)
        if deck is not None and deck.overrides and deck.id == shipped.id:
            texts[file] = _text(file)
    card = next((card for card in shipped.cards if card.id == card_id), None)
    with_heading = [file for file, text in texts.items() if card_line(text, card_id)]
    for file in with_heading or (texts if card else ()):
        line = standing(texts[file], file, card_id, shipped, known)
        if line is not None:
            return Sheet(file, line, texts[file], texts[file])
    if card is None:
        raise NoSuchCard(f"there is no card {shipped.id}/{card_id}; `studynorm card list` shows all.")
    broken = _sheet_without_header(shipped.id, card_id, user)
    if broken is not None:
        return broken
    path = next(iter(texts), None)
    was = texts[path] if path else None
    path = path or _free_path(user, f"{shipped.id}.overrides")
    block = card_block(_text(shipped.path), card_id)
    placed = with_override(was or override_deck(shipped.id), block, card.fingerprint)
    read, errors = parse_deck(placed.text, path)
    copies = [copy for copy in read.cards if copy.place.line == placed.line] if read else []
    if [(copy.id, copy.fingerprint, copy.base) for copy in copies] != [
        (card.id, card.fingerprint, card.fingerprint)
    ]:
        raise CannotEdit(f"{errors[0] if errors else path} Mend this first.")
    return Sheet(path, placed.line, was, placed.text)


def _sheet_without_header(deck_id: str, card_id: str, user: Path) -> Sheet | None:
    """Return a file of the deck that holds the card and has a header that can't be read, at that fault."""
    for file in nested_deck_files(user)[0]:
        deck, errors = read_deck(file)
        text, _ = read_text(file)
        if deck is None and text is not None and card_line(text, card_id) and names_deck(text, file, deck_id):
            return Sheet(file, errors[0].place.line, text, text)
    return None


def _own_deck(name: str, folders: DeckFolders) -> tuple[Path, str | None]:
    """Return the file of an own deck and its text, None where it is new."""
    deck_id = suggested_deck_id(name)
    if not deck_id or "/" in name or "\\" in name or name.endswith(".md"):
        raise CannotEdit(
            f"{name!r} can't name a deck. Use its id, of small letters, digits and hyphens, as in my-deck."
        )
    if folders.shipped_deck(deck_id) is not None:
        raise CannotEdit(
            f"{deck_id} is a shipped deck, and those are never written. Put your card into a deck of your "
            f"own, `studynorm card new my-{deck_id}`, or change one of its cards, "
            f"`studynorm card edit {deck_id}/ID`."
        )
    deck = folders.library().deck(deck_id)
    if deck is not None:
        return deck.path, _text(deck.path)
    path = folders.user / f"{deck_id}.md"
    if os.path.lexists(path):
        other, errors = read_deck(path)
        held = f"{path} holds another deck, {other.id}." if other else f"{errors[0]} It stays as it is."
        raise CannotEdit(f"{held} Take another name for yours.")
    return path, None


def _title(name: str) -> str:
    return title_of(name) if DECK_ID.fullmatch(name) else " ".join(name.split())


def _free_path(folder: Path, stem: str) -> Path:
    """Return a path for a new deck; a file of this name that can't be read is to be mended first."""
    number = 1
    while True:
        path = folder / (f"{stem}.md" if number == 1 else f"{stem}-{number}.md")
        if not os.path.lexists(path):
            return path
        deck, errors = read_deck(path)
        if deck is None:
            raise CannotEdit(f"{errors[0]} It may hold cards of yours: mend it first.")
        number += 1


def _text(path: Path) -> str:
    text, errors = read_text(path)
    if text is None:
        raise CannotEdit(str(errors[0]))
    return text
