"""What the store promises: records come back exactly, undo restores exactly, nothing counts twice."""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studynorm.engine.attempt import Attempt
from studynorm.scheduling.memory import Memory, Review, State
from studynorm.scheduling.queue import DayLoad
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.studyday import Moment
from studynorm.storage.errors import ItemSetAside
from studynorm.storage.glance import DaySummary
from studynorm.storage.store import StaleReview, Store

DAY = 740_000  # the study day of the reviews
MakeAttempt = Callable[..., Attempt]
MakeReview = Callable[..., Review]

A, H, G, E = Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.EASY


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table, read without the store."""
    connection = sqlite3.connect(path)
    try:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {
            t: connection.execute(f'SELECT * FROM "{t}"').fetchall() for t in tables if t != "sqlite_sequence"
        }
    finally:
        connection.close()


def test_a_new_profile_knows_nothing(store: Store) -> None:
    """Before the first answer there is no memory, no due item, no load and nothing to undo."""
    assert store.memory("card:a/b") is None
    assert store.known_items() == frozenset()
    assert store.due_reviews(DAY, 10) == store.in_learning() == ()
    assert store.count_due_reviews(DAY) == 0
    assert store.next_due_day(DAY) is None
    assert store.day_load(DAY) == DayLoad(0, 0, frozenset())
    assert store.day_summary(DAY) == DaySummary(0, 0, 0, 0)
    assert store.last_review(DAY) is None
    assert store.undo(DAY) is None
    assert store.recent_attempts("card:a/b", 5) == ()


def test_each_profile_has_its_own_lasting_salt(profile: Path, tmp_path: Path) -> None:
    """The salt survives reopening and differs between profiles."""
    with Store.open(profile) as first, Store.open(tmp_path / "other.sqlite") as other:
        salts = {first.salt, other.salt}
    assert len(salts) == 2
    assert all(len(salt) >= 16 for salt in salts)
    with Store.open(profile) as again:
        assert again.salt in salts


def test_a_recorded_review_comes_back_after_reopening(
    profile: Path, make_review: MakeReview, make_attempt: MakeAttempt
) -> None:
    """Memory, review and attempts are the same objects' values after the file was closed and opened."""
    item = "family:batchnorm.entry"
    review = make_review(item)
    attempts = [make_attempt(typed="1/2", at=1), make_attempt(typed="−√2 \0 \x1b[31m", at=2)]
    with Store.open(profile) as store:
        store.record(review, attempts)
    with Store.open(profile) as store:
        assert store.memory(item) == review.after
        assert store.last_review(DAY) == review
        assert store.recent_attempts(item, 5) == (attempts[1], attempts[0])
        assert store.recent_attempts(item, 1) == (attempts[1],)
        assert store.known_items() == frozenset({item})


def test_text_that_is_no_text_does_not_stop_an_answer(
    store: Store, make_review: MakeReview, make_attempt: MakeAttempt
) -> None:
    """A lone surrogate, as bytes in a wrong encoding leave it, is kept as its escape instead of failing."""
    item = "family:batchnorm.entry"
    store.record(make_review(item), [make_attempt(typed="1\udce9")])
    assert store.recent_attempts(item, 1)[0].typed == "1\\udce9"


finite = st.floats(allow_nan=False, allow_infinity=False)
stamps = st.integers(0, 126_000_000_000_000)  # two of them are still a time that a calendar can show


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Draw any memory of the item `card:a/b`."""
    state = draw(st.sampled_from(State))
    last_at, last_day, reps = draw(stamps), draw(st.integers(1, 3_000_000)), draw(st.integers(1, 10**6))
    in_review = state is State.REVIEW
    return Memory(
        item="card:a/b",
        state=state,
        step=None if in_review else draw(st.integers(0, 9)),
        stability=draw(st.floats(5e-324, 1.7e308, exclude_min=False)),
        difficulty=draw(st.floats(1, 10)),
        due_at=None if in_review else last_at + draw(stamps),
        due_day=last_day + draw(st.integers(0, 36_500)) if in_review else None,
        last_at=last_at,
        last_day=last_day,
        reps=reps,
        lapses=draw(st.integers(0, reps)),
    )


moments = st.builds(Moment, stamps, st.integers(-840, 840), st.just(DAY))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return one store for all the examples of a property; each leaves it as it was."""
    with Store.open(tmp_path_factory.mktemp("shared") / "p.sqlite") as store:
        yield store


