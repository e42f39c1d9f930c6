"""A profile in which everything has happened that changes a memory, for whoever proves or exports one."""

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from benchmarks.agreement import OTHER
from studynorm.content.library import load_library
from studynorm.scheduling.memory import Review
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.settings import Settings
from studynorm.storage.home import Home
from studynorm.storage.store import Store
from studynorm.study.basis import basis_of
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk
from tests.conftest import SAMPLE, FrozenClock

A, H, G, E = Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.EASY
ONE, TWO, RED, BLUE = "card:first/one", "card:first/two", "card:second/red", "card:second/blue"
MEAN, FAMILY = "card:first/marks#mean", "family:batchnorm.entry"


class Learner:
    """Answers items as a session does, by a clock that stands still between answers."""

    def __init__(self, store: Store, clock: FrozenClock) -> None:
        self.store = store
        self.clock = clock
        self.scheduler = Scheduler()

    def answer(self, item: str, *ratings: Rating, apart: timedelta = timedelta(minutes=11)) -> Review:
        """Answer an item, again after each wait; give the last review."""
        for rating in ratings:
            self.clock.utc += apart
            memory = self.store.memory(item)
            begins = basis_of(self.store, self.scheduler, memory)
            review = self.scheduler.review(item, begins, rating, self.clock(), duration_ms=4200)
            made = self.scheduler
            self.store.remember_weights(made.model, made.weights, made.rules)
            self.store.record(replace(review, before=memory), fingerprint="0123456789abcdef")
        return review

    def on_due_days(self, item: str, *ratings: Rating, late: int = 0) -> None:
        """Answer an item so many days after it is due each time."""
        for rating in ratings:
            memory = self.store.memory(item)
            assert memory is not None
            assert memory.due_day is not None
            self.clock.utc += timedelta(days=memory.due_day - self.clock().day + late)
            self.answer(item, rating)


def lived(path: Path) -> None:
    """Make the profile: steps, lapses, early and late answers, other rules and weights, and every event."""
    clock = FrozenClock()
    with Store.open(path) as store:
        learner, upkeep = Learner(store, clock), store.upkeep
        learner.answer(ONE, G, G)
        learner.answer(TWO, A, H, G, G)
        learner.answer(FAMILY, E)
        learner.on_due_days(ONE, G, G, E)
        learner.answer(ONE, G)  # on the same day
        learner.on_due_days(TWO, A)
        learner.answer(TWO, H, G)
        learner.scheduler = Scheduler(
            Settings(desired_retention=0.8, learning_steps=(60,), relearning_steps=(), maximum_interval=40),
            fuzz=False,
        )
        learner.on_due_days(ONE, G, A, G, late=3)
        learner.answer(RED, G, G, E)
        upkeep.set_due([RED], clock().day + 2, clock())
        learner.on_due_days(RED, G)
        upkeep.set_due([ONE, RED], clock().day + 9, clock())
        upkeep.unset_due([RED], clock())
        learner.scheduler = Scheduler(Settings(), OTHER)
        learner.on_due_days(ONE, G, G)
        learner.on_due_days(FAMILY, A, late=-4)
        learner.answer(FAMILY, G)
        upkeep.forget([RED, TWO], clock())
        learner.answer(RED, H, G, G)
        upkeep.remember([TWO, RED], clock())
        learner.on_due_days(TWO, H, G)
        clock.utc -= timedelta(days=3)  # the clock was set back
        learner.answer(TWO, G)
        upkeep.forget([TWO], clock())
        learner.answer(TWO, E)
        clock.utc += timedelta(days=5)
        learner.answer(BLUE, E)
        undone = clock().day
        upkeep.set_due([BLUE], undone + 1, clock())
        store.undo(undone)
        learner.answer(BLUE, G, G)
        upkeep.suspend([BLUE], clock())
        upkeep.bury([ONE], clock())
        learner.scheduler = Scheduler()
        learner.on_due_days(ONE, G, H)
        learner.answer(MEAN, G)
        upkeep.set_due([ONE], clock().day + 30, clock())


def copied(template: Path, home: Path) -> Desk:
    """Return a desk on a copy of a profile."""
    path = Home(home).profile_file("default")
    path.parent.mkdir(parents=True)
    shutil.copyfile(template, path)
    catalogue = build_catalogue(load_library(SAMPLE, None), ["batchnorm.entry"])
    return Desk(Home(home), path, catalogue, Settings(), FrozenClock())
