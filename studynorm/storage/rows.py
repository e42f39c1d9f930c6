"""Between rows and our types: every field to one column and exactly back."""

from typing import Any

from sqlalchemy import RowMapping

from studynorm.engine.attempt import Attempt
from studynorm.scheduling.memory import Memory, Review, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment
from studynorm.storage.schema import MEMORY_FIELDS

Columns = dict[str, Any]


def memory_columns(memory: Memory | None, prefix: str = "") -> Columns:
    """Return the memory's columns without its item; all NULL for None."""
    return {prefix + name: None if memory is None else getattr(memory, name) for name in MEMORY_FIELDS}


def memory_of(row: RowMapping, item: str, prefix: str = "") -> Memory | None:
    """Return the memory in a row, None where its columns are NULL. Raises ValueError for half a memory."""
    values = {name: row[prefix + name] for name in MEMORY_FIELDS}
    if values["state"] is None:
        return None
    try:
        return Memory(item=item, **{**values, "state": State(values["state"])})
    except TypeError as error:  # a text where a number belongs
        raise ValueError(f"{item}: {error}") from error


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
    """Return the review in a row. Raises ValueError when it holds no whole one."""
    item = row["item"]
    after = memory_of(row, item, "after_")
    if after is None:
        raise ValueError(f"a review of {item} has no result")
    return Review(
        item=item,
        rating=Rating(row["rating"]),
        suggested=None if row["suggested"] is None else Rating(row["suggested"]),
        moment=Moment(row["at"], row["utc_offset"], row["day"]),
        duration_ms=row["duration_ms"],
        before=memory_of(row, item, "before_"),
        after=after,
        confidence=row["confidence"],
    )


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
    """Return the attempt in a row."""
    values = {name: row[name] for name in Attempt.__dataclass_fields__}
    return Attempt(**{**values, "seed": int(row["seed"]), "revealed": bool(row["revealed"])})


def _storable(text: str) -> str:
    """Return the text with lone surrogates, left by bytes in a wrong encoding, as visible escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