@settings(max_examples=150, deadline=None)
@given(memories(), memories(), moments, st.sampled_from(Rating), st.sampled_from([None, *Rating]))
def test_every_field_survives_exactly(
    shared: Store, first: Memory, second: Memory, moment: Moment, rating: Rating, suggested: Rating | None
) -> None:
    """Any memory and review are read back equal to the last bit, and undo takes both away again."""
    start = Review("card:a/b", rating, suggested, moment, 0, None, first)
    again = Review("card:a/b", rating, suggested, replace(moment, at=moment.at + 1), 10**9, first, second)
    shared.record(start)
    assert shared.memory("card:a/b") == first
    shared.record(again)
    assert shared.memory("card:a/b") == second
    assert shared.last_review(DAY) == again
    assert shared.undo(DAY) == again
    assert shared.memory("card:a/b") == first
    assert shared.undo(DAY) == start
    assert shared.memory("card:a/b") is None


def test_undo_leaves_no_trace(profile: Path, make_review: MakeReview, make_attempt: MakeAttempt) -> None:
    """Undo, also after a restart, leaves every table as it was before the answer, attempts included."""
    item = "family:batchnorm.entry"
    first = make_review(item)
    second = make_review(item, H, first.after, ms=700_000)
    with Store.open(profile) as store:
        store.record(first, [make_attempt(at=1)])
    before = contents(profile)
    with Store.open(profile) as store:
        store.record(second, [make_attempt(at=2), make_attempt(at=3)])
        assert len(store.recent_attempts(item, 9)) == 3
    with Store.open(profile) as store:
        assert store.undo(DAY) == second
        assert store.memory(item) == first.after
    assert contents(profile) == before


def test_undo_goes_back_through_the_whole_day_and_no_further(store: Store, make_review: MakeReview) -> None:
    """Repeated undo takes back one review at a time, newest first, of that study day only."""
    yesterday = make_review("card:a/old", E, day=DAY - 1)
    reviews = [make_review(f"card:a/{n}", G, ms=n) for n in range(5)]
    for review in (yesterday, *reviews):
        store.record(review)
    assert [store.undo(DAY) for _ in range(6)] == [*reversed(reviews), None]
    assert store.memory("card:a/old") == yesterday.after


def test_undo_after_a_trip_across_the_date_line(store: Store, make_review: MakeReview) -> None:
    """A review whose item was answered again on another study day is not undone beneath the newer one."""
    first = make_review("card:a/b", E)
    store.record(first)
    newer = make_review("card:a/b", G, first.after, day=DAY - 1)
    store.record(newer)
    with pytest.raises(StaleReview):
        store.undo(DAY)
    assert store.memory("card:a/b") == newer.after
    assert store.undo(DAY - 1) == newer
    assert store.undo(DAY) == first


def test_the_same_review_counts_once(profile: Path, store: Store, make_review: MakeReview) -> None:
    """A second record of one review is refused and changes nothing, for a new item and a known one."""
    first = make_review()
    store.record(first)
    second = make_review("card:a/b", G, first.after, ms=60_000)
    for review in (first, second):
        if review is second:
            store.record(second)
        before = contents(profile)
        with pytest.raises(StaleReview, match="card:a/b"):
            store.record(review)
        assert contents(profile) == before


