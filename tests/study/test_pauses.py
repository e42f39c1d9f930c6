"""Suspending and burying in a session, and going on with decks that were edited meanwhile."""

from collections.abc import Callable
from pathlib import Path

from studynorm.content.library import load_library
from studynorm.scheduling.rating import Rating
from studynorm.storage.upkeep import EventKind
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk
from studynorm.study.overview import overview
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done
from tests.conftest import FrozenClock

DeskOf = Callable[..., Desk]
SessionOf = Callable[..., StudySession]
SAMPLE = Path(__file__).parent.parent / "sample"


def opened(session: StudySession) -> CardPrompt:
    """Return the card on the screen."""
    assert isinstance(session.situation, CardPrompt)
    return session.situation


def all_items(session: StudySession) -> list[str]:
    """Answer everything Easy and return what was asked."""
    seen = []
    while not isinstance(session.situation, Done):
        seen.append(opened(session).item)
        session.reveal()
        assert session.answer(Rating.EASY)
    return seen


def test_a_suspended_card_is_not_asked_again_until_it_is_resumed(
    desk_of: DeskOf, session_of: SessionOf
) -> None:
    """Suspending opens the next card, logs no review, and counts on the first screen too."""
    desk = desk_of()
    session = session_of(desk)
    item = opened(session).item
    before = session.counts.total
    assert session.suspend()
    assert opened(session).item != item
    assert session.counts.total == before - 1
    assert overview(desk).today.total == before - 1
    assert item not in all_items(session)
    assert item not in all_items(session_of(desk))
    assert desk.store.memory(item) is None
    desk.store.upkeep.resume([item], desk.clock())
    assert item in all_items(session_of(desk))


def test_a_buried_card_comes_back_on_the_next_study_day(
    desk_of: DeskOf, session_of: SessionOf, clock: FrozenClock
) -> None:
    """Burying holds for the day, in this session and in the next one."""
    desk = desk_of()
    session = session_of(desk)
    item = opened(session).item
    assert session.bury()
    assert item not in all_items(session)
    assert isinstance(session_of(desk).situation, Done)
    clock.forward(days=1)
    assert opened(session_of(desk)).item == item


def test_nothing_is_paused_once_the_session_is_done(desk_of: DeskOf, session_of: SessionOf) -> None:
    """At the end there is no open item to suspend or bury."""
    session = session_of(desk_of())
    all_items(session)
    assert not session.suspend()
    assert not session.bury()


def test_an_edited_card_is_shown_in_its_new_words_and_keeps_its_history(
    desk_of: DeskOf, session_of: SessionOf, tmp_path: Path, clock: FrozenClock
) -> None:
    """The same item stays on the screen, revealed or not; the edit is logged at its next review."""
    desk = desk_of()
    session = session_of(desk)
    item = opened(session).item
    session.reveal()
    assert session.answer(Rating.EASY)
    clock.forward(days=20)
    session = session_of(desk)
    while opened(session).item != item:
        session.bury()
    session.reveal()
    for name in ("first.md", "second.md"):
        text = (SAMPLE / name).read_text("utf-8").replace(opened(session).card.back, "Other words.")
        (tmp_path / name).write_text(text, "utf-8")
    desk.catalogue = build_catalogue(load_library(tmp_path, None), ())
    session.reload(desk.catalogue)
    assert opened(session).item == item
    assert opened(session).revealed
    assert opened(session).card.back == "Other words."
    assert session.answer(Rating.GOOD)
    memory = desk.store.memory(item)
    assert memory is not None
    assert memory.reps == 2
    assert [event.kind for event in desk.store.upkeep.events(item)] == [EventKind.REWORD]


def test_a_card_that_is_gone_makes_room_for_the_next(
    desk_of: DeskOf, session_of: SessionOf, tmp_path: Path
) -> None:
    """A deck that was removed while its card was open leaves the session with what is left."""
    desk = desk_of()
    session = session_of(desk)
    gone = opened(session).topic
    kept = next(name for name in ("first", "second") if name != gone)
    (tmp_path / f"{kept}.md").write_text((SAMPLE / f"{kept}.md").read_text("utf-8"), "utf-8")
    session.reload(build_catalogue(load_library(tmp_path, None), ()))
    assert opened(session).topic == kept
    assert {item.partition("/")[0] for item in all_items(session)} == {f"card:{kept}"}


def test_undo_takes_a_pause_back_before_any_rating(desk_of: DeskOf, session_of: SessionOf) -> None:
    """After a rating and a burial `u` brings the buried card back; the next `u` takes the rating back."""
    desk = desk_of()
    session = session_of(desk)
    rated = opened(session).item
    session.reveal()
    assert session.answer(Rating.EASY)
    for pause in (session.bury, session.suspend):
        paused = opened(session).item
        assert pause()
        assert session.undo()
        assert opened(session).item == paused
        assert session.notice is not None
        assert desk.store.upkeep.paused(desk.clock().day) == frozenset()
        assert desk.store.memory(rated) is not None
    assert session.undo()
    assert opened(session).item == rated
    assert desk.store.memory(rated) is None


def test_an_answer_since_ends_the_turn_of_a_pause(desk_of: DeskOf, session_of: SessionOf) -> None:
    """What is undone is what was done last: the rating first, then the pause before it."""
    desk = desk_of()
    session = session_of(desk)
    paused = opened(session).item
    session.suspend()
    rated = opened(session).item
    session.reveal()
    session.answer(Rating.EASY)
    assert session.undo()
    assert opened(session).item == rated
    assert session.undo()
    assert opened(session).item == paused
    assert not session.undo()
