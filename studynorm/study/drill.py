"""Practice beside the schedule: problems alone, harder after right answers and easier after wrong ones.

No memory and no review is touched; every answer that counts is stored at once, apart from those of reviews.
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from studynorm.engine.grading import Verdict
from studynorm.engine.rng import Rng, seed_of
from studynorm.engine.variant import Variant
from studynorm.scheduling.studyday import Clock, Moment
from studynorm.storage.store import Store
from studynorm.study.course import LOWEST, Course, DrillDone, FamilyResult, went_right, went_wrong
from studynorm.study.keygate import KeyGate
from studynorm.study.offers import Offer, offers
from studynorm.study.situation import Key, Pending, ProblemPrompt, Stage
from studynorm.study.tries import attempt_at, hinted, judged, shown

WEAK_DAYS = 30
_DAY_MS = 86_400_000
_REPEAT_TRIES = 40
_FAILED_TRIES = 6


DrillSituation = ProblemPrompt | Pending | DrillDone


def shuffled(families: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return the families in an order that the seed fixes."""
    return tuple(Rng("drill order", seed).shuffled(families))


def weak_families(store: Store, moment: Moment, among: Collection[str]) -> tuple[str, ...]:
    """Return those of the families in which named misconceptions were made within the last 30 days.

    The most frequent come first, then the most recent; reviews and drills count alike.
    """
    found = store.weaknesses(moment.at - WEAK_DAYS * _DAY_MS)
    return tuple(weakness.family for weakness in found if weakness.family in among)


