"""From the table, the item box and a topic: grade items now, set when they are due, and take that back."""

import pytest

from studynorm.scheduling.settings import Settings
from studynorm.storage.errors import Busy
from studynorm.storage.upkeep import Upkeep
from studynorm.tui.browse_screen import BrowseScreen
from studynorm.tui.done_screen import DoneScreen
from studynorm.tui.due_screen import DueScreen
from studynorm.tui.peek_screen import PeekScreen
from studynorm.tui.review_screen import ReviewScreen
from studynorm.tui.topic_screen import TopicScreen
from tests.known import in_review
from tests.tui.conftest import Driver, Running

ONE, TWO, RED, BLUE = "card:first/one", "card:first/two", "card:second/red", "card:second/blue"


async def browse(driver: Driver, filter: str) -> None:
    """Open the table with a filter."""
    driver.app.show_browse(filter)
    await driver.until_shown("by learning order")
    await driver.pilot.pause()


async def opened(driver: Driver, screen: type) -> None:
    """Wait until a screen is open and painted."""
    await driver.until(lambda: isinstance(driver.app.screen, screen))
    await driver.pilot.pause(0.1)


def due_in(driver: Driver, item: str) -> int:
    """Return in how many study days an item is due."""
    memory = driver.desk.store.memory(item)
    assert memory is not None
    assert memory.due_day is not None
    return memory.due_day - driver.clock().day


async def test_g_asks_the_marked_rows_and_comes_back_to_them(running: Running) -> None:
    """Two of four cards, one due in a week and one new, in spite of the limits; the table then says more."""
    async with running() as driver:
        driver.app.desk.settings = Settings(new_per_day=0, reviews_per_day=0)
        in_review(driver.desk, ONE, days_ago=20, due_in=7)
        await browse(driver, "is:card")
        await driver.press("x", "down", "x", "g")
        await opened(driver, ReviewScreen)
        assert "What is one?" in driver.text
        assert driver.session.counts.total == 2
        await driver.press("space", "3")
        assert "Which axis" in driver.text
        await driver.press("space", "4")
        await opened(driver, DoneScreen)
        assert "That was all that you chose." in driver.text
        assert "2 answers" in driver.text
        assert "Left" not in driver.text
        assert "Next" not in driver.text  # what else is due was not asked here, however long it waits
        await driver.press("q")
        await opened(driver, BrowseScreen)
        assert driver.answers() == 2
        assert "2 marked" in driver.text
        line = next(line for line in driver.text.splitlines() if "What is one?" in line)
        assert "70.6" in line  # the stability that Good leads to after 20 of 30 days


async def test_g_on_suspended_rows_says_why_nothing_is_asked(running: Running) -> None:
    """All suspended: a sentence and no session. One of two: the other is asked, with a sentence."""
    async with running() as driver:
        driver.desk.store.upkeep.suspend([ONE], driver.clock())
        await browse(driver, "card:first/one or card:second/red")
        await driver.press("g")
        assert isinstance(driver.app.screen, BrowseScreen)
        assert "What is one?: suspended, so not asked; @ resumes." in driver.text
        await driver.press("X", "g")
        await opened(driver, ReviewScreen)
        assert "1 of 2 chosen items is suspended, so it is not asked." in driver.text
        assert "Which axis" in driver.text


async def test_g_in_the_item_box_and_in_a_topic(running: Running) -> None:
    """Both lead to a session over that one item and back to where one was."""
    async with running() as driver:
        in_review(driver.desk, TWO, due_in=9)
        driver.app.show_item(TWO)
        await opened(driver, PeekScreen)
        assert "due in 9 days" in driver.text.casefold()
        await driver.press("g")
        await opened(driver, ReviewScreen)
        await driver.press("space", "4")
        await opened(driver, DoneScreen)
        await driver.press("q")
        await opened(driver, PeekScreen)
        assert "due in 9 days" not in driver.text.casefold()
        await driver.press("escape")
        driver.app.show_topic("second")
        await opened(driver, TopicScreen)
        await driver.press("tab")
        await driver.press("g")
        await opened(driver, ReviewScreen)
        assert driver.session.counts.total == 1
        await driver.press("escape")
        await opened(driver, TopicScreen)


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_capital_d_sets_a_due_day_and_u_gives_it_back(running: Running, size: tuple[int, int]) -> None:
    """What is typed is read back as a day; what is none stays in the field; Esc sets nothing."""
    async with running(size=size) as driver:
        in_review(driver.desk, ONE, due_in=9)
        in_review(driver.desk, RED, due_in=2)
        await browse(driver, "is:card")
        await driver.press("x", "x", "D")  # the card after it is new
        await opened(driver, DueScreen)
        assert "Due when? 2 items" in driver.text
        assert "0 for today" in driver.text
        await driver.type("fri")
        assert "Due on Friday, 6 March, in 4 days." in driver.text
        await driver.type("x")
        await driver.press("enter")
        assert isinstance(driver.app.screen, DueScreen)
        assert "! A day is 0 for today" in driver.text
        await driver.press("backspace", "enter")
        assert isinstance(driver.app.screen, BrowseScreen)
        assert "1 of 2 items: due on Friday, 6 March" in driver.text
        assert due_in(driver, ONE) == 4
        await driver.press("u")
        assert "What is one?: due day given back." in driver.text
        assert due_in(driver, ONE) == 9
        await driver.press("D")
        await driver.type("0")
        await driver.press("escape")
        assert isinstance(driver.app.screen, BrowseScreen)
        assert due_in(driver, ONE) == 9


async def test_capital_d_where_nothing_has_a_due_day(running: Running) -> None:
    """A new card: a sentence, and no field."""
    async with running() as driver:
        await browse(driver, "card:first/one")
        await driver.press("D")
        assert isinstance(driver.app.screen, BrowseScreen)
        assert "Only items in Review have a due day to set" in driver.text


async def test_a_due_day_set_in_the_item_box_shows_in_the_table_beneath(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So does `u` there; a profile that cannot be written is told, and nothing has changed."""
    async with running() as driver:
        in_review(driver.desk, ONE, due_in=9)
        await browse(driver, "card:first/one")
        assert " 9d" in driver.text
        await driver.press("enter")
        await opened(driver, PeekScreen)
        await driver.press("D")
        await driver.type("21")
        await driver.press("enter")
        await opened(driver, PeekScreen)
        assert "Due in 21 days" in driver.text
        await driver.press("escape")
        assert " 21d" in driver.text
        await driver.press("enter", "u")
        assert due_in(driver, ONE) == 9

        def busy(*_: object) -> int:
            raise Busy("another program is writing")

        monkeypatch.setattr(Upkeep, "set_due", busy)
        await driver.press("D")
        await driver.type("3")
        await driver.press("enter")
        assert driver.app._notifications
        assert [note.message for note in driver.app._notifications][-1] == "another program is writing"
        assert due_in(driver, ONE) == 9
