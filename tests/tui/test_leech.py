"""The box on a leech: when it comes, where its keys lead, and that none of them is pressed by accident."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from studynorm.content.library import load_library
from studynorm.storage.errors import Busy
from studynorm.storage.upkeep import Upkeep
from studynorm.study.catalogue import build_catalogue
from studynorm.study.situation import CardPrompt
from studynorm.tui.done_screen import DoneScreen
from studynorm.tui.drill_screen import DrillScreen
from studynorm.tui.leech_screen import LeechScreen
from studynorm.tui.peek_screen import PeekScreen
from studynorm.tui.review_screen import ReviewScreen
from studynorm.tui.topic_screen import TopicScreen
from tests.conftest import SAMPLE
from tests.known import in_review
from tests.tui.conftest import Driver, Running

Lapsing = Callable[..., AbstractAsyncContextManager[Driver]]
HARD, BLUE, FAMILY = "card:linked/hard", "card:second/blue", "family:batchnorm.entry"

LINKED = """+++
id = "linked"
title = "Linked deck"
+++
A note on what is linked.

## hard
Q: Why is this hard?
A: It builds on much.
See: card:second/blue
"""


@pytest.fixture
def lapsing(running: Running, tmp_path: Path) -> Lapsing:
    """Run a session over some items, of which the first has seven lapses; it is failed once more."""

    @asynccontextmanager
    async def run(*items: str, size: tuple[int, int] = (80, 24), lapses: int = 7) -> AsyncIterator[Driver]:
        (tmp_path / "linked.md").write_text(LINKED, "utf-8")
        async with running("batchnorm.entry", size=size) as driver:
            driver.app.desk.catalogue = build_catalogue(load_library(SAMPLE, tmp_path), ["batchnorm.entry"])
            in_review(driver.desk, items[0], lapses=lapses)
            driver.app.show_review(items=items)
            await driver.until_shown("+")
            await driver.pilot.pause(0.1)
            if items[0] == FAMILY:
                await driver.until(lambda: driver.typing)
                await driver.press("f3")
            else:
                await driver.press("space")
            await driver.press("1")
            yield driver

    return run


def paused(driver: Driver) -> frozenset[str]:
    """Return what is not asked today."""
    return driver.desk.store.upkeep.paused(driver.clock().day)


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_the_eighth_lapse_opens_the_box(lapsing: Lapsing, size: tuple[int, int]) -> None:
    """The rating is stored by then, the next card waits beneath, and nothing is suspended."""
    async with lapsing(HARD, BLUE, size=size) as driver:
        assert isinstance(driver.app.screen, LeechScreen)
        for words in (
            "This one keeps slipping: 8 lapses.",
            "Why is this hard?",
            "n  Read the note: Linked deck",
            "t  Read: What is x[:, 0]?",
            "e  Edit the card",
            "@  Suspend it",
            "Enter goes on",
        ):
            assert words in driver.text
        assert driver.answers() == 1
        assert paused(driver) == frozenset()
        await driver.press("enter")
        assert isinstance(driver.app.screen, ReviewScreen)
        assert "What is x[:, 0]?" in driver.text


async def test_a_key_that_is_still_held_goes_on_to_nothing(lapsing: Lapsing) -> None:
    """Enter within 150 ms of the rating, or of its own last press, closes no box and shows no answer."""
    async with lapsing(HARD, BLUE) as driver:
        assert isinstance(driver.app.screen, LeechScreen)
        driver.app.screen.session.gate.rated()  # just now
        for _ in range(4):
            await driver.pilot.press("enter")
            driver.clock.forward(seconds=0.03)
        assert isinstance(driver.app.screen, LeechScreen)
        await driver.press("enter")
        assert isinstance(driver.app.screen, ReviewScreen)
        driver.clock.forward(seconds=0.03)
        await driver.pilot.press("enter")
        prompt = driver.session.situation
        assert isinstance(prompt, CardPrompt)
        assert not prompt.revealed


async def test_the_ways_lead_there_and_back_by_key_and_click(
    lapsing: Lapsing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`n` to the note, `t` to the card beneath, `e` edits the card that slipped, a click beside goes on.

    The five minutes that this takes do not count for the answer to the next card.
    """
    edited: list[str] = []
    monkeypatch.setattr("studynorm.tui.editing.edit_card", lambda app, item: edited.append(item))
    async with lapsing(HARD, BLUE) as driver:
        await driver.press("n")
        await driver.until(lambda: isinstance(driver.app.screen, TopicScreen))
        await driver.until_shown("A note on what is linked.")
        await driver.press("q", "t")
        assert isinstance(driver.app.screen, PeekScreen)
        assert "the first column" in driver.text
        await driver.press("escape")
        await driver.click("#leech-ways", (5, 1))
        await driver.until(lambda: isinstance(driver.app.screen, PeekScreen))
        await driver.press("escape", "e")
        assert edited == [HARD]
        assert isinstance(driver.app.screen, LeechScreen)
        driver.clock.forward(minutes=5)
        await driver.pilot.click(offset=(1, 1))
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, ReviewScreen)
        await driver.press("space", "3")
        newest = driver.desk.store.last_review(driver.clock().day)
        assert newest is not None
        assert (newest.item, newest.duration_ms) == (BLUE, 2000)  # the driver presses a key a second


