"""From a screen into the learner's editor and back: the terminal is lent, the decks are read again."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from studynorm.content.library import NoDecks
from studynorm.locate import content_root
from studynorm.study import edit
from studynorm.study.edit import CannotEdit, DeckFolders, Edited, place_to_edit
from studynorm.study.editor import OpenEditor, open_editor
from studynorm.tui.calm_screen import CalmScreen

if TYPE_CHECKING:
    from studynorm.tui.navigation import Navigation


def edit_card(
    app: "Navigation",
    item: str,
    *,
    editor: OpenEditor = open_editor,
    lent: "Callable[[], AbstractContextManager[None]] | None" = None,
) -> Edited | None:
    """Let the learner edit the card of an item, and read the decks again if it changed.

    Returns what came of it, None where nothing could be opened; either way the screen's notice line says so.
    `lent` is the context in which the editor has the terminal: the program's own suspension unless given.
    """
    folders = DeckFolders(content_root() / "cards", app.desk.home.decks)
    edited: Edited | Exception
    try:
        with (lent or app.suspend)():
            edited = _edited(item, folders, editor)
    except SuspendNotSupported:
        _tell(app, _elsewhere(item, folders), trouble=True)
        return None
    if isinstance(edited, CannotEdit | NoDecks):
        _tell(app, str(edited), trouble=True)
        return None
    if isinstance(edited, Exception):
        raise edited
    if edited.changed:
        app.reload_decks()
    _tell(app, summary(edited), trouble=bool(edited.problems))
    return edited


def _edited(item: str, folders: DeckFolders, editor: OpenEditor) -> Edited | Exception:
    """Run the editor and return what came of it, or what went wrong.

    Nothing may leave a suspension as an exception: Textual would not take the terminal back.
    """
    try:
        return edit.edit_card(item, folders, editor)
    except Exception as error:  # noqa: BLE001  raised again once the terminal is back
        return error


def summary(edited: Edited) -> str:
    """Return what came of an edit in one line, the worst first."""
    told = (*edited.problems, *edited.notices)
    if not told:
        return f"Edited: {edited.place}" if edited.changed else "The card is unchanged."
    more = len(told) - 1
    return told[0] if not more else f"{told[0]} (and {more} more: `studynorm check` shows all)"


def _elsewhere(item: str, folders: DeckFolders) -> str:
    name = item.removeprefix("card:").partition("#")[0]
    try:
        place = place_to_edit(item, folders)
    except (CannotEdit, NoDecks) as refused:
        return str(refused)
    return (
        f"This terminal can't be lent to an editor. In another one, `studynorm card edit {name}` opens "
        f"{place}; then press r on the home screen."
    )


def _tell(app: "Navigation", message: str, *, trouble: bool) -> None:
    if isinstance(app.screen, CalmScreen):
        app.screen.tell(message, trouble=trouble)
    else:
        app.notify(message, severity="warning" if trouble else "information", markup=False)
