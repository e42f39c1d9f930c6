"""What happened to an item, and the one sentence on why it is due when it is."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from hashlib import blake2b

import pytest

from benchmarks.agreement import OTHER
from studynorm.scheduling.memory import Memory, Review, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment, moment_of
from studynorm.storage.upkeep import Event, EventKind
from studynorm.study.desk import Desk
from studynorm.study.history import history, story_of
from studynorm.study.items import item_rows
from studynorm.study.why import why_asked, why_due
from tests.conftest import FrozenClock
from tests.study.test_filter import NEW

ZONE = timezone(timedelta(hours=5, minutes=30))
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=ZONE)
ITEM = NEW.item


def at(**later: float) -> Moment:
    """Return a moment after noon of 30 November 2026, in a zone 5:30 east of UTC."""
    return moment_of(NOON + timedelta(**later), ZONE)


def reviewed(*ratings: Rating, item: str = ITEM, scheduler: Scheduler | None = None) -> list[Review]:
    """Return reviews a minute apart, from noon on."""
    reviews: list[Review] = []
    for number, rating in enumerate(ratings):
        before = reviews[-1].after if reviews else None
        chosen = scheduler or Scheduler()
        reviews.append(chosen.review(item, before, rating, at(minutes=number), duration_ms=7_400))
    return reviews


def why(
    reviews: Sequence[Review] = (),
    now: Moment | None = None,
    *,
    events: Sequence[Event] = (),
    scheduler: Scheduler | None = None,
    memory: Memory | None = None,
    new_before: int = 0,
    **state: bool,
) -> str:
    """Return why an item is due after some reviews."""
    row = replace(NEW, memory=memory or (reviews[-1].after if reviews else None), **state)  # type: ignore[arg-type]
    return why_due(row, reviews, events, scheduler or Scheduler(), now or at(), new_before=new_before)


def fuzz(item: str, shortest: int, longest: int) -> int:
    """Return the interval that the seeded fuzz draws for an item's first review, worked out by hand."""
    digest = blake2b(f"{item}\n0".encode(), digest_size=8).digest()
    return shortest + int((int.from_bytes(digest, "big") >> 11) / 2**53 * (longest - shortest + 1))


def with_fuzz(wanted: int, shortest: int, longest: int) -> str:
    """Return an item whose first review is fuzzed to an interval."""
    names = (f"card:batchnorm/card-{number}" for number in range(1000))
    return next(name for name in names if fuzz(name, shortest, longest) == wanted)


# Easy on a new item gives the stability w₃ = 8.2956 days. At a retention of 90 % the interval is the
# stability, 8 days; the fuzz range of 8 days is 8 ± (1 + 0.15·4.5 + 0.10·1) = 8 ± 1.775, so 6 to 10.


def test_an_interval_is_explained_by_rating_stability_and_retention() -> None:
    """Rated Easy on 30 November, not moved by fuzz, it is due 8 days later."""
    item = with_fuzz(8, 6, 10)
    assert why(reviewed(Rating.EASY, item=item)) == (
        "Due in 8 days, on 8 December: after Easy on 30 November its stability is 8.3 days, and at a desired "
        "retention of 90 % that makes an interval of 8 days."
    )


def test_fuzz_is_named_where_it_moved_the_day() -> None:
    """Fuzz made 10 days of the 8."""
    item = with_fuzz(10, 6, 10)
    assert why(reviewed(Rating.EASY, item=item)) == (
        "Due in 10 days, on 10 December: after Easy on 30 November its stability is 8.3 days, and at a "
        "desired retention of 90 % that makes an interval of 8 days (fuzz moved it to 10)."
    )


def test_another_retention_makes_another_interval() -> None:
    """At 95 %: 8.2956 · (0.95^(−1/0.1542) − 1) / (0.9^(−1/0.1542) − 1) = 3.34, so 3 days."""
    scheduler = Scheduler(Settings(desired_retention=0.95))
    item = with_fuzz(3, 2, 4)  # 3 ± (1 + 0.15·0.5)
    assert "at a desired retention of 95 % that makes an interval of 3 days." in why(
        reviewed(Rating.EASY, item=item, scheduler=scheduler), scheduler=scheduler
    )


