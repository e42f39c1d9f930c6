"""How learning goes: each figure against a published value, a closed form, or a log written by hand."""

import random
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import fsrs
import pytest

from studynorm.engine.attempt import Attempt
from studynorm.scheduling.forgetting import forgetting_curve
from studynorm.scheduling.memory import Review
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import PUBLISHED
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment, moment_of
from studynorm.storage.home import Home
from studynorm.storage.statistics import Confidence, Totals, TypedAnswer
from studynorm.study.answertimes import answer_times
from studynorm.study.calibration import calibration_of
from studynorm.study.desk import Desk, open_desk
from studynorm.study.firsttries import by_family_and_level
from studynorm.study.heat import calendar_of, thresholds_of, weekday
from studynorm.study.knowledge import Knowledge, together
from studynorm.study.overview import overview
from studynorm.study.progress import Progress, progress_of, topic_of
from studynorm.study.progress_report import report
from studynorm.study.retention import Against, Share, against, retention_of, wilson
from studynorm.study.slips import Period, Slip, Trend, explained, slips_of, trend_of
from studynorm.study.streak import Streak, streak_of
from studynorm.study.workload import forecast_of
from tests.conftest import FrozenClock

AGAIN, HARD, GOOD, EASY = Rating
DAY_MS = 86_400_000
TODAY = date(2026, 3, 2).toordinal()


def now_of(desk: Desk, topic: str | None = None) -> Progress:
    """Return how learning goes on a desk."""
    return progress_of(desk, overview(desk), topic)


# -- the forgetting curve ------------------------------------------------------------------------------
@pytest.mark.parametrize("decay", [0.1542, 0.1, 0.8])
def test_the_curve_is_that_of_fsrs(decay: float) -> None:
    """For many stabilities and days it equals the retrievability that py-fsrs itself gives."""
    weights = (*PUBLISHED[:20], decay)
    curve, theirs = forgetting_curve(weights), fsrs.Scheduler(parameters=weights)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for stability in (0.01, 0.5, 1.0, 8.3, 21.0, 365.0, 36_500.0):
        for days in (-3, 0, 1, 7, 100, 4000):
            card = fsrs.Card(card_id=1, state=fsrs.State.Review, stability=stability, difficulty=5.0)
            card.last_review = start
            expected = theirs.get_card_retrievability(card, start + timedelta(days=days))
            assert curve(stability, days) == pytest.approx(expected, rel=1e-12)


# -- retention -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17, 857-872, Table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_the_published_ones(hits: int, n: int, low: float, high: float) -> None:
    """To the four digits that are printed."""
    assert [round(end, 4) for end in wilson(hits, n)] == [low, high]


@pytest.mark.parametrize(("hits", "n"), [(81, 100), (0, 7), (7, 7), (1, 1), (900_000, 1_000_000)])
def test_the_ends_of_an_interval_lie_so_many_of_their_own_errors_away(hits: int, n: int) -> None:
    """That is what defines it: (p - x)^2 = z^2 x(1 - x)/n at both ends x, and 0 <= low <= p <= high <= 1."""
    low, high = wilson(hits, n)
    for end in (low, high):
        assert (hits / n - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / n, rel=1e-5, abs=1e-15)
    assert 0 <= low <= hits / n <= high <= 1


def test_measured_stands_to_desired_as_the_interval_says() -> None:
    """81 of 100 is surely below 0.9 and surely above 0.7, and cannot be told from 0.8."""
    share = Share(81, 100)
    assert share.interval == pytest.approx((0.7222, 0.8749), abs=5e-5)
    assert [against(share, desired) for desired in (0.9, 0.8, 0.7)] == [
        Against.BELOW,
        Against.AS_DESIRED,
        Against.ABOVE,
    ]
    assert against(Share(), 0.9) is Against.UNKNOWN
    assert Share().value is None


def test_retention_parts_young_and_mature() -> None:
    """The young are those asked that were not mature."""
    found = retention_of(
        [
            Totals(asked=10, recalled=8, asked_mature=4, recalled_mature=3),
            Totals(asked=5, recalled=5, asked_mature=1, recalled_mature=1),
        ]
    )
    assert (found.all, found.young, found.mature) == (Share(13, 15), Share(9, 10), Share(4, 5))


