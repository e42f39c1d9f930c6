"""The file of the options as it lies on the disk: read as TOML, every way in which it can be broken told."""

import errno
import stat
from pathlib import Path
from typing import Any

_LARGEST = 256 * 1024
"""Bytes. Whatever is larger is no file that a person keeps options in."""
_PLAINER = {
    "Invalid value": 'this is no value; text stands in "quotes"',
    "Cannot overwrite a value": "this key stands in the file twice",
}


class ConfigError(Exception):
    """The file of the options cannot be read or written; `reason` is the message without its path."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def read_text(path: Path) -> str:
    """Return what the file holds, its line ends as they are; empty where it is absent.

    Raises ConfigError for what is no file, cannot be read, is too large or is not UTF-8.
    """
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):  # reading a pipe would wait for ever
            what = "a folder" if stat.S_ISDIR(info.st_mode) else "no regular file"
            raise ConfigError(path, f"this is {what}; move it away")
        if info.st_size > _LARGEST:
            raise ConfigError(path, f"this is larger than {_LARGEST // 1024} KiB; move it away")
        found = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise refused(path, "read", error) from error
    try:
        return found.decode("utf-8")
    except UnicodeDecodeError as error:
        line = found.count(b"\n", 0, error.start) + 1
        raise ConfigError(path, f"line {line}: this is not UTF-8; save it as UTF-8") from None


def parsed(path: Path, text: str) -> dict[str, Any]:
    """Return a text as a TOML table. Raises ConfigError, which names the line."""
    import tomllib

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(path, _told(str(error), text)) from None
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets in brackets
        raise ConfigError(path, "this is no TOML that can be read; move it away") from None


def refused(path: Path, what: str, error: OSError) -> ConfigError:
    """Return the error for what the operating system refuses to have read or written."""
    why = "a file is in the place of its folder" if error.errno == errno.EEXIST else error.strerror or error
    unchanged = "nothing was changed; " if what == "written" else ""
    out = "make room and try again" if error.errno == errno.ENOSPC else "choose another folder with --home"
    return ConfigError(path, f"this cannot be {what} ({why}); {unchanged}{out}")


def _told(message: str, text: str) -> str:
    """Return what tomllib says, the line first and in plainer words."""
    said, _, place = message.rpartition(" (at ")
    where = place.rstrip(")")
    if where == "end of document":
        where = f"line {text.rstrip().count(chr(10)) + 1}"
    return f"{where}: {_PLAINER.get(said, said)}"
