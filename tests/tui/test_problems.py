"""Reviewing problems: the answer field, the verdict, hints and solution, and the engine behind them."""

from textual import events

from studynorm.engine.numbers import plain
from studynorm.engine.variant import Variant
from studynorm.scheduling.rating import Rating
from studynorm.study.situation import CardPrompt, Pending, ProblemPrompt
from studynorm.tui.review_screen import ReviewScreen
from tests.tui.conftest import Driver, Running

NUMBER = "batchnorm.entry"
VECTOR = "batchnorm.vector"


def problem(driver: Driver) -> ProblemPrompt:
    prompt = driver.session.situation
    assert isinstance(prompt, ProblemPrompt)
    return prompt


async def to_problem(driver: Driver) -> Variant:
    """Begin a session of the problem's topic alone; return the variant that it shows."""
    driver.app.show_review(topic="batchnorm")
    await driver.until(lambda: driver.typing)
    await driver.pilot.pause()
    return problem(driver).variant


async def answer(driver: Driver, text: str) -> None:
    driver.field.value = text
    await driver.press("enter")


async def test_typed_text_lands_whole_in_the_field(running: Running) -> None:
    """Letters that are keys elsewhere are text in the field; nothing is graded, quit or undone by them."""
    async with running(NUMBER) as driver:
        await to_problem(driver)
        before = driver.answers()
        await driver.type("quit 1e-3 u? s4")
        assert driver.field.value == "quit 1e-3 u? s4"
        assert driver.answers() == before
        await driver.press("escape")
        assert not driver.typing
        await driver.press("3", "1")
        assert driver.answers() == before
        await driver.press("i")
        assert driver.typing
        assert driver.field.value == "quit 1e-3 u? s4"


async def test_the_field_never_changes_what_is_typed(running: Running) -> None:
    """Commas, fractions and blanks stay as typed; whether they can be read is the grader's affair."""
    async with running(NUMBER) as driver:
        await to_problem(driver)
        await driver.type("-0,5 1/3 −1 1 000 [1, 2]")
        assert driver.field.value == "-0,5 1/3 −1 1 000 [1, 2]"


async def test_keys_that_arrive_together_act_in_the_order_typed(running: Running) -> None:
    """Over a slow line keys come in bursts; a correction must not eat what was typed behind it."""
    async with running(NUMBER) as driver:
        await to_problem(driver)
        for key in ("9", "9", "ctrl+u", "1", "5", "backspace", "2", "left", "0"):
            driver.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await driver.pilot.pause()
        await driver.pilot.pause(0.2)
        assert driver.field.value == "102"


async def test_the_reading_is_echoed_while_typing(running: Running) -> None:
    """The line under the field says how the text is read, and where it cannot be read."""
    async with running(NUMBER) as driver:
        await to_problem(driver)
        await driver.type("3/4")
        assert "read as 0.75" in driver.text
        await driver.type("%")
        assert "25% is 0.25" in driver.text


async def test_a_right_answer_suggests_good_and_3_stores_it(running: Running) -> None:
    """A right answer says so with its verification, leaves the field by itself, and a digit then rates."""
    async with running(NUMBER) as driver:
        variant = await to_problem(driver)
        await answer(driver, plain(variant.answer))
        assert "✓ Right." in driver.text
        assert "float64 · cpu" in driver.text
        assert not driver.typing
        await driver.press("3")
        review = driver.desk.store.last_review(driver.clock().day)
        assert review is not None
        assert (review.item, review.rating) == (f"family:{NUMBER}", Rating.GOOD)
        assert review.suggested is Rating.GOOD


async def test_a_named_misconception_and_the_marks_of_the_entries(running: Running) -> None:
    """A slip's own value is called by its name with the reason, and every entry gets its sign."""
    async with running(VECTOR, size=(100, 40)) as driver:
        variant = await to_problem(driver)
        slip = next(slip for slip in variant.misconceptions if slip.id == "unbiased_variance")
        await answer(driver, plain(slip.value))
        text = driver.text
        assert "✗ Not this." in text
        assert "unbiased variance" in text
        assert "BatchNorm normalizes with the biased variance" in text
        wrong = [a for a, b in zip(slip.value, variant.answer, strict=True) if abs(a - b) > 1e-9]
        assert text.count("✗") == 1 + len(wrong)  # the verdict and the entries
        assert not problem(driver).closed


async def test_entries_are_marked_one_by_one(running: Running) -> None:
    """In a list with one wrong entry that entry alone carries the cross."""
    async with running(VECTOR) as driver:
        variant = await to_problem(driver)
        entries = [*variant.answer[:-1], variant.answer[-1] + 1000.0]
        await answer(driver, plain(tuple(entries)))
        assert driver.text.count("✓") == len(entries) - 1
        assert driver.text.count("✗") == 2  # the verdict and the entry


async def test_enter_returns_to_the_field_and_two_wrong_show_the_solution(running: Running) -> None:
    """After one wrong answer Enter goes back with the text selected; after two the solution is there."""
    async with running(NUMBER, size=(80, 40)) as driver:
        variant = await to_problem(driver)
        await answer(driver, "1000")
        await driver.press("enter")
        assert driver.typing
        assert driver.field.selected_text == "1000"
        await driver.press("enter")
        assert "same answer as before" in driver.text
        assert problem(driver).wrong == 1
        await answer(driver, "2000")
        assert "Worked solution" in driver.text
        assert all(step.text in driver.text for step in variant.solution)
        await driver.press("enter")
        review = driver.desk.store.last_review(driver.clock().day)
        assert review is not None
        assert review.rating is Rating.AGAIN


