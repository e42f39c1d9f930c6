"""Variants: a family's question with fixed numbers, its answer and the slips that can be told apart."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from studynorm.engine.answer import Kind
from studynorm.engine.family import (
    Family,
    Misconception,
    Refused,
    Step,
    check_groups,
    values_of,
)
from studynorm.engine.numbers import distance, flatten, rounded, scale_of
from studynorm.engine.parameters import read_params
from studynorm.engine.rng import Rng
from studynorm.engine.snippet import snippet

NEAREST = 1.3e-2
"""How far, in units of S, a misconception of a drawn variant stays from the truth and from the others.

The widest tolerance of the number contract is 0.51 of a third digit, 5.1e-3·S; the cap of 0.4 of
this distance, 5.2e-3·S, therefore never bites on a drawn variant.
"""
_TRIES = 400


class NoVariant(RuntimeError):
    """A family found no variant that meets its own rules."""


@dataclass(frozen=True, slots=True)
class Verified:
    """How an answer was verified: by which torch, in what precision, and how far the two ways differ."""

    torch: str
    dtype: str
    device: str
    max_abs_diff: float
    note: str = ""

    def line(self) -> str:
        """Return the one line that the screen shows."""
        gap = f"{self.max_abs_diff:.0e}".replace("e-0", "e-") if self.max_abs_diff else "0"
        text = f"torch {self.torch} · {self.dtype} · {self.device} · |Δ| {gap}"
        return f"{text} · {self.note}" if self.note else text


@dataclass(frozen=True, slots=True)
class Variant:
    """A fixed question. `verified` is None until torch has computed the answer too.

    `distinct` is how many different statements the level has, None for fifty or more; `snippet` is a
    Python program in which torch reproduces the answer; `levels` and `requires` are those of the family.
    """

    family: str
    version: int
    topic: str
    title: str
    level: int
    seed: int | None
    prompt: str
    params: Mapping[str, Any]
    kind: Kind
    answer: Any
    misconceptions: tuple[Misconception, ...]
    hints: tuple[str, ...]
    solution: tuple[Step, ...]
    see: tuple[str, ...] = ()
    distinct: int | None = None
    snippet: str = ""
    levels: tuple[int, ...] = ()
    requires: tuple[str, ...] = ()
    verified: Verified | None = None

    @property
    def ladder(self) -> tuple[str, ...]:
        """The hints and, behind them, an intermediate value of the worked solution where there is one."""
        told = flatten(self.answer)
        clear = [step for step in self.solution[:-1] if step.expression and not _tells(step.value, told)]
        if not clear:
            return self.hints
        shown = clear[: (len(clear) + 1) // 2]
        halfway = "; ".join(f"{step.text}: {rounded(step.value).replace('-', '−')}" for step in shown)
        return (*self.hints, f"Halfway: {halfway}.")

    @property
    def verification(self) -> str | None:
        """One line on how the answer was verified; None before, and for words, which nothing verifies."""
        return self.verified.line() if self.verified is not None and self.kind.judged else None

    @property
    def question(self) -> str:
        """The prompt with what the answer kind shows below it: options, steps or numbered lines."""
        below = self.kind.shown()
        return f"{self.prompt}\n\n{below}" if below else self.prompt


@dataclass(frozen=True, slots=True)
class Drawn:
    """The parameters and the still unverified variant of a seed, and how many draws were rejected first."""

    params: Any
    variant: Variant
    rejected: int


def _tells(value: Any, answer: Sequence[float]) -> bool:
    """Tell whether an intermediate value gives a number of the answer away."""
    scale = scale_of(answer)
    return any(abs(number - told) <= 1e-6 * scale for number in flatten(value) for told in answer)


def draw(family: Family[Any], level: int, seed: int) -> tuple[Any, Variant]:
    """Return the parameters and the still unverified variant of a seed. Raises `NoVariant`."""
    found = search(family, level, seed)
    return found.params, found.variant


def search(family: Family[Any], level: int, seed: int) -> Drawn:
    """Return what `draw` returns and how many draws were rejected on the way. Raises `NoVariant`."""
    level = family.nearest(level)
    rng = Rng(family.id, family.version, level, seed)
    wanted = family.levels[level].misconceptions
    in_the_way: Counter[str] = Counter()
    for rejected in range(_TRIES):
        params = family.draw(level, rng)
        try:
            check_groups(family, params)
            family.validate(params)
        except Refused as refused:
            in_the_way[f"refused, {refused}"] += 1
            continue
        variant = build(family, params, level, seed)
        by_id = {slip.id: slip for slip in variant.misconceptions}
        if all(name in by_id and by_id[name].distinguishable for name in wanted):
            kept = tuple(by_id[name] for name in wanted) or tuple(
                slip for slip in variant.misconceptions if slip.distinguishable
            )
            return Drawn(params, replace(variant, misconceptions=kept), rejected)
        in_the_way.update(
            f"{name} too near the truth or another slip" if name in by_id else f"no finite {name}"
            for name in wanted
            if name not in by_id or not by_id[name].distinguishable
        )
    why = "; ".join(f"{reason}, {count} times" for reason, count in in_the_way.most_common(3))
    raise NoVariant(f"{family.id} found no variant of level {level} for seed {seed} in {_TRIES} tries: {why}")


def from_values(family: Family[Any], level: int, given: Mapping[str, str]) -> tuple[Any, Variant]:
    """Return the parameters and the variant of a learner's own numbers.

    Parameters that are not given take their documented defaults, sized to match. Raises `Refused`.
    """
    params = read_params(family, given)
    check_groups(family, params)
    family.validate(params)
    return params, build(family, params, family.nearest(level), None)


def build(family: Family[Any], params: Any, level: int, seed: int | None) -> Variant:
    """Put a variant together from its parameters, marking the slips that can be told apart."""
    answer = family.solve(params)
    kind = family.kind_of(params)
    # Own numbers have no seed; their options are shuffled too, or the right one would always be the first.
    order = values_of(params) if seed is None else seed
    kind = kind.shuffled(Rng("order", family.id, family.version, level, order))
    slips = tuple(
        slip for slip in family.misconceptions(params) if all(map(math.isfinite, flatten(slip.value)))
    )
    return Variant(
        family=family.id,
        version=family.version,
        topic=family.topic,
        title=family.title,
        level=level,
        seed=seed,
        prompt=family.prompt(params),
        params=values_of(params),
        kind=kind,
        answer=answer,
        misconceptions=_told_apart(answer, slips, exact=kind.whole),
        hints=tuple(family.hints(params)),
        solution=tuple(family.solution(params)),
        see=(*family.cards, *((f"demo:{family.demo}",) if family.demo else ())),
        distinct=family.levels[level].distinct,
        snippet=snippet(family, params),
        levels=tuple(sorted(family.levels)),
        requires=family.requires,
    )


def _told_apart(answer: Any, slips: Sequence[Misconception], *, exact: bool) -> tuple[Misconception, ...]:
    def apart(one: Any, other: Any) -> bool:
        near = 0.5 if exact else NEAREST * max(scale_of(one), scale_of(other))
        return distance(one, other) >= near

    def clear(slip: Misconception) -> bool:
        others = (other for other in slips if other is not slip and not _same_slip(slip, other))
        return apart(slip.value, answer) and all(apart(slip.value, other.value) for other in others)

    return tuple(replace(slip, distinguishable=clear(slip)) for slip in slips)


def _same_slip(one: Misconception, other: Misconception) -> bool:
    """Tell whether two entries are one belief listed twice, as a belief may reach several parts."""
    return one.id == other.id


def parts_changed(slip: Misconception, answer: Any) -> tuple[int, ...]:
    """Return the places of a multi-part answer that a slip gets wrong."""
    return tuple(
        at
        for at, (wrong, right) in enumerate(zip(flatten(slip.value), flatten(answer), strict=True))
        if wrong != right
    )
