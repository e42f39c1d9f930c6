"""Finds the demos: every module of this package that defines `DEMO` is one, and no list is edited."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from studynorm import demos as package
from studynorm.demos.demo import Demo


@cache
def demos() -> Mapping[str, Demo]:
    """Return all demos by name, in alphabetical order.

    Raises RuntimeError when there is none, or when a demo is not named after its file.
    """
    found: dict[str, Demo] = {}
    for name in sorted(module.name for module in pkgutil.iter_modules(package.__path__)):
        demo = getattr(importlib.import_module(f"{package.__name__}.{name}"), "DEMO", None)
        if isinstance(demo, Demo):
            if demo.name != name:
                raise RuntimeError(
                    f"the demo in {name}.py calls itself {demo.name!r}: both names must be the same"
                )
            found[name] = demo
    if not found:
        raise RuntimeError("no demo was found: the installation of studynorm is incomplete")
    return MappingProxyType(found)
