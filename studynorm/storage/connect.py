"""Opening a profile's SQLite file: the pragmas every connection has, and the SQLAlchemy engine on top."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, create_engine
from sqlalchemy.exc import DBAPIError

from studynorm.storage.errors import known_error
from studynorm.storage.peek import readable

READ = "BEGIN"
WRITE = "BEGIN IMMEDIATE"  # a plain BEGIN that writes later can lose its snapshot and fail at once


def engine_for(
    path: Path, busy_timeout_ms: int, *, create: bool = False, foreign_keys: bool = True
) -> Engine:
    """Return an engine whose connections may be used from any thread, one thread at a time."""

    def connect() -> sqlite3.Connection:
        return _connect(path, busy_timeout_ms, "rwc" if create else "rw", foreign_keys)

    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite reports about the file, its disk or its locks into a StoreError; let faults pass."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        known = known_error(path, error.orig if isinstance(error, DBAPIError) else error)
        if known is None:
            raise
        raise known from error


@contextmanager
def transaction(connection: Connection, begin: str) -> Iterator[Connection]:
    """Hold one transaction, started by `begin`: committed at the end, rolled back by any exception."""
    with connection.begin():
        connection.exec_driver_sql(begin)
        yield connection


def _connect(path: Path, busy_timeout_ms: int, mode: str, foreign_keys: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,  # the driver starts no transactions of its own
        check_same_thread=False,
        timeout=busy_timeout_ms / 1000,
    )
    connection.text_factory = readable
    try:
        _set_wal(connection, busy_timeout_ms)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
    except BaseException:
        connection.close()
        raise
    return connection


def _set_wal(connection: sqlite3.Connection, busy_timeout_ms: int) -> None:
    """Ask for WAL. A file system that cannot do it keeps its rollback journal, which is slower but as safe.

    SQLite does not wait for locks here when the file is new, so this waits itself.
    """
    give_up = time.monotonic() + busy_timeout_ms / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.01)
        else:
            return
