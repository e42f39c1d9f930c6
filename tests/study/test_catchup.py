"""Catching up on a profile: what is offered, what a session then asks, and when it ends."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from studynorm.scheduling.catchup import CatchUp
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment
from studynorm.storage.errors import Busy
from studynorm.storage.store import Store
from studynorm.study.catchup import KEY, NoCatchUp, begin, end, foreseen, look
from studynorm.study.desk import Desk
from studynorm.study.overview import overview
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Counts, Done, Pending, ProblemPrompt
from studynorm.study.topic import topic_sheet
from tests.conftest import FrozenClock
from tests.study.backlogs import TODAY, at, memory, put, study

DeskOf = Callable[..., Desk]
SessionOf = Callable[..., StudySession]

NEW = 5
"""The new items of the sample decks; the second mark of a card waits for another day."""
NAMES = tuple(f"{topic}.n{number:02}" for number in range(30) for topic in ("batchnorm", "backward"))
"""Families that exist by name alone: enough for a backlog, and none is ever drawn."""
ITEMS = tuple(f"family:{name}" for name in NAMES)
CARDS = ("card:first/one", "card:first/two", "card:second/blue", "card:second/red")


def waiting_desk(desk_of: DeskOf, count: int = 60, settings: Settings | None = None) -> Desk:
    """Return a desk where so many families are due: the higher the number, the more is forgotten of it."""
    desk = desk_of(*NAMES, settings=settings)
    put(desk.store, (memory(item, 100.0 - n, TODAY - 50, TODAY - 9) for n, item in enumerate(ITEMS[:count])))
    return desk


def queue(session: StudySession) -> list[str]:
    """Return what a session asks, the open item first; steps that are not due yet are not in it."""
    opened = [] if isinstance(session.situation, Done) else [session.situation.item]
    return [*opened, *session._agenda._queue]


class TestLook:
    """What is waiting, and whether that is too much."""

    def test_far_more_than_usual_is_offered(self, desk_of: DeskOf) -> None:
        """60 are due and a usual day has 3 of the last 8 days: 60 > 50."""
        desk = waiting_desk(desk_of)
        study(desk.store, ("family:gone.a", "family:gone.b", "family:gone.c"), range(TODAY - 90, TODAY - 82))
        found = look(desk)
        assert (found.backlog.due, found.backlog.done, found.usual) == (60, 0, 3)
        assert found.offered
        assert found.plan is None
        assert not found.caught_up

    def test_a_new_learner_is_offered_nothing(self, desk_of: DeskOf) -> None:
        """Six study days with reviews are too few to know what is usual."""
        desk = waiting_desk(desk_of)
        study(desk.store, ["family:gone.a"], range(TODAY - 90, TODAY - 84))
        assert (look(desk).usual, look(desk).offered) == (None, False)

    def test_only_what_could_be_asked_is_waiting(self, desk_of: DeskOf) -> None:
        """Neither suspended items nor those buried today or gone; what was buried yesterday is."""
        desk = waiting_desk(desk_of)
        put(desk.store, [memory("family:gone.a", 5.0, TODAY - 50, TODAY - 9)])
        upkeep = desk.store.upkeep
        upkeep.suspend(ITEMS[:2], at(TODAY))
        upkeep.bury(ITEMS[2:5], at(TODAY))
        upkeep.bury(ITEMS[5:6], at(TODAY - 1))
        assert look(desk).backlog.due == 55

    def test_an_empty_and_a_missing_profile_have_nothing_waiting(
        self, desk_of: DeskOf, clock: FrozenClock
    ) -> None:
        """And looking makes no profile."""
        desk = desk_of()
        assert look(desk).backlog.due == 0
        missing = replace(desk, profile=desk.path.with_name("none.sqlite"))
        assert foreseen(missing).backlog.due == 0
        assert end(missing) is False
        assert not missing.path.exists()

    def test_the_share_forgotten_is_the_mean_over_what_is_due(self, desk_of: DeskOf) -> None:
        """Due after its stability an item is forgotten with 10 %; half of such and half fresh ones: 5 %."""
        desk = desk_of(*NAMES)
        put(desk.store, (memory(item, 40.0, TODAY - 40, TODAY) for item in ITEMS[:10]))
        put(desk.store, (memory(item, 40.0, TODAY, TODAY) for item in ITEMS[10:20]))
        assert foreseen(desk).backlog.forgotten == pytest.approx(0.05, abs=1e-12)

    def test_what_comes_later_is_counted_by_its_day_without_suspended_items(self, desk_of: DeskOf) -> None:
        """Two tomorrow, one of them suspended; one the day after."""
        desk = waiting_desk(desk_of, 40)
        put(desk.store, (memory(item, 40.0, TODAY, TODAY + 1) for item in ITEMS[40:42]))
        put(desk.store, [memory(ITEMS[42], 40.0, TODAY, TODAY + 2)])
        desk.store.upkeep.suspend([ITEMS[40]], at(TODAY))
        assert foreseen(desk).backlog.coming == {TODAY + 1: 1, TODAY + 2: 1}


class TestBegin:
    """Beginning, changing and ending a plan."""

    def test_a_plan_is_kept_with_its_day_and_share(self, desk_of: DeskOf) -> None:
        """In the profile's own values, and only there."""
        desk = waiting_desk(desk_of)
        found = begin(desk, 20)
        kept = desk.store.values.get(KEY)
        assert (kept["per_day"], kept["since"], kept["over"]) == (20, TODAY, None)
        assert 0.05 < kept["forgotten"] < 0.2
        assert found.plan == look(desk).plan == CatchUp(**kept)
        assert look(desk).days_left == found.days_left == 3 + 1  # 60, 40 and 20, and some come back

    def test_it_can_be_changed_and_ended(self, desk_of: DeskOf) -> None:
        """Afterwards nothing is left of it."""
        desk = waiting_desk(desk_of)
        begin(desk, 20)
        begin(desk, 30)
        plan = look(desk).plan
        assert plan is not None
        assert plan.per_day == 30
        assert end(desk)
        assert not end(desk)
        assert desk.store.values.get(KEY) is None
        assert look(desk).plan is None

    @pytest.mark.parametrize(
        ("per_day", "words"), [(0, "1 to 9999"), (10_000, "1 to 9999"), (60, "fits into one")]
    )
    def test_what_cannot_begin_is_refused_with_the_reason(
        self, desk_of: DeskOf, per_day: int, words: str
    ) -> None:
        """Outside the range, and where everything fits into one day; a plan that holds stays."""
        desk = waiting_desk(desk_of)
        begin(desk, 20)
        with pytest.raises(NoCatchUp, match=words):
            begin(desk, per_day)
        plan = look(desk).plan
        assert plan is not None
        assert plan.per_day == 20

    def test_where_nothing_waits_nothing_begins(self, desk_of: DeskOf) -> None:
        """Nothing is written either."""
        desk = desk_of()
        with pytest.raises(NoCatchUp, match="Nothing is waiting"):
            begin(desk, 20)
        assert desk.store.values.get(KEY) is None

    def test_a_value_that_is_no_plan_is_none(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """Neither home nor a session stumbles over it, and a plan can be begun."""
        desk = waiting_desk(desk_of)
        values: tuple[object, ...] = (
            *(7, "x", [], {}, {"per_day": 20}),
            *({"per_day": 0, "since": 1}, {"per_day": "9", "since": 1}, {"per_day": 20, "since": "x"}),
            *({"per_day": 20.5, "since": 1}, {"per_day": 20, "since": 1, "more": 1}),
        )
        for value in values:
            desk.store.values.set(KEY, value)
            assert look(desk).plan is None
            assert session_of(desk).counts == Counts(NEW, 0, 60)
        assert begin(desk, 20).plan is not None


class TestSession:
    """What a session asks while a plan holds."""

    def test_the_most_forgotten_and_no_new_items(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """Before: all 5 new ones and 60 reviews. With 20 a day: the 20 with the lowest stabilities."""
        desk = waiting_desk(desk_of)
        assert session_of(desk).counts == Counts(NEW, 0, 60)
        begin(desk, 20)
        session = session_of(desk)
        assert session.counts == Counts(0, 0, 20)
        assert sorted(queue(session)) == sorted(ITEMS[40:])

    def test_home_and_due_count_what_a_session_asks(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """By topic too, before and under a plan, and when it is over."""
        desk = waiting_desk(desk_of)
        for act in (lambda: None, lambda: begin(desk, 21), lambda: begin(desk, 7), lambda: end(desk)):
            act()
            seen, session = overview(desk), session_of(desk)
            assert seen.today == session.counts
            asked = Counter(desk.catalogue.candidates[item].topic for item in queue(session))
            assert {topic.id: topic.today.total for topic in seen.topics if topic.today.total} == asked

    def test_a_topic_has_its_most_forgotten(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """Items with odd numbers are of `backward`: at most 20 of its 30, the lowest stabilities first."""
        desk = waiting_desk(desk_of)
        begin(desk, 20)
        assert queue(session_of(desk, topic="backward")) == list(reversed(ITEMS[1::2]))[:20]

    def test_a_topic_that_fits_into_a_day_does_not_end_the_plan(
        self, desk_of: DeskOf, session_of: SessionOf
    ) -> None:
        """30 of `backward` are due and 30 a day come, but 60 are due in all."""
        desk = waiting_desk(desk_of)
        begin(desk, 30)
        assert session_of(desk, topic="backward").counts == Counts(0, 0, 30)
        assert session_of(desk, topic="first").counts == Counts(0, 0, 0)
        assert look(desk).plan is not None

    def test_the_limit_is_one_for_the_day_whatever_is_asked(
        self, desk_of: DeskOf, session_of: SessionOf
    ) -> None:
        """After 3 cards of 20, a session of any topic has 17 at most; after 20 none, and no new ones come."""
        desk = self.with_cards(desk_of)
        session = session_of(desk)
        for _ in range(3):
            self.rate(session)
        assert session_of(desk).counts == Counts(0, 0, 17)
        assert session_of(desk, topic="backward").counts == Counts(0, 0, 17)
        found = look(desk)
        assert (found.backlog.due, found.backlog.done) == (61, 3)
        assert found.plan is not None

    def test_undo_gives_the_count_back_and_brings_the_item(
        self, desk_of: DeskOf, session_of: SessionOf
    ) -> None:
        """Rate, look, undo, look: the figures are the same, also on a fresh session."""
        desk = self.with_cards(desk_of)
        before = (look(desk), session_of(desk).counts, overview(desk).today)
        session = session_of(desk)
        item = self.rate(session)
        assert look(desk).backlog.done == 1
        assert session.undo()
        assert isinstance(session.situation, CardPrompt)
        assert session.situation.item == item
        assert session.counts == Counts(0, 0, 20)
        assert (look(desk), session_of(desk).counts, overview(desk).today) == before

    def test_steps_are_never_held_back(
        self, desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
    ) -> None:
        """A forgotten card comes back after its step although the day's share is used up."""
        desk = self.with_cards(desk_of, per_day=1)
        session = session_of(desk)
        item = self.rate(session, Rating.AGAIN)
        assert session.counts == Counts(0, 1, 0)
        clock.forward(minutes=11)
        again = session_of(desk)
        assert isinstance(again.situation, CardPrompt)
        assert again.situation.item == item

    def test_a_topic_offers_no_new_items_meanwhile(self, desk_of: DeskOf) -> None:
        """One new item a day goes to the first deck; the second one offers to begin with one of its own."""
        desk = waiting_desk(desk_of, settings=Settings(new_per_day=1))
        assert topic_sheet(desk, "second").startable == 1
        begin(desk, 20)
        assert topic_sheet(desk, "second").startable == 0

    def test_what_is_held_back_comes_tomorrow(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """The end of a session does not say that nothing comes for weeks."""
        desk = self.with_cards(desk_of, per_day=1)
        session = session_of(desk)
        self.rate(session)
        assert isinstance(session.situation, Done)
        assert session.situation.next_day == TODAY + 1

    def with_cards(self, desk_of: DeskOf, per_day: int = 20) -> Desk:
        """Return a desk under a plan where four cards are forgotten most."""
        desk = waiting_desk(desk_of)
        put(desk.store, (memory(item, 1.0, TODAY - 50, TODAY - 9) for item in CARDS))
        begin(desk, per_day)
        return desk

    def rate(self, session: StudySession, rating: Rating = Rating.GOOD) -> str:
        """Answer the card on the screen and return its item."""
        prompt = session.situation
        assert isinstance(prompt, CardPrompt)
        session.reveal()
        assert session.answer(rating)
        return prompt.item


class TestEnd:
    """A plan ends by itself on the day on which what is due fits into it."""

    def answered(self, store: Store, items: list[str], day: int) -> None:
        """Make items due in a year, as if they had been reviewed well."""
        put(store, (memory(item, 400.0, day, day + 365) for item in items))

    def test_day_by_day_until_it_fits(
        self, desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
    ) -> None:
        """60 due, 25 a day: 60 and 35 hold, on the third morning 10 are left, and new items come again."""
        desk = waiting_desk(desk_of)
        begin(desk, 25)
        for left in (60, 35):
            assert look(desk).backlog.due == left
            asked = queue(session_of(desk))
            assert len(asked) == 25
            self.answered(desk.store, asked, clock().day)
            clock.forward(days=1)
        assert look(desk).caught_up
        assert session_of(desk).counts == Counts(NEW, 0, 10)
        assert desk.store.values.get(KEY)["over"] == TODAY + 2
        assert look(desk).caught_up
        clock.forward(days=1)
        assert not look(desk).caught_up

    def test_a_busier_day_does_not_bring_it_back(
        self, desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
    ) -> None:
        """Once a session has found that it is over, 60 reviews a day later are asked as ever."""
        desk = waiting_desk(desk_of)
        begin(desk, 25)
        self.answered(desk.store, list(ITEMS[:40]), TODAY)
        session_of(desk)
        put(desk.store, (memory(item, 5.0, TODAY, TODAY + 1) for item in ITEMS))
        clock.forward(days=1)
        assert session_of(desk).counts == Counts(NEW, 0, 60)
        assert look(desk).plan is None

    def test_answers_of_the_day_do_not_end_it(self, desk_of: DeskOf, session_of: SessionOf) -> None:
        """26 due, 25 a day, and one card answered: 25 are left today, and still only 24 more are asked."""
        desk = desk_of(*NAMES)
        put(desk.store, (memory(item, 50.0, TODAY - 50, TODAY - 9) for item in ITEMS[:25]))
        put(desk.store, [memory(CARDS[0], 1.0, TODAY - 50, TODAY - 9)])
        begin(desk, 25)
        session = session_of(desk)
        session.reveal()
        assert session.answer(Rating.GOOD)
        assert session_of(desk).counts == Counts(0, 0, 24)
        assert look(desk).plan is not None

    def test_it_ends_within_a_session_that_runs_into_the_next_day(
        self, desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
    ) -> None:
        """Two cards of four are left in its second morning, which fits: new ones come again."""
        desk = desk_of()
        put(desk.store, (memory(item, 1.0, TODAY - 50, TODAY - 9) for item in CARDS))
        begin(desk, 2)
        session = session_of(desk)
        assert sorted(queue(session)) == list(CARDS[:2])
        self.answered(desk.store, list(CARDS[2:]), TODAY)
        clock.forward(days=1)
        session.reveal()
        assert not session.answer(Rating.GOOD)  # the buttons are redrawn first
        assert session.counts == Counts(0, 0, 2)
        assert session.answer(Rating.GOOD)
        assert session.counts == Counts(1, 0, 1)

    def test_a_profile_that_cannot_be_written_is_reviewed_all_the_same(
        self, desk_of: DeskOf, session_of: SessionOf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """That a plan is over is noted later; a session begins without it."""
        from studynorm.storage.values import Values

        desk = waiting_desk(desk_of)
        begin(desk, 25)
        self.answered(desk.store, list(ITEMS[:40]), TODAY)

        def refuse(*_: object) -> bool:
            raise Busy("locked")

        monkeypatch.setattr(Values, "replace", refuse)
        assert session_of(desk).counts == Counts(NEW, 0, 20)
        assert desk.store.values.get(KEY)["over"] is None

    def test_zones_and_summer_time_change_nothing(self, desk_of: DeskOf) -> None:
        """A plan counts study days: in any zone the next one is the next, over the change of clocks too.

        60 are due, 25 a day: three days in the first morning, two in the second.
        """
        desk = waiting_desk(desk_of)
        for hours in (-11, 0, 14):
            put(desk.store, (memory(item, 100.0, TODAY - 50, TODAY - 9) for item in ITEMS))
            moments = [Moment(at(day).at - hours * 3_600_000, 60 * hours, day) for day in (TODAY, TODAY + 1)]
            first, later = (replace(desk, clock=partial(moments.__getitem__, n)) for n in (0, 1))
            begin(first, 25)
            days = look(first).days_left
            self.answered(desk.store, list(ITEMS[:25]), TODAY)
            assert (days, look(later).days_left) == (3, 2)


def test_a_session_that_waits_for_problems_counts_them(desk_of: DeskOf, session_of: SessionOf) -> None:
    """Families are held to the limit like cards."""
    desk = waiting_desk(desk_of)
    begin(desk, 20)
    session = session_of(desk)
    assert isinstance(session.situation, Pending | ProblemPrompt)
    assert len(session.wanted(50)) == 20


def test_an_early_clock_does_not_make_a_plan_last(desk_of: DeskOf, clock: FrozenClock) -> None:
    """With the clock set back two days fewer are due; the plan holds as long as they do not fit."""
    desk = waiting_desk(desk_of)
    begin(desk, 20)
    clock.utc -= timedelta(days=2)
    assert look(desk).plan is not None
    clock.utc -= timedelta(days=20)
    assert look(desk).plan is None
