"""The day's queue: limits, siblings, even spread, topics apart."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from studynorm.scheduling.queue import Candidate, DayLoad, plan
from studynorm.scheduling.settings import Settings

NOTHING = DayLoad(new=0, reviews=0, groups=frozenset())


def candidate(item: str, topic: str | None = None, group: str | None = None) -> Candidate:
    """Return a candidate of its own topic and group unless one is given."""
    return Candidate(item, item if topic is None else topic, item if group is None else group)


def several(name: str, count: int, topic: str | None = None) -> list[Candidate]:
    """Return `count` candidates without siblings, each of its own topic unless one is given."""
    return [candidate(f"{name}{n}", topic) for n in range(count)]


candidates = st.lists(st.tuples(st.sampled_from("ABCD"), st.integers(0, 12)), max_size=30).map(
    lambda pairs: [Candidate(f"{topic}{n}#{i}", topic, f"{topic}{n}") for i, (topic, n) in enumerate(pairs)]
)
loads = st.builds(
    DayLoad,
    new=st.integers(0, 5),
    reviews=st.integers(0, 5),
    groups=st.frozensets(st.sampled_from([f"{t}{n}" for t in "ABCD" for n in range(13)]), max_size=5),
)


@settings(max_examples=300)
@given(candidates, candidates, loads, st.integers(0, 12), st.integers(0, 12))
def test_limits_siblings_and_neighbours(
    reviews: list[Candidate], fresh: list[Candidate], done: DayLoad, new_a_day: int, reviews_a_day: int
) -> None:
    """The queue holds what limits and siblings leave; a topic repeats only where unavoidable, at the end."""
    queue = plan(reviews, fresh, done, Settings(new_per_day=new_a_day, reviews_per_day=reviews_a_day))
    seen = set(done.groups)
    expected = []
    for source, limit in ((reviews, reviews_a_day - done.reviews), (fresh, new_a_day - done.new)):
        taken = 0
        for c in source:
            if c.group not in seen and taken < limit:
                expected.append(c)
                seen.add(c.group)
                taken += 1
    assert Counter(queue) == Counter(expected)
    # of n candidates with m of the commonest topic, 2m - n - 1 side by side cannot be avoided
    pairs = [i for i in range(1, len(queue)) if queue[i].topic == queue[i - 1].topic]
    most = max(Counter(c.topic for c in queue).values(), default=0)
    assert len(pairs) == max(0, 2 * most - len(queue) - 1)
    for i in pairs:
        assert {c.topic for c in queue[i:]} == {queue[i].topic}


def test_new_items_are_spread_evenly() -> None:
    """Twenty new items among two hundred reviews stand nine to eleven reviews apart, both in their order."""
    reviews, fresh = several("r", 200), several("n", 20)
    queue = plan(reviews, fresh, NOTHING, Settings())
    places = [i for i, c in enumerate(queue) if c in fresh]
    assert {b - a for a, b in pairwise(places)} == {11}  # 200 / 20 reviews, then a new one
    assert places[0] == 5
    assert [c for c in queue if c in fresh] == fresh
    assert [c for c in queue if c not in fresh] == reviews


def test_more_new_items_than_reviews() -> None:
    """Three reviews among nine new items are themselves spread evenly."""
    queue = plan(several("r", 3), several("n", 9), NOTHING, Settings())
    assert "".join(c.item[0] for c in queue) == "nrnnnrnnnrnn"


def test_what_is_done_today_counts_against_the_limits() -> None:
    """With 19 of 20 new and 200 of 200 reviews done one new item is left; beyond the limits nothing is."""
    queue = plan(several("r", 5), several("n", 5), DayLoad(19, 200, frozenset()), Settings())
    assert [c.item for c in queue] == ["n0"]
    assert plan(several("r", 5), several("n", 5), DayLoad(30, 300, frozenset()), Settings()) == ()


def test_siblings_wait_for_another_day() -> None:
    """One mark of a card a day: a due one before a new one, and none if one was answered today."""
    due = [candidate("card:a/b#1", "a", "card:a/b"), candidate("card:a/b#2", "a", "card:a/b")]
    new = [candidate("card:a/b#3", "a", "card:a/b"), candidate("card:a/c", "a")]
    assert [c.item for c in plan(due, new, NOTHING, Settings())] == ["card:a/b#1", "card:a/c"]
    done = DayLoad(0, 1, frozenset({"card:a/b"}))
    assert [c.item for c in plan(due, new, done, Settings())] == ["card:a/c"]


def test_a_common_topic_is_parted_in_time() -> None:
    """Three items of one topic behind four of others are still parted, by starting with them early enough."""
    queue = plan([candidate(x, x[0]) for x in ("b1", "c1", "a1", "a2", "a3")], [], NOTHING, Settings())
    assert [c.item for c in queue] == ["a1", "b1", "a2", "c1", "a3"]


def test_an_order_without_neighbours_stays() -> None:
    """Most overdue first stands as it came when no two neighbours share a topic."""
    given_order = [candidate(x, x[0]) for x in ("a1", "b1", "a2", "c1", "b2", "d1")]
    assert plan(given_order, [], NOTHING, Settings()) == tuple(given_order)


class Watched(list[Candidate]):
    """A list that counts how many of its candidates were looked at."""

    looked_at = 0

    def __iter__(self) -> Iterator[Candidate]:
        """Count while handing out."""
        for one in super().__iter__():
            self.looked_at += 1
            yield one


def test_only_as_many_as_the_limits_allow_are_looked_at() -> None:
    """Of 100 000 due items only the first 200 are looked at, so a backlog does not slow the day down."""
    reviews, fresh = Watched(several("r", 100_000)), Watched(several("n", 100_000))
    assert len(plan(reviews, fresh, NOTHING, Settings())) == 220
    assert reviews.looked_at <= 201
    assert fresh.looked_at <= 21
