"""Items that are known already, for tests that begin in the middle of a learner's life."""

from studynorm.scheduling.memory import Memory, Review, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment
from studynorm.study.desk import Desk

DAY_MS = 86_400_000


def in_review(
    desk: Desk, item: str, *, lapses: int = 0, stability: float = 30.0, days_ago: int = 30, due_in: int = 0
) -> Memory:
    """Store and return a memory in Review: last answered `days_ago`, due in so many study days from today."""
    now = desk.clock()
    memory = Memory(
        item=item,
        state=State.REVIEW,
        step=None,
        stability=stability,
        difficulty=5.0,
        due_at=None,
        due_day=now.day + due_in,
        last_at=now.at - days_ago * DAY_MS,
        last_day=now.day - days_ago,
        reps=lapses + 10,
        lapses=lapses,
    )
    return _stored(desk, memory, Moment(memory.last_at, now.offset, memory.last_day))


def in_steps(desk: Desk, item: str, *, step: int = 0, due_in_ms: int = 0, lapses: int = 0) -> Memory:
    """Store and return a memory in Learning, or in Relearning where it lapsed; it was answered today."""
    now = desk.clock()
    memory = Memory(
        item=item,
        state=State.RELEARNING if lapses else State.LEARNING,
        step=step,
        stability=2.0,
        difficulty=5.0,
        due_at=now.at + due_in_ms,
        due_day=None,
        last_at=now.at,
        last_day=now.day,
        reps=lapses + 1,
        lapses=lapses,
    )
    return _stored(desk, memory, now)


def _stored(desk: Desk, memory: Memory, moment: Moment) -> Memory:
    desk.store.record(Review(memory.item, Rating.GOOD, None, moment, 1000, None, memory))
    return memory
