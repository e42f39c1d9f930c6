"""Where an export goes: standard output, or a file that appears complete or not at all."""

import io
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO


class ExportRefused(ValueError):
    """A file that was not written; the message is one line that says why and what to do."""


@contextmanager
def stream(out: BinaryIO) -> Iterator[TextIO]:
    """Give an open binary stream, such as standard output, to be written to as a file is."""
    text = _text(out)
    try:
        yield text
        text.flush()
    finally:
        with suppress(ValueError, OSError):
            text.detach()


@contextmanager
def fresh(path: Path, *, force: bool = False) -> Iterator[TextIO]:
    """Give a text stream whose text becomes the file when the block ends without exception.

    Raises ExportRefused where the file cannot be written, or exists without `force`.
    """
    _check(path, force)
    part = path.with_name(f".{path.name}-{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file, stream(file) as text:
            yield text
            text.flush()
            os.fsync(file.fileno())
        _publish(part, path, force)
    except OSError as error:
        raise ExportRefused(
            f"{path} cannot be written: {error.strerror or error}. Name another file."
        ) from error
    finally:
        with suppress(OSError):
            part.unlink()


def _text(out: BinaryIO) -> io.TextIOWrapper:
    # A lone surrogate, left by bytes that are no UTF-8, becomes `\udcff`: JSON reads that as it was.
    return io.TextIOWrapper(out, encoding="utf-8", errors="backslashreplace", newline="")


def _check(path: Path, force: bool) -> None:
    if path.is_dir():
        raise ExportRefused(f"{path} is a folder. Name a file in it.")
    if not path.parent.is_dir():
        raise ExportRefused(f"There is no folder {path.parent}. Make it first, or name a file elsewhere.")
    if os.path.lexists(path) and not force:
        raise ExportRefused(f"{path} exists. Add --force to overwrite it, or name another file.")


def _publish(part: Path, path: Path, force: bool) -> None:
    """Give a finished file its name; without `force` nothing that came meanwhile is overwritten."""
    if not force:
        with suppress(OSError):  # taken meanwhile, or a file system without links
            os.link(part, path)
            return
        _check(path, force)
    part.replace(path)
