"""The writing of deck files: whole or not at all, and never over what someone else has written meanwhile."""

import errno
import os
import shutil
import stat
from pathlib import Path

from studynorm.content.visible import visible


class NotWritten(Exception):
    """A file that stays as it is; the message is one line that names it and says what to do."""


def write_deck(path: Path, text: str, *, was: str | None) -> None:
    """Write `text` to a file that holds `was`, or that does not exist yet where `was` is None.

    The new text is written beside the file and then takes its place, with its permissions; a link stays one.
    Raises NotWritten, with everything as it was, where the file holds something else or can't be written.
    """
    try:
        target = Path(os.path.realpath(path))
        if bytes_of(target) != (None if was is None else was.encode("utf-8")):
            raise _not_written(path, "it was changed meanwhile. Look at it, then try again")
        if was is not None and not os.access(target, os.W_OK):
            raise _not_written(path, "it is read-only. Make it writable, then try again")
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f".{target.name[:100]}.{os.getpid()}.new")
        try:
            with beside.open("wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            if was is not None:
                shutil.copymode(target, beside)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, UnicodeEncodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _not_written(path, f"{reason}. Check the folder and the space on its disk") from None


def remove_deck(path: Path, *, was: str) -> None:
    """Remove a file that holds `was`; one that holds something else stays. Raises NotWritten."""
    try:
        if bytes_of(path) == was.encode("utf-8"):
            path.unlink()
    except OSError as error:
        raise _not_written(path, f"{error.strerror or error}. Remove it by hand") from None


def bytes_of(path: Path) -> bytes | None:
    """Return what a file holds, None where there is none.

    Raises OSError where it can't be read, or is no ordinary file: a pipe would keep its reader waiting.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file")
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _not_written(path: Path, reason: str) -> NotWritten:
    return NotWritten(f"{visible(str(path), keep_newlines=False)} is not written: {reason}.")
