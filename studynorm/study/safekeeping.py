"""The daily backup of a profile, made beside whatever the learner does: nothing waits for it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from studynorm.storage.errors import StoreError

if TYPE_CHECKING:
    from studynorm.study.desk import Desk

_PATIENCE_SECONDS = 10.0


def keep_daily_backup(desk: "Desk", tell: Callable[[str], None]) -> threading.Thread:
    """Begin today's backup of an open desk in a thread of its own, and return that.

    `tell` is called from there, with one line, if the copy cannot be made. The program may end meanwhile.
    """
    # Through the open Store: to look at a file beside it would drop the locks of this process.
    path, folder, day, keep = desk.store.path, desk.home.backups, desk.clock().day, desk.config.backups

    def copy() -> None:
        from studynorm.storage.backups import daily_backup

        try:
            daily_backup(path, folder, day, keep)
        except StoreError as refused:
            tell(f"Today's backup was not made. {refused}")

    thread = threading.Thread(target=copy, name="daily-backup", daemon=True)
    thread.start()
    return thread


@contextmanager
def backed_up(desk: "Desk", tell: Callable[[str], None]) -> Iterator[None]:
    """Make today's backup of an open desk beside what is done inside; what is wrong is told at the end."""
    told: list[str] = []
    thread = keep_daily_backup(desk, told.append)
    try:
        yield
    finally:
        thread.join(_PATIENCE_SECONDS)
        for line in told:
            tell(line)
