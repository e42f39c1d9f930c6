"""What is kept beside the log: totals of each study day and topic, and the days on which nothing was due."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studynorm.scheduling.memory import Review, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment
from studynorm.storage.connect import READ
from studynorm.storage.restdays import first_due_day
from studynorm.storage.store import Store
from tests.storage.conftest import DAY

MakeReview = Callable[..., Review]
ITEMS = ("card:a/b", "card:a/c#mark", "card:with-hyphen/x.y", "family:batchnorm.entry")
TOPICS = ("a", "a", "with-hyphen", "batchnorm")


def totals(path: Path) -> dict[tuple[int, str], tuple[int, ...]]:
    """Return the kept totals by day and topic."""
    with closing(sqlite3.connect(path)) as connection:
        return {
            (day, topic): tuple(sums) for day, topic, *sums in connection.execute("SELECT * FROM day_total")
        }


def counted(reviews: list[Review]) -> dict[tuple[int, str], tuple[int, ...]]:
    """Return the totals of a log, added up one by one."""
    found: dict[tuple[int, str], list[int]] = {}
    for review in reviews:
        sums = found.setdefault((review.moment.day, TOPICS[ITEMS.index(review.item)]), [0] * 8)
        before, passed = review.before, review.rating is not Rating.AGAIN
        asked = before is not None and before.state is State.REVIEW and review.moment.day > before.last_day
        mature = asked and before is not None and before.stability >= 21
        values = (
            1,
            passed,
            before is None,
            asked,
            asked and passed,
            mature,
            mature and passed,
            review.duration_ms,
        )
        sums[:] = [one + other for one, other in zip(sums, values, strict=True)]
    return {key: tuple(sums) for key, sums in found.items()}


def test_totals_are_those_of_the_log_after_answers_and_undos(
    profile: Path, store: Store, make_review: MakeReview
) -> None:
    """A hundred days with answers, some undone, some deleted by hand: nothing is left behind."""
    draw = random.Random(11)
    log: list[Review] = []
    for day in range(DAY, DAY + 100):
        for n in range(draw.randint(0, 4)):
            item = draw.choice(ITEMS)
            review = make_review(item, draw.choice(list(Rating)), store.memory(item), day, ms=60_000 * n)
            store.record(review)
            log.append(review)
            if draw.random() < 0.2:
                assert store.undo(day) == log.pop()
    assert len(log) > 100
    assert any(sums[5] for sums in counted(log).values())
    assert totals(profile) == counted(log)
    with closing(sqlite3.connect(profile, isolation_level=None)) as other:
        other.execute("DELETE FROM review WHERE item = ?", (ITEMS[0],))
    assert totals(profile) == counted([review for review in log if review.item != ITEMS[0]])


def rest_days(path: Path) -> list[int]:
    """Return the noted rest days."""
    with closing(sqlite3.connect(path)) as connection:
        return [day for (day,) in connection.execute("SELECT day FROM rest_day ORDER BY day")]


def test_days_before_the_first_due_one_are_rest_days(
    profile: Path, store: Store, make_review: MakeReview
) -> None:
    """A break is free until something is due; from that day on it is a break."""
    store.record(review := make_review(rating=Rating.EASY))
    due = review.after.due_day
    assert due is not None
    store.record(make_review("card:a/c", day=due + 5))
    assert rest_days(profile) == list(range(DAY + 1, due))


def test_a_learning_step_left_open_is_due_the_next_day(
    profile: Path, store: Store, make_review: MakeReview
) -> None:
    """Whoever stops in the middle of the steps has no free day after it."""
    store.record(make_review(rating=Rating.GOOD))
    store.record(make_review("card:a/c", day=DAY + 3))
    assert rest_days(profile) == []


def test_suspended_items_make_no_day_due_and_the_past_stays(
    profile: Path, store: Store, make_review: MakeReview
) -> None:
    """What is suspended waits for nobody; what is done later to an item changes no day of the past."""
    store.record(review := make_review(rating=Rating.EASY))
    due = review.after.due_day
    assert due is not None
    now = Moment(review.moment.at, 60, DAY)
    store.upkeep.suspend(["card:a/b"], now)
    with store.transaction(READ) as connection:
        assert first_due_day(connection) is None
    store.record(make_review("card:a/c", Rating.EASY, day=due + 2))
    noted = list(range(DAY + 1, due + 2))
    assert rest_days(profile) == noted
    store.upkeep.resume(["card:a/b"], now)
    store.upkeep.forget(["card:a/c"], now)
    store.record(make_review("card:a/d", day=due + 2, ms=60_000))
    assert rest_days(profile) == noted


@pytest.mark.parametrize("damaged", [-5, DAY - 1, DAY + 1.5, "soon", b"\x00", None])
def test_a_damaged_due_day_is_not_followed(
    profile: Path, store: Store, make_review: MakeReview, damaged: object
) -> None:
    """An answer is kept whatever a damaged row says, and the days before the first whole due day are free."""
    store.record(review := make_review(rating=Rating.EASY))
    store.record(make_review("card:a/d", Rating.EASY, ms=60_000))
    due = review.after.due_day
    assert due is not None
    with closing(sqlite3.connect(profile, isolation_level=None)) as other:
        other.execute("PRAGMA ignore_check_constraints = 1")
        other.execute("UPDATE memory SET due_day = ? WHERE item = 'card:a/d'", (damaged,))
    with store.transaction(READ) as connection:
        assert first_due_day(connection) == due
    store.record(make_review("card:a/c", day=due + 5))
    assert rest_days(profile) == list(range(DAY + 1, due))


@pytest.mark.parametrize(("gap", "noted"), [(3661, 3660), (3662, 0), (36_500, 0)])
def test_a_gap_of_more_than_ten_years_is_no_rest(
    profile: Path, store: Store, make_review: MakeReview, gap: int, noted: int
) -> None:
    """With nothing due a streak goes on over ten years; a longer gap ends it, and leaves no rows behind."""
    store.record(make_review(rating=Rating.EASY))
    with closing(sqlite3.connect(profile, isolation_level=None)) as other:
        other.execute("UPDATE memory SET due_day = last_day + 36500")
    store.record(make_review("card:a/c", day=DAY + gap))
    assert len(rest_days(profile)) == noted


@pytest.mark.parametrize("damaged", ["never", 5.5, 3_652_000])
def test_a_damaged_total_hides_no_rest_days(
    profile: Path, store: Store, make_review: MakeReview, damaged: object
) -> None:
    """Days without a sound number, and days that are yet to come, are not the last one with an answer."""
    store.record(make_review(rating=Rating.EASY))
    with closing(sqlite3.connect(profile, isolation_level=None)) as other:
        other.execute("PRAGMA ignore_check_constraints = 1")
        columns = ", ".join(name for _, name, *_ in other.execute("PRAGMA table_info(day_total)"))
        others = columns.replace("day,", "", 1)
        other.execute(f"INSERT INTO day_total ({columns}) SELECT ?, {others} FROM day_total", (damaged,))
    store.record(make_review("card:a/c", day=DAY + 2))
    assert rest_days(profile) == [DAY + 1]
