"""The program in a pseudo-terminal, its screen readable as text: shared by the tests that need a real one."""

import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pexpect
import pyte

PROGRAM = [sys.executable, "-m", "studynorm"]
PATIENCE = 60.0
_ON_BY_DEFAULT = {"7", "25"}  # line wrap, and the cursor that is shown


class Terminal:
    """A command in a pseudo-terminal, `python -m studynorm` unless another is given."""

    def __init__(
        self, home: Path, *args: str, command: Sequence[str] = PROGRAM, size: tuple[int, int] = (80, 24)
    ) -> None:
        import termios

        width, height = size
        self.home = home
        self.process = pexpect.spawn(
            command[0],
            [*command[1:], *args],
            env={**os.environ, "STUDYNORM_HOME": str(home), "TERM": "xterm-256color"},
            dimensions=(height, width),
            cwd=str(home),
        )
        self.process.delaybeforesend = None  # `press` waits as long as is meant
        self.written = b""
        self._screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self._screen)
        self._attributes = termios.tcgetattr(self.process.child_fd)

    def text(self) -> str:
        """Return what is on the screen now."""
        try:
            while True:
                new = self.process.read_nonblocking(65536, timeout=0.02)
                self.written += new
                self._stream.feed(new)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return "\n".join(self._screen.display)

    def wait(self, what: str | Callable[[str], bool]) -> str:
        """Wait until the screen shows a text, or satisfies a condition; return the screen."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            screen = self.text()
            if what in screen if isinstance(what, str) else what(screen):
                return screen
            if not self.process.isalive():
                break
            time.sleep(0.02)
        raise AssertionError(f"waited for {what!r}; the screen shows\n{self.text()}")

    def press(self, keys: str | bytes, pause: float = 0.25) -> None:
        """Press keys, a little later than the last ones, as fingers do."""
        time.sleep(pause)
        self.process.send(keys)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""
        self.process.setwinsize(height, width)
        self._screen.resize(height, width)

    def hang_up(self) -> None:
        """Close the terminal, as a window that is killed does."""
        self.process.ptyproc.fileobj.close()
        self.process.ptyproc.closed = self.process.closed = True
        self.process.ptyproc.fd = self.process.child_fd = -1

    def end(self) -> int:
        """Wait for the end; return the exit code, negative for a signal that killed it."""
        wait_until(lambda: bool(self.text()) and not self.process.isalive(), "it goes on")
        self.text()
        code: int | None = self.process.exitstatus
        return -self.process.signalstatus if code is None else code

    def left_on(self) -> set[str]:
        """Return the modes that the terminal was not given back without: as screen, mouse and echo."""
        import termios

        modes = {mode: mode in _ON_BY_DEFAULT for mode in _ON_BY_DEFAULT}
        for mode, switch in re.findall(rb"\x1b\[\?(\d+)([hl])", self.written):
            modes[mode.decode()] = switch == b"h"
        left = {mode for mode, on in modes.items() if on != (mode in _ON_BY_DEFAULT)}
        if len(re.findall(rb"\x1b\[>\d+u", self.written)) != len(re.findall(rb"\x1b\[<u", self.written)):
            left.add("keyboard protocol")
        if termios.tcgetattr(self.process.child_fd) != self._attributes:
            left.add("line discipline")
        return left

    def after_the_screen(self) -> str:
        """Return what was written after the alternate screen was left, without escape codes."""
        tail = self.written.rpartition(b"\x1b[?1049l")[2].decode()
        return re.sub(r"\x1b\[[?<>0-9;]*[a-z]", "", tail, flags=re.IGNORECASE)


def wait_until(there: Callable[[], object], otherwise: str = "it never came", patience: float = 20.0) -> None:
    """Wait until something is the case."""
    deadline = time.monotonic() + patience
    while not there():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.02)


def processes_of(home: Path) -> list[str]:
    """Return the command lines of processes that were started with this home; on Linux alone."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"STUDYNORM_HOME={home}\0".encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found
