"""Copies of a profile made by SQLite's own backup call, which is right while others write."""

import glob
import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from studynorm.storage.errors import StoreError, known_error, no_access, sqlite_errors
from studynorm.storage.peek import file_fault, opened
from studynorm.storage.schema import REVISIONS

PART = ".part"
"""How the name of a copy ends that is not finished; it begins with a dot."""

_ABANDONED_SECONDS = 86_400
_OF_THE_SOURCE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def back_up(source: Path, target: Path) -> Path:
    """Copy a database to `target`, checked, and return it. The file appears whole or not at all.

    Rows that are damaged are copied as they are. Raises StoreError when the copy cannot be written or SQLite
    finds the file itself damaged; what was at `target` is then still there.
    """
    if _is_in_use(target):
        raise StoreError(f"{target} is a database in use, and was left as it is. Choose another name.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}-", suffix=PART, dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise no_access(target, error) from error
    part = Path(name)
    try:
        _copy(source, part, target)
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        with suppress(OSError):  # who may read it stays; its owner can restore it, even from a read-only file
            part.chmod(stat.S_IMODE(source.stat().st_mode) | stat.S_IRUSR | stat.S_IWUSR)
        part.replace(target)
        keep_folder(target.parent)
    except OSError as error:
        raise no_access(target, error) from error
    finally:
        for ending in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):
                part.with_name(part.name + ending).unlink()
    return target


def clear_abandoned(folder: Path, profile: str) -> None:
    """Remove unfinished copies of a profile that a program left behind when it was killed."""
    with suppress(OSError):
        for file in folder.glob(f".{glob.escape(profile)}-*{PART}*"):
            with suppress(OSError):
                if time.time() - file.stat().st_mtime > _ABANDONED_SECONDS:
                    shutil.rmtree(file) if file.is_dir() else file.unlink()


def backups_of(path: Path) -> Path:
    """Return the `backups` folder beside `profiles`, or beside a file that is elsewhere."""
    beside = path.parent if path.parent.name == "profiles" else path
    return beside.parent / "backups"


def keep_folder(folder: Path) -> None:
    """Make a new name last through a loss of power, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _copy(source: Path, part: Path, target: Path) -> None:
    with _reading(source) as old, closing(sqlite3.connect(part)) as new:
        try:
            old.backup(new)
            new.execute("PRAGMA journal_mode = DELETE")  # a copy is one file, without a WAL beside it
            fault = file_fault(new)
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", None) or 0
            known = known_error(source if code & 0xFF in _OF_THE_SOURCE else target, error)
            if known is None:
                raise
            raise known from error
    if fault is not None:
        raise StoreError(f"{source} is damaged ({fault}): no copy of it was made, and it was left as it is.")


@contextmanager
def _reading(source: Path) -> Iterator[sqlite3.Connection]:
    """Open for reading under SQLite's locks; without them where these cannot be had, as nobody may write."""
    with ExitStack() as stack:
        if os.access(source, os.W_OK) and os.access(source.parent, os.W_OK):
            with sqlite_errors(source):
                connection = sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)
                stack.callback(connection.close)
                connection.execute("PRAGMA schema_version").fetchone()
        else:  # SQLite would leave files beside it that stay read-only once the profile is writable again
            found, _ = stack.enter_context(opened(source, REVISIONS, checked=False))
            if found is None:
                raise StoreError(f"{source} holds nothing yet: there is nothing to copy.")
            connection = found
        yield connection


def _is_in_use(target: Path) -> bool:
    """Tell whether a write-ahead log lies beside a file: put under it, another file would be spoilt by it."""
    with suppress(OSError):
        target = target.resolve()
        return target.with_name(f"{target.name}-wal").stat().st_size > 0
    return False
