"""The figures of a profile against plain SQL, and against what was put into it day by day."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studynorm.scheduling.forgetting import forgetting_curve
from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import PUBLISHED
from studynorm.scheduling.studyday import Moment
from studynorm.storage.statistics import Confidence, Statistics, Totals
from studynorm.storage.store import Store
from tests.storage.conftest import DAY, MakeAttempt, MakeReview

AGAIN, HARD, GOOD, EASY = Rating
HISTORY: tuple[tuple[str, int, Rating], ...] = (
    ("card:a/one", 0, EASY),
    ("card:a/two", 0, GOOD),
    ("card:a/two", 0, GOOD),
    ("card:b/one", 0, EASY),
    ("card:a/one", 8, GOOD),
    ("card:a/two", 9, AGAIN),
    ("card:a/two", 9, GOOD),
    ("card:b/one", 9, HARD),
    ("family:b.entry", 9, EASY),
    ("card:a/one", 60, AGAIN),
    ("card:b/one", 70, GOOD),
)


@pytest.fixture
def filled(store: Store, make_review: MakeReview) -> Store:
    """Return a store with a small history of two topics."""
    memories: dict[str, Memory] = {}
    for number, (item, day, rating) in enumerate(HISTORY):
        review = make_review(item, rating, memories.get(item), DAY + day, number * 1000)
        store.record(review)
        memories[item] = review.after
    return store


def plain(path: Path, query: str, *values: object) -> list[Any]:
    """Return what another reader of the file sees."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, values).fetchall()


def test_totals_of_topics_are_what_was_answered(filled: Store) -> None:
    """Counted by hand from the history above; steps on one day are answers, but no test of memory."""
    found = filled.statistics.by_topic(DAY, DAY + 9)
    assert found == {
        "a": Totals(answers=6, passed=5, fresh=2, asked=2, recalled=1, duration_ms=6 * 1234),
        "b": Totals(answers=3, passed=3, fresh=2, asked=1, recalled=1, duration_ms=3 * 1234),
    }
    later = filled.statistics.by_topic(DAY + 10, DAY + 100)
    assert {topic: (one.asked, one.recalled) for topic, one in later.items()} == {"a": (1, 0), "b": (1, 1)}


def test_answers_by_day_are_those_of_the_log(filled: Store) -> None:
    """Narrowed to days and a topic, they equal a count over the rows themselves."""
    for topic, pattern in ((None, "%"), ("a", "card:a/%"), ("b", "%:b%")):
        counted = plain(
            filled.path,
            "SELECT day, count(*) FROM review WHERE day BETWEEN ? AND ? AND item LIKE ? GROUP BY day",
            DAY + 1,
            DAY + 60,
            pattern,
        )
        assert counted
        assert filled.statistics.answers_by_day(DAY + 1, DAY + 60, topic) == dict(counted)
    assert filled.statistics.studied_days() == [DAY, DAY + 8, DAY + 9, DAY + 60, DAY + 70]


def test_days_without_anything_due_are_rest_days(store: Store, make_review: MakeReview) -> None:
    """The days up to the one on which the only card is due are free; those on which it waits are not."""
    first = make_review("card:a/one", EASY, None, DAY)
    store.record(first)
    due = first.after.due_day
    assert due is not None
    assert store.statistics.first_due_day() == due
    assert store.statistics.rest_days() == frozenset()  # noted with the next answer
    store.record(make_review("card:a/one", GOOD, first.after, due + 2))
    assert store.statistics.rest_days() == frozenset(range(DAY + 1, due))


def test_mean_recall_of_a_topic_is_that_of_the_curve(filled: Store) -> None:
    """For each topic the mean of the published curve over its memories; gone items can be left out."""
    today, curve, decay = DAY + 100, forgetting_curve(PUBLISHED), -0.1542
    rows = plain(filled.path, "SELECT item, stability, last_day FROM memory")
    by_topic: dict[str, list[float]] = {}
    for item, stability, last_day in rows:
        days = today - last_day
        expected = (1 + (0.9 ** (1 / decay) - 1) * days / stability) ** decay
        by_topic.setdefault(str(item).partition(":")[2][0], []).append(expected)
    found = filled.statistics.recalls(curve, today)
    assert found == pytest.approx({topic: sum(all_) / len(all_) for topic, all_ in by_topic.items()})
    without = filled.statistics.recalls(curve, today, ["card:a/one", "card:b/one", "family:b.entry"])
    assert set(without) == {"a"}
    assert set(filled.statistics.gone({"card:a/two"})) == {"card:a/one", "card:b/one", "family:b.entry"}
    assert filled.statistics.count_memories() == 4


