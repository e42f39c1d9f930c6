"""How sure one is, on the screen: one key before the answer, none that rates, nothing unless switched on."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from rich.text import Text

from studynorm.scheduling.settings import Settings
from studynorm.study.situation import CardPrompt
from studynorm.tui.confidence_bar import ConfidenceBar, confidence_line
from studynorm.tui.home_screen import HomeScreen
from studynorm.tui.key_line import live_caps
from studynorm.tui.rating_bar import RatingBar
from studynorm.tui.review_screen import ReviewScreen
from studynorm.tui.theme import palette_of
from tests.tui.conftest import Driver, Running

Asking = Callable[..., AbstractAsyncContextManager[Driver]]
ONE, TWO, RED, BLUE = "card:first/one", "card:first/two", "card:second/red", "card:second/blue"
MEAN, VAR, FAMILY = "card:first/marks#mean", "card:first/marks#var", "family:batchnorm.entry"
ROW = "How sure?"


@pytest.fixture
def asking(running: Running) -> Asking:
    """Run a session over some items with the question switched on, its first item painted."""

    @asynccontextmanager
    async def run(
        *items: str, confidence: bool = True, size: tuple[int, int] = (80, 24)
    ) -> AsyncIterator[Driver]:
        async with running("batchnorm.entry", size=size) as driver:
            driver.app.desk.settings = Settings(confidence=confidence)
            driver.app.show_review(items=items)
            await driver.until_shown("+")
            await driver.until(lambda: driver.typing or items[0] != FAMILY)
            await driver.pilot.pause(0.1)
            yield driver

    return run


def said(driver: Driver, item: str) -> list[int | None]:
    """Return how sure one was at each stored review of an item."""
    return [review.confidence for review in driver.desk.store.upkeep.reviews(item)]


def revealed(driver: Driver) -> bool:
    """Tell whether the answer of the card on the screen is shown."""
    prompt = driver.session.situation
    assert isinstance(prompt, CardPrompt)
    return prompt.revealed


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_one_key_says_it_and_shows_the_answer(asking: Asking, size: tuple[int, int]) -> None:
    """Each of the six means its tens; Space says nothing. The ratings come where the button was."""
    async with asking(ONE, TWO, RED, BLUE, MEAN, VAR, size=size) as driver:
        assert f"{ROW}  0 no idea  5 50%  6 60%  7 70%  8 80%  9 90%" in driver.text
        wide = driver.app.screen.query_one("#reveal").region
        expected: dict[str, int | None] = {}
        for key, percent in (("7", 70), ("0", 0), ("5", 50), ("6", 60), ("9", 90), ("space", None)):
            prompt = driver.session.situation
            assert isinstance(prompt, CardPrompt)
            expected[prompt.item] = percent
            assert ROW in driver.text
            await driver.press(key)
            assert revealed(driver)
            assert ROW not in driver.text
            bar = driver.app.screen.query_one(RatingBar).region
            assert (bar.y, bar.height) == (wide.y, wide.height)
            await driver.press("4")
        assert {item: said(driver, item) for item in expected} == {item: [p] for item, p in expected.items()}


async def test_no_key_says_and_rates_and_a_click_says(asking: Asking) -> None:
    """1 to 4 do nothing to a hidden card and 5 to 0 nothing to one that is shown; “80%” can be clicked."""
    async with asking(ONE, TWO) as driver:
        await driver.press("1", "2", "3", "4")
        await driver.click(driver.app.screen.query_one(ConfidenceBar), (2, 0))  # beside the keys
        assert not revealed(driver)
        line, _ = confidence_line(70, driver.app.palette)
        await driver.click(driver.app.screen.query_one(ConfidenceBar), (1 + line.plain.index("80%"), 0))
        assert revealed(driver)
        await driver.press("5", "9", "0")
        assert driver.answers() == 0
        await driver.press("4")
        assert said(driver, ONE) == [80]
        driver.clock.forward(seconds=0.05)
        await driver.pilot.press("5")  # too soon after the rating to be meant for this card
        assert not revealed(driver)


async def test_switched_off_the_keys_do_nothing_and_nothing_is_shown(asking: Asking) -> None:
    """The row takes no place, and the digits are in no help."""
    async with asking(ONE, confidence=False) as driver:
        await driver.press("7", "0")
        assert not revealed(driver)
        assert ROW not in driver.text
        assert not driver.app.screen.query_one(ConfidenceBar).display
        assert not any("sure" in cap.label for cap in live_caps(driver.app.screen, all_keys=True))


async def test_a_typed_answer_waits_for_it_and_is_then_judged(asking: Asking) -> None:
    """Enter asks, a digit says it and judges; the second try is judged at once."""
    async with asking(FAMILY) as driver:
        assert ROW not in driver.text
        await driver.type("123456")
        await driver.press("enter")
        assert ROW in driver.text
        assert "Enter checks without saying." in driver.text
        assert not driver.problem.verdicts
        assert not driver.typing
        await driver.press("6")
        assert [verdict.outcome for verdict in driver.problem.verdicts] == ["wrong"]
        assert ROW not in driver.text
        await driver.press("enter")
        await driver.type("654321")
        await driver.press("enter")
        assert len(driver.problem.verdicts) == 2
        await driver.press("1")
        assert said(driver, FAMILY) == [60]


async def test_too_coarse_an_answer_goes_back_to_the_field_and_is_asked_once(asking: Asking) -> None:
    """What was said first is what counts: afterwards one knows that it is nearly right."""
    async with asking(FAMILY) as driver:
        answer = driver.problem.variant.answer
        await driver.type(f"{answer:.1g}")
        await driver.press("enter", "9")
        assert driver.typing
        assert not driver.problem.verdicts
        assert driver.field.value == f"{answer:.1g}"
        driver.field.value = repr(answer)
        await driver.press("enter")
        assert driver.problem.solved
        await driver.press("3")
        assert said(driver, FAMILY) == [90]


async def test_enter_again_judges_without_saying_but_not_while_it_is_held(asking: Asking) -> None:
    """The Enter that hands the answer in repeats every 30 ms; unreadable text was refused before."""
    async with asking(FAMILY) as driver:
        await driver.type("one half")
        await driver.press("enter")
        assert driver.typing
        assert ROW not in driver.text
        driver.field.value = "123456"
        await driver.press("enter")
        for _ in range(10):
            driver.clock.forward(seconds=0.03)
            await driver.pilot.press("enter")
        assert ROW in driver.text
        assert not driver.problem.verdicts
        await driver.press("enter")
        assert [verdict.outcome for verdict in driver.problem.verdicts] == ["wrong"]
        await driver.press("1")
        assert said(driver, FAMILY) == [None]


async def test_one_can_go_back_to_the_answer_or_leave(asking: Asking) -> None:
    """By `i` or Esc: the text is there, the row is gone and digits are text; by `q` nothing is stored."""
    async with asking(FAMILY) as driver:
        await driver.type("123")
        for key in ("i", "escape"):
            await driver.press("enter")
            assert ROW in driver.text
            await driver.press(key)
            assert isinstance(driver.app.screen, ReviewScreen)
            assert driver.typing
            assert ROW not in driver.text
            await driver.type("5")
        assert driver.field.value == "12355"
        await driver.press("enter", "q")
        assert isinstance(driver.app.screen, HomeScreen)
        assert driver.answers() == 0


async def test_a_hint_or_the_solution_ends_the_wait(asking: Asking) -> None:
    """After a hint the answer is handed in anew; after the solution nothing is asked."""
    async with asking(FAMILY) as driver:
        await driver.type("123456")
        await driver.press("enter", "f2")
        assert ROW not in driver.text
        await driver.press("7")
        assert not driver.problem.verdicts
        await driver.press("enter", "enter")
        assert ROW in driver.text
        await driver.press("f3")
        assert ROW not in driver.text
        await driver.press("1")
        assert said(driver, FAMILY) == [None]


def test_a_narrow_line_keeps_its_keys() -> None:
    """Without room for the words the six keys are left, and each can still be clicked."""
    line, spans = confidence_line(40, palette_of({}))
    assert isinstance(line, Text)
    assert line.plain == "How sure?  0  5  6  7  8  9"
    assert [line.plain[start:end] for start, end, _ in spans] == ["0", "5", "6", "7", "8", "9"]
