"""Which profiles this process holds open: closing any handle to a file drops all its POSIX locks on it.

A look that bypasses SQLite's own locking would so let another process take the profile for abandoned and
delete its write-ahead log, with every answer that comes after.
"""

from collections import Counter
from pathlib import Path

_HELD: Counter[Path] = Counter()


def hold(path: Path) -> None:
    """Note that a Store of this process opened a profile."""
    _HELD[path.resolve()] += 1


def release(path: Path) -> None:
    """Note that a Store of this process closed a profile."""
    _HELD[path.resolve()] -= 1


def is_held(path: Path) -> bool:
    """Tell whether a Store of this process has a profile open."""
    return _HELD[path.resolve()] > 0
