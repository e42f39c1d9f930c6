"""All profiles of a home, looked at with plain sqlite3 and without a trace."""

from dataclasses import dataclass
from pathlib import Path

from studynorm.storage.errors import StoreError, damaged, no_access, sqlite_errors
from studynorm.storage.home import Home
from studynorm.storage.peek import opened
from studynorm.storage.schema import REVISIONS

_COUNTS = "SELECT (SELECT count(*) FROM memory), (SELECT count(*) FROM review)"
_NEWEST = "SELECT at, utc_offset FROM review ORDER BY id DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class ProfileSummary:
    """One profile: how much it holds, or in `trouble` why it cannot be used.

    `items` were answered at least once; `newest` is the time of the newest review in UTC milliseconds, with
    its local offset in minutes; `size` is that of the file and its write-ahead log, in bytes.
    """

    name: str
    path: Path
    items: int = 0
    reviews: int = 0
    newest: tuple[int, int] | None = None
    size: int = 0
    trouble: str | None = None


def profile_summaries(home: Home, in_use: str) -> tuple[ProfileSummary, ...]:
    """Return every profile of a home by name, and the one in use even where it has no file yet.

    One that cannot be read tells why. Raises StoreError where the folder cannot be read, or for a name in use
    that is none.
    """
    wanted = home.profile_file(in_use)
    try:
        files = {path for path in home.profiles.iterdir() if path.suffix == ".sqlite"}
    except (FileNotFoundError, NotADirectoryError):
        files = set()
    except OSError as error:
        raise no_access(home.profiles, error) from error
    return tuple(_summary(home, path) for path in sorted(files | {wanted}))


def _summary(home: Home, path: Path) -> ProfileSummary:
    name = path.stem
    size = sum(_size(path.with_name(path.name + ending)) for ending in ("", "-wal"))
    try:
        home.profile_file(name)
        with sqlite_errors(path), opened(path, REVISIONS) as (connection, _):
            if connection is None:
                return ProfileSummary(name, path, size=size)
            items, reviews = connection.execute(_COUNTS).fetchone()
            newest = connection.execute(_NEWEST).fetchone()
            if newest is not None and not all(isinstance(part, int) for part in newest):
                raise damaged(path, "a review has no time")
            return ProfileSummary(name, path, items, reviews, newest, size)
    except StoreError as error:
        return ProfileSummary(name, path, size=size, trouble=str(error))
    except OSError as error:
        return ProfileSummary(name, path, size=size, trouble=str(no_access(path, error)))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
