"""The terminal under the program, on POSIX: paused by Ctrl-Z, closed under it, or sending what no key sends.

Textual's own driver takes a stray byte for an error, reads a closed terminal for ever, writes to one until it
hangs, and takes the terminal twice when it is continued without having been paused.
"""

import contextlib
import errno
import os
import re
import selectors
import signal
import termios
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable
from time import monotonic
from types import FrameType
from typing import IO, TYPE_CHECKING, Any, cast

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from textual.message import Message

    from studynorm.tui.ending import Guarded

_GONE = {errno.EIO, errno.ENXIO, errno.EBADF, errno.EPIPE, errno.ENOTTY}
# A control sequence whose ESC came so much earlier that it was taken for the key: a focus, cursor or mouse
# report over a slow line.
_LATE_REPORT = re.compile(r"\[[<=>?]?[0-9:;]*[ -/]*[@-~]")
_LATE_SECONDS = 1.5
_ORDINARY_MODES = (
    "\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"
    "\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)


class Terminal(LinuxDriver):
    """Textual's driver for a terminal, which ends the program in order when the terminal is gone."""

    def __init__(self, app: Any, **options: Any) -> None:
        super().__init__(app, **options)
        self._output = _Output(cast(IO[str], self._file), self._gone)
        self._file = cast(Any, self._output)
        self._taken = False
        self._pausing = False
        self._escaped_at = -_LATE_SECONDS
        signal.signal(signal.SIGTSTP, self._told_to_pause)
        signal.signal(signal.SIGCONT, self._continued)

    @property
    def lent(self) -> bool:
        """Whether another program, such as an editor, has the terminal."""
        return not self._auto_restart

    # -- taking it and giving it back --------------------------------------------------------------------
    def start_application_mode(self) -> None:
        """Take the terminal."""
        self._taken = True
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is None or not self._writer_thread.is_alive():
            self._gone()
        # No reports of focus: nothing needs them, and torn apart they are an Esc key.
        self.write("\x1b[?1004l")

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was."""
        super().stop_application_mode()
        self._taken = False

    def restore(self) -> None:
        """Give the terminal back by the shortest way, if it was not given back: for an end out of order."""
        if not self._taken:
            return
        if self.attrs_before is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
        writing = threading.Thread(target=self._write_modes, daemon=True)
        writing.start()
        writing.join(0.5)  # a terminal that takes nothing must not hold the program

    def _write_modes(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._output.fileno(), _ORDINARY_MODES.encode())

    def write(self, data: str) -> None:
        """Draw; a terminal that is gone takes nothing."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            super().write(data)

    def _gone(self) -> None:
        """End the program as a hang-up does; called from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(cast("Guarded", self._app).end, signal.SIGHUP)

    # -- pausing -----------------------------------------------------------------------------------------
    def _told_to_pause(self, number: int, frame: FrameType | None) -> None:
        if self.lent or not self._taken:
            self._stop(lambda: os.kill(os.getpid(), signal.SIGTSTP))
        else:  # not in the handler: what it interrupted may be writing
            self._loop.call_soon_threadsafe(self._pause)

    def _continued(self, number: int, frame: FrameType | None) -> None:
        if not (self._pausing or self.lent) and self._taken:
            self._loop.call_soon_threadsafe(self._take_again)

    def _pause(self) -> None:
        """Give the terminal to the shell, stop the whole job, and take the terminal when it goes on."""
        self._pausing = True
        try:
            self.suspend_application_mode()
            self._must_signal_resume = True
            self._stop(lambda: os.killpg(0, signal.SIGTSTP))
            self._wait_for_foreground()
            os.killpg(0, signal.SIGCONT)  # whoever went on with this process alone left the engine stopped
            self.resume_application_mode()
        finally:
            self._pausing = False

    def _take_again(self) -> None:
        """Take the terminal anew after a stop that nobody announced: a shell has had it meanwhile."""
        self._pausing = True
        try:
            self._wait_for_foreground()
            self.suspend_application_mode()
            self._must_signal_resume = True
            self.resume_application_mode()
        finally:
            self._pausing = False

    def _stop(self, send: Callable[[], None]) -> None:
        """Stop as a terminal stops a job; without a shell to go back to, the system lets it go on."""
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        try:
            send()
        finally:
            signal.signal(signal.SIGTSTP, self._told_to_pause)

    def _wait_for_foreground(self) -> None:
        """Return once the job is in the foreground: in the background the system stops it here."""
        while cast("Guarded", self._app).ended_by is None:
            try:
                # Changes nothing; in the background the system stops the whole job for it.
                termios.tcsetattr(self.fileno, termios.TCSANOW, termios.tcgetattr(self.fileno))
            except termios.error as error:
                if error.args[0] == errno.EINTR:
                    continue
            return  # on another error too: reading will tell that the terminal is gone

    # -- reading -----------------------------------------------------------------------------------------
    def _run_input_thread(self) -> None:
        """Read in a thread; an error there ends the program as any other does."""
        try:
            self.run_input_thread()
        except Exception as error:  # noqa: BLE001  it is told once the terminal is back
            self._app.call_later(self._app._handle_exception, error)

    def run_input_thread(self) -> None:
        """Read until told to stop, or until the terminal is gone. Bytes that are no UTF-8 are passed over."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("ignore").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    data = self._read()
                    if data is None:
                        self._gone()
                        return
                    if text := self._without_late_report(decode(data)):
                        for message in parser.feed(text):
                            self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    def _read(self) -> bytes | None:
        """Return what was typed, None where the terminal is gone."""
        try:
            return os.read(self.fileno, 4096) or None
        except (BlockingIOError, InterruptedError):
            return b""
        except OSError:
            return None

    def _without_late_report(self, text: str) -> str:
        """Cut off the rest of a report whose ESC was taken for the key."""
        if text and monotonic() < self._escaped_at + _LATE_SECONDS:
            self._escaped_at = -_LATE_SECONDS
            report = _LATE_REPORT.match(text)
            if report is not None:
                return text[report.end() :]
        return text

    def process_message(self, message: "Message") -> None:
        """Pass on what was read."""
        if isinstance(message, events.Key):
            self._escaped_at = monotonic() if message.key == "escape" else -_LATE_SECONDS
        super().process_message(message)


class _Output:
    """A file that is written until the terminal behind it is gone, and then takes everything in silence."""

    def __init__(self, file: IO[str], gone: Callable[[], None]) -> None:
        self._file = file
        self._tell_gone = gone
        self._is_gone = False

    def write(self, text: str) -> None:
        self._try(lambda: self._file.write(text))

    def flush(self) -> None:
        self._try(self._file.flush)

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return self._file.isatty()

    def _try(self, act: Callable[[], object]) -> None:
        if self._is_gone:
            return
        try:
            act()
        except (OSError, ValueError) as error:
            if not isinstance(error, OSError) or error.errno in _GONE:
                self._is_gone = True
                self._tell_gone()
