"""Looking at a file before touching it: one that is not ours to change stays byte for byte as it is."""

import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from studynorm.storage.errors import (
    ForeignDatabase,
    NewerDatabase,
    NotADatabase,
    StoreError,
    damaged,
    no_access,
)
from studynorm.storage.held import is_held
from studynorm.storage.schema import APPLICATION_ID, REVISIONS, TABLES, tables_of

_MAGIC = b"SQLite format 3\0"
_CHECKED_WHOLE = 8 * 2**20  # bytes; a complete check of that much takes about 15 ms
_MOST_FAULTS = 100
_OF_ROWS = ("NULL value in", "NUMERIC value in", "TEXT value in")
"""How SQLite begins to speak of rows that hold the wrong values; each of them is set aside by itself."""


def peek(path: Path, revisions: Sequence[str]) -> str | None:
    """Return the schema revision of a profile, one of `revisions`; None where a new one can be made.

    None: the file is absent, has no bytes, or holds an empty database. Raises NotADatabase (also when
    damaged), ForeignDatabase, NewerDatabase or StoreError, having changed neither the file nor its WAL.
    """
    with opened(path, revisions) as (_, revision):
        return revision


@contextmanager
def opened(
    path: Path, revisions: Sequence[str], *, checked: bool = True
) -> Iterator[tuple[sqlite3.Connection | None, str | None]]:
    """Give a profile open for reading and its schema revision, both None where a new one can be made.

    Raises as `peek` does; where it is not `checked`, SQLite's own check of a small file is left out.
    """
    if not _has_bytes(path):
        yield None, None
        return
    try:
        with _opened(path) as connection:
            revision = _revision(path, connection, revisions, checked=checked)
            yield (None if revision is None else connection), revision
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error


def _has_bytes(path: Path) -> bool:
    if is_held(path):
        return True
    try:
        info = path.stat()
        if stat.S_ISDIR(info.st_mode):
            raise StoreError(f"{path} is a folder, not a file. Move it away or choose another --home.")
        if not stat.S_ISREG(info.st_mode):
            raise StoreError(f"{path} is not a regular file. Move it away or choose another --home.")
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except FileNotFoundError:
        return False
    except OSError as error:
        raise no_access(path, error) from error
    if start and start != _MAGIC:
        raise NotADatabase(f"{path} is not a database. Move it away, or choose another --profile.")
    return bool(start)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open read-only; a WAL without its -shm file is read as a copy, because SQLite would make that file."""
    if is_held(path):
        with closing(_connect(path, "mode=ro")) as connection:
            yield connection
        return
    path = path.resolve()  # SQLite keeps both beside the file that a link leads to
    wal, shm = (path.with_name(path.name + ending) for ending in ("-wal", "-shm"))
    if not (wal.exists() and wal.stat().st_size):
        with closing(_connect(path, "mode=ro&immutable=1")) as connection:
            yield connection
    elif shm.exists():
        with closing(_connect(path, "mode=ro")) as connection:
            yield connection
    else:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "copy.sqlite")
            shutil.copyfile(path, copy)
            shutil.copyfile(wal, copy.with_name(copy.name + "-wal"))
            with closing(_connect(copy, "mode=rw")) as connection:
                yield connection


def _connect(path: Path, options: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True)
    connection.text_factory = readable
    return connection


def readable(raw: bytes) -> str:
    """Return a text of the file; what is no UTF-8 in it, as in a damaged row, costs nobody the other rows."""
    return raw.decode("utf-8", "replace")


def file_fault(connection: sqlite3.Connection) -> str | None:
    """Return what SQLite finds wrong with the file itself, None for a sound one; wrong values are no such."""
    connection.execute("PRAGMA ignore_check_constraints = ON")
    try:
        found = [str(line) for (line,) in connection.execute(f"PRAGMA quick_check({_MOST_FAULTS})")]
    finally:
        connection.execute("PRAGMA ignore_check_constraints = OFF")
    lines = (line for text in found for line in text.splitlines())  # the first comes with a heading
    return next((line for line in lines if line != "ok" and not line.startswith((*_OF_ROWS, "***"))), None)


def _revision(
    path: Path, connection: sqlite3.Connection, revisions: Sequence[str], *, checked: bool
) -> str | None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if application != APPLICATION_ID:
        if application == 0 and not names:
            return None
        raise ForeignDatabase(
            f"{path} belongs to another program and was left as it is. Choose another --profile."
        )
    found = [str(row[0]) for row in connection.execute("SELECT version_num FROM alembic_version")]
    if len(found) == 1 and found[0] not in revisions:
        raise NewerDatabase(
            f"{path} was made by a newer studynorm (schema {found[0]!r}) and left as it is. Update studynorm."
        )
    if len(found) != 1 or not names.issuperset(tables_of(found[0]) if found[0] in REVISIONS else TABLES):
        raise damaged(path, "tables are missing")
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_size,) = connection.execute("PRAGMA page_size").fetchone()
    if checked and pages * page_size <= _CHECKED_WHOLE:
        fault = file_fault(connection)
        if fault is not None:
            raise damaged(path, fault)
    return found[0]
