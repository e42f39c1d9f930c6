"""What the scheduler promises whatever is pressed, whenever, under whatever settings."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studynorm.scheduling.fuzz import fuzz_range
from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.settings import SettingError, Settings
from studynorm.scheduling.studyday import Moment

A, H, G, E = Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.EASY
DAY_MS = 86_400_000
NOON = DAY_MS // 2

steps = st.lists(st.integers(1, 86_399), max_size=10).map(tuple)
any_settings = st.builds(
    Settings,
    desired_retention=st.floats(0.70, 0.99),
    learning_steps=steps,
    relearning_steps=steps,
    maximum_interval=st.one_of(st.integers(1, 60), st.integers(1, 36_500)),
)
any_weights = st.one_of(
    st.none(),
    st.tuples(
        *[st.floats(0.001, 100) for _ in range(4)],
        *[
            st.floats(low, high)
            for low, high in [
                (1, 10), (0.001, 4), (0.001, 4), (0.001, 0.75), (0, 4.5), (0, 0.8), (0.001, 3.5), (0.001, 5),
                (0.001, 0.25), (0.001, 0.9), (0, 4), (0, 1), (1, 6), (0, 2), (0, 2), (0, 0.8), (0.1, 0.8),
            ]
        ],
    ),
)  # fmt: skip
# milliseconds since the last answer: a clock set back, seconds, hours, days, years
gaps = st.one_of(
    st.integers(-3 * DAY_MS, 0), st.integers(0, 60_000), st.integers(0, DAY_MS), st.integers(0, 4000 * DAY_MS)
)
answers = st.lists(st.tuples(st.sampled_from(Rating), gaps), min_size=1, max_size=25)
items = st.sampled_from(["card:batchnorm/a", "card:batchnorm/a#mark", "family:residual.product", "é"])


def moment(at: int) -> Moment:
    """Return the moment of an instant where the study day is the UTC day."""
    return Moment(at=at, offset=0, day=719_163 + at // DAY_MS)


def in_review(interval: int, stability: float, *, difficulty: float = 5.0, reps: int = 3) -> Memory:
    """Return a memory in Review whose newest review was on day 738 000."""
    return Memory(
        item="card:a/b",
        state=State.REVIEW,
        step=None,
        stability=stability,
        difficulty=difficulty,
        due_at=None,
        due_day=738_000 + interval,
        last_at=(738_000 - 719_163) * DAY_MS + NOON,
        last_day=738_000,
        reps=reps,
        lapses=0,
    )


def on_day(day: int) -> Moment:
    """Return noon of a study day."""
    return moment((day - 719_163) * DAY_MS + NOON)


@settings(max_examples=300, deadline=None)
@given(item=items, choices=any_settings, weights=any_weights, pressed=answers)
def test_whatever_is_pressed_the_memory_is_sound(
    item: str, choices: Settings, weights: tuple[float, ...] | None, pressed: Sequence[tuple[Rating, int]]
) -> None:
    """Any ratings, any times: buttons in order, stored as shown, due within the maximum and later."""
    scheduler = Scheduler(choices, weights)
    now, newest, memory = 1_800_000_000_000, 0, None
    for count, (rating, gap) in enumerate(pressed, start=1):
        now += gap
        newest = max(newest, now)
        shown = scheduler.outcomes(item, memory, moment(now))
        assert list(shown) == [A, H, G, E]
        assert due_key(shown[H]) <= due_key(shown[G]) <= due_key(shown[E])
        review = scheduler.review(item, memory, rating, moment(now), suggested=G, duration_ms=7)
        assert review.after == shown[rating]
        assert (review.before, review.moment, review.rating) == (memory, moment(now), rating)
        after = review.after
        assert (after.last_at, after.last_day) == (newest, moment(newest).day)
        assert after.reps == count
        if after.due_day is not None:
            assert 1 <= after.due_day - after.last_day <= choices.maximum_interval
        else:
            assert after.due_at is not None
            assert 0 < after.due_at - after.last_at <= DAY_MS
        assert 0 <= scheduler.recall(after, moment(now)) <= 1
        memory = after


def due_key(memory: Memory) -> tuple[int, int]:
    """Order due times: a step, at most a day long, comes before a study day, at least one day off."""
    return (0, memory.due_at or 0) if memory.due_day is None else (1, memory.due_day)


@settings(max_examples=60, deadline=None)
@given(item=items, pressed=answers)
def test_the_same_log_gives_the_same_schedule(item: str, pressed: Sequence[tuple[Rating, int]]) -> None:
    """Replaying ratings and times in a new scheduler gives the same memories, fuzz included."""

    def replay() -> list[Memory]:
        scheduler, memory, now, found = Scheduler(), None, 1_800_000_000_000, list[Memory]()
        for rating, gap in pressed:
            now += gap
            memory = scheduler.review(item, memory, rating, moment(now)).after
            found.append(memory)
        return found

    assert replay() == replay()


@pytest.mark.parametrize("interval", [3, 10, 45, 200])
def test_intervals_scatter_within_the_fuzz_range_only(interval: int) -> None:
    """Over many items Good takes every whole day of the range around the plain interval, and no other."""
    memory = in_review(interval, stability=interval * 1.0)
    now = on_day(738_000 + interval)
    plain = Scheduler(fuzz=False).outcomes("card:a/b", memory, now)[G].due_day
    assert plain is not None
    shortest, longest = fuzz_range(plain - now.day, 36_500)
    scheduler = Scheduler()
    found = {scheduler.outcomes(f"card:a/{n}", memory, now)[G].due_day for n in range(3000)}
    assert found == {now.day + days for days in range(shortest, longest + 1)}


def test_a_preview_some_minutes_later_is_the_same_days() -> None:
    """The days on the buttons do not change while the learner thinks: item and reps decide the draw."""
    scheduler, memory = Scheduler(), in_review(30, 30.0)
    now = on_day(738_030)
    later = Moment(now.at + 180_000, now.offset, now.day)
    first, second = (scheduler.outcomes("card:a/b", memory, m) for m in (now, later))
    assert [m.due_day for m in first.values()] == [m.due_day for m in second.values()]


@pytest.mark.parametrize("seed", range(200))
def test_a_tight_maximum_holds_for_every_button(seed: int) -> None:
    """With a maximum of 30 days and a stability of 200 every button stays within 30 days and in order."""
    scheduler = Scheduler(Settings(maximum_interval=30))
    now = on_day(738_030)
    outcomes = scheduler.outcomes(f"card:a/{seed}", in_review(30, 200.0), now)
    days = [m.due_day - now.day for m in outcomes.values() if m.due_day is not None]
    assert days == sorted(days)
    assert len(days) == 3
    assert all(26 <= d <= 30 for d in days)  # ±(0.675 + 1.3 + 0.5 + 1) days around 30, cut at 30


def test_fuzz_does_not_shorten_what_fsrs_lengthens() -> None:
    """An interval that FSRS makes longer than the last one stays longer after the fuzz."""
    for interval in (10, 20, 40, 80):
        memory, now = (
            in_review(interval, stability=interval * 1.0, difficulty=10.0),
            on_day(738_000 + interval),
        )
        plain = Scheduler(fuzz=False).outcomes("card:a/b", memory, now)
        for n in range(300):
            fuzzy = Scheduler().outcomes(f"card:a/{n}", memory, now)
            for rating in (H, G, E):
                wanted, got = plain[rating].due_day, fuzzy[rating].due_day
                assert wanted is not None
                assert got is not None
                if wanted - now.day > interval:
                    assert got - now.day > interval


def test_many_easies_on_their_due_days_stay_within_the_calendar() -> None:
    """A hundred Easy answers, each on its due day, under the largest maximum allowed, end in no overflow."""
    scheduler = Scheduler(Settings(maximum_interval=36_500))
    memory, day = None, 738_000
    for _ in range(100):
        memory = scheduler.review("card:a/b", memory, E, on_day(day)).after
        assert memory.due_day is not None
        assert 1 <= memory.due_day - day <= 36_500
        day = min(memory.due_day, 3_600_000)


def test_a_stability_without_end_is_held() -> None:
    """Weights by which each same-day Easy multiplies stability by 403 end in a ceiling, not infinity."""
    weights = [*Scheduler().weights]
    weights[17:20] = 2.0, 2.0, 0.0  # growth exp(2 · (4 − 3 + 2)) = 403
    scheduler, memory = Scheduler(weights=weights), None
    for _ in range(200):
        memory = scheduler.review("card:a/b", memory, E, on_day(738_000)).after
    assert memory is not None
    assert memory.due_day is not None
    assert memory.due_day - 738_000 > 34_000  # the maximum interval, less at most 5 % of fuzz
    assert scheduler.recall(memory, on_day(738_001)) == pytest.approx(1, abs=1e-6)


def test_a_clock_set_back_counts_no_negative_days() -> None:
    """After the clock went back two days the answer counts for the newest study day, never earlier."""
    scheduler = Scheduler(fuzz=False)
    memory = in_review(10, 10.0)
    same_day = scheduler.review("card:a/b", memory, G, Moment(memory.last_at, 0, memory.last_day)).after
    back = scheduler.review("card:a/b", memory, G, Moment(memory.last_at - 2 * DAY_MS, 0, 737_998)).after
    assert back == same_day
    assert back.last_day == 738_000
    step = scheduler.review("card:a/b", memory, A, Moment(memory.last_at - 2 * DAY_MS, 0, 737_998)).after
    assert step.due_at == memory.last_at + 600_000


@pytest.mark.parametrize("state", [State.LEARNING, State.RELEARNING])
@pytest.mark.parametrize("kept", [(), (60,), (60, 600)])
def test_a_step_that_the_settings_no_longer_have(state: State, kept: tuple[int, ...]) -> None:
    """A memory at step 5 goes on under fewer steps: passes lead to Review, Again to the first step if any."""
    memory = Memory(
        "card:a/b", state, 5, 3.0, 5.0, due_at=10, due_day=None, last_at=0, last_day=738_000, reps=6, lapses=1
    )
    scheduler = Scheduler(Settings(learning_steps=kept, relearning_steps=kept))
    outcomes = scheduler.outcomes("card:a/b", memory, Moment(20, 0, 738_000))
    assert all(outcomes[rating].state is State.REVIEW for rating in (H, G, E))
    assert outcomes[A].state is (state if kept else State.REVIEW)
    assert outcomes[A].step == (0 if kept else None)


def test_lapses_count_failed_reviews_only() -> None:
    """Again in Review is a lapse; Again while learning or relearning is not; every answer is a repetition."""
    scheduler = Scheduler()
    memory, day = None, 738_000
    counts = []
    for rating in (A, A, E, A, A, G):
        memory = scheduler.review("card:a/b", memory, rating, on_day(day)).after
        counts.append((memory.reps, memory.lapses))
        day += 3
    assert counts == [(1, 0), (2, 0), (3, 0), (4, 1), (5, 1), (6, 1)]


def test_falling_steps_do_not_put_hard_after_good() -> None:
    """With steps that fall from 10 minutes to 1, Good waits as long as Hard and not less."""
    outcomes = Scheduler(Settings(learning_steps=(600, 60))).outcomes("card:a/b", None, Moment(0, 0, 738_000))
    assert [outcomes[rating].due_at for rating in (H, G)] == [330_000, 330_000]


def test_one_long_step_keeps_hard_within_a_day() -> None:
    """Hard on a single step of 20 hours, by rule one and a half steps, stops at a day."""
    outcomes = Scheduler(Settings(learning_steps=(72_000,))).outcomes("card:a/b", None, Moment(0, 0, 738_000))
    assert outcomes[H].due_at == DAY_MS


@pytest.mark.parametrize("count", [0, 17, 19, 20, 22])
def test_a_list_of_weights_of_another_length_is_refused(count: int) -> None:
    """Weights of an older FSRS (17 or 19) and any other length are refused with one line that says 21."""
    with pytest.raises(SettingError) as caught:
        Scheduler(weights=[1.0] * count)
    message = str(caught.value)
    assert "21" in message
    assert f"{count} numbers" in message
    assert "\n" not in message
    assert ("older FSRS" in message) == (count in (17, 19))


@pytest.mark.parametrize(
    "wrong", [math.nan, math.inf, -math.inf, -1.0, 101.0, 10**400, True, "0.2", None], ids=str
)
def test_a_weight_out_of_bounds_is_refused(wrong: object) -> None:
    """A weight that is no number within FSRS-6's bounds is refused by its place in the list."""
    weights: list[object] = list(Scheduler().weights)
    weights[2] = wrong
    with pytest.raises(SettingError, match=r"^weights\[2\] = .* allowed: a number from 0.001 to 100.0$"):
        Scheduler(weights=weights)  # type: ignore[arg-type]


def test_a_negative_answer_time_counts_as_none() -> None:
    """A clock that went back between question and answer leaves an answer time of 0."""
    assert Scheduler().review("card:a/b", None, G, Moment(0, 0, 738_000), duration_ms=-5).duration_ms == 0
