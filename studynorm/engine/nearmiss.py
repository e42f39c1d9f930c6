"""Names slips that no family declared: a lost sign, a reversed list, a stray factor, one wrong entry.

Asked only where no declared misconception fits. What it finds is a remark, not a misconception: it has
no id, is not stored, and never changes a verdict.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studynorm.engine.moments import moments
from studynorm.engine.numbers import flatten

_CLOSE = 5e-4
"""How near, in units of the candidate's own max-norm, what was typed must be to a candidate."""


def near_miss(
    typed: Sequence[float], truth: Any, params: Mapping[str, Any], marks: Sequence[bool]
) -> str | None:
    """Return a sentence on how a wrong answer of the right shape differs from the truth, None if unclear."""
    right = flatten(truth)
    if len(right) != len(typed) or not any(right):
        return None
    for candidate, remark in _candidates(truth, right, params):
        scale = max(map(abs, candidate))
        apart = max(abs(a - b) for a, b in zip(candidate, right, strict=True))
        if apart > _CLOSE * scale and _near(typed, candidate):
            return remark
    if len(right) > 2 and list(marks).count(False) == 1:
        return f"Only entry {list(marks).index(False) + 1} is off; the other {len(right) - 1} are right."
    gaps = [a - b for a, b in zip(typed, right, strict=True)]
    if len(right) > 1 and _near(gaps, [gaps[0]] * len(gaps)) and abs(gaps[0]) > _CLOSE * max(map(abs, right)):
        return "Every entry is off by the same amount."
    return None


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    scale = max(map(abs, other)) or 1.0
    return all(abs(a - b) <= _CLOSE * scale for a, b in zip(one, other, strict=True))


def _candidates(
    truth: Any, right: Sequence[float], params: Mapping[str, Any]
) -> Iterator[tuple[list[float], str]]:
    yield [-value for value in right], "The size is right and the sign is not."
    if len(right) > 1:
        yield list(right[::-1]), "These are the right numbers in reverse order."
    if isinstance(truth, tuple) and truth and isinstance(truth[0], tuple) and len(truth) == len(truth[0]):
        transposed = [value for row in zip(*truth, strict=True) for value in row]
        yield transposed, "This is the transpose: rows and columns are swapped."
    for factor, name in _factors(params):
        if math.isfinite(factor) and factor not in {0.0, 1.0}:
            yield [factor * value for value in right], f"A factor of {name} too much."
            yield [value / factor for value in right], f"A factor of {name} is missing."
    for power in range(1, 7):
        yield [10.0**power * value for value in right], "The digits are right; the decimal point is not."
        yield [10.0**-power * value for value in right], "The digits are right; the decimal point is not."


def _factors(params: Mapping[str, Any]) -> Iterator[tuple[float, str]]:
    x = params.get("x")
    if isinstance(x, tuple) and len(x) > 1 and all(isinstance(value, float) for value in x):
        n = len(x)
        yield float(n), f"$n = {n}$"
        yield math.sqrt(n / (n - 1)), r"$\sqrt{n/(n-1)}$: the two variances were mixed up"
        yield n / (n - 1), "$n/(n-1)$: the two variances were mixed up"
        eps = params.get("eps")
        spread = math.sqrt(moments(x).var + (eps if isinstance(eps, float) else 0.0))
        yield spread, r"$\sqrt{\sigma^2+\varepsilon}$"
        yield spread * spread, r"$\sigma^2+\varepsilon$"
    gamma = params.get("gamma")
    if isinstance(gamma, float):
        yield gamma, r"$\gamma$"
