"""How the families of a drill go: at which level each is asked, what it asked lately, and the sums."""

from dataclasses import dataclass, field

from studynorm.engine.variant import Variant
from studynorm.study.shelf import barred_repeats
from studynorm.study.situation import ProblemPrompt
from studynorm.study.tries import statement

LOWEST, HIGHEST = 1, 3
RIGHT_IN_A_ROW = 2
"""After so many right answers in a row a family is asked one level higher."""


@dataclass(slots=True)
class FamilyResult:
    """How one family went: problems finished, those right at once, those with a wrong answer, and the time.

    A problem solved after a hint is neither right nor wrong, nor are unjudged words, which are counted apart;
    one whose solution was looked up is wrong.
    `level` is the one at which it would be asked next.
    """

    family: str
    title: str
    asked: int = 0
    right: int = 0
    wrong: int = 0
    unjudged: int = 0
    seconds: float = 0.0
    level: int = LOWEST


@dataclass(frozen=True, slots=True)
class DrillDone:
    """The drill is over: every family that came up, in the order in which it first did."""

    results: tuple[FamilyResult, ...]
    best_streak: int

    @property
    def asked(self) -> int:
        """All problems that were finished."""
        return sum(result.asked for result in self.results)

    @property
    def right(self) -> int:
        """Those answered right at once."""
        return sum(result.right for result in self.results)

    @property
    def unjudged(self) -> int:
        """Those answered in words that are not judged."""
        return sum(result.unjudged for result in self.results)

    @property
    def seconds(self) -> float:
        """The time on all of them."""
        return sum(result.seconds for result in self.results)


@dataclass(slots=True)
class Course:
    """Where a family stands in a drill: its level, the right answers in a row, and what it was asked.

    `drawn` counts its seeds that are used up, whether they were shown, repeated a statement or failed.
    """

    level: int
    run: int = 0
    drawn: int = 0
    failed: int = 0
    repeated: int = 0
    statements: list[str] = field(default_factory=list)

    def repeats(self, variant: Variant) -> bool:
        """Tell whether a variant repeats one of the last five statements, or fewer where there are fewer."""
        barred = barred_repeats(variant)
        return statement(variant) in self.statements[:barred]

    def asked(self, variant: Variant) -> None:
        """Note that a variant is shown."""
        self.drawn += 1
        self.failed = self.repeated = 0
        self.statements.insert(0, statement(variant))

    def finished(self, prompt: ProblemPrompt) -> None:
        """Choose the next level: one up after two right in a row, one down after a wrong answer.

        Unjudged words tell nothing about the level, so the family's levels take turns.
        """
        level = prompt.variant.level
        if prompt.unjudged:
            higher = [own for own in prompt.variant.levels if own > level]
            self.level = min(higher or prompt.variant.levels, default=level)
            return
        self.run = self.run + 1 if went_right(prompt) else 0
        if went_wrong(prompt):
            self.level = max(LOWEST, level - 1)
        elif self.run >= RIGHT_IN_A_ROW:
            self.level = min(HIGHEST, max(self.level, level) + 1)
            self.run = 0


def went_wrong(prompt: ProblemPrompt) -> bool:
    """Tell whether a finished problem had a wrong answer, or none at all."""
    return bool(prompt.wrong) or not (prompt.solved or prompt.unjudged)


def went_right(prompt: ProblemPrompt) -> bool:
    """Tell whether a finished problem was right at once and without a hint."""
    return prompt.solved and not prompt.wrong and not prompt.hints
