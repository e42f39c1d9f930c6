"""A profile as ten years make it: 100 000 items, 1 000 000 reviews, each as FSRS and the fuzz would have it.

The reviews are worked out by the scheduler that the program uses, so that the whole log can be proved.
"""

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from studynorm.content.card import Card
from studynorm.content.deck import Deck
from studynorm.content.library import Library
from studynorm.content.place import Place
from studynorm.scheduling.memory import Memory, Review
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment, moment_of
from studynorm.storage.home import Home
from studynorm.storage.rows import memory_columns, review_columns
from studynorm.storage.store import Store
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk, SystemClock

DECKS = 50
_DAY_MS = 86_400_000
_EPOCH_DAY = 719_163  # of 1970-01-01
_RATINGS = (Rating.AGAIN, Rating.HARD, *[Rating.GOOD] * 12, Rating.EASY)


def large_desk(root: Path, *, items: int, reviews: int) -> Desk:
    """Return a desk over `items` cards of which 90 % were reviewed, with about `reviews` rows in the log."""
    home = Home(root)
    path = home.profile_file("default")
    decks = _decks(items)
    ids = [card.item_ids[0] for deck in decks for card in deck.cards]
    fill(path, ids[: items * 9 // 10], reviews)
    settings = Settings()
    catalogue = build_catalogue(Library(decks, (), ()), [])
    return Desk(home, Store.open(path), catalogue, settings, SystemClock(settings.day_starts_at))


def fill(path: Path, items: list[str], reviews: int) -> None:
    """Make a profile in which each item was reviewed when it was due, sometimes late, up to today."""
    Store.open(path).close()
    today = moment_of(datetime.now(UTC)).day
    scheduler, draw = Scheduler(), random.Random(1)
    log: list[Review] = []
    memories: list[Memory] = []
    for at, item in enumerate(items):
        share = reviews * (at + 1) // len(items) - reviews * at // len(items)
        history = list(_history(item, share, today, scheduler, draw))
        log += history
        memories.append(history[-1].after)
    log.sort(key=lambda review: review.moment.at)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        rules = json.dumps(scheduler.rules, sort_keys=True)
        connection.execute("INSERT INTO rules VALUES (1, ?)", (rules,))
        weights = json.dumps(list(scheduler.weights))
        connection.execute("INSERT INTO weights VALUES (1, ?, ?, 0, NULL)", (scheduler.model, weights))
        _insert(connection, "review", (review_columns(review, 1, 1) for review in log))
        _insert(connection, "memory", ({"item": one.item, **memory_columns(one)} for one in memories))
        connection.execute("COMMIT")


def _history(
    item: str, count: int, today: int, scheduler: Scheduler, draw: random.Random
) -> Iterator[Review]:
    """Yield `count` reviews, each on its due day or up to a fifth of the interval later, none after today."""
    memory: Memory | None = None
    day = today - 3650 + draw.randrange(3300)
    at = _midday(day, draw)
    for left in range(max(1, count), 0, -1):
        if memory is not None and memory.due_at is not None:
            at = memory.due_at + draw.randrange(60_000)
            day = at // _DAY_MS + _EPOCH_DAY
        elif memory is not None and memory.due_day is not None:
            late = draw.randrange(1 + (memory.due_day - memory.last_day) // 5)
            day = memory.due_day + late
            if day >= today:  # the rest of the log is early reviews in the time that is left
                day = memory.last_day + (today - 1 - memory.last_day) // 2
            at = max(_midday(day, draw), memory.last_at + 1)
        in_steps = memory is None or memory.due_at is not None
        rating = Rating.GOOD if in_steps or left == 1 else draw.choice(_RATINGS)
        moment, duration = Moment(at, 0, day), draw.randrange(2_000, 20_000)
        review = scheduler.review(item, memory, rating, moment, duration_ms=duration)
        memory = review.after
        yield review


def _midday(day: int, draw: random.Random) -> int:
    """Return an instant of a study day between 09:00 and 21:00 UTC."""
    return (day - _EPOCH_DAY) * _DAY_MS + draw.randrange(9 * 3_600_000, 21 * 3_600_000)


def _insert(connection: sqlite3.Connection, table: str, rows: Iterator[dict[str, object]]) -> None:
    first = next(rows)
    marks = ", ".join("?" * len(first))
    query = f"INSERT INTO {table} ({', '.join(first)}) VALUES ({marks})"
    connection.execute(query, tuple(first.values()))
    connection.executemany(query, (tuple(row.values()) for row in rows))


def _decks(items: int) -> tuple[Deck, ...]:
    size = items // DECKS
    return tuple(
        Deck(
            id=f"deck-{number}",
            title=f"Deck {number}",
            tags=(),
            requires=(),
            note="",
            cards=tuple(_card(f"deck-{number}", f"card-{place}") for place in range(size)),
            path=Path(f"deck-{number}.md"),
            overrides=False,
        )
        for number in range(DECKS)
    )


def _card(deck_id: str, card_id: str) -> Card:
    return Card(
        deck_id=deck_id,
        id=card_id,
        kind="recall",
        front=f"What is {card_id}?",
        back="An answer.",
        why="",
        see=(),
        claims=(),
        tags=(),
        place=Place(Path(f"{deck_id}.md"), 1),
        marks=(),
        base=None,
    )
