"""Catching up: the order, the limits, and the dates, against figures worked out by hand and fsrs itself."""

import random
from dataclasses import dataclass
from itertools import pairwise

import fsrs
import pytest

from studynorm.scheduling.catchup import Backlog, CatchUp, is_too_much, limits_of, ordered, usual_day
from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment

TODAY = 739_700


@dataclass(frozen=True)
class Seen:
    """What the order needs of a memory."""

    item: str
    stability: float
    last_day: int


def test_the_most_forgotten_come_first_equal_ones_by_item() -> None:
    """Days for each day of stability: 2, 3, 0 and 2 again; so b, then a before d, then c."""
    due = [
        Seen("d", 4.0, TODAY - 8),
        Seen("c", 1.0, TODAY),
        Seen("a", 10.0, TODAY - 20),
        Seen("b", 5.0, TODAY - 15),
    ]
    assert [memory.item for memory in ordered(due, TODAY)] == ["b", "a", "d", "c"]


def test_the_order_is_that_of_the_recall_which_fsrs_predicts() -> None:
    """For 300 random memories no pair stands against `get_card_retrievability`, also with other weights."""
    rng = random.Random(5)
    due = [Seen(f"{number:03}", rng.uniform(0.1, 400), TODAY - rng.randrange(400)) for number in range(300)]
    from datetime import UTC, datetime, timedelta

    now = datetime(2026, 4, 1, tzinfo=UTC)
    weights = [*fsrs.Scheduler().parameters[:-1], 0.5]
    for scheduler in (fsrs.Scheduler(), fsrs.Scheduler(parameters=weights)):
        recalls = [
            scheduler.get_card_retrievability(
                fsrs.Card(
                    card_id=0,
                    state=fsrs.State.Review,
                    stability=memory.stability,
                    difficulty=5.0,
                    last_review=now - timedelta(days=TODAY - memory.last_day),
                ),
                now,
            )
            for memory in ordered(due, TODAY)
        ]
        assert all(one <= other + 1e-12 for one, other in pairwise(recalls))
        assert recalls[0] < 0.6 < recalls[-1]


def test_a_plan_narrows_the_limits_and_pauses_new_items() -> None:
    """Only the two limits change; without a plan nothing does."""
    settings = Settings(new_per_day=7, reviews_per_day=500, desired_retention=0.85)
    narrowed = limits_of(settings, CatchUp(30, TODAY))
    assert (narrowed.reviews_per_day, narrowed.new_per_day, narrowed.desired_retention) == (30, 0, 0.85)
    assert limits_of(settings, None) is settings


@pytest.mark.parametrize(
    ("due", "done", "holds"),
    [(31, 0, True), (30, 0, False), (1, 30, True), (0, 30, False), (0, 31, True), (0, 0, False)],
)
def test_a_plan_holds_while_more_was_due_in_the_morning_than_fits(due: int, done: int, holds: bool) -> None:
    """Answers of the day neither end a plan nor bring one back: what is due and done counts together."""
    assert CatchUp(30, TODAY).holds(due, done) is holds


def test_a_plan_that_is_over_never_holds_again() -> None:
    """However much is due later."""
    assert not CatchUp(30, TODAY, over=TODAY + 3).holds(5000, 0)


@pytest.mark.parametrize("per_day", [0, -1, 10_000])
def test_a_number_outside_its_range_is_refused(per_day: int) -> None:
    """1 to 9999 reviews a day can be meant."""
    with pytest.raises(ValueError, match="1 to 9999"):
        CatchUp(per_day, TODAY)


@pytest.mark.parametrize("forgotten", [-0.1, 1.1, float("nan")])
def test_a_share_outside_0_to_1_is_refused(forgotten: float) -> None:
    """Also one that is no number."""
    with pytest.raises(ValueError, match="no share"):
        CatchUp(30, TODAY, forgotten)


