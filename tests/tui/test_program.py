"""The program as a whole: home, help, colours, start and end."""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from studynorm.engine.variant import Variant
from studynorm.scheduling.rating import Rating
from studynorm.storage.backups import inspect
from studynorm.storage.errors import NotADatabase
from studynorm.study.desk import Desk
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Key, ProblemPrompt
from studynorm.tui.app import StudyNorm
from studynorm.tui.key_line import live_caps
from tests.tui.conftest import Running

WINDOW_FRAME = {("ff", "5f", "57"), ("fe", "bc", "2e"), ("28", "c8", "40"), ("c5", "c8", "c6")}
"""The buttons and the title with which a screenshot frames the screen."""


async def test_home_shows_counts_topics_and_what_to_press(running: Running) -> None:
    """Home names the topics and what is left of each, and the keys that work."""
    async with running() as driver:
        text = driver.text
        assert "Monday, 2 March" in text
        assert "First deck" in text
        assert "Second deck" in text
        assert "Press Enter to begin." in text
        for word in ("Enter Review", "t Topic", "b Browse", "s Progress", "? Help", "q Quit"):
            assert word in text


async def test_the_copy_of_the_day_is_made_behind_the_first_screen(
    running: Running, desk_of: Callable[..., Desk], session_of: Callable[..., StudySession]
) -> None:
    """Whoever only opens the program has a copy of what was there, named by the study day."""
    session = session_of(desk := desk_of())
    session.reveal()
    assert session.answer(Rating.GOOD)
    copy = desk.home.backups / "default-2026-03-02.sqlite"
    assert not copy.exists()
    async with running() as driver:
        await driver.until(copy.exists)
    assert inspect(copy).reviews == 1


async def test_a_topic_opened_with_t_is_reviewed_alone(running: Running) -> None:
    """With the second topic highlighted, `t` opens it; its review asks its two cards and is done with it."""
    async with running() as driver:
        await driver.press("down", "t")
        await driver.until_shown("Another note.")
        await driver.press("v")
        seen = []
        while isinstance(driver.session.situation, CardPrompt):
            seen.append(driver.session.situation.topic)
            await driver.press("space", "4")
        assert seen == ["second", "second"]
        await driver.until_shown("That was all of Second deck")


async def test_home_counts_what_was_done(running: Running) -> None:
    """Back home, the answers of today are counted."""
    async with running() as driver:
        await driver.press("enter", "space", "4", "q")
        await driver.until_shown("Today: 1 answer, 1 passed")


async def test_u_at_home_takes_back_the_last_answer(running: Running) -> None:
    """Undo works from home too, so after a restart: the last card is back with its answer."""
    async with running() as driver:
        await driver.press("enter", "space", "4", "q", "u")
        assert isinstance(driver.session.situation, CardPrompt)
        assert driver.answers() == 0


async def test_help_lists_only_keys_that_work_here(running: Running) -> None:
    """The overlay shows reveal before the reveal and the ratings after it, never both."""
    async with running() as driver:
        await driver.press("enter", "question_mark")
        assert "Show the answer" in driver.text
        assert "Hard" not in driver.text.partition("Keys")[2]
        await driver.press("escape", "space", "f1")
        assert "Hard" in driver.text.partition("Keys")[2]
        assert "Show the answer" not in driver.text


async def test_every_key_of_the_bottom_line_does_something(running: Running) -> None:
    """Each cap that the bottom line offers on a card changes the screen, the session or the program."""
    async with running() as driver:
        await driver.press("enter", "space", "3")
        labels = {cap.label: cap.keys[0] for cap in live_caps(driver.app.screen)}
        assert set(labels) == {"Show the answer", "Undo", "Back", "Help"}
        for key in labels.values():
            before = (driver.text, driver.app.screen)
            await driver.press(key)
            assert (driver.text, driver.app.screen) != before
            if driver.app.screen is not before[1]:
                await driver.press("escape" if len(driver.app.screen_stack) > 2 else "enter")


