"""Copies of a profile made by SQLite's own backup call, which is right while others write."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from studynorm.storage.errors import StoreError, no_access, sqlite_errors


def back_up(source: Path, target: Path) -> Path:
    """Copy a database to `target`, checked, and return it. The file appears whole or not at all.

    Raises StoreError when the copy cannot be written or does not pass SQLite's check.
    """
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with sqlite_errors(target):
            _copy(source, part)
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise no_access(target, error) from error
    finally:
        with suppress(OSError):
            part.unlink()
    return target


def _copy(source: Path, part: Path) -> None:
    part.unlink(missing_ok=True)
    uri = f"{source.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True)) as old, closing(sqlite3.connect(part)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")  # a copy is one file, without a WAL beside it
        (verdict,) = new.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(
            f"The copy {part} did not pass its check ({verdict}). The original was left as it is."
        )
