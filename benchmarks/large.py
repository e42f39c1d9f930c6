"""A profile as large as ten years make it: 100 000 items and 1 000 000 reviews, straight into SQLite."""

import random
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from studynorm.content.card import Card
from studynorm.content.deck import Deck
from studynorm.content.library import Library
from studynorm.content.place import Place
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import moment_of
from studynorm.storage.home import Home
from studynorm.storage.store import Store
from studynorm.storage.tables import memory
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk, system_clock

DECKS = 50


def large_desk(root: Path, *, items: int, reviews: int) -> Desk:
    """Return a desk over `items` cards of which 90 % were reviewed, with `reviews` rows in the log."""
    home = Home(root)
    path = home.profile_file("default")
    Store.open(path).close()
    today = moment_of(datetime.now(UTC)).day
    decks = _decks(items)
    ids = [card.item_ids[0] for deck in decks for card in deck.cards]
    known = ids[: items * 9 // 10]
    draw = random.Random(1)
    with sqlite3.connect(path) as connection:
        connection.executemany(
            "INSERT INTO memory (item, state, step, stability, difficulty, due_at, due_day, last_at,"
            " last_day, reps, lapses) VALUES (?, 'review', NULL, ?, 5.0, NULL, ?, ?, ?, 5, 0)",
            (
                (item, draw.uniform(1, 400), last + draw.randint(1, 400), last * 86_400_000, last)
                for item in known
                for last in (today - draw.randint(1, 300),)
            ),
        )
        columns = [column.name for column in memory.columns if column.name != "item"]
        names = ", ".join(f"{side}_{column}" for side in ("before", "after") for column in columns)
        connection.executemany(
            f"INSERT INTO review (item, at, utc_offset, day, rating, duration_ms, {names})"
            " VALUES (?, ?, 0, ?, 3, 6000, 'review', NULL, 9.0, 5.0, NULL, ?, ?, ?, 4, 0,"
            " 'review', NULL, 12.0, 5.0, NULL, ?, ?, ?, 5, 0)",
            (
                (known[at % len(known)], at * 1000, day, day, at, day - 9, day + 12, at * 1000, day)
                for at in range(reviews)
                for day in (today - 3650 + at * 3640 // reviews,)
            ),
        )
    connection.close()
    settings = Settings(reviews_per_day=9999)
    store = Store.open(path)
    catalogue = build_catalogue(Library(decks, (), ()), [])
    return Desk(home, store, catalogue, settings, system_clock(settings.day_starts_at))


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
