"""The list of what there is to turn to: from a card in a review, and from a wrong answer."""

from pathlib import Path

import pytest

from studynorm.content.library import load_library
from studynorm.study.catalogue import build_catalogue
from studynorm.study.offers import Offer
from studynorm.study.situation import CardPrompt
from studynorm.tui.demo_screen import DemoScreen
from studynorm.tui.drill_screen import DrillScreen
from studynorm.tui.offers_screen import OffersScreen, titled
from studynorm.tui.peek_screen import PeekScreen
from studynorm.tui.review_screen import ReviewScreen
from tests.conftest import SAMPLE
from tests.tui.conftest import Driver, Running

LINKED = """+++
id = "linked"
title = "Linked deck"
+++

## here
Q: Where does this lead?
A: To many places.
See: card:second/blue family:batchnorm.entry demo:pre_post_ln
"""


async def revealed(driver: Driver, folder: Path) -> ReviewScreen:
    """Review a card with links, and show its answer."""
    (folder / "linked.md").write_text(LINKED, "utf-8")
    driver.app.desk.catalogue = build_catalogue(load_library(SAMPLE, folder), ["batchnorm.entry"])
    driver.app.show_review("linked")
    await driver.until_shown("Where does this lead?")
    await driver.press("space")
    assert isinstance(driver.app.screen, ReviewScreen)
    return driver.app.screen


async def test_what_a_card_names_is_listed_by_title_with_a_digit(running: Running, tmp_path: Path) -> None:
    """The first letter of a title stays as it is, and no id is shown."""
    async with running("batchnorm.entry") as driver:
        await revealed(driver, tmp_path)
        await driver.press("o")
        for words in (
            "1  Read: What is x[:, 0]?",
            "2  Practise: One normalized entry of a batch",
            "3  Watch: ",
            "1–3 or Enter takes · Esc closes",
        ):
            assert words in driver.text
        for name in ("second/blue", "batchnorm.entry", "pre_post_ln"):
            assert name not in driver.text


@pytest.mark.parametrize(("digit", "screen"), [("1", PeekScreen), ("2", DrillScreen), ("3", DemoScreen)])
async def test_a_digit_takes_a_row_and_rates_nothing(
    running: Running, tmp_path: Path, digit: str, screen: type
) -> None:
    """The card is still open, unrated, under what was turned to."""
    async with running("batchnorm.entry") as driver:
        review = await revealed(driver, tmp_path)
        await driver.press("o", "9")
        assert isinstance(driver.app.screen, OffersScreen)
        await driver.press(digit)
        await driver.until(lambda: isinstance(driver.app.screen, screen))
        assert driver.answers() == 0
        assert isinstance(review.session.situation, CardPrompt)


def test_what_is_easier_says_its_level_and_what_is_not_there_keeps_its_name() -> None:
    """The same problem is called so; what it builds on goes by its title, else by its name."""
    catalogue = build_catalogue(load_library(SAMPLE, None), ["batchnorm.entry"])
    offers = (
        Offer("twin", "family:batchnorm.entry", 2, "the same at level 2"),
        Offer("basis", "family:batchnorm.entry", 1, "what it builds on: batchnorm.entry"),
        Offer("basis", "family:batchnorm.gone", 1, "what it builds on: batchnorm.gone"),
        Offer("demo", "demo:gone", None, "watch the demo gone"),
    )
    assert list(titled(offers, catalogue)) == [
        "Practise: the same at level 2",
        "Practise: One normalized entry of a batch, level 1",
        "Practise: batchnorm.gone, level 1",
        "Watch: gone",
    ]