async def test_unreadable_and_coarse_answers_cost_nothing(running: Running) -> None:
    """What cannot be read leaves the field with the text, a message and a caret, and counts as no try."""
    async with running(NUMBER) as driver:
        await to_problem(driver)
        await answer(driver, "1..2")
        assert driver.typing
        assert driver.field.value == "1..2"
        assert "▴" in driver.text
        assert problem(driver).verdicts == ()
        assert not driver.session.ratable


async def test_a_hint_suggests_hard_and_the_solution_again(running: Running) -> None:
    """F2 keeps the field, and a right answer then suggests Hard; F3 before an answer suggests Again."""
    async with running(NUMBER, size=(80, 40)) as driver:
        variant = await to_problem(driver)
        await driver.type("1.")
        await driver.press("f2")
        assert "Hint 1 of" in driver.text
        assert driver.field.value == "1."
        assert driver.typing
        await answer(driver, plain(variant.answer))
        assert driver.session.suggested in (Rating.HARD,)
        await driver.press("enter", "u")
        await driver.until(lambda: isinstance(driver.session.situation, ProblemPrompt))
        await driver.press("f3")
        assert "Worked solution" in driver.text
        assert driver.session.suggested in (Rating.AGAIN,)


async def test_undo_brings_the_same_variant_back(running: Running) -> None:
    """Undo after a rated problem opens the same numbers again, unanswered."""
    async with running(NUMBER) as driver:
        variant = await to_problem(driver)
        await answer(driver, plain(variant.answer))
        await driver.press("4", "u")
        await driver.until(lambda: isinstance(driver.session.situation, ProblemPrompt))
        assert problem(driver).variant == variant
        assert problem(driver).verdicts == ()


async def test_a_held_rating_key_is_not_typed_into_the_next_field(running: Running) -> None:
    """The repeats of the key that rated a card don't land in the field of the problem that follows."""
    async with running(NUMBER) as driver:
        await driver.press("enter")
        while isinstance(driver.session.situation, CardPrompt):
            await driver.press("space")
            driver.clock.forward(seconds=1)
            await driver.pilot.press("4", "4", "4", "4")
        await driver.until(lambda: driver.typing)
        await driver.pilot.press("4", "4")
        assert driver.field.value == ""


async def test_resizing_keeps_the_text_and_the_problem(running: Running) -> None:
    """Down to one cell and back, the typed text, the focus and the variant are as they were."""
    async with running(NUMBER) as driver:
        variant = await to_problem(driver)
        await driver.type("1.34")
        for width, height in ((10, 3), (1, 1), (40, 12), (200, 60), (23, 7), (80, 24)):
            await driver.pilot.resize_terminal(width, height)
            await driver.pilot.pause()
        assert driver.field.value == "1.34"
        assert driver.typing
        assert problem(driver).variant == variant


async def test_while_the_engine_draws_the_screen_says_so(running: Running) -> None:
    """With only problems left the screen waits calmly, and the problem appears once it is drawn."""
    async with running(NUMBER, answers=False) as driver:
        await driver.press("enter")
        while isinstance(driver.session.situation, CardPrompt):
            await driver.press("space", "4")
        assert isinstance(driver.session.situation, Pending)
        assert "drawing your next problem" in driver.text
        driver.engine.may_answer.set()
        await driver.until(lambda: driver.typing)


async def test_a_dead_engine_is_replaced_and_the_card_stays(running: Running) -> None:
    """When the engine dies the card on the screen stays, the learner is told, and the problem still comes."""
    async with running(NUMBER, answers=False) as driver:
        await driver.press("enter", "space")
        item = driver.session.situation
        driver.engine.dies = 1
        driver.engine.may_answer.set()
        await driver.until(lambda: driver.engine.asked > 1)
        assert driver.session.situation == item
        while isinstance(driver.session.situation, CardPrompt):
            await driver.press("space", "4")
        await driver.until(lambda: isinstance(driver.session.situation, ProblemPrompt))


async def test_after_three_deaths_cards_go_on_and_the_log_is_named(running: Running) -> None:
    """An engine that dies again and again is given up with the place of its log; r starts it again."""
    async with running(NUMBER, VECTOR, "running_stats.mean", answers=False, size=(120, 30)) as driver:
        driver.engine.dies = 3
        driver.engine.may_answer.set()
        await driver.until(lambda: "stopped" in driver.app.engine_chip)
        await driver.press("enter")
        assert "worker.log" in driver.text
        while isinstance(driver.session.situation, CardPrompt):
            await driver.press("space", "4")
        assert "Press r to start it again" in driver.text
        await driver.press("r")
        await driver.until(lambda: isinstance(driver.session.situation, ProblemPrompt))


async def test_a_minus_sign_after_a_wrong_answer_begins_the_next_try(running: Running) -> None:
    """The field has been left by then; `-` buries only where no try is open."""
    async with running("batchnorm.entry") as driver:
        driver.app.show_review(topic="batchnorm")
        await driver.until(lambda: driver.typing)
        await driver.type("1000")
        await driver.press("enter")
        await driver.until(lambda: not driver.typing)
        await driver.type("-0.4")
        assert driver.typing
        assert driver.field.value == "-0.4"
        assert driver.desk.store.upkeep.paused(driver.clock().day) == frozenset()


async def test_a_buried_problem_comes_back_with_u(running: Running) -> None:
    """What was done last is taken back, with a word about it; no rating is touched."""
    async with running("batchnorm.entry") as driver:
        driver.app.show_review(topic="batchnorm")
        await driver.until(lambda: driver.typing)
        await driver.press("escape", "minus")
        await driver.until(lambda: not isinstance(driver.app.screen, ReviewScreen))
        await driver.press("u")
        await driver.until_shown("Taken back: it is asked again.")
        assert driver.desk.store.upkeep.paused(driver.clock().day) == frozenset()