def test_a_damaged_stability_costs_only_its_own_row(filled: Store) -> None:
    """A text where a number belongs is left out of the mean."""
    before = filled.statistics.recalls(forgetting_curve(PUBLISHED), DAY + 100)
    with closing(sqlite3.connect(filled.path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE memory SET stability = 'much' WHERE item = 'card:a/one'")
    after = filled.statistics.recalls(forgetting_curve(PUBLISHED), DAY + 100)
    assert after["b"] == before["b"]
    assert 0 < after["a"] != before["a"]


def test_what_is_due_by_day(store: Store, make_review: MakeReview) -> None:
    """Overdue and coming days as they stand; suspended ones never, buried ones tomorrow, steps today."""
    items = {}
    for name in ("late", "on-time", "suspended", "buried", "gone"):
        review = make_review(f"card:a/{name}", EASY, None, DAY)
        store.record(review)
        items[name] = review.after.due_day
    store.record(make_review("card:b/step", AGAIN, None, DAY + 20))
    store.upkeep.suspend(["card:a/suspended"], Moment(0, 0, DAY + 20))
    store.upkeep.bury(["card:a/buried"], Moment(0, 0, DAY + 20))
    store.upkeep.set_due(["card:a/on-time"], DAY + 25, Moment(0, 0, DAY + 20))
    late = items["late"]
    assert late is not None
    assert late < DAY + 20
    due = store.statistics.due(DAY + 20, DAY + 50, ["card:a/gone"])
    assert due == {late: 1, DAY + 20: 1, DAY + 21: 1, DAY + 25: 1}
    assert store.statistics.due(DAY + 20, DAY + 50, (), "b") == {DAY + 20: 1}
    assert store.statistics.due(DAY + 20, DAY + 25, ["card:a/gone"]) == {late: 1, DAY + 20: 1, DAY + 21: 1}


def test_confidence_is_counted_by_level(store: Store, make_review: MakeReview) -> None:
    """Only answers that carry one count, those of the days and the topic that were asked for."""
    for number, (item, confidence, rating) in enumerate(
        (
            ("card:a/x", 50, AGAIN),
            ("card:a/y", 50, GOOD),
            ("card:b/z", 95, HARD),
            ("card:ab/z", 95, GOOD),
            ("card:a/n", None, GOOD),
        )
    ):
        store.record(replace(make_review(item, rating, None, DAY + number), confidence=confidence))
    levels = store.statistics.confidences(DAY, DAY + 9)
    assert levels == (Confidence(50, 2, 1), Confidence(95, 2, 2))
    assert store.statistics.confidences(DAY, DAY + 9, "a") == (Confidence(50, 2, 1),)
    assert store.statistics.confidences(DAY + 1, DAY + 2) == (Confidence(50, 1, 1), Confidence(95, 1, 1))


def test_of_very_many_answers_only_the_newest_are_looked_at(
    store: Store, make_review: MakeReview, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times and confidences then come from the newest ones, and from no day that was not asked for."""
    monkeypatch.setattr("studynorm.storage.statistics._MOST_ANSWERS", 2)
    for number in range(4):
        review = replace(make_review(f"card:a/{number}", GOOD, None, DAY + number), confidence=10 * number)
        store.record(replace(review, duration_ms=1000 * number))
    assert store.statistics.durations(DAY, DAY + 3) == [("card:a/3", 3000), ("card:a/2", 2000)]
    assert store.statistics.durations(DAY + 1, DAY + 1) == [("card:a/1", 1000)]
    assert [one.confidence for one in store.statistics.confidences(DAY, DAY + 3)] == [20, 30]


def test_typed_answers_come_in_order_with_their_reviews(
    store: Store, make_review: MakeReview, make_attempt: MakeAttempt
) -> None:
    """Reviews and drills alike, from an instant on; the misconceptions that they carry are had by id."""
    store.record_drill(make_attempt(typed="old", at=10))
    review = make_review("family:batchnorm.entry", GOOD, None, DAY)
    store.record(review, [make_attempt(at=20), make_attempt(at=21)])
    store.record_drill(make_attempt(at=30))
    found = store.statistics.typed_answers(20)
    assert [(one.review, one.at) for one in found] == [(1, 20), (1, 21), (None, 30)]
    assert found[0].misconception == "unbiased_variance"
    kept = store.statistics.misconceptions_of([found[0].id, 99])
    assert kept == {found[0].id: '[{"id": "unbiased_variance"}]'}
    assert store.statistics.misconceptions_of([]) == {}


@pytest.fixture
def nothing() -> Statistics:
    """Return the figures of a profile that does not exist."""
    return Statistics(None)


def test_of_a_profile_that_does_not_exist_all_is_empty(nothing: Statistics) -> None:
    """No figure is an error."""
    assert not nothing.exists
    assert nothing.by_topic(0, DAY) == {}
    assert nothing.answers_by_day(0, DAY) == {}
    assert nothing.studied_days() == []
    assert nothing.rest_days() == frozenset()
    assert nothing.first_due_day() is None
    assert nothing.recalls(lambda stability, days: 1.0, DAY) == {}
    assert nothing.count_memories() == 0
    assert nothing.gone(()) == ()
    assert nothing.due(DAY, DAY + 30) == {}
    assert list(nothing.durations(0, DAY)) == []
    assert nothing.confidences(0, DAY) == ()
    assert list(nothing.typed_answers(0)) == []
    assert nothing.misconceptions_of([1]) == {}
