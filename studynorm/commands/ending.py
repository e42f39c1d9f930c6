"""How a command ends when a signal asks for it, or an error that nothing foresaw."""

import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from types import FrameType
from typing import NoReturn

UNFORESEEN = 70
"""The exit code of an error of the program itself, as in sysexits.h."""


class Ended(BaseException):
    """A signal asks for the end; as with KeyboardInterrupt, only those who clean up take notice."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number


def heed_signals() -> None:
    """Let SIGTERM and SIGHUP raise Ended, so that what is half done is cleaned up; a second one ends at once.

    A signal that is ignored stays so: whoever started the program with `nohup` meant it.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)
    raise Ended(number)


def leave(code: int) -> NoReturn:
    """End the process at once: winding up Python while a thread still loads torch may crash it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def tell_unforeseen(error: BaseException, flags: Mapping[str, str]) -> int:
    """Keep the traceback of an error in a log, tell it in one line, and return the exit code."""
    from studynorm.commands.scope import note
    from studynorm.storage.errors import StoreError
    from studynorm.storage.home import find_home
    from studynorm.storage.logs import Unforeseen, keep_error, one_line

    if isinstance(error, Unforeseen):
        error = error.error
    try:
        log = find_home(flags.get("home"), os.environ).logs / "errors.log"
        kept = keep_error(log, error, sys.argv[1:])
        where = f"the details are in {log}" if kept else f"the details could not be written to {log}"
    except StoreError as homeless:
        where = str(homeless)
    with contextlib.suppress(OSError):  # a terminal that is gone
        note(f"studynorm: unexpected {one_line(error)}; what was graded is saved, {where}")
    return UNFORESEEN
