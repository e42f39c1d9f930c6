"""The day's queue: which due and new items come today, and in which order."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heapreplace
from itertools import islice

from studynorm.scheduling.settings import Settings


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that could come today; siblings (the cloze marks of one card) share a `group`."""

    item: str
    topic: str
    group: str


@dataclass(frozen=True, slots=True)
class DayLoad:
    """What was done on a study day: first reviews, reviews of items in Review, and the groups touched."""

    new: int
    reviews: int
    groups: frozenset[str]


def plan(
    reviews: Iterable[Candidate], fresh: Iterable[Candidate], done: DayLoad, settings: Settings
) -> tuple[Candidate, ...]:
    """Return today's queue from due `reviews` (most overdue first) and `fresh` items (learning order).

    Holds the daily limits less what is done, takes one item of a sibling group a day, spreads the new
    items evenly among the reviews, and puts two of one topic side by side only where no order avoids it;
    what cannot be parted comes last. Otherwise the given orders stand.
    """
    return tuple(_topics_apart(tuple(_spread(*share(reviews, fresh, done, settings)))))


def share(
    reviews: Iterable[Candidate], fresh: Iterable[Candidate], done: DayLoad, settings: Settings
) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Return which due and which new items the daily limits let through; takes no more of either than needed.

    One item of a sibling group a day, counting what was done; otherwise the given orders stand.
    """
    seen = set(done.groups)
    due = _first_of_each_group(reviews, settings.reviews_per_day - done.reviews, seen)
    return due, _first_of_each_group(fresh, settings.new_per_day - done.new, seen)


def _first_of_each_group(
    candidates: Iterable[Candidate], limit: int, seen: set[str]
) -> tuple[Candidate, ...]:
    def unseen() -> Iterator[Candidate]:
        for candidate in candidates:
            if candidate.group not in seen:
                seen.add(candidate.group)
                yield candidate

    return tuple(islice(unseen(), max(0, limit)))


def _spread(due: Sequence[Candidate], new: Sequence[Candidate]) -> Iterator[Candidate]:
    """Merge so that the k-th of n stands at (k + ½)/n of the whole, for both sequences."""
    i = j = 0
    while i < len(due) or j < len(new):
        if j == len(new) or (i < len(due) and (2 * i + 1) * len(new) <= (2 * j + 1) * len(due)):
            yield due[i]
            i += 1
        else:
            yield new[j]
            j += 1


def _topics_apart(queue: Sequence[Candidate]) -> Iterator[Candidate]:
    """Take the first candidate of another topic, or of the topic that holds more than half of the rest.

    Such a topic comes at once because it could not be parted later.
    """
    waiting: dict[str, deque[int]] = {}
    for position, candidate in enumerate(queue):
        waiting.setdefault(candidate.topic, deque()).append(position)
    left = Counter({topic: len(positions) for topic, positions in waiting.items()})
    heads = [(positions[0], topic) for topic, positions in waiting.items()]  # outdated ones are skipped
    largest = [(-count, topic) for topic, count in left.items()]  # outdated ones are renewed
    heapify(heads)
    heapify(largest)
    last: str | None = None
    for remaining in range(len(queue), 0, -1):
        while -largest[0][0] != left[largest[0][1]]:
            heapreplace(largest, (-left[largest[0][1]], largest[0][1]))
        topic = largest[0][1]
        if topic == last or 2 * left[topic] <= remaining:
            topic = _first_other(heads, waiting, last)
        position = waiting[topic].popleft()
        left[topic] -= 1
        if waiting[topic]:
            heappush(heads, (waiting[topic][0], topic))
        last = topic
        yield queue[position]


def _first_other(heads: list[tuple[int, str]], waiting: dict[str, deque[int]], last: str | None) -> str:
    """Return the topic whose first waiting candidate comes soonest, not `last` unless it is the only one."""

    def soonest() -> tuple[int, str] | None:
        while heads and (not waiting[heads[0][1]] or heads[0][0] != waiting[heads[0][1]][0]):
            heappop(heads)
        return heads[0] if heads else None

    first = soonest()
    assert first is not None  # called only while candidates are left
    if first[1] != last:
        return first[1]
    heappop(heads)
    second = soonest()
    heappush(heads, first)
    return first[1] if second is None else second[1]
