"""What is stored against independent programs: py-fsrs by study days, and a real Anki collection."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random

import fsrs
import pytest

from benchmarks.agreement import OTHER, anki_states, compare, random_log
from studynorm.exchange.csvlog import COLUMNS, card_number
from studynorm.scheduling.memory import Memory, State
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import PUBLISHED, Scheduler
from studynorm.scheduling.settings import SettingError, Settings
from studynorm.scheduling.studyday import Moment
from studynorm.study.desk import Desk
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt
from tests.conftest import FrozenClock

A, H, G, E = Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.EASY


@pytest.fixture(autouse=True)
def zone_of_anki(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Anki counts the days of its log in the zone of the machine."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("weights", "seed"), [(PUBLISHED, 3), (OTHER, 4)], ids=["published", "other"])
def test_random_histories_agree_with_two_programs(
    tmp_path: Path, weights: Sequence[float], seed: int
) -> None:
    """500 histories with lapses, steps, early, late and same-day reviews; stored, exported and compared.

    10 000 are compared by `python -m benchmarks.agreement`. Anki computes with 32 bits.
    """
    found = compare(tmp_path, 500, seed=seed, weights=weights)
    assert found.reviews > 3500
    assert found.lapses > 200
    assert found.same_day > 700
    assert found.fsrs.compared > 0.99 * found.reviews
    assert found.anki.compared > 0.99 * found.histories
    assert found.fsrs.stability < 1e-12
    assert found.fsrs.difficulty < 1e-12
    assert found.anki.stability < 1e-4
    assert found.anki.difficulty < 1e-4


def test_anki_sees_one_other_rating(tmp_path: Path) -> None:
    """The comparison is no formality: a Hard instead of a Good is a difference of some per cent."""
    exported = tmp_path / "revlog.csv"
    states = []
    for rating in (2, 3):
        row = [
            "7",
            "{at}",
            str(rating),
            "{state}",
            "0",
            "card:a/b",
            "2020-01-01",
            "0",
            "1.0",
            "5.0",
            "2020-01-01",
        ]
        lines = [",".join(COLUMNS)]
        for at, state, given in ((1_577_880_000_000, 0, 3), (1_578_139_200_000, 2, rating)):
            row[1:4] = str(at), str(given), str(state)
            lines.append(",".join(row))
        exported.write_text("\n".join(lines) + "\n", encoding="utf-8")
        states.append(anki_states(tmp_path / "collection.anki2", exported, PUBLISHED)[7])
    (hard, _), (good, _) = states
    assert good > 1.05 * hard


def test_the_number_of_an_item_is_its_card_in_anki() -> None:
    """Any id of an item is a card id that Anki and SQLite take: positive, below 2⁵³."""
    assert 0 < card_number("card:batchnorm/forward-pass") < 2**53


def midnight(day: int) -> datetime:
    """Return the UTC midnight of a study day."""
    return datetime.combine(date.fromordinal(day), datetime.min.time(), UTC)


def by_library(weights: Sequence[float], answers: Sequence[tuple[Rating, int]]) -> tuple[float, float]:
    """Return stability and difficulty as py-fsrs has them after ratings on study days."""
    library = fsrs.Scheduler(parameters=weights, enable_fuzzing=False)
    card = fsrs.Card(card_id=1, due=midnight(1))
    for rating, day in answers:
        card, _ = library.review_card(card, fsrs.Rating(rating), midnight(day))
    assert card.stability is not None
    assert card.difficulty is not None
    return card.stability, card.difficulty


def some_answers(seed: int) -> list[tuple[Rating, int]]:
    """Return the answers of a random history."""
    return [(one.rating, one.moment.day) for one in random_log(1, Scheduler(), Random(seed))]


@pytest.mark.parametrize("seed", range(20))
def test_a_trace_is_fsrs_over_all_answers(seed: int) -> None:
    """Whatever steps, retention and fuzz are: only ratings, study days and weights count."""
    answers = some_answers(seed)
    settings = Settings(desired_retention=0.75, learning_steps=(5,), relearning_steps=(), maximum_interval=9)
    for weights in (PUBLISHED, OTHER):
        wanted = by_library(weights, answers)
        assert Scheduler(weights=weights).trace(answers) == pytest.approx(wanted, rel=1e-12)
        assert Scheduler(settings, weights, fuzz=False).trace(answers) == pytest.approx(wanted, rel=1e-12)


def test_a_trace_takes_a_day_before_the_last_for_the_last() -> None:
    """As a review does after the clock was set back."""
    assert Scheduler().trace([(G, 738_010), (G, 738_003)]) == Scheduler().trace([(G, 738_010), (G, 738_010)])


def test_a_memory_with_other_weights_keeps_state_step_and_due() -> None:
    """What was promised on a button holds; stability and difficulty are those of the other weights."""
    for seed in range(8):
        reviews = list(random_log(1, Scheduler(), Random(seed)))
        answers = [(one.rating, one.moment.day) for one in reviews]
        memory = reviews[-1].after
        other = Scheduler(weights=OTHER).retraced(memory, answers)
        assert (other.stability, other.difficulty) == pytest.approx(by_library(OTHER, answers), rel=1e-12)
        assert replace(other, stability=memory.stability, difficulty=memory.difficulty) == memory
        assert Scheduler().retraced(memory, answers) == memory


@pytest.mark.parametrize(
    "scheduler",
    [
        Scheduler(),
        Scheduler(fuzz=False),
        Scheduler(Settings(desired_retention=0.8, learning_steps=(), relearning_steps=(60, 90))),
        Scheduler(Settings(maximum_interval=12, new_per_day=3, day_starts_at=0)),
    ],
    ids=["defaults", "no fuzz", "steps", "maximum"],
)
def test_rules_kept_as_json_make_the_same_scheduler(scheduler: Scheduler) -> None:
    """Every outcome is the same, for an item in any state."""
    kept = json.loads(json.dumps(scheduler.rules))
    again = Scheduler.following(kept, scheduler.weights)
    assert again.rules == scheduler.rules
    memory: Memory | None = None
    day = 738_000
    for rating in (H, G, E, A, G, G):
        moment = Moment(day * 1000, 0, day)
        outcomes = scheduler.outcomes("card:a/b", memory, moment)
        assert again.outcomes("card:a/b", memory, moment) == outcomes
        memory = outcomes[rating]
        day = max(day + 1, memory.due_day or 0)


def test_no_rules_stand_for_the_defaults() -> None:
    """Reviews from before rules were kept followed them."""
    assert Scheduler.following(None).rules == Scheduler().rules
    assert Scheduler.following(None).weights == PUBLISHED
    assert Scheduler.following(None, OTHER).weights == OTHER


@pytest.mark.parametrize(
    "change", [{"desired_retention": 1.5}, {"maximum_interval": 0}, {"learning_steps": [0]}], ids=str
)
def test_rules_that_cannot_be_followed_are_refused(change: dict[str, object]) -> None:
    """A damaged row names what is wrong."""
    (field,) = change
    with pytest.raises(SettingError, match=field):
        Scheduler.following({**Scheduler().rules, **change})


LADDER = (
    ("60 s", "330 s", "600 s", "8 d"),
    ("60 s", "600 s", "2 d", "4 d"),
    ("600 s", "8 d", "11 d", "19 d"),
    ("600 s", "32 d", "46 d", "77 d"),
)
"""Again, Hard, Good and Easy of a new card and after each Good: measured on py-fsrs with its defaults."""


def test_the_default_ladder_as_it_is_stored(desk_of: Callable[..., Desk], clock: FrozenClock) -> None:
    """Without fuzz, each button of each rung through a session and into the profile, and taken back again."""
    desk = desk_of()
    scheduler = Scheduler(fuzz=False)

    def session() -> StudySession:
        made = StudySession(
            desk.store,
            desk.catalogue,
            scheduler,
            desk.settings,
            clock,
            ticks=clock.tick,
            items=["card:first/one"],
        )
        assert isinstance(made.situation, CardPrompt)
        assert made.situation.item == "card:first/one"
        made.reveal()
        return made

    for rung in LADDER:
        for rating, wanted in zip(Rating, rung, strict=True):
            asked = session()
            assert asked.answer(rating)
            after = desk.store.memory("card:first/one")
            assert after is not None
            if after.due_day is not None:
                assert after.state is State.REVIEW
                assert f"{after.due_day - after.last_day} d" == wanted
            else:
                assert after.due_at is not None
                assert f"{(after.due_at - after.last_at) // 1000} s" == wanted
            assert asked.undo()
        assert session().answer(G)
        after = desk.store.memory("card:first/one")
        assert after is not None
        if after.due_day is None:
            clock.forward(minutes=10)
        else:
            clock.forward(days=after.due_day - after.last_day)
