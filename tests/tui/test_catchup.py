"""Catching up on the screen: what home says, and the box in which a plan begins, changes and ends."""

import pytest

from studynorm.storage.errors import Busy
from studynorm.study.catchup import KEY
from studynorm.tui.catchup_screen import CatchUpScreen
from studynorm.tui.home_screen import HomeScreen
from tests.study.backlogs import TODAY, memory, put, study
from tests.tui.conftest import Driver, Running

NAMES = tuple(f"batchnorm.n{number:02}" for number in range(60))
"""Families that exist by name alone; the engine is never asked to draw one."""


async def with_backlog(driver: Driver, usual: int = 2) -> None:
    """Put 60 reviews into the running program, of which a tenth is forgotten, and show them."""
    store = driver.desk.store
    put(store, (memory(f"family:{name}", 40.0, TODAY - 40, TODAY - 1) for name in NAMES))
    if usual:
        study(store, [f"family:gone.n{n}" for n in range(usual)], range(TODAY - 90, TODAY - 82))
    await look_again(driver)


async def look_again(driver: Driver) -> None:
    """Have the home screen read the profile anew."""
    home = driver.app.screen
    assert isinstance(home, HomeScreen)
    home.reload()
    await driver.pilot.pause()


async def test_home_offers_calmly_and_the_box_begins(running: Running) -> None:
    """The plans say by when they are through; Enter takes the middle one, and home says what holds."""
    async with running(*NAMES, answers=False) as driver:
        await with_backlog(driver)
        await driver.until_shown("60 reviews are waiting. c spreads")
        await driver.press("c")
        await driver.until_shown("Your usual day has 2.")
        assert "20 a day     4 days, until Thu 5 Mar" in driver.text
        assert "30 a day     3 days, until Wed 4 Mar" in driver.text
        assert "40 a day     2 days, until Tue 3 Mar" in driver.text
        assert "in use" not in driver.text
        await driver.press("enter")
        await driver.until_shown("Catch-up: 30 a day, about 3 days")
        await driver.until_shown("At most 30 reviews a day from here on")
        assert driver.desk.store.values.get(KEY)["per_day"] == 30
        assert "are waiting" not in driver.text


async def test_a_number_of_ones_own_is_read_back_as_a_date(running: Running) -> None:
    """What cannot be is told and stays; the digits of the plans do not act while one types."""
    async with running(*NAMES, answers=False) as driver:
        await with_backlog(driver)
        await driver.press("c", "o")
        await driver.type("1")
        assert isinstance(driver.app.screen, CatchUpScreen)
        await driver.until_shown("1 a day: ")
        await driver.type("99")
        await driver.until_shown("All of it fits into one day of 199")
        await driver.press("enter")
        await driver.until_shown("! all of it fits")
        await driver.press("backspace", "backspace")
        await driver.type("5")
        await driver.until_shown("15 a day: 5 days, through on Friday, 6 March.")
        await driver.press("enter")
        await driver.until_shown("Catch-up: 15 a day, about 5 days")
        assert driver.desk.store.values.get(KEY)["per_day"] == 15


async def test_the_plan_that_holds_is_marked_and_can_be_changed_and_ended(running: Running) -> None:
    """By its digit, by the list, and by `e`."""
    async with running(*NAMES, size=(120, 40), answers=False) as driver:
        await with_backlog(driver)
        await driver.press("c", "1")
        await driver.until_shown("Catch-up: 20 a day")
        await driver.press("c")
        await driver.until_shown("until Thu 5 Mar · in use")
        await driver.press("down", "enter")
        await driver.until_shown("Catch-up: 30 a day")
        await driver.press("c", "e")
        await driver.until_shown("The catch-up is ended: the usual limits hold again.")
        assert driver.desk.store.values.get(KEY) is None
        assert "60 reviews are waiting. c spreads" in driver.text


async def test_it_closes_without_a_change(running: Running) -> None:
    """By Esc, by a click beside it, and by the key that opened it."""
    async with running(*NAMES, answers=False) as driver:
        await with_backlog(driver)
        for close in ("escape", "c", "q"):
            await driver.press("c")
            assert isinstance(driver.app.screen, CatchUpScreen)
            await driver.press(close)
            assert isinstance(driver.app.screen, HomeScreen)
        await driver.press("c")
        assert await driver.pilot.click(offset=(1, 1))
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, HomeScreen)
        assert driver.desk.store.values.get(KEY) is None


async def test_a_click_on_a_plan_takes_it(running: Running) -> None:
    """As Enter does."""
    async with running(*NAMES, answers=False) as driver:
        await with_backlog(driver)
        await driver.press("c")
        await driver.click("PlanList", offset=(8, 2))
        await driver.until_shown("Catch-up: 40 a day")


async def test_a_new_learner_and_a_small_pile_are_left_alone(running: Running) -> None:
    """Home says nothing; `c` still opens the plans, or says that none is needed."""
    async with running(*NAMES, answers=False) as driver:
        await driver.press("c")
        await driver.until_shown("Nothing is waiting: that needs no plan.")
        await with_backlog(driver, usual=0)
        await driver.until_shown("60")
        assert "are waiting" not in driver.text
        await driver.press("c")
        await driver.until_shown("60 reviews are waiting.")
        assert "usual day" not in driver.text


async def test_todays_share_and_the_last_day_are_told(running: Running) -> None:
    """One card is the share of a day: done, it says so; when all fits, new items come again."""
    async with running() as driver:
        cards = ("card:first/one", "card:second/blue")
        put(driver.desk.store, (memory(card, 40.0, TODAY - 40, TODAY - 1) for card in cards))
        await look_again(driver)
        await driver.press("c")
        await driver.until_shown("2 reviews are waiting: that needs no plan.")
        from studynorm.study.catchup import begin

        begin(driver.desk, 1)
        await look_again(driver)
        await driver.until_shown("Catch-up: 1 a day, about 2 days left.")
        await driver.press("enter", "space", "3")
        await driver.until_shown("Congratulations!")
        assert "The next item comes tomorrow." in driver.text
        await driver.press("q")
        await driver.until_shown("Catch-up: today’s 1 are done, about 1")
        driver.clock.forward(days=1)
        await look_again(driver)
        await driver.until_shown("You have caught up: new items come")


async def test_what_cannot_be_saved_is_told_in_the_box(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The box stays, and the key can be pressed again."""
    from studynorm.storage.values import Values

    async with running(*NAMES, answers=False) as driver:
        await with_backlog(driver)
        await driver.press("c")

        def refuse(*_: object) -> None:
            raise Busy("The profile is locked by another program.")

        with monkeypatch.context() as patched:
            patched.setattr(Values, "set", refuse)
            await driver.press("enter")
            await driver.until_shown("The profile is locked by another program.")
        await driver.press("enter")
        await driver.until_shown("Catch-up: 30 a day")


async def test_the_palette_finds_it(running: Running) -> None:
    """By its words."""
    async with running(*NAMES, answers=False) as driver:
        await with_backlog(driver)
        await driver.press("ctrl+p")
        await driver.type("catch up")
        await driver.until_shown("Spread what is waiting over days")
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, CatchUpScreen))
