"""Every kind of answer by keys, by the mouse and typed; what its rows show, and when they tell what."""

from collections.abc import Callable

import pytest
from textual.widget import Widget

from studynorm.scheduling.rating import Rating
from studynorm.study.situation import Key
from studynorm.tui.answer_sheet import SheetRow
from studynorm.tui.practice import Practice
from tests.tui.conftest import Driver, Running
from tests.tui.handmade import MADE, SNIPPET, TAIL, family, variant

PICKED = [name for name, made in MADE.items() if made.keys]


@pytest.fixture(name="verified")
def verified_fixture() -> Callable[[Key], object]:
    """Draw the hand-made variants."""
    return variant


async def begin(driver: Driver, *names: str, count: int | None = None) -> None:
    """Begin a drill of some kinds in this order."""
    driver.app.show_drill(Practice(tuple(map(family, names)), seed=1, count=count, mixed=False))
    await driver.until(lambda: driver.typing)
    await driver.pilot.pause()


async def review(driver: Driver) -> None:
    """Begin a review of the hand-made families alone."""
    driver.app.show_review(topic="residual")
    await driver.until(lambda: driver.typing)
    await driver.pilot.pause()


def row(driver: Driver, at: int) -> Widget:
    """Return a row of the answer."""
    return list(driver.app.screen.query(SheetRow))[at]


def shown(driver: Driver, words: str) -> str:
    """Return the line of the screen with some words in it."""
    return next(line for line in driver.text.splitlines() if words in line)


async def by_mouse(driver: Driver, name: str) -> None:
    for at, part in MADE[name].clicks:
        width = row(driver, at).size.width
        await driver.click(row(driver, at), (width - 1, 0) if part == TAIL else None)
    await driver.click("#check")


@pytest.mark.parametrize("name", PICKED)
async def test_a_picked_kind_by_keys_by_mouse_and_typed(running: Running, name: str) -> None:
    """Each way writes the same meaning into the field, and is right at the first try."""
    async with running(family(name)) as driver:
        await begin(driver, name)
        await driver.press(*MADE[name].keys, "enter")
        assert driver.problem.solved
        await driver.press("enter")
        await driver.until(lambda: driver.typing)
        await by_mouse(driver, name)
        assert driver.problem.solved
        await driver.click("#reveal")
        await driver.until(lambda: driver.typing)
        await driver.type(MADE[name].typed)
        await driver.press("enter")
        assert driver.problem.solved
        assert driver.drill.streak == 3


async def test_thirty_mixed_problems_by_the_keyboard_alone(running: Running) -> None:
    """At 80×24 a drill of all kinds runs to its end by keys, and the schedule has no trace of it."""
    names = list(MADE)
    async with running(*map(family, names), size=(80, 24)) as driver:
        await begin(driver, *names, count=30)
        for number in range(30):
            name = driver.problem.variant.family.partition(".")[2]
            if MADE[name].keys:
                await driver.press(*MADE[name].keys)
            else:
                await driver.type(MADE[name].typed)
            await driver.press("enter")
            assert driver.problem.solved or name == "recall", f"{number}: {driver.text}"
            await driver.press("enter")
            if number < 29:
                await driver.until(lambda: driver.typing)
        await driver.until_shown("30 problems, 28 right at once, 2 not judged")
        assert driver.desk.store.known_items() == frozenset()


async def test_a_review_by_the_mouse_alone(running: Running) -> None:
    """Two rows, the word for checking and a rating are clicked, and the review is stored."""
    async with running(family("match")) as driver:
        await review(driver)
        await by_mouse(driver, "match")
        await driver.click("#rate-4")
        stored = driver.desk.store.last_review(driver.clock().day)
        assert stored is not None
        assert stored.rating is Rating.EASY


async def test_words_are_compared_with_the_model_answer_and_rated_freely(running: Running) -> None:
    """The words stand above the model answer, nothing is suggested, and Enter is Good as for a card."""
    async with running(family("recall")) as driver:
        await review(driver)
        await driver.type("by n")
        await driver.press("enter")
        for words in ("Your words", "by n", "Model answer", "It divides by n."):
            assert words in driver.text
        assert "verified" not in driver.text
        assert driver.session.suggested is None
        await driver.press("enter")
        review_made = driver.desk.store.last_review(driver.clock().day)
        assert review_made is not None
        assert (review_made.rating, review_made.suggested) == (Rating.GOOD, None)


async def test_a_rating_key_rates_words_too(running: Running) -> None:
    """After the words 1 is Again, and before them it is text."""
    async with running(family("recall")) as driver:
        await review(driver)
        await driver.type("1 by n")
        await driver.press("enter", "1")
        review_made = driver.desk.store.last_review(driver.clock().day)
        assert review_made is not None
        assert review_made.rating is Rating.AGAIN


async def test_text_lands_whole_beside_rows(running: Running) -> None:
    """Letters that are keys of rows are text until an arrow goes to the rows, and again after other text."""
    async with running(family("order"), family("yes_no")) as driver:
        await begin(driver, "yes_no")
        await driver.type("quit 1e-3 u? s4 xKJ yn")
        assert driver.field.value == "quit 1e-3 u? s4 xKJ yn"
        driver.field.value = ""
        await driver.press("down", "y")
        assert driver.field.value == "y · ·"
        await driver.type("z y")
        assert driver.field.value == "y · ·z y"


