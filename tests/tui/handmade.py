"""Hand-made variants, one for each kind of answer, and how each is answered by keys, clicks and text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studynorm.engine.answer import Kind, Matrix, Number, Vector
from studynorm.engine.discrete import Axes, Choice, CodeLine, Match, Order, Shape, YesNo
from studynorm.engine.family import Misconception, Step
from studynorm.engine.recall import Recall
from studynorm.engine.variant import Variant, Verified
from studynorm.study.situation import Key

TAIL = "tail"
"""Stands behind the place of a row of which the last cells are clicked."""


@dataclass(frozen=True)
class Made:
    """A kind with its answer; `keys` and `clicks` are empty where an answer is only typed."""

    kind: Kind
    answer: Any
    typed: str
    wrong: str
    keys: tuple[str, ...] = ()
    clicks: tuple[tuple[int, str], ...] = ()


MADE: Mapping[str, Made] = {
    # Shown as a: $x^2$, b: zero, c: `nan`, d: one.
    "choice": Made(
        Choice(options=("zero", "one", "$x^2$", "`nan`"), order=(2, 0, 3, 1)),
        3,
        "c",
        "a",
        ("down", "down", "down", "space"),
        ((2, ""),),
    ),
    "yes_no": Made(
        YesNo(labels=("moves", "stays", "`grows`")),
        (1, 0, 1),
        "y n y",
        "y y y",
        ("down", "y", "n", "y"),
        ((0, ""), (1, ""), (1, ""), (2, "")),
    ),
    # Shown as a: second, b: decoy, c: first, d: third.
    "order": Made(
        Order(steps=("first", "second", "third", "decoy"), order=(1, 3, 0, 2)),
        (0, 1, 2),
        "c a d",
        "a c d",
        ("down", "down", "x", "K"),
        ((1, TAIL), (1, ""), (0, "")),
    ),
    # The letters are a: two, b: none, c: one.
    "match": Made(
        Match(left=("eins", "zwei"), right=("one", "two", "none"), order=(1, 2, 0)),
        (0, 1),
        "c a",
        "a a",
        ("down", "c", "a"),
        ((4, ""), (1, "")),
    ),
    "line": Made(
        CodeLine(code=("def f(x):", "    y = x - 1", "    return y")),
        2,
        "2",
        "3",
        ("down", "down", "enter"),
        ((1, ""),),
    ),
    "axes": Made(
        Axes(rank=4),
        (0, 2),
        "-2 0",
        "0 1",
        ("down", "space", "down", "down", "space"),
        ((0, ""), (2, "")),
    ),
    "shape": Made(Shape(), (8, 16), "8x16", "(16, 8)"),
    "number": Made(Number(), 0.75, "3/4", "4"),
    "vector": Made(Vector(), (1.0, -2.0, 3.0), "1 -2 3", "1 2 3"),
    "recall": Made(Recall(), "It *divides* by $n$.", "by n", ""),
    "matrix": Made(Matrix(), ((1.0, 2.0), (3.0, 4.0)), "1 2; 3 4", "1 2; 3 5"),
}
SNIPPET = "import torch\nprint(torch.ones(2))\n"


def family(name: str) -> str:
    """Return the family of a kind."""
    return f"residual.{name}"


def variant(key: Key) -> Variant:
    """Return the variant of a key; all seeds give the same, and families of no kind a number."""
    name = key.family.partition(".")[2]
    made = MADE.get(name, MADE["number"])
    slips = (Misconception("first_shown", 2, "That is the first one."),) if name == "choice" else ()
    return Variant(
        family=key.family,
        version=1,
        topic="residual",
        title=f"By hand: {name}",
        level=key.level,
        seed=key.seed,
        prompt=f"A question of the kind {name}.",
        params={},
        kind=made.kind,
        answer=made.answer,
        misconceptions=slips,
        hints=("Look closely.", "Look again."),
        solution=(Step("It is so."),),
        see=("card:first/one",),
        distinct=1,
        snippet="" if name == "yes_no" else SNIPPET,
        levels=(1, 2),
        verified=Verified("2.13.0", "float64", "cpu", 0.0),
    )
