"""The scheduler against FSRS-6, written here once more from the published formulas, and against numbers."""

import math
from dataclasses import dataclass

import fsrs
import pytest
from fsrs.scheduler import DEFAULT_PARAMETERS
from hypothesis import given, settings
from hypothesis import strategies as st

from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment

A, H, G, E = Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.EASY
DAY_MS = 86_400_000

# The default weights as published with FSRS-6 (w0 … w20).
PUBLISHED = (
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796,
    1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
)  # fmt: skip

# A plausible learner whose every weight differs from the defaults.
OTHER = (
    0.4, 1.1, 3.2, 12.5, 7.1, 0.6, 2.1, 0.02, 1.5, 0.12, 1.0,
    1.9, 0.09, 0.3, 2.0, 0.4, 2.4, 0.6, 0.15, 0.1, 0.3,
)  # fmt: skip


@dataclass(frozen=True)
class Reference:
    """FSRS-6 by its published formulas; `rating` is 1 to 4, stability and times are in days."""

    w: tuple[float, ...]

    def first_stability(self, rating: int) -> float:
        """Give S after the first rating."""
        return self.w[rating - 1]

    def first_difficulty(self, rating: int) -> float:
        """Give D after the first rating, not yet kept within 1 to 10."""
        return self.w[4] - math.exp(self.w[5] * (rating - 1)) + 1

    def difficulty(self, old: float, rating: int) -> float:
        """Give the next D: linear damping, then mean reversion to that of a first Easy."""
        damped = old - self.w[6] * (rating - 3) * (10 - old) / 9
        reverted = self.w[7] * self.first_difficulty(4) + (1 - self.w[7]) * damped
        return min(10.0, max(1.0, reverted))

    @property
    def factor(self) -> float:
        """Make recall 0.9 after S days."""
        return math.pow(0.9, -1 / self.w[20]) - 1

    def recall(self, days: float, stability: float) -> float:
        """Give R, the power forgetting curve."""
        return math.pow(1 + self.factor * days / stability, -self.w[20])

    def stability(self, old: float, difficulty: float, days: int, rating: int) -> float:
        """Give the next S: same-day, forget or recall formula; a same-day pass never lowers it."""
        w = self.w
        if days < 1:
            growth = math.exp(w[17] * (rating - 3 + w[18])) * math.pow(old, -w[19])
            return old * (growth if rating == 1 else max(1.0, growth))
        forgotten = 1 - self.recall(days, old)
        if rating == 1:
            long = (
                w[11]
                * math.pow(difficulty, -w[12])
                * (math.pow(old + 1, w[13]) - 1)
                * math.exp(w[14] * forgotten)
            )
            return min(long, old / math.exp(w[17] * w[18]))
        growth = math.exp(w[8]) * (11 - difficulty) * math.pow(old, -w[9]) * (math.exp(w[10] * forgotten) - 1)
        return old * (1 + growth * (w[15] if rating == 2 else 1) * (w[16] if rating == 4 else 1))

    def interval(self, stability: float, retention: float, maximum: int) -> int:
        """Give the whole days after which recall has fallen to the desired retention."""
        days = stability / self.factor * (math.pow(retention, -1 / self.w[20]) - 1)
        return min(max(round(days), 1), maximum)


def at(day: int, second: int = 0) -> Moment:
    """Return a moment of a study day."""
    return Moment(at=day * DAY_MS + second * 1000, offset=0, day=day)


def test_default_weights_are_the_published_ones() -> None:
    """Without weights of one's own the scheduler runs FSRS-6's published defaults."""
    assert Scheduler().weights == PUBLISHED == DEFAULT_PARAMETERS
    assert Scheduler().model == "FSRS-6"


@pytest.mark.parametrize("weights", [PUBLISHED, OTHER], ids=["default", "other"])
@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.tuples(st.sampled_from(Rating), st.integers(0, 500)), min_size=1, max_size=60))
def test_memory_follows_the_published_formulas(
    weights: tuple[float, ...], steps: list[tuple[Rating, int]]
) -> None:
    """Stability, difficulty, interval and recall follow the formulas over any ratings and gaps."""
    reference = Reference(weights)
    scheduler = Scheduler(Settings(desired_retention=0.85), weights, fuzz=False)
    memory: Memory | None = None
    day, stability, difficulty = 700_000, 0.0, 0.0
    for second, (rating, gap) in enumerate(steps):
        day += gap
        if memory is None:
            stability = reference.first_stability(rating)
            difficulty = min(10.0, max(1.0, reference.first_difficulty(rating)))
        else:
            assert scheduler.recall(memory, at(day)) == pytest.approx(
                reference.recall(gap, stability), rel=1e-12
            )
            stability = max(0.001, reference.stability(stability, difficulty, gap, rating))
            difficulty = reference.difficulty(difficulty, rating)
        memory = scheduler.review("card:a/b", memory, rating, at(day, second)).after
        assert memory.stability == pytest.approx(stability, rel=1e-9)
        assert memory.difficulty == pytest.approx(difficulty, rel=1e-9)
        if memory.due_day is not None:
            lengths = {reference.interval(stability * (1 + tiny), 0.85, 36_500) for tiny in (-1e-12, 1e-12)}
            assert memory.due_day - day in lengths


