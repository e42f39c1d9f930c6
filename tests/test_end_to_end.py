"""The program as a learner meets it: a real terminal, a fresh home, a crash in the middle."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.terminal import PATIENCE, PROGRAM, Terminal, processes_of, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


def due(home: Path) -> dict[str, Any]:
    done = subprocess.run(
        [*PROGRAM, "due", "--json", "--home", str(home)], capture_output=True, text=True, check=True
    )
    payload: dict[str, Any] = json.loads(done.stdout)
    return payload


def stored(home: Path) -> int:
    """Return how many reviews the profile holds at this moment."""
    with closing(sqlite3.connect(home / "profiles" / "default.sqlite")) as connection:
        count: int = connection.execute("SELECT count(*) FROM review").fetchone()[0]
        return count


def rate(terminal: Terminal, home: Path, key: str, answers: int) -> None:
    """Press a rating until it is stored: a key that comes before its prompt was painted does not count."""
    deadline = time.monotonic() + PATIENCE
    while stored(home) != answers:
        assert time.monotonic() < deadline, terminal.text()
        terminal.wait("1 Again")
        terminal.press(key)
        pause = time.monotonic() + 3.0
        while stored(home) != answers and time.monotonic() < pause:
            time.sleep(0.02)


def answer_one(terminal: Terminal, home: Path, answered: int) -> None:
    """Answer what is on the screen: a card with Good, a problem by giving up; wait until it is stored."""
    screen = terminal.wait(lambda text: "Show the answer" in text or "Check" in text)
    if "Show the answer" in screen:
        terminal.press(" ")
        rate(terminal, home, "3", answered)
    else:
        terminal.press("\x1bOR")  # F3: the worked solution
        rate(terminal, home, "1", answered)


def test_ten_reviews_a_crash_and_an_undo(tmp_path: Path) -> None:
    """Killed with -9 after the fifth answer, a restart shows five, `u` undoes the fifth, and work goes on."""
    home = tmp_path / "home"
    home.mkdir()
    terminal = Terminal(home)
    terminal.wait("Press Enter")
    terminal.press("\r")
    for answered in range(1, 6):
        answer_one(terminal, home, answered)
    os.kill(terminal.process.pid, signal.SIGKILL)
    terminal.process.wait()
    if sys.platform == "linux":
        wait_until(lambda: not processes_of(home), "the engine process was left behind")
    assert due(home)["done"]["answers"] == 5
    with closing(sqlite3.connect(home / "profiles" / "default.sqlite")) as connection:
        fifth = str(connection.execute("SELECT item FROM review ORDER BY id DESC").fetchone()[0])

    terminal = Terminal(home)
    terminal.wait("5 answers")
    terminal.press("\r")
    terminal.wait(lambda text: "Show the answer" in text or "Check" in text)
    terminal.press("\x1b")  # out of the answer field, should a problem be open
    terminal.press("u")
    deadline = time.monotonic() + PATIENCE
    while stored(home) != 4:
        assert time.monotonic() < deadline, terminal.text()
        time.sleep(0.02)
    # A card comes back with its answer shown, a problem with its field open.
    fifth_is_a_card = fifth.startswith("card:")
    terminal.wait(lambda text: ("1 Again" if fifth_is_a_card else "Check") in text)
    if fifth_is_a_card:
        rate(terminal, home, "3", 5)
    else:
        answer_one(terminal, home, 5)
    for answered in range(6, 11):
        answer_one(terminal, home, answered)
    terminal.press("\x1b")
    terminal.press("q")
    terminal.wait("10 answers")
    terminal.press("q")
    terminal.process.expect(pexpect.EOF, timeout=PATIENCE)
    terminal.process.close()
    assert terminal.process.exitstatus == 0
    if sys.platform == "linux":
        wait_until(lambda: not processes_of(home), "the engine process was left behind")
