"""`studynorm profile list`, and which profile a command uses."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Run, payload, refusal

REVIEW = ("review", "--plain", "--limit", "2")


def answered(run: Run, *names: str) -> None:
    """Rate two cards Good in some profiles."""
    for name in names:
        assert run(*REVIEW, "--profile", name, typed="\n3\n\n3\n").exit_code == 0


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sql(path: Path, query: str) -> list[tuple[object, ...]]:
    """Ask SQLite itself."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.parametrize(
    ("flag", "variable", "used"),
    [
        (None, None, "default"),
        (None, "", "default"),
        (None, "exam", "exam"),
        ("a", "exam", "a"),
        ("", "exam", "exam"),
    ],
)
def test_the_flag_wins_over_the_variable(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, flag: str | None, variable: str | None, used: str
) -> None:
    """An empty one of either counts as unset; the profile that is used is the one that is made."""
    if variable is not None:
        monkeypatch.setenv("STUDYNORM_PROFILE", variable)
    flags = () if flag is None else ("--profile", flag)
    assert run(*REVIEW, *flags).exit_code == 0
    assert [path.name for path in (home / "profiles").glob("*.sqlite")] == [f"{used}.sqlite"]
    assert payload(run("profile", "list", "--json", *flags))["in_use"] == used


@pytest.mark.parametrize("name", ["../x", "con", "Aux", "COM1"])
def test_a_variable_that_names_no_profile_is_refused(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """In one line, like the flag; devices of Windows are no files there."""
    monkeypatch.setenv("STUDYNORM_PROFILE", name)
    for args in (("due",), ("profile", "list"), REVIEW):
        assert "profile name" in refusal(run(*args))
    assert not home.exists()


def test_a_profile_that_differs_in_case_alone_is_refused(run: Run, home: Path) -> None:
    """By every command that would read or make it."""
    answered(run, "exam")
    for args in (("due",), REVIEW, ("config", "set", "leech_at", "3")):
        assert "There is no profile 'Exam', but 'exam'." in refusal(run(*args, "--profile", "Exam"))
    assert [path.stem for path in (home / "profiles").glob("*.sqlite")] == ["exam"]


def test_without_any_profile_the_one_in_use_is_listed(run: Run, home: Path) -> None:
    """It holds nothing yet, and listing makes nothing."""
    assert payload(run("profile", "list", "--json"))["profiles"] == [
        {
            "name": "default",
            "file": str(home / "profiles" / "default.sqlite"),
            "items": 0,
            "reviews": 0,
            "newest": None,
            "size": 0,
            "trouble": None,
        }
    ]
    assert not home.exists()


def test_profiles_are_listed_with_what_they_hold(run: Run, home: Path) -> None:
    """The numbers are those that SQLite counts; no byte of any profile changes."""
    answered(run, "b", "a")
    run(*REVIEW, "--profile", "a", typed="\n1\n")
    before = snapshot(home)
    found = payload(run("profile", "list", "--json"))["profiles"]
    assert snapshot(home) == before
    assert [one["name"] for one in found] == ["a", "b", "default"]
    for one in found[:2]:
        path = Path(one["file"])
        assert [(one["items"],)] == sql(path, "SELECT count(DISTINCT item) FROM review")
        assert [(one["reviews"],)] == sql(path, "SELECT count(*) FROM review")
        query = "SELECT strftime('%Y-%m-%dT%H:%M:%f', max(at) / 1000.0, 'unixepoch') || '+00:00' FROM review"
        assert [(one["newest"],)] == sql(path, query)
        assert one["size"] >= path.stat().st_size > 0
        assert one["trouble"] is None
    assert [one["reviews"] for one in found] == [3, 2, 0]


def test_the_table_marks_the_profile_in_use(run: Run, home: Path) -> None:
    """One line each, the newest answer as the clock showed it, the size in words."""
    answered(run, "exam", "other")
    header, exam, other = run("profile", "list", "--profile", "exam").stdout.splitlines()
    assert header.split() == ["profile", "items", "reviews", "newest", "answer", "size"]
    assert other.split()[:3] == ["other", "2", "2"]
    star, name, items, reviews, day, time, *size = exam.split()
    assert (star, name, items, reviews, size[-1]) == ("*", "exam", "2", "2", "KiB")
    path = home / "profiles" / "exam.sqlite"
    query = "SELECT strftime('%Y-%m-%d %H:%M', max(at) / 1000 + utc_offset * 60, 'unixepoch') FROM review"
    assert [(f"{day} {time}",)] == sql(path, query)


def test_files_that_are_no_profiles_say_so_and_stay(run: Run, home: Path) -> None:
    """Notes, a damaged one, a newer one, another program's, a folder, a bad name: each in one line."""
    answered(run, "good")
    folder = home / "profiles"
    good = folder / "good.sqlite"
    with closing(sqlite3.connect(good)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (folder / "notes.sqlite").write_text("my notes")
    (folder / "cut.sqlite").write_bytes(good.read_bytes()[:20_000])
    shutil.copy(good, folder / "newer.sqlite")
    with closing(sqlite3.connect(folder / "newer.sqlite")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with closing(sqlite3.connect(folder / "foreign.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE t (x)")
    shutil.copy(good, folder / "odd.sqlite")
    with closing(sqlite3.connect(folder / "odd.sqlite")) as connection, connection:
        connection.execute("ALTER TABLE review RENAME COLUMN at TO then_")
    (folder / "folder.sqlite").mkdir()
    shutil.copy(good, folder / "a b\x1b.sqlite")
    (folder / "other.txt").write_text("not mine")
    before = snapshot(home)
    found = {one["name"]: one for one in payload(run("profile", "list", "--json"))["profiles"]}
    words = {
        "notes": "is not a database",
        "cut": "is damaged",
        "newer": "newer studynorm",
        "foreign": "belongs to another program",
        "odd": "is damaged",
        "folder": "is a folder",
        "a b\x1b": "is not a profile name",
    }
    assert set(found) == {*words, "good", "default"}
    for name, one in found.items():
        assert (words.get(name) is None) == (one["trouble"] is None), name
        assert (words.get(name) or "") in (one["trouble"] or "")
    assert found["good"]["reviews"] == 2
    table = run("profile", "list").stdout
    assert len(table.splitlines()) == 1 + len(found)
    assert "\x1b" not in table
    assert snapshot(home) == before


def test_a_folder_of_profiles_that_is_a_file_is_empty(run: Run, home: Path) -> None:
    """The one in use is listed all the same, or what is wrong with it."""
    home.mkdir()
    (home / "profiles").write_text("mine")
    done = run("profile", "list")
    assert done.exit_code == 0
    assert "default" in done.stdout