# -- the streak ----------------------------------------------------------------------------------------
def streak(days: str, *, first_due: int | None = -10_000) -> Streak:
    """Return the streak of days written as signs, the last of them today.

    `x` studied, `-` stored as a rest day, `.` neither; `first_due` counts days from today, and is long past
    unless told otherwise.
    """
    begin = TODAY - len(days) + 1
    studied = [begin + at for at, sign in enumerate(days) if sign == "x"]
    rest = [begin + at for at, sign in enumerate(days) if sign == "-"]
    return streak_of(studied, rest, None if first_due is None else TODAY + first_due, TODAY)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ("", Streak(0, 0, 0, 0)),
        (".", Streak(0, 0, 0, 0)),
        ("x", Streak(1, 0, 1, 1)),
        ("x.", Streak(1, 0, 1, 1)),  # today is not over
        ("x..", Streak(0, 0, 1, 1)),  # yesterday something was due
        ("xxx", Streak(3, 0, 3, 3)),
        ("xxx.", Streak(3, 0, 3, 3)),
        ("x--x", Streak(4, 2, 4, 2)),  # nothing was due
        ("x-.x", Streak(1, 0, 2, 2)),  # on one of the days something was
        ("x.--x", Streak(1, 0, 1, 2)),  # no streak begins with a rest day
        ("--", Streak(0, 0, 0, 0)),
        ("xxxxx..xx", Streak(2, 0, 5, 7)),
        ("x" * 40, Streak(40, 0, 40, 30)),
        ("x" * 40 + "-" * 400 + "x", Streak(441, 400, 441, 1)),
    ],
)
def test_streaks(days: str, expected: Streak) -> None:
    """Days with answers and days with nothing due count; anything else ends the streak, but never today."""
    assert streak(days) == expected


@pytest.mark.parametrize(
    ("days", "first_due", "expected"),
    [
        ("x....", 0, Streak(4, 3, 4, 1)),  # first due today: the days between were free
        ("x....", 3, Streak(4, 3, 4, 1)),  # not due before Thursday
        ("x....", None, Streak(4, 3, 4, 1)),  # everything is suspended
        ("x....", -1, Streak(0, 0, 3, 1)),  # due yesterday and not done
        ("x....", -2, Streak(0, 0, 2, 1)),
        ("....", 3, Streak(0, 0, 0, 0)),  # a fresh profile
    ],
)
def test_free_days_since_the_last_answer_count_before_they_are_stored(
    days: str, first_due: int, expected: Streak
) -> None:
    """The streak of this morning is that which the next answer will confirm."""
    assert streak(days, first_due=first_due) == expected


def test_a_flight_west_loses_no_streak() -> None:
    """The day in Kiritimati was TODAY + 1; in Honolulu it is still TODAY."""
    assert streak_of([TODAY - 1, TODAY, TODAY + 1], (), None, TODAY) == Streak(3, 0, 3, 2)
    assert streak_of([TODAY + 1], (), None, TODAY).days == 1
    assert streak_of([TODAY - 1, TODAY + 4000], (), TODAY, TODAY).days == 1  # the clock was wrong once


# -- calendar and forecast -----------------------------------------------------------------------------
def test_the_calendar_begins_on_a_monday_and_holds_today() -> None:
    """53 weeks up to this one, on every weekday; what lies outside is left out."""
    for today in range(TODAY, TODAY + 7):
        assert weekday(today) == date.fromordinal(today).weekday()
        calendar = calendar_of({today: 3, today - 400: 9, today - 1: 0}, [today - 1, today], today)
        assert date.fromordinal(calendar.first).weekday() == 0
        assert calendar.first + 52 * 7 <= today < calendar.first + 53 * 7
        assert calendar.answers == {today: 3}
        assert calendar.rest == {today - 1}
        assert (calendar.total, calendar.busiest) == (3, today)
    assert calendar_of({}, [], TODAY).busiest is None


@pytest.mark.parametrize(
    ("counts", "thresholds"),
    [
        ([], (1, 2, 3, 4)),
        ([1], (1, 2, 3, 4)),
        ([20] * 10, (1, 5, 10, 15)),
        ([20] * 9 + [900], (1, 5, 10, 15)),  # one huge day does not pale the rest
        ([200] * 5, (1, 50, 100, 150)),
    ],
)
def test_shades_begin_at_round_numbers(counts: Sequence[int], thresholds: tuple[int, ...]) -> None:
    """At 1, and near quarters of a usual day."""
    assert thresholds_of(counts) == thresholds


