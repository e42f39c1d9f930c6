"""The schedule once more, from ratings, times and events alone, one item after another."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.studyday import Moment
from studynorm.storage.schema import MEMORY_FIELDS
from studynorm.storage.snapshot import BLANK, EventRow, Image, ReviewRow

UNREADABLE = (ValueError, TypeError, KeyError, ArithmeticError)
"""What a row raises that holds no whole review."""

_RATINGS = {int(rating): rating for rating in Rating}
_REPS, _FLOATS = MEMORY_FIELDS.index("reps"), ("stability", "difficulty")
_TOLERANCE = 1e-9


def image_of(memory: Memory | None) -> Image:
    """Return a memory as the columns of a row."""
    if memory is None:
        return BLANK
    return (
        memory.state.value,
        memory.step,
        memory.stability,
        memory.difficulty,
        memory.due_at,
        memory.due_day,
        memory.last_at,
        memory.last_day,
        memory.reps,
        memory.lapses,
    )


def memory_in(item: str, image: Image) -> Memory | None:
    """Return the memory in the columns of a row. Raises one of `UNREADABLE` where there is no whole one."""
    if image == BLANK:
        return None
    state, *rest = image
    return Memory(item, State(state), *rest)


def differing(stored: Image, replayed: Image) -> tuple[str, ...]:
    """Return the fields in which two memories differ, the telling ones first.

    Numbers with decimals are equal within 1e-9 of their size: another machine may round a power otherwise.
    """
    if stored == replayed:
        return ()
    if BLANK in (stored, replayed):
        return ("state",)
    pairs = zip(MEMORY_FIELDS, stored, replayed, strict=True)
    found = {name for name, one, other in pairs if not _equal(name, one, other)}
    return tuple(name for name in _TELLING if name in found)


_TELLING = (
    "reps",
    "state",
    "step",
    "last_day",
    "last_at",
    "stability",
    "difficulty",
    "due_day",
    "due_at",
    "lapses",
)


def _equal(name: str, one: Any, other: Any) -> bool:
    if name not in _FLOATS or not (isinstance(one, float) and isinstance(other, float)):
        return bool(one == other)
    return abs(one - other) <= _TOLERANCE * abs(other)


@dataclass(slots=True)
class Life:
    """How far the replay of one item has come: its memory, and the answers since it was new."""

    item: str
    memory: Memory | None = None
    image: Image = BLANK
    answers: list[tuple[Rating, int]] = field(default_factory=list)
    weights: tuple[float, ...] = ()
    moved_from: int | None = None
    forgotten: "Life | None" = None

    def take(self, row: ReviewRow, after: Memory, image: Image, weights: tuple[float, ...]) -> None:
        """Go on to the memory that a review led to."""
        self.memory, self.image, self.weights = after, image, weights
        self.answers.append((_RATINGS[row.rating], row.day))
        self.moved_from = None

    def meet(self, event: EventRow) -> None:
        """Go on to the memory that an event left. Raises one of `UNREADABLE` for one that holds nothing."""
        match event.kind:
            case "forget":
                kept = replace(self, answers=list(self.answers))
                self._become(Life(self.item, forgotten=kept))
            case "remember" if self.memory is None and self.forgotten is not None:
                self._become(self.forgotten)
            case "set_due" if self.memory is not None and self.memory.due_day is not None:
                self.moved_from = self.memory.due_day
                self._move(max(event.due_day, self.memory.last_day))
            case "unset_due" if self.moved_from is not None:
                self._move(self.moved_from)

    def _move(self, day: int) -> None:
        assert self.memory is not None
        self.memory = replace(self.memory, due_day=day)
        self.image = image_of(self.memory)

    def _become(self, other: "Life") -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(other, name))


def in_order(
    reviews: Sequence[ReviewRow], events: Sequence[EventRow], life: Life
) -> Iterator[ReviewRow | EventRow]:
    """Yield reviews and events as they happened, while `life` follows them.

    Both are numbered by themselves, and a clock may have been set back between them; what an event kept of
    the memory says after how many reviews it was.
    """
    waiting = iter(events)
    event = next(waiting, None)
    for row in reviews:
        while event is not None and _is_before(event, row, life):
            yield event
            event = next(waiting, None)
        yield row
    if event is not None:
        yield event
        yield from waiting


def _is_before(event: EventRow, row: ReviewRow, life: Life) -> bool:
    if event.kind == "remember":
        return True  # only what was forgotten last can be given back, if nothing came between
    reps = event.before[_REPS]
    if not isinstance(reps, int):
        return isinstance(event.at, int) and isinstance(row.at, int) and event.at <= row.at
    done = 0 if life.memory is None else life.memory.reps
    return done >= reps or (life.memory is not None and row.before == BLANK)


class Schedulers:
    """The schedulers that the rows of a log name, each made once."""

    def __init__(self, weights: Mapping[int, Any], rules: Mapping[int, Any]) -> None:
        defaults: dict[int | None, Any] = {None: None}
        self._weights: Mapping[int | None, Any] = dict([*weights.items(), *defaults.items()])
        self._rules: Mapping[int | None, Any] = dict([*rules.items(), *defaults.items()])
        self._made: dict[tuple[int | None, int | None], Scheduler] = {}

    def of(self, weights_id: int | None, rules_id: int | None) -> Scheduler:
        """Return the scheduler of a row. Raises one of `UNREADABLE` for ids of nothing usable."""
        made = self._made.get((weights_id, rules_id))
        if made is None:
            made = Scheduler.following(self._rules[rules_id], self._weights[weights_id])
            self._made[weights_id, rules_id] = made
        return made

    def others(self, weights_id: int | None, rules_id: int | None) -> Iterator[tuple[int | None, int | None]]:
        """Yield all other pairs of weights and rules, those with one of the two unchanged first."""
        yield from ((other, rules_id) for other in self._weights if other != weights_id)
        yield from ((weights_id, other) for other in self._rules if other != rules_id)
        for weights in self._weights:
            both = ((weights, rules) for rules in self._rules if rules != rules_id)
            yield from (pair for pair in both if weights != weights_id)

    def follow(self, life: Life, row: ReviewRow) -> tuple[Memory, tuple[float, ...]]:
        """Return the memory that a row's rating and time lead to, and the weights with which it was made.

        Raises one of `UNREADABLE` where the row holds no whole rating and time.
        """
        if not (type(row.at) is type(row.utc_offset) is type(row.day) is int):
            raise TypeError("a time is no whole number")
        scheduler = self.of(row.weights_id, row.rules_id)
        moment = Moment(row.at, row.utc_offset, row.day)
        memory = life.memory
        if memory is not None and life.weights is not scheduler.weights != life.weights:
            memory = scheduler.retraced(memory, life.answers)
        after = scheduler.after(life.item, memory, _RATINGS[row.rating], moment)
        return after, scheduler.weights
