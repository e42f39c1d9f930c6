"""In which order rows of items are listed, and the short words that lists show for them."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Any

from studynorm.scheduling.interval import interval_text
from studynorm.scheduling.studyday import Moment
from studynorm.study.items import ItemRow


class Sort(StrEnum):
    """What rows are sorted by."""

    ORDER = "learning order"
    DUE = "due"
    STABILITY = "stability"
    DIFFICULTY = "difficulty"
    LAPSES = "lapses"
    RECALL = "recall"
    TITLE = "title"

    @property
    def falls(self) -> bool:
        """Whether the largest comes first: of lapses and difficulties that is what one looks for."""
        return self in (Sort.DIFFICULTY, Sort.LAPSES)


_VALUES: dict[Sort, Callable[[ItemRow], Any]] = {
    Sort.ORDER: lambda row: row.place,
    Sort.DUE: lambda row: None if row.memory is None else (row.due_in, row.memory.due_at or 0),
    Sort.STABILITY: lambda row: None if row.memory is None else row.memory.stability,
    Sort.DIFFICULTY: lambda row: None if row.memory is None else row.memory.difficulty,
    Sort.LAPSES: lambda row: None if row.memory is None else row.memory.lapses,
    Sort.RECALL: lambda row: row.recall,
    Sort.TITLE: lambda row: row.title.casefold(),
}


def ordered(rows: Iterable[ItemRow], sort: Sort, *, reverse: bool = False) -> list[ItemRow]:
    """Return rows in an order; equal ones stand in learning order, those without a value last."""
    value = _VALUES[sort]
    valued, rest = list[tuple[Any, ItemRow]](), list[ItemRow]()
    for row in sorted(rows, key=lambda row: row.place):
        found = value(row)
        if found is None:
            rest.append(row)
        else:
            valued.append((found, row))
    valued.sort(key=lambda pair: pair[0], reverse=sort.falls is not reverse)
    return [row for _, row in valued] + rest


def due_text(row: ItemRow, now: Moment) -> str:
    """Return when an item is due: `now`, `14:10`, `today`, `12d`, `2.1mo`, `-3d` overdue, empty when new."""
    memory, days = row.memory, row.due_in
    if memory is None or days is None:
        return ""
    if memory.due_at is not None and memory.due_at <= now.at:
        return "now"
    if memory.due_at is not None and days == 0:
        zone = timezone(timedelta(minutes=now.offset))
        return f"{datetime.fromtimestamp(memory.due_at / 1000, UTC).astimezone(zone):%H:%M}"
    if days == 0:
        return "today"
    return f"{days}d" if days < 0 else interval_text(memory, now)


def state_words(row: ItemRow) -> tuple[str, ...]:
    """Return the words for how an item stands, the most telling one first."""
    told = {
        "set aside": bool(row.damaged),
        "gone": row.gone,
        "suspended": row.suspended,
        "buried": row.buried,
    }
    words = [word for word, holds in told.items() if holds]
    words += [] if row.damaged else [row.strength.value]
    return (*words, *(["leech"] if row.leech else []), *(["edited"] if row.edited else []))
