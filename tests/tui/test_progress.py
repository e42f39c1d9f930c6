"""The progress screen: its sections, the numbers beside every mark, and where its rows lead."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, timedelta

import pytest

from studynorm.engine.attempt import Attempt
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import moment_of
from studynorm.storage.errors import Busy
from studynorm.study.desk import Desk
from studynorm.study.heat import calendar_of
from studynorm.study.overview import overview
from studynorm.study.progress import progress_of
from studynorm.study.streak import Streak
from studynorm.tui.drill_screen import DrillScreen
from studynorm.tui.progress_calendar import calendar_view
from studynorm.tui.progress_rows import slip_rows
from studynorm.tui.progress_screen import ProgressScreen
from studynorm.tui.progress_view import Section, tabs_line, today_view
from studynorm.tui.theme import palette_of
from studynorm.tui.topic_screen import TopicScreen
from tests.conftest import FrozenClock
from tests.tui.conftest import Driver, Running

DAY_MS = 86_400_000
FAMILY = "residual.jacobian"
PALETTE = palette_of({})


def write(desk: Desk, clock: FrozenClock, *, confidence: int | None = None) -> None:
    """Keep twelve weeks of answers to two cards, and a misconception that was made in the past."""
    for back in range(84, -1, -1):
        moment = moment_of(clock.utc - timedelta(days=back), UTC)
        for number, item in enumerate(list(desk.catalogue.candidates)[:2]):
            memory = desk.store.memory(item)
            if memory is not None and memory.due_day is not None and memory.due_day > moment.day:
                continue
            in_review = memory is not None and memory.due_day is not None
            rating = Rating.EASY if not in_review else Rating.AGAIN if number else Rating.HARD
            review = desk.scheduler.review(item, memory, rating, moment, duration_ms=30_000)
            desk.store.record(replace(review, confidence=confidence))
    for number in range(10):
        back = 40 if number < 5 else 3
        made = back == 40
        desk.store.record_drill(
            Attempt(
                item=f"family:{FAMILY}",
                family=FAMILY,
                version=1,
                level=1 + number % 2,
                seed=number,
                prompt="?",
                params="{}",
                answer="1",
                misconceptions='[{"id": "branch_forgotten", "why": "The branch has a part $J$ too."}]',
                typed="2",
                verdict="wrong" if made else "correct",
                misconception="branch_forgotten" if made else None,
                hints=0,
                revealed=False,
                at=clock().at - back * DAY_MS,
            )
        )


async def opened(driver: Driver) -> None:
    """Open the screen from home."""
    await driver.press("s")
    await driver.until_shown("Retention")


async def test_every_section_of_an_empty_profile_says_so_in_a_sentence(running: Running) -> None:
    """Nothing is an error, nothing is blank, and Tab leads round through all of them."""
    async with running() as driver:
        await opened(driver)
        for words in (
            "No streak yet",
            "becomes a square here",
            "Nothing is due in the next 30 days",
            "Nothing is learned yet",
            "No problem was answered",
            "No misconception was recognised",
        ):
            assert words in " ".join(driver.text.split()), words
            await driver.press("tab")
        assert "No streak yet" in driver.text
        await driver.press("left")
        assert "No misconception was recognised" in driver.text
        await driver.press("q")
        await driver.until_shown("Press Enter to begin.")


@pytest.mark.parametrize("size", [(120, 40), (60, 16)])
async def test_the_figures_of_every_section_are_there_in_numbers(
    running: Running, size: tuple[int, int], clock: FrozenClock
) -> None:
    """What is drawn is written, too, at every size: shares, intervals, days, trends."""
    async with running(FAMILY, size=size) as driver:
        write(driver.desk, clock, confidence=75)
        expected = progress_of(driver.desk, overview(driver.desk))
        await opened(driver)
        month = expected.month.all
        assert month.n > 2
        assert f"{month.hits} of {month.n}" in driver.text
        assert expected.forecast.total > 0
        await driver.press("2", "G")
        assert f"{expected.calendar.total} answers on" in " ".join(driver.text.split())
        await driver.press("3")
        assert f"30 days {sum(expected.forecast.days)}" in " ".join(driver.text.split())
        await driver.until_shown("└")  # the axis of the plot
        await driver.press("4")
        assert "First deck" in driver.text
        assert f"{100 * (expected.knowledge.recall or 0):.0f}%" in driver.text
        await driver.press("5")
        assert "40% of 5" in driver.text or "60% of 5" in driver.text
        await driver.press("6")
        assert "branch forgotten" in driver.text
        assert "↘ fading" in driver.text
        assert "0 of 5" in driver.text
        assert "The branch has a part" in driver.text
        await driver.press("7")
        assert "75% sure" in driver.text
        assert "Brier score" in driver.text


async def test_a_row_leads_to_its_topic_or_to_practice(running: Running, clock: FrozenClock) -> None:
    """Enter on a topic opens it; on a family or a misconception it practises; `q` comes back."""
    async with running(FAMILY) as driver:
        write(driver.desk, clock)
        await opened(driver)
        assert "Calibration" not in driver.text
        await driver.press("4", "down", "enter")
        await driver.until(lambda: isinstance(driver.app.screen, TopicScreen))
        await driver.until_shown("First deck")
        await driver.press("escape")
        await driver.until_shown("Predicted recall now")
        assert "Enter Open topic" in driver.text
        for section in ("5", "6"):
            await driver.press(section)
            assert "Enter Practice" in driver.text
            await driver.press("enter")
            await driver.until(lambda: isinstance(driver.app.screen, DrillScreen))
            await driver.press("escape", "q")
            await driver.until(lambda: isinstance(driver.app.screen, ProgressScreen))


async def test_a_family_that_is_gone_cannot_be_practised(running: Running, clock: FrozenClock) -> None:
    """It is not in the catalogue any more; its figures stay in the list, and the key is not offered."""
    async with running() as driver:
        write(driver.desk, clock)
        await opened(driver)
        await driver.press("5")
        await driver.until_shown(FAMILY)
        assert "Practice" not in driver.text.splitlines()[-1]
        await driver.press("enter")
        assert isinstance(driver.app.screen, ProgressScreen)


async def test_sections_and_rows_answer_to_the_mouse(running: Running, clock: FrozenClock) -> None:
    """A click on a section turns to it, a click on a topic opens it."""
    async with running() as driver:
        write(driver.desk, clock)
        await opened(driver)
        tabs = driver.text.splitlines()[1]
        await driver.click("#progress-tabs", (tabs.index("Memory") - tabs.index("1 Today") + 2, 0))
        await driver.until_shown("Predicted recall now")
        await driver.click("#progress-list", (5, 1))
        await driver.until(lambda: isinstance(driver.app.screen, TopicScreen))


async def test_the_screen_counts_again_when_one_comes_back(running: Running, clock: FrozenClock) -> None:
    """An answer given meanwhile is in the figures; `r` counts at once."""
    async with running() as driver:
        await opened(driver)
        assert "No answer yet today" in driver.text
        item = next(iter(driver.desk.catalogue.candidates))
        driver.desk.store.record(driver.desk.scheduler.review(item, None, Rating.EASY, clock()))
        await driver.press("r")
        await driver.until_shown("1 answer, 1 passed")


async def test_a_profile_that_cannot_be_read_is_told_and_r_tries_again(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason stands in the notice line; the screen stays alive."""
    busy = [True]

    def refuse(*args: object) -> object:
        if busy.pop():
            raise Busy("the profile is locked by another program")
        busy.append(False)
        return progress_of(*args)  # type: ignore[arg-type]

    busy.insert(0, False)
    monkeypatch.setattr("studynorm.tui.progress_screen.progress_of", refuse)
    async with running() as driver:
        await driver.press("s")
        await driver.until_shown("locked by another program")
        assert "r tries again" in driver.text
        await driver.press("r")
        await driver.until_shown("Retention")


