"""Has torch compute an answer and demands that the torch-free derivation agrees.

The only module of this layer that meets torch; it is handed the module and imports nothing of it.
"""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from studynorm.engine.family import Family, Refused
from studynorm.engine.numbers import distance, flatten, scale_of
from studynorm.engine.variant import Variant, Verified, draw, from_values

AGREEMENT = 1e-9
"""How far, in units of S, the two derivations may differ."""


class Disagreement(RuntimeError):
    """The two derivations of one answer differ: the variant is broken and is never shown."""

    def __init__(self, variant: Variant, by_torch: Any, gap: float) -> None:
        super().__init__(f"solve gives {variant.answer}, torch gives {by_torch}, |Δ| {gap:.1e}")
        self.variant = variant
        self.by_torch = by_torch
        self.gap = gap


def verified_draw(family: Family[Any], level: int, seed: int, torch: Any) -> Variant:
    """Return the verified variant of a seed. Raises `Disagreement` or `NoVariant`."""
    params, variant = draw(family, level, seed)
    return verify(family, params, variant, torch)


def verified_values(family: Family[Any], level: int, given: dict[str, str], torch: Any) -> Variant:
    """Return the variant of a learner's own numbers. Raises `Refused`.

    Where the two derivations differ, torch itself loses digits: the answer is the torch-free one and
    `verified` says by how much they differ.
    """
    params, variant = from_values(family, level, given)
    try:
        return verify(family, params, variant, torch)
    except Disagreement as apart:
        if not all(map(math.isfinite, (*flatten(apart.by_torch), *flatten(variant.answer)))):
            raise Refused(
                next(iter(variant.params)), "with these numbers float64 overflows on the way to the answer"
            ) from None
        if not math.isfinite(apart.gap):
            raise
        return replace(
            variant,
            verified=_verified(
                family, torch, apart.gap, f"torch itself loses digits here and gives {apart.by_torch}"
            ),
        )


def verify(family: Family[Any], params: Any, variant: Variant, torch: Any) -> Variant:
    """Return the variant with torch's answer and how it was verified. Raises `Disagreement`."""
    with _isolated(torch):
        by_torch = _plain(family.oracle(params, torch))
    gap = distance(by_torch, variant.answer)
    if not all(map(math.isfinite, flatten(by_torch))):
        gap = math.inf
    if not gap <= AGREEMENT * scale_of(variant.answer):
        raise Disagreement(variant, by_torch, gap)
    note = "arithmetic only" if family.arithmetic_only else ""
    if not family.kind.judged:
        note = "words: nothing was computed"
    if family.refuses_zero_eps and params.eps == 0:
        note = "torch ran with ε = 5e-324"
    answer = _whole(by_torch) if family.kind.whole else _zeros_kept(by_torch, variant.answer)
    return replace(variant, answer=answer, verified=_verified(family, torch, gap, note))


def _verified(family: Family[Any], torch: Any, gap: float, note: str) -> Verified:
    return Verified(str(torch.__version__).partition("+")[0], "float64", "cpu", gap, note)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(_plain(entry) for entry in value) if isinstance(value, list | tuple) else value


def _zeros_kept(value: Any, derived: Any) -> Any:
    """Return torch's numbers with 0 where the derivation gives exactly 0 and torch gives rounding noise."""
    if isinstance(value, tuple):
        return tuple(_zeros_kept(one, other) for one, other in zip(value, derived, strict=True))
    return 0.0 if derived == 0 else value


def _whole(value: Any) -> Any:
    return tuple(_whole(entry) for entry in value) if isinstance(value, tuple) else int(value)


@contextlib.contextmanager
def _isolated(torch: Any) -> Iterator[None]:
    """Keep torch's global random state as it was: no draw and no answer may depend on it."""
    state = torch.get_rng_state()
    torch.manual_seed(0)
    try:
        yield
    finally:
        torch.set_rng_state(state)
