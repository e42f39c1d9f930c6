"""Finds the families by looking: one file under `problems/<topic>/` is one family."""

import difflib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from studynorm import problems as _problems
from studynorm.engine.family import Family
from studynorm.engine.files import family_files


class UnknownFamily(KeyError):
    """No family has this id; `near` holds those that come closest."""

    def __init__(self, family: str, near: tuple[str, ...]) -> None:
        super().__init__(family)
        self.family = family
        self.near = near

    def __str__(self) -> str:
        hint = f" Did you mean {' or '.join(self.near)}?" if self.near else ""
        return f"There is no family “{self.family}”.{hint} `studynorm problem list` shows all."


@dataclass(frozen=True, slots=True)
class BrokenFamily:
    """A family file that could not be loaded; it costs only itself."""

    id: str
    path: Path
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def load_family(family_id: str) -> Family[Any] | BrokenFamily:
    """Return the family of an id, or what is wrong with its file. Raises `UnknownFamily`."""
    files = family_files()
    if family_id not in files:
        raise UnknownFamily(family_id, tuple(difflib.get_close_matches(family_id, files, 2, 0.5)))
    return _load(
        family_id, files[family_id], lambda: importlib.import_module(f"{_problems.__name__}.{family_id}")
    )


def load_file(path: Path) -> Family[Any] | BrokenFamily:
    """Return the family of a file anywhere, under the id that its folder and name give."""
    family_id = f"{path.resolve().parent.name}.{path.stem}"

    def module() -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"studynorm_checked.{family_id}", path)
        if spec is None or spec.loader is None:
            raise ImportError("this is no Python file")
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = loaded  # dataclasses look there for annotations that are kept as text
        try:
            spec.loader.exec_module(loaded)
        finally:
            del sys.modules[spec.name]
        return loaded

    return _load(family_id, path, module)


def _load(family_id: str, path: Path, module: Callable[[], ModuleType]) -> Family[Any] | BrokenFamily:
    try:
        family = getattr(module(), "FAMILY", None)
    except Exception as error:  # noqa: BLE001  a family file may fail in any way and must cost only itself
        places = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if Path(frame.filename).resolve() == path.resolve()
        ]
        line = error.lineno if isinstance(error, SyntaxError) else places[-1] if places else None
        where = f"line {line}: " if line else ""
        return BrokenFamily(family_id, path, f"{where}{type(error).__name__}: {error}")
    if not isinstance(family, Family):
        return BrokenFamily(family_id, path, "the file does not end in FAMILY = … with a Family")
    family.id = family_id
    family.topic = family_id.partition(".")[0]
    return family


def load_families() -> tuple[Mapping[str, Family[Any]], tuple[BrokenFamily, ...]]:
    """Return all families by id in learning order, and those that could not be loaded."""
    loaded = [load_family(family_id) for family_id in family_files()]
    return (
        {family.id: family for family in loaded if isinstance(family, Family)},
        tuple(broken for broken in loaded if isinstance(broken, BrokenFamily)),
    )
