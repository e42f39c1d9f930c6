"""Other weights in the middle of a life: the next answer goes on as if they had always held."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import fsrs
import pytest

from benchmarks.agreement import OTHER
from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import PUBLISHED, Scheduler
from studynorm.scheduling.settings import Settings
from studynorm.storage.store import Store
from studynorm.study.basis import basis_of
from studynorm.study.desk import Desk
from studynorm.study.doctor import examine
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt
from tests.conftest import FrozenClock

A, H, G, E = Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.EASY
ONE, TWO = "card:first/one", "card:first/two"


class Life:
    """One item, answered through sessions of the desk; remembers what was pressed on which day."""

    def __init__(self, desk: Desk, clock: FrozenClock, item: str = ONE) -> None:
        self.desk = desk
        self.clock = clock
        self.item = item
        self.answers: list[tuple[Rating, date]] = []

    def session(self) -> StudySession:
        """Open the item, whenever it is due."""
        session = self.desk.session(items=[self.item])
        assert isinstance(session.situation, CardPrompt)
        session.reveal()
        return session

    def answer(self, *ratings: Rating) -> Memory:
        """Answer on the due day each time."""
        for rating in ratings:
            memory = self.desk.store.memory(self.item)
            if memory is not None and memory.due_day is not None:
                self.clock.utc += timedelta(days=memory.due_day - memory.last_day)
            else:
                self.clock.forward(minutes=11)
            assert self.session().answer(rating)
            self.answers.append((rating, self.clock.utc.date()))
        after = self.desk.store.memory(self.item)
        assert after is not None
        return after

    def replayed(self, weights: Sequence[float]) -> tuple[float, float]:
        """Return stability and difficulty as py-fsrs has them over all answers with some weights."""
        library = fsrs.Scheduler(parameters=weights, enable_fuzzing=False)
        card = fsrs.Card(card_id=1, due=datetime(2026, 1, 1, tzinfo=UTC))
        for rating, day in self.answers:
            midnight = datetime.combine(day, datetime.min.time(), UTC)
            card, _ = library.review_card(card, fsrs.Rating(rating), midnight)
        assert card.stability is not None
        assert card.difficulty is not None
        return card.stability, card.difficulty


@pytest.fixture
def life(desk_of: Callable[..., Desk], clock: FrozenClock) -> Life:
    """A card that was answered seven times, with a lapse, under the published weights."""
    made = Life(desk_of(), clock)
    made.answer(G, G, G, H, A, G, G)
    return made


def numbers(memory: Memory) -> tuple[float, float]:
    """Return stability and difficulty."""
    return memory.stability, memory.difficulty


def dump(path: Path) -> list[str]:
    """Return a profile as SQL."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.mark.parametrize("rating", Rating)
def test_the_next_answer_goes_by_the_adopted_weights(life: Life, rating: Rating) -> None:
    """Its result is FSRS over all answers with the new weights, as if they had always held."""
    before = life.desk.store.memory(ONE)
    assert before is not None
    assert numbers(before) == pytest.approx(life.replayed(PUBLISHED), rel=1e-12)
    life.desk.store.ledger.adopt("FSRS-6", OTHER, {"reviews": 7})
    assert life.desk.store.memory(ONE) == before  # what was promised holds until then
    after = life.answer(rating)
    assert numbers(after) == pytest.approx(life.replayed(OTHER), rel=1e-12)
    assert numbers(after) != pytest.approx(life.replayed(PUBLISHED), rel=1e-3)
    life.answer(G, G)
    memory = life.desk.store.memory(ONE)
    assert memory is not None
    assert numbers(memory) == pytest.approx(life.replayed(OTHER), rel=1e-12)


def test_the_published_weights_can_be_had_again(life: Life) -> None:
    """To and fro, each answer by the weights of its time over all answers."""
    ledger = life.desk.store.ledger
    ledger.adopt("FSRS-6", OTHER)
    life.answer(G)
    ledger.use_published()
    assert numbers(life.answer(G)) == pytest.approx(life.replayed(PUBLISHED), rel=1e-12)
    ledger.adopt("FSRS-6", OTHER)
    assert numbers(life.answer(H)) == pytest.approx(life.replayed(OTHER), rel=1e-12)
    assert examine(life.desk).proved