class TestDates:
    """By when a plan is through, by hand.

    100 due, 30 a day: 100, 70, 40 and 10 in the mornings, so the fourth day is the last one.
    """

    def test_nothing_comes_and_nothing_is_forgotten(self) -> None:
        """The fourth day, three days from today."""
        backlog = Backlog(TODAY, 100, 0, {})
        assert (backlog.through(30), backlog.days(30)) == (TODAY + 3, 4)

    def test_what_comes_due_meanwhile_is_added_on_its_day(self) -> None:
        """With 10 tomorrow and 21 the day after: 100, 80, 71, 41 and 11; later ones do not matter."""
        coming = {TODAY + 1: 10, TODAY + 2: 21, TODAY + 5: 90}
        assert Backlog(TODAY, 100, 0, coming).through(30) == TODAY + 4

    def test_what_is_forgotten_comes_back_on_the_next_day_and_three_days_later(self) -> None:
        """With half forgotten, waiting and come back in the mornings; what waits longer goes first.

        100 + 0, 70 + 15, 40 + 30, 10 + 45, 0 + 45 (25 left, 5 and 15 come) and 0 + 30, which fits.
        """
        assert Backlog(TODAY, 100, 0, {}, 0.5).through(30) == TODAY + 5
        assert Backlog(TODAY, 100, 0, {}, 0.5).through(29) == TODAY + 6

    def test_even_if_everything_is_forgotten_there_is_an_end(self) -> None:
        """Each of 100 is reviewed three times: 300 reviews, 30 a day."""
        assert Backlog(TODAY, 100, 0, {}, 1.0).through(30) == TODAY + 9

    def test_what_was_done_today_counts_for_today(self) -> None:
        """With 30 of 100 done the end is as before, and a day less is left; 20 of them leave 10 for today."""
        assert (Backlog(TODAY, 70, 30, {}).through(30), Backlog(TODAY, 70, 30, {}).days(30)) == (TODAY + 3, 3)
        assert (Backlog(TODAY, 80, 20, {}).through(30), Backlog(TODAY, 80, 20, {}).days(30)) == (TODAY + 3, 4)

    def test_more_done_today_than_a_day_of_the_plan_is_not_lost(self) -> None:
        """With 70 of 100 done before the plan began, 30 are left: they fit into tomorrow."""
        assert Backlog(TODAY, 30, 70, {}).through(30) == TODAY + 1

    def test_what_fits_into_today_is_through_today(self) -> None:
        """30 due and 30 a day."""
        assert (Backlog(TODAY, 30, 0, {}).through(30), Backlog(TODAY, 30, 0, {}).days(30)) == (TODAY, 1)

    def test_where_as_much_comes_as_goes_there_is_no_end(self) -> None:
        """30 more each day never end; 29 do, one a day, after 70 days."""
        every = dict.fromkeys(range(TODAY + 1, TODAY + 500), 30)
        assert Backlog(TODAY, 100, 0, every).through(30) is None
        assert Backlog(TODAY, 100, 0, every).days(30) is None
        fewer = dict.fromkeys(range(TODAY + 1, TODAY + 500), 29)
        assert Backlog(TODAY, 100, 0, fewer).through(30) == TODAY + 70


