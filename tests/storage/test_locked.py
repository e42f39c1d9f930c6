"""Profiles behind a link, read-only ones and damaged pages: what SQLite keeps beside them is minded."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studynorm.scheduling.memory import Review
from studynorm.storage import backup as copying
from studynorm.storage.backup import back_up
from studynorm.storage.backups import inspect
from studynorm.storage.errors import NotADatabase, StoreError
from studynorm.storage.peek import peek
from studynorm.storage.restore import restore
from studynorm.storage.schema import REVISIONS
from studynorm.storage.store import Store

MakeReview = Callable[..., Review]


@pytest.fixture
def linked(profile: Path, tmp_path: Path, make_review: MakeReview) -> Path:
    """A profile with one review that is a link to a file elsewhere; return that file."""
    real = tmp_path / "elsewhere" / "real.sqlite"
    with Store.open(real) as store:
        store.record(make_review())
    profile.parent.mkdir(parents=True)
    profile.symlink_to(real)
    return real


def test_what_is_only_in_the_log_of_a_linked_profile_is_seen(profile: Path, linked: Path) -> None:
    """SQLite keeps the write-ahead log beside the file that the link leads to."""
    with closing(sqlite3.connect(linked, isolation_level=None)) as other:
        other.execute("DELETE FROM memory")
        other.execute("DELETE FROM attempt")
        other.execute("DELETE FROM review")
        assert linked.with_name("real.sqlite-wal").stat().st_size > 0
        assert inspect(profile).reviews == 0


@pytest.mark.parametrize("damaged", [False, True])
def test_a_link_stays_one_when_its_profile_is_restored(
    profile: Path, linked: Path, tmp_path: Path, damaged: bool
) -> None:
    """The file that it leads to is replaced, and kept among the copies of this profile."""
    copy = back_up(profile, tmp_path / "copy.sqlite")
    if damaged:
        linked.write_text("no database")
    done = restore(copy, profile, tmp_path / "backups")
    assert profile.is_symlink()
    assert profile.resolve() == linked
    assert inspect(linked).reviews == 1
    kept = done.aside if damaged else done.kept
    assert kept is not None
    assert kept.name.startswith("default-")
    assert [file.name for file in linked.parent.iterdir()] == ["real.sqlite"]


def test_a_copy_of_a_read_only_file_can_be_written(
    profile: Path, tmp_path: Path, make_review: MakeReview
) -> None:
    """So it can be restored; its owner alone gets the right to write."""
    with Store.open(profile) as store:
        store.record(make_review())
    profile.chmod(0o444)
    assert back_up(profile, tmp_path / "copy.sqlite").stat().st_mode & 0o777 == 0o644


def test_copying_what_may_not_be_written_leaves_nothing_beside_it(
    profile: Path, tmp_path: Path, make_review: MakeReview, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's shared memory would stay read-only there, and shut the profile once it is writable again."""
    with Store.open(profile) as store:
        store.record(make_review())
    monkeypatch.setattr("studynorm.storage.backup.os.access", lambda place, mode: False)
    opened: list[str] = []
    connect = sqlite3.connect

    def note(place: object, *more: object, **options: object) -> sqlite3.Connection:
        opened.append(str(place))
        return connect(place, *more, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(sqlite3, "connect", note)
    assert inspect(back_up(profile, tmp_path / "copy.sqlite")).reviews == 1
    assert not any(profile.name in place and "mode=rw" in place for place in opened)
    assert [file.name for file in profile.parent.iterdir()] == ["default.sqlite"]


def test_a_damaged_page_is_told_in_one_line(profile: Path, make_review: MakeReview) -> None:
    """SQLite puts a heading and a line break before what it finds."""
    with Store.open(profile) as store:
        store.record(make_review())
    with profile.open("r+b") as file:
        file.seek(5 * 4096)
        file.write(b"\xff" * 4096)
    with pytest.raises(NotADatabase) as told:
        peek(profile, REVISIONS)
    assert len(str(told.value).splitlines()) == 1
    assert "damaged (Page 6: " in str(told.value) or "damaged (Tree " in str(told.value)


def test_a_restore_without_room_names_the_profile(
    profile: Path, tmp_path: Path, make_review: MakeReview, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the file that is made ready beside it; the profile stays byte for byte."""
    with Store.open(profile) as store:
        store.record(make_review())
    copy = back_up(profile, tmp_path / "copy.sqlite")
    before = profile.read_bytes()

    def full(source: Path, part: Path, target: Path) -> None:
        raise StoreError(f"{target} could not be written")

    monkeypatch.setattr(copying, "_copy", full)
    with pytest.raises(StoreError, match=r"\.sqlite could not be written") as told:
        restore(copy, profile, tmp_path / "backups")
    assert str(told.value) == f"{profile} could not be written"
    assert profile.read_bytes() == before
    assert [file.name for file in profile.parent.iterdir()] == ["default.sqlite"]