async def test_keys_work_while_the_figures_are_counted(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counting happens beside the screen: `q` goes back before it has ended."""
    going = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(*args: object) -> object:
        loop.call_soon_threadsafe(going.set)
        import time

        time.sleep(0.3)
        return progress_of(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("studynorm.tui.progress_screen.progress_of", slow)
    async with running() as driver:
        await driver.press("s")
        await asyncio.wait_for(going.wait(), 5)
        assert "Adding up your answers" in driver.text
        await driver.press("q")
        assert "Press Enter to begin." in driver.text


def test_the_screen_itself_loads_no_plotting_library() -> None:
    """It is read when the forecast is first drawn."""
    code = "import sys, studynorm.tui.progress_screen; print({'plotext', 'numpy', 'torch'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"


# -- how it is drawn -----------------------------------------------------------------------------------
def test_the_line_of_sections_fits_where_it_can() -> None:
    """At every width the section that is shown is named, and each has its place for the mouse."""
    for width in range(4, 130):
        line, spans = tabs_line(tuple(Section), Section.SLIPS, width, PALETTE)
        assert "Slips" in line.plain
        assert len(spans) == len(Section)
        assert spans[0][0] == 0
        assert line.cell_len <= max(28, width)


@pytest.mark.parametrize(("width", "weeks", "cell"), [(116, 53, 2), (76, 53, 1), (58, 53, 1), (30, 25, 1)])
def test_the_calendar_has_one_place_for_each_day(
    desk_of: Callable[..., Desk], clock: FrozenClock, width: int, weeks: int, cell: int
) -> None:
    """The newest weeks that fit; today is the last day, and the signs are those of the legend."""
    desk = desk_of()
    progress = progress_of(desk, overview(desk))
    today = progress.moment.day
    answers = {today - 1: 1, today - 2: 5, today - 3: 10, today - 4: 15, today - 6: 20}
    calendar = calendar_of(answers, [today - 5], today)
    view = calendar_view(replace(progress, calendar=calendar, streak=Streak()), width, PALETTE).plain
    rows = view.splitlines()
    assert max(map(len, rows)) <= width
    days = {}
    for weekday, row in enumerate(rows[1:8]):
        for week in range(weeks):
            sign = row[5 + week * cell : 6 + week * cell]
            days[calendar.first + 7 * (53 - weeks) + 7 * week + weekday] = sign.strip()
    assert today not in answers
    limits = calendar.thresholds
    for day, sign in days.items():
        count = answers.get(day, 0)
        expected = (
            "" if day > today else "-" if day == today - 5 else "·░▒▓█"[sum(count >= n for n in limits)]
        )
        assert sign == expected, day
    for words in ("· none", "- nothing due", f"{limits[3]}+"):
        assert words in view


def test_the_interval_is_drawn_where_it_lies(desk_of: Callable[..., Desk], clock: FrozenClock) -> None:
    """Measured, interval and desired stand in their order on the scale, and it says what is below."""
    from studynorm.study.retention import Retention, Share

    desk = desk_of()
    worse = Retention(Share(60, 100), Share(60, 100), Share())
    progress = replace(progress_of(desk, overview(desk)), month=worse, year=worse)
    view = today_view(progress, 76, PALETTE).plain
    assert "▼ Below what you desire: recalled 60% of 100 in 30 days (50–69%); desired 90%." in view
    row = next(line for line in view.splitlines() if line.startswith("30 days"))
    assert "60 of 100   60%    50–69%" in row
    drawn = row[47:]
    assert drawn.strip().startswith("─")
    assert drawn.index("●") < drawn.rindex("─") < drawn.index("│")
    assert "mature" in view
    assert "–" in next(line for line in view.splitlines() if "mature" in line)


def test_ids_and_reasons_from_a_profile_are_shown_and_not_obeyed(
    desk_of: Callable[..., Desk], clock: FrozenClock
) -> None:
    """A misconception, a family and a reason with control characters come as visible stand-ins."""
    desk = desk_of()
    desk.store.record_drill(
        Attempt(
            item="family:evil\x1b[31m.x",
            family="evil\x1b[31m.x",
            version=1,
            level=1,
            seed=1,
            prompt="",
            params="{}",
            answer="1",
            misconceptions='[{"id": "bad\\u001b[2J", "why": "worse\\u001b[2J"}]',
            typed="",
            verdict="wrong",
            misconception="bad\x1b[2J",
            hints=0,
            revealed=False,
            at=clock().at,
        )
    )
    progress = progress_of(desk, overview(desk))
    _, rows = slip_rows(progress, 76, PALETTE)
    assert len(rows) == 2
    for row in rows:
        assert "\x1b" not in row.line.plain
        assert "\x1b" not in row.detail.plain