class TestOffer:
    """When a plan is offered, and which."""

    @pytest.mark.parametrize(
        ("due", "usual", "limit", "too_much"),
        [
            (51, 20, 200, True),  # more than 50, which is more than twice 20
            (50, 20, 200, False),
            (81, 40, 200, True),
            (80, 40, 200, False),
            (201, 150, 200, True),  # more than a day's limit
            (200, 150, 200, False),
            (60, 40, 10, True),  # a low limit: then 50 are too many
            (40, 10, 10, False),
            (5000, None, 200, False),  # a new learner
            (5000, 40, 0, False),  # reviews are switched off
        ],
    )
    def test_what_is_too_much(self, due: int, usual: int | None, limit: int, too_much: bool) -> None:
        """More than 50, and more than twice a usual day or a day's limit."""
        assert is_too_much(due, usual, limit) is too_much

    def test_the_usual_day_is_a_median_of_days_with_reviews(self) -> None:
        """Days without any say nothing; an even number of days gives the upper half; six days are too few."""
        assert usual_day([10, 0, 30, 20, 25, 5, 15, 40]) == 20
        assert usual_day([1, 2, 3, 4, 5, 6, 7, 8]) == 5
        assert usual_day([10] * 6 + [0] * 20) is None

    def test_three_choices_around_the_usual_day(self) -> None:
        """A usual day of 24 rounds up to 25; half more is 37.5, so 40; twice is 50. Else 20, 30, 40."""
        assert Backlog(TODAY, 300, 0, {}).choices(24) == (25, 40, 50)
        assert Backlog(TODAY, 300, 0, {}).choices(None) == (20, 30, 40)

    def test_what_would_be_through_today_is_no_choice(self) -> None:
        """35 due: 20 and 30 spread them, 40 does not; 20 due: nothing is to be spread."""
        assert Backlog(TODAY, 35, 0, {}).choices(None) == (20, 30)
        assert Backlog(TODAY, 20, 0, {}).choices(None) == ()
        assert Backlog(TODAY, 0, 0, {}).choices(24) == ()

    def test_no_choice_takes_longer_than_60_days(self) -> None:
        """5000 due: 80 a day leave 5000 − 59·80 = 280 on the 60th day, 85 leave 5000 − 59·85 = −15."""
        assert Backlog(TODAY, 5000, 0, {}).choices(24) == (85, 130, 170)

    def test_where_nothing_would_do_there_is_no_choice(self) -> None:
        """20 000 more every day are more than can be reviewed."""
        every = dict.fromkeys(range(TODAY + 1, TODAY + 500), 20_000)
        assert Backlog(TODAY, 100, 0, every).choices(None) == ()


def moment(day: int, minutes: int = 0) -> Moment:
    """Return a moment of a study day."""
    return Moment((day - 719_163) * 86_400_000 + 9 * 3_600_000 + 60_000 * minutes, 0, day)


class TestBreak:
    """300 items that were learned over 30 days, then a break of 60, then a plan: it is through as promised.

    Each review recalls its item with the chance that FSRS predicts for it. The promise assumes when forgotten
    items come back, so that two days more or less are granted, or three of more than three weeks.
    """

    scheduler = Scheduler()

    def answered(self, memory: Memory | None, item: str, day: int, rng: random.Random) -> Memory:
        """Return the memory after a review and the steps to which it led."""
        good = memory is None or rng.random() < self.scheduler.recall(memory, moment(day))
        after = self.scheduler.after(item, memory, Rating.GOOD if good else Rating.AGAIN, moment(day))
        for step in range(1, 9):
            if after.state is State.REVIEW:
                break
            after = self.scheduler.after(item, after, Rating.GOOD, moment(day, 20 * step))
        return after

    @pytest.mark.parametrize("seed", [1, 2, 3])
    @pytest.mark.parametrize("per_day", [20, 30, 60])
    def test_it_is_through_when_it_was_promised(self, seed: int, per_day: int) -> None:
        """Day by day the plan takes the most forgotten, until a morning on which the rest fits."""
        rng = random.Random(seed)
        began = TODAY - 90
        memories: dict[str, Memory] = {}
        for number in range(300):
            item = f"card:a/{number:03}"
            memories[item] = self.answered(None, item, began + number // 10, rng)
        for day in range(began + 1, began + 30):
            for item, memory in memories.items():
                if memory.last_day < day and memory.due_day is not None and memory.due_day <= day:
                    memories[item] = self.answered(memory, item, day, rng)
        days = [memory.due_day or 0 for memory in memories.values()]
        due = [memory for memory in memories.values() if (memory.due_day or 0) <= TODAY]
        assert len(due) > 200
        coming = {day: days.count(day) for day in days if day > TODAY}
        lost = sum(1 - self.scheduler.recall(memory, moment(TODAY)) for memory in due) / len(due)
        promised = Backlog(TODAY, len(due), 0, coming, lost).through(per_day)
        assert promised is not None

        plan, day = CatchUp(per_day, TODAY), TODAY
        while plan.holds(len(due), 0):
            for memory in ordered(due, day)[:per_day]:
                memories[memory.item] = self.answered(memory, memory.item, day, rng)
            day += 1
            due = [memory for memory in memories.values() if (memory.due_day or 0) <= day]
            assert day < TODAY + 60
        assert abs(day - promised) <= (2 if day - TODAY <= 21 else 3)
        assert day - TODAY >= 3
