"""The copies of a profile in the `backups` folder: one for each study day, old ones cleared away.

A daily copy is `<profile>-<ISO study day>.sqlite`. The newest of each month stays for a year; copies that
were made by hand, before an upgrade or before a restore have other names and are never removed.
"""

import re
import shlex
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

from studynorm.storage.backup import back_up, backups_of, clear_abandoned
from studynorm.storage.errors import StoreError, no_access, sqlite_errors
from studynorm.storage.peek import file_fault, opened
from studynorm.storage.schema import REVISIONS

KEPT_DAYS = 7
_MONTHS = 12
_COUNT = "SELECT count(*) FROM review"
_NEWEST = (
    "SELECT at, utc_offset FROM review WHERE typeof(at) = 'integer' AND typeof(utc_offset) = 'integer'"
    " ORDER BY id DESC LIMIT 1"
)
_LOGS = ("review", "attempt", "event", "interview", "weights")
_MARK = (
    "SELECT (SELECT at FROM review ORDER BY id DESC LIMIT 1),"
    " (SELECT group_concat(quote(key) || quote(value)) FROM profile), "
    + ", ".join(f"(SELECT count(*) FROM {log}), (SELECT max(id) FROM {log})" for log in _LOGS)
)
"""What differs after anything was recorded, undone or chosen: cheap, whatever the size of a profile."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A profile's file and what is in it: how many reviews, and when the newest was.

    `newest` is in UTC milliseconds with its offset in minutes, None without a review; `made` is when the file
    was written, in UTC seconds; `size` in bytes. `trouble` says why a file cannot be used.
    """

    path: Path
    reviews: int = 0
    newest: tuple[int, int] | None = None
    made: float = 0
    size: int = 0
    trouble: str | None = None

    @property
    def newest_words(self) -> str:
        """The time of the newest review as the local clock showed it then; `never` without one."""
        if self.newest is None:
            return "never"
        at, offset = self.newest
        try:
            return f"{datetime.fromtimestamp(at / 1000, timezone(timedelta(minutes=offset))):%Y-%m-%d %H:%M}"
        except (ValueError, OverflowError, OSError):  # no clock ever showed that
            return "unknown"

    @property
    def words(self) -> str:
        """What is in it in a few words, or why it cannot be used."""
        if self.trouble is not None:
            return self.trouble
        count = f"{self.reviews:,}".replace(",", " ") + (" review" if self.reviews == 1 else " reviews")
        return count if self.newest is None else f"{count}, the newest of {self.newest_words}"


def daily_backup(path: Path, folder: Path, day: int, keep: int = KEPT_DAYS) -> Path | None:
    """Copy a profile for a study day unless that is done, clear old copies away, and return the new one.

    None where there is nothing to copy: no review yet, today's copy is there, or nothing was recorded since
    the newest daily one. Of the daily copies the newest `keep` stay, and the newest of each of twelve months;
    0 makes and removes none. Raises StoreError where the copy cannot be made; nothing is then removed.
    """
    if keep <= 0:
        return None
    clear_abandoned(folder, path.stem)
    today = date.fromordinal(day)
    target = folder / f"{path.stem}-{today.isoformat()}.sqlite"
    if target.exists() or not _has_news(path, folder):
        return None
    back_up(path, target)
    # What is dated later was made under a wrong clock: it counts for nothing until its day has come.
    daily = {when: file for when, file in _daily(path.stem, folder).items() if when <= today}
    for old in _superfluous(daily, keep):
        with suppress(OSError):  # another time will do
            old.unlink()
    return target