def test_the_longest_interval_is_named() -> None:
    """With at most 5 days, the 8 become 5."""
    scheduler = Scheduler(Settings(maximum_interval=5))
    assert "an interval of 5 days, the longest allowed" in why(
        reviewed(Rating.EASY, scheduler=scheduler), scheduler=scheduler
    )


def test_an_interval_of_other_settings_is_not_explained_by_those_of_now() -> None:
    """Whoever changed the retention since is told the interval alone."""
    item = with_fuzz(7, 6, 10)
    told = why(reviewed(Rating.EASY, item=item), scheduler=Scheduler(Settings(desired_retention=0.8)))
    assert told == (
        "Due in 7 days, on 7 December: after Easy on 30 November its stability is 8.3 days, and the interval "
        "set then was 7 days."
    )


def test_a_memory_without_its_review_is_explained_by_its_stability_alone() -> None:
    """As it may come from elsewhere."""
    memory = reviewed(Rating.EASY, item=with_fuzz(8, 6, 10))[-1].after
    assert why(memory=memory) == "Due in 8 days, on 8 December: its stability is 8.3 days."


@pytest.mark.parametrize(
    ("days", "begins"),
    [
        (7, "Due tomorrow, on 8 December: "),
        (8, "Due today: "),
        (9, "Overdue by 1 day, since 8 December: "),
        (1108, "Overdue by 1 100 days, since 8 December 2026: "),
    ],
)
def test_the_day_is_told_from_today(days: int, begins: str) -> None:
    """The year is named where it is another one."""
    assert why(reviewed(Rating.EASY, item=with_fuzz(8, 6, 10)), at(days=days)).startswith(begins)


def test_a_learning_step_is_told_by_its_number_and_local_time() -> None:
    """The default steps are 1 and 10 minutes; Good goes from the first to the second."""
    first, second = reviewed(Rating.AGAIN), reviewed(Rating.GOOD)
    assert why(first) == "In learning: step 1 of 2 is due at 12:01."
    assert why(second) == "In learning: step 2 of 2 is due at 12:10."
    assert why(second, at(minutes=11)) == "In learning: step 2 of 2 has been due since 12:10."
    assert why(second, at(days=1)) == "In learning: step 2 of 2 has been due since 12:10 on 30 November."


def test_a_lapse_leads_to_a_relearning_step() -> None:
    """The only default step of relearning is 10 minutes."""
    assert why(reviewed(Rating.EASY, Rating.AGAIN)) == (
        "In relearning after a lapse: step 1 of 1 is due at 12:11."
    )


def test_a_step_beyond_those_of_now_is_told_without_their_number() -> None:
    """The steps may have been shortened since."""
    told = why(reviewed(Rating.GOOD), scheduler=Scheduler(Settings(learning_steps=(60,))))
    assert told == "In learning: step 2 is due at 12:10."


@pytest.mark.parametrize(
    ("before", "ends"),
    [
        (0, "no new item stands before it."),
        (1, "1 new item stands before it."),
        (34, "34 new items stand before it."),
    ],
)
def test_a_new_item_is_told_how_many_stand_before_it(before: int, ends: str) -> None:
    """One that was forgotten is new again, and says since when."""
    assert why(new_before=before) == f"New: it was never answered; {ends}"
    events = [Event(ITEM, EventKind.FORGET, at(days=-3), None)]
    assert why(new_before=before, events=events) == (f"New again: it was forgotten on 27 November; {ends}")


