"""`python -m benchmarks.agreement`: 10 000 random histories against py-fsrs and a real Anki collection.

What is compared is what lies in a profile and in its CSV export; the tests run fewer histories.
"""

import csv
import json
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import fsrs

from studynorm.exchange.csvlog import card_number, write_csv
from studynorm.exchange.target import fresh
from studynorm.scheduling.memory import Memory, Review
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import PUBLISHED, Scheduler
from studynorm.scheduling.studyday import moment_of
from studynorm.storage.rows import memory_columns, review_columns
from studynorm.storage.snapshot import snapshot
from studynorm.storage.store import Store

OTHER = (
    0.4, 1.1, 3.2, 12.5, 7.1, 0.6, 2.1, 0.02, 1.5, 0.12, 1.0,
    1.9, 0.09, 0.3, 2.0, 0.4, 2.4, 0.6, 0.15, 0.1, 0.3,
)  # fmt: skip
"""Weights of a learner who differs from the published ones in every number."""

LEAST = 0.05  # days: below, a relative difference says nothing
MOST = 36_500.0  # days: Anki's ceiling of stability
_BEGIN = datetime(2010, 1, 1, tzinfo=UTC)
_END = datetime(2022, 1, 1, tzinfo=UTC)
_KINDS = {"0": 0, "1": 0, "2": 1, "3": 2}  # review_state to the kind in Anki's log: learn, review, relearn
_PRESSED = (Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.GOOD, Rating.GOOD, Rating.EASY)


