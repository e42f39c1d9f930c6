"""`y` in a review: why the item on the screen is due, in one sentence that fits."""

import pytest

from tests.known import in_review
from tests.tui.conftest import Driver, Running


def words(driver: Driver) -> str:
    """Return what the screen shows as one line of words."""
    return " ".join(driver.text.split())


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 16)])
async def test_y_says_why_before_and_after_the_answer(running: Running, size: tuple[int, int]) -> None:
    """The whole sentence is on the screen, and the prompt stays as it is."""
    async with running(size=size) as driver:
        await driver.press("enter", "y")
        new = "New: it was never answered; no new item stands before it."
        assert new in words(driver)
        await driver.press("space", "y")
        assert new in words(driver)
        assert driver.session.ratable
        await driver.press("4", "y")
        assert driver.session.answered == 1
        assert driver.answers() == 1


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_the_longest_sentence_fits(running: Running, size: tuple[int, int]) -> None:
    """A set due day has the most to say."""
    async with running(size=size) as driver:
        in_review(driver.desk, "card:first/one", due_in=9)
        driver.desk.store.upkeep.set_due(["card:first/one"], driver.clock().day, driver.clock())
        await driver.press("enter")
        while driver.session.situation.item != "card:first/one":  # type: ignore[union-attr]
            await driver.press("minus")
        await driver.press("y")
        said = words(driver)
        assert "Due today: you set that day on 2 March;" in said
        assert "and it would have been due on 11 March." in said


async def test_y_in_the_answer_field_is_a_letter(running: Running) -> None:
    """A problem's field takes it; outside the field it says why."""
    async with running("batchnorm.entry") as driver:
        await driver.press("enter")
        while not driver.typing:
            await driver.press("minus")
            await driver.until(lambda: driver.typing or "card" in str(driver.session.situation))
        await driver.type("y")
        assert driver.field.value == "y"
        await driver.press("escape", "y")
        assert "New: it was never answered" in words(driver)
