"""Signals, a terminal that is closed, odd bytes and errors: the terminal comes back and nothing is lost."""

import os
import re
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.terminal import PROGRAM, Terminal, processes_of, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

CARDS: tuple[str, ...] = (
    "review",
    "--item",
    "card:batchnorm/forward-pass",
    "--item",
    "card:batchnorm/epsilon-place",
)
CARDS += ("--item", "card:batchnorm/epsilon-default")
PROBLEM = ("review", "--item", "family:batchnorm.entry")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    return place


def stored(home: Path, table: str = "review") -> int:
    """Return how many reviews, or attempts, the profile holds at this moment."""
    with closing(sqlite3.connect(home / "profiles" / "default.sqlite")) as connection:
        count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return count


def after_one_review(home: Path) -> Terminal:
    """Start a review of cards, rate the first one Good, and wait for the engine process too."""
    terminal = Terminal(home, *CARDS)
    rate_the_first(terminal)
    engine_of(home)
    return terminal


def rate_the_first(terminal: Terminal) -> None:
    terminal.wait("Show the answer")
    terminal.press(" ")
    terminal.wait("3 Good")
    terminal.press("3")
    terminal.wait(lambda text: "3 Good" not in text and stored(terminal.home) == 1)


def engine_of(home: Path) -> None:
    if sys.platform == "linux":
        wait_until(lambda: any("studynorm.worker" in line for line in processes_of(home)))


def nothing_is_left(home: Path) -> None:
    wait_until(lambda: not processes_of(home), "a process was left behind")


class TestEnds:
    """Ways to end the program from outside."""

    @pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
    def test_a_signal_ends_the_program_in_order(self, home: Path, name: str) -> None:
        """The terminal is as before, without a word; the answer is kept, the engine process gone."""
        number = getattr(signal, name)
        terminal = after_one_review(home)
        os.kill(terminal.process.pid, number)
        assert terminal.end() == 128 + number
        assert terminal.left_on() == set()
        assert terminal.after_the_screen() == ""
        nothing_is_left(home)
        assert stored(home) == 1

    @pytest.mark.parametrize("trap", ["", "trap '' HUP; "], ids=["hang-up", "nohup"])
    def test_a_terminal_that_is_closed_ends_the_program(self, home: Path, trap: str) -> None:
        """With the signal and without it: nothing goes on reading a terminal that is not there."""
        terminal = Terminal(home, command=["/bin/sh", "-c", f"{trap}exec {' '.join([*PROGRAM, *CARDS])}"])
        terminal.wait("Show the answer")
        engine_of(home)
        terminal.hang_up()
        terminal.process.wait()
        assert terminal.process.exitstatus == 128 + signal.SIGHUP
        nothing_is_left(home)

    def test_a_running_demo_leaves_no_process(self, home: Path) -> None:
        """A demo has an engine process of its own, which ends with the program too."""
        terminal = Terminal(home)
        terminal.wait("Press Enter")
        terminal.press("d")
        terminal.wait("residual")
        terminal.press("\r")
        terminal.wait("Run without a guess")
        terminal.press("\r")
        terminal.wait("loading torch")
        if sys.platform == "linux":
            wait_until(lambda: sum("studynorm.worker" in line for line in processes_of(home)) == 2)
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 128 + signal.SIGTERM
        assert terminal.left_on() == set()
        nothing_is_left(home)

    def test_a_signal_while_a_terminal_takes_nothing_ends_the_program_too(self, home: Path) -> None:
        """Flow stopped, as over a dead line: there is no waiting for ever, and line editing is as before."""
        terminal = Terminal(home, *CARDS)
        terminal.wait("Show the answer")
        for height in range(75):  # each size is drawn anew, and nobody reads it
            terminal.process.setwinsize(20 + height % 5, 80)
            time.sleep(0.02)
        os.kill(terminal.process.pid, signal.SIGTERM)
        time.sleep(0.5)
        assert terminal.process.isalive()
        os.kill(terminal.process.pid, signal.SIGTERM)  # told twice, it does not wait
        os.waitid(os.P_PID, terminal.process.pid, os.WEXITED | os.WNOWAIT)
        assert terminal.end() == 128 + signal.SIGTERM
        assert "line discipline" not in terminal.left_on()