def test_what_the_buttons_show_is_what_is_stored(life: Life) -> None:
    """Also for the first answer with other weights: the preview goes from the same memory."""
    from studynorm.scheduling.interval import interval_text

    life.desk.store.ledger.adopt("FSRS-6", OTHER)
    shown = life.session().situation
    assert isinstance(shown, CardPrompt)
    for rating in Rating:
        session = life.session()
        assert session.answer(rating)
        after = life.desk.store.memory(ONE)
        assert after is not None
        settings = life.desk.settings
        assert interval_text(after, life.clock(), settings.learn_ahead) == shown.intervals[rating]
        assert session.undo()


def test_undo_is_exact_over_the_change(life: Life) -> None:
    """The profile is as it was before the answer, to the last row, the memory of the old weights included."""
    life.desk.store.ledger.adopt("FSRS-6", OTHER)
    before = dump(life.desk.path)
    session = life.session()
    assert session.answer(G)
    assert dump(life.desk.path) != before
    assert session.undo()
    assert dump(life.desk.path) == before


def test_an_item_that_was_forgotten_begins_with_the_weights_of_then(life: Life) -> None:
    """Answers from before a forgetting count no more; given back, they do."""
    store = life.desk.store
    kept = list(life.answers)
    store.upkeep.forget([ONE], life.clock())
    store.ledger.adopt("FSRS-6", OTHER)
    life.answers.clear()
    assert numbers(life.answer(G, G, G)) == pytest.approx(life.replayed(OTHER), rel=1e-12)
    store.undo(life.clock().day)
    store.undo(life.clock().day)
    assert examine(life.desk).proved
    assert kept


def test_a_memory_given_back_counts_all_its_answers(life: Life) -> None:
    """Forgotten and given back before the weights changed: as if nothing had been."""
    store = life.desk.store
    store.upkeep.forget([ONE], life.clock())
    store.upkeep.remember([ONE], life.clock())
    store.ledger.adopt("FSRS-6", OTHER)
    assert numbers(life.answer(G)) == pytest.approx(life.replayed(OTHER), rel=1e-12)
    assert examine(life.desk).proved


def test_equal_weights_change_nothing(life: Life) -> None:
    """The published weights, adopted by hand, are the published weights: the stored memory is the basis."""
    store = life.desk.store
    store.ledger.adopt("FSRS-6", PUBLISHED)
    memory = store.memory(ONE)
    assert basis_of(store, life.desk.scheduler, memory) is memory
    assert basis_of(store, life.desk.scheduler, None) is None


def test_settings_that_change_are_kept_with_each_review(life: Life) -> None:
    """Retention, steps, maximum: each answer is proved by the settings of its time, whatever holds later."""
    desk = life.desk
    for settings in (
        Settings(desired_retention=0.75, learning_steps=(), relearning_steps=(30, 900)),
        Settings(maximum_interval=9),
        Settings(),
    ):
        desk.settings = settings
        life.answer(G, A, G, G)
    desk.settings = Settings(desired_retention=0.99, maximum_interval=1)
    report = examine(desk)
    assert report.findings == []
    assert report.reviews == 19
    with closing(sqlite3.connect(desk.path)) as connection:
        ((kept,),) = connection.execute("SELECT count(*) FROM rules").fetchall()
    assert kept == 3  # the first and the last are the same


def test_a_review_of_other_software_is_told_and_not_believed(desk_of: Callable[..., Desk]) -> None:
    """A result that no weights and rules of the profile lead to stands out, and what it led to with it."""
    desk = desk_of()
    review = Scheduler(weights=OTHER, fuzz=False).review(TWO, None, G, desk.clock())
    odd = replace(review, after=replace(review.after, stability=77.0))
    with Store.open(desk.path) as store:
        store.record(odd)
    (finding,) = examine(desk).findings
    assert (finding.item, finding.cause.value, finding.memory_follows) == (TWO, "unexplained", True)