@pytest.mark.parametrize("seed", range(20))
def test_shades_rise_and_every_day_has_one(seed: int) -> None:
    """Whatever the counts: 0 has no shade, 1 the lightest, and more answers are never paler."""
    draw = random.Random(seed)
    counts = [int(draw.paretovariate(0.7)) for _ in range(draw.randint(1, 300))]
    calendar = calendar_of({TODAY - at: count for at, count in enumerate(counts)}, [], TODAY)
    limits = calendar.thresholds
    assert limits[0] == 1
    assert all(one < other for one, other in pairwise(limits))
    levels = [calendar.level(day) for day in sorted(calendar.answers, key=calendar.answers.__getitem__)]
    assert levels == sorted(levels)
    assert calendar.level(TODAY + 3) == 0


def test_the_forecast_adds_up() -> None:
    """Before today is backlog; thirty days from today on; what comes later is in neither."""
    forecast = forecast_of({TODAY - 40: 2, TODAY - 1: 1, TODAY: 5, TODAY + 29: 7, TODAY + 30: 99}, TODAY)
    assert forecast.backlog == 3
    assert (len(forecast.days), forecast.days[0], forecast.days[29]) == (30, 5, 7)
    assert (forecast.total, forecast.average, forecast.busiest) == (15, 12 / 30, 29)
    assert forecast_of({}, TODAY).busiest is None


def test_topics_together_weigh_by_their_items() -> None:
    """A mean over items, not over topics; an empty topic says nothing."""
    whole = together([Knowledge(1, 0, 1, 0, 0.5), Knowledge(2, 1, 1, 1, 0.9), Knowledge(new=7)])
    assert replace(whole, recall=None) == Knowledge(10, 1, 2, 1)
    assert whole.recall == pytest.approx((0.5 + 3 * 0.9) / 4)
    assert together([]).recall is None


# -- typed answers -------------------------------------------------------------------------------------
def typed(*answers: tuple[object, ...]) -> list[TypedAnswer]:
    """Return answers from (review, family, level, seed, verdict, misconception, revealed, days ago)."""
    found = []
    for number, (review, family, level, seed, verdict, slip, revealed, ago) in enumerate(answers, 1):
        assert isinstance(ago, int | float)
        at = 100 * DAY_MS - int(ago * DAY_MS)
        found.append(
            TypedAnswer(number, review, family, level, seed, verdict, slip, revealed, at)  # type: ignore[arg-type]
        )
    return found


def test_only_first_tries_count() -> None:
    """Of each problem the first graded answer: not the second try, nor after the solution, nor imprecise."""
    found = by_family_and_level(
        typed(
            (7, "t.a", 1, "5", "imprecise", None, 0, 0),
            (7, "t.a", 1, "5", "wrong", None, 0, 0),
            (7, "t.a", 1, "5", "correct", None, 0, 0),
            (8, "t.a", 1, "5", "correct", None, 0, 0),
            (None, "t.a", 1, "5", "correct", None, 0, 0),
            (None, "t.a", 1, "5", "wrong", None, 0, 0),  # the same once more
            (None, "t.a", 1, "6", "correct", None, 0, 0),
            (None, "t.a", 1, "5", "correct", None, 0, 0),  # another day
            (None, "t.a", 2, "5", "wrong", None, 0, 0),
            (None, "t.b", 3, "9", "wrong", None, 1, 0),  # the solution was shown
            (None, "t.b", 3, "9", "correct", None, 1, 0),
            (None, "t.c", 1, "1", "unjudged", None, 0, 0),
        )
    )
    assert {(one.family, one.level): one.share for one in found} == {
        ("t.a", 1): Share(4, 5),
        ("t.a", 2): Share(0, 1),
    }


def test_the_worst_family_is_one_that_is_surely_bad() -> None:
    """Twenty answers with one right stand before a single wrong one, and that before many right ones."""
    rows = [(n, "t.many", 1, "1", "correct" if n == 1 else "wrong", None, 0, 0) for n in range(1, 21)]
    rows += [(50, "t.one", 1, "1", "wrong", None, 0, 0)]
    rows += [(n, "t.good", 1, "1", "correct", None, 0, 0) for n in range(60, 80)]
    assert [one.family for one in by_family_and_level(typed(*rows))] == ["t.many", "t.one", "t.good"]