class TestPause:
    """Job control in a shell."""

    def test_a_paused_program_goes_on_with_what_was_typed(self, home: Path) -> None:
        """Ctrl-Z leaves a usable prompt and a job that stands still; `fg` goes on, after SIGSTOP too."""
        shell = Terminal(home, command=["/bin/bash", "--norc", "--noprofile", "-i"])
        shell.press("PS1='ready''> '\r")
        shell.wait("ready>")
        shell.press(f"{' '.join(PROGRAM)} drill batchnorm.entry\r")
        shell.wait("type your answer")
        shell.press("-3/sq")
        shell.wait("“sq” is not a number")

        shell.press("\x1a")
        shell.wait("Stopped")
        assert shell.left_on() <= {"2004", "line discipline"}  # the shell's own, while it reads
        if sys.platform == "linux":
            wait_until(lambda: jobs_of(home) == {"program": "T", "engine": "T"})
        line_editing_is_usual(shell)
        shell.press("bg\r")  # it may not draw over the shell, so it stops again
        shell.press("echo un''disturbed\r")
        shell.wait("undisturbed")
        shell.press("fg\r")
        shell.wait(lambda text: "-3/sq" in text and "Leave the field" in text)
        shell.press("rt")
        shell.wait("-3/sqrt")

        if sys.platform == "linux":
            os.kill(program_of(home), signal.SIGSTOP)  # nobody announced it: the screen is as it was
            shell.wait("Stopped")
            shell.press("stty sane; clear; fg\r")
            shell.wait(lambda text: "-3/sqrt" in text and "Leave the field" in text)
            wait_until(lambda: "T" not in jobs_of(home).values())
        shell.press("(5)")
        shell.wait("read as −1.34164")

        shell.press("\x03")
        shell.wait("ready>")
        shell.press("echo code $?\r")
        shell.wait("code 0")
        line_editing_is_usual(shell)
        wait_until(lambda: not jobs_of(home), "a process was left behind")

    def test_without_a_shell_to_go_back_to_the_program_goes_on(self, home: Path) -> None:
        """Started by a window itself, Ctrl-Z would leave a dead window; the same card is there instead.

        An interrupt from outside then ends it in order.
        """
        terminal = Terminal(home, *CARDS)
        before = terminal.wait("Show the answer")
        terminal.press("\x1a")
        terminal.press(" ")
        terminal.wait("3 Good")
        assert before.splitlines()[3] in terminal.text()
        os.kill(terminal.process.pid, signal.SIGINT)
        assert terminal.end() == 128 + signal.SIGINT
        assert terminal.left_on() == set()


def line_editing_is_usual(shell: Terminal) -> None:
    """Ask the terminal itself whether it echoes and reads lines."""
    shell.press("clear; stty -a\r")
    said = shell.wait(lambda text: "icanon" in text and "ready>" in text)
    assert re.search(r"[^-]icanon", said)
    assert re.search(r"[^-]echo ", said)


def jobs_of(home: Path) -> dict[str, str]:
    """Return in which state the program and its engine are: `T` is stopped. On Linux alone."""
    return {
        "engine" if "studynorm.worker" in line else "program": state
        for line, state, _ in _processes(home)
        if "-m studynorm" in line
    }


def program_of(home: Path) -> int:
    (number,) = (
        number
        for line, _, number in _processes(home)
        if "-m studynorm" in line and "studynorm.worker" not in line
    )
    return number


def _processes(home: Path) -> list[tuple[str, str, int]]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"STUDYNORM_HOME={home}\0".encode() in (folder / "environ").read_bytes():
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found.append((line, (folder / "stat").read_text().rpartition(") ")[2][0], int(folder.name)))
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """A review that stands at a problem with an empty field; each test leaves it so."""
    home = tmp_path_factory.mktemp("problem")
    terminal = Terminal(home, *PROBLEM)
    terminal.wait("type your answer")
    yield terminal
    terminal.process.close(force=True)