async def test_rows_follow_what_is_typed(running: Running) -> None:
    """A typed letter marks its option; typed letters arrange the steps, those not named being left out."""
    async with running(family("choice"), family("order")) as driver:
        await begin(driver, "choice", "order")
        await driver.type("b")
        assert "●" in shown(driver, "zero")
        assert "○" in shown(driver, "one")
        await driver.press("backspace", "c", "enter", "enter")
        await driver.until(lambda: driver.typing)
        await driver.type("d c")
        places = [driver.text.index(words) for words in ("third", "first", "second", "decoy")]
        assert places == sorted(places)
        assert "–" in shown(driver, "second")


async def test_a_carried_step_moves_with_the_cursor(running: Running) -> None:
    """Space takes a step up, arrows carry it and Space drops it; Enter alone takes the steps as they are."""
    async with running(family("order")) as driver:
        await begin(driver, "order")
        await driver.press("enter")
        assert driver.field.value == "a b c d"
        assert driver.problem.verdicts == ()
        await driver.press("down", "space", "down", "down", "space", "up")
        assert driver.field.value == "b c a d"


async def test_rows_without_an_answer_cost_nothing(running: Running) -> None:
    """Handing in before every row has its answer says how many have one, and is no try."""
    async with running(family("yes_no")) as driver:
        await begin(driver, "yes_no")
        await driver.press("down", "down", "y", "enter")
        assert "1 of 3 have an answer" in driver.text
        assert driver.problem.verdicts == ()


async def test_marks_of_rows_come_with_the_verdict_and_go_with_the_text(running: Running) -> None:
    """After a wrong answer each row says whether it was right, until something else is picked."""
    async with running(family("yes_no")) as driver:
        await begin(driver, "yes_no")
        await driver.type(MADE["yes_no"].wrong)
        assert "✓" not in driver.text
        await driver.press("enter")
        assert "✓" in shown(driver, "moves")
        assert "✗" in shown(driver, "stays")
        await driver.click(row(driver, 1))
        assert driver.field.value == "y n y"
        assert "✗" not in shown(driver, "stays")


async def test_the_right_option_is_told_only_at_the_end(running: Running) -> None:
    """One wrong choice marks itself alone and names its slip; the looked-up solution marks the right one."""
    async with running(family("choice")) as driver:
        await begin(driver, "choice")
        await driver.type("a")
        await driver.press("enter")
        assert "first shown" in driver.text
        assert "✗" in shown(driver, "x²")
        assert "✓" not in driver.text
        await driver.press("w")
        await driver.pilot.pause()
        assert "✓" in shown(driver, "nan")


async def test_options_stand_on_the_screen_once(running: Running) -> None:
    """Where rows show the options, the question doesn't list them as well."""
    async with running(family("match")) as driver:
        await begin(driver, "match")
        assert [driver.text.count(word) for word in ("eins", "zwei", "none")] == [1, 1, 1]


async def test_a_matrix_fills_while_it_is_typed(running: Running) -> None:
    """Numbers take their places in rows at once; the verdict marks each entry in its place."""
    async with running(family("matrix")) as driver:
        await begin(driver, "matrix")
        await driver.type("10 20; 30")
        lines = driver.text.splitlines()
        at = next(number for number, line in enumerate(lines) if "10 20; 30" in line)
        assert lines[at + 1].split()[-2:] == ["10", "20"]
        assert lines[at + 2].split()[-2:] == ["30", "·"]
        driver.field.value = MADE["matrix"].wrong
        await driver.press("enter")
        assert "✓ 1" in shown(driver, "✓ 2")
        assert "✓ 3" in shown(driver, "✗ 5")


async def test_the_program_is_copied_and_shown_once_the_problem_is_closed(running: Running) -> None:
    """The key c copies it and p shows it, but not while it would give the answer away."""
    async with running(family("choice")) as driver:
        await begin(driver, "choice")
        await driver.press("escape", "c", "p")
        assert driver.app.clipboard == ""
        await driver.press("w", "c")
        assert driver.app.clipboard == SNIPPET
        await driver.press("p")
        await driver.until_shown("torch.ones(2)")
        await driver.press("escape")
        await driver.until(lambda: "torch.ones" not in driver.text)


async def test_without_a_program_nothing_offers_to_copy_one(running: Running) -> None:
    """The keys and the line about them are absent."""
    async with running(family("yes_no")) as driver:
        await begin(driver, "yes_no")
        await driver.press("f3", "c", "p")
        assert driver.app.clipboard == ""
        assert "program" not in driver.text


async def test_a_wrong_answer_leads_to_its_card(running: Running) -> None:
    """The key o shows what there is to turn to; a card is read over the problem, which stays as it was."""
    async with running(family("choice")) as driver:
        await begin(driver, "choice")
        await driver.press("escape", "o")
        assert "first/one" not in driver.text
        await driver.press("i", "a", "enter", "o")
        await driver.until_shown("What is one?")
        assert "It is the first." in driver.text
        await driver.press("escape")
        assert driver.problem.wrong == 1
        assert not driver.problem.closed
