"""What a profile stands on besides its rows: decks, options, time zone, backups, disk and file system."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from studynorm.storage.backups import copies
from studynorm.storage.errors import StoreError
from studynorm.storage.netfs import network_filesystem

if TYPE_CHECKING:
    from studynorm.study.desk import Desk

_LEAST_FREE = 64 * 2**20
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: `ok`, `wrong`, or a `note` of what is no fault but worth knowing."""

    name: str
    state: Literal["ok", "note", "wrong"]
    message: str


def surroundings(desk: "Desk", gone: Sequence[str]) -> Iterator[Check]:
    """Yield what is to be said about everything around a profile; `gone` are items without card or family."""
    yield _decks(gone)
    for trouble in desk.troubles:
        yield Check("options", "note", trouble)
    yield _backups(desk)
    yield _disk(desk.path)


def _decks(gone: Sequence[str]) -> Check:
    if not gone:
        return Check("decks", "ok", "every memory has its card or family")
    named = ", ".join(gone[:_NAMED]) + (" …" if len(gone) > _NAMED else "")
    have = "1 item has" if len(gone) == 1 else f"{len(gone)} items have"
    listed = "`studynorm items is:gone` lists all"
    return Check("decks", "note", f"{have} a memory, but no card or family any more: {named}; {listed}")


def _backups(desk: "Desk") -> Check:
    try:
        found = copies(desk.name, desk.home.backups)
    except StoreError as error:
        return Check("backups", "note", str(error))
    if not found:
        return Check("backups", "note", f"{desk.home.backups} has none of this profile")
    for copy in found:
        if copy.trouble is not None:
            return Check("backups", "note", f"one cannot be used: {copy.trouble}")
    number = "1 backup" if len(found) == 1 else f"{len(found)} backups"
    return Check("backups", "ok", f"{number} that can be read, the newest with {found[0].reviews} reviews")


def _disk(path: Path) -> Check:
    try:
        free = shutil.disk_usage(path.parent).free
        wanted = max(_LEAST_FREE, 3 * path.stat().st_size)
    except OSError as error:
        return Check("disk", "note", f"{path.parent} cannot be looked at: {error.strerror or error}")
    if free < wanted:
        return Check(
            "disk", "note", f"only {size(free)} are free at {path.parent}; backups and upgrades may not fit"
        )
    kind = network_filesystem(path.parent)
    if kind is not None:
        where = f"{path.parent} is on a network file system ({kind}), where locks may not hold"
        return Check("disk", "note", f"{where}: use it from one machine at a time, or keep --home elsewhere")
    return Check("disk", "ok", f"{size(free)} free")


def size(bytes_: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    if bytes_ < 2**20:
        return f"{max(1, round(bytes_ / 2**10))} KiB"
    return f"{bytes_ / 2**20:.1f} MiB" if bytes_ < 2**30 else f"{bytes_ / 2**30:.1f} GiB"