def test_paused_and_gone_items_say_that_they_are_not_asked() -> None:
    """With the day of the newest suspension, whatever their memories say."""
    events = [
        Event(ITEM, EventKind.SUSPEND, at(days=-400), None),
        Event(ITEM, EventKind.RESUME, at(days=-300), None),
        Event(ITEM, EventKind.SUSPEND, at(days=-20), None),
    ]
    easy = reviewed(Rating.EASY)
    assert why(easy, events=events, suspended=True) == (
        "Suspended on 10 November: it is not asked until you resume it."
    )
    assert why(suspended=True).startswith("Suspended: ")
    assert why(easy, buried=True).startswith("Buried: it is not asked today")
    assert why(easy, gone=True).startswith("Gone: there is no such card any more")


def test_history_tells_reviews_and_events_in_the_order_of_time() -> None:
    """Local times are those of the place where it happened; an interval is what the button showed."""
    reviews = reviewed(Rating.GOOD, Rating.AGAIN, Rating.EASY)
    elsewhere = moment_of(NOON + timedelta(days=2), UTC)
    events = [
        Event(ITEM, EventKind.REWORD, reviews[1].moment, None),
        Event(ITEM, EventKind.SUSPEND, elsewhere, None),
    ]
    past = history(reviews, events)
    assert [(line.when, line.what, line.interval) for line in past] == [
        ("2026-11-30 12:00", "Good", "10m"),
        ("2026-11-30 12:01", "card reworded since the answer before", ""),
        ("2026-11-30 12:01", "Again", "1m"),
        ("2026-11-30 12:02", "Easy", f"{(reviews[2].after.due_day or 0) - reviews[2].moment.day}d"),
        ("2026-12-02 06:30", "suspended", ""),
    ]
    assert [line.duration_ms for line in past] == [7_400, 0, 7_400, 7_400, 0]
    assert past[0].after is not None
    assert past[0].after.stability == pytest.approx(2.3065)  # w₂ of the published weights
    assert past[4].after is None


def test_every_kind_of_event_has_words() -> None:
    """None is shown under its bare name."""
    lines = history([], [Event(ITEM, kind, at(), None) for kind in EventKind])
    assert len({line.what for line in lines}) == len(EventKind)


def test_the_story_of_a_desk_counts_the_new_items_before(
    desk_of: Callable[..., Desk], clock: FrozenClock
) -> None:
    """Those that were answered, suspended or buried do not stand before it."""
    desk = desk_of()
    desk.store.record(desk.scheduler.review("card:first/one", None, Rating.EASY, clock()))
    desk.store.upkeep.suspend(["card:first/two"], clock())
    rows = item_rows(desk)
    blue = next(row for row in rows if row.item == "card:second/blue")
    assert story_of(desk, blue).why == "New: it was never answered; 3 new items stand before it."
    one = story_of(desk, rows[0])
    assert [line.what for line in one.past] == ["Easy"]
    assert one.why.startswith("Due in ")


def test_a_memory_that_was_given_back_is_explained_as_before(
    desk_of: Callable[..., Desk], clock: FrozenClock
) -> None:
    """Forgetting and remembering leaves two lines in the history and the same sentence."""
    desk = desk_of()
    desk.store.record(desk.scheduler.review("card:first/one", None, Rating.EASY, clock()))
    rows = item_rows(desk)
    before = story_of(desk, rows[0]).why
    clock.forward(minutes=1)
    desk.store.upkeep.forget(["card:first/one"], clock())
    rows = item_rows(desk)
    assert story_of(desk, rows[0]).why.startswith("New again: it was forgotten on 2 March;")
    clock.forward(minutes=1)
    desk.store.upkeep.remember(["card:first/one"], clock())
    rows = item_rows(desk)
    after = story_of(desk, rows[0])
    assert after.why == before
    assert [line.what for line in after.past] == ["Easy", "forgotten: new again", "memory given back"]


def test_a_log_that_no_scheduler_goes_on_from_is_told_all_the_same() -> None:
    """A review that led to what its rating cannot lead to is not explained, and nothing fails."""
    memory = Memory(ITEM, State.REVIEW, None, 3.0, 5.0, None, at().day + 2, 0, at().day, 1, 0)
    odd = Review(ITEM, Rating.GOOD, None, at(), 0, None, memory)
    assert why([odd]) == (
        "Due in 2 days, on 2 December: after Good on 30 November its stability is 3.0 days, and the interval "
        "set then was 2 days."
    )


