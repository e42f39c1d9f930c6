"""Proves one item: replays its log beside what is stored, and says why the two part where they do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.storage.schema import MEMORY_FIELDS
from studynorm.storage.snapshot import BLANK, EventRow, Image, ItemLog, ReviewRow
from studynorm.study.doctor_findings import Cause, Finding
from studynorm.study.doctor_replay import (
    UNREADABLE,
    Life,
    Schedulers,
    differing,
    image_of,
    in_order,
    memory_in,
)

_DUE_AT, _DUE_DAY, _LAST_AT, _LAST_DAY, _REPS = map(
    MEMORY_FIELDS.index, ("due_at", "due_day", "last_at", "last_day", "reps")
)
_ALTERABLE = {
    "rating": Cause.RATING_ALTERED,
    "at": Cause.TIME_ALTERED,
    "day": Cause.TIME_ALTERED,
    "utc_offset": Cause.TIME_ALTERED,
    "weights_id": Cause.BASIS_ALTERED,
    "rules_id": Cause.BASIS_ALTERED,
}


@dataclass(slots=True)
class Mending:
    """What makes an item agree with its log: rows to leave out, columns to put right, and its memory.

    `memory` is None where the stored one stays, and blank where there is to be none. `days` are the study
    days of reviews that are not as they should be.
    """

    dropped: list[int] = field(default_factory=list)
    reviews: dict[int, dict[str, Any]] = field(default_factory=dict)
    events: dict[int, dict[str, Any]] = field(default_factory=dict)
    memory: Image | None = None
    days: set[Any] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of one item; `mending` is what would put right what was found."""

    item: Any
    findings: tuple[Finding, ...] = ()
    mending: Mending = field(default_factory=Mending)


def prove(log: ItemLog, schedulers: Schedulers, *, reasoned: bool = True) -> Proof:
    """Replay an item and compare every memory that is stored of it.

    Unless `reasoned`, no other weights and rules than the named ones are tried as an explanation.
    """
    if not isinstance(log.item, str) or not log.item:
        return _nameless(log)
    walk = _Walk(log, schedulers, reasoned)
    for step in in_order(log.reviews, log.events, walk.life):
        if isinstance(step, ReviewRow):
            walk.review(step)
        else:
            walk.event(step)
    walk.end()
    return Proof(log.item, tuple(walk.findings), walk.mending)


def _nameless(log: ItemLog) -> Proof:
    rows = [row.id for row in log.reviews]
    place, number = ("review", rows[0]) if rows else ("memory", None)
    finding = Finding(place, None, number, "item", log.item, None, Cause.UNREADABLE, following=len(rows[1:]))
    return Proof(log.item, (finding,), Mending(rows, memory=BLANK, days={row.day for row in log.reviews}))


