"""The copies that are made by themselves: one a study day, old ones cleared, nobody else's files touched."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from studynorm.scheduling.memory import Review
from studynorm.scheduling.rating import Rating
from studynorm.storage import restore as restoring
from studynorm.storage.backup import back_up
from studynorm.storage.backups import backup_name, copies, daily_backup, inspect, newest_copy
from studynorm.storage.errors import Busy, StoreError
from studynorm.storage.restore import restore
from studynorm.storage.store import Store

MakeReview = Callable[..., Review]
FIRST = date(2026, 1, 30).toordinal()


@pytest.fixture
def folder(profile: Path) -> Path:
    """Return the folder of the copies."""
    return profile.parent.parent / "backups"


def names(folder: Path) -> list[str]:
    """Return what lies in a folder."""
    return sorted(file.name for file in folder.iterdir())


def test_a_profile_without_a_review_is_not_copied(profile: Path, store: Store, folder: Path) -> None:
    """There is nothing to lose yet, and no folder is made."""
    assert daily_backup(profile, folder, FIRST) is None
    assert daily_backup(profile.with_name("none.sqlite"), folder, FIRST) is None
    assert not folder.exists()


def test_one_copy_a_day_and_none_without_news(
    profile: Path, store: Store, folder: Path, make_review: MakeReview
) -> None:
    """The second call of a day copies nothing, nor does a day on which nothing was done since."""
    store.record(review := make_review())
    target = daily_backup(profile, folder, FIRST)
    assert target == folder / "default-2026-01-30.sqlite"
    assert inspect(target).reviews == 1
    store.record(make_review(before=review.after, ms=60_000))
    assert daily_backup(profile, folder, FIRST) is None
    assert inspect(target).reviews == 1
    assert daily_backup(profile, folder, FIRST + 1) == folder / "default-2026-01-31.sqlite"
    assert daily_backup(profile, folder, FIRST + 2) is None
    store.undo(review.moment.day)
    assert daily_backup(profile, folder, FIRST + 3) == folder / "default-2026-02-02.sqlite"


def test_old_daily_copies_go_and_all_others_stay(
    profile: Path, store: Store, folder: Path, make_review: MakeReview
) -> None:
    """Of 40 days seven stay, and the newest of each earlier month; other files are not ours to clear."""
    others = ["default-work-2026-01-30.sqlite", "default-20260130T000000.000000Z.sqlite", "notes.txt"]
    folder.mkdir(parents=True)
    for other in others:
        (folder / other).write_text("mine")
    for day in range(40):
        store.record(make_review(f"card:a/{day}"))
        assert daily_backup(profile, folder, FIRST + day) is not None
    last = date.fromordinal(FIRST + 39)
    assert last == date(2026, 3, 10)
    kept = [f"default-{last - timedelta(days=n)}.sqlite" for n in range(7)]
    months = ["default-2026-01-31.sqlite", "default-2026-02-28.sqlite"]
    assert names(folder) == sorted([*others, *kept, *months])
    assert daily_backup(profile, folder, FIRST + 60, keep=0) is None


def test_a_copy_that_cannot_be_made_removes_nothing(
    profile: Path, store: Store, folder: Path, make_review: MakeReview, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal is one line, and the older copies are all there."""
    store.record(make_review())
    for day in range(3):
        store.record(make_review(f"card:b/{day}"))
        daily_backup(profile, folder, FIRST + day, keep=9)
    before = names(folder)
    store.record(make_review("card:c/d"))
    (folder / "default-2026-02-02.sqlite-wal").write_text("of a database in use")
    with pytest.raises(StoreError, match=r"default-2026-02-02\.sqlite is a database in use"):
        daily_backup(profile, folder, FIRST + 3, keep=1)
    assert [name for name in names(folder) if not name.endswith("-wal")] == before


def test_copies_are_listed_with_what_they_hold(
    profile: Path, store: Store, folder: Path, make_review: MakeReview
) -> None:
    """Newest first; a damaged one says so, is not offered, and those of another profile are not listed."""
    store.record(review := make_review())
    back_up(profile, good := folder / "default-2026-01-30.sqlite")
    broken = backup_name(profile, folder)
    broken.write_bytes(good.read_bytes()[:5000])
    (folder / "default-work-2026-01-30.sqlite").write_bytes(good.read_bytes())
    found = {copy.path: copy for copy in copies("default", folder)}
    assert found.keys() == {good, broken}
    assert (found[good].reviews, found[good].newest) == (1, (review.moment.at, 60))
    assert "damaged" in (found[broken].trouble or "")
    newest = newest_copy("default", folder)
    assert newest is not None
    assert newest.path == good
    assert copies("default", folder / "none") == ()


