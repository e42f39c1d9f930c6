"""Putting a copy in the place of a profile: the old or the new one is there at any moment, never half of one.

Other programs may have the profile open: SQLite itself writes the pages, and they see all of them or none.
"""

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from studynorm.storage.backup import PART, back_up, clear_abandoned, keep_folder
from studynorm.storage.backups import Copy, backup_name, inspect
from studynorm.storage.errors import (
    Busy,
    NotADatabase,
    StoreError,
    no_access,
    sqlite_errors,
)
from studynorm.storage.held import hold, release
from studynorm.storage.holder import users
from studynorm.storage.peek import file_fault, opened
from studynorm.storage.schema import REVISIONS
from studynorm.storage.upgrade import check_writable, prepare

_WAIT_SECONDS = 5.0
_AT_ONCE = 512  # pages
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of the profile that was there: copied to `kept`, or moved to `aside` as it was unusable."""

    kept: Path | None
    aside: Path | None


class _WrittenMeanwhile(Exception):
    """Another program wrote to the profile after it had been copied."""


def check_copy(source: Path, target: Path) -> Copy:
    """Return what is in a file that may take the place of a profile.

    Raises StoreError, in one line that says why, for one that may not.
    """
    try:
        if not source.exists():
            raise StoreError(
                f"{source} does not exist. `studynorm backup --list` names the copies there are."
            )
        if target.exists() and source.samefile(target):
            raise StoreError(f"{source} is the profile itself. Name a copy of it.")
        if source.is_file():
            with source.open("rb") as file:
                if file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
                    raise StoreError(
                        f"{source} is a JSON export, from which nothing can be restored. Name a .sqlite file "
                        "that `studynorm backup` made."
                    )
    except OSError as error:
        raise no_access(source, error) from error
    copy = inspect(source, whole=True)
    if copy.trouble is not None:
        raise StoreError(f"Nothing was restored: {copy.trouble}")
    return copy


def restore(source: Path, target: Path, folder: Path) -> Restored:
    """Replace the profile `target` by the copy `source`, which may be of an older schema.

    The present profile is copied into `folder` first; one that is damaged is moved there. Other
    programs that have it open go on with the restored one. Raises StoreError, nothing replaced, where that
    cannot be, and Busy while another program is writing.
    """
    check_copy(source, target)
    try:
        place = target.resolve()  # a link stays one, and the file that it leads to is replaced
        target.parent.mkdir(parents=True, exist_ok=True)
        check_writable(target)
        clear_abandoned(place.parent, target.stem)
        with tempfile.TemporaryDirectory(
            prefix=f".{target.stem}-", suffix=PART, dir=place.parent, ignore_cleanup_errors=True
        ) as staging:
            staged = Path(staging, target.name)
            with _told_of(target, staged):
                back_up(source, staged)
                prepare(staged, 5000)
            if _is_usable(target):
                return Restored(_overwrite(staged, target, folder), None)
            aside = _keep_aside(target, folder)
            os.replace(staged, place)  # noqa: PTH105  a name in one folder for another: whole or not at all
            keep_folder(place.parent)
            return Restored(None, aside)
    except OSError as error:
        raise no_access(target.parent, error) from error


@contextmanager
def _told_of(target: Path, staged: Path) -> Iterator[None]:
    """Let an error name the profile instead of the file that is made ready beside it, and is gone by then."""
    try:
        yield
    except StoreError as error:
        raise type(error)(str(error).replace(str(staged), str(target))) from error


def _is_usable(target: Path) -> bool:
    """Tell whether SQLite can write into a profile; one that is absent is made."""
    try:
        with opened(target, REVISIONS, checked=False) as (connection, _):
            absent, fault = connection is None, connection and file_fault(connection)
    except NotADatabase:
        return False
    if absent:
        prepare(target, round(1000 * _WAIT_SECONDS))
    return not fault


def _overwrite(staged: Path, target: Path, folder: Path) -> Path | None:
    """Write the pages in one transaction; return the copy of what they replace, None where that was empty."""
    hold(target)
    try:
        with sqlite_errors(target), closing(_looking(target)) as look:
            for _ in range(_TRIES):
                seen = _version(look)
                kept = None
                if inspect(target).reviews or not _is_new(look):
                    kept = back_up(target, backup_name(target, folder, "before-restore"))
                try:
                    _copy_into(staged, target, look, seen)
                except _WrittenMeanwhile:
                    if kept is not None:
                        kept.unlink(missing_ok=True)
                    continue
                return kept
    finally:
        release(target)
    raise Busy(
        f"{target} is written by another program again and again. Close that one; nothing was restored."
    )


def _copy_into(staged: Path, target: Path, look: sqlite3.Connection, seen: int | None) -> None:
    give_up = time.monotonic() + _WAIT_SECONDS
    begun = False

    def watch(status: int, remaining: int, total: int) -> None:
        nonlocal begun
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            if time.monotonic() > give_up:
                busy = sqlite3.OperationalError("database is locked")
                busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise busy
        elif not begun:  # from here on nobody else can write
            begun = True
            if _version(look) not in (seen, None):
                raise _WrittenMeanwhile

    with closing(sqlite3.connect(staged)) as new, closing(sqlite3.connect(target)) as old:
        old.execute("PRAGMA synchronous = FULL")
        _match_pages(new, old)
        (pages,) = new.execute("PRAGMA page_count").fetchone()
        # In at least two steps: after the first one nothing is final yet.
        new.backup(old, pages=max(1, min(_AT_ONCE, pages // 2)), progress=watch, sleep=0.05)
        fault = file_fault(old)
    if fault is not None:
        raise StoreError(
            f"{target} did not pass its check after the restore ({fault}). Restore it once more."
        )


def _looking(target: Path) -> sqlite3.Connection:
    return sqlite3.connect(target, isolation_level=None, timeout=0.1)


def _match_pages(new: sqlite3.Connection, old: sqlite3.Connection) -> None:
    """Give the copy pages of the size that the profile has: SQLite cannot change those of a file in use."""
    (size,) = old.execute("PRAGMA page_size").fetchone()
    if new.execute("PRAGMA page_size").fetchone() != (size,):
        new.execute("PRAGMA journal_mode = DELETE")
        new.execute(f"PRAGMA page_size = {size}")
        new.execute("VACUUM")


def _version(look: sqlite3.Connection) -> int | None:
    """Return a number that changes when another program writes; None where SQLite lets nobody look now."""
    with suppress(sqlite3.OperationalError):
        (version,) = look.execute("PRAGMA data_version").fetchone()
        return int(version)
    return None


def _is_new(look: sqlite3.Connection) -> bool:
    """Tell whether nothing was ever recorded in a profile."""
    (count,) = look.execute("SELECT count(*) FROM sqlite_sequence").fetchone()
    return not count


def _keep_aside(target: Path, folder: Path) -> Path | None:
    """Copy an unusable profile, its log too, and clear the way for another; return the copy."""
    using = users(target)
    if using:
        raise Busy(f"{target} is open in {using[0]}. Close that one and try again; nothing was restored.")
    if not target.exists():
        return None
    folder.mkdir(parents=True, exist_ok=True)
    aside = backup_name(target, folder, "damaged")
    place = target.resolve()
    wal = place.with_name(f"{place.name}-wal")
    if wal.exists():
        shutil.copy2(wal, aside.with_name(f"{aside.name}-wal"))
    shutil.copy2(place, aside)
    for ending in ("-wal", "-shm", "-journal"):
        place.with_name(place.name + ending).unlink(missing_ok=True)
    return aside