class DrillSession:
    """A round robin over families, of the same shape as a StudySession for its problems.

    `situation` is what to show; `next` goes on from a finished problem. The same families, level, seed
    and answers give the same problems. `level` fixes the level of all; without it each family starts at
    level 1. `count` is how many problems there are, without end for None. `only` is the one variant of a
    drill of a single problem. In a ProblemPrompt of a drill `stage` and `intervals` mean nothing.
    `submit` may raise a StoreError, and then nothing has changed.
    """

    def __init__(
        self,
        store: Store,
        families: Sequence[str],
        clock: Clock,
        *,
        seed: int,
        level: int | None = None,
        count: int | None = None,
        only: Key | None = None,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self.gate = KeyGate(ticks)
        self.notice: str | None = None
        self.streak = 0
        self.seed = seed
        self._store = store
        self._clock = clock
        self._ticks = ticks
        self.level = level
        self._count = 1 if only is not None else count
        self._only = only
        self._turns = deque(dict.fromkeys(families if only is None else [only.family]))
        self._wished: deque[tuple[str, int]] = deque()
        self._courses: dict[str, Course] = {}
        self._variants: dict[Key, Variant] = {}
        self._refused: dict[Key, str] = {}
        self._results: dict[str, FamilyResult] = {}
        self._best = 0
        self._shown_at = ticks()
        self.situation: DrillSituation = DrillDone((), 0)
        self._advance()

    @property
    def answered(self) -> int:
        """How many problems were finished."""
        return sum(result.asked for result in self._results.values())

    @property
    def left(self) -> int | None:
        """How many problems are left, the one on the screen included; None for a drill without end."""
        return None if self._count is None else self._count - self.answered

    @property
    def seconds(self) -> float:
        """How long the problem on the screen has been there."""
        return max(0.0, self._ticks() - self._shown_at)

    @property
    def results(self) -> Mapping[str, FamilyResult]:
        """How each family went so far."""
        return self._results

    # -- the engine's side -------------------------------------------------------------------
    def wanted(self, most: int = 6) -> tuple[Key, ...]:
        """Return the variants that come next and are not there yet, the awaited one first."""
        keys = [self.situation.key] if isinstance(self.situation, Pending) else []
        if self._only is None and self.left != 1:
            coming = (self._key(family, level) for family, level in self._coming())
            keys += [key for key in coming if key not in (*self._variants, *self._refused, *keys)]
        return tuple(keys[:most])

    def provide(self, key: Key, variant: Variant) -> None:
        """Take a variant that the engine drew; opens it where it was waited for.

        A statement that came up lately is left out, and another seed drawn.
        """
        self._variants[key] = variant
        if isinstance(self.situation, Pending) and self.situation.key == key:
            self._open(key)

    def refuse(self, key: Key, reason: str) -> None:
        """Note that the engine cannot draw a variant: another seed comes, in the end another family."""
        self._refused[key] = reason
        if isinstance(self.situation, Pending) and self.situation.key == key:
            self._wait_for(key)

    # -- the learner's side ------------------------------------------------------------------
    def submit(self, text: str) -> Verdict | None:
        """Judge a typed answer and store it if it counts. Malformed and imprecise ones cost nothing."""
        prompt = self.situation
        if not isinstance(prompt, ProblemPrompt) or prompt.closed:
            return None
        after, verdict = judged(prompt, text)
        if verdict.kept:
            self._store.record_drill(attempt_at(prompt, text, verdict, self._clock().at))
            self._went_on(after)
        return verdict

    def hint(self) -> str | None:
        """Show and return the next hint of an open problem, None when there is no further one."""
        prompt = self.situation
        after = hinted(prompt) if isinstance(prompt, ProblemPrompt) else None
        if after is None:
            return None
        self.situation = after
        return after.hints[-1]

    def reveal(self) -> None:
        """Show the worked solution; unless the problem was solved, that counts as wrong."""
        if isinstance(self.situation, ProblemPrompt):
            self._went_on(shown(self.situation))

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What to turn to after a wrong answer to the problem on the screen; nothing before one."""
        prompt = self.situation
        if not isinstance(prompt, ProblemPrompt) or not (prompt.wrong or prompt.revealed):
            return ()
        return offers(prompt.variant)

    def take(self, offer: Offer) -> bool:
        """Have the family of an offer asked next, at its level; False for a card, which is only read."""
        if not offer.family or self._only is not None:
            return False
        self._wished.append((offer.family, offer.level or LOWEST))
        return True

    @property
    def finished(self) -> bool:
        """Whether `next` would go on: the problem is closed, or was answered at least once."""
        prompt = self.situation
        return isinstance(prompt, ProblemPrompt) and (prompt.closed or bool(prompt.verdicts))

    def next(self) -> bool:
        """Go on to the next problem, or to the end; False where the one on the screen is not finished."""
        prompt = self.situation
        if not self.finished or not isinstance(prompt, ProblemPrompt):
            return False
        if not prompt.closed:
            self._close(prompt)
        self.gate.rated()
        self._advance()
        return True

    def stop(self) -> DrillDone:
        """End the drill and return how it went; a problem without an answer does not count."""
        prompt = self.situation
        if self.finished and isinstance(prompt, ProblemPrompt) and not prompt.closed:
            self._close(prompt)
        done = DrillDone(tuple(self._results.values()), self._best)
        self.situation = done
        return done

    # -- choosing ----------------------------------------------------------------------------
    def _coming(self) -> Iterator[tuple[str, int]]:
        yield from self._wished
        for family in self._turns:
            yield family, self._level(family)

    def _course(self, family: str) -> Course:
        return self._courses.setdefault(family, Course(self.level or LOWEST))

    def _level(self, family: str) -> int:
        return self.level or self._course(family).level

    def _key(self, family: str, level: int) -> Key:
        if self._only is not None:
            return self._only
        return Key(family, level, seed_of("drill", self.seed, family, self._course(family).drawn))

    def _advance(self) -> None:
        if self.left == 0 or not (self._wished or self._turns):
            self.stop()
            return
        if self._wished:
            family, level = self._wished.popleft()
        else:
            family = self._turns[0]
            self._turns.rotate(-1)
            level = self._level(family)
        self._wait_for(self._key(family, level))

    def _wait_for(self, key: Key) -> None:
        """Open a variant that is there; else wait for it, or for the next seed where it cannot be drawn."""
        course = self._course(key.family)
        while key in self._refused:
            course.drawn += 1
            course.failed += 1
            if course.failed >= _FAILED_TRIES or self._only is not None:
                self.notice = f"{key.family} is left out: {self._refused[key]}"
                self._turns = deque(family for family in self._turns if family != key.family)
                self._wished = deque(wish for wish in self._wished if wish[0] != key.family)
                self._advance()
                return
            key = self._key(key.family, key.level)
        self.situation = Pending(f"family:{key.family}", key.family.partition(".")[0], key)
        if key in self._variants:
            self._open(key)

    def _open(self, key: Key) -> None:
        variant = self._variants.pop(key)
        course = self._course(key.family)
        if self._only is None and course.repeats(variant) and course.repeated < _REPEAT_TRIES:
            course.drawn += 1
            course.repeated += 1
            self._wait_for(self._key(key.family, key.level))
            return
        course.asked(variant)
        topic = key.family.partition(".")[0]
        self.situation = ProblemPrompt(
            f"family:{key.family}", topic, Stage.REVIEW, variant, (), (), False, False, {}
        )
        self._shown_at = self._ticks()
        self.gate.changed()

    # -- keeping the books -------------------------------------------------------------------
    def _went_on(self, after: ProblemPrompt) -> None:
        before = self.situation
        self.situation = after
        if after.closed and isinstance(before, ProblemPrompt) and not before.closed:
            self._close(after)

    def _close(self, prompt: ProblemPrompt) -> None:
        """Count a finished problem and choose the level at which its family comes next."""
        variant = prompt.variant
        result = self._results.setdefault(variant.family, FamilyResult(variant.family, variant.title))
        result.asked += 1
        result.seconds += self.seconds
        result.right += went_right(prompt)
        result.wrong += went_wrong(prompt)
        result.unjudged += prompt.unjudged
        if not prompt.unjudged:
            self.streak = self.streak + 1 if went_right(prompt) else 0
        self._best = max(self._best, self.streak)
        self._course(variant.family).finished(prompt)
        result.level = self._level(variant.family)