@pytest.mark.parametrize("field", ["stability", "difficulty", "reps", "last_at", "due_at"])
def test_a_memory_that_differs_in_any_field_is_stale(
    store: Store, make_review: MakeReview, field: str
) -> None:
    """A review that began from another memory than the stored one, be it in the last bit, is refused."""
    first = make_review()
    store.record(first)
    value = getattr(first.after, field)
    other = replace(first.after, **{field: value + (2 if isinstance(value, int) else value * 2**-52)})
    assert other != first.after
    with pytest.raises(StaleReview):
        store.record(make_review("card:a/b", G, other, ms=60_000))
    assert store.memory("card:a/b") == first.after


def test_the_log_itself_refuses_a_double(profile: Path, store: Store, make_review: MakeReview) -> None:
    """Even if the memory table lost its row, the same review is not logged twice."""
    review = make_review()
    store.record(review)
    connection = sqlite3.connect(profile, isolation_level=None)
    connection.execute("DELETE FROM memory")
    connection.close()
    with pytest.raises(StaleReview):
        store.record(review)
    assert store.memory("card:a/b") is None
    assert store.day_summary(DAY).answers == 1


def test_a_failing_attempt_takes_the_review_with_it(
    profile: Path, store: Store, make_review: MakeReview, make_attempt: MakeAttempt
) -> None:
    """When one of the attempts cannot be kept, neither the review nor the memory is."""
    before = contents(profile)
    broken = replace(make_attempt(), hints=-1)
    with pytest.raises(Exception, match="attempt_help"):
        store.record(make_review("family:batchnorm.entry"), [make_attempt(), broken])
    assert contents(profile) == before
    store.record(make_review("family:batchnorm.entry"), [make_attempt()])


def test_due_items_come_most_overdue_first(store: Store, make_review: MakeReview) -> None:
    """Due reviews are those whose day has come, oldest due day first, up to the limit; steps are apart."""
    due_days = {}
    for n, day in enumerate((DAY - 30, DAY - 50, DAY - 40, DAY - 1)):
        review = make_review(f"card:a/{n}", E, day=day)
        store.record(review)
        due_days[f"card:a/{n}"] = review.after.due_day
    for item, ms in (("card:a/slow", 600_000), ("card:a/fast", 1000)):
        store.record(make_review(item, G, ms=ms))
    due = store.due_reviews(DAY, 10)
    assert [m.item for m in due] == ["card:a/1", "card:a/2", "card:a/0"]
    assert [m.due_day for m in due] == [due_days[m.item] for m in due]
    assert [m.item for m in store.due_reviews(DAY, 2)] == ["card:a/1", "card:a/2"]
    assert store.count_due_reviews(DAY) == 3
    assert [m.item for m in store.in_learning()] == ["card:a/fast", "card:a/slow"]
    assert store.next_due_day(DAY) == due_days["card:a/3"]
    last = due_days["card:a/3"]
    assert last is not None
    assert store.count_due_reviews(last - 1) == 3
    assert store.count_due_reviews(last) == 4
    assert store.next_due_day(last) is None


def test_the_load_and_the_summary_of_a_day(store: Store, make_review: MakeReview) -> None:
    """New items, reviews in Review, groups without their marks, passes, answer times: each counted by day."""
    old = make_review("card:a/old", E, day=DAY - 20)
    store.record(old)
    first = make_review("card:a/c#one", A)
    for review in (
        first,
        make_review("card:a/c#one", G, first.after, ms=60_000),  # a step: neither new nor a review
        make_review("card:a/c#two", G, ms=61_000),
        make_review("card:a/old", H, old.after, ms=62_000),
        make_review("family:residual.product", E, ms=63_000),
    ):
        store.record(review)
    groups = frozenset({"card:a/c", "card:a/old", "family:residual.product"})
    assert store.day_load(DAY) == DayLoad(new=3, reviews=1, groups=groups)
    assert store.day_summary(DAY) == DaySummary(answers=5, passed=4, duration_ms=5 * 1234, new=3)
    assert store.day_load(DAY - 20) == DayLoad(new=1, reviews=0, groups=frozenset({"card:a/old"}))


