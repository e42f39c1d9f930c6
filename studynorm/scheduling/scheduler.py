"""FSRS-6 by study days: from a memory and a rating to the next memory.

The only module that meets py-fsrs, whose clock-time intervals and unseeded fuzz stay behind this border.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Self

import fsrs
from fsrs.scheduler import DEFAULT_PARAMETERS, LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS

from studynorm.scheduling.fuzz import fuzz_draw, fuzzed
from studynorm.scheduling.memory import Memory, Review, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import SettingError, Settings, is_number
from studynorm.scheduling.studyday import Moment

# Days. No interval up to 36 500 days at a retention up to 0.99 can tell a higher stability from this one, and
# without a ceiling same-day ratings under unusual weights run into infinity.
_STABILITY_CEILING = 1_000_000.0
_DAY_MS = 86_400_000
_MILLISECOND = timedelta(milliseconds=1)
_NEWEST = datetime(1, 1, 1, tzinfo=UTC)

_THEIRS = {
    State.LEARNING: fsrs.State.Learning,
    State.REVIEW: fsrs.State.Review,
    State.RELEARNING: fsrs.State.Relearning,
}
_OURS = {theirs: ours for ours, theirs in _THEIRS.items()}
_RATINGS = {rating: fsrs.Rating(rating) for rating in Rating}

PUBLISHED: tuple[float, ...] = tuple(float(weight) for weight in DEFAULT_PARAMETERS)
"""The published weights of FSRS-6."""


class Scheduler:
    """Decides when an item comes back. Pure: the same arguments give the same result on every machine."""

    model: str = "FSRS-6"

    def __init__(
        self, settings: Settings | None = None, weights: Sequence[float] | None = None, *, fuzz: bool = True
    ) -> None:
        """Take the settings and 21 FSRS-6 weights (None: the published defaults).

        Raises SettingError when the weights are not 21 numbers within the bounds of FSRS-6.
        """
        self.settings = Settings() if settings is None else settings
        self.weights: tuple[float, ...] = _checked(DEFAULT_PARAMETERS if weights is None else weights)
        self._fuzz = fuzz
        self._fsrs = fsrs.Scheduler(
            parameters=self.weights,
            desired_retention=self.settings.desired_retention,
            learning_steps=[timedelta(seconds=s) for s in self.settings.learning_steps],
            relearning_steps=[timedelta(seconds=s) for s in self.settings.relearning_steps],
            maximum_interval=self.settings.maximum_interval,
            enable_fuzzing=False,
        )

    @classmethod
    def following(cls, rules: Mapping[str, Any] | None, weights: Sequence[float] | None = None) -> Self:
        """Return the scheduler of a review's `rules` and weights; None stands for the defaults of each.

        Raises SettingError for rules that no scheduler follows.
        """
        if rules is None:
            return cls(None, weights)
        settings = Settings(
            desired_retention=rules["desired_retention"],
            learning_steps=tuple(rules["learning_steps"]),
            relearning_steps=tuple(rules["relearning_steps"]),
            maximum_interval=rules["maximum_interval"],
        )
        return cls(settings, weights, fuzz=bool(rules["fuzz"]))

    @property
    def rules(self) -> dict[str, Any]:
        """What a due time depends on besides ratings, times and weights, as JSON values."""
        return {
            "desired_retention": self.settings.desired_retention,
            "learning_steps": list(self.settings.learning_steps),
            "relearning_steps": list(self.settings.relearning_steps),
            "maximum_interval": self.settings.maximum_interval,
            "fuzz": int(self._fuzz),
        }

    def outcomes(self, item: str, memory: Memory | None, moment: Moment) -> Mapping[Rating, Memory]:
        """Return what each of the four ratings would store, in the order Again, Hard, Good, Easy.

        One fuzz draw serves all four. Hard is never due after Good, nor Good after Easy; nothing is due
        before the newest review, even if the clock was set back.
        """
        return self._outcomes(item, memory, moment, tuple(Rating))

    def review(
        self,
        item: str,
        memory: Memory | None,
        rating: Rating,
        moment: Moment,
        *,
        suggested: Rating | None = None,
        duration_ms: int = 0,
    ) -> Review:
        """Return the review to store; its `after` is exactly `outcomes(item, memory, moment)[rating]`."""
        rating = Rating(rating)
        after = self.after(item, memory, rating, moment)
        return Review(item, rating, suggested, moment, max(0, duration_ms), memory, after)

    def after(self, item: str, memory: Memory | None, rating: Rating, moment: Moment) -> Memory:
        """Return the memory that one rating leads to: exactly `outcomes(item, memory, moment)[rating]`."""
        after = self._next(item, memory, rating, moment)
        if rating <= Rating.HARD or (memory is not None and after.due_at is None):
            return after  # FSRS keeps days in order; steps may fall, and so may the first stabilities
        needed = tuple(other for other in Rating if Rating.AGAIN < other <= rating)
        return self._outcomes(item, memory, moment, needed)[rating]

    def recall(self, memory: Memory, moment: Moment) -> float:
        """Return the predicted probability, 0 to 1, that the item is recalled on that study day."""
        now = _days_on(max(0, moment.day - memory.last_day))
        return float(self._fsrs.get_card_retrievability(_card(memory), now))

    def trace(self, answers: Iterable[tuple[Rating, int]]) -> tuple[float, float]:
        """Return stability and difficulty after all answers since an item was new.

        Each is a rating and its study day, oldest first; there is at least one. They depend on nothing else:
        neither on steps nor on desired retention.
        """
        card, last = _card(None), 0
        for rating, day in answers:
            gap = max(0, day - last) if last else 0
            card, _ = self._fsrs.review_card(card, _RATINGS[rating], _days_on(gap))
            card.stability = min(float(card.stability or 0.0), _STABILITY_CEILING)
            card.last_review, last = _days_on(0), max(day, last)
        return float(card.stability or 0.0), float(card.difficulty or 0.0)

    def retraced(self, memory: Memory, answers: Iterable[tuple[Rating, int]]) -> Memory:
        """Return a memory as it would be had its answers been followed with the weights of this scheduler.

        State, step and due time stay: weights that changed count from the next answer on.
        """
        stability, difficulty = self.trace(answers)
        return replace(memory, stability=stability, difficulty=difficulty)

    def _outcomes(
        self, item: str, memory: Memory | None, moment: Moment, ratings: Sequence[Rating]
    ) -> dict[Rating, Memory]:
        after = {rating: self._next(item, memory, rating, moment) for rating in ratings}
        for lower, upper in ((Rating.HARD, Rating.GOOD), (Rating.GOOD, Rating.EASY)):
            if upper in after:
                after[upper] = _not_before(after[lower], after[upper])
        return after

    def _next(self, item: str, memory: Memory | None, rating: Rating, moment: Moment) -> Memory:
        at, day = moment.at, moment.day
        if memory is not None:  # a clock set back never moves the newest review back
            at, day = max(at, memory.last_at), max(day, memory.last_day)
        now = _days_on(0 if memory is None else day - memory.last_day)
        card, _ = self._fsrs.review_card(_card(memory), _RATINGS[rating], now)
        delay = card.due - now
        state = _OURS[card.state]
        in_review = state is State.REVIEW
        return Memory(
            item=item,
            state=state,
            step=card.step,
            stability=min(float(card.stability or 0.0), _STABILITY_CEILING),
            difficulty=float(card.difficulty or 0.0),
            due_at=None if in_review else at + min(delay // _MILLISECOND, _DAY_MS),
            due_day=day + self._interval(item, memory, delay.days) if in_review else None,
            last_at=at,
            last_day=day,
            reps=1 if memory is None else memory.reps + 1,
            lapses=_lapses(memory, rating),
        )

    def _interval(self, item: str, memory: Memory | None, days: int) -> int:
        if not self._fuzz:
            return days
        draw = fuzz_draw(item, 0 if memory is None else memory.reps)
        last = 0 if memory is None or memory.due_day is None else memory.due_day - memory.last_day
        return fuzzed(days, draw, self.settings.maximum_interval, last)


class _UsedOnce(fsrs.Card):
    """A card that is not needed after its review, so that py-fsrs may work on it: a copy takes longest."""

    def __copy__(self) -> Self:
        return self


def _card(memory: Memory | None) -> fsrs.Card:
    if memory is None:
        return _UsedOnce(card_id=0, due=_days_on(0))
    return _UsedOnce(
        card_id=0,  # py-fsrs makes an id from the clock, and sleeps, when given none
        state=_THEIRS[memory.state],
        step=memory.step,
        stability=memory.stability,
        difficulty=memory.difficulty,
        due=_days_on(0),
        last_review=_days_on(0),
    )


@lru_cache(maxsize=4096)
def _days_on(days: int) -> datetime:
    """Return the midnight so many study days after the newest review, wherever in the calendar that is.

    Only differences count in FSRS, and the end of the calendar, the year 9999, is then never near.
    """
    return _NEWEST + timedelta(days=days)


def _lapses(memory: Memory | None, rating: Rating) -> int:
    if memory is None:
        return 0
    return memory.lapses + (memory.state is State.REVIEW and rating == Rating.AGAIN)


def _not_before(lower: Memory, upper: Memory) -> Memory:
    """Return `upper`, put off to the due time of `lower` where that is later."""
    if lower.due_day is not None and upper.due_day is not None and upper.due_day < lower.due_day:
        return replace(upper, due_day=lower.due_day)
    if lower.due_at is not None and upper.due_at is not None and upper.due_at < lower.due_at:
        return replace(upper, due_at=lower.due_at)
    return upper  # steps are at most a day, intervals at least one


def _checked(weights: Sequence[float]) -> tuple[float, ...]:
    wanted = len(DEFAULT_PARAMETERS)
    if len(weights) != wanted:
        old = "; 17 or 19 weights belong to an older FSRS: remove them" if len(weights) in (17, 19) else ""
        raise SettingError("weights", f"{len(weights)} numbers", f"the {wanted} weights of FSRS-6{old}")
    bounds = zip(LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS, strict=True)
    for index, (weight, (lowest, highest)) in enumerate(zip(weights, bounds, strict=True)):
        if not (is_number(weight) and lowest <= weight <= highest):
            raise SettingError(f"weights[{index}]", weight, f"a number from {lowest} to {highest}")
    return tuple(float(weight) for weight in weights)
