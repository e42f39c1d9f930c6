"""What was learned of a card hangs on its id alone: not on its words, its file, or its being there today."""

from collections.abc import Callable
from pathlib import Path

from studynorm.content.library import load_library
from studynorm.scheduling.memory import Memory
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
ITEM = "card:mine/one"


def write(folder: Path, name: str, *cards: tuple[str, str]) -> None:
    """Write a deck of the given ids and answers."""
    body = "".join(f"\n## {card}\nQ: What is {card}?\nA: {answer}\n" for card, answer in cards)
    (folder / name).write_text(f'+++\nid = "mine"\ntitle = "Mine"\n+++\n{body}', "utf-8")


def reread(desk: Desk, folder: Path) -> None:
    """Read the decks as a restart or `r` does."""
    desk.catalogue = build_catalogue(load_library(folder, None), ())


def answered(desk: Desk, session_of: SessionOf, rating: Rating = Rating.EASY) -> None:
    """Answer whatever is due."""
    session = session_of(desk)
    while not isinstance(session.situation, Done):
        assert isinstance(session.situation, CardPrompt)
        session.reveal()
        assert session.answer(rating)


def known(desk: Desk) -> Memory:
    """Return the memory of the first card."""
    memory = desk.store.memory(ITEM)
    assert memory is not None
    return memory


def test_an_edit_of_the_answer_keeps_the_history(
    desk_of: DeskOf, session_of: SessionOf, tmp_path: Path, clock: FrozenClock
) -> None:
    """The memory is untouched by the edit, the next review builds on it, and the log tells of the edit."""
    desk, folder = desk_of(), tmp_path / "decks"
    folder.mkdir()
    write(folder, "mine.md", ("one", "First."), ("two", "Second."))
    reread(desk, folder)
    answered(desk, session_of)
    before = known(desk)
    write(folder, "mine.md", ("one", "Something else."), ("two", "Second."))
    reread(desk, folder)
    assert known(desk) == before
    clock.forward(days=30)
    answered(desk, session_of, Rating.GOOD)
    assert known(desk).reps == 2
    assert [event.kind for event in desk.store.upkeep.events(ITEM)] == [EventKind.REWORD]
    assert desk.store.upkeep.events("card:mine/two") == ()


def test_another_file_name_is_no_other_deck(desk_of: DeskOf, session_of: SessionOf, tmp_path: Path) -> None:
    """After the file was renamed nothing is new, and nothing is logged."""
    desk, folder = desk_of(), tmp_path / "decks"
    folder.mkdir()
    write(folder, "mine.md", ("one", "First."))
    reread(desk, folder)
    answered(desk, session_of)
    before = known(desk)
    (folder / "mine.md").rename(folder / "zz renamed.md")
    reread(desk, folder)
    assert known(desk) == before
    assert overview(desk).today.new == 0
    assert desk.store.upkeep.events(ITEM) == ()


def test_a_card_that_comes_back_brings_its_memory(
    desk_of: DeskOf, session_of: SessionOf, tmp_path: Path, clock: FrozenClock
) -> None:
    """While it is gone it is neither asked nor counted; back again, it is due as it was."""
    desk, folder = desk_of(), tmp_path / "decks"
    folder.mkdir()
    write(folder, "mine.md", ("one", "First."), ("two", "Second."))
    reread(desk, folder)
    answered(desk, session_of)
    before = known(desk)
    write(folder, "mine.md", ("two", "Second."))
    reread(desk, folder)
    clock.forward(days=60)
    assert overview(desk).today.review == 1
    answered(desk, session_of)
    assert known(desk) == before
    write(folder, "mine.md", ("one", "First."), ("two", "Second."))
    reread(desk, folder)
    assert overview(desk).today.review == 1
    answered(desk, session_of)
    assert known(desk).reps == 2