@dataclass(frozen=True, slots=True)
class Difference:
    """How far stored stabilities and difficulties are from another program's: the largest, relative."""

    compared: int
    stability: float
    difficulty: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a comparison came to. Anki knows the last memory of each item alone."""

    histories: int
    reviews: int
    lapses: int
    same_day: int
    fsrs: Difference
    anki: Difference


def compare(folder: Path, histories: int, *, seed: int, weights: Sequence[float] = PUBLISHED) -> Agreement:
    """Store random histories, export them, and compare with both programs. The zone must be UTC."""
    scheduler = Scheduler(weights=weights)
    log = list(random_log(histories, scheduler, random.Random(seed)))
    profile, exported = folder / "profile.sqlite", folder / "revlog.csv"
    store_log(profile, log, scheduler)
    with snapshot(profile) as shot, fresh(exported, force=True) as out:
        assert shot is not None
        assert write_csv(shot, out).left_out == 0
    with closing(sqlite3.connect(profile)) as connection:
        rows = connection.execute(
            "SELECT item, at, rating, after_stability, after_difficulty FROM review ORDER BY item, id"
        ).fetchall()
        last = connection.execute("SELECT item, stability, difficulty FROM memory").fetchall()
    library = _difference(_by_library(rows, weights))
    states = anki_states(folder / "collection.anki2", exported, weights)
    anki = _difference(((s, d), states[card_number(item)]) for item, s, d in last)
    same_day = sum(one.before is not None and one.moment.day == one.before.last_day for one in log)
    lapses = sum(one.before is not None and one.after.lapses > one.before.lapses for one in log)
    return Agreement(histories, len(log), lapses, same_day, library, anki)


def random_log(histories: int, scheduler: Scheduler, draw: random.Random) -> Iterator[Review]:
    """Yield reviews item by item: steps, on time, early, overdue and on the same day, at any time of day."""
    taken: set[datetime] = set()  # Anki knows a review by its millisecond
    for number in range(histories):
        item, memory = f"card:random/card-{number}", None
        at = _BEGIN + timedelta(days=draw.uniform(0, 3000))
        for _ in range(draw.randint(1, 16)):
            at = at.replace(microsecond=at.microsecond // 1000 * 1000)
            while at in taken:
                at += timedelta(milliseconds=1)
            if at >= _END:
                break
            taken.add(at)
            review = scheduler.review(
                item, memory, draw.choice(_PRESSED), moment_of(at, UTC), duration_ms=draw.randrange(60_000)
            )
            yield review
            memory = review.after
            at += _wait(memory, at, draw)


def _wait(memory: Memory, at: datetime, draw: random.Random) -> timedelta:
    if memory.due_at is not None:
        step = timedelta(milliseconds=memory.due_at) - (at - datetime(1970, 1, 1, tzinfo=UTC))
        return step + timedelta(seconds=draw.choice((0, 5, 3600, 90_000, 900_000)))
    assert memory.due_day is not None
    days = (memory.due_day - memory.last_day) * draw.choice((0, 0.01, 0.4, 1, 1, 1, 1, 1.5, 4))
    return timedelta(days=days, seconds=draw.randrange(60, 43_200))


def store_log(profile: Path, log: Sequence[Review], scheduler: Scheduler) -> None:
    """Make a profile that holds a log, column by column as the Store writes it."""
    Store.open(profile).close()
    newest = {review.item: review.after for review in log}
    with closing(sqlite3.connect(profile, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        rules, weights = json.dumps(scheduler.rules, sort_keys=True), json.dumps(list(scheduler.weights))
        connection.execute("INSERT INTO rules VALUES (1, ?)", (rules,))
        connection.execute("INSERT INTO weights VALUES (1, ?, ?, 0, NULL)", (scheduler.model, weights))
        ordered = sorted(log, key=lambda review: review.moment.at)
        _insert(connection, "review", [review_columns(review, 1, 1) for review in ordered])
        _insert(connection, "memory", [{"item": m.item, **memory_columns(m)} for m in newest.values()])
        connection.execute("COMMIT")


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    names = ", ".join(rows[0])
    query = f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(rows[0]))})"
    connection.executemany(query, [tuple(row.values()) for row in rows])


Pair = tuple[tuple[float, float], tuple[float, float]]
"""Stability and difficulty as stored, and as another program has them."""


def _by_library(rows: Sequence[tuple[Any, ...]], weights: Sequence[float]) -> Iterator[Pair]:
    """Yield what py-fsrs makes of the ratings, told midnights of study days that begin at 04:00."""
    library = fsrs.Scheduler(parameters=weights, enable_fuzzing=False)
    for _, reviews in groupby(rows, lambda row: row[0]):
        card = fsrs.Card(card_id=1, due=_BEGIN)
        for _, at, rating, stability, difficulty in reviews:
            instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at, hours=-4)
            midnight = instant.replace(hour=0, minute=0, second=0, microsecond=0)
            card, _ = library.review_card(card, fsrs.Rating(rating), midnight)
            assert card.stability is not None
            assert card.difficulty is not None
            yield (stability, difficulty), (card.stability, card.difficulty)


def anki_states(path: Path, exported: Path, weights: Sequence[float]) -> Mapping[int, tuple[float, float]]:
    """Return what a real Anki collection computes from an exported log: stability and difficulty by card."""
    from anki.collection import Collection

    with exported.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cards = sorted({int(row["card_id"]) for row in rows})
    path.unlink(missing_ok=True)
    collection = Collection(str(path))
    try:
        collection.set_config("fsrs", True)
        collection.set_config("rollover", 4)
        preset = collection.decks.get_config(1)
        preset["fsrsParams6"] = list(weights)
        collection.decks.update_config(preset)
        collection.db.executemany(
            "INSERT INTO cards VALUES (?, 1, 1, ?, 0, 0, 2, 2, 1, 1, 2500, 1, 0, 0, 0, 0, 0, '')",
            list(zip(cards, range(len(cards)), strict=True)),
        )
        collection.db.executemany(
            "INSERT INTO revlog VALUES (?, ?, 0, ?, 1, 1, 2500, ?, ?)",
            [
                (
                    int(row["review_time"]),
                    int(row["card_id"]),
                    int(row["review_rating"]),
                    int(row["review_duration"]),
                    _KINDS[row["review_state"]],
                )
                for row in rows
            ],
        )
        states = {card: collection.compute_memory_state(card) for card in cards}
        return {card: (state.stability, state.difficulty) for card, state in states.items()}
    finally:
        collection.close()


def _difference(pairs: Iterator[Pair]) -> Difference:
    compared, stability, difficulty = 0, 0.0, 0.0
    for (ours, our_difficulty), (theirs, their_difficulty) in pairs:
        if ours < LEAST or ours > MOST:
            continue
        compared += 1
        stability = max(stability, abs(ours - theirs) / theirs)
        difficulty = max(difficulty, abs(our_difficulty - their_difficulty) / their_difficulty)
    return Difference(compared, stability, difficulty)


def main() -> int:
    """Print the counts and the largest differences; the exit code says whether both are below 1e-3."""
    os.environ["TZ"] = "UTC"  # Anki counts the days of its log in the zone of the machine
    time.tzset()
    worst = 0.0
    for name, weights, seed in (("published", PUBLISHED, 1), ("other", OTHER, 2)):
        with tempfile.TemporaryDirectory() as folder:
            found = compare(Path(folder), 5000, seed=seed, weights=weights)
        lines = [
            f"{name} weights: {found.histories} histories, {found.reviews} reviews, {found.lapses} lapses, "
            f"{found.same_day} on the day of the one before",
            *(
                f"  {program:7} {other.compared:6} memories compared; largest relative difference "
                f"{other.stability:.1e} in stability, {other.difficulty:.1e} in difficulty"
                for program, other in (("py-fsrs", found.fsrs), ("Anki", found.anki))
            ),
        ]
        print("\n".join(lines), flush=True)  # noqa: T201  printing is what this program is for
        worst = max(worst, found.fsrs.stability, found.fsrs.difficulty)
        worst = max(worst, found.anki.stability, found.anki.difficulty)
    return int(worst > 1e-3)


if __name__ == "__main__":
    sys.exit(main())