async def test_at_suspends_it_and_u_resumes_it(lapsing: Lapsing, monkeypatch: pytest.MonkeyPatch) -> None:
    """The open card stays; the first `u` takes the suspension back, the second the lapse."""
    async with lapsing(HARD, BLUE) as driver:
        with monkeypatch.context() as patched:

            def busy(*_: object) -> int:
                raise Busy("another program is writing")

            patched.setattr(Upkeep, "suspend", busy)
            await driver.press("@")
        assert [note.message for note in driver.app._notifications] == ["another program is writing"]
        assert isinstance(driver.app.screen, LeechScreen)
        await driver.press("@")
        assert isinstance(driver.app.screen, ReviewScreen)
        assert "Suspended." in driver.text
        assert "What is x[:, 0]?" in driver.text
        assert paused(driver) == {HARD}
        await driver.press("u")
        assert paused(driver) == frozenset()
        assert "Why is this hard?" in driver.text
        await driver.press("u")
        memory = driver.desk.store.memory(HARD)
        assert memory is not None
        assert memory.lapses == 7


async def test_t_leads_from_a_problem_to_its_easier_twin(lapsing: Lapsing) -> None:
    """Asked at level 3, practised at level 2, and no edit is offered; the review goes on afterwards."""
    async with lapsing(FAMILY) as driver:
        assert "This one keeps slipping: 8 lapses." in driver.text
        assert "Practise: the same at level 2" in driver.text
        assert "Edit the card" not in driver.text
        await driver.press("e")
        assert isinstance(driver.app.screen, LeechScreen)
        await driver.press("t")
        await driver.until(lambda: isinstance(driver.app.screen, DrillScreen))
        await driver.until(lambda: driver.typing)
        assert driver.problem.variant.level == 2
        while not isinstance(driver.app.screen, LeechScreen):
            await driver.press("escape")
        await driver.press("enter")
        assert isinstance(driver.app.screen, ReviewScreen)
        await driver.until(lambda: driver.typing)
        assert driver.problem.item == FAMILY


async def test_the_last_card_of_a_session_can_be_suspended_on_its_end(lapsing: Lapsing) -> None:
    """Alone, it would come back at once; suspended, it leaves the end of the session without a next step."""
    async with lapsing(HARD) as driver:
        await driver.press("@")
        await driver.until(lambda: isinstance(driver.app.screen, DoneScreen))
        assert "Suspended." in driver.text
        assert "That was all that you chose." in driver.text
        assert "in 10 minutes" not in driver.text


async def test_u_in_the_box_takes_the_lapse_back(lapsing: Lapsing) -> None:
    """The card is there again, revealed, to be rated otherwise."""
    async with lapsing(HARD, BLUE) as driver:
        await driver.press("u")
        assert isinstance(driver.app.screen, ReviewScreen)
        assert "It builds on much." in driver.text
        assert driver.answers() == 0
        await driver.press("3")
        assert isinstance(driver.app.screen, ReviewScreen)
        memory = driver.desk.store.memory(HARD)
        assert memory is not None
        assert memory.lapses == 7


async def test_a_rating_that_a_new_day_refused_shows_no_old_box(lapsing: Lapsing) -> None:
    """The buttons are redrawn, and the leech of yesterday is not told again."""
    async with lapsing(HARD, BLUE) as driver:
        await driver.press("enter", "space")
        driver.clock.forward(days=1)
        await driver.press("1")
        assert isinstance(driver.app.screen, ReviewScreen)
        assert "A new study day has begun" in driver.text
