"""Suspending, burying, forgetting: what is not asked, what is taken away and given back, and the events."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studynorm.scheduling.memory import Review
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment
from studynorm.storage import upgrade
from studynorm.storage.glance import glance
from studynorm.storage.rows import memory_columns, review_columns
from studynorm.storage.store import StaleReview, Store, StoreError
from studynorm.storage.upkeep import EventKind
from tests.storage.conftest import DAY

MakeReview = Callable[..., Review]
NOW = Moment((DAY - 719_163) * 86_400_000 + 5_000, 60, DAY)
TOMORROW = Moment(NOW.at + 86_400_000, 60, DAY + 1)


def kinds(store: Store, item: str) -> list[EventKind]:
    """Return what happened to an item, oldest first."""
    return [event.kind for event in store.upkeep.events(item)]


def test_a_suspended_item_is_paused_until_it_is_resumed(store: Store) -> None:
    """Suspension has no end of its own; doing it twice changes and logs nothing."""
    assert store.upkeep.suspend(["card:a/b", "card:a/c", "card:a/b"], NOW) == 2
    assert store.upkeep.suspend(["card:a/b"], NOW) == 0
    assert store.upkeep.paused(DAY + 5000) == {"card:a/b", "card:a/c"}
    assert store.upkeep.resume(["card:a/b", "card:never/seen"], TOMORROW) == 1
    assert store.upkeep.paused(DAY) == {"card:a/c"}
    assert kinds(store, "card:a/b") == [EventKind.SUSPEND, EventKind.RESUME]
    assert store.upkeep.events("card:a/b")[1].moment == TOMORROW


def test_a_buried_item_is_paused_for_its_study_day_alone(store: Store) -> None:
    """The next study day asks it again, without anybody doing anything."""
    assert store.upkeep.bury(["card:a/b"], NOW) == 1
    assert store.upkeep.bury(["card:a/b"], NOW) == 0
    assert store.upkeep.paused(DAY) == {"card:a/b"}
    assert store.upkeep.paused(DAY + 1) == frozenset()
    assert store.upkeep.bury(["card:a/b"], TOMORROW) == 1
    assert store.upkeep.unbury(["card:a/b"], TOMORROW) == 1
    assert store.upkeep.paused(DAY + 1) == frozenset()
    assert store.upkeep.unbury(["card:a/b"], TOMORROW) == 0


def test_suspension_and_burial_do_not_touch_each_other(store: Store) -> None:
    """An item can be both; ending one leaves the other."""
    store.upkeep.bury(["x"], NOW)
    store.upkeep.suspend(["x"], NOW)
    store.upkeep.resume(["x"], NOW)
    assert store.upkeep.paused(DAY) == {"x"}
    store.upkeep.suspend(["x"], NOW)
    store.upkeep.unbury(["x"], NOW)
    assert store.upkeep.paused(DAY) == {"x"}


def test_forgetting_makes_an_item_new_and_remembering_gives_it_back(
    store: Store, make_review: MakeReview
) -> None:
    """The memory goes, the review stays in the log; the memory that comes back is the very one."""
    review = make_review("card:a/b")
    store.record(review)
    assert store.upkeep.forget(["card:a/b", "card:a/new"], NOW) == 1
    assert store.memory("card:a/b") is None
    assert store.upkeep.reviews("card:a/b") == (review,)
    assert store.upkeep.events("card:a/b")[0].before == review.after
    assert store.upkeep.remember(["card:a/b"], NOW) == 1
    assert store.memory("card:a/b") == review.after
    assert store.upkeep.remember(["card:a/b"], NOW) == 0
    assert kinds(store, "card:a/b") == [EventKind.FORGET, EventKind.REMEMBER]


def test_a_memory_made_since_is_never_overwritten(store: Store, make_review: MakeReview) -> None:
    """An item that was answered after it was forgotten keeps its new memory; its older review stays."""
    first = make_review("card:a/b")
    store.record(first)
    store.upkeep.forget(["card:a/b"], NOW)
    with pytest.raises(StaleReview, match="forgotten since"):
        store.undo(DAY)
    second = make_review("card:a/b", Rating.EASY, None, DAY, 60_000)
    store.record(second)
    assert store.upkeep.remember(["card:a/b"], NOW) == 0
    assert store.memory("card:a/b") == second.after
    assert store.undo(DAY) == second
    assert store.memory("card:a/b") is None


def test_an_edit_between_two_reviews_is_logged_and_resets_nothing(
    store: Store, make_review: MakeReview
) -> None:
    """The same words twice are no event, other words are one, and the memory goes on."""
    first = make_review("card:a/b")
    store.record(first, fingerprint="aa")
    assert store.upkeep.wordings() == {"card:a/b": "aa"}
    second = make_review("card:a/b", Rating.GOOD, first.after, DAY, 60_000)
    store.record(second, fingerprint="aa")
    assert kinds(store, "card:a/b") == []
    third = make_review("card:a/b", Rating.GOOD, second.after, DAY + 3)
    store.record(third, fingerprint="bb")
    assert kinds(store, "card:a/b") == [EventKind.REWORD]
    assert store.memory("card:a/b") == third.after
    assert third.after.reps == 3


def test_the_next_day_on_which_something_is_due_leaves_suspended_items_out(
    store: Store, make_review: MakeReview, profile: Path
) -> None:
    """Both ways of asking, by the store and by the first screen, say the same."""
    soon, late = make_review("card:a/soon", Rating.EASY), make_review("card:a/late", Rating.EASY)
    later = make_review("card:a/late", Rating.EASY, late.after, DAY, 60_000)
    for review in (soon, late, later):
        store.record(review)
    assert soon.after.due_day is not None
    assert later.after.due_day is not None
    assert DAY < soon.after.due_day < later.after.due_day
    assert store.next_due_day(DAY) == soon.after.due_day
    store.upkeep.suspend(["card:a/soon"], NOW)
    assert store.next_due_day(DAY) == later.after.due_day
    with glance(profile) as seen:
        assert seen is not None
        assert seen.next_due_day(DAY) == later.after.due_day
        assert seen.paused(DAY) == {"card:a/soon"}


def test_a_profile_of_the_first_schema_gains_the_new_tables_and_keeps_its_rows(
    profile: Path, make_review: MakeReview, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile as the first release made it is upgraded at its first opening, after a backup."""
    review = make_review("card:a/b")
    monkeypatch.setattr(upgrade, "REVISIONS", ("0001",))
    upgrade.prepare(profile, 5000)
    monkeypatch.undo()
    with closing(sqlite3.connect(profile, isolation_level=None)) as old:
        _insert(old, "memory", {"item": review.item, **memory_columns(review.after)})
        _insert(old, "review", review_columns(review, None, None))
    with Store.open(profile) as store:
        assert store.memory("card:a/b") == review.after
        assert store.upkeep.reviews("card:a/b") == (review,)
        assert store.upkeep.suspend(["card:a/b"], NOW) == 1
    assert len(list((profile.parent.parent / "backups").iterdir())) == 1
    with closing(sqlite3.connect(profile)) as new:
        assert new.execute("SELECT * FROM day_total").fetchall() == [(DAY, "a", 1, 1, 1, 0, 0, 0, 0, 1234)]


