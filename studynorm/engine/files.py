"""Where the families are: one file under `problems/<topic>/` is one; separate, as finding imports nothing."""

from pathlib import Path

from studynorm import problems as _problems
from studynorm.topics import TOPICS


class NoFamilies(RuntimeError):
    """The content folder holds no family at all: the installation is broken."""


def family_files() -> dict[str, Path]:
    """Return the path of every family by id, in learning order, without importing any.

    Raises `NoFamilies` where there is none.
    """
    root = Path(next(iter(_problems.__path__)))
    found = {
        f"{path.parent.name}.{path.stem}": path
        for path in root.glob("*/*.py")
        if not path.name.startswith("_") and path.parent.name in TOPICS
    }
    if not found:
        raise NoFamilies(
            f"no problem family in {root}: the installation is incomplete; install studynorm again"
        )
    order = {topic: place for place, topic in enumerate(TOPICS)}
    return dict(sorted(found.items(), key=lambda item: (order[item[1].parent.name], item[0])))