GOLDEN_RATINGS = (G, G, G, G, G, G, A, A, G, G, G, G, G)
GOLDEN_INTERVALS = [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21]  # published with py-fsrs's own tests


def test_the_published_ladder_by_study_days() -> None:
    """The sequence published with py-fsrs (each review when due, fuzz off) comes out of ours, in days."""
    scheduler = Scheduler(fuzz=False)
    memory: Memory | None = None
    moment, intervals = at(738_000, 45_000), []
    for rating in GOLDEN_RATINGS:
        memory = scheduler.review("card:a/b", memory, rating, moment).after
        intervals.append(0 if memory.due_day is None else memory.due_day - moment.day)
        if memory.due_day is not None:
            moment = at(memory.due_day, 45_000)
        else:
            assert memory.due_at is not None
            moment = Moment(memory.due_at, 0, moment.day)
    assert intervals == GOLDEN_INTERVALS


def test_the_published_ladder_by_reference_and_library() -> None:
    """The formulas of this file and py-fsrs itself give that sequence too, so the three agree."""
    reference = Reference(PUBLISHED)
    stability, difficulty = reference.first_stability(G), reference.first_difficulty(G)
    gaps = [GOLDEN_INTERVALS[i - 1] for i in range(1, len(GOLDEN_INTERVALS))]
    for gap, rating, interval in zip(gaps, GOLDEN_RATINGS[1:], GOLDEN_INTERVALS[1:], strict=True):
        stability = reference.stability(stability, difficulty, gap, rating)
        difficulty = reference.difficulty(difficulty, rating)
        if interval:  # 0 stands for a learning step
            assert reference.interval(stability, 0.9, 36_500) == interval
    library = fsrs.Scheduler(enable_fuzzing=False)
    card, found = fsrs.Card(card_id=1), []
    now = card.due
    for rating in GOLDEN_RATINGS:
        card, _ = library.review_card(card, fsrs.Rating(rating), now)
        found.append((card.due - now).days)
        now = card.due
    assert found == GOLDEN_INTERVALS


def shown(after: Memory, moment: Moment) -> str:
    """Return how far off the due time is, in seconds or study days."""
    if after.due_day is not None:
        return f"{after.due_day - moment.day} d"
    assert after.due_at is not None
    return f"{(after.due_at - moment.at) // 1000} s"


def test_the_four_buttons_of_the_default_ladder() -> None:
    """A new item and each Good after it offer the intervals measured on py-fsrs with its default settings."""
    scheduler = Scheduler(fuzz=False)
    memory: Memory | None = None
    moment, rows = at(738_000), []
    for _ in range(4):
        outcomes = scheduler.outcomes("card:a/b", memory, moment)
        rows.append([shown(after, moment) for after in outcomes.values()])
        memory = outcomes[G]
        moment = at(memory.due_day) if memory.due_day is not None else moment
    assert rows == [
        ["60 s", "330 s", "600 s", "8 d"],
        ["60 s", "600 s", "2 d", "4 d"],
        ["600 s", "8 d", "11 d", "19 d"],
        ["600 s", "32 d", "46 d", "77 d"],
    ]


def test_an_evening_and_a_morning_are_two_days() -> None:
    """Learnt at 22:00 and seen at 08:00 next morning counts as one day, though only ten hours passed."""
    scheduler, reference = Scheduler(fuzz=False), Reference(PUBLISHED)
    evening = scheduler.review("card:a/b", None, E, at(738_000, 22 * 3600)).after
    assert evening.state is State.REVIEW
    morning = scheduler.review("card:a/b", evening, G, at(738_001, 8 * 3600)).after
    expected = reference.stability(reference.first_stability(E), 1.0, 1, G)
    assert morning.stability == pytest.approx(expected, rel=1e-12)