async def test_wrong_and_right_are_told_without_colour(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With NO_COLOR nothing but greys is drawn, and the verdict is told by sign and word."""
    monkeypatch.setenv("NO_COLOR", "1")
    async with running("batchnorm.entry") as driver:
        driver.app.show_review(topic="batchnorm")
        await driver.until(lambda: driver.typing)
        driver.field.value = "1000"
        await driver.press("enter")
        assert isinstance(driver.session.situation, ProblemPrompt)
        assert "✗ Not this." in driver.text
        colours = re.findall(r'fill(?:: |=")#(..)(..)(..)', driver.app.export_screenshot())
        drawn = set(colours) - WINDOW_FRAME
        assert drawn
        assert all(red == green == blue for red, green, blue in drawn)


async def test_the_engine_is_closed_at_the_end(running: Running) -> None:
    """Leaving the program ends the engine process."""
    async with running() as driver:
        await driver.press("q")
    assert driver.engine.closed


async def test_a_profile_that_cannot_be_opened_ends_the_program_with_its_message() -> None:
    """A damaged profile ends in the message of the store and exit code 1, without a traceback."""

    def refuse() -> Desk:
        raise NotADatabase("profile.sqlite is not a database.")

    app = StudyNorm(refuse)
    async with app.run_test() as pilot:
        await pilot.pause()
    assert app.return_code == 1
    assert app.failure == "profile.sqlite is not a database."


async def test_broken_decks_are_one_quiet_line(desk_of: Callable[..., Desk], tmp_path: Path) -> None:
    """Errors in decks are counted in one line that says what to run."""
    from studynorm.content.place import ContentError, Place

    desk = desk_of()
    error = ContentError(Place(tmp_path / "bad.md", 3), "no answer", "Add one.")
    library = replace(desk.catalogue.library, errors=(error, error))
    broken = replace(desk, catalogue=replace(desk.catalogue, library=library))
    app = StudyNorm(lambda: broken, lambda log: _NoEngine())
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(50):
            await pilot.pause(0.01)
        text = "\n".join(
            "".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()
        )
    assert "2 problems in your decks: run “studynorm check”." in text


class _NoEngine:
    deaths = 0

    async def start(self) -> str:
        return "2.13.0"

    async def request(self, op: str, **arguments: object) -> object:
        raise AssertionError(op)

    async def close(self) -> None:
        pass


def test_the_screens_load_nothing_heavy() -> None:
    """Importing the program loads neither torch nor anything else that the first frame can do without."""
    heavy = "torch numpy plotext alembic genanki markdown_it sqlalchemy fsrs pandas"
    code = f"import sys, studynorm.tui.app; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_a_real_engine_serves_a_problem(
    desk_of: Callable[..., Desk], verified: Callable[[Key], Variant]
) -> None:
    """The engine process itself delivers a verified variant to the screen."""
    app = StudyNorm(lambda: desk_of("batchnorm.entry"))
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(3000):
            await pilot.pause(0.02)
            if "torch" in app.engine_chip:
                break
        app.show_review(topic="batchnorm")
        for _ in range(500):
            await pilot.pause(0.02)
            session = getattr(app.screen, "session", None)
            if session is not None and isinstance(session.situation, ProblemPrompt):
                break
        assert session is not None
        prompt = session.situation
        assert isinstance(prompt, ProblemPrompt)
        assert prompt.variant.verified is not None
        key = Key(prompt.variant.family, prompt.variant.level, prompt.variant.seed or 0)
        assert verified(key) == prompt.variant


async def test_a_text_that_goes_on_below_is_said_to_until_its_end(running: Running) -> None:
    """At a low height the bottom line names the key for more; at the end of the text it does not."""
    async with running(size=(60, 12)) as driver:
        card = driver.desk.catalogue.library.decks[0].cards[0]
        long = replace(card, back="\n\n".join(f"Line {number}." for number in range(30)))
        await driver.press("enter")
        prompt = driver.session.situation
        assert isinstance(prompt, CardPrompt)
        driver.session.situation = replace(prompt, card=long)
        await driver.press("space")
        await driver.until_shown("▼ PgDn")
        for _ in range(12):
            await driver.press("pagedown")
        await driver.until(lambda: "▼ PgDn" not in driver.text)
        assert "Line 29." in driver.text


async def test_a_box_whose_text_goes_on_below_says_so(running: Running) -> None:
    """The keys of a screen are more than a low window shows; the lower edge tells until they are read."""
    async with running(size=(80, 14)) as driver:
        await driver.press("question_mark")
        await driver.until_shown("▼ PgDn · Esc closes")
        await driver.press("pagedown", "pagedown", "pagedown")
        await driver.until(lambda: "▼ PgDn" not in driver.text)


async def test_topics_keep_to_one_line_each_when_the_list_scrolls(running: Running) -> None:
    """A line of news shortens the list; the rows leave room for its scrollbar from the start."""
    families = ("batchnorm.entry", "residual.growth", "backward.layernorm", "statistics.axis_trap")
    async with running(*families, "transformer.adaln", "deployment.sync_mean", size=(80, 20)) as driver:
        await driver.press("u")
        await driver.until_shown("nothing to take back")
        rows = driver.text.partition("strength")[2].partition("mature")[0].splitlines()[1:-1]
        assert len(rows) >= 4
        assert all(re.search(r"[a-z].*\d", row) for row in rows if row.strip())
