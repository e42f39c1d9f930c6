"""Backups: one whole file that holds what was answered, made while the program runs."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studynorm.scheduling.memory import Review
from studynorm.storage.backup import back_up
from studynorm.storage.errors import StoreError
from studynorm.storage.store import Store

MakeReview = Callable[..., Review]


def test_a_backup_holds_what_is_only_in_the_wal(
    profile: Path, tmp_path: Path, store: Store, make_review: MakeReview
) -> None:
    """Answers given while the program runs are in the backup, which is a single file and opens elsewhere."""
    for n in range(5):
        store.record(make_review(f"card:a/{n}"))
    target = tmp_path / "elsewhere" / "copy.sqlite"
    assert back_up(profile, target) == target
    assert [file.name for file in target.parent.iterdir()] == ["copy.sqlite"]
    with Store.open(target) as copy:
        assert copy.known_items() == store.known_items() == {f"card:a/{n}" for n in range(5)}
        assert copy.salt == store.salt


def test_a_backup_replaces_an_older_one_or_leaves_it(profile: Path, tmp_path: Path, store: Store) -> None:
    """The older backup stays until the new one is whole; a failed one leaves nothing behind."""
    target = tmp_path / "copy.sqlite"
    target.write_text("older")
    back_up(profile, target)
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    kept = target.read_bytes()
    broken = tmp_path / "broken.sqlite"
    broken.write_text("not a database at all, but long enough to look at")
    with pytest.raises(StoreError):
        back_up(broken, target)
    assert target.read_bytes() == kept
    assert sorted(file.name for file in tmp_path.iterdir()) == ["broken.sqlite", "copy.sqlite", "home"]