def by_cases(recent: Period, before: Period) -> Trend:
    """Return the trend by trying every way in which the misconceptions could fall among the answers."""
    times, answers = recent.times + before.times, recent.answers + before.answers
    if times < 3 or not recent.answers or not before.answers:
        return Trend.UNKNOWN
    cases = [sum(at < recent.answers for at in case) for case in combinations(range(answers), times)]
    falls = recent.times / recent.answers < before.times / before.answers
    as_far = [n <= recent.times if falls else n >= recent.times for n in cases]
    end = min(cases) if falls else max(cases)
    if cases.count(end) / len(cases) > 1 / 5:
        return Trend.UNKNOWN
    if sum(as_far) / len(cases) > 1 / 5:
        return Trend.STEADY
    return Trend.FADING if falls else Trend.GROWING


def test_trends_are_those_of_trying_every_case() -> None:
    """For all small tables the verdict equals that of an enumeration, and all four verdicts occur."""
    seen = set()
    for recent_answers in range(6):
        for before_answers in range(8):
            for recent in range(min(3, recent_answers) + 1):
                for before in range(min(4, before_answers) + 1):
                    periods = Period(recent, recent_answers), Period(before, before_answers)
                    seen.add(trend_of(*periods))
                    assert trend_of(*periods) is by_cases(*periods), periods
    assert seen == set(Trend)


@pytest.mark.parametrize(
    ("recent", "before", "trend"),
    [
        (Period(0, 10), Period(5, 20), Trend.FADING),  # C(20,5)/C(30,5) = 0.109
        (Period(0, 10), Period(2, 20), Trend.UNKNOWN),  # only twice
        (Period(0, 3), Period(5, 40), Trend.UNKNOWN),  # three answers prove nothing
        (Period(0, 0), Period(9, 20), Trend.UNKNOWN),  # not asked lately
        (Period(4, 20), Period(8, 40), Trend.STEADY),
        (Period(6, 8), Period(5, 12), Trend.GROWING),
        (Period(400, 10_000), Period(2000, 20_000), Trend.FADING),
    ],
)
def test_trends_of_everyday_tables(recent: Period, before: Period, trend: Trend) -> None:
    """What a learner would say, with few answers left open."""
    assert trend_of(recent, before) is trend


def test_misconceptions_are_counted_per_answer_to_their_families() -> None:
    """By topic; combined ones count for each; other families are no part of the answers."""
    answers = typed(
        (1, "t.a", 1, "1", "wrong", "swap", 0, 80),
        (2, "t.a", 1, "1", "correct", None, 0, 31),
        (3, "t.b", 1, "1", "wrong", "swap+sign", 0, 29),
        (4, "t.b", 1, "1", "correct", None, 0, 1),
        (5, "t.c", 1, "1", "correct", None, 0, 1),
        (6, "u.d", 1, "1", "wrong", "swap", 0, 1),
        (6, "u.d", 1, "1", "imprecise", None, 0, 1),
    )
    found = slips_of(answers, 100 * DAY_MS, topic_of)
    assert found == (
        Slip("swap", "t", ("t.a", "t.b"), Period(1, 2), Period(1, 2)),
        Slip("sign", "t", ("t.b",), Period(1, 2), Period(0, 0)),
        Slip("swap", "u", ("u.d",), Period(1, 1), Period(0, 0)),
    )
    kept = {found[0].newest: '[{"id": "swap", "why": "Turned round."}]', found[2].newest: "not JSON"}
    assert [slip.why for slip in explained(found, kept)] == ["Turned round.", "", ""]


def test_calibration_by_hand() -> None:
    """Brier: (2·0.5² + 0.05² + 0.95²)/4; a learner who always names 0.75 would have 0.75·0.25."""
    found = calibration_of([Confidence(50, 2, 2), Confidence(95, 2, 1)])
    assert found.levels == ((50, Share(2, 2)), (95, Share(1, 2)))
    assert found.brier == pytest.approx((2 * 0.25 + 0.0025 + 0.9025) / 4)
    assert found.base == pytest.approx(0.75 * 0.25)
    assert calibration_of([]).brier is None


