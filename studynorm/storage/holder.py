"""Who has a profile open, or is writing to it, as far as the system tells: on Linux by name and process."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
# What SQLite locks, by its file format: in the -shm file while there is a WAL, else in the file itself.
_WAL_WRITER, _WAL_USER = range(120, 121), range(123, 129)
_PENDING, _RESERVED = 0x40000000, 0x40000001
_WRITER, _USER = range(_PENDING, _RESERVED + 1), range(_PENDING, _PENDING + 512)


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds a lock."""

    name: str
    process: int

    def __str__(self) -> str:
        return f"{self.name}, process {self.process}"


def writer(path: Path) -> Holder | None:
    """Return the other process that is writing to a profile; None where none is, or nobody can tell."""
    return next(_holders(path, _WAL_WRITER, _WRITER), None)


def users(path: Path) -> tuple[Holder, ...]:
    """Return the other processes that have a profile open; empty where none has, or nobody can tell."""
    return tuple(_holders(path, _WAL_USER, _USER))


def writer_words(path: Path) -> str:
    """Return who is writing to a profile, in words: by name where that can be told."""
    found = writer(path)
    return "another program" if found is None else f"another program ({found})"


def _holders(path: Path, in_wal: range, in_file: range) -> Iterator[Holder]:
    path = path.resolve()  # SQLite's own files lie beside the one that a link leads to
    wanted = {
        key: offsets
        for ending, offsets in (("-shm", in_wal), ("", in_file))
        if (key := _key(path.with_name(path.name + ending))) is not None
    }
    seen = {os.getpid()}
    for process, key, first, last in _locks():
        offsets = wanted.get(key)
        if offsets is None or process in seen or first > offsets[-1] or last < offsets[0]:
            continue
        seen.add(process)
        yield Holder(_name(process), process)


def _key(path: Path) -> str | None:
    """Return a file as /proc/locks names it: device and inode."""
    try:
        info = path.stat()
    except OSError:
        return None
    return f"{os.major(info.st_dev):02x}:{os.minor(info.st_dev):02x}:{info.st_ino}"


def _locks() -> Iterator[tuple[int, str, int, int]]:
    """Yield process, file, first and last byte of every lock on this machine, as far as it is shown."""
    try:
        lines = (_PROC / "locks").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        words = line.split()
        if "->" in words or len(words) < 8:  # a process that waits for a lock
            continue
        process, key, first, last = words[-4:]
        try:
            span = int(first), (1 << 63 if last == "EOF" else int(last))
            number = int(process)
        except ValueError:
            continue
        if number > 0:  # of another container, or of no process
            yield number, key, *span


def _name(process: int) -> str:
    """Return the name of a process; a Python that runs studynorm is called so."""
    folder = _PROC / str(process)
    try:
        name = (folder / "comm").read_text(encoding="utf-8", errors="replace").strip()
        words = (folder / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return "unknown"
    if any(Path(os.fsdecode(word)).name == "studynorm" for word in words):
        return "studynorm"
    return name or "unknown"
