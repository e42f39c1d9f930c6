"""Readiness: predicted recall on a day against fsrs itself, its range by hand, and the pace by hand."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from math import sqrt

import fsrs
import pytest

from studynorm.scheduling.settings import Settings
from studynorm.study.desk import Desk
from studynorm.study.readiness import (
    Pace,
    below_words,
    date_words,
    for_pass,
    pace_of,
    pace_words,
    pass_day,
    readiness,
)
from tests.study.backlogs import TODAY, at, memory, put

DeskOf = Callable[..., Desk]

FIRST, SECOND = ("card:first/one", "card:first/two"), ("card:second/blue", "card:second/red")
INTERVIEW = TODAY + 30


def retrievability(stability: float, days: int, weights: tuple[float, ...] | None = None) -> float:
    """Return what fsrs predicts so many days after a review."""
    scheduler = fsrs.Scheduler() if weights is None else fsrs.Scheduler(parameters=weights)
    now = datetime(2026, 3, 2, tzinfo=UTC)
    last = now - timedelta(days=days)
    card = fsrs.Card(
        card_id=1, state=fsrs.State.Review, stability=stability, difficulty=5.0, last_review=last
    )
    return float(scheduler.get_card_retrievability(card, now))


def learned_desk(desk_of: DeskOf, interview: date | None = None) -> Desk:
    """Return a desk with four cards: stabilities 10, 60, 5 and 400 days, reviewed 0, 3, 20 and 1 days ago."""
    desk = desk_of(settings=Settings(interview_date=interview))
    seen = zip((*FIRST, *SECOND), (10.0, 60.0, 5.0, 400.0), (0, 3, 20, 1), strict=True)
    put(desk.store, (memory(item, s, TODAY - ago, TODAY + 9) for item, s, ago in seen))
    return desk


class TestOutlook:
    """What is predicted."""

    def test_recall_of_each_topic_is_the_mean_of_what_fsrs_predicts(self, desk_of: DeskOf) -> None:
        """For the interview day, over the items with a memory; the others are counted apart."""
        desk = learned_desk(desk_of, date.fromordinal(INTERVIEW))
        ready = readiness(desk)
        p = [retrievability(s, 30 + ago) for s, ago in ((10.0, 0), (60.0, 3), (5.0, 20), (400.0, 1))]
        first, second = (topic.outlook for topic in ready.topics)
        assert first.recall == pytest.approx((p[0] + p[1]) / 2, rel=1e-12)
        assert second.recall == pytest.approx((p[2] + p[3]) / 2, rel=1e-12)
        assert ready.overall.recall == pytest.approx(sum(p) / 4, rel=1e-12)
        assert ready.overall.expected == pytest.approx(sum(p), rel=1e-12)
        assert (first.items, first.learned, first.unlearned) == (4, 2, 2)
        assert (second.items, second.learned, second.unlearned) == (2, 2, 0)
        assert (ready.today, ready.date, ready.on, ready.days_left) == (TODAY, INTERVIEW, INTERVIEW, 30)

    def test_the_range_is_that_of_a_sum_of_independent_trials(self, desk_of: DeskOf) -> None:
        """1.96 · √(p₁(1−p₁) + p₂(1−p₂)) / 2 for two items, cut off at 0 and 1."""
        ready = readiness(learned_desk(desk_of), INTERVIEW)
        p, q = retrievability(10.0, 30), retrievability(60.0, 33)
        outlook = ready.topics[0].outlook
        half = 1.959964 * sqrt(p * (1 - p) + q * (1 - q)) / 2
        assert outlook.half_width == pytest.approx(half, rel=1e-6)
        assert outlook.interval == pytest.approx((max(0.0, (p + q) / 2 - half), 1.0), rel=1e-6)

    def test_what_would_be_below_the_desired_retention_is_named_lowest_first(self, desk_of: DeskOf) -> None:
        """On that day: 50 days at a stability of 5, and 30 at 10; the others stay above 90 %."""
        ready = readiness(learned_desk(desk_of), INTERVIEW)
        assert [(one.item, one.topic) for one in ready.below] == [
            ("card:second/blue", "second"),
            ("card:first/one", "first"),
        ]
        assert [topic.outlook.below for topic in ready.topics] == [1, 1]
        assert ready.below[0].recall == pytest.approx(retrievability(5.0, 50), rel=1e-12)
        assert below_words(ready) == "2 of 4 learned items would be below 90 %."

    def test_weights_that_were_adopted_count(self, desk_of: DeskOf) -> None:
        """Another decay gives another recall."""
        desk = learned_desk(desk_of)
        weights = (*fsrs.Scheduler().parameters[:-1], 0.5)
        desk.store.ledger.adopt("FSRS-6", weights)
        ready = readiness(desk, INTERVIEW)
        p = retrievability(5.0, 50, weights)
        assert ready.below[0].recall == pytest.approx(p, rel=1e-12)
        assert abs(p - retrievability(5.0, 50)) > 0.05

    def test_suspended_items_and_those_that_are_gone_are_in_nothing_of_it(self, desk_of: DeskOf) -> None:
        """Learned or new; buried ones stay in."""
        desk = learned_desk(desk_of)
        put(desk.store, [memory("card:first/gone", 1.0, TODAY - 50, TODAY)])
        desk.store.upkeep.suspend(["card:second/blue", "card:first/marks#mean"], at(TODAY))
        desk.store.upkeep.bury(["card:first/one"], at(TODAY))
        ready = readiness(desk, INTERVIEW)
        assert (ready.overall.items, ready.overall.learned) == (4, 3)
        assert [one.item for one in ready.below] == ["card:first/one"]
        assert for_pass(desk, INTERVIEW) == ("card:first/one",)
        assert "card:second/blue" not in for_pass(desk, INTERVIEW, "second")

    def test_nothing_learned_predicts_nothing(self, desk_of: DeskOf) -> None:
        """And on a profile that does not exist, none is made."""
        desk = desk_of()
        missing = replace(desk, profile=desk.path.with_name("none.sqlite"))
        for one in (desk, missing):
            ready = readiness(one, INTERVIEW)
            assert (ready.overall.recall, ready.overall.half_width, ready.overall.interval) == (None,) * 3
            assert (ready.overall.items, ready.below) == (6, ())
            assert below_words(ready).startswith("Nothing is learned yet")
        assert not missing.path.exists()

    def test_a_row_without_numbers_costs_only_itself(self, desk_of: DeskOf) -> None:
        """It is left out, neither learned nor new."""
        desk = learned_desk(desk_of)
        with sqlite3.connect(desk.path) as connection:
            connection.execute("UPDATE memory SET stability = 'x' WHERE item = 'card:first/one'")
        connection.close()
        overall = readiness(desk, INTERVIEW).overall
        assert (overall.items, overall.learned) == (5, 3)


class TestDay:
    """Which day is meant."""

    @pytest.mark.parametrize(
        ("ahead", "on", "words"),
        [
            (None, 0, "No interview date is set; this is for today."),
            (-1, 0, "The interview date, Sunday, 1 March, is over; this is for today."),
            (-400, 0, "The interview date, Sunday, 26 January 2025, is over; this is for today."),
            (0, 0, "The interview is today."),
            (1, 1, "Interview tomorrow, on Tuesday, 3 March."),
            (30, 30, "Interview in 30 days, on Wednesday, 1 April."),
            (36_000, 36_000, "Interview in 36000 days, on Sunday, 24 September 2124."),
        ],
    )
    def test_past_today_and_far(self, desk_of: DeskOf, ahead: int | None, on: int, words: str) -> None:
        """A day that is over, or none, leaves today; summer time is no matter of study days."""
        day = None if ahead is None else date(2026, 3, 2) + timedelta(days=ahead)
        desk = learned_desk(desk_of, day)
        ready = readiness(desk)
        assert (ready.on, ready.days_left) == (TODAY + on, ahead)
        assert pass_day(desk) == TODAY + on
        assert date_words(ready) == words
        recall = ready.topics[0].outlook.recall
        expected = (retrievability(10.0, on) + retrievability(60.0, on + 3)) / 2
        assert recall == pytest.approx(expected, rel=1e-12)

    def test_a_day_that_is_named_goes_before_the_setting(self, desk_of: DeskOf) -> None:
        """As `--date` does."""
        desk = learned_desk(desk_of, date.fromordinal(INTERVIEW))
        assert readiness(desk, TODAY + 5).on == pass_day(desk, TODAY + 5) == TODAY + 5


class TestPace:
    """How many new items a day."""

    @pytest.mark.parametrize(
        ("left", "ahead", "pace"),
        [
            (240, 30, Pace(240, TODAY + 23, 10)),  # today and 23 more days: 24
            (241, 30, Pace(241, TODAY + 23, 11)),
            (5, 7, Pace(5, TODAY, 5)),  # a week before is today
            (5, 6, Pace(5, TODAY + 5, 1)),  # nearer: by the day before, six days
            (5, 1, Pace(5, TODAY, 5)),
            (5, 0, None),
            (5, -3, None),
            (0, 30, None),
        ],
    )
    def test_a_week_before_the_date(self, left: int, ahead: int, pace: Pace | None) -> None:
        """By hand: the days from today to a week before it, both included."""
        assert pace_of(left, TODAY, TODAY + ahead) == pace

    def test_without_a_date_there_is_none(self) -> None:
        """However much is left."""
        assert pace_of(100, TODAY, None) is None

    def test_the_sentence_compares_it_with_the_limit(self, desk_of: DeskOf) -> None:
        """Two of the six items are new; by today, a week before, that is 2 a day."""
        ready = readiness(learned_desk(desk_of), TODAY + 7)
        assert pace_words(ready, 20) == "To have met the 2 new items by Monday, 2 March, learn 2 a day."
        assert pace_words(ready, 1).endswith("learn 2 a day, more than your 1 a day.")
        assert pace_words(readiness(learned_desk(desk_of)), 20) == ""


class TestPassItems:
    """What a final pass is over."""

    def test_what_would_be_forgotten_or_all_of_a_topic(self, desk_of: DeskOf) -> None:
        """The lowest first, at most as many as wished."""
        desk = learned_desk(desk_of)
        assert for_pass(desk, INTERVIEW) == ("card:second/blue", "card:first/one")
        assert for_pass(desk, INTERVIEW, limit=1) == ("card:second/blue",)
        assert for_pass(desk, INTERVIEW, "second") == ("card:second/blue", "card:second/red")
        assert for_pass(desk, TODAY, "first") == ("card:first/two", "card:first/one")
        assert for_pass(desk, INTERVIEW, "nowhere") == ()
