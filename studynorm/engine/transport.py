"""Variants as JSON-able data: between the engine process and the front ends, and in the log of attempts."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from studynorm.engine.answer import Integer, Integers, Kind, Matrix, Number, Vector
from studynorm.engine.discrete import DISCRETE
from studynorm.engine.family import Misconception, Step
from studynorm.engine.recall import Recall
from studynorm.engine.variant import Variant, Verified

_KIND_TYPES: tuple[type[Kind], ...] = (Number, Integer, Vector, Integers, Matrix, *DISCRETE, Recall)
_KINDS = {kind.name: kind for kind in _KIND_TYPES}


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
        "kind": dataclasses.asdict(kind),
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
        "snippet": variant.snippet,
        "levels": list(variant.levels),
        "requires": list(variant.requires),
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
    kind = _KINDS[data["answer_kind"]](**{name: _tuples(value) for name, value in data["kind"].items()})
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
        snippet=data["snippet"],
        levels=tuple(data["levels"]),
        requires=tuple(data["requires"]),
        verified=None if data["verified"] is None else Verified(**data["verified"]),
    )


def _tuples(value: Any) -> Any:
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list) else value


def dumps(value: Any) -> str:
    """Return compact JSON for the log of attempts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
