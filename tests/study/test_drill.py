"""A drill: which problems come at which level, what it stores, and that it leaves the schedule alone."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from studynorm.engine.attempt import Attempt
from studynorm.engine.proof import typed_as
from studynorm.engine.variant import Variant
from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import Busy
from studynorm.study.course import DrillDone
from studynorm.study.desk import Desk
from studynorm.study.drill import DrillSession, shuffled, weak_families
from studynorm.study.offers import Offer, offers
from studynorm.study.situation import CardPrompt, Key, Pending, ProblemPrompt
from tests.conftest import FrozenClock

DeskOf = Callable[..., Desk]
Draw = Callable[[Key], Variant]

ENTRY = "batchnorm.entry"
DOUBLING = "stream_scale.doubling"
RECALL = "concepts.recall"


@pytest.fixture
def desk(desk_of: DeskOf) -> Desk:
    """A desk with two families."""
    return desk_of(ENTRY, DOUBLING)


@pytest.fixture
def drill(desk: Desk, clock: FrozenClock, verified: Draw) -> Callable[..., "Driver"]:
    """Begin a drill whose variants are drawn as it asks for them."""

    def begin(*families: str, seed: int = 7, **narrowed: object) -> Driver:
        session = DrillSession(
            desk.store,
            families or (ENTRY,),
            clock,
            seed=seed,
            ticks=clock.tick,
            **narrowed,  # type: ignore[arg-type]
        )
        return Driver(session, verified)

    return begin


class Driver:
    """Answers the problems of a drill."""

    def __init__(self, session: DrillSession, draw: Draw) -> None:
        self.session = session
        self.draw = draw
        self.serve()

    def serve(self) -> None:
        """Hand over what the drill waits for."""
        while isinstance(self.session.situation, Pending):
            key = self.session.situation.key
            self.session.provide(key, self.draw(key))

    @property
    def prompt(self) -> ProblemPrompt:
        """The problem on the screen."""
        assert isinstance(self.session.situation, ProblemPrompt)
        return self.session.situation

    def right(self) -> ProblemPrompt:
        """Answer right at once and go on; return the problem as it was asked."""
        asked = self.prompt
        self.session.submit(typed_as(asked.variant, asked.variant.answer, 8))
        return self.on(asked)

    def words(self) -> ProblemPrompt:
        """Answer in words and go on."""
        asked = self.prompt
        self.session.submit("as far as I remember")
        return self.on(asked)

    def wrong(self) -> ProblemPrompt:
        """Answer wrong once and go on."""
        asked = self.prompt
        self.session.submit("123456")
        return self.on(asked)

    def on(self, asked: ProblemPrompt) -> ProblemPrompt:
        """Go on to the next problem."""
        assert self.session.next()
        self.serve()
        return asked


Begin = Callable[..., Driver]


class TestOrder:
    """Which problems come."""

    def test_families_take_turns(self, drill: Begin) -> None:
        """Two families alternate in the order given."""
        driver = drill(DOUBLING, ENTRY)
        assert [driver.right().variant.family for _ in range(4)] == [DOUBLING, ENTRY, DOUBLING, ENTRY]

    def test_the_same_seed_and_answers_give_the_same_problems(self, drill: Begin) -> None:
        """Prompts repeat exactly; another seed has others."""
        runs = []
        for seed in (7, 7, 8):
            driver = drill(ENTRY, DOUBLING, seed=seed)
            runs.append([driver.right().variant.prompt for _ in range(4)])
        assert runs[0] == runs[1] != runs[2]

    def test_fetching_ahead_changes_nothing(self, drill: Begin) -> None:
        """A front end that provides everything it is asked for sees the problems that one at a time gives."""
        plain, ahead = drill(ENTRY, DOUBLING), drill(ENTRY, DOUBLING)
        for answer in ("right", "wrong", "right", "right"):
            for key in ahead.session.wanted():
                ahead.session.provide(key, ahead.draw(key))
            assert ahead.prompt.variant.prompt == plain.prompt.variant.prompt
            getattr(plain, answer)()
            getattr(ahead, answer)()

    def test_two_right_in_a_row_make_it_harder_and_a_miss_easier(self, drill: Begin) -> None:
        """Levels 1 1, 2 2, 3 and stays at 3; after a wrong answer 2, and again 1."""
        driver = drill(ENTRY)
        levels = [driver.right().variant.level for _ in range(6)]
        levels += [driver.wrong().variant.level for _ in range(3)]
        assert levels == [1, 1, 2, 2, 3, 3, 3, 2, 1]

    def test_a_right_answer_after_a_hint_does_not_count_towards_harder(self, drill: Begin) -> None:
        """The run begins anew, and the level stays."""
        driver = drill(ENTRY)
        driver.right()
        assert driver.session.hint() is not None
        driver.right()
        assert [driver.right().variant.level for _ in range(3)] == [1, 1, 2]

    def test_with_words_the_levels_take_turns(self, drill: Begin) -> None:
        """They tell nothing about the level, so all of the family's three come, unless one was given."""
        driver = drill(RECALL)
        assert [driver.words().variant.level for _ in range(5)] == [1, 2, 3, 1, 2]
        driver = drill(RECALL, level=2)
        assert [driver.words().variant.level for _ in range(3)] == [2, 2, 2]

    def test_a_given_level_stays(self, drill: Begin) -> None:
        """Neither right nor wrong answers move it."""
        driver = drill(ENTRY, level=2)
        assert {driver.right().variant.level for _ in range(3)} | {driver.wrong().variant.level} == {2}

    def test_no_statement_comes_again_within_the_next_five(self, drill: Begin, verified: Draw) -> None:
        """With an engine that knows three statements, of which two are barred, they come round in turn."""
        first = [replace(verified(Key(DOUBLING, 1, seed)), distinct=3) for seed in range(40)]
        three = list({variant.prompt: variant for variant in first}.values())[:3]
        assert len(three) == 3
        driver = drill(DOUBLING, level=1, count=12)
        driver.draw = lambda key: replace(three[key.seed % 3], level=1)
        driver.serve()
        driver.right()  # drawn before the engine knew only three
        seen = [driver.right().variant.prompt for _ in range(8)]
        assert all(seen[at] not in seen[max(0, at - 2) : at] for at in range(len(seen)))

    def test_the_order_of_all_families_hangs_on_the_seed_alone(self) -> None:
        """Every family is there once."""
        families = [f"family{n}" for n in range(20)]
        assert shuffled(families, 3) == shuffled(families, 3) != shuffled(families, 4)
        assert sorted(shuffled(families, 3)) == sorted(families)

    def test_a_family_that_cannot_be_drawn_is_left_out(self, drill: Begin) -> None:
        """After some seeds the others go on, and the notice says why."""
        driver = drill(ENTRY, DOUBLING)
        driver.right()
        while isinstance(driver.session.situation, ProblemPrompt):
            driver.session.reveal()
            driver.session.next()
            while isinstance(driver.session.situation, Pending):
                key = driver.session.situation.key
                if key.family == ENTRY:
                    driver.session.refuse(key, "it broke")
                else:
                    driver.session.provide(key, driver.draw(key))
            if driver.session.notice:
                break
        assert driver.session.notice == f"{ENTRY} is left out: it broke"
        assert {driver.right().variant.family for _ in range(2)} == {DOUBLING}

    def test_with_no_family_left_the_drill_is_over(self, drill: Begin) -> None:
        """Nothing is waited for."""
        session = DrillSession(drill().session._store, (), FrozenClock(), seed=0)
        assert session.situation == DrillDone((), 0)
        assert session.wanted() == ()