def test_reviews_refer_to_the_weights_of_their_time(profile: Path, make_review: MakeReview) -> None:
    """Weights are kept once each, to the last bit, and each review names those it was scheduled with."""
    ours = Scheduler()
    other = (*ours.weights[:-1], 0.1 + 0.2)
    with Store.open(profile) as store:
        store.record(make_review("card:a/0"))
        for item, weights in (("card:a/1", ours.weights), ("card:a/2", other), ("card:a/3", ours.weights)):
            store.remember_weights(ours.model, weights)
            store.record(make_review(item))
    rows = contents(profile)
    kept = {row[0]: (row[1], tuple(json.loads(str(row[2])))) for row in rows["weights"]}
    assert sorted(kept.values()) == sorted([("FSRS-6", ours.weights), ("FSRS-6", other)])
    named = {row[1]: row[8] for row in rows["review"]}
    assert named["card:a/0"] is None
    assert kept[named["card:a/1"]] == kept[named["card:a/3"]] == ("FSRS-6", ours.weights)
    assert kept[named["card:a/2"]] == ("FSRS-6", other)


def test_several_threads_share_a_store(store: Store, make_review: MakeReview) -> None:
    """Answers and reads from several threads neither fail nor get lost."""
    errors: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            for n in range(20):
                store.record(make_review(f"card:t{thread}/{n}", E))
                assert store.memory(f"card:t{thread}/{n}") is not None
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(store.known_items()) == store.day_summary(DAY).answers == 80


def test_half_a_memory_in_the_file_is_set_aside(profile: Path, store: Store, make_review: MakeReview) -> None:
    """The file itself refuses half a memory; one forced in is set aside by name, and the others work."""
    store.record(make_review())
    connection = sqlite3.connect(profile, isolation_level=None)
    for change in (
        "due_day = 5",
        "due_at = NULL",
        "step = NULL",
        "state = 'new'",
        "reps = 0",
        "difficulty = 11",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(f"UPDATE memory SET {change}")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute("UPDATE memory SET due_at = NULL")
    connection.close()
    store.record(other := make_review("card:a/c", E))
    with pytest.raises(ItemSetAside, match="card:a/b holds no whole memory"):
        store.memory("card:a/b")
    assert [item for item, _ in store.set_aside()] == ["card:a/b"]
    assert store.in_learning() == ()
    assert store.due_reviews(DAY + 99, 9) == (other.after,)


def test_no_query_of_a_review_scans_or_sorts_a_table(
    store: Store, make_review: MakeReview, make_attempt: MakeAttempt
) -> None:
    """Each query on the way from one answer to the next is served by an index in its order."""
    driver = store._connection.connection.dbapi_connection
    assert isinstance(driver, sqlite3.Connection)
    seen: list[str] = []
    driver.set_trace_callback(seen.append)
    store.record(make_review("family:batchnorm.entry"), [make_attempt()])
    store.due_reviews(DAY, 1)
    store.in_learning()
    store.count_due_reviews(DAY)
    store.next_due_day(DAY)
    store.day_load(DAY)
    store.day_summary(DAY)
    store.last_review(DAY)
    store.recent_attempts("family:batchnorm.entry", 5)
    store.undo(DAY)
    driver.set_trace_callback(None)
    queries = [sql for sql in seen if sql.split()[0] in ("SELECT", "UPDATE", "DELETE")]
    queries = [sql for sql in queries if "sqlite_sequence" not in sql]  # one row for each table
    assert len(queries) >= 10
    for sql in queries:
        for *_, detail in driver.execute(f"EXPLAIN QUERY PLAN {sql}"):
            assert "SCAN" not in detail, sql
            assert "TEMP B-TREE" not in detail, sql
