"""Catching up after a break: how much is waiting, what a plan would do about it, and the one that is kept."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from studynorm.scheduling.catchup import (
    HORIZON,
    MOST_A_DAY,
    Backlog,
    CatchUp,
    Due,
    is_too_much,
    limits_of,
    ordered,
    usual_day,
)
from studynorm.scheduling.queue import DayLoad
from studynorm.scheduling.settings import Settings
from studynorm.storage.backlog import BacklogGlance
from studynorm.study.duedate import day_words
from studynorm.study.looking import looked_at, recall_of

if TYPE_CHECKING:
    from studynorm.storage.store import Store
    from studynorm.study.desk import Desk

KEY = "catch_up"
"""Under this key of a profile's own values a plan is kept."""
_DAYS_LOOKED_AT = 30
_FEW = 5_000
"""With more items than that, those that are gone count among what comes due: dates are rough anyway."""

D = TypeVar("D", bound=Due)


class NoCatchUp(ValueError):
    """A number of reviews a day with which no plan can begin; the message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How much is waiting on a study day, and whether a plan is at work.

    `plan` is the one that holds. `usual` is the usual number of reviews of a study day, None for a new
    learner. `offered` tells that far more is waiting than that and no plan holds; `caught_up` that a plan
    ended on this day by itself. `backlog.forgotten` is that of the plan, else 0: see `foreseen`.
    """

    backlog: Backlog
    plan: CatchUp | None
    usual: int | None
    offered: bool
    caught_up: bool

    @property
    def days_left(self) -> int | None:
        """On how many study days there is something left to do for the plan, None where it has no end."""
        return None if self.plan is None else self.backlog.days(self.plan.per_day)


def plan_of(value: Any) -> CatchUp | None:
    """Return the plan that a kept value stands for; None for none, and for what is no plan."""
    try:
        return CatchUp(**value)
    except (TypeError, ValueError):
        return None


def plan_in(text: str | None) -> CatchUp | None:
    """Return the plan in the JSON text that a Glance gives for `KEY`; None as for `plan_of`."""
    try:
        return None if text is None else plan_of(json.loads(text))
    except (ValueError, RecursionError):
        return None


def narrowed(
    plan: CatchUp | None, due: Sequence[D], done: DayLoad, day: int, settings: Settings
) -> tuple[list[D], Settings] | None:
    """Return the order of the due memories and the limits of a study day under a plan.

    None where none holds: then the usual order and limits do. `due` are all that could be asked, of every
    topic.
    """
    if plan is None or not plan.holds(len(due), done.reviews):
        return None
    return ordered(due, day), limits_of(settings, plan)


def look(desk: "Desk") -> Waiting:
    """Return what is waiting now; only reads. Raises StoreError where the profile cannot be read."""
    with looked_at(desk) as seen:
        return _look(desk, seen, desk.clock().day)


def _look(desk: "Desk", seen: BacklogGlance, today: int) -> Waiting:
    left_out = seen.paused(today) | seen.damaged()
    due = sum(item not in left_out for item in seen.due_of(tuple(desk.catalogue.candidates), today))
    done = seen.load(today).reviews
    kept = plan_in(seen.value(KEY))
    plan = kept if kept is not None and kept.holds(due, done) else None
    usual = usual_day(seen.reviews_by_day(today, _DAYS_LOOKED_AT))
    coming: Mapping[int, int] = {} if plan is None else _coming(desk, seen, today)
    return Waiting(
        Backlog(today, due, done, coming, 0.0 if plan is None else plan.forgotten),
        plan,
        usual,
        plan is None and is_too_much(due, usual, desk.settings.reviews_per_day),
        plan is None and kept is not None and kept.over in (None, today),
    )


def _coming(desk: "Desk", seen: BacklogGlance, today: int) -> Mapping[int, int]:
    items = desk.catalogue.candidates
    return seen.coming(today, today + HORIZON, tuple(items) if len(items) <= _FEW else None)


def foreseen(desk: "Desk") -> Waiting:
    """Return what is waiting now with all that the dates of a plan hang on.

    The share forgotten is the mean over what is due, by the weights in use. Raises StoreError.
    """
    waiting = look(desk)
    backlog = waiting.backlog
    if not backlog.due:
        return waiting
    today, candidates = backlog.today, desk.catalogue.candidates
    with looked_at(desk) as seen:
        left_out, recall = seen.paused(today) | seen.damaged(), recall_of(seen)
        chances = [
            recall(one.stability, today - one.last_day)
            for one in seen.due_memories(today)
            if one.item in candidates and one.item not in left_out
        ]
        coming = _coming(desk, seen, today)
    forgotten = 1 - sum(chances) / len(chances) if chances else 0.0
    return replace(waiting, backlog=replace(backlog, coming=coming, forgotten=forgotten))


def begin(desk: "Desk", per_day: int) -> Waiting:
    """Begin a plan, or change the one that holds, and return what is waiting under it.

    Raises NoCatchUp where nothing would be spread, or for a number outside 1 to 9999, and StoreError.
    """
    if not 1 <= per_day <= MOST_A_DAY:
        raise NoCatchUp(f"a catch-up has 1 to {MOST_A_DAY} reviews a day")
    waiting = foreseen(desk)
    backlog = waiting.backlog
    if backlog.due + backlog.done <= per_day:
        fits = f": that fits into one day of {per_day}" if backlog.due else ""
        raise NoCatchUp(f"{waiting_words(backlog.due)}{fits}; there is nothing to spread")
    plan = CatchUp(per_day, backlog.today, round(backlog.forgotten, 4))
    desk.store.values.set(KEY, asdict(plan))
    return replace(waiting, plan=plan, offered=False, caught_up=False)


def end(desk: "Desk") -> bool:
    """End the plan, so that the usual limits hold again; False where none held. Raises StoreError."""
    return look(desk).plan is not None and desk.store.values.remove(KEY)


def note_over(store: "Store", plan: CatchUp, day: int) -> None:
    """Note that a plan does not hold any more, so that a busier day does not bring it back.

    Raises StoreError. A plan that another program has changed meanwhile stays.
    """
    store.values.replace(KEY, asdict(plan), asdict(replace(plan, over=day)))


def waiting_words(due: int) -> str:
    """Return `Nothing is waiting`, `1 review is waiting`, `212 reviews are waiting`."""
    if not due:
        return "Nothing is waiting"
    return "1 review is waiting" if due == 1 else f"{due} reviews are waiting"


def through_words(backlog: Backlog, per_day: int) -> str:
    """Return `8 days, through on Monday, 9 March`; says so where it would have no end."""
    last, days = backlog.through(per_day), backlog.days(per_day)
    if last is None or days is None:
        return "no end within a year: as much comes due"
    counted = "1 day" if days == 1 else f"{days} days"
    return f"{counted}, through {day_words(last, backlog.today).partition(', in ')[0]}"


def reckoned_words(backlog: Backlog) -> str:
    """Return from what the dates of plans are worked out."""
    share = round(100 * backlog.forgotten)
    return f"Reckoned with what comes due meanwhile; {share} % are forgotten and come back twice."
