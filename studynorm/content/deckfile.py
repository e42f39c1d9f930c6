"""Deck files on disk: which files of a folder are decks, and the reading of one, whatever it is."""

import stat
from pathlib import Path

from studynorm.content.deck import Deck, parse_deck
from studynorm.content.place import ContentError, Place

MAX_BYTES = 5_000_000


def deck_files(folder: Path) -> tuple[Path, ...]:
    """Return the `*.md` paths of `folder` by name, without hidden ones and those beginning with `_`.

    A folder that isn't there has none. Raises OSError when it can't be listed.
    """
    try:
        names = [path for path in folder.iterdir() if path.suffix == ".md" and path.name[0] not in "._"]
    except FileNotFoundError:
        return ()
    return tuple(sorted(names, key=lambda path: path.name))


def read_deck(path: Path) -> tuple[Deck | None, tuple[ContentError, ...]]:
    """Read the deck at `path`; a file that can't be read as a text is an error, never an exception."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no ordinary file"
            return None, _refused(path, f"this is {kind}", "A deck is a text file: rename or move this one.")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return None, _refused(
            path, f"the file can't be read: {reason}", "Check that it is there and readable."
        )
    if len(data) > MAX_BYTES:
        return None, _refused(
            path, f"the file is larger than {MAX_BYTES // 1_000_000} MB", "Split the deck into several files."
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, _refused(path, "the file is not UTF-8", "Save it as UTF-8 in your editor.", line)
    return parse_deck(text, path)


def _refused(path: Path, message: str, way_out: str, line: int = 1) -> tuple[ContentError, ...]:
    return (ContentError(Place(path, line), message, way_out),)
