"""While another program writes: the screen goes on, says who it is, and the grade is kept."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from studynorm.tui import patience
from tests.tui.conftest import Driver, Running

HOLD = (
    "import sqlite3, sys\n"
    "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    "connection.execute('BEGIN IMMEDIATE')\n"
    "print('held', flush=True)\n"
    "sys.stdin.readline()\n"
    "connection.execute('ROLLBACK')\n"
    "print('let go', flush=True)\n"
)


class Other:
    """Another program that holds the write lock of a profile until it is told to let go."""

    def __init__(self, child: "subprocess.Popen[str]") -> None:
        self.number = child.pid
        self._child = child

    def let_go(self) -> None:
        """Let go, and be sure of it."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write("\n")
        self._child.stdin.flush()
        assert self._child.stdout.readline() == "let go\n"


@contextmanager
def writing(path: Path) -> Iterator[Other]:
    """Let another program write."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        yield Other(child)


async def settled(driver: Driver, answers: int) -> None:
    """Wait until so many answers are kept."""
    for _ in range(200):
        if driver.answers() == answers:
            return
        await driver.pilot.pause(0.02)
    pytest.fail(f"{driver.answers()} answers are kept")


async def test_a_rating_waits_for_another_program_and_is_then_kept_once(running: Running) -> None:
    """The screen stays alive and names the program on Linux; once it lets go the next card comes."""
    async with running() as driver:
        driver.desk.store.wait_at_most(10)
        await driver.press("enter", "space")
        before = driver.session.situation
        with writing(driver.desk.path) as other:
            await driver.press("3")
            assert "Waiting for another program" in driver.text
            if sys.platform == "linux":
                assert f"process {other.number}" in driver.text
            assert "your rating is kept" in " ".join(driver.text.split())
            await driver.press("question_mark")
            await driver.press("escape")
            assert driver.session.situation is before
            assert driver.answers() == 0
            other.let_go()
            await settled(driver, 1)
        assert driver.session.situation is not before
        await driver.pilot.pause(3 * patience._AGAIN_SECONDS)
        assert driver.answers() == 1


async def test_when_it_takes_too_long_the_same_key_keeps_the_grade(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen says who writes and what to press, and nothing is saved until then."""
    monkeypatch.setattr(patience, "WAIT_SECONDS", 0.0)
    async with running() as driver:
        driver.desk.store.wait_at_most(10)
        await driver.press("enter", "space")
        with writing(driver.desk.path) as other:
            await driver.press("4")
            told = " ".join(driver.text.split())
            assert "Press 4 to try again" in told
            assert driver.answers() == 0
            other.let_go()
        await driver.press("4")
        await settled(driver, 1)


async def test_another_rating_takes_the_place_of_the_one_that_waits(running: Running) -> None:
    """Whoever thinks again while the rating waits is heard: one answer is kept, the last one."""
    async with running() as driver:
        driver.desk.store.wait_at_most(10)
        await driver.press("enter", "space")
        with writing(driver.desk.path) as other:
            await driver.press("4", "1")
            other.let_go()
            await settled(driver, 1)
        await driver.pilot.pause(3 * patience._AGAIN_SECONDS)
        assert driver.answers() == 1
        kept = driver.desk.store.last_review(driver.clock().day)
        assert kept is not None
        assert kept.rating == 1


async def test_a_program_that_writes_keeps_nobody_from_reading(running: Running) -> None:
    """A session begins, its cards are shown, and home counts them."""
    async with running() as driver:
        driver.desk.store.wait_at_most(10)
        with writing(driver.desk.path):
            await driver.press("enter", "space")
            assert "Again" in driver.text
            await driver.press("q")
            assert "Press Enter to begin." in driver.text
