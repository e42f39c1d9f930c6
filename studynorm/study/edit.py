"""Editing a card: opens it in the learner's editor, and tells what came of it once the editor has ended.

A shipped card is edited as a copy in a deck of the learner's own, which stays only if the editor changed it.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from studynorm.content.card import Card
from studynorm.content.deckfile import read_text
from studynorm.content.deckwrite import NotWritten, bytes_of, remove_deck, write_deck
from studynorm.content.editing import card_line, nameless_cards, with_card_ids
from studynorm.content.library import Library
from studynorm.content.place import Place
from studynorm.content.visible import visible
from studynorm.study.edit_sheet import (
    CannotEdit,
    DeckFolders,
    NoSuchCard,
    Sheet,
    sheet_for_card,
    sheet_for_new_card,
    standing,
)
from studynorm.study.editor import NoEditor, OpenEditor

__all__ = ["CannotEdit", "DeckFolders", "Edited", "NoSuchCard", "edit_card", "new_card", "place_to_edit"]


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of an edit.

    `problems` name what is wrong now, with file and line where it has one, and `notices` what else there is
    to know. `place` is where the text stands, `card` what is asked under the id now (None: nothing), and
    `reworded` tells that the fingerprint is another than before.
    """

    changed: bool
    problems: tuple[str, ...]
    place: Place
    notices: tuple[str, ...] = ()
    card: Card | None = None
    reworded: bool = False


def place_to_edit(item: str, folders: DeckFolders) -> Place:
    """Return where the card of an item would be opened; its override may not be there yet.

    Raises CannotEdit.
    """
    sheet = sheet_for_card(*_names(item), folders)
    return Place(sheet.path, sheet.line)


def edit_card(item: str, folders: DeckFolders, open_editor: OpenEditor) -> Edited:
    """Open the card of an item (`card:deck/card`, with or without a mark) and tell what came of it.

    What the editor left is kept, whatever it is; what is wrong with the file is told even if nothing
    changed. Raises CannotEdit, with every file as it was.
    """
    deck_id, card_id = _names(item)
    before = folders.library()
    sheet = sheet_for_card(deck_id, card_id, folders)
    edited = _sitting(sheet, before, folders, open_editor)
    name = f"card:{deck_id}/{card_id}"
    return _judged(edited, name, before.card(name), folders)


def new_card(
    name: str, folders: DeckFolders, open_editor: OpenEditor | None, card_id: str | None = None
) -> Edited:
    """Add an empty card to the own deck of this id, or to a new deck of this name, and open it.

    Left as it was, it goes again; without `open_editor` it stays. A card that got no id gets one from its
    question. Raises CannotEdit, with every file as it was.
    """
    before = folders.library()
    sheet = sheet_for_new_card(name, card_id, folders)
    if open_editor is None:
        with _keeping():
            write_deck(sheet.path, sheet.start, was=sheet.was)
        return Edited(True, (), Place(sheet.path, sheet.line - 1))
    nameless = nameless_cards(sheet.start)

    def opened(path: Path, line: int) -> int:
        code = open_editor(path, line)
        left, _ = read_text(path)
        if left is not None:
            with suppress(NotWritten):  # then the card is told to have no id, as it would be by hand
                write_deck(path, with_card_ids(left, nameless), was=left)
        return code

    edited = _sitting(
        sheet, before, folders, opened, " Or add `--no-edit`, and fill in the empty card later."
    )
    known = {card.item_ids for deck in before.decks for card in deck.cards}
    added = [
        card
        for deck in folders.library().decks
        for card in deck.cards
        if card.place.path == sheet.path and card.item_ids not in known
    ]
    if not edited.changed or not added:
        return edited
    return Edited(True, edited.problems, added[-1].place, edited.notices, added[-1])


def _names(item: str) -> tuple[str, str]:
    kind, _, rest = item.partition(":")
    deck_id, slash, card_id = rest.partition("#")[0].partition("/")
    if kind != "card" or not slash:
        refused = NoSuchCard if kind == "card" else CannotEdit
        raise refused(f"{item} is no card; only cards are edited here.")
    return deck_id, card_id