def test_a_restored_profile_is_the_copy_and_the_present_one_is_kept(
    profile: Path, folder: Path, make_review: MakeReview
) -> None:
    """Memories, log and salt are those of the copy; what was there lies among the copies."""
    with Store.open(profile) as store:
        store.record(first := make_review())
        salt = store.salt
    copy = back_up(profile, folder / "mine.sqlite")
    with Store.open(profile) as store:
        store.record(make_review("card:a/later"))
    done = restore(copy, profile, folder)
    with Store.open(profile) as store:
        assert store.known_items() == {"card:a/b"}
        assert store.memory("card:a/b") == first.after
        assert store.salt == salt
    assert done.kept is not None
    assert inspect(done.kept).reviews == 2
    assert names(profile.parent) == ["default.sqlite"]
    again = restore(done.kept, profile, folder)
    assert inspect(profile).reviews == 2
    assert again.kept is not None


def test_a_program_that_has_the_profile_open_goes_on_with_the_restored_one(
    profile: Path, folder: Path, make_review: MakeReview
) -> None:
    """An open store sees what was restored at its next transaction and keeps answers in it."""
    with Store.open(profile) as store:
        store.record(first := make_review())
        copy = back_up(profile, folder / "mine.sqlite")
        store.record(second := make_review(before=first.after, ms=60_000))
        restore(copy, profile, folder)
        assert store.memory("card:a/b") == first.after != second.after
        store.record(make_review("card:a/new"))
    with Store.open(profile) as store:
        assert store.known_items() == {"card:a/b", "card:a/new"}
    with closing(sqlite3.connect(profile)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_while_another_program_writes_nothing_is_replaced(
    profile: Path, folder: Path, make_review: MakeReview, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Restoring waits a little and says then that another program is writing."""
    monkeypatch.setattr(restoring, "_WAIT_SECONDS", 0.1)
    with Store.open(profile) as store:
        store.record(make_review())
        copy = back_up(profile, folder / "mine.sqlite")
        store.record(make_review("card:a/later", Rating.EASY))
        with closing(sqlite3.connect(profile, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(Busy):
                restore(copy, profile, folder)
            other.execute("ROLLBACK")
        assert store.known_items() == {"card:a/b", "card:a/later"}


def test_restoring_over_a_damaged_profile_moves_it_aside(
    profile: Path, folder: Path, make_review: MakeReview
) -> None:
    """Nothing is thrown away, not even what cannot be read; and a home without a profile gets one."""
    with Store.open(profile) as store:
        store.record(make_review())
    copy = back_up(profile, folder / "mine.sqlite")
    profile.write_text("no database")
    done = restore(copy, profile, folder)
    assert done.aside is not None
    assert done.aside.read_text() == "no database"
    assert inspect(profile).reviews == 1
    fresh = profile.with_name("fresh.sqlite")
    assert restore(copy, fresh, folder) == restoring.Restored(None, None)
    assert inspect(fresh).reviews == 1


@pytest.mark.parametrize("kind", ["absent", "text", "half", "foreign", "newer", "export", "itself", "empty"])
def test_what_is_no_copy_is_refused_and_nothing_changes(
    profile: Path, folder: Path, tmp_path: Path, make_review: MakeReview, kind: str
) -> None:
    """Each in one line that names the file; the profile stays byte for byte."""
    with Store.open(profile) as store:
        store.record(make_review())
    source = tmp_path / ("export.json" if kind == "export" else "copy.sqlite")
    back_up(profile, source)
    match kind:
        case "absent":
            source.unlink()
        case "text":
            source.write_text("not a database")
        case "export":
            source.write_text('{"schema": 1, "reviews": []}')
        case "empty":
            source.write_bytes(b"")
        case "half":
            source.write_bytes(source.read_bytes()[:9000])
        case "itself":
            source = profile
        case "foreign" | "newer":
            change = (
                "PRAGMA application_id = 7"
                if kind == "foreign"
                else "UPDATE alembic_version SET version_num = '9'"
            )
            with closing(sqlite3.connect(source, isolation_level=None)) as connection:
                connection.execute(change)
    before = profile.read_bytes()
    with pytest.raises(StoreError) as told:
        restore(source, profile, folder)
    assert str(source) in str(told.value)
    assert "\n" not in str(told.value)
    assert profile.read_bytes() == before
    assert names(profile.parent) == ["default.sqlite"]
