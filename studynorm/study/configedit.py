"""Changing one option in the learner's file: comments, order and permissions stay, and nothing half-written.

What is to be written is read back first: it must be what was there before with just this one change.
"""

import json
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from studynorm.study.config import PROFILES
from studynorm.study.configfile import ConfigError, parsed, read_text, refused
from studynorm.study.optionkinds import Stored, Value
from studynorm.study.options import Option, toml_text

_PATIENCE = 5.0  # seconds
_BOM = "\ufeff"


def write_option(path: Path, option: Option, value: Value, profile: str | None = None) -> None:
    """Write the value of an option into a file, for everyone or for one profile.

    Raises ConfigError, the file as it was, where it is broken or cannot be written.
    """
    _change(path, option.key, option.kind.give(value), profile)


def unset_option(path: Path, option: Option, profile: str | None = None) -> bool:
    """Take an option out of a file, so that its default holds; return whether it was there.

    Raises as `write_option` does.
    """
    return _change(path, option.key, None, profile)


def _change(path: Path, key: str, value: Stored | None, profile: str | None) -> bool:
    try:
        if value is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path):
            old = read_text(path)
            new = edited(path, old, key, value, profile)
            if new != old:
                _replace(path, new)
            return new != old
    except OSError as error:
        raise refused(path, "written", error) from error


def edited(path: Path, text: str, key: str, value: Stored | None, profile: str | None) -> str:
    """Return a TOML text with one key set, or with None taken out, and all else as it was.

    Raises ConfigError where the text is broken, or built so that only a person can change it.
    """
    try:
        table = parsed(path, text)
    except ConfigError as error:
        raise ConfigError(path, f"{error.reason}. Mend that first; nothing was changed.") from None
    bom = _BOM if text.startswith(_BOM) else ""
    try:
        own = _own(table, profile)
        if value is None and key not in own:
            return text
        fresh = key not in own
        wanted = deepcopy(table)
        if value is None:
            del _own(wanted, profile)[key]
        else:
            _own(wanted, profile)[key] = value
        for attempt in (_by_line, _by_tree) if fresh else (_by_tree,):
            with suppress(ConfigError, LookupError, ValueError, TypeError):
                new = bom + attempt(text.removeprefix(_BOM), key, value, profile)
                if _canonical(parsed(path, new)) == _canonical(wanted):
                    return new
    except (TypeError, ValueError, RecursionError):  # no table where one is wanted; brackets in brackets
        pass
    raise ConfigError(path, f"{key} stands here in a way that only you can change; nothing was changed")


def _own(table: dict[str, Any], profile: str | None) -> dict[str, Any]:
    """Return the table of a profile, made where it is missing, or that of everyone."""
    for name in () if profile is None else (PROFILES, profile):
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise TypeError(name)
    return table


def _canonical(table: dict[str, Any]) -> str:
    """Return equal texts for equal tables; here a value that is not a number equals itself."""
    return json.dumps(table, sort_keys=True, default=repr)


# -- the text ----------------------------------------------------------------------------------------
def _by_line(text: str, key: str, value: Stored | None, profile: str | None) -> str:
    """Put a new line behind the last one of its table, before what is said about the next table."""
    assert value is not None
    end = "\r\n" if "\r\n" in text else "\n"
    lines = re.findall("[^\n]*\n|[^\n]+", text)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += end
    new = [f"{key} = {toml_text(value)}{end}"]
    if profile is None:
        place = _end_of_table(lines, 0)
        gap = [end] if place < len(lines) and lines[place].strip() else []
        return "".join([*lines[:place], *new, *gap, *lines[place:]])
    name = re.escape(profile)
    header = re.compile(rf"\s*\[\s*{PROFILES}\s*\.\s*(?:{name}|\"{name}\"|'{name}')\s*\]\s*(?:#.*)?\s*")
    for number, line in enumerate(lines):
        if header.fullmatch(line):
            place = _end_of_table(lines, number + 1)
            return "".join([*lines[:place], *new, *lines[place:]])
    gap = [end] if lines and lines[-1].strip() else []
    return "".join([*lines, *gap, f"[{PROFILES}.{profile}]{end}", *new])


def _end_of_table(lines: list[str], start: int) -> int:
    """Return where the next line of the table belongs whose lines begin at `start`."""
    headers = (number for number in range(start, len(lines)) if lines[number].lstrip().startswith("["))
    place = next(headers, len(lines))
    if place < len(lines):
        while place > start and lines[place - 1].lstrip().startswith("#"):
            place -= 1
    while place > start and not lines[place - 1].strip():
        place -= 1
    return place


def _by_tree(text: str, key: str, value: Stored | None, profile: str | None) -> str:
    """Change the value where it stands, whatever way it is written in."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document: Any = tomlkit.parse(text)
        own = document if profile is None else document[PROFILES][profile]
        if value is None:
            del own[key]
        else:
            own[key] = value
        new = tomlkit.dumps(document)
    except TOMLKitError as error:
        raise ValueError(str(error)) from error
    return re.sub("(?<!\r)\n", "\r\n", new) if "\r\n" in text else new


# -- the disk ----------------------------------------------------------------------------------------
@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other programs of ours from changing the file meanwhile, by a lock on its folder."""
    if sys.platform == "win32" or not path.parent.is_dir():
        yield
        return
    import fcntl

    folder = os.open(path.parent, os.O_RDONLY)
    try:
        give_up = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > give_up:
                    raise ConfigError(path, "another program is changing this; try again") from None
                time.sleep(0.02)
                continue
            except OSError:  # a file system without locks
                pass
            break
        yield
    finally:
        os.close(folder)


def _replace(path: Path, text: str) -> None:
    """Write a file anew: whole or not at all, with the permissions of the old one, through a link."""
    target = path.resolve()
    old = target.stat() if target.exists() else None
    if old is not None and not os.access(target, os.W_OK):
        raise ConfigError(path, "this is read-only; make it writable to change options here")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        with part.open("x", encoding="utf-8", newline="") as file:
            if old is not None:
                if sys.platform != "win32":
                    with suppress(OSError):
                        os.chown(part, old.st_uid, old.st_gid)
                part.chmod(stat.S_IMODE(old.st_mode))
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        with suppress(OSError):
            part.unlink()
    if sys.platform != "win32":
        with suppress(OSError):
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
