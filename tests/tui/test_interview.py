"""Interview mode on the screen: choosing, answering, ticking, keeping."""

from tests.tui.conftest import Running

SIZES = [(80, 24), (120, 40)]


async def test_a_question_is_answered_ticked_and_kept(running: Running) -> None:
    """From home by keys alone: choose, hint, model answer, two points, keep; the list then says so."""
    async with running() as driver:
        await driver.press("i")
        await driver.until_shown("not answered yet")
        await driver.press("enter")
        await driver.until_shown("of 3:00")
        assert "hurts in four" not in driver.text  # the model answer
        assert "Which points" not in driver.text
        await driver.press("h")
        assert "Hint 1" in driver.text
        await driver.press("space")
        await driver.until_shown("took 0:02 of 3:00")
        await driver.until_shown("hurts in four")
        await driver.press("1", "3")
        await driver.press("pagedown", "pagedown", "pagedown")
        assert "2 of 5" in driver.text
        assert driver.text.count("[x]") == 2
        await driver.press("enter")
        await driver.until_shown("2 of 5 points today")
    (kept,) = driver.desk.store.interviews.all()
    assert len(kept.made) == 2
    assert kept.seconds == 2


async def test_notes_are_typed_and_esc_does_not_lose_them(running: Running) -> None:
    """In the notes letters are text; leaving with unkept notes asks once and names the way out."""
    async with running() as driver:
        await driver.press("i", "enter", "i")
        await driver.type("hq ")
        await driver.press("escape")
        assert "hq" in driver.text
        await driver.press("escape")
        await driver.until_shown("not kept yet")
        await driver.press("space", "enter")
        await driver.until_shown("0 of 5 points today")
    (kept,) = driver.desk.store.interviews.all()
    assert kept.notes == "hq "


async def test_time_that_runs_out_is_told_in_words(running: Running) -> None:
    """Against the clock the time is counted down, and then how far it is over."""
    async with running() as driver:
        await driver.press("i", "t")
        await driver.until_shown("counted down")
        await driver.press("enter")
        await driver.until_shown("left of 3:00")
        driver.clock.forward(minutes=4)
        await driver.until_shown("over by 1:0")


async def test_leaving_an_untouched_question_keeps_nothing(running: Running) -> None:
    """Esc goes straight back where there is nothing to lose."""
    async with running() as driver:
        await driver.press("i", "enter", "escape")
        await driver.until_shown("not answered yet")
    assert driver.desk.store.interviews.all() == ()


async def test_the_point_at_the_cursor_is_always_in_view(running: Running) -> None:
    """In a low window with notes, a tick by its number brings the point into view, and the notes give way."""
    async with running(size=(80, 16)) as driver:
        await driver.press("i", "enter", "i")
        await driver.type("mine")
        await driver.press("escape", "space", "5")
        await driver.until_shown("❯ [x] 5")
        await driver.press("1")
        await driver.until_shown("❯ [x] 1")
