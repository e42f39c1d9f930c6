"""What families are called, read from their files as text: importing them all for a list is slow."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from studynorm.engine.files import family_files

_TITLE = re.compile(r'^    title = "((?:[^"\\\n]|\\.)*)"\s*$', re.MULTILINE)
_ESCAPE = re.compile(r"\\(.)")


def family_titles() -> Mapping[str, str]:
    """Return the title of every family by id, in learning order; its id where the file does not tell.

    Imports no family. Raises NoFamilies where there is none.
    """
    return {family: _title(path, _age(path)) or family for family, path in family_files().items()}


def _age(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=1024)
def _title(path: Path, age: int) -> str:
    """Return the title in a file as it was at one time, empty where none is to be seen."""
    try:
        found = _TITLE.search(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError):
        return ""
    return _ESCAPE.sub(r"\1", found[1]) if found else ""
