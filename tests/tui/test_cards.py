"""Reviewing cards: keys, what is stored, and what is never done by accident."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studynorm.content.library import Library
from studynorm.content.place import ContentError, Place
from studynorm.scheduling.rating import Rating
from studynorm.storage.errors import Busy
from studynorm.storage.store import Store
from studynorm.study.catalogue import build_catalogue
from studynorm.study.situation import CardPrompt
from tests.tui.conftest import Driver, Running


def card_on_screen(driver: Driver) -> CardPrompt:
    prompt = driver.session.situation
    assert isinstance(prompt, CardPrompt)
    return prompt


async def test_space_reveals_and_space_again_stores_good(running: Running) -> None:
    """Two presses of the space bar are one review, rated Good."""
    async with running() as driver:
        await driver.press("enter")
        card = card_on_screen(driver).card
        assert card.front in driver.text
        await driver.press("space")
        assert "Again" in driver.text
        assert "Easy" in driver.text
        await driver.press("space")
        review = driver.desk.store.last_review(driver.clock().day)
        assert review is not None
        assert (review.item, review.rating) == (card.item_ids[0], Rating.GOOD)


async def test_question_stays_above_the_answer_and_the_reason(running: Running) -> None:
    """After the reveal the question, the answer and the reason are on the screen, in this order."""
    async with running() as driver:
        await driver.press("enter", "space")
        text = driver.text
        assert text.index("What is one?") < text.index("Why") < text.index("It is the first.")


async def test_digits_before_the_reveal_do_nothing(running: Running) -> None:
    """1 to 4 grade nothing while the answer is hidden."""
    async with running() as driver:
        await driver.press("enter", "1", "2", "3", "4")
        assert not card_on_screen(driver).revealed
        assert driver.answers() == 0


async def test_each_digit_stores_its_rating_and_the_shown_interval(running: Running) -> None:
    """The four keys store Again to Easy, and what the button showed is when the item comes back."""
    async with running() as driver:
        await driver.press("enter")
        for number in (1, 2, 3, 4):
            await driver.press("space")
            shown = card_on_screen(driver).intervals[Rating(number)]
            assert shown in driver.text
            await driver.press(str(number))
            review = driver.desk.store.last_review(driver.clock().day)
            assert review is not None
            assert review.rating == Rating(number)


async def test_two_fast_presses_grade_one_card(running: Running) -> None:
    """A rating key pressed twice within the same instant, or held, grades one card and no unseen one."""
    async with running() as driver:
        await driver.press("enter", "space")
        driver.clock.forward(seconds=1)
        await driver.pilot.press("3", "3", "3", "space", "3")
        assert driver.answers() == 1


async def test_undo_brings_the_card_back_with_its_answer(running: Running) -> None:
    """`u` takes back the stored review and shows the same card, ready to be rated again."""
    async with running() as driver:
        await driver.press("enter", "space")
        first = card_on_screen(driver).item
        await driver.press("3", "u")
        assert card_on_screen(driver).item == first
        assert card_on_screen(driver).revealed
        assert driver.answers() == 0
        await driver.press("1")
        assert driver.answers() == 1


async def test_a_click_on_a_button_rates(running: Running) -> None:
    """The mouse reveals and rates as the keys do."""
    async with running() as driver:
        await driver.press("enter")
        await driver.pilot.click("#reveal")
        await driver.pilot.pause()
        driver.clock.forward(seconds=1)
        await driver.pilot.click("#rate-2")
        review = driver.desk.store.last_review(driver.clock().day)
        assert review is not None
        assert review.rating == Rating.HARD


async def test_what_cannot_be_stored_stays_on_the_screen(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another program holds the file the card and its rating stay, and the same key stores it later."""
    async with running() as driver:
        await driver.press("enter", "space")
        item = card_on_screen(driver).item
        with monkeypatch.context() as held:

            def refuse(*arguments: Any, **named: Any) -> None:
                raise Busy("the file is being written by another program")

            held.setattr(Store, "record", refuse)
            await driver.press("3")
            assert "another program" in driver.text
            assert card_on_screen(driver).item == item
            assert "Good" in driver.text
        await driver.press("3")
        assert driver.answers() == 1


async def test_brackets_are_shown_as_typed(running: Running) -> None:
    """Words in square brackets are text in questions and answers, not colours."""
    async with running() as driver:
        await driver.press("enter")
        while card_on_screen(driver).card.id != "red":
            await driver.press("space", "4")
        assert "Which axis does [red] mark?" in driver.text
        await driver.press("space")
        assert "[red] marks the batch axis; [b] is the bias." in driver.text


async def test_the_end_says_what_was_done_and_undo_goes_back(running: Running) -> None:
    """After the last card the screen counts the answers and says when to come back; `u` reopens the last."""
    async with running() as driver:
        await driver.press("enter")
        while isinstance(driver.session.situation, CardPrompt):
            await driver.press("space", "4")
        await driver.until_shown("Congratulations")
        assert "5 answers, 5 passed" in driver.text
        assert "The next item comes" in driver.text
        await driver.press("u")
        assert card_on_screen(driver).revealed
        assert driver.answers() == 4


async def test_a_step_that_comes_due_is_found_at_the_end(running: Running) -> None:
    """A card rated Good comes again after its step; until then the end of the session waits."""
    async with running() as driver:
        await driver.press("enter")
        while isinstance(driver.session.situation, CardPrompt):
            await driver.press("space", "4")
        await driver.until_shown("Congratulations")
        await driver.press("r")
        assert "Nothing new has come due yet." in driver.text
        driver.clock.forward(days=20)
        await driver.press("r")
        assert isinstance(driver.session.situation, CardPrompt)


async def test_a_card_that_broke_meanwhile_is_named_with_its_file(running: Running) -> None:
    """`r` goes on with the next card, and says in which file and line the open one broke."""
    async with running() as driver:
        await driver.press("enter")
        before = card_on_screen(driver)
        catalogue = driver.desk.catalogue
        fault = ContentError(before.card.place, "the card has no `A:`", "Write one.")
        other = ContentError(Place(Path("elsewhere.md"), 3), "something else", "Look.")
        decks = tuple(
            replace(deck, cards=tuple(card for card in deck.cards if card.id != before.card.id))
            for deck in catalogue.library.decks
        )
        library = Library(decks, (other, fault))
        driver.app.desk.catalogue = build_catalogue(library, ())
        driver.app.screen.decks_changed()  # type: ignore[attr-defined]
        await driver.until_shown("the card has no")
        assert "elsewhere.md" not in driver.text
        assert card_on_screen(driver).item != before.item
