"""Making a new profile and upgrading an older one; the only module that starts Alembic, when needed."""

import os
import secrets
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from studynorm.storage.backup import back_up, backups_of
from studynorm.storage.connect import WRITE, engine_for, transaction, translated
from studynorm.storage.errors import damaged, known_error, no_access, read_only
from studynorm.storage.peek import peek
from studynorm.storage.schema import APPLICATION_ID, REVISIONS
from studynorm.storage.tables import profile

SCRIPTS = Path(__file__).parent / "migrations"


def prepare(path: Path, busy_timeout_ms: int) -> None:
    """Make `path` a profile of the newest revision: create it, or upgrade an older one after a backup.

    Raises a StoreError, the file unchanged, where that cannot be.
    """
    revision = peek(path, REVISIONS)
    if revision is None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise no_access(path.parent, error) from error
    check_writable(path)
    if revision == REVISIONS[-1]:
        return
    if revision is not None:
        back_up(path, _backup_name(path, revision))
    with translated(path):
        engine = engine_for(path, busy_timeout_ms, create=revision is None, foreign_keys=False)
        try:
            with engine.connect() as connection, transaction(connection, WRITE):
                _upgrade(path, connection)
        except OperationalError as error:
            if known_error(path, error.orig) is None:  # tables that no profile of its revision has
                raise damaged(path, error.orig) from error
            raise


def check_writable(path: Path) -> None:
    """Raise ReadOnly where a profile or its folder cannot be written.

    To be asked beforehand: SQLite itself would leave files behind before it finds out.
    """
    for place in (path.parent, path) if path.exists() else (path.parent,):
        if not os.access(place, os.W_OK):
            raise read_only(place)


def _upgrade(path: Path, connection: Connection) -> None:
    """Run what is left to run: another process may have done it while this one waited for the lock."""
    tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one()
    lost = _lost_references(connection)
    _run_alembic(connection)
    if not tables:
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(profile.insert().values(key="salt", value=secrets.token_hex(16)))
    if _lost_references(connection) > lost:
        raise damaged(path, "rows refer to missing rows")


def _lost_references(connection: Connection) -> int:
    return len(connection.exec_driver_sql("PRAGMA foreign_key_check").all())


def _run_alembic(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, REVISIONS[-1])


def _backup_name(path: Path, revision: str) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return backups_of(path) / f"{path.stem}-schema{revision}-{stamp}.sqlite"