class _Walk:
    """One item on its way. What differs after the finding `_open` may merely follow from it.

    `_chain` is then the stored memory, which goes on beside the replayed one.
    """

    def __init__(self, log: ItemLog, schedulers: Schedulers, reasoned: bool) -> None:
        self.life = Life(log.item)
        self.findings: list[Finding] = []
        self.mending = Mending()
        self._log = log
        self._schedulers = schedulers
        self._reasoned = reasoned
        self._place = -1
        self._open: Finding | None = None
        self._chain: Image = BLANK
        self._shelved: tuple[Finding | None, Image] = (None, BLANK)

    def review(self, row: ReviewRow) -> None:
        """Go on to a review."""
        life = self.life
        self._place += 1
        try:
            after, weights = self._schedulers.follow(life, row)
        except UNREADABLE:
            self._unreadable(row)
            return
        image = image_of(after)
        if (row.after == image and row.before == life.image) or self._agrees(row, image):
            self._open = None
            life.take(row, after, image, weights)
        else:
            self._differs(row, after, image, weights)

    def event(self, event: EventRow) -> None:
        """Go on to an event."""
        life = self.life
        kept = event.before
        if life.memory is not None and kept != life.image and kept[_LAST_AT] == life.memory.last_at:
            self._event_differs(event)
        if event.kind == "forget":
            self._shelved, self._open = (self._open, self._chain), None
        elif event.kind == "remember":
            self._open, self._chain = self._shelved
        try:
            life.meet(event)
        except UNREADABLE:
            self._found("event", event.id, ("due_day",), (event.due_day,), (None,), Cause.UNREADABLE)
            return
        if self._open is not None and life.memory is not None and event.kind in {"set_due", "unset_due"}:
            moved = life.image[_DUE_DAY]
            self._chain = (*self._chain[:_DUE_DAY], moved, *self._chain[_DUE_DAY + 1 :])

    def end(self) -> None:
        """Compare the item's memory."""
        stored, replayed = self._log.memory, self.life.image
        fields = differing(stored, replayed)
        if not fields:
            return
        self.mending.memory = replayed
        if self._open is not None and not differing(stored, self._chain):
            self._open.memory_follows = True
            return
        cause = Cause.MEMORY_ALTERED
        if stored == BLANK:
            cause = Cause.MEMORY_MISSING
        elif not self._log.reviews:
            cause = Cause.NO_LOG
        self._found("memory", None, fields, stored, replayed, cause)

    # -- reviews that differ -------------------------------------------------------------------------
    def _agrees(self, row: ReviewRow, image: Image) -> bool:
        return not (differing(row.before, self.life.image) or differing(row.after, image))

    def _differs(self, row: ReviewRow, after: Memory, image: Image, weights: tuple[float, ...]) -> None:
        life = self.life
        begins, ends = differing(row.before, life.image), differing(row.after, image)
        if self._open is not None and self._goes_on(row):
            self._open.following += 1
            self._chain = row.after
        elif not begins and self._altered(row):
            return
        elif begins and self._is_twice(row):
            self._found("review", row.id, ("item",), (row.item,), (None,), Cause.COUNTED_TWICE)
            self._drop(row)
            return
        elif not ends:
            self._found("review", row.id, begins, row.before, life.image, Cause.BEGINNING_ALTERED, "before_")
            self._open = None
        elif not begins:
            right = any(not differing(seen, image) for seen in self._what_follows())
            cause = Cause.RESULT_ALTERED if right else Cause.UNEXPLAINED
            found = self._found("review", row.id, ends, row.after, image, cause, "after_")
            if not right:
                self._open, self._chain = found, row.after
        else:
            cause = self._why_elsewhere(row)
            found = self._found("review", row.id, begins, row.before, life.image, cause, "before_")
            self._open, self._chain = found, row.after
        self._put_right(row, image)
        life.take(row, after, image, weights)

    def _unreadable(self, row: ReviewRow) -> None:
        if not differing(row.before, self.life.image) and self._altered(row):
            return
        name = _unreadable_field(row)
        found = self._found("review", row.id, (name,), (getattr(row, name),), (None,), Cause.UNREADABLE)
        self._drop(row)
        self._open, self._chain = found, next(self._what_follows())

    def _altered(self, row: ReviewRow) -> bool:
        """Look whether another rating, time or basis explains a result; go on from that one."""
        for other in self._others(row):
            try:
                after, weights = self._schedulers.follow(self.life, other)
            except UNREADABLE:
                continue
            image = image_of(after)
            if not differing(row.after, image):
                names = tuple(name for name in _ALTERABLE if getattr(row, name) != getattr(other, name))
                stored, right = ([getattr(one, name) for name in names] for one in (row, other))
                self._found("review", row.id, names, stored, right, _ALTERABLE[names[0]])
                self.mending.reviews[row.id] = dict(zip(names, right, strict=True))
                self.mending.days |= {row.day, other.day}
                self._open = None
                self.life.take(other, after, image, weights)
                return True
        return False

    def _others(self, row: ReviewRow) -> Iterator[ReviewRow]:
        yield from (row._replace(rating=int(rating)) for rating in Rating if rating != row.rating)
        at, day = row.after[_LAST_AT], row.after[_LAST_DAY]
        if (at, day) != (row.at, row.day):
            yield row._replace(at=at, day=day)
        if type(row.utc_offset) is not int:
            yield row._replace(utc_offset=0)
        if self._reasoned:
            for weights_id, rules_id in self._schedulers.others(row.weights_id, row.rules_id):
                yield row._replace(weights_id=weights_id, rules_id=rules_id)

    def _goes_on(self, row: ReviewRow) -> bool:
        """Tell whether a review goes on from the stored memory before it, as the scheduler would."""
        if differing(row.before, self._chain):
            return False
        try:
            weights = self._schedulers.of(row.weights_id, row.rules_id).weights
            began = Life(self.life.item, memory_in(self.life.item, row.before), weights=weights)
            after, _ = self._schedulers.follow(began, row)
        except UNREADABLE:
            return False
        # With other weights it began from all answers, which the stored memory alone does not tell.
        return weights != self.life.weights or not differing(row.after, image_of(after))

    def _is_twice(self, row: ReviewRow) -> bool:
        if not self._place:
            return False
        last = self._log.reviews[self._place - 1]
        same = (row.before, row.rating, row.day) == (last.before, last.rating, last.day)
        return same and row.after[:_DUE_AT] == last.after[:_DUE_AT]

    def _what_follows(self) -> Iterator[Image]:
        """Yield the memories in which a right result of this review would be seen again."""
        later = self._log.reviews[self._place + 1 :]
        yield later[0].before if later else self._log.memory
        yield from (event.before for event in self._log.events)

    def _why_elsewhere(self, row: ReviewRow) -> Cause:
        if row.before == BLANK:
            return Cause.NOT_FORGOTTEN
        reps, done = row.before[_REPS], self.life.image[_REPS] or 0
        return Cause.REVIEW_MISSING if isinstance(reps, int) and reps > done else Cause.UNEXPLAINED

    def _drop(self, row: ReviewRow) -> None:
        self.mending.dropped.append(row.id)
        self.mending.days.add(row.day)

    def _put_right(self, row: ReviewRow, image: Image) -> None:
        self.mending.days.add(row.day)
        sides = (("before_", row.before, self.life.image), ("after_", row.after, image))
        self.mending.reviews[row.id] = {
            prefix + name: right
            for prefix, stored, replayed in sides
            for name, one, right in zip(MEMORY_FIELDS, stored, replayed, strict=True)
            if one != right
        }

    def _event_differs(self, event: EventRow) -> None:
        fields = differing(event.before, self.life.image)
        if not fields:
            return
        if self._open is None:
            self._found(
                "event", event.id, fields, event.before, self.life.image, Cause.EVENT_ALTERED, "before_"
            )
        right = {f"before_{name}": value for name, value in zip(MEMORY_FIELDS, self.life.image, strict=True)}
        self.mending.events[event.id] = right

    def _found(
        self,
        place: str,
        number: int | None,
        fields: Sequence[str],
        stored: Sequence[Any],
        replayed: Sequence[Any],
        cause: Cause,
        prefix: str = "",
    ) -> Finding:
        """Note a finding; whole memories are given by their columns, other fields by their own values."""
        at = MEMORY_FIELDS.index(fields[0]) if len(stored) == len(MEMORY_FIELDS) else 0
        names = tuple(prefix + name for name in fields)
        found = Finding(
            place, self.life.item, number, names[0], stored[at], replayed[at], cause, also=names[1:]
        )
        self.findings.append(found)
        return found


def _unreadable_field(row: ReviewRow) -> str:
    if row.rating not in set(Rating):
        return "rating"
    times = (name for name in ("at", "day", "utc_offset") if type(getattr(row, name)) is not int)
    return next(times, "weights_id" if row.rules_id is None else "rules_id")
