"""Deck files on disk: which files of a folder are decks, and the reading of one, whatever it is."""

import os
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


def nested_deck_files(folder: Path) -> tuple[tuple[Path, ...], tuple[ContentError, ...]]:
    """Return the `*.md` paths of `folder` and of its sub-folders, and an error for each that can't be read.

    The files of a folder come before those below it, each by name. Hidden names and those beginning with `_`
    are passed over, folders too. A folder that several links lead to is read once, so no circle goes on.
    """
    files: list[Path] = []
    errors: list[ContentError] = []
    seen: set[tuple[int, int]] = set()
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            status = here.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            files.extend(deck_files(here))
            waiting.extend(reversed(_folders(here)))
        except FileNotFoundError:
            continue
        except OSError as error:
            reason = error.strerror or type(error).__name__
            errors += _refused(
                here, f"the folder can't be read: {reason}", "Make it a folder that you may read."
            )
    return tuple(files), tuple(errors)


def _folders(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        names = [
            entry.name
            for entry in entries
            if entry.name[0] not in "._" and not entry.name.endswith(".md") and _is_folder(entry)
        ]
    return [folder / name for name in sorted(names)]


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def read_deck(path: Path) -> tuple[Deck | None, tuple[ContentError, ...]]:
    """Read the deck at `path`; a file that can't be read as a text is an error, never an exception."""
    text, errors = read_text(path)
    return (None, errors) if text is None else parse_deck(text, path)


def read_text(path: Path) -> tuple[str | None, tuple[ContentError, ...]]:
    """Return the text of a file, line ends and byte order mark included, or None and the reason."""
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
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, _refused(path, "the file is not UTF-8", "Save it as UTF-8 in your editor.", line)


def _refused(path: Path, message: str, way_out: str, line: int = 1) -> tuple[ContentError, ...]:
    return (ContentError(Place(path, line), message, way_out),)
