"""Writes the log of reviews as CSV in the columns that FSRS optimizers read, and a few more."""

import csv
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, TextIO

from studynorm.storage.snapshot import Snapshot

COLUMNS = (
    "card_id",
    "review_time",
    "review_rating",
    "review_state",
    "review_duration",
    "item",
    "study_day",
    "utc_offset",
    "stability",
    "difficulty",
    "due",
)
"""The first five are those of `revlog.csv`; an optimizer drops rows with an empty field, so there is none."""

_STATES = MappingProxyType({None: 0, "learning": 1, "review": 2, "relearning": 3})


@dataclass(frozen=True, slots=True)
class Written:
    """How many reviews were written, and how many were left out because they are not whole."""

    reviews: int
    left_out: int


def card_number(item: str) -> int:
    """Return the number that stands for an item, the same on every machine: 53 bits of its BLAKE2b hash.

    Every program holds such a number exactly, and among 100 000 items two meet once in two million logs.
    """
    return int.from_bytes(blake2b(item.encode(), digest_size=8).digest(), "big") >> 11


def write_csv(shot: Snapshot, out: TextIO) -> Written:
    """Write every review, oldest first; equal profiles give equal texts."""
    names, rows = shot.rows("review", "id")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    written = left_out = 0
    for row in rows:
        try:
            writer.writerow(_line(dict(zip(names, row, strict=True))))
            written += 1
        except (TypeError, ValueError, KeyError, OverflowError):
            left_out += 1
    return Written(written, left_out)


def _line(row: dict[str, Any]) -> tuple[object, ...]:
    whole = (row["at"], row["utc_offset"], row["rating"], row["duration_ms"])
    if not (all(type(value) is int for value in whole) and 1 <= row["rating"] <= 4):
        raise ValueError("no whole review")
    due_day, due_at = row["after_due_day"], row["after_due_at"]
    due = (
        datetime.fromtimestamp(due_at / 1000, UTC).isoformat(timespec="milliseconds")
        if due_day is None
        else date.fromordinal(due_day).isoformat()
    )
    return (
        card_number(row["item"]),
        row["at"],
        row["rating"],
        _STATES[row["before_state"]],
        row["duration_ms"],
        row["item"],
        date.fromordinal(row["day"]).isoformat(),
        row["utc_offset"],
        float(row["after_stability"]),
        float(row["after_difficulty"]),
        due,
    )
