"""Opening a profile: made when absent, upgraded when older, left alone when it is not ours to change."""

import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from studynorm.scheduling.memory import Review
from studynorm.storage import upgrade
from studynorm.storage.schema import APPLICATION_ID, REVISIONS
from studynorm.storage.store import (
    ForeignDatabase,
    NewerDatabase,
    NotADatabase,
    Store,
    StoreError,
)
from studynorm.storage.tables import metadata

MakeReview = Callable[..., Review]
NEWEST = REVISIONS[-1]


def folder_bytes(folder: Path) -> dict[str, str]:
    """Return the name and hash of every file in a folder; the -shm file is shared memory, not data."""
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.iterdir())
        if not file.name.endswith("-shm")
    }


def change(path: Path, *statements: str) -> None:
    """Run statements on a database as another program would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def used(profile: Path, make_review: MakeReview) -> Path:
    """Return a closed profile with some reviews in it."""
    with Store.open(profile) as store:
        for n in range(50):
            store.record(make_review(f"card:a/{n}"))
    return profile


def test_a_profile_is_made_with_its_folders(profile: Path) -> None:
    """An absent profile is made with its folders, marked as ours, at the newest revision, in WAL mode."""
    Store.open(profile).close()
    with closing(sqlite3.connect(profile)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(NEWEST,)]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_without_bytes_counts_as_absent(profile: Path) -> None:
    """An empty file, as a failed copy or `touch` leaves it, becomes a profile."""
    profile.parent.mkdir(parents=True)
    profile.touch()
    with Store.open(profile) as store:
        assert store.salt
    with closing(
        sqlite3.connect(profile)
    ) as connection:  # header only, as a crash in the very first moment leaves
        connection.executescript("DROP TABLE IF EXISTS x")
    other = profile.with_name("other.sqlite")
    change(other, "PRAGMA journal_mode = WAL", "VACUUM")
    with Store.open(other) as store:
        assert store.salt


def test_every_connection_keeps_its_promises(store: Store) -> None:
    """WAL, full synchronisation, foreign keys and the waiting time are set on the connection in use."""
    driver = store._connection.connection.dbapi_connection
    assert isinstance(driver, sqlite3.Connection)
    pragmas = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    values = [driver.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]
    assert values == ["wal", 2, 1, 5000]  # 2 is FULL


def _bracketed(text: str) -> str:
    """Return the text up to the bracket that closes its first one."""
    depth = 0
    for at, char in enumerate(text):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == ")" and not depth:
            return " ".join(text[: at + 1].split())
    return text


def shape(connection: sqlite3.Connection) -> dict[str, object]:
    """Return each table's columns, references and checks, and the SQL of each index."""
    query = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
    found: dict[str, object] = {}
    for kind, name, sql in connection.execute(query):
        if kind == "index":
            found[name] = sql.split()
        elif kind == "table":
            columns = [row[1:4] + row[5:] for row in connection.execute(f"PRAGMA table_xinfo({name})")]
            refers = sorted(row[2:5] for row in connection.execute(f"PRAGMA foreign_key_list({name})"))
            checks = sorted(_bracketed(part) for part in sql.split("CHECK")[1:])
            computed = re.findall(r"GENERATED ALWAYS AS (.*) VIRTUAL", sql)
            found[name] = columns, refers, checks, computed, "AUTOINCREMENT" in sql
    return found


def test_the_migrations_make_the_tables_that_the_program_uses(profile: Path) -> None:
    """Columns, references, checks and indexes made by Alembic equal those of the program's own metadata."""
    Store.open(profile).close()
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        metadata.create_all(connection)
        driver = connection.connection.dbapi_connection
        assert isinstance(driver, sqlite3.Connection)
        wanted = shape(driver)
    engine.dispose()
    with closing(sqlite3.connect(profile)) as connection:
        made = shape(connection)
    del made["alembic_version"]
    assert made == wanted
    assert {"review", "memory_topic"} <= made.keys()