def test_a_day_that_was_set_by_hand_says_so() -> None:
    """With the day on which it was set, and the one on which it would have been due."""
    item = with_fuzz(8, 6, 10)
    (review,) = reviewed(Rating.EASY, item=item)
    moved = replace(review.after, due_day=at(days=3).day)
    events = [Event(item, EventKind.SET_DUE, at(days=1), review.after, at(days=3).day)]
    assert why([review], at(days=1), events=events, memory=moved) == (
        "Due in 2 days, on 3 December: you set that day on 1 December; after Easy on 30 November its "
        "stability is 8.3 days, and it would have been due on 8 December."
    )
    later = Event(item, EventKind.UNSET_DUE, at(days=2), moved)
    assert "at a desired retention of 90 %" in why([review], at(days=2), events=[*events, later])


def test_a_day_that_nobody_set_says_so() -> None:
    """As after an alteration past the program."""
    item = with_fuzz(8, 6, 10)
    (review,) = reviewed(Rating.EASY, item=item)
    moved = replace(review.after, due_day=at(days=3).day)
    assert "that day was set by other means than an answer" in why([review], memory=moved)


def told(desk: Desk, item: str) -> str:
    """Return why an item of a desk is due."""
    return story_of(desk, next(row for row in item_rows(desk) if row.item == item)).why


def answered(desk: Desk, item: str, *ratings: Rating) -> None:
    """Answer an item in sessions of the desk, whenever it is due."""
    for rating in ratings:
        session = desk.session(items=[item])
        session.reveal()
        assert session.answer(rating)


def test_settings_that_changed_since_do_not_change_the_reason(desk_of: Callable[..., Desk]) -> None:
    """An interval is explained by the retention and the maximum that made it, a step by the steps of then."""
    desk = desk_of(settings=Settings(desired_retention=0.85, maximum_interval=5))
    answered(desk, "card:first/one", Rating.EASY)
    answered(desk, "card:first/two", Rating.GOOD)
    desk.settings = Settings(desired_retention=0.7, learning_steps=(60,))
    # 8.2956 · (0.85^(−1/0.1542) − 1) / (0.9^(−1/0.1542) − 1) = 15.8, so 16 days, and 5 are the most
    assert "at a desired retention of 85 % that makes an interval of 5 days, the longest allowed" in told(
        desk, "card:first/one"
    )
    assert told(desk, "card:first/two") == "In learning: step 2 of 2 is due at 09:10."


def test_weights_that_changed_since_do_not_change_the_reason(
    desk_of: Callable[..., Desk], clock: FrozenClock
) -> None:
    """Neither those adopted after the newest answer nor those adopted before it."""
    desk = desk_of()
    answered(desk, "card:first/one", Rating.EASY)
    first = told(desk, "card:first/one")
    assert "at a desired retention of 90 %" in first
    desk.store.ledger.adopt("FSRS-6", OTHER)
    assert told(desk, "card:first/one") == first
    clock.forward(days=9)
    answered(desk, "card:first/one", Rating.GOOD)
    assert "after Good on 11 March its stability is " in told(desk, "card:first/one")
    assert "at a desired retention of 90 % that makes an interval of " in told(desk, "card:first/one")


def test_why_an_item_is_asked_that_is_open_in_a_session(
    desk_of: Callable[..., Desk], clock: FrozenClock
) -> None:
    """New, in a step, and on its day."""
    desk = desk_of()
    item = "card:first/one"
    assert why_asked(desk, item) == "New: it was never answered; no new item stands before it."
    answered(desk, item, Rating.GOOD)
    clock.forward(minutes=12)
    assert why_asked(desk, item) == "In learning: step 2 of 2 has been due since 09:10."
    answered(desk, item, Rating.GOOD)
    clock.forward(days=2)
    assert why_asked(desk, item).startswith(
        "Due today: after Good on 2 March its stability is 2.3 days, and "
    )
