"""Undo to the last row: a profile after grading and undoing is, statement by statement, the one before."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studynorm.engine.attempt import Attempt
from studynorm.scheduling.memory import Review
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.studyday import Moment
from studynorm.storage.store import StaleReview, Store
from tests.storage.conftest import DAY

MakeReview = Callable[..., Review]
MakeAttempt = Callable[..., Attempt]
SCHEDULER = Scheduler()
NOW = Moment((DAY - 719_163) * 86_400_000, 60, DAY)


def dump(path: Path) -> list[str]:
    """Return the whole file as SQL, the counters of ids included."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def named(store: Store) -> Store:
    """Let reviews refer to weights and rules, as those of a session do."""
    store.remember_weights(SCHEDULER.model, SCHEDULER.weights, SCHEDULER.rules)
    return store


def test_the_first_review_of_a_profile_leaves_nothing(
    profile: Path, store: Store, make_review: MakeReview, make_attempt: MakeAttempt
) -> None:
    """Memory, attempts, weights, rules, totals and wording are gone, and ids begin where they would have."""
    before = dump(profile)
    review = make_review("family:batchnorm.entry")
    named(store).record(review, [make_attempt(), make_attempt()], fingerprint="words")
    assert len(dump(profile)) > len(before) + 6
    assert store.undo(DAY) == review
    assert dump(profile) == before


def test_a_reworded_card_has_its_earlier_words_again(
    profile: Path, store: Store, make_review: MakeReview
) -> None:
    """Undo gives back which words were known and since when, and takes the event of the edit away."""
    named(store).record(first := make_review(), fingerprint="one")
    store.record(second := make_review(before=first.after, ms=60_000), fingerprint="one")
    before = dump(profile)
    store.record(make_review(before=second.after, day=DAY + 3), fingerprint="two")
    assert store.upkeep.wordings() == {"card:a/b": "two"}
    store.undo(DAY + 3)
    assert dump(profile) == before


def test_a_due_day_set_since_is_taken_back_with_the_review(
    profile: Path, store: Store, make_review: MakeReview
) -> None:
    """Setting the due day of what was just answered stands in nobody's way."""
    before = dump(profile)
    named(store).record(review := make_review(rating=Rating.EASY))
    later = Moment(review.moment.at + 5_000, 60, DAY)
    assert store.upkeep.set_due(["card:a/b"], DAY + 1, later) == 1
    assert store.upkeep.set_due(["card:a/b"], DAY + 2, later) == 1
    assert store.undo(DAY) == review
    assert dump(profile) == before


def test_a_due_day_set_before_stays(profile: Path, store: Store, make_review: MakeReview) -> None:
    """Only what came after the review goes."""
    named(store).record(first := make_review(rating=Rating.EASY))
    store.upkeep.set_due(["card:a/b"], DAY + 2, Moment(first.moment.at + 5_000, 60, DAY))
    moved = store.memory("card:a/b")
    before = dump(profile)
    store.record(make_review(before=moved, day=DAY + 2))
    store.undo(DAY + 2)
    assert dump(profile) == before


def test_rest_days_noted_for_the_review_are_gone(
    profile: Path, store: Store, make_review: MakeReview
) -> None:
    """Days that were free before an answer are none of the record once that answer is undone."""
    named(store).record(review := make_review(rating=Rating.EASY))
    assert review.after.due_day is not None
    assert review.after.due_day > DAY + 4
    before = dump(profile)
    store.record(make_review("card:a/other", day=DAY + 4))
    with closing(sqlite3.connect(profile)) as connection:
        noted = [day for (day,) in connection.execute("SELECT day FROM rest_day ORDER BY day")]
    assert noted == [DAY + 1, DAY + 2, DAY + 3]
    store.undo(DAY + 4)
    assert dump(profile) == before


def test_a_whole_day_is_undone_step_by_step_also_after_reopening(
    profile: Path, make_review: MakeReview, make_attempt: MakeAttempt
) -> None:
    """Each undo gives the state before its answer, with drills in between kept out of it."""
    draw = random.Random(3)
    items = [f"card:a/{n}" for n in range(5)] + ["family:batchnorm.entry"]
    with Store.open(profile) as store:
        store.record_drill(make_attempt())
    states = [dump(profile)]
    for n in range(20):
        with Store.open(profile) as store:
            item = draw.choice(items)
            attempts = [make_attempt()] * draw.randint(0, 2) if item.startswith("family") else []
            before = store.memory(item)
            review = make_review(item, draw.choice(list(Rating)), before, ms=60_000 * n)
            named(store).record(review, attempts, fingerprint=draw.choice("xyz"))
        states.append(dump(profile))
    while len(states) > 1:
        assert dump(profile) == states.pop()
        with Store.open(profile) as store:
            assert store.undo(DAY) is not None
    assert dump(profile) == states.pop()


def test_weights_that_were_adopted_outlive_the_undo(
    profile: Path, store: Store, make_review: MakeReview
) -> None:
    """Weights that only a review named go with it; adopted ones and those of other reviews stay."""
    other = (*SCHEDULER.weights[:-1], 0.3)
    store.ledger.adopt(SCHEDULER.model, other, {"reviews": 700})
    before = dump(profile)
    store.remember_weights(SCHEDULER.model, other, SCHEDULER.rules)
    store.record(make_review())
    store.undo(DAY)
    assert dump(profile) == before
    in_use = store.ledger.in_use()
    assert in_use is not None
    assert (in_use.values, in_use.origin) == (other, {"reviews": 700})


def test_an_item_forgotten_since_is_not_undone(profile: Path, store: Store, make_review: MakeReview) -> None:
    """The memory must be given back first, and the refusal says so; nothing changes."""
    named(store).record(make_review())
    store.upkeep.forget(["card:a/b"], NOW)
    before = dump(profile)
    with pytest.raises(StaleReview, match="forgotten"):
        store.undo(DAY)
    assert dump(profile) == before