def _sitting(
    sheet: Sheet, before: Library, folders: DeckFolders, open_editor: OpenEditor, instead: str = ""
) -> Edited:
    """Write what the editor is to find, run it, and take back what it left untouched.

    `instead` is said of a new text for which there is no editor.
    """
    if sheet.start != sheet.was:
        with _keeping():
            write_deck(sheet.path, sheet.start, was=sheet.was)
    place = Place(sheet.path, sheet.line)
    try:
        code = open_editor(sheet.path, sheet.line)
    except BaseException as error:
        _take_back(sheet)
        if isinstance(error, NoEditor):
            where = f" The card stands in {place}." if sheet.start == sheet.was else instead
            raise CannotEdit(f"{error}{where}") from None
        raise
    ended = _ending(code)
    gone = _take_back(sheet)
    if gone is not None:
        problems = [*([gone] if gone else []), *([f"{ended}; nothing was changed."] if ended else [])]
        return Edited(False, tuple(problems), place)
    after = folders.library()
    known = {str(error) for error in before.errors}
    problems = [
        str(error) for error in after.errors if error.place.path == sheet.path or str(error) not in known
    ]
    prefix = f"{visible(str(sheet.path), keep_newlines=False)}:"
    notices = [notice for notice in (*after.notices, *after.unfinished) if notice.startswith(prefix)]
    if ended:
        notices.append(f"{ended}; what it left in the file is kept.")
    return Edited(True, tuple(problems), place, tuple(notices))


def _take_back(sheet: Sheet) -> str | None:
    """Undo what was written for the editor if it changed nothing.

    Returns None when it changed something, and else what a learner must know, mostly nothing.
    """
    name = visible(str(sheet.path), keep_newlines=False)
    try:
        left = bytes_of(sheet.path)
        if left is None:
            if sheet.was is None:
                return f"{name} was removed, so there is nothing to keep."
            write_deck(sheet.path, sheet.was, was=None)
            return f"{name} was gone when the editor had ended, and is back as it was before."
        if left != sheet.start.encode("utf-8"):
            return None
        if sheet.was is None:
            remove_deck(sheet.path, was=sheet.start)
        elif sheet.was != sheet.start:
            write_deck(sheet.path, sheet.was, was=sheet.start)
    except NotWritten as error:
        return str(error)
    except OSError:  # a folder in its place, or no right to read: the library names it
        return None
    return ""


def _ending(code: int) -> str:
    """Return how the editor ended, if not well."""
    if code < 0:
        return f"the editor was stopped by signal {-code}"
    return f"the editor ended with code {code}" if code else ""


def _judged(edited: Edited, name: str, old: Card | None, folders: DeckFolders) -> Edited:
    """Add what the edit means for the card of this name, or what is still wrong if nothing was changed."""
    path, (deck_id, card_id) = edited.place.path, _names(name)
    after, shipped = folders.library(), folders.shipped_deck(deck_id)
    text, _ = read_text(path)
    heading = card_line(text, card_id) if text is not None else None
    line = standing(text, path, card_id, shipped, after.errors) if text is not None else None
    now = after.card(name)
    problems, notices = list(edited.problems), list(edited.notices)
    faults = [str(error) for error in after.errors if error.place.path == path]
    place = Place(path, heading or line or 1) if edited.changed else edited.place
    if not edited.changed:
        problems += faults
    if now is None or now.place.path != path:
        asked = "the shipped card is asked" if shipped else "the card is not asked"
        if (faults and line is not None) or (text is None and edited.changed):
            problems.append(
                f"{place}: your text is kept; {asked} until it is mended. Nothing learned of it is lost."
            )
        elif edited.changed and line is None:
            still = "no longer" if old is not None and old.place.path == path else "not"
            notices.append(
                f"{name} is {still} in {visible(str(path), keep_newlines=False)}: {asked} now. "
                "What was learned of it is kept and comes back with a card of this id."
            )
    reworded = old is not None and now is not None and old.fingerprint != now.fingerprint
    return Edited(edited.changed, tuple(problems), place, tuple(notices), now, reworded)


@contextmanager
def _keeping() -> Iterator[None]:
    try:
        yield
    except NotWritten as error:
        raise CannotEdit(str(error)) from None
