"""What the home screen and `studynorm due` say: what is left today, and how each topic stands."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.queue import plan
from studynorm.scheduling.studyday import Moment
from studynorm.storage.glance import DaySummary, Glance, glance
from studynorm.study.desk import Desk
from studynorm.study.situation import Counts, Stage

MATURE_DAYS = 21.0


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
    seen = _glance(desk, now.day)
    memories = {memory.item: memory for memory in seen.memories}
    candidates = {
        item: candidate for item, candidate in desk.catalogue.candidates.items() if item not in seen.paused
    }
    due = sorted(
        (memory for memory in memories.values() if memory.due_day is not None and memory.due_day <= now.day),
        key=lambda memory: (memory.due_day, memory.item),
    )
    learning = [
        memory for memory in memories.values() if memory.due_at is not None and memory.item in candidates
    ]
    planned = plan(
        [candidates[memory.item] for memory in due if memory.item in candidates],
        [candidate for item, candidate in candidates.items() if item not in memories],
        seen.load,
        desk.settings,
    )
    left: dict[str, Counter[Stage]] = {}
    for candidate in planned:
        stage = Stage.REVIEW if candidate.item in memories else Stage.NEW
        left.setdefault(candidate.topic, Counter())[stage] += 1
    for memory in learning:
        left.setdefault(candidates[memory.item].topic, Counter())[Stage.LEARNING] += 1
    topics = []
    for topic in desk.catalogue.topics:
        strengths = Counter(strength_of(memories.get(item)) for item in topic.items)
        topics.append(
            TopicState(
                topic.id,
                topic.title,
                strengths[Strength.NEW],
                strengths[Strength.LEARNING],
                strengths[Strength.YOUNG],
                strengths[Strength.MATURE],
                _counts(left.get(topic.id, Counter())),
            )
        )
    return Overview(
        now,
        _counts(sum(left.values(), Counter())),
        seen.summary,
        tuple(topics),
        min((memory.due_at for memory in learning if memory.due_at is not None), default=None),
        seen.next_due_day,
    )


def _glance(desk: Desk, day: int) -> Glance:
    """Read the profile without opening it, unless it is of an older schema and is upgraded first."""
    seen = glance(desk.path, day)
    if seen is None:
        desk.store  # noqa: B018  opening upgrades it
        seen = glance(desk.path, day)
    assert seen is not None
    return seen


def _counts(stages: Counter[Stage]) -> Counts:
    return Counts(stages[Stage.NEW], stages[Stage.LEARNING], stages[Stage.REVIEW])


def strength_of(memory: Memory | None) -> Strength:
    """Return how well an item with this memory is known."""
    if memory is None:
        return Strength.NEW
    if memory.state is not State.REVIEW:
        return Strength.LEARNING
    return Strength.MATURE if memory.stability >= MATURE_DAYS else Strength.YOUNG