def test_answer_times_are_medians_and_few_answers_are_not_slow() -> None:
    """By kind and topic; a topic with four answers is not in the list of slow ones."""
    rows = [("card:a/x", ms) for ms in (1000, 9000, 2000, 4000, 3000)]
    rows += [("card:b/x#m", 60_000)] * 4 + [("family:c.f", ms) for ms in (10, 20, 30, 40, 50, 60)]
    times = answer_times(rows, topic_of)
    assert (times.cards.n, times.cards.ms) == (9, 9000)
    assert (times.problems.n, times.problems.ms) == (6, 35)
    assert times.topics["a"].ms == 3000
    assert times.slowest == ("a", "c")
    assert answer_times([], topic_of).cards.ms is None


# -- a profile -----------------------------------------------------------------------------------------
def wrong_answer(at: int) -> Attempt:
    """Return a wrong answer whose misconception was recognised."""
    return Attempt(
        item="family:batchnorm.entry",
        family="batchnorm.entry",
        version=1,
        level=2,
        seed=4,
        prompt="?",
        params="{}",
        answer="1",
        misconceptions='[{"id": "unbiased_variance", "value": 2, "why": "Divide by n."}]',
        typed="2",
        verdict="wrong",
        misconception="unbiased_variance",
        hints=0,
        revealed=False,
        at=at,
    )


Study = Callable[[Desk, str, Rating, Moment], Review]


@pytest.fixture
def study() -> Study:
    """Return what rates one item at a moment, with the memory that it has."""

    def rate(desk: Desk, item: str, rating: Rating, moment: Moment) -> Review:
        review = desk.scheduler.review(item, desk.store.memory(item), rating, moment, duration_ms=2000)
        desk.store.record(review)
        return review

    return rate


def at(clock: FrozenClock, days: int, minutes: int = 0) -> Moment:
    """Return a moment some days before the clock's."""
    return moment_of(clock.utc - timedelta(days=-days, minutes=-minutes), UTC)


def test_no_profile_no_figures_and_no_file(tmp_path: Path, clock: FrozenClock) -> None:
    """Where there is no profile everything is empty, all items are new, and none is made."""
    home = tmp_path / "nowhere"
    with open_desk(Home(home), clock=clock) as desk:
        found = now_of(desk)
        assert not home.exists()
        assert (found.done.answers, found.streak, found.forecast.total) == (0, Streak(), 0)
        assert found.month.all.n == found.year.all.n == 0
        assert found.knowledge.known == 0
        assert found.knowledge.new == len(desk.catalogue.candidates)
        assert found.left.new == 20
        assert found.problems == ()
        assert found.slips == ()
        assert found.calibration.brier is None
        lines = list(report(found, {}))
    assert max(map(len, lines)) <= 80
    assert "Nothing is measured yet" in "\n".join(lines)


def test_retention_and_today_against_the_reviews_themselves(
    desk_of: Callable[..., Desk], clock: FrozenClock, study: Study
) -> None:
    """Two years of answers to ten items: every figure equals a count over the list of reviews."""
    desk = desk_of("t.f", "u.g")
    draw, reviews, items = random.Random(5), list[Review](), list(desk.catalogue.candidates)
    for back in range(-420, 1):
        for minute, item in enumerate(items):
            memory = desk.store.memory(item)
            moment = at(clock, back, minute)
            if memory is None or (memory.due_day or 0) <= moment.day:
                reviews.append(study(desk, item, draw.choice((AGAIN, HARD, GOOD, GOOD, EASY)), moment))
    found = now_of(desk)

    def asked(first: int, among: Iterable[Review] = reviews) -> list[Review]:
        return [
            one
            for one in among
            if one.moment.day > TODAY - first
            and one.before is not None
            and one.before.state.value == "review"
            and one.moment.day > one.before.last_day
        ]

    def share(among: Iterable[Review]) -> Share:
        found = list(among)
        return Share(sum(one.rating > AGAIN for one in found), len(found))

    for days, retention in ((30, found.month), (365, found.year)):
        tested = asked(days)
        assert 0 < len(tested) < len(reviews)
        assert retention.all == share(tested)
        mature = [one for one in tested if one.before is not None and one.before.stability >= 21]
        assert retention.mature == share(mature)
        assert retention.young == share(one for one in tested if one not in mature)
    for topic in found.topics:
        assert topic.retention.all == share(one for one in asked(365) if topic_of(one.item) == topic.id)
        recalls = [
            desk.scheduler.recall(memory, clock())
            for item in next(known for known in desk.catalogue.topics if known.id == topic.id).items
            if (memory := desk.store.memory(item)) is not None
        ]
        assert topic.knowledge.recall == pytest.approx(sum(recalls) / len(recalls))
        assert topic.knowledge.known == len(recalls)
    today = [one for one in reviews if one.moment.day == TODAY]
    assert found.done.answers == len(today)
    assert found.done.passed == sum(one.rating > AGAIN for one in today)
    assert found.calendar.total == sum(one.moment.day >= found.calendar.first for one in reviews)
    known = [memory for item in items if (memory := desk.store.memory(item)) is not None]
    due = [memory.due_day for memory in known if memory.due_day is not None]
    assert found.forecast.backlog == sum(day < TODAY for day in due)
    assert sum(found.forecast.days) + found.forecast.backlog <= len(items)
    one = now_of(desk, "first")
    assert [topic.id for topic in one.topics] == ["first"]
    assert one.year.all == share(review for review in asked(365) if topic_of(review.item) == "first")
    assert 0 < one.calendar.total < found.calendar.total
    assert one.streak == found.streak


