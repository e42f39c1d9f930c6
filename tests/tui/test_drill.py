"""Practice on the screen: chosen, answered, summed up, and without a trace in the schedule."""

from collections.abc import Callable

import pytest

from studynorm.study.situation import Key
from studynorm.tui.drill_done_screen import DrillDoneScreen
from studynorm.tui.drill_screen import DrillScreen
from studynorm.tui.home_screen import HomeScreen
from studynorm.tui.practice import Practice
from studynorm.tui.practice_screen import PracticeScreen
from studynorm.tui.review_screen import ReviewScreen
from tests.tui.conftest import Driver, Running
from tests.tui.handmade import family, variant
from tests.tui.test_kinds import begin, review


@pytest.fixture(name="verified")
def verified_fixture() -> Callable[[Key], object]:
    """Draw the hand-made variants."""
    return variant


def on(driver: Driver, screen: type) -> bool:
    return isinstance(driver.app.screen, screen)


async def test_from_home_to_a_drill_and_back(running: Running) -> None:
    """The key p chooses, Enter begins, Enter goes on, q sums up and goes back; nothing is scheduled."""
    async with running(family("number")) as driver:
        await driver.press("p")
        assert on(driver, PracticeScreen)
        await driver.press("enter")
        await driver.until(lambda: driver.typing)
        await driver.type("3/4")
        await driver.press("enter")
        assert driver.problem.solved
        assert "Again" not in driver.text
        await driver.press("3", "1")
        assert driver.problem.solved
        await driver.press("enter")
        await driver.until(lambda: driver.typing)
        await driver.type("4")
        await driver.press("enter", "q")
        await driver.until(lambda: on(driver, DrillDoneScreen))
        await driver.until_shown("2 problems, 1 right at once")
        assert "1/2" in driver.text
        await driver.press("q")
        assert on(driver, PracticeScreen)
        await driver.press("q")
        assert on(driver, HomeScreen)
        assert driver.answers() == 0
        assert driver.desk.store.known_items() == frozenset()


async def test_level_and_family_are_chosen(running: Running) -> None:
    """The key f opens the topic into its families, a digit fixes the level, and the drill keeps to both."""
    async with running("batchnorm.entry", "batchnorm.vector", family("number")) as driver:
        await driver.press("p")
        await driver.until_shown("2 families")
        await driver.press("f")
        assert "BatchNorm of a batch, with scale and shift" in driver.text
        await driver.press("f", "3", "l", "l", "l", "end", "enter")
        await driver.until(lambda: driver.typing)
        assert driver.problem.variant.family == family("number")
        assert driver.drill.level == 2


async def test_streak_and_time_stand_quietly_above(running: Running) -> None:
    """After two right answers the top says so, with the seconds that the last one took."""
    async with running(family("number")) as driver:
        await begin(driver, "number")
        for _ in range(2):
            await driver.until(lambda: driver.typing)
            await driver.type("0.75")
            driver.clock.forward(seconds=20)
            await driver.press("enter")
            top = driver.text.splitlines()[1]
            await driver.press("enter")
        assert "2 in a row" in top
        assert "21 s" in top or "22 s" in top


async def test_a_drill_from_a_review_comes_back_to_it(running: Running) -> None:
    """A wrong answer at level 1 has no easier twin; the drill over a review leaves its problem as it was."""
    async with running(family("number")) as driver:
        await review(driver)
        await driver.type("4")
        await driver.press("enter")
        before = driver.problem
        driver.app.show_drill(Practice((family("number"),), level=1))
        await driver.until(lambda: on(driver, DrillScreen) and driver.typing)
        await driver.press("escape", "q")
        assert on(driver, ReviewScreen)
        assert driver.problem is before
        await driver.press("1")
        assert driver.answers() == 1


async def test_the_easier_twin_comes_next(running: Running) -> None:
    """At level 2 a wrong answer offers the same at level 1, which then is the next problem."""
    async with running(family("number")) as driver:
        driver.app.show_drill(Practice((family("number"),), level=2))
        await driver.until(lambda: driver.typing)
        await driver.type("4")
        await driver.press("enter", "o")
        await driver.until_shown("Practise: the same at level 1")
        await driver.press("down", "enter")
        await driver.until_shown("Next comes the same at level 1")
        await driver.press("n")
        await driver.until(lambda: driver.typing)
        assert driver.problem.variant.level == 1


async def test_a_past_answer_is_shown_as_it_was(running: Running) -> None:
    """The list has what was typed; the answer opens with its question, its slip and a word on its family."""
    async with running(family("choice")) as driver:
        await begin(driver, "choice")
        await driver.type("a")
        await driver.press("enter", "q")
        await driver.until_shown("Your schedule is as it was.")
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, HomeScreen))
        await driver.press("p")
        await driver.until(lambda: isinstance(driver.app.screen, PracticeScreen))
        await driver.press("a")
        await driver.until_shown("Past answers")
        assert "residual.choice 1" in driver.text
        await driver.press("enter")
        await driver.until_shown("A question of the kind choice.")
        for words in ("You typed", "✗ wrong", "first shown", "is no longer there"):
            assert words in driver.text


async def test_without_weak_spots_there_is_nothing_weak_to_drill(running: Running) -> None:
    """It is said in words; after a named slip the family is there."""
    async with running(family("choice")) as driver:
        driver.app.show_drill(Practice(weak=True))
        await driver.until_shown("nothing weak to practise")
        await begin(driver, "choice")
        await driver.type("a")
        await driver.press("enter", "q")
        await driver.until_shown("Your schedule is as it was.")
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, HomeScreen))
        await driver.press("p")
        await driver.until_shown("Weak spots")
