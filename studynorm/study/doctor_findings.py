"""What a proof of the log can find wrong, each in one line: where, what is stored, what is right, and why."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any

from studynorm.scheduling.rating import Rating


class Cause(StrEnum):
    """What a difference means."""

    RATING_ALTERED = "rating_altered"
    TIME_ALTERED = "time_altered"
    BASIS_ALTERED = "basis_altered"
    RESULT_ALTERED = "result_altered"
    BEGINNING_ALTERED = "beginning_altered"
    COUNTED_TWICE = "counted_twice"
    REVIEW_MISSING = "review_missing"
    NOT_FORGOTTEN = "not_forgotten"
    UNREADABLE = "unreadable"
    UNEXPLAINED = "unexplained"
    EVENT_ALTERED = "event_altered"
    MEMORY_ALTERED = "memory_altered"
    MEMORY_MISSING = "memory_missing"
    NO_LOG = "no_log"
    TOTAL_WRONG = "total_wrong"
    PROFILE_VALUE = "profile_value"


_MEANING = {
    Cause.RATING_ALTERED: "the rating was altered: its result, and what came after, are those of the other",
    Cause.TIME_ALTERED: "its time was altered: its result, and what came after, are those of the other",
    Cause.BASIS_ALTERED: "the weights or rules it names were altered: its result is that of the others",
    Cause.RESULT_ALTERED: "its result was altered in the log: what came after goes on from the right one",
    Cause.BEGINNING_ALTERED: "what it began from was altered in the log; its result is right",
    Cause.COUNTED_TWICE: "the same answer is in the log twice: the second one is set aside",
    Cause.REVIEW_MISSING: "reviews before it are missing from the log",
    Cause.NOT_FORGOTTEN: "it was answered as new, but no forgetting is in the log",
    Cause.UNREADABLE: "it holds no whole review and is set aside",
    Cause.UNEXPLAINED: "ratings and times lead elsewhere: the row was altered, or made by other software",
    Cause.EVENT_ALTERED: "what an event kept of the memory was altered",
    Cause.MEMORY_ALTERED: "the memory was altered: the log leads to another",
    Cause.MEMORY_MISSING: "the memory is missing, though the log leads to one",
    Cause.NO_LOG: "a memory without a log: none of its reviews is there",
    Cause.TOTAL_WRONG: "the totals of this study day are not those of its reviews",
    Cause.PROFILE_VALUE: "the profile cannot be used as it is",
}


@dataclass(slots=True)
class Finding:
    """One difference between what is stored and what the log leads to.

    `place` is `review`, `memory`, `event`, `day` or `profile`, and `number` the id of its row, or the study
    day, whose topic is then the `item`. Of several fields that differ `field` is the first and `also` are the
    others. `following` counts the later reviews of the item that differ because of this one, the memory too
    where `memory_follows`.
    """

    place: str
    item: str | None
    number: int | None
    field: str
    stored: Any
    replayed: Any
    cause: Cause
    also: tuple[str, ...] = ()
    following: int = 0
    memory_follows: bool = False

    @property
    def message(self) -> str:
        """One line for a person."""
        where = ", ".join(filter(None, (self.item, self._row())))
        more = f"{', '.join(self.also)} differ{'s' if len(self.also) == 1 else ''} too"
        also = f" ({more})" if self.also else ""
        stored, replayed = shown(self.field, self.stored), shown(self.field, self.replayed)
        line = f"{where}: {self.field} is {stored}, replayed {replayed}{also}; {_MEANING[self.cause]}"
        return f"{line}{self._rest()}."

    def _row(self) -> str:
        if self.number is None:
            return self.place
        return f"{self.place} {shown('day', self.number) if self.place == 'day' else self.number}"

    def _rest(self) -> str:
        reviews = f"{self.following} later review{'' if self.following == 1 else 's'}"
        parts = [reviews] if self.following else []
        if self.memory_follows:
            parts.append("its memory")
        if not parts:
            return ""
        verb = "follow" if self.following > 1 or len(parts) > 1 else "follows"
        return f"; {' and '.join(parts)} {verb} from it"


def shown(field: str, value: Any) -> str:
    """Return a stored value as a person reads it: dates for days, UTC times for instants."""
    field = field.removeprefix("before_").removeprefix("after_")
    try:
        if value is None:
            return "nothing"
        if field in {"day", "due_day", "last_day"}:
            return date.fromordinal(value).isoformat()
        if field in {"at", "due_at", "last_at"}:
            return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds")
        if field == "rating":
            return f"{value} ({Rating(value).label})"
    except (TypeError, ValueError, OverflowError, OSError):
        return repr(value)
    return value if isinstance(value, str) else repr(value)
