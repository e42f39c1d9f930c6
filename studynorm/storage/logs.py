"""The log files of a home: bounded in size, and never a reason to fail themselves."""

import contextlib
import os
import platform
import shlex
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from studynorm import __version__
from studynorm.content.visible import visible

LIMIT = 256 * 1024
"""How many bytes of a log are kept, once in the file itself and once beside it in `NAME.1`."""

_LONGEST_MESSAGE = 200


class Unforeseen(Exception):
    """Carries an error that nothing foresaw past those who would take it for a refusal."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


def bound(log: Path, limit: int = LIMIT) -> None:
    """Empty a log that has grown beyond `limit` bytes; its last `limit` bytes go into `NAME.1`.

    The file stays the same one, so a process that appends to it goes on.
    """
    with contextlib.suppress(OSError):
        if log.stat().st_size <= limit:
            return
        with log.open("rb") as file:
            file.seek(-limit, os.SEEK_END)
            log.with_name(log.name + ".1").write_bytes(file.read(limit))
        os.truncate(log, 0)


def keep_error(log: Path, error: BaseException, doing: Sequence[str]) -> bool:
    """Append the traceback of an error, and the arguments it came from; tell whether it could be written."""
    bound(log)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    python = platform.python_version()
    what = visible(shlex.join(doing), keep_newlines=False)
    head = f"{when} · studynorm {__version__} · Python {python} · {sys.platform} · {what}"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{head}\n{''.join(traceback.format_exception(error))[-LIMIT:]}\n")
    except OSError:
        return False
    return True


def one_line(error: BaseException) -> str:
    """Return an error as its kind and its message, in one line of at most a few hundred characters."""
    message = " ".join(visible(str(error)).split())
    if len(message) > _LONGEST_MESSAGE:
        message = message[: _LONGEST_MESSAGE - 1] + "…"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
