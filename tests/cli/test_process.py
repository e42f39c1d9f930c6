"""The program as a process: no terminal, broken pipes, full disks, and what a start may import."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Program

HEAVY = ("torch", "numpy", "textual", "plotext", "genanki", "markdown_it", "alembic")

IMPORTED = """
import sys
from studynorm.cli import main
sys.argv[0] = "studynorm"
try:
    main()
except SystemExit as end:
    code = end.code
finally:
    print([name for name in HEAVY if name in sys.modules], code, file=sys.stderr)
"""


def imported(*args: str) -> str:
    """Run a command; return the heavy modules it imported and its exit code, as its last line on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", f"HEAVY = {HEAVY}\n{IMPORTED}", *args],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    return done.stderr.splitlines()[-1]


def test_version_help_and_refusals_without_a_terminal_import_nothing_heavy(home: Path) -> None:
    """Neither torch nor textual is loaded to print a line."""
    assert imported("--version") == "[] 0"
    assert imported("--help") == "[] 0"
    assert imported() == "[] 2"
    assert imported("review", "--topic", "batchnorm") == "[] 2"
    assert imported("problem", "solve", "batchnorm.vectr") == "[] 2"
    assert imported("demo", "residual_product", "--set", "depth=0") == "[] 2"


def test_due_imports_nothing_heavy_and_makes_nothing(home: Path) -> None:
    """Looking leaves no trace: a learner who has not begun has no profile afterwards either."""
    assert imported("due") == "[] 0"
    assert not home.exists()


@pytest.mark.parametrize("args", [(), ("review",)], ids=["studynorm", "review"])
def test_without_a_terminal_there_is_one_line_and_exit_code_2(
    program: Program, args: tuple[str, ...]
) -> None:
    """Input from nowhere, output to a pipe: the way out is named."""
    done = program(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "studynorm needs a terminal; use `studynorm review --plain` for a review line by line\n"
    )


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="pseudo-terminals are there on POSIX alone")
class TestTerminal:
    """In a terminal."""

    def start(self, *args: str, term: str | None, out: bool = True) -> tuple[int, bytes]:
        """Run in a pseudo-terminal; return the exit code and what was drawn. `out`: output goes there too."""
        main, side = os.openpty()
        env = {name: value for name, value in os.environ.items() if name != "TERM"}
        if term is not None:
            env["TERM"] = term
        try:
            done = subprocess.run(
                [sys.executable, "-m", "studynorm", *args],
                stdin=side,
                stdout=side if out else subprocess.PIPE,
                stderr=side,
                env=env,
                timeout=60,
                check=False,
            )
            return done.returncode, os.read(main, 10_000)
        finally:
            os.close(side)
            os.close(main)

    @pytest.mark.parametrize("term", ["dumb", "", None])
    def test_a_dumb_terminal_gets_one_line_and_exit_code_2(self, home: Path, term: str | None) -> None:
        """No escape code is sent to it."""
        code, drawn = self.start(term=term)
        assert code == 2
        assert drawn.startswith(b"this terminal cannot draw a screen (TERM is unset or dumb)")
        assert drawn.count(b"\n") == 1
        assert b"\x1b" not in drawn

    def test_an_output_to_a_pipe_is_no_terminal(self, home: Path) -> None:
        """`studynorm | cat` ends at once."""
        code, drawn = self.start(term="xterm", out=False)
        assert code == 2
        assert drawn.startswith(b"studynorm needs a terminal")

    def test_an_unknown_topic_is_refused_before_the_screen_is_drawn(self, home: Path) -> None:
        """A usage error in plain lines, and no profile is made."""
        code, drawn = self.start("review", "--topic", "batchnrm", term="xterm")
        assert code == 2
        assert "there is no topic “batchnrm”; did you mean batchnorm?" in drawn.decode()
        assert b"\x1b" not in drawn
        assert not home.exists()


@pytest.mark.parametrize("args", [("card", "list"), ("problem", "list"), ("--help",)], ids=" ".join)
def test_a_reader_that_goes_away_is_no_reason_to_complain(home: Path, args: tuple[str, ...]) -> None:
    """Nothing on standard error, and an exit code without a signal or traceback."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "studynorm", *args],
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("args", [("card", "list"), ("due", "--json"), ("review", "--plain")], ids=" ".join)
def test_an_output_that_cannot_be_written_is_one_line(home: Path, args: tuple[str, ...]) -> None:
    """The system's reason is told, once."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "studynorm", *args],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, f"studynorm: {os.strerror(28)}\n")


def test_a_closed_standard_output_does_no_harm(program: Program, home: Path) -> None:
    """`>&-` ends as usual; the profile is whole, for nothing was written into it by mistake."""
    assert program("due", "--json", preexec_fn=lambda: os.close(1)).returncode == 0
    done = program("due")
    assert (done.returncode, done.stderr) == (0, "")


def test_control_characters_in_an_argument_are_not_echoed_to_the_terminal(program: Program) -> None:
    """A usage error shows them as visible stand-ins."""
    done = program("card", "show", "a\x1b[2Jb\u202e")
    assert done.returncode == 2
    assert "a␛[2Jb⟨U+202E⟩" in done.stderr
    assert "\x1b" not in done.stderr


def test_an_interrupted_command_ends_with_130_and_no_traceback(home: Path) -> None:
    """Ctrl-C ends any command as a shell expects."""
    program = (
        "import sys\nfrom studynorm import cli\nfrom studynorm.engine import registry\n"
        "def stop():\n    raise KeyboardInterrupt\n"
        "registry.load_families = stop\nsys.argv = ['studynorm', 'problem', 'list']\ncli.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")
