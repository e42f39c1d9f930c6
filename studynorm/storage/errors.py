"""What can go wrong with stored data, as one line that says what to do; free of heavy imports."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class StoreError(Exception):
    """Data could not be read or kept. The message is one line with the path and the way out."""


class NotADatabase(StoreError):
    """The file is no SQLite database, or a damaged one; it was left as it is."""


class NewerDatabase(StoreError):
    """The file was made by a newer studynorm; it was left as it is."""


class ForeignDatabase(StoreError):
    """The file is the database of another program; it was left as it is."""


class ReadOnly(StoreError):
    """The file or its folder cannot be written."""


class Busy(StoreError):
    """Another process was writing for longer than the waiting time; nothing was saved."""

    who: str = "another program"
    """Who was writing, by name where the system tells."""


class StaleReview(StoreError):
    """The stored memory is not the one this review began from; nothing was saved."""


class ItemSetAside(StoreError):
    """A row about one item is damaged, and the item is set aside until it is repaired; nothing was saved."""

    def __init__(self, what: str) -> None:
        super().__init__(f"Set aside: {what}. `studynorm doctor` can repair it.")


def damaged(path: Path, detail: object) -> NotADatabase:
    """Return the error for a file that SQLite cannot read; it names the newest backup that can be used."""
    from studynorm.storage.backups import restoring

    return NotADatabase(f"{path} is damaged ({detail}). It was left as it is: {restoring(path)}")


def stale(item: str) -> StaleReview:
    """Return the error for a review that came too late."""
    return StaleReview(
        f"{item} was answered elsewhere meanwhile; this answer was not counted. Go on to the next."
    )


def read_only(path: Path) -> ReadOnly:
    """Return the error for a file or folder without permission to write."""
    return ReadOnly(
        f"{path} cannot be written. Make it and its folder writable, or choose another with --home."
    )


def no_access(path: Path, error: OSError) -> StoreError:
    """Return the error for a path that the operating system refuses."""
    if isinstance(error, PermissionError):
        return ReadOnly(
            f"{path} may not be opened by this user. Change its permissions, or use another --home."
        )
    return StoreError(f"{path} cannot be used: {error.strerror or error}. Choose another place with --home.")


def _busy(path: Path) -> Busy:
    from studynorm.storage.holder import writer_words

    who = writer_words(path)
    busy = Busy(
        f"{path} is being written by {who}. Close that one, or wait and try again; nothing was saved."
    )
    busy.who = who
    return busy


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn the errors of sqlite3 about the file, its disk or its locks into a StoreError; let others pass."""
    try:
        yield
    except sqlite3.Error as error:
        known = known_error(path, error)
        if known is None:
            raise
        raise known from error


def known_error(path: Path, error: BaseException | None) -> StoreError | None:
    """Return the StoreError for an error of sqlite3, or None for a fault of the program."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF  # the upper bytes only refine it
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return _busy(path)
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return read_only(path)
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(path, error)
    if primary in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return StoreError(
            f"{path} could not be written ({error}): the disk may be full. Make room and try again; "
            "nothing was saved."
        )
    if primary == sqlite3.SQLITE_CANTOPEN:
        return StoreError(f"{path} cannot be opened. Check the folder, or choose another with --home.")
    return None
