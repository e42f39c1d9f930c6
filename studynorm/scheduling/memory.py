"""What is remembered about one item, and the event that changed it.

Both are checked when made, so half a state cannot exist.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment


class State(StrEnum):
    """Where an item stands; one never reviewed has no memory and therefore no state."""

    LEARNING = "learning"
    REVIEW = "review"
    RELEARNING = "relearning"


@dataclass(frozen=True, slots=True)
class Memory:
    """The scheduling state of one item after its newest review.

    In Review it is due on a study day (`due_day`) and has no step; in Learning and Relearning it is due at an
    instant (`due_at`, UTC milliseconds) and stands at a step. `stability` is in days, `difficulty` 1 to 10.
    Raises ValueError for any other combination, and for a due time before the newest review.
    """

    item: str
    state: State
    step: int | None
    stability: float
    difficulty: float
    due_at: int | None
    due_day: int | None
    last_at: int
    last_day: int
    reps: int
    lapses: int

    def __post_init__(self) -> None:
        if not self.item:
            raise ValueError("a memory needs an item")
        if not (isfinite(self.stability) and self.stability > 0):
            raise ValueError(f"{self.item}: stability {self.stability} is not a positive number")
        if not 1 <= self.difficulty <= 10:
            raise ValueError(f"{self.item}: difficulty {self.difficulty} is not within 1 to 10")
        if not (self.reps >= 1 and 0 <= self.lapses <= self.reps):
            raise ValueError(f"{self.item}: {self.lapses} lapses in {self.reps} reviews cannot be")
        if self.state is State.REVIEW:
            if self.step is not None or self.due_at is not None or self.due_day is None:
                raise ValueError(f"{self.item}: in Review a memory has a due day, no step and no due instant")
            if self.due_day < self.last_day:
                raise ValueError(f"{self.item}: due before its newest review")
            return
        if self.step is None or self.step < 0 or self.due_at is None or self.due_day is not None:
            raise ValueError(f"{self.item}: in {self.state} a memory has a step and a due instant")
        if self.due_at < self.last_at:
            raise ValueError(f"{self.item}: due before its newest review")


@dataclass(frozen=True, slots=True)
class Review:
    """One logged rating: `before` is None for an item's first review, `duration_ms` the answer time.

    `confidence` is how sure the learner was before the answer was shown, in per cent, None if not asked.
    """

    item: str
    rating: Rating
    suggested: Rating | None
    moment: Moment
    duration_ms: int
    before: Memory | None
    after: Memory
    confidence: int | None = None

    def __post_init__(self) -> None:
        if self.after.item != self.item or (self.before is not None and self.before.item != self.item):
            raise ValueError(f"a review of {self.item} carries the memory of another item")
        if self.duration_ms < 0:
            raise ValueError(f"a review cannot take {self.duration_ms} ms")
        if self.confidence is not None and not 0 <= self.confidence <= 100:
            raise ValueError(f"a confidence of {self.confidence} % cannot be")