def test_items_that_are_gone_count_nowhere_but_in_the_past(
    desk_of: Callable[..., Desk], clock: FrozenClock, study: Study
) -> None:
    """Their answers were given; but they are never due again, and nothing is predicted of them."""
    desk = desk_of()
    known = next(iter(desk.catalogue.candidates))
    review = study(desk, known, EASY, at(clock, -20))
    study(desk, "card:first/of-a-deck-that-went", AGAIN, at(clock, -20))
    study(desk, "card:lost/of-a-deck-that-went", EASY, at(clock, -20))
    found = now_of(desk)
    assert found.calendar.total == 3
    assert (found.forecast.backlog, found.forecast.total) == (1, 1)
    assert found.knowledge.known == 1
    assert found.knowledge.recall == pytest.approx(desk.scheduler.recall(review.after, clock()))


def test_a_streak_over_free_days_from_the_store(
    desk_of: Callable[..., Desk], clock: FrozenClock, study: Study
) -> None:
    """Answers every day, then days with nothing due, then a day late: as stored, and as it will be stored."""
    desk = desk_of()
    first, second = list(desk.catalogue.candidates)[:2]
    start = at(clock, 0)
    due = study(desk, first, EASY, start).after.due_day
    assert due is not None
    free = due - start.day - 1
    assert free > 2
    clock.forward(days=free)
    assert now_of(desk).streak == Streak(free, free - 1, free, 1)
    clock.forward(days=1)
    assert now_of(desk).streak.days == free + 1
    again = study(desk, first, EASY, clock()).after.due_day
    assert now_of(desk).streak == Streak(free + 2, free, free + 2, 2)
    assert again is not None
    clock.forward(days=again - due + 2)  # two days late
    assert now_of(desk).streak.days == 0
    study(desk, second, EASY, clock())
    longest = again - start.day
    assert now_of(desk).streak == Streak(1, 0, longest, now_of(desk).streak.recent)


ZONES = ("Asia/Tokyo", "Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago")


def test_past_days_stay_what_they_were_in_any_zone(
    desk_of: Callable[..., Desk], clock: FrozenClock, study: Study
) -> None:
    """Reviews in four zones within days count on the study day that was then; today's zone changes nothing.

    Both summer times of Berlin are among them: 02:30 local, twice and hardly once.
    """
    desk = desk_of()
    items = list(desk.catalogue.candidates)
    instants = [
        (datetime(2025, 10, 26, 0, 30, tzinfo=UTC), "Europe/Berlin"),
        (datetime(2025, 10, 26, 1, 30, tzinfo=UTC), "Europe/Berlin"),
        (datetime(2026, 2, 20, 12, 0, tzinfo=UTC), "Asia/Tokyo"),
        (datetime(2026, 2, 20, 20, 0, tzinfo=UTC), "Europe/Berlin"),
        (datetime(2026, 2, 20, 22, 0, tzinfo=UTC), "Pacific/Kiritimati"),
        (datetime(2026, 2, 21, 9, 0, tzinfo=UTC), "Pacific/Pago_Pago"),
    ]
    for utc, zone in instants:
        study(desk, items[0], GOOD, moment_of(utc, ZoneInfo(zone)))
    expected = {  # by hand: the local date, before 04:00 that of the day before
        date(2025, 10, 25): 2,  # 02:30 summer time and 02:30 winter time
        date(2026, 2, 20): 3,  # 21:00 in Tokyo, 21:00 in Berlin, 22:00 on the 20th in Pago Pago
        date(2026, 2, 21): 1,  # noon on the 21st in Kiritimati
    }
    for zone in ZONES:
        for starts in (0, 4, 12):
            here = replace(desk, clock=partial(moment_of, clock.utc, ZoneInfo(zone), starts))
            found = now_of(here)
            assert {date.fromordinal(day): n for day, n in found.calendar.answers.items()} == expected
            assert found.streak.recent == 2


