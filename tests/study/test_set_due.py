"""Setting a due day: what may be typed, which items it moves, and how it is taken back."""

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studynorm.scheduling.rating import Rating
from studynorm.storage.upkeep import EventKind
from studynorm.study.changes import NO_DUE_DAY, Changes
from studynorm.study.desk import Desk
from studynorm.study.duedate import FARTHEST, NotADueDay, day_words, due_day
from studynorm.study.items import ItemRow, item_rows
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done
from tests.conftest import FrozenClock
from tests.known import in_review, in_steps

DeskOf = Callable[..., Desk]
SessionOf = Callable[..., StudySession]
ONE, TWO, RED = "card:first/one", "card:first/two", "card:second/red"
MONDAY = date(2026, 3, 2).toordinal()
"""Monday, 2 March 2026, the day of the frozen clock."""


def rows(desk: Desk, *items: str) -> list[ItemRow]:
    """Return the rows of some items."""
    return list(item_rows(desk, set(items)))


def due_of(desk: Desk, item: str) -> int | None:
    """Return the due day of an item, in study days from today."""
    memory = desk.store.memory(item)
    assert memory is not None
    return None if memory.due_day is None else memory.due_day - desk.clock().day


def reach(session: StudySession, item: str) -> None:
    """Bury what comes before an item, which is asked today."""
    while not isinstance(session.situation, Done) and session.situation.item != item:
        session.bury()
    assert not isinstance(session.situation, Done)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("0", date(2026, 3, 2)),
        ("5", date(2026, 3, 7)),
        ("+5", date(2026, 3, 7)),
        (" today ", date(2026, 3, 2)),
        ("Tomorrow", date(2026, 3, 3)),
        ("tue", date(2026, 3, 3)),
        ("friday", date(2026, 3, 6)),
        ("Su", date(2026, 3, 8)),
        ("monday", date(2026, 3, 9)),  # today is one
        ("2026-03-02", date(2026, 3, 2)),
        ("2026-4-1", date(2026, 4, 1)),
        ("2028-02-29", date(2028, 2, 29)),
        ("36500", date(2126, 2, 6)),
    ],
)
def test_a_day_is_read_as_it_is_written(text: str, day: date) -> None:
    """Days from today, words, weekdays and dates, by the calendar of 2026."""
    assert due_day(text, MONDAY) == day.toordinal()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("-1", "that day is over"),
        ("2026-03-01", "that day is over"),
        ("0001-01-01", "that day is over"),
        ("36501", "at most 36500 days"),
        ("9" * 500, "at most 36500 days"),
        ("-" + "9" * 500, "that day is over"),
        ("9999-12-31", "at most 36500 days"),
        ("2026-02-30", "there is no day 2026-02-30"),
        ("2026-13-01", "there is no day"),
        ("", "a day is 0 for today"),
        ("t", "a day is 0 for today"),  # today, tomorrow, tuesday or thursday
        ("s", "a day is 0 for today"),
        ("5 days", "a day is 0 for today"),
        ("1.5", "a day is 0 for today"),
        ("٥", "a day is 0 for today"),
        ("\x1b[31m5", "a day is 0 for today"),
    ],
)
def test_what_names_no_day_is_refused_with_the_way_out(text: str, told: str) -> None:
    """Days before today, too far off, days that no calendar has, and words that mean nothing."""
    with pytest.raises(NotADueDay, match=told):
        due_day(text, MONDAY)


@given(st.text(max_size=30) | st.from_regex(r"[0-9+-]{1,12}"), st.integers(700_000, 760_000))
def test_whatever_is_typed_is_a_day_from_today_on_or_refused(text: str, today: int) -> None:
    """No other exception, and no day outside what can be set."""
    try:
        day, lines = due_day(text, today), 1
    except NotADueDay as refused:
        day, lines = today, len(str(refused).splitlines())
    assert lines == 1
    assert today <= day <= today + FARTHEST


def test_a_day_is_said_in_words() -> None:
    """Near days by their name, later ones with their date, next year's with the year."""
    said = [day_words(MONDAY + days, MONDAY) for days in (0, 1, 4, 40, 400)]
    assert said == [
        "today",
        "tomorrow, 3 March",
        "on Friday, 6 March, in 4 days",
        "on Saturday, 11 April, in 40 days",
        "on Tuesday, 6 April 2027, in 400 days",
    ]


