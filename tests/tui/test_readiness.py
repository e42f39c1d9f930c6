"""Readiness and the final pass on the screen."""

from collections.abc import Callable

import pytest

from studynorm.scheduling.rating import Rating
from studynorm.study.desk import Desk
from studynorm.study.rehearsal import Rehearsal
from studynorm.study.situation import CardPrompt, ProblemPrompt
from studynorm.tui.app import StudyNorm
from studynorm.tui.home_screen import HomeScreen
from studynorm.tui.readiness_date_screen import DateScreen
from studynorm.tui.readiness_screen import ReadinessScreen
from studynorm.tui.rehearsal_done_screen import RehearsalDoneScreen
from studynorm.tui.rehearsal_screen import PassBar, RehearsalScreen
from studynorm.tui.review_screen import ReviewScreen
from tests.study.backlogs import TODAY, memory, put
from tests.tui.conftest import Driver, Running

FAMILY = "batchnorm.entry"
ONE, TWO, BLUE = "card:first/one", "card:first/two", "card:second/blue"


def learned(driver: Driver) -> None:
    """Put three cards into Review: last seen 40 days ago, with stabilities of 30, 20 and 9000 days."""
    known = ((ONE, 30.0), (TWO, 20.0), (BLUE, 9000.0))
    put(driver.desk.store, (memory(item, stability, TODAY - 40, TODAY + 9) for item, stability in known))


def rehearsal(driver: Driver) -> Rehearsal:
    """Return the pass on the screen."""
    session = getattr(driver.app.screen, "session", None)
    assert isinstance(session, Rehearsal)
    return session


async def test_the_outlook_is_a_row_for_each_topic_and_their_sum(running: Running) -> None:
    """After 40 days at stabilities of 20 and 30 that is 84.6 and 87.9 %; the third card is as good as new."""
    async with running() as driver:
        await driver.press("I")
        await driver.until_shown("Nothing is learned yet, so there is nothing to predict.")
        await driver.press("q")
        learned(driver)
        await driver.press("I")
        await driver.until_shown("No interview date is set; this is for today.")
        assert "2 of 3 learned items would be below 90 %." in driver.text
        rows = {line.strip()[:10].strip(): line for line in driver.text.splitlines()}
        assert "2/4" in rows["First deck"]
        assert "86 % ±" in rows["First deck"]
        assert rows["First deck"].rstrip().endswith(" 2")
        assert "100 % ±" in rows["Second dec"]
        assert "3/6" in rows["All topics"]


@pytest.mark.parametrize("size", [(60, 16), (120, 40)])
async def test_it_fits_any_window(running: Running, size: tuple[int, int]) -> None:
    """The sum and the keys stay in view."""
    async with running(size=size) as driver:
        learned(driver)
        await driver.press("I")
        await driver.until_shown("All topics")
        assert "Enter Final pass" in driver.text
        await driver.press("down")
        await driver.until_shown("t All of the topic")


async def test_the_date_is_typed_and_kept(running: Running) -> None:
    """A wrong one is told; the day is read back; home counts the days; an empty field takes it away."""
    async with running() as driver:
        learned(driver)
        await driver.press("I", "d")
        assert isinstance(driver.app.screen, DateScreen)
        assert "All topics" in driver.text  # the box lies over the table
        await driver.type("2026-02-30")
        await driver.until_shown("There is no day 2026-02-30.")
        await driver.press("enter")
        assert isinstance(driver.app.screen, DateScreen)
        await driver.press(*["backspace"] * 10)
        await driver.type("30")
        await driver.until_shown("The interview is on Wednesday, 1 April, in 30 days.")
        await driver.press("enter")
        await driver.until_shown("Interview in 30 days, on Wednesday, 1 April.")
        assert "To have met the 3 new items by Wednesday, 25 March, learn 1 a day." in driver.text
        assert "2026-04-01" in driver.desk.home.config_file.read_text(encoding="utf-8")
        await driver.press("q")
        await driver.until_shown("Monday, 2 March · interview in 30 days")
        await driver.press("I", "d", "delete", "enter")
        await driver.until_shown("No interview date is set; this is for today.")
        assert "2026-04-01" not in driver.desk.home.config_file.read_text(encoding="utf-8")


async def test_a_pass_over_what_would_be_forgotten(running: Running) -> None:
    """The lowest first; the top says that it is no review; Again comes again; nothing is scheduled."""
    async with running() as driver:
        learned(driver)
        before = driver.desk.store.upkeep.memories()
        await driver.press("I", "enter")
        await driver.until_shown("Final pass   First deck")
        assert "2 left · not scheduled" in driver.text
        prompt = rehearsal(driver).situation
        assert isinstance(prompt, CardPrompt)
        assert prompt.item == TWO
        await driver.press("3")
        assert rehearsal(driver).answered == 0
        await driver.press("space")
        await driver.until_shown("comes again")
        assert "2 Hard" not in driver.text
        assert "4 Easy" not in driver.text
        await driver.press("2", "4")
        assert rehearsal(driver).left == 2
        await driver.press("1", "space", "space", "space", "enter")
        await driver.until_shown("The final pass is done.")
        assert "2 items known, 1 forgotten at first" in driver.text
        assert "Your schedule is as it was: nothing of this counted." in driver.text
        assert driver.desk.store.upkeep.memories() == before
        assert driver.answers() == 0