class TestKeys:
    """What a terminal sends beside keys, and keys that come too often."""

    @pytest.mark.parametrize("pause", [0.0, 0.3], ids=["whole", "torn"])
    def test_reports_of_the_terminal_are_no_text(self, problem: Terminal, pause: float) -> None:
        """Focus, cursor and mouse reports, and a lone byte of a character: nothing is typed or graded.

        Torn apart by a slow line, the first part is the Esc key, which leaves the field and does no more.
        """
        for report in ("[I", "[O", "[24;80R", "[<0;10;20M"):
            problem.press("\x1b", 0)
            problem.press(report, pause)
            if pause:
                problem.wait("Enter Answer")
                problem.press("\r")
                problem.wait("Leave the field")
        problem.press(b"\xc2", 0)
        problem.press("7", 0.3)
        problem.wait("❯ 7 ")
        problem.press("\x7f")
        problem.wait("type your answer")
        assert (stored(problem.home), stored(problem.home, "attempt")) == (0, 0)

    def test_the_window_may_shrink_to_nothing_and_come_back(self, problem: Terminal) -> None:
        """The half-typed answer and the question are as they were; in between there is a word at most."""
        problem.press("-3/sq")
        problem.wait("is not a number")
        before = problem.text()
        for size in ((10, 3), (1, 1), (10, 3)):
            problem.resize(*size)
            time.sleep(0.2)
            problem.text()
        problem.resize(80, 24)
        problem.wait(lambda text: text == before)
        problem.press("\x7f" * 5)
        problem.wait("type your answer")

    def test_a_field_keeps_its_letters_and_grades_wait_for_the_solution(self, problem: Terminal) -> None:
        """Keys of other screens are text in the field; Tab stays; a grade counts only after a solution."""
        home = problem.home
        problem.press("quit 1e-3 u? s4")
        problem.wait("quit 1e-3 u? s4")
        problem.press("\t")
        problem.press("\x1b")
        for key in "1234":
            problem.press(key)
        assert stored(home) == 0
        problem.press("\x1bOR")  # F3
        problem.wait("1 Again")
        assert (stored(home), stored(home, "attempt")) == (0, 0)
        problem.press("3")
        problem.wait(lambda text: "1 Again" not in text)
        assert stored(home) == 1
        problem.press("3")  # nothing has the keys, and nothing waits for a grade
        problem.wait(lambda _: True)
        assert stored(home) == 1

    def test_a_rating_key_twice_or_held_grades_one_card(self, home: Path) -> None:
        """`33` within 20 ms, a held `3`, thirty times Enter: each time one row, and no unseen card."""
        terminal = Terminal(home, *CARDS)

        def grew(before: int) -> bool:
            return bool(terminal.text()) and stored(home) > before

        for done, keys in enumerate(("33", "3" * 60, "\r" * 30)):
            terminal.wait("Show the answer")
            terminal.press(" ")
            terminal.wait("3 Good")
            time.sleep(0.25)
            for start in range(0, len(keys), 2):
                terminal.process.send(keys[start : start + 2])
                time.sleep(0.03)
            wait_until(partial(grew, done))
            time.sleep(0.3)
            assert "3 Good" not in terminal.text()
            assert stored(home) == done + 1
        terminal.press("\x03")
        assert terminal.end() == 0

    def test_a_window_of_ten_columns_is_no_reason_to_fail(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A start at 10×3 says that the window is too small, and the home screen comes once there is room.

        A size that the shell exported is not that of the window. SIGQUIT then ends it in order, as any other
        signal does.
        """
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("LINES", "24")
        terminal = Terminal(home, size=(10, 3))
        terminal.wait(lambda text: "studynorm" in text)
        terminal.resize(80, 24)
        terminal.wait("Press Enter")
        os.kill(terminal.process.pid, signal.SIGQUIT)
        assert terminal.end() == 128 + signal.SIGQUIT
        assert terminal.left_on() == set()


BROKEN = """
def broken(*_):
    raise ValueError("a\\nred [red] \\x1b[31m herring")
"""
IN_A_HANDLER = """
from studynorm.tui.review_screen import ReviewScreen
ReviewScreen.action_undo = broken
"""
IN_A_TASK = """
from studynorm.tui.engine_link import EngineLink
EngineLink.run = broken
"""


class TestErrors:
    """Errors that nothing foresaw."""

    def start(self, home: Path, where: str) -> Terminal:
        script = f"{BROKEN}{where}\nimport sys\nfrom studynorm.cli import main\n"
        script += f"sys.argv = {['studynorm', *CARDS]}\nmain()"
        return Terminal(home, command=[sys.executable, "-c", script])

    def ends_in_a_line(self, terminal: Terminal) -> None:
        assert terminal.end() == 70
        assert terminal.left_on() == set()
        log = terminal.home / "logs" / "errors.log"
        said = terminal.after_the_screen()
        assert said.startswith("studynorm: unexpected ValueError: a red [red] ␛[31m herring; ")
        assert said.endswith(f"{log}\r\n")
        assert said.count("\n") == 1
        kept = log.read_text("utf-8")
        assert "Traceback (most recent call last):" in kept
        assert "in broken\n" in kept
        if sys.platform == "linux":
            nothing_is_left(terminal.home)

    def test_an_error_of_a_screen_is_one_line_and_a_log(self, home: Path) -> None:
        """No traceback on the screen; the line names the file that has it, and what was graded is kept."""
        terminal = self.start(home, IN_A_HANDLER)
        rate_the_first(terminal)
        terminal.press("u")
        self.ends_in_a_line(terminal)
        assert stored(home) == 1

    def test_an_error_of_a_task_is_one_line_and_a_log(self, home: Path) -> None:
        """So it is for what goes on in the background."""
        self.ends_in_a_line(self.start(home, IN_A_TASK))
