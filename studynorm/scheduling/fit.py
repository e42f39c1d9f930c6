"""FSRS' weights fitted to a learner's answers, and how well weights predict answers that they did not see."""

import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

import fsrs

from studynorm.scheduling.evidence import NEEDED, History, countable_places, held_out_from
from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.studyday import Moment

LEAST_GAIN = 0.0001
"""By so much the held-out log loss has to fall for new weights to be better: what four digits show."""

Tell = Callable[[float], None]
"""Is told how much of a fit is done, from 0 to 1."""

_SURE = 1e-6  # no prediction counts as surer, so that one slip cannot outweigh everything
_DAY_MS = 86_400_000
_EVERY = 32


class FitFailed(RuntimeError):
    """No weights could be fitted; the message is one line and says why."""


class TooFew(FitFailed):
    """There are too few countable answers; `missing` says by how many."""

    def __init__(self, missing: int) -> None:
        super().__init__(f"{missing} of the {NEEDED} reviews that a fit needs are missing")
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights that were fitted, and the mean log loss over the `n_held_out` answers that were held out.

    `before` is that of the weights they were compared with, `after` their own.
    """

    weights: tuple[float, ...]
    n_train: int
    n_held_out: int
    before: float
    after: float

    @property
    def gain(self) -> float:
        """By how much the log loss falls; below 0 where it rises."""
        return self.before - self.after

    @property
    def is_better(self) -> bool:
        """Whether the fitted weights predict better than those they were compared with."""
        return self.gain >= LEAST_GAIN


def fit(histories: Sequence[History], weights: Sequence[float], tell: Tell = lambda done: None) -> Fit:
    """Fit to the older four fifths of the countable answers, and measure on the newest fifth.

    What is measured are the fitted weights themselves, beside `weights`. Raises TooFew and FitFailed.
    """
    places = countable_places(histories)
    if len(places) < NEEDED:
        raise TooFew(NEEDED - len(places))
    cut = held_out_from(places)
    n_train = sum(place < cut for place in places)
    older = [tuple(answer for answer in history if answer.place < cut) for history in histories]
    try:
        before = log_loss(histories, weights, cut)
        fitted = _fitted([history for history in older if countable_places([history])], tell)
        after = log_loss(histories, fitted, cut)
    except (ValueError, ArithmeticError) as error:
        raise _failed(error) from error
    return Fit(fitted, n_train, len(places) - n_train, before, after)


def log_loss(histories: Iterable[History], weights: Sequence[float], from_: int = 0) -> float:
    """Return the mean of −ln p over the countable answers from place `from_` on.

    p is the probability, kept 1e-6 away from 0 and 1, that FSRS with these weights gave to what happened:
    recalled, or Again. Raises SettingError for weights that are none, ValueError where no answer counts.
    """
    scheduler = Scheduler(weights=weights, fuzz=False)
    losses = [
        -math.log(recall if rating > Rating.AGAIN else 1 - recall)
        for history in histories
        for recall, rating in _predicted(history, scheduler, from_)
    ]
    if not losses:
        raise ValueError("no answer counts")
    return math.fsum(losses) / len(losses)


def _predicted(history: History, scheduler: Scheduler, from_: int) -> Iterator[tuple[float, int]]:
    """Yield the predicted recall of each countable answer from a place on, with its rating."""
    if history[-1].place < from_:
        return
    memory: Memory | None = None
    for place, rating, day in history:
        moment = Moment(day * _DAY_MS, 0, day)
        if memory is not None and day > memory.last_day and place >= from_:
            yield min(max(scheduler.recall(memory, moment), _SURE), 1 - _SURE), rating
        memory = scheduler.after("item", memory, Rating(rating), moment)


def _fitted(histories: Sequence[History], tell: Tell) -> tuple[float, ...]:
    """Return what py-fsrs' optimizer makes of whole histories."""
    try:
        theirs: Any = importlib.import_module("fsrs.optimizer")
        logs = [
            fsrs.ReviewLog(number, fsrs.Rating(rating), _midnight(day), None)
            for number, history in enumerate(histories)
            for _, rating, day in history
        ]
        with _followed(theirs, len(logs), tell):
            found = theirs.Optimizer(logs).compute_optimal_parameters()
        if found is None:
            raise FitFailed("no weights that were tried gave a number")
        return Scheduler(weights=tuple(found)).weights
    except FitFailed:
        raise
    except (ImportError, OSError) as missing:
        raise FitFailed(f"pandas, tqdm or torch cannot be loaded ({_line(missing)})") from missing
    except Exception as error:  # whatever py-fsrs and torch raise, a person gets one line
        raise _failed(error) from error


@contextmanager
def _followed(theirs: Any, answers: int, tell: Tell) -> Iterator[None]:
    """Count the answers that py-fsrs works through; by itself it tells of whole epochs alone.

    It goes through all of them once to count, and twice in each epoch, to learn and to measure.
    """
    plain, epochs = getattr(theirs, "Scheduler", None), getattr(theirs, "num_epochs", None)
    if not (isinstance(plain, type) and isinstance(epochs, int)):
        yield
        return
    total, done = max(1, 2 * epochs * answers), -answers

    class Followed(plain):  # type: ignore[misc, valid-type]
        def review_card(self, *args: Any, **named: Any) -> Any:
            nonlocal done
            done += 1
            if done % _EVERY == 0:
                tell(min(1.0, max(0.0, done / total)))
            return super().review_card(*args, **named)

    theirs.Scheduler = Followed
    try:
        yield
    finally:
        theirs.Scheduler = plain


def _midnight(day: int) -> datetime:
    return datetime.combine(date.fromordinal(day), time(), UTC)


def _failed(error: Exception) -> FitFailed:
    return FitFailed(f"the fit failed ({_line(error)})")


def _line(error: Exception) -> str:
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
