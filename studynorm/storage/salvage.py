"""A profile written anew, with rows left out or put right; the one it comes from is only read."""

import os
import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from studynorm.storage.errors import StoreError, damaged, no_access, sqlite_errors
from studynorm.storage.peek import opened
from studynorm.storage.schema import APPLICATION_ID, MEMORY_FIELDS, REVISIONS
from studynorm.storage.snapshot import BLANK, RECOUNT, Image

_PUT = (
    f"INSERT OR REPLACE INTO memory (item, {', '.join(MEMORY_FIELDS)}) VALUES (?{', ?' * len(MEMORY_FIELDS)})"
)


class Salvage:
    """A copy that is being put right."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._attempts = self._count_attempts()
        connection.execute("BEGIN")

    def drop_reviews(self, ids: Iterable[int]) -> None:
        """Leave reviews out, and the attempts behind them."""
        self._connection.executemany("DELETE FROM review WHERE id = ?", ((number,) for number in ids))

    def put_right(self, table: str, rows: Mapping[int, Mapping[str, Any]]) -> None:
        """Set columns of rows, which are named by their ids."""
        for number, columns in rows.items():
            if columns:
                names = ", ".join(f"{name} = ?" for name in columns)
                query = f"UPDATE {table} SET {names} WHERE id = ?"
                self._connection.execute(query, (*columns.values(), number))

    def put_memory(self, item: Any, image: Image) -> None:
        """Set the memory of an item; a blank one takes it away."""
        if image == BLANK:
            text = isinstance(item, str)
            name = item.encode("utf-8", "surrogateescape") if text else item
            where = "item = CAST(? AS TEXT)" if text else "item = ?"
            self._connection.execute(f"DELETE FROM memory WHERE {where}", (name,))
        else:
            self._connection.execute(_PUT, (item, *image))

    def settle(self) -> tuple[str, ...]:
        """Make totals and references agree with the rows that are left, and end all changes.

        Returns in lines what else that changed.
        """
        run, told = self._connection.execute, []
        run("DELETE FROM attempt WHERE review_id NOT IN (SELECT id FROM review)")
        orphans = self._attempts - self._count_attempts()
        if orphans:
            told.append(f"{orphans} typed answer{'' if orphans == 1 else 's'} of reviews left out went too")
        run("DELETE FROM profile WHERE key = 'weights' AND value NOT IN (SELECT id FROM weights)")
        if run("SELECT 1 FROM profile WHERE key = 'salt'").fetchone() is None:
            run("INSERT INTO profile VALUES ('salt', ?)", (secrets.token_hex(16),))
            told.append("a salt was made: the next problems have other numbers than they would have had")
        run("DELETE FROM day_total")
        run(f"INSERT INTO day_total {RECOUNT}")
        run("COMMIT")
        run("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        return tuple(told)

    def _count_attempts(self) -> int:
        (number,) = self._connection.execute("SELECT count(*) FROM attempt").fetchone()
        return int(number)


@contextmanager
def salvage(source: Path, target: Path) -> Iterator[Salvage]:
    """Copy a profile row by row and give the copy to put right and to settle.

    It becomes `target` when the block ends without exception; what exists there stays. Raises StoreError
    where the source cannot be read or the copy not written.
    """
    refuse_existing(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise no_access(target, error) from error
    raw, part = folder / "raw.sqlite", folder / "part.sqlite"
    try:
        with sqlite_errors(source), opened(source, REVISIONS, checked=False) as (connection, _):
            if connection is None:
                raise StoreError(f"{source} holds no profile yet: there is nothing to repair.")
            with closing(sqlite3.connect(raw)) as copy:
                connection.backup(copy)
        with sqlite_errors(target), closing(_connected(part)) as copy:
            try:
                _rebuild(copy, raw)
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                    raise damaged(source, error) from error
                raise
            copy.execute("PRAGMA foreign_keys = ON")
            copy.execute("PRAGMA journal_mode = WAL")  # so that it can be read while it is put right
            yield Salvage(part, copy)
        with suppress(OSError):
            shutil.copymode(source, part)
        _publish(part, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path.absolute().as_uri(), uri=True, isolation_level=None)


def _rebuild(new: sqlite3.Connection, raw: Path) -> None:
    """Fill an empty database with the tables of another, read in order of their rows; no index is trusted."""
    run = new.execute
    run("PRAGMA ignore_check_constraints = ON")
    run("ATTACH ? AS old", (f"{raw.absolute().as_uri()}?mode=ro",))
    run("BEGIN")
    schema = "SELECT type, name, sql FROM old.sqlite_master WHERE sql IS NOT NULL"
    made = [(kind, name, sql) for kind, name, sql in run(schema) if not name.startswith("sqlite_")]
    for kind, name, sql in made:
        if kind == "table":
            run(sql)
            info = run("SELECT name FROM pragma_table_xinfo(?, 'old') WHERE hidden = 0", (name,)).fetchall()
            columns = ", ".join(f'"{column}"' for (column,) in info)
            run(f'INSERT INTO main."{name}" ({columns}) SELECT {columns} FROM old."{name}" NOT INDEXED')
    run("DELETE FROM main.sqlite_sequence")
    run("INSERT INTO main.sqlite_sequence SELECT * FROM old.sqlite_sequence")
    for kind, _, sql in made:
        if kind != "table":
            run(sql)
    run("COMMIT")
    run("DETACH old")
    run("PRAGMA ignore_check_constraints = OFF")
    run(f"PRAGMA application_id = {APPLICATION_ID}")


def refuse_existing(target: Path) -> None:
    """Raise StoreError where something exists already."""
    if os.path.lexists(target):
        raise StoreError(f"{target} exists already and was left as it is. Choose another name.")


def _publish(part: Path, target: Path) -> None:
    """Give a finished copy its name, which nothing else may have taken meanwhile."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    try:
        os.link(part, target)
    except FileExistsError:
        refuse_existing(target)
    except OSError:  # a file system without hard links
        refuse_existing(target)
        part.replace(target)
