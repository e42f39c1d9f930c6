"""Answer times: the median of cards and of problems, and the topics that take longest."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median

LEAST_ANSWERS = 5
"""So many answers a topic needs before it is called slow."""


@dataclass(frozen=True, slots=True)
class Median:
    """The median answer time in milliseconds and the number of answers; None without any."""

    n: int = 0
    ms: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """Median times of the answers in reviews: of cards, of problems, and by topic."""

    cards: Median = Median()
    problems: Median = Median()
    topics: Mapping[str, Median] = field(default_factory=dict)

    @property
    def slowest(self) -> tuple[str, ...]:
        """The topics with at least five answers, the slowest first."""
        enough = [(topic, found) for topic, found in self.topics.items() if found.n >= LEAST_ANSWERS]
        return tuple(topic for topic, _ in sorted(enough, key=lambda one: (-(one[1].ms or 0), one[0])))


def answer_times(rows: Iterable[tuple[str, int]], topic_of: Callable[[str], str]) -> AnswerTimes:
    """Return the times in some rows, each an item and its answer time in milliseconds."""
    kinds: dict[bool, list[int]] = {False: [], True: []}
    topics: dict[str, list[int]] = defaultdict(list)
    for item, duration in rows:
        kinds[item.startswith("family:")].append(duration)
        topics[topic_of(item)].append(duration)
    return AnswerTimes(
        _median(kinds[False]),
        _median(kinds[True]),
        {topic: _median(found) for topic, found in topics.items()},
    )


def _median(times: list[int]) -> Median:
    return Median(len(times), float(median(times))) if times else Median()