class TestBooks:
    """What is kept and counted."""

    def test_every_graded_answer_is_stored_at_once(self, drill: Begin, desk: Desk) -> None:
        """A wrong and a right answer are two attempts of kind drill; what cannot be read leaves none."""
        driver = drill(ENTRY)
        for text in ("1..2", "123456", typed_as(driver.prompt.variant, driver.prompt.variant.answer, 8)):
            driver.session.submit(text)
        kept = desk.store.attempts(9)
        assert [(one.kind, one.attempt.verdict) for one in kept] == [("drill", "correct"), ("drill", "wrong")]
        assert kept[1].attempt.typed == "123456"

    def test_memories_and_reviews_are_left_alone(self, drill: Begin, desk: Desk) -> None:
        """Neither is there after a drill, and the review of the family does not see the drill's attempts."""
        driver = drill(ENTRY)
        driver.right()
        driver.wrong()
        assert desk.store.known_items() == frozenset()
        assert desk.store.day_summary(desk.clock().day).answers == 0
        assert desk.store.recent_attempts(f"family:{ENTRY}", 9) == ()

    def test_an_answer_that_cannot_be_stored_can_be_given_again(
        self, drill: Begin, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The StoreError comes through and the problem is as open as before."""
        driver = drill(ENTRY)
        before = driver.prompt

        def busy(*_: object) -> int:
            raise Busy("another program is writing")

        with monkeypatch.context() as patched:
            patched.setattr(type(desk.store), "record_drill", busy)
            with pytest.raises(Busy):
                driver.session.submit("123456")
        assert driver.session.situation is before

    def test_the_sums_by_family_say_what_was_done(self, drill: Begin, clock: FrozenClock) -> None:
        """Three problems of 10 s: right, wrong, looked up; the run of one is the best."""
        driver = drill(ENTRY, DOUBLING, count=3)
        clock.forward(seconds=10)
        driver.right()
        clock.forward(seconds=10)
        driver.wrong()
        clock.forward(seconds=10)
        driver.session.reveal()
        driver.session.next()
        done = driver.session.situation
        assert isinstance(done, DrillDone)
        assert (done.asked, done.right, done.best_streak, done.seconds) == (3, 1, 1, 30)
        rows = [(one.family, one.asked, one.right, one.wrong, one.seconds) for one in done.results]
        assert rows == [(ENTRY, 2, 1, 1, 20), (DOUBLING, 1, 0, 1, 10)]

    def test_the_streak_counts_right_answers_in_a_row(self, drill: Begin) -> None:
        """It grows by one each and falls to 0 at a wrong one."""
        driver = drill(ENTRY)
        streaks = []
        for answer in (driver.right, driver.right, driver.wrong, driver.right):
            answer()
            streaks.append(driver.session.streak)
        assert streaks == [1, 2, 0, 1]

    def test_words_are_neither_right_nor_wrong(self, drill: Begin, desk: Desk) -> None:
        """A streak of two goes on beyond them; they are stored, counted apart and offer nothing."""
        driver = drill(ENTRY, RECALL, count=5)
        driver.right()
        driver.session.submit("as far as I remember")
        assert driver.session.offers == ()
        driver.session.reveal()
        driver.on(driver.prompt)
        driver.right()
        assert driver.session.streak == 2
        driver.words()
        assert driver.session.streak == 2
        driver.right()
        done = driver.session.situation
        assert isinstance(done, DrillDone)
        assert (done.asked, done.right, done.unjudged, done.best_streak) == (5, 3, 2, 3)
        rows = [(one.family, one.asked, one.right, one.wrong, one.unjudged) for one in done.results]
        assert rows == [(ENTRY, 3, 3, 0, 0), (RECALL, 2, 0, 0, 2)]
        assert [one.attempt.verdict for one in desk.store.attempts(9)].count("unjudged") == 2

    def test_a_model_answer_that_is_looked_up_is_wrong(self, drill: Begin) -> None:
        """Without any words the streak is over."""
        driver = drill(ENTRY, RECALL, count=2)
        driver.right()
        driver.session.reveal()
        driver.session.next()
        done = driver.session.situation
        assert isinstance(done, DrillDone)
        assert (done.results[1].wrong, done.unjudged, driver.session.streak) == (1, 0, 0)

    def test_an_unanswered_problem_is_not_left_and_not_counted(self, drill: Begin) -> None:
        """`next` waits for an answer; stopping counts nothing."""
        driver = drill(ENTRY)
        assert not driver.session.next()
        assert driver.session.stop().asked == 0

    def test_one_variant_can_be_asked_alone(self, drill: Begin, verified: Draw) -> None:
        """It is the variant of that key, and then the drill is over."""
        key = Key(ENTRY, 2, 99)
        driver = drill(only=key)
        assert driver.prompt.variant.prompt == verified(key).prompt
        driver.right()
        assert isinstance(driver.session.situation, DrillDone)


class TestOffers:
    """What a wrong answer offers."""

    def test_cards_come_first_then_the_next_lower_level_then_what_it_builds_on(self, verified: Draw) -> None:
        """A level is offered only where the family has it."""
        variant = replace(
            verified(Key(ENTRY, 3, 1)),
            see=("card:a/b", "demo:c"),
            levels=(1, 3),
            requires=("residual.paths",),
        )
        found = [(one.kind, one.id, one.level) for one in offers(variant)]
        assert found == [
            ("card", "card:a/b", None),
            ("twin", f"family:{ENTRY}", 1),
            ("basis", "family:residual.paths", 1),
        ]
        assert [one.kind for one in offers(replace(variant, level=1))] == ["card", "basis"]

    def test_a_twin_that_is_taken_comes_next(self, drill: Begin) -> None:
        """It comes before the next family, one level lower; before a wrong answer nothing is offered."""
        driver = drill(ENTRY, DOUBLING, level=2)
        assert driver.session.offers == ()
        driver.session.submit("123456")
        found: tuple[Offer, ...] = driver.session.offers
        (twin,) = (one for one in found if one.kind == "twin")
        assert driver.session.take(twin)
        driver.on(driver.prompt)
        assert (driver.prompt.variant.family, driver.prompt.variant.level) == (ENTRY, 1)

    def test_a_card_is_read_and_not_asked(self, drill: Begin) -> None:
        """Taking it puts nothing into the queue."""
        driver = drill(ENTRY)
        driver.session.submit("123456")
        card = next(one for one in driver.session.offers if one.kind == "card")
        assert not driver.session.take(card)


def test_weak_families_are_those_with_misconceptions_of_the_last_30_days(
    desk: Desk, clock: FrozenClock
) -> None:
    """The most frequent first, then the most recent; older ones and plain errors do not count."""
    now = clock().at
    day = 86_400_000

    def made(family: str, days_ago: float, slip: str | None) -> None:
        at = now - int(days_ago * day)
        desk.store.record_drill(
            Attempt(f"family:{family}", family, 1, 1, 0, "", "{}", "0", "[]", "", "wrong", slip, 0, False, at)
        )

    for days in (5, 6, 7):
        made("often", days, "a")
    made("early", 20, "a")
    made("late", 1, "b")
    for _ in range(4):
        made("old", 31, "a")
        made("plain_error", 1, None)
    everything = ("old", "plain_error", "early", "late", "often")
    assert weak_families(desk.store, clock(), everything) == ("often", "late", "early")
    assert weak_families(desk.store, clock(), ("early",)) == ("early",)


def test_a_review_and_a_drill_do_not_disturb_each_other(drill: Begin, desk: Desk) -> None:
    """Undo takes back the review and leaves the drill's attempt."""
    session = desk.session()
    assert isinstance(session.situation, CardPrompt)
    session.reveal()
    session.answer(Rating.GOOD)
    drill(ENTRY).wrong()
    assert session.undo()
    assert [one.kind for one in desk.store.attempts(9)] == ["drill"]
