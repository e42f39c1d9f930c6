"""B19 through sessions: the longest interval holds, buttons are in order, and what they show is stored."""

from collections.abc import Callable
from datetime import timedelta

from studynorm.scheduling.interval import interval_text
from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.study.desk import Desk
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt
from tests.conftest import FrozenClock
from tests.known import in_review

ITEM = "card:first/one"
H, G, E = Rating.HARD, Rating.GOOD, Rating.EASY
Begin = Callable[..., StudySession]


def rated(desk: Desk, begin: Begin, rating: Rating) -> Memory:
    """Answer the item; what its button showed is what is stored, and the three passes are in order."""
    session = begin(desk, items=[ITEM])
    prompt = session.situation
    assert isinstance(prompt, CardPrompt)
    now, before = desk.clock(), desk.store.memory(ITEM)
    passes = [desk.scheduler.outcomes(ITEM, before, now)[each].due_day or 0 for each in (H, G, E)]
    assert passes == sorted(passes)
    session.reveal()
    assert session.answer(rating)
    after = desk.store.memory(ITEM)
    assert after is not None
    assert interval_text(after, now, desk.settings.learn_ahead) == prompt.intervals[rating]
    return after


def test_200_reviews_stay_within_a_maximum_of_30_days(
    desk_of: Callable[..., Desk], session_of: Begin, clock: FrozenClock
) -> None:
    """With a stability of 200 days and more, on each due day, with every passing rating in turn."""
    desk = desk_of(settings=Settings(maximum_interval=30))
    in_review(desk, ITEM, stability=200.0)
    lengths = set()
    for number in range(200):
        after = rated(desk, session_of, (H, G, E)[number % 3])
        assert after.due_day is not None
        lengths.add(after.due_day - after.last_day)
        clock.utc += timedelta(days=after.due_day - after.last_day)
    # fuzz: 30 ± (1 + 0.15·4.5 + 0.10·13 + 0.05·10) = 30 ± 3.475, cut at 30
    assert lengths <= {27, 28, 29, 30}
    assert len(lengths) > 2


def test_85_easies_on_their_due_days_under_the_longest_maximum(
    desk_of: Callable[..., Desk], session_of: Begin, clock: FrozenClock
) -> None:
    """A life of 7000 years ends in no overflow, neither in FSRS nor in the profile."""
    desk = desk_of(settings=Settings(maximum_interval=36_500))
    in_review(desk, "card:first/two", due_in=1)  # overdue for ever: no day is a rest day
    for _ in range(85):
        after = rated(desk, session_of, E)
        assert after.due_day is not None
        assert 1 <= after.due_day - after.last_day <= 36_500
        clock.utc += timedelta(days=after.due_day - after.last_day)
    assert clock.utc.year > 9000
    assert after.reps == 85
