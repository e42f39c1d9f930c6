"""Memories and study days put straight into a profile, so that a test need not answer hundreds of cards."""

from collections.abc import Iterable

from studynorm.scheduling.memory import Memory, Review, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment
from studynorm.storage.connect import WRITE
from studynorm.storage.memories import put_memory
from studynorm.storage.store import Store

TODAY = 739_677
"""The study day at which the frozen clock stands: Monday, 2 March 2026."""


def at(day: int, minutes: int = 0) -> Moment:
    """Return 09:00 UTC of a study day, some minutes later."""
    return Moment((day - 719_163) * 86_400_000 + (9 * 60 + minutes) * 60_000, 0, day)


def memory(item: str, stability: float, last_day: int, due_day: int) -> Memory:
    """Return a memory in Review."""
    state, last = State.REVIEW, at(last_day).at
    return Memory(item, state, None, stability, 5.0, None, due_day, last, last_day, 3, 0)


def put(store: Store, memories: Iterable[Memory]) -> None:
    """Keep memories in one transaction."""
    with store.transaction(WRITE) as connection:
        for one in memories:
            put_memory(connection, one)


def study(store: Store, items: Iterable[str], days: Iterable[int]) -> None:
    """Review each item on each of the days; every review is of a memory in Review and is due on its day."""
    known = {item: memory(item, 1.0, min(days) - 1, min(days)) for item in items}
    put(store, known.values())
    for day in days:
        for number, (item, before) in enumerate(known.items()):
            when = at(day, number)
            after = Memory(
                item, State.REVIEW, None, 1.0, 5.0, None, day + 1, when.at, day, before.reps + 1, 0
            )
            store.record(Review(item, Rating.GOOD, None, when, 1000, before, after))
            known[item] = after