def test_opening_an_up_to_date_profile_loads_no_alembic(used: Path) -> None:
    """Alembic and the ORM stay out of a normal start."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom studynorm.storage.store import Store\n"
        "Store.open(Path(sys.argv[1])).close()\n"
        "print([m for m in ('alembic', 'sqlalchemy.orm', 'fsrs') if m in sys.modules])\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, str(used)], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_many_processes_make_one_profile(profile: Path) -> None:
    """Five processes that start at once on an absent profile all open the same one."""
    program = (
        "import sys\nfrom pathlib import Path\nimport alembic.command\n"
        "from studynorm.storage.store import Store\nprint('ready', flush=True)\n"
        "sys.stdin.readline()\nprint(Store.open(Path(sys.argv[1])).salt)\n"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(profile)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(5)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    salts = set()
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        out, _ = child.communicate(timeout=60)
        salts.add(out.strip())
        assert child.returncode == 0
    assert len(salts) == 1
    assert "" not in salts


@pytest.mark.parametrize("revision", ["'0099'", "'1000'", "1000", "'x'", "''"])
@pytest.mark.parametrize("leave", ["closed", "open", "copied"])
def test_a_newer_profile_is_refused_untouched(used: Path, tmp_path: Path, revision: str, leave: str) -> None:
    """A schema this program does not know is refused by name; no byte changes, not of the WAL either."""
    connection = sqlite3.connect(used, isolation_level=None)
    connection.execute(f"UPDATE alembic_version SET version_num = {revision}")
    path = used
    if leave == "closed":
        connection.close()
    elif leave == "copied":  # file and WAL, as a copy of a program in use has them
        path = tmp_path / "copy" / used.name
        path.parent.mkdir()
        for ending in ("", "-wal"):
            shutil.copyfile(str(used) + ending, str(path) + ending)
    assert Path(f"{path}-wal").exists() == (leave != "closed")
    files, before = sorted(path.parent.iterdir()), folder_bytes(path.parent)
    with pytest.raises(NewerDatabase, match="made by a newer studynorm"):
        Store.open(path)
    assert folder_bytes(path.parent) == before
    assert sorted(path.parent.iterdir()) == files
    connection.close()


def text_file(path: Path) -> None:
    """Write a text file."""
    path.write_text("front,back\n1,2\n")


def zeros(path: Path) -> None:
    """Write a file of zeros."""
    path.write_bytes(bytes(5000))


def other_tables(path: Path) -> None:
    """Make a database with tables and no mark."""
    change(path, "CREATE TABLE notes (id INTEGER)")


def other_mark(path: Path) -> None:
    """Make an empty database with the mark of another program."""
    change(path, "PRAGMA application_id = 1234", "VACUUM")


def their_alembic(path: Path) -> None:
    """Make the database of another program that uses Alembic too, with our revision number."""
    change(
        path,
        "CREATE TABLE alembic_version (version_num TEXT)",
        f"INSERT INTO alembic_version VALUES ('{NEWEST}')",
    )


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (text_file, NotADatabase),
        (zeros, NotADatabase),
        (other_tables, ForeignDatabase),
        (other_mark, ForeignDatabase),
        (their_alembic, ForeignDatabase),
    ],
)
def test_a_foreign_file_is_refused_untouched(
    profile: Path, make: Callable[[Path], None], error: type[StoreError]
) -> None:
    """A file that is not ours is refused with one line that names it, and stays as it is, alone."""
    profile.parent.mkdir(parents=True)
    make(profile)
    before = folder_bytes(profile.parent)
    with pytest.raises(error) as caught:
        Store.open(profile)
    assert str(profile) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert folder_bytes(profile.parent) == before
    assert [file.name for file in profile.parent.iterdir()] == [profile.name]


def cut_short(path: Path) -> None:
    """Cut the file in half."""
    os.truncate(path, path.stat().st_size // 2)


def overwrite(path: Path) -> None:
    """Write over some bytes in every page but the first."""
    with path.open("r+b") as file:
        for page in range(1, path.stat().st_size // 4096):
            file.seek(4096 * page)
            file.write(b"\xff" * 64)


def drop_table(path: Path) -> None:
    """Lose a table."""
    change(path, "DROP TABLE attempt")


def lose_revision(path: Path) -> None:
    """Lose the revision."""
    change(path, "DELETE FROM alembic_version")


@pytest.mark.parametrize("harm", [cut_short, overwrite, drop_table, lose_revision])
def test_a_damaged_profile_is_refused_untouched(used: Path, harm: Callable[[Path], None]) -> None:
    """Damage is reported as such, with the way out, and nothing is repaired, moved or overwritten."""
    harm(used)
    before = folder_bytes(used.parent)
    with pytest.raises(NotADatabase, match=r"is damaged .* backup"):
        Store.open(used)
    assert folder_bytes(used.parent) == before


def test_a_folder_where_the_file_should_be(profile: Path, tmp_path: Path) -> None:
    """A folder at the profile's path, or a file where its folder should be, gives one line with the path."""
    profile.mkdir(parents=True)
    with pytest.raises(StoreError, match=r"default\.sqlite is a folder"):
        Store.open(profile)
    blocker = tmp_path / "blocker"
    blocker.write_text("")
    with pytest.raises(StoreError, match="blocker"):
        Store.open(blocker / "profiles" / "default.sqlite")
    assert blocker.read_text() == ""


