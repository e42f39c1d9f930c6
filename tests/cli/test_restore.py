"""`studynorm restore`: what it asks, what it keeps, and what it refuses."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from studynorm.storage.home import Home
from studynorm.study.desk import open_desk
from tests.cli.conftest import Run, refusal, usage_error
from tests.cli.test_backup import ITEM, learn, reviews

OTHER = "card:batchnorm/two-operations"


@pytest.fixture
def copy(run: Run, home: Path, tmp_path: Path) -> Path:
    """A copy with one review, of a profile that has two by now."""
    learn(home)
    target = tmp_path / "copy.sqlite"
    assert run("backup", str(target)).exit_code == 0
    learn(home, OTHER)
    return target


def test_the_copy_takes_the_place_and_work_goes_on(run: Run, home: Path, copy: Path) -> None:
    """What was there is kept among the copies; then an answer can be given and taken back."""
    own = home / "profiles" / "default.sqlite"
    done = run("restore", str(copy), "--yes")
    assert done.exit_code == 0, done.output
    assert reviews(own) == 1
    (kept,) = (home / "backups").iterdir()
    assert f"kept what was there as {kept}" in done.stdout
    assert reviews(kept) == 2
    learn(home, OTHER)
    with open_desk(Home(home)) as desk:
        undone = desk.store.undo(desk.clock().day)
        assert undone is not None
        assert undone.item == OTHER
        assert desk.store.known_items() == {ITEM}
    assert run("restore", str(kept), "--yes").exit_code == 0
    assert reviews(own) == 2


def test_without_a_terminal_it_asks_for_yes(run: Run, home: Path, copy: Path) -> None:
    """Exit code 2, and the profile stays."""
    assert "--yes" in usage_error(run("restore", str(copy)))
    assert reviews(home / "profiles" / "default.sqlite") == 2


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("newer", "made by a newer studynorm"),
        ("foreign", "belongs to another program"),
        ("damaged", "is damaged"),
        ("text", "is not a database"),
        ("empty", "is empty"),
        ("absent", "does not exist"),
    ],
)
def test_what_is_no_copy_is_refused_with_everything_untouched(
    run: Run, home: Path, copy: Path, kind: str, why: str
) -> None:
    """One line, exit code 1; no copy of the present profile is made either."""
    match kind:
        case "newer" | "foreign":
            change = "UPDATE alembic_version SET version_num = 'x'"
            with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
                connection.execute(change if kind == "newer" else "PRAGMA application_id = 7")
        case "damaged":
            whole = copy.read_bytes()
            copy.write_bytes(whole[: 5 * 4096] + b"\xff" * 4096 + whole[6 * 4096 :])
        case "text":
            copy.write_text("Dear diary")
        case "empty":
            copy.write_bytes(b"")
        case _:
            copy.unlink()
    own = home / "profiles" / "default.sqlite"
    before = own.read_bytes()
    assert why in refusal(run("restore", str(copy), "--yes"))
    assert own.read_bytes() == before
    assert not (home / "backups").exists()