def test_items_in_review_move_and_keep_what_is_remembered(desk_of: DeskOf) -> None:
    """Stability, difficulty and the last answer stay; the event names the day."""
    desk = desk_of()
    before = in_review(desk, ONE, days_ago=10, due_in=20)
    assert Changes(desk).set_due(rows(desk, ONE), MONDAY + 4) == (
        "What is one?: due on Friday, 6 March, in 4 days; u takes it back."
    )
    after = desk.store.memory(ONE)
    assert after is not None
    assert after.due_day == MONDAY + 4
    assert (after.stability, after.difficulty, after.last_day) == (30.0, 5.0, before.last_day)
    (event,) = desk.store.upkeep.events(ONE)
    assert (event.kind, event.due_day, event.before) == (EventKind.SET_DUE, MONDAY + 4, before)


def test_new_items_and_steps_stay_and_are_told(desk_of: DeskOf) -> None:
    """Of three rows one moves; without any that could, only the reason is said."""
    desk = desk_of()
    in_review(desk, ONE, days_ago=10, due_in=20)
    step = in_steps(desk, TWO, due_in_ms=60_000)
    changes = Changes(desk)
    told = changes.set_due(rows(desk, ONE, TWO, RED), MONDAY)
    assert told == f"1 of 3 items: due today; u takes it back. {NO_DUE_DAY}"
    assert changes.set_due(rows(desk, TWO, RED), MONDAY) == NO_DUE_DAY
    assert desk.store.memory(TWO) == step
    assert desk.store.memory(RED) is None
    assert changes.set_due(rows(desk, ONE), MONDAY) == "What is one?: due today already."
    assert len(desk.store.upkeep.events(ONE)) == 1


def test_a_day_before_today_becomes_today(desk_of: DeskOf) -> None:
    """The field may have been opened before the study day turned."""
    desk = desk_of()
    in_review(desk, ONE, days_ago=10, due_in=20)
    assert "due today" in Changes(desk).set_due(rows(desk, ONE), MONDAY - 1)
    assert due_of(desk, ONE) == 0


def test_the_last_change_is_taken_back_and_no_other(desk_of: DeskOf) -> None:
    """Forgotten, then set due: `u` gives the due day back first, whatever rows are marked now."""
    desk = desk_of()
    one, two = in_review(desk, ONE, due_in=3), in_review(desk, TWO, due_in=4)
    changes = Changes(desk)
    changes.forget(rows(desk, ONE))
    changes.set_due(rows(desk, TWO), MONDAY + 9)
    assert changes.take_back(rows(desk, RED)) == "What is two?: due day given back."
    assert desk.store.memory(TWO) == two
    assert desk.store.memory(ONE) is None
    assert changes.take_back(rows(desk, ONE)) == "What is one?: remembered again."
    assert desk.store.memory(ONE) == one
    assert changes.take_back(rows(desk, ONE, TWO)) == "There is nothing to take back here."


def test_a_due_day_is_given_back_in_another_sitting(desk_of: DeskOf) -> None:
    """What was set before a restart is taken back for the rows that are meant, once."""
    desk = desk_of()
    before = in_review(desk, ONE, due_in=3)
    Changes(desk).set_due(rows(desk, ONE), MONDAY + 9)
    assert Changes(desk).take_back(rows(desk, ONE)) == "What is one?: due day given back."
    assert desk.store.memory(ONE) == before
    assert Changes(desk).take_back(rows(desk, ONE)) == "There is nothing to take back here."
    kinds = [event.kind for event in desk.store.upkeep.events(ONE)]
    assert kinds == [EventKind.SET_DUE, EventKind.UNSET_DUE]


def test_an_answer_since_keeps_what_it_led_to(desk_of: DeskOf, session_of: SessionOf) -> None:
    """Set to today, asked, rated: the due day of that answer is not taken away by a late `u`."""
    desk = desk_of()
    in_review(desk, ONE, days_ago=10, due_in=20)
    changes = Changes(desk)
    changes.set_due(rows(desk, ONE), MONDAY)
    session = session_of(desk)
    reach(session, ONE)
    session.reveal()
    assert session.answer(Rating.GOOD)
    after = desk.store.memory(ONE)
    assert changes.take_back(rows(desk, ONE)) == "There is nothing to take back here."
    assert desk.store.memory(ONE) == after


def test_an_item_comes_on_the_day_that_was_set(
    desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
) -> None:
    """Not before, and then with the days that passed since its last answer, 14, not with those planned."""
    desk = desk_of()
    in_review(desk, ONE, days_ago=10, due_in=0)
    Changes(desk).set_due(rows(desk, ONE), MONDAY + 4)
    session = session_of(desk)
    while isinstance(session.situation, CardPrompt):
        assert session.situation.item != ONE
        session.bury()
    clock.forward(days=4)
    session = session_of(desk)
    reach(session, ONE)
    session.reveal()
    assert session.answer(Rating.GOOD)
    memory = desk.store.memory(ONE)
    assert memory is not None
    assert memory.stability == pytest.approx(60.5157, abs=5e-5)  # by hand from the formulas of FSRS-6