DAMAGED = {
    "memory": ("item", "stability", "last_day", "due_day", "state"),
    "review": ("item", "day", "rating", "duration_ms", "confidence"),
    "attempt": ("family", "level", "seed", "verdict", "misconception", "misconceptions", "revealed", "at"),
    "day_total": ("day", "topic", "answers", "passed", "asked", "recalled", "duration_ms"),
    "pause": ("item", "suspended", "buried_day"),
}


@pytest.mark.parametrize("table", DAMAGED)
def test_a_damaged_row_costs_nobody_the_report(
    desk_of: Callable[..., Desk], clock: FrozenClock, study: Study, table: str
) -> None:
    """A text, bytes or a number that cannot be, in any column that is read: the report is there."""
    desk = desk_of("batchnorm.entry")
    items = list(desk.catalogue.candidates)
    for back in (-40, -20, 0):
        for item in items:
            if back < 0 or item != items[0]:
                review = desk.scheduler.review(item, desk.store.memory(item), EASY, at(clock, back))
                desk.store.record(replace(review, confidence=75))
        desk.store.record_drill(wrong_answer(at(clock, back).at))
    desk.store.upkeep.bury([items[0]], clock())
    desk.store.upkeep.suspend([items[1]], clock())
    before = now_of(desk)
    assert before.slips
    assert before.calibration.n > 5
    with closing(sqlite3.connect(desk.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        (row,) = connection.execute(f"SELECT min(rowid) FROM {table}").fetchone()
        for column in DAMAGED[table]:
            (kept,) = connection.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()
            for wrong in ("nonsense", b"\xff\x00", -1.5):
                change = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"
                connection.execute(change, (wrong, row))
                found = now_of(desk)
                lines = list(report(found, {}))
                assert lines
                assert found.streak.longest in range(60), (column, wrong)
                assert all(type(count) is int for count in found.forecast.days), (column, wrong)
                assert {type(count) for count in found.calendar.answers.values()} == {int}
                assert type(found.year.all.n) is int
                connection.execute(change, (kept, row))
    assert now_of(desk) == before


def test_answers_of_problems_and_confidence_come_through(
    desk_of: Callable[..., Desk], clock: FrozenClock
) -> None:
    """From the log to the value: first tries, a misconception with its reason, calibration."""
    desk = desk_of("batchnorm.entry", settings=Settings(confidence=True))
    item = "family:batchnorm.entry"
    attempt = wrong_answer(clock().at)
    review = desk.scheduler.review(item, None, GOOD, clock(), duration_ms=9000)
    right = replace(attempt, verdict="correct", misconception=None)
    desk.store.record(replace(review, confidence=75), [attempt, right])
    for back in (40, 50, 95):
        desk.store.record_drill(replace(attempt, seed=back, at=clock().at - back * DAY_MS))
    found = now_of(desk)
    assert [(one.family, one.level, one.share) for one in found.problems] == [
        ("batchnorm.entry", 2, Share(0, 3))
    ]
    (slip,) = found.slips
    assert (slip.recent, slip.before, slip.why) == (Period(1, 2), Period(2, 2), "Divide by n.")
    assert found.calibration.levels == ((75, Share(1, 1)),)
    assert found.asks_confidence
    assert found.times.problems.ms == 9000
    text = "\n".join(report(found, {"batchnorm.entry": "One entry"}))
    assert "unbiased variance" in text
    assert "75% sure" in text
    assert now_of(desk, "first").slips == ()
