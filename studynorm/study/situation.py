"""What a StudySession shows at one moment: a card, a problem, a wait for the engine, or the end."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from studynorm.content.card import Card
from studynorm.engine.grading import Verdict
from studynorm.engine.variant import Variant
from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.storage.glance import DaySummary


class Stage(StrEnum):
    """Which of the three counts an item belongs to."""

    NEW = "new"
    LEARNING = "learning"
    REVIEW = "review"


def stage_of(memory: Memory | None) -> Stage:
    """Return the count that an item with this memory belongs to."""
    if memory is None:
        return Stage.NEW
    return Stage.REVIEW if memory.due_day is not None else Stage.LEARNING


@dataclass(frozen=True, slots=True)
class Counts:
    """How many items are left in this session, by stage."""

    new: int
    learning: int
    review: int

    @property
    def total(self) -> int:
        """All that is left."""
        return self.new + self.learning + self.review


@dataclass(frozen=True, slots=True)
class CardPrompt:
    """A recall card or one cloze mark of it. `intervals` are what the four buttons show and store."""

    item: str
    topic: str
    stage: Stage
    card: Card
    mark: str | None
    revealed: bool
    intervals: Mapping[Rating, str]


@dataclass(frozen=True, slots=True)
class ProblemPrompt:
    """A verified variant, what was typed so far and what has been shown.

    `revealed` says that the solution was shown before the problem was solved.
    """

    item: str
    topic: str
    stage: Stage
    variant: Variant
    verdicts: tuple[Verdict, ...]
    hints: tuple[str, ...]
    solution_shown: bool
    revealed: bool
    intervals: Mapping[Rating, str]

    @property
    def solved(self) -> bool:
        """Whether the last answer was right."""
        return bool(self.verdicts) and self.verdicts[-1].outcome == "correct"

    @property
    def wrong(self) -> int:
        """How many answers were wrong."""
        return sum(verdict.outcome == "wrong" for verdict in self.verdicts)

    @property
    def unjudged(self) -> bool:
        """Whether words were typed that are neither right nor wrong; the learner rates them freely."""
        return bool(self.verdicts) and self.verdicts[-1].outcome == "unjudged"

    @property
    def closed(self) -> bool:
        """Whether no further answer is taken: solved, unjudged, revealed or twice wrong."""
        return self.solved or self.unjudged or self.revealed


@dataclass(frozen=True, slots=True)
class Key:
    """Names a variant: the engine gives the same one for the same key, always."""

    family: str
    level: int
    seed: int


@dataclass(frozen=True, slots=True)
class Pending:
    """Only problems are left and the engine has not drawn the next one yet."""

    item: str
    topic: str
    key: Key


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing is left: what was done on this study day, and when the next item is due.

    `next_at` is in UTC milliseconds and set for learning steps of the same day; `next_day` is a study day.
    """

    summary: DaySummary
    next_at: int | None
    next_day: int | None


Situation = CardPrompt | ProblemPrompt | Pending | Done
