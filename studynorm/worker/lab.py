"""What torch does for the rest of the program: verified variants, demos, and fits of FSRS' weights.

Importing this module imports torch; the process that serves the TUI and the one-shot commands do so,
and nothing else does.
"""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

with warnings.catch_warnings():
    # A driver's or an optional library's complaint at import is no concern of a learner.
    warnings.simplefilter("ignore")
    import torch

from studynorm.demos.demo import read_settings
from studynorm.demos.registry import demos
from studynorm.demos.run import run_demo
from studynorm.engine.oracle import verified_draw, verified_values
from studynorm.engine.proof import Proof, prove
from studynorm.engine.registry import BrokenFamily, load_family
from studynorm.engine.variant import Variant


def use_one_thread() -> None:
    """Keep torch to one thread where it is called from this one; torch holds that number for each thread.

    Small models run several times faster so, and the learner's machine stays responsive.
    """
    torch.set_num_threads(1)


use_one_thread()

Progress = Callable[[float, str], None]


class FamilyUnusable(RuntimeError):
    """The file of a family cannot be loaded; the message names file and line."""


def torch_module() -> Any:
    """Return torch itself, for claims and families that are handed the module."""
    return torch


def variant(family_id: str, level: int, seed: int) -> Variant:
    """Return the verified variant of a seed.

    Raises `UnknownFamily`, `FamilyUnusable`, `NoVariant` or `Disagreement`.
    """
    return verified_draw(_family(family_id), level, seed, torch)


def values(family_id: str, level: int, given: Mapping[str, str]) -> Variant:
    """Return the verified variant of a learner's own numbers. Raises `Refused` and as `variant` does."""
    return verified_values(_family(family_id), level, dict(given), torch)


def proof(family_id: str, seeds: int) -> Proof:
    """Return what a family's proof of itself found."""
    return prove(load_family(family_id), torch, seeds=seeds)


def demo(name: str, given: Mapping[str, str], seed: int, device: str, progress: Progress) -> dict[str, Any]:
    """Run a demo and return its payload. Raises what `run_demo` raises; `KeyError` for an unknown name."""
    chosen = demos()[name]
    return run_demo(torch, chosen, read_settings(chosen, given), seed=seed, device=device, progress=progress)


def optimise(request: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return the fit of FSRS' weights that a request asks for. Raises FitFailed."""
    from studynorm.study.optimise import fit_of

    return fit_of(request, lambda done: progress(done, "fitting"))


def _family(family_id: str) -> Any:
    family = load_family(family_id)
    if isinstance(family, BrokenFamily):
        raise FamilyUnusable(str(family))
    return family
