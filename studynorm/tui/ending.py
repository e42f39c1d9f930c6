"""How the program ends out of order: by a signal, with its terminal, or by an error that nothing foresaw.

Either way the terminal is given back first, and an error is told by whoever started the program.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

from textual.app import App, ScreenError
from textual.constants import DRIVER
from textual.css.query import QueryError
from textual.worker import WorkerFailed

from studynorm.storage.logs import Unforeseen

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.driver import Driver

_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGBREAK")
_GRACE_SECONDS = 5.0


class Guarded(App[None]):
    """A program that leaves its terminal as it was, however it ends."""

    ended_by: int | None = None
    crash: BaseException | None = None

    def run_guarded(self) -> int:
        """Run, and return the exit code: 128 and the number of the signal where one ended the program.

        Raises Unforeseen where an error ended it.
        """
        with self._heeding_signals():
            try:
                self.run()
            except Exception as error:  # noqa: BLE001  raised again below, once the terminal is back
                self.crash = self.crash or error
            finally:
                self._restore()
        if self.crash is not None:
            raise Unforeseen(self.crash) from self.crash
        if self.ended_by is not None:
            return 128 + self.ended_by
        return self.return_code or 0

    def end(self, number: int) -> None:
        """End the program because of a signal; what is graded is saved already."""
        if self.ended_by is None:
            self.ended_by = number
        self.exit(return_code=128 + number)

    # -- signals -----------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def _heeding_signals(self) -> Iterator[None]:
        before: dict[int, Any] = {}
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            # One that is ignored stays so: whoever started the program with `nohup` meant it.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, self._told_to_end)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0)

    def _told_to_end(self, number: int, frame: FrameType | None) -> None:
        """Let the program end in order; at once when told twice, or where that takes too long."""
        lent = getattr(self._driver, "lent", False)
        if lent and number in (signal.SIGINT, getattr(signal, "SIGQUIT", None)):
            return  # meant for the editor, which has the terminal
        if self.ended_by is not None:
            self._end_at_once(self.ended_by)
        self.ended_by = number
        if self._loop is None:
            raise SystemExit(128 + number)
        if not lent and hasattr(signal, "setitimer"):
            # A thread could not be started here: this handler may have interrupted one that is starting.
            signal.signal(signal.SIGALRM, lambda *_: self._end_at_once(number))
            signal.setitimer(signal.ITIMER_REAL, _GRACE_SECONDS)
        self._loop.call_soon_threadsafe(partial(self.end, number))

    def _end_at_once(self, number: int) -> None:
        self._restore()
        os._exit(128 + number)

    def _restore(self) -> None:
        restore = getattr(self._driver, "restore", None)
        if restore is not None:
            restore()

    # -- errors ------------------------------------------------------------------------------------------
    def _handle_exception(self, error: Exception) -> None:
        """Remember the first error, and end."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self._exit and isinstance(cause, QueryError | ScreenError):
            return  # once told to exit, Textual mounts no more widgets: a screen that just opens misses them
        self.crash = self.crash or cause
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Draw nothing: the error is told in one line, once the terminal is back."""
        self._close_messages_no_wait()

    def panic(self, *renderables: "RenderableType") -> None:
        """Draw nothing, as above."""
        self._close_messages_no_wait()

    def get_driver_class(self) -> "type[Driver]":
        """Return the driver that survives a closed terminal, where there is one."""
        if os.name != "posix" or DRIVER is not None:
            return super().get_driver_class()
        from studynorm.tui.terminal import Terminal

        return Terminal
