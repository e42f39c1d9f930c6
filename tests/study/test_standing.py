"""What the first screen counts: the same whether each item is looked up or SQLite counts by topic."""

import random
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest

from studynorm.scheduling.memory import State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import moment_of
from studynorm.storage.glance import Glance
from studynorm.study import standing
from studynorm.study.desk import Desk
from studynorm.study.overview import overview
from tests.conftest import FrozenClock

MakeDesk = Callable[..., Desk]


def lived_in(desk: Desk, clock: FrozenClock) -> None:
    """Answer most items over two months, one of a deck that is gone among them."""
    draw = random.Random(5)
    items = list(desk.catalogue.candidates)
    for item in [*items[: len(items) * 3 // 4], "card:sample/gone", "family:batchnorm.gone"]:
        memory, utc = None, clock.utc - timedelta(days=60)
        for _ in range(draw.randint(1, 4)):
            rating = draw.choice((Rating.AGAIN, Rating.GOOD, Rating.EASY))
            moment = moment_of(utc)
            review = desk.scheduler.review(item, memory, rating, moment)
            desk.store.record(review)
            memory, utc = review.after, utc + timedelta(days=draw.randint(1, 18))
    desk.store.upkeep.suspend(items[:1] + items[-1:], clock())


@pytest.mark.parametrize("few", [0, 10_000])
def test_the_counts_are_those_of_every_single_memory(
    desk_of: MakeDesk, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """Strengths by topic, steps, due and new items agree with a count over all memories by hand."""
    monkeypatch.setattr(standing, "_FEW", few)
    desk = desk_of("batchnorm.entry", "residual.product")
    lived_in(desk, clock)
    memories = {memory.item: memory for memory in desk.store.upkeep.memories()}
    paused = desk.store.upkeep.paused(clock().day)
    for _ in range(2):  # the second look uses what the first one remembered
        seen = overview(desk)
        for topic in seen.topics:
            items = next(known.items for known in desk.catalogue.topics if known.id == topic.id)
            strengths = Counter(
                "new"
                if item not in memories
                else "learning"
                if memories[item].state is not State.REVIEW
                else "mature"
                if memories[item].stability >= 21
                else "young"
                for item in items
            )
            counted = {name: getattr(topic, name) for name in ("new", "learning", "young", "mature")}
            assert counted == {name: strengths[name] for name in counted}
            assert topic.total == len(items)
        wanted = [item for item in desk.catalogue.candidates if item not in paused]
        steps = [item for item in wanted if item in memories and memories[item].due_at is not None]
        due = {
            item.partition("#")[0]
            for item in wanted
            if item in memories and (memories[item].due_day or 10**7) <= clock().day
        }
        fresh = {item.partition("#")[0] for item in wanted if item not in memories} - due
        assert seen.today.learning == len(steps)
        assert seen.today.review == len(due) > 0
        assert seen.today.new == len(fresh) > 0
        desk.store.upkeep.forget(["card:sample/gone"], clock())  # a memory of an item that is gone, gone too


def test_new_items_are_taken_from_the_first_topics_only_as_needed(
    desk_of: MakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many items a topic is read when its items are reached, and the daily limit ends the reading."""
    monkeypatch.setattr(standing, "_FEW", 0)
    read: list[str] = []
    known_in = Glance.known_in

    def noted(self: Glance, topic: str) -> frozenset[str]:
        read.append(topic)
        return known_in(self, topic)

    monkeypatch.setattr(Glance, "known_in", noted)
    desk = desk_of(settings=Settings(new_per_day=1))
    first = desk.catalogue.topics[0]
    assert len(desk.catalogue.topics) > 1
    assert overview(desk).today.new == 1
    assert read == [first.id]
