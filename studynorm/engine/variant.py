"""Variants: a family's question with fixed numbers, its answer and the slips that can be told apart."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from studynorm.engine.answer import Integer, Integers, Kind, Matrix, Number, Vector
from studynorm.engine.expression import Scalar, Unreadable, Value, read
from studynorm.engine.family import (
    Family,
    Given,
    Misconception,
    Refused,
    Step,
    check_groups,
    givens,
    values_of,
)
from studynorm.engine.numbers import distance, flatten, plain, scale_of
from studynorm.engine.rng import Rng

NEAREST = 1.3e-2
"""How far, in units of S, a misconception of a drawn variant stays from the truth and from the others.

The widest tolerance of the number contract is 0.51 of a third digit, 5.1e-3·S; the cap of 0.4 of
this distance, 5.2e-3·S, therefore never bites on a drawn variant.
"""
_TRIES = 400
_SET_LIMIT = 4000


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

    `distinct` is how many different statements the level has, None for fifty or more.
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
    verified: Verified | None = None


def draw(family: Family[Any], level: int, seed: int) -> tuple[Any, Variant]:
    """Return the parameters and the still unverified variant of a seed. Raises `NoVariant`."""
    level = family.nearest(level)
    rng = Rng(family.id, family.version, level, seed)
    wanted = family.levels[level].misconceptions
    in_the_way: Counter[str] = Counter()
    for _ in range(_TRIES):
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
            kept = tuple(by_id[name] for name in wanted)
            return params, replace(variant, misconceptions=kept)
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
        kind=family.kind,
        answer=answer,
        misconceptions=_told_apart(answer, slips, exact=family.kind.whole),
        hints=tuple(family.hints(params)),
        solution=tuple(family.solution(params)),
        see=(*family.cards, *((f"demo:{family.demo}",) if family.demo else ())),
        distinct=family.levels[level].distinct,
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


# -- parameters from text ---------------------------------------------------------------------------
def read_params(family: Family[Any], given: Mapping[str, str]) -> Any:
    """Read `NAME=VALUE` texts into the parameters of a family. Raises `Refused`, naming the parameter."""
    declared = givens(family)
    for name in given:
        if name not in declared:
            raise Refused(name, f"{family.id} has no such parameter; it has {', '.join(declared)}")
    values: dict[str, Any] = {}
    for name, spec in declared.items():
        if name in given:
            values[name] = _read_given(name, spec, given[name])
    for name, spec in declared.items():
        if name not in values:
            values[name] = _default(name, spec, values, declared)
    for name, spec in declared.items():
        if spec.like is not None and len(values[name]) != (wanted := _length(spec, values)):
            raise Refused(name, f"has {len(values[name])} entries; give as many as {spec.like} has: {wanted}")
    return family.given(**values)


def _length(spec: Given, values: Mapping[str, Any]) -> int:
    """Return how many entries a vector has that is as long as another parameter, or as its rows."""
    assert spec.like is not None
    other = values[spec.like]
    return len(other[0] if spec.across else other)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"


def _read_given(name: str, spec: Given, text: str) -> Any:
    if spec.shape == "option":
        if text.strip() not in spec.options:
            raise Refused(name, f"one of {', '.join(spec.options)} is wanted, not “{_short(text)}”")
        return text.strip()
    try:
        value = read(text, in_list=spec.shape in {"vector", "matrix", "shape"}, limit=_SET_LIMIT)
    except Unreadable as unread:
        raise Refused(
            name, f"{unread.message} (at character {unread.position + 1} of “{_short(text)}”)"
        ) from None
    if spec.shape in {"vector", "shape"}:
        entries = (value,) if isinstance(value, Scalar) else value
        if not all(isinstance(entry, Scalar) for entry in entries):
            raise Refused(name, "a plain list is wanted, as in 0,2,4,6")
        low, high = spec.length
        if not low <= len(entries) <= high:
            wanted = f"{low}" if low == high else f"{low} to {high}"
            raise Refused(name, f"{wanted} numbers are wanted, and this has {len(entries)}")
        cells = tuple(_number(name, spec, entry) for entry in entries)
        return tuple(int(cell) for cell in cells) if spec.shape == "shape" else cells
    if spec.shape == "matrix":
        return _read_matrix(name, spec, value, column=";" in text)
    if not isinstance(value, Scalar):
        raise Refused(name, f"one number is wanted, and this is a list of {len(value)}")
    return _number(name, spec, value)


def _read_matrix(name: str, spec: Given, value: Value, *, column: bool) -> Any:
    """Read a matrix; where any shape will do, a plain list is one row, or one column if `;` parts it."""
    rows = value if isinstance(value, tuple) else (value,)
    if not spec.square and all(isinstance(row, Scalar) for row in rows):
        rows = tuple((cell,) for cell in rows) if column else (rows,)
    widths = {len(row) if isinstance(row, tuple) else 0 for row in rows}
    most = spec.length[1]
    fits = widths == {len(rows)} if spec.square else len(widths) == 1 and 0 < min(widths) <= most
    if not fits or len(rows) > most:
        wanted = f"a square matrix of at most {most} rows is wanted, as in 0,0.1;-0.1,0"
        if not spec.square:
            wanted = f"a matrix of at most {most} rows and columns is wanted, as in 0,2,4;1,3,9"
        raise Refused(name, wanted)
    return tuple(tuple(_number(name, spec, cell) for cell in row) for row in rows if isinstance(row, tuple))


def _number(name: str, spec: Given, value: Any) -> Any:
    if not isinstance(value, Scalar):
        raise Refused(name, "numbers are wanted, not lists inside the list")
    number = value.value
    if abs(number) > 1e150 or (number != 0 and abs(number) < 1e-150):
        raise Refused(name, f"{plain(number)} is outside ±1e-150 … ±1e150, where sums of squares are safe")
    if spec.above is not None and not number > spec.above:
        raise Refused(name, f"a number above {plain(spec.above)} is wanted, not {plain(number)}")
    if not spec.low <= number <= spec.high:
        bounds = (
            f"{plain(spec.low)} or more"
            if math.isinf(spec.high)
            else f"{plain(spec.low)} to {plain(spec.high)}"
        )
        raise Refused(name, f"{bounds} is wanted, not {plain(number)}")
    if spec.shape in {"whole", "shape"}:
        if not number.is_integer():
            raise Refused(name, f"a whole number is wanted, not {plain(number)}")
        return int(number)
    return number


def _default(name: str, spec: Given, values: Mapping[str, Any], declared: Mapping[str, Given]) -> Any:
    if spec.default is None:
        raise Refused(name, f"this parameter has no default ({spec.label}); add --set {name}=…")
    if spec.like is not None:
        if spec.like not in values:
            raise Refused(spec.like, f"this parameter has no default ({declared[spec.like].label})")
        return (float(spec.default),) * _length(spec, values)
    return spec.default


# -- JSON ------------------------------------------------------------------------------------------
_KINDS: dict[str, type[Kind]] = {kind.name: kind for kind in (Number, Integer, Vector, Integers, Matrix)}


def to_json(variant: Variant) -> dict[str, Any]:
    """Return a variant as JSON-able data, complete enough for `from_json`."""
    kind = variant.kind
    return {
        "family": variant.family,
        "version": variant.version,
        "topic": variant.topic,
        "title": variant.title,
        "level": variant.level,
        "seed": variant.seed,
        "prompt": variant.prompt,
        "params": dict(variant.params),
        "answer_kind": kind.name,
        "labels": list(kind.labels) if isinstance(kind, Integers) else [],
        "tolerance": [kind.abs_tol, kind.rel_tol],
        "answer": variant.answer,
        "misconceptions": [
            {"id": slip.id, "value": slip.value, "why": slip.why, "distinguishable": slip.distinguishable}
            for slip in variant.misconceptions
        ],
        "hints": list(variant.hints),
        "solution": [
            {"text": step.text, "name": step.name, "expression": step.expression, "value": step.value}
            for step in variant.solution
        ],
        "see": list(variant.see),
        "distinct": variant.distinct,
        "verified": None
        if variant.verified is None
        else {
            "torch": variant.verified.torch,
            "dtype": variant.verified.dtype,
            "device": variant.verified.device,
            "max_abs_diff": variant.verified.max_abs_diff,
            "note": variant.verified.note,
        },
    }


def from_json(data: Mapping[str, Any]) -> Variant:
    """Return the variant that `to_json` wrote; lists come back as tuples."""
    kind_type = _KINDS[data["answer_kind"]]
    abs_tol, rel_tol = data["tolerance"]
    kind = (
        Integers(abs_tol, rel_tol, tuple(data["labels"]))
        if kind_type is Integers
        else kind_type(abs_tol, rel_tol)
    )
    return Variant(
        family=data["family"],
        version=data["version"],
        topic=data["topic"],
        title=data["title"],
        level=data["level"],
        seed=data["seed"],
        prompt=data["prompt"],
        params={name: _tuples(value) for name, value in data["params"].items()},
        kind=kind,
        answer=_tuples(data["answer"]),
        misconceptions=tuple(
            Misconception(slip["id"], _tuples(slip["value"]), slip["why"], slip["distinguishable"])
            for slip in data["misconceptions"]
        ),
        hints=tuple(data["hints"]),
        solution=tuple(
            Step(step["text"], step["name"], step["expression"], _tuples(step["value"]))
            for step in data["solution"]
        ),
        see=tuple(data["see"]),
        distinct=data["distinct"],
        verified=None if data["verified"] is None else Verified(**data["verified"]),
    )


def _tuples(value: Any) -> Any:
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list) else value


def dumps(value: Any) -> str:
    """Return compact JSON for the log of attempts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