async def test_undo_works_in_the_pass_and_at_its_end(running: Running) -> None:
    """The last rating is taken back, with the answer shown."""
    async with running() as driver:
        learned(driver)
        await driver.press("I", "enter", "space", "1", "u")
        prompt = rehearsal(driver).situation
        assert isinstance(prompt, CardPrompt)
        assert (prompt.item, prompt.revealed) == (TWO, True)
        assert rehearsal(driver).forgotten == ()
        await driver.press("3", "space", "3")
        assert isinstance(driver.app.screen, RehearsalDoneScreen)
        await driver.press("u")
        assert isinstance(driver.app.screen, RehearsalScreen)
        assert rehearsal(driver).left == 1
        await driver.press("u", "u")
        assert rehearsal(driver).left == 2


async def test_leaving_half_way_says_how_it_went_and_goes_on(running: Running) -> None:
    """Without a rating there is nothing to say; `r` goes on with what was open; back leads to the outlook."""
    async with running() as driver:
        learned(driver)
        await driver.press("I", "enter", "q")
        assert isinstance(driver.app.screen, ReadinessScreen)
        await driver.press("enter", "space", "1", "q")
        await driver.until_shown("The final pass rests here.")
        assert "0 items known, 1 forgotten at first, 2 left" in driver.text
        await driver.press("r")
        assert isinstance(driver.app.screen, RehearsalScreen)
        await driver.press("space", "q", "enter")
        assert isinstance(driver.app.screen, ReadinessScreen)
        await driver.press("q")
        assert isinstance(driver.app.screen, HomeScreen)


async def test_what_was_forgotten_is_named_and_can_be_counted(running: Running) -> None:
    """`g` reviews it, which counts; `b` shows just it in the browser."""
    async with running() as driver:
        learned(driver)
        await driver.press("I", "enter", "space", "1", "space", "3", "space", "3")
        await driver.until_shown("Forgotten at first:")
        assert "✗ " in driver.text
        await driver.press("b")
        await driver.until_shown("1 of 6 · by")
        await driver.press("q")
        await driver.until_shown("The final pass is done.")
        await driver.press("g")
        assert isinstance(driver.app.screen, ReviewScreen)
        assert driver.session.counts.total == 1
        await driver.press("space", "1")
        after = driver.desk.store.memory(TWO)
        assert after is not None
        assert (after.lapses, after.last_day) == (1, TODAY)


async def test_all_of_a_topic(running: Running) -> None:
    """Also what is known well; a topic of which nothing is learned offers none."""
    async with running(FAMILY) as driver:
        learned(driver)
        await driver.press("I")
        await driver.until_shown("2 of 3 learned")
        await driver.press("t")  # the first topic has no card in memory
        assert isinstance(driver.app.screen, ReadinessScreen)
        await driver.press("down", "down", "t")
        prompt = rehearsal(driver).situation
        assert isinstance(prompt, CardPrompt)
        assert (rehearsal(driver).left, prompt.topic) == (1, "second")


async def test_a_problem_in_a_pass(running: Running) -> None:
    """Typed and judged as ever; right is known, and the answer is kept with the drills."""
    async with running(FAMILY) as driver:
        item = f"family:{FAMILY}"
        put(driver.desk.store, [memory(item, 2.0, TODAY - 40, TODAY + 9)])
        await driver.press("I", "enter")
        await driver.until(lambda: isinstance(rehearsal(driver).situation, ProblemPrompt))
        problem = rehearsal(driver).situation
        assert isinstance(problem, ProblemPrompt)
        await driver.until(lambda: driver.typing)
        driver.field.value = repr(problem.variant.answer)
        await driver.press("enter")
        assert rehearsal(driver).suggested is Rating.GOOD
        await driver.click("#rate-1")
        await driver.until(lambda: rehearsal(driver).forgotten == (item,))
        await driver.until(lambda: isinstance(rehearsal(driver).situation, ProblemPrompt))
        again = rehearsal(driver).situation
        assert isinstance(again, ProblemPrompt)
        assert again.variant.params != problem.variant.params
        await driver.press("f3")
        assert driver.app.screen.query_one(PassBar).display
        assert rehearsal(driver).suggested is Rating.AGAIN
        await driver.press("3")
        await driver.until_shown("The final pass is done.")
        assert [kept.kind for kept in driver.desk.store.attempts(9)] == ["drill"]


async def test_the_command_line_opens_a_pass_at_once(desk_of: Callable[..., Desk]) -> None:
    """What is to be shown first is called when the desk is open."""
    desk = desk_of()
    put(desk.store, [memory(ONE, 30.0, TODAY - 40, TODAY + 9), memory(TWO, 20.0, TODAY - 40, TODAY + 9)])
    app = StudyNorm(lambda: desk, engine=False, first=lambda app: app.show_pass(TODAY, "first", 1))
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(300):
            await pilot.pause(0.01)
            if app.screen.query(PassBar):
                break
        assert isinstance(app.screen, RehearsalScreen)
        assert app.screen.session.left == 1
