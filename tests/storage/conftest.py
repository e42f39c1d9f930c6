"""A fresh profile for each test, and reviews to put into it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studynorm.engine.attempt import Attempt
from studynorm.scheduling.memory import Memory, Review
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.studyday import Moment
from studynorm.storage.store import Store

DAY = 740_000
MakeReview = Callable[..., Review]
MakeAttempt = Callable[..., Attempt]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Return where a profile of a home would be; nothing exists there yet."""
    return tmp_path / "home" / "profiles" / "default.sqlite"


@pytest.fixture
def store(profile: Path) -> Iterator[Store]:
    """Return an open, empty store."""
    with Store.open(profile) as opened:
        yield opened


@pytest.fixture
def make_review() -> MakeReview:
    """Return a maker of reviews: item, rating, memory before, study day, milliseconds into that day."""
    scheduler = Scheduler()

    def make(
        item: str = "card:a/b",
        rating: Rating = Rating.GOOD,
        before: Memory | None = None,
        day: int = DAY,
        ms: int = 0,
    ) -> Review:
        moment = Moment((day - 719_163) * 86_400_000 + ms, 60, day)
        return scheduler.review(item, before, rating, moment, suggested=Rating.GOOD, duration_ms=1234)

    return make


@pytest.fixture
def make_attempt() -> MakeAttempt:
    """Return a maker of attempts."""

    def make(item: str = "family:batchnorm.entry", typed: str = "1/3", at: int = 5) -> Attempt:
        return Attempt(
            item=item,
            family="batchnorm.entry",
            version=1,
            level=2,
            seed=2**64 + 1,
            prompt="Normalize $x$ “so”:\n…",
            params='{"x": [0, 2]}',
            answer="[1.0]",
            misconceptions='[{"id": "unbiased_variance"}]',
            typed=typed,
            verdict="wrong",
            misconception="unbiased_variance",
            hints=1,
            revealed=True,
            at=at,
        )

    return make