@pytest.mark.parametrize("name", ["my cards ü", "[x] 100%", "a#b?c=d&e", "it's"])
def test_odd_folder_names_work(tmp_path: Path, name: str, make_review: MakeReview) -> None:
    """Blanks, brackets, percent, hash, question mark and quotes in a path are only a path."""
    path = tmp_path / name / "default.sqlite"
    with Store.open(path) as store:
        store.record(make_review())
    with Store.open(path) as store:
        assert store.known_items() == {"card:a/b"}
    assert sorted(p.name for p in path.parent.iterdir()) == ["default.sqlite"]


NEXT = f'''"""A later revision."""
import sqlalchemy as sa
from alembic import op
revision = "0099"
down_revision = "{NEWEST}"

def upgrade():
    op.add_column("memory", sa.Column("note", sa.Text))
    with op.batch_alter_table("review") as batch:
        batch.add_column(sa.Column("mood", sa.Text, server_default="fine"))
'''


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the program know one more revision, so that a profile is an older one; return its script."""
    scripts = tmp_path / "100% scripts"
    shutil.copytree(upgrade.SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    script = scripts / "versions" / "0099_later.py"
    script.write_text(NEXT)
    monkeypatch.setattr(upgrade, "SCRIPTS", scripts)
    monkeypatch.setattr(upgrade, "REVISIONS", (*REVISIONS, "0099"))
    return script


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    """Return a table's rows."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()


def test_an_older_profile_is_upgraded_after_a_backup(used: Path, later: Path) -> None:
    """The upgrade keeps every row; the backup beside `profiles` is the profile as it was before."""
    reviews, memories = rows(used, "review"), rows(used, "memory")
    with Store.open(used) as store:
        assert len(store.known_items()) == 50
    assert rows(used, "alembic_version") == [("0099",)]
    assert rows(used, "review") == [(*row, "fine") for row in reviews]
    (backup,) = (used.parent.parent / "backups").iterdir()
    assert backup.name.startswith(f"default-schema{NEWEST}-")
    assert rows(backup, "alembic_version") == [(NEWEST,)]
    assert rows(backup, "review") == reviews
    assert rows(backup, "memory") == memories
    Store.open(used).close()
    assert len(list(backup.parent.iterdir())) == 1


def test_a_failed_upgrade_changes_nothing(used: Path, later: Path) -> None:
    """When a migration fails half-way the profile is the old one, whole, and works with the old program."""
    later.write_text(NEXT + "    raise RuntimeError('half-way')\n")
    reviews = rows(used, "review")
    with pytest.raises(RuntimeError, match="half-way"):
        Store.open(used)
    assert rows(used, "alembic_version") == [(NEWEST,)]
    assert rows(used, "review") == reviews
    with closing(sqlite3.connect(used)) as connection:
        assert "note" not in {row[1] for row in connection.execute("PRAGMA table_info(memory)")}


def test_no_upgrade_without_its_backup(used: Path, later: Path) -> None:
    """When the backup cannot be written the profile is not upgraded."""
    (used.parent.parent / "backups").write_text("in the way")
    before = folder_bytes(used.parent)
    with pytest.raises(StoreError, match="backups"):
        Store.open(used)
    assert folder_bytes(used.parent) == before