def _insert(connection: sqlite3.Connection, table: str, columns: dict[str, object]) -> None:
    known = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}
    row = {name: value for name, value in columns.items() if name in known}
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def test_a_burial_under_a_wrong_clock_does_not_last(store: Store) -> None:
    """An item buried while the clock was a year ahead is asked again once the clock is right."""
    ahead = Moment(NOW.at + 400 * 86_400_000, 60, DAY + 400)
    store.upkeep.bury(["card:a/b"], ahead)
    assert store.upkeep.paused(DAY) == frozenset()
    assert store.upkeep.bury(["card:a/b"], NOW) == 1
    assert store.upkeep.paused(DAY) == {"card:a/b"}


def read(profile: Path) -> None:
    """Look at a profile, and open it where it is of an older schema."""
    with glance(profile) as seen:
        older = seen is None
    if older:
        Store.open(profile)


@pytest.mark.parametrize(
    "damage",
    [
        ("DROP TABLE event",),
        ("UPDATE alembic_version SET version_num = '0001'",),
    ],
)
def test_a_profile_with_damaged_tables_is_named_and_left_alone(
    profile: Path, make_review: MakeReview, damage: tuple[str, ...]
) -> None:
    """A table too few, a revision that does not fit: one line about damage, no more."""
    with Store.open(profile) as store:
        store.record(make_review("card:a/b"))
    with closing(sqlite3.connect(profile, isolation_level=None)) as other:
        for statement in damage:
            other.execute(statement)
    with pytest.raises(StoreError, match="damaged") as told:
        read(profile)
    assert "\n" not in str(told.value)
