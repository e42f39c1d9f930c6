"""The log of typed answers: drills beside reviews, ids that name them, and where it went wrong lately."""

import sqlite3
from dataclasses import replace
from pathlib import Path

from studynorm.storage.store import Store, StoredAttempt
from tests.storage.conftest import DAY, MakeAttempt, MakeReview


def test_a_drill_attempt_survives_reopening_and_belongs_to_no_review(
    profile: Path, make_attempt: MakeAttempt
) -> None:
    """It comes back as it was under its id; the row names no review."""
    with Store.open(profile) as store:
        number = store.record_drill(make_attempt(typed="−√2 \0"))
    with Store.open(profile) as store:
        assert store.attempt(number) == StoredAttempt(number, "drill", make_attempt(typed="−√2 \0"))
    with sqlite3.connect(profile) as connection:
        assert connection.execute("SELECT kind, review_id FROM attempt").fetchall() == [("drill", None)]
    connection.close()


def test_attempts_come_newest_first_of_one_family_or_all(
    store: Store, make_attempt: MakeAttempt, make_review: MakeReview
) -> None:
    """Reviews and drills are in one list; the limit cuts the old ones."""
    item = "family:batchnorm.entry"
    store.record(make_review(item), [make_attempt(typed="1")])
    store.record_drill(replace(make_attempt(typed="2"), family="residual.paths"))
    store.record_drill(make_attempt(typed="3"))
    assert [one.attempt.typed for one in store.attempts(9)] == ["3", "2", "1"]
    assert [one.kind for one in store.attempts(9)] == ["drill", "drill", "review"]
    assert [one.attempt.typed for one in store.attempts(9, "batchnorm.entry")] == ["3", "1"]
    assert [one.attempt.typed for one in store.attempts(1)] == ["3"]
    assert store.attempts(9, "no.such") == ()


def test_an_id_that_does_not_exist_is_none(store: Store) -> None:
    """Nothing is made up."""
    assert store.attempt(1) is None


def test_undo_takes_the_attempts_of_the_review_and_no_drill(
    store: Store, make_attempt: MakeAttempt, make_review: MakeReview
) -> None:
    """The drill's attempt keeps its id, and ids go on as if the review had never been."""
    item = "family:batchnorm.entry"
    drilled = store.record_drill(make_attempt())
    store.record(make_review(item), [make_attempt()])
    store.undo(DAY)
    assert [one.id for one in store.attempts(9)] == [drilled]
    assert store.record_drill(make_attempt()) == drilled + 1


def test_weaknesses_count_named_misconceptions_since_a_moment(
    store: Store, make_attempt: MakeAttempt
) -> None:
    """The most frequent family first, then the one with the most recent; the moment itself counts."""
    for family, at, slip in (
        ("twice", 10, "a"),
        ("twice", 12, "b"),
        ("older", 20, "a"),
        ("newer", 30, "a"),
        ("too_old", 9, "a"),
        ("unnamed", 30, None),
    ):
        store.record_drill(replace(make_attempt(at=at), family=family, misconception=slip))
    found = [(one.family, one.times, one.last_at) for one in store.weaknesses(10)]
    assert found == [("twice", 2, 12), ("newer", 1, 30), ("older", 1, 20)]