def backup_name(path: Path, folder: Path, reason: str = "") -> Path:
    """Return a name for a copy made now, that no daily clearing removes."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return folder / f"{path.stem}-{f'{reason}-' if reason else ''}{stamp}.sqlite"


def copies(profile: str, folder: Path) -> tuple[Copy, ...]:
    """Return every copy of a profile, newest file first. Raises StoreError for an unreadable folder."""
    return tuple(map(inspect, _files(profile, folder)))


def inspect(path: Path, *, whole: bool = False) -> Copy:
    """Return what is in the file of a profile; changes nothing.

    With `whole` every page of it is checked, however large it is.
    """
    made, size = 0.0, 0
    try:
        info = path.stat()
        made, size = info.st_mtime, info.st_size
        with sqlite_errors(path), opened(path, REVISIONS) as (connection, _):
            if connection is None:
                return Copy(path, made=made, size=size, trouble=f"{path} is empty and holds no profile.")
            fault = file_fault(connection) if whole else None
            if fault is not None:
                return Copy(path, made=made, size=size, trouble=f"{path} is damaged ({fault}).")
            (reviews,) = connection.execute(_COUNT).fetchone()
            return Copy(path, reviews, connection.execute(_NEWEST).fetchone(), made, size)
    except StoreError as error:
        return Copy(path, made=made, size=size, trouble=str(error))
    except OSError as error:
        return Copy(path, made=made, size=size, trouble=str(no_access(path, error)))


def newest_copy(profile: str, folder: Path) -> Copy | None:
    """Return the newest copy of a profile that can be used; it is checked whole."""
    with suppress(StoreError):
        found = (inspect(file, whole=True) for file in _files(profile, folder))
        return next((copy for copy in found if copy.trouble is None), None)
    return None


def restoring(path: Path) -> str:
    """Say what to do about a damaged profile, naming the newest backup that can be used."""
    newest = newest_copy(path.stem, backups_of(path))
    if newest is None:
        return "put a backup in its place, or move it away to start afresh."
    profile = "" if path.stem == "default" else f" --profile {path.stem}"
    return (
        f"`studynorm restore {shlex.quote(str(newest.path))}{profile}` puts the newest good backup in its "
        f"place ({newest.words})."
    )


def _files(profile: str, folder: Path) -> list[Path]:
    try:
        files = [file for file in folder.iterdir() if _is_copy(profile, file.name)]
        return sorted(files, key=lambda file: (file.stat().st_mtime, file.name), reverse=True)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise no_access(folder, error) from error


def _has_news(path: Path, folder: Path) -> bool:
    """Tell whether a profile has a review, and other rows than its newest daily copy."""
    now = _mark(path)
    if now is None or now[0] is None:
        return False
    last = max(_daily(path.stem, folder).items(), default=None)
    return last is None or _mark(last[1]) != now


def _mark(path: Path) -> tuple[object, ...] | None:
    """Return what tells two states of a profile apart; None for a file that cannot be read."""
    readable = opened(path, REVISIONS, checked=False)
    with suppress(StoreError, OSError, sqlite3.Error), readable as (connection, _):
        if connection is not None:
            mark: tuple[object, ...] = connection.execute(_MARK).fetchone()
            return mark
    return None


def _daily(profile: str, folder: Path) -> dict[date, Path]:
    pattern = re.compile(rf"{re.escape(profile)}-([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})\.sqlite")
    found: dict[date, Path] = {}
    with suppress(OSError):
        for file in folder.iterdir():
            if match := pattern.fullmatch(file.name):
                with suppress(ValueError):
                    found[date.fromisoformat(match[1])] = file
    return found


def _superfluous(daily: dict[date, Path], keep: int) -> list[Path]:
    newest_first = sorted(daily, reverse=True)
    months: dict[tuple[int, int], date] = {}
    for day in newest_first:
        months.setdefault((day.year, day.month), day)
    stay = {*newest_first[:keep], *list(months.values())[:_MONTHS]}
    return [daily[day] for day in newest_first if day not in stay]


def _is_copy(profile: str, name: str) -> bool:
    """Tell whether a name is that of a copy of this profile and not of `<profile>-other`."""
    stamp = r"[0-9]{8}T[0-9]{6}\.[0-9]+Z"
    kinds = rf"(?:[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|(?:schema[0-9]+-|before-restore-|damaged-)?{stamp})"
    return re.fullmatch(rf"{re.escape(profile)}-{kinds}\.sqlite", name) is not None
