"""A learner whose memory follows known weights: reviews each item when it is due, and forgets as they say."""

from collections.abc import Iterator
from random import Random

from studynorm.scheduling.evidence import Logged
from studynorm.scheduling.memory import Memory, Review
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import PUBLISHED, Scheduler
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment
from studynorm.storage.connect import WRITE
from studynorm.storage.rows import review_columns
from studynorm.storage.tables import review as review_table
from studynorm.study.desk import Desk

DAY_MS = 86_400_000
TRUE = (0.9, 3.0, 7.0, 25.0, *PUBLISHED[4:8], 1.3, *PUBLISHED[9:20], 0.35)
"""Weights of someone who learns better at first, gains less by repeating, and forgets along another curve."""

_PASSES = (Rating.HARD, Rating.GOOD, Rating.GOOD, Rating.GOOD, Rating.GOOD, Rating.EASY)


def reviews(count: int, *, seed: int = 1, items: int = 8, first_day: int = 739_000) -> Iterator[Review]:
    """Yield so many reviews: `items` new ones a study day, each again when the published weights say so.

    There are no steps within a day. An item is recalled with the probability that `TRUE` gives.
    """
    rng, settings = Random(seed), Settings(learning_steps=(), relearning_steps=())
    planner, truth = Scheduler(settings, fuzz=False), Scheduler(settings, TRUE, fuzz=False)
    planned: dict[str, Memory] = {}
    real: dict[str, Memory] = {}
    day = first_day
    while True:
        due = [item for item, memory in planned.items() if (memory.due_day or 0) <= day]
        fresh = [f"card:simulated/{len(planned) + number}" for number in range(items)]
        for number, item in enumerate((*due, *fresh)):
            moment = Moment((day - 719_163) * DAY_MS + number * 1000, 0, day)
            before = planned.get(item)
            recalled = rng.random() < (0.8 if before is None else truth.recall(real[item], moment))
            rating = rng.choice(_PASSES) if recalled else Rating.AGAIN
            review = planner.review(item, before, rating, moment, duration_ms=3000)
            real[item] = truth.after(item, real.get(item), rating, moment)
            planned[item] = review.after
            yield review
            count -= 1
            if not count:
                return
        day += 1


def logged(found: Iterator[Review]) -> list[Logged]:
    """Return reviews as rows of a log."""
    return [Logged(one.item, int(one.rating), one.moment.day, one.before is None) for one in found]


def keep(desk: Desk, found: Iterator[Review]) -> None:
    """Keep reviews in the log of a profile, in one transaction and without their memories."""
    with desk.store.transaction(WRITE) as connection:
        connection.execute(review_table.insert(), [review_columns(one, None, None) for one in found])
