"""Executable claims: what cards state about PyTorch, run against the torch that is installed."""

import importlib
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from studynorm.locate import content_root

Claim = Callable[[Any], bool]


def claim_files() -> tuple[Path, ...]:
    """Return every `_claims.py` of the shipped problems, in order."""
    return tuple(sorted((content_root() / "problems").glob("*/_claims.py")))


def load_claims() -> Mapping[str, Claim]:
    """Return every claim by its id, `claim:<topic>.<name>`; raises what a broken file raises."""
    claims: dict[str, Claim] = {}
    for path in claim_files():
        topic = path.parent.name
        module = importlib.import_module(f"studynorm.problems.{topic}._claims")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_") and function.__module__ == module.__name__:
                claims[f"claim:{topic}.{name}"] = function
    return claims


def claim_holds(claim: Claim, torch: Any) -> str | None:
    """Run a claim and return what is wrong: None where it holds."""
    try:
        held = claim(torch)
    except Exception as error:  # noqa: BLE001  a claim may fail in any way, and each way means it does not hold
        return f"it fails with {type(error).__name__}: {error}"
    return None if held is True else "the installed torch behaves otherwise"
