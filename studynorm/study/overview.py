"""What the home screen and `studynorm due` say: what is left today, and how each topic stands."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.queue import DayLoad, share
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment
from studynorm.storage.glance import MATURE_DAYS, DaySummary, Glance, glance
from studynorm.study.catchup import KEY, narrowed, plan_in
from studynorm.study.desk import Desk
from studynorm.study.situation import Counts, Stage
from studynorm.study.standing import Standing


class Strength(StrEnum):
    """How well an item is known, by its stability: mature from 21 days on."""

    NEW = "new"
    LEARNING = "learning"
    YOUNG = "young"
    MATURE = "mature"


@dataclass(frozen=True, slots=True)
class TopicState:
    """One topic: how many items of each strength it has, and what of it is left today."""

    id: str
    title: str
    new: int
    learning: int
    young: int
    mature: int
    today: Counts

    @property
    def total(self) -> int:
        """All items of the topic."""
        return self.new + self.learning + self.young + self.mature


@dataclass(frozen=True, slots=True)
class Overview:
    """What is left today under the daily limits, what was done, and what comes next."""

    moment: Moment
    today: Counts
    done: DaySummary
    topics: tuple[TopicState, ...]
    next_at: int | None
    next_day: int | None


def overview(desk: Desk) -> Overview:
    """Return how one profile stands now; only reads. Raises StoreError where it cannot be read."""
    now = desk.clock()
    if desk.standing is None or desk.standing.catalogue is not desk.catalogue:
        desk.standing = Standing(desk.catalogue)
    with glance(desk.path) as seen:
        if seen is not None:
            return _overview(desk, desk.standing, seen, now)
    desk.store  # noqa: B018  opening a profile of an older schema upgrades it
    with glance(desk.path) as seen:
        assert seen is not None
        return _overview(desk, desk.standing, seen, now)


def _overview(desk: Desk, standing: Standing, seen: Glance, now: Moment) -> Overview:
    standing.look(seen)
    paused, candidates = seen.paused(now.day) | seen.damaged(), desk.catalogue.candidates
    steps = {item: at for item, at in seen.steps().items() if item in candidates and item not in paused}
    load = seen.load(now.day)
    waiting, limits = _waiting(desk, standing, seen, now, paused, load)
    due, new = share(
        (candidates[item] for item in waiting),
        (candidate for candidate in standing.new_items() if candidate.item not in paused),
        load,
        limits,
    )
    left = {
        Stage.NEW: Counter(candidate.topic for candidate in new),
        Stage.LEARNING: Counter(candidates[item].topic for item in steps),
        Stage.REVIEW: Counter(candidate.topic for candidate in due),
    }
    topics = tuple(
        TopicState(
            topic.id,
            topic.title,
            standing.count(topic, Strength.NEW),
            standing.count(topic, Strength.LEARNING),
            standing.count(topic, Strength.YOUNG),
            standing.count(topic, Strength.MATURE),
            Counts(*(left[stage][topic.id] for stage in Stage)),
        )
        for topic in desk.catalogue.topics
    )
    return Overview(
        now,
        Counts(*(left[stage].total() for stage in Stage)),
        seen.summary(now.day),
        topics,
        min(steps.values(), default=None),
        seen.next_due_day(now.day),
    )


def _waiting(
    desk: Desk, standing: Standing, seen: Glance, now: Moment, paused: frozenset[str], load: DayLoad
) -> tuple[Iterable[str], Settings]:
    """Return the due items in the order of choice, and the limits of the day: a catch-up plan has its own."""
    kept = plan_in(seen.value(KEY))
    if kept is not None and kept.over is None:
        due = [
            one
            for one in seen.due_memories(now.day)
            if one.item in desk.catalogue.candidates and one.item not in paused
        ]
        under_plan = narrowed(kept, due, load, now.day, desk.settings)
        if under_plan is not None:
            return (one.item for one in under_plan[0]), under_plan[1]
    return (item for item in standing.due_items(now.day) if item not in paused), desk.settings


def strength_of(memory: Memory | None) -> Strength:
    """Return how well an item with this memory is known."""
    if memory is None:
        return Strength.NEW
    if memory.state is not State.REVIEW:
        return Strength.LEARNING
    return Strength.MATURE if memory.stability >= MATURE_DAYS else Strength.YOUNG
