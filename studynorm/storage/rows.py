"""Between rows and our types: every field to one column and exactly back."""

import re
from types import NoneType
from typing import Any

from sqlalchemy import RowMapping

from studynorm.engine.attempt import Attempt
from studynorm.scheduling.memory import Memory, Review, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment
from studynorm.storage.schema import MEMORY_FIELDS
from studynorm.storage.setaside import is_day, is_instant, memory_fault

Columns = dict[str, Any]
_NONE = [None] * len(MEMORY_FIELDS)
_OFFSETS = range(-24 * 60 + 1, 24 * 60)
_TEXTS = ("item", "family", "seed", "prompt", "params", "answer", "misconceptions", "typed", "verdict")


def memory_columns(memory: Memory | None, prefix: str = "") -> Columns:
    """Return the memory's columns without its item; all NULL for None."""
    return {prefix + name: None if memory is None else getattr(memory, name) for name in MEMORY_FIELDS}


def memory_of(row: RowMapping, item: str, prefix: str = "") -> Memory | None:
    """Return the memory in a row, None where its columns are NULL.

    Raises ValueError where there is no whole one; the message says what is wrong with it.
    """
    columns = [row[prefix + name] for name in MEMORY_FIELDS]
    if columns == _NONE:
        return None
    fault = memory_fault(columns) if isinstance(item, str) else f"item is {item!r}"
    if fault is not None:
        raise ValueError(fault)
    return Memory(item, State(columns[0]), *columns[1:])


def review_columns(review: Review, weights_id: int | None, rules_id: int | None) -> Columns:
    """Return the columns of a review row, its id aside."""
    return {
        "item": review.item,
        "at": review.moment.at,
        "utc_offset": review.moment.offset,
        "day": review.moment.day,
        "rating": int(review.rating),
        "suggested": None if review.suggested is None else int(review.suggested),
        "duration_ms": review.duration_ms,
        "weights_id": weights_id,
        "rules_id": rules_id,
        "confidence": review.confidence,
        **memory_columns(review.before, "before_"),
        **memory_columns(review.after, "after_"),
    }


def review_of(row: RowMapping) -> Review:
    """Return the review in a row. Raises ValueError where there is no whole one."""
    item = row["item"]
    _wanted(row, int, "rating", "duration_ms")
    _wanted(row, (int, NoneType), "suggested", "confidence")
    moment = moment_in(row)
    after = memory_of(row, item, "after_")
    if after is None:
        raise ValueError("its result is missing")
    return Review(
        item=item,
        rating=Rating(row["rating"]),
        suggested=None if row["suggested"] is None else Rating(row["suggested"]),
        moment=moment,
        duration_ms=row["duration_ms"],
        before=memory_of(row, item, "before_"),
        after=after,
        confidence=row["confidence"],
    )


def moment_in(row: RowMapping) -> Moment:
    """Return the moment of a review or event. Raises ValueError for one that no clock ever showed."""
    _wanted(row, int, "at", "utc_offset", "day")
    at, offset, day = row["at"], row["utc_offset"], row["day"]
    for name, possible in (("at", is_instant(at)), ("utc_offset", offset in _OFFSETS), ("day", is_day(day))):
        if not possible:
            raise ValueError(f"{name} is {row[name]}")
    return Moment(at, offset, day)


def attempt_columns(attempt: Attempt, review_id: int | None) -> Columns:
    """Return the columns of an attempt row, its id aside."""
    return {
        "review_id": review_id,
        "kind": "review",
        "item": attempt.item,
        "family": attempt.family,
        "version": attempt.version,
        "level": attempt.level,
        "seed": str(attempt.seed),
        "prompt": _storable(attempt.prompt),
        "params": _storable(attempt.params),
        "answer": _storable(attempt.answer),
        "misconceptions": _storable(attempt.misconceptions),
        "typed": _storable(attempt.typed),
        "verdict": attempt.verdict,
        "misconception": attempt.misconception,
        "hints": attempt.hints,
        "revealed": int(attempt.revealed),
        "at": attempt.at,
    }


def attempt_of(row: RowMapping) -> Attempt:
    """Return the attempt in a row. Raises ValueError where there is no whole one."""
    _wanted(row, int, "version", "level", "hints", "revealed", "at")
    _wanted(row, str, *_TEXTS)
    _wanted(row, (str, NoneType), "misconception")
    if not is_instant(row["at"]):
        raise ValueError(f"at is {row['at']}")
    if not re.fullmatch("-?[0-9]{1,4000}", row["seed"]):
        raise ValueError(f"seed is {row['seed']!r:.40}")
    values = {name: row[name] for name in Attempt.__dataclass_fields__}
    return Attempt(**{**values, "seed": int(row["seed"]), "revealed": bool(row["revealed"])})


def _wanted(row: RowMapping, kinds: type | tuple[type, ...], *names: str) -> None:
    for name in names:
        if not isinstance(row[name], kinds):
            raise ValueError(f"{name} is {'missing' if row[name] is None else f'{row[name]!r:.40}'}")


def _storable(text: str) -> str:
    """Return the text with lone surrogates, left by bytes in a wrong encoding, as visible escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
