"""Weight normalization of one weight vector."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    v: en.Vec = en.vector("the learned vector v")
    g: float = en.scalar("the learned length g", 1.0)


TIDY_VECTORS = (
    (3, 4), (5, 12), (8, 15), (7, 24), (1, 2, 2), (2, 3, 6), (1, 4, 8), (4, 4, 7), (2, 6, 9), (6, 6, 7),
    (1, 1, 3, 5), (2, 4, 5, 6), (1, 3, 3, 9), (1, 1, 7, 7), (1, 5, 5, 7),
)  # fmt: skip
"""Whole numbers with a whole length."""

SLIPS = (
    "not_divided_by_length",
    "length_dropped",
    "divided_by_squared_length",
    "rms_instead",
    "divided_by_sum",
)


class WeightNorm(en.Family[Params]):
    title = "Weight normalization of a vector"
    catalogue = "D9"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("weight-norm",)
    cards = ("card:other_norms/weight-normalization",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        tidy = rng.shuffled(rng.choice(TIDY_VECTORS))
        sizes = tidy if level == 1 else [rng.integer(1, 9) for _ in range(rng.integer(2, 4))]
        v = tuple(float(rng.choice((-1, 1)) * size) for size in sizes)
        return Params(v, rng.choice((2.0, 3.0, 4.0, 6.0, 10.0) if level == 1 else (0.5, 1.5, 2.0, 3.0, 5.0)))

    def validate(self, p: Params) -> None:
        if not any(p.v):
            raise en.Refused("v", "all entries are 0, so v has no direction and the weight is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"A weight vector $w$ is reparametrized by weight normalization, with $v = {en.tex(p.v)}$ and "
            f"$g = {en.tex(p.g)}$.\n\nWhat is $w$?"
        )

    def solve(self, p: Params) -> en.Vec:
        return scaled(p, p.g / length(p.v))

    def oracle(self, p: Params, torch: Any) -> Any:
        linear = torch.nn.Linear(len(p.v), 1, bias=False, dtype=torch.float64)
        layer = torch.nn.utils.parametrizations.weight_norm(linear)
        with torch.no_grad():
            layer.parametrizations.weight.original0.fill_(p.g)
            layer.parametrizations.weight.original1.copy_(torch.tensor([p.v], dtype=torch.float64))
            return layer.weight[0]

    def misconceptions(self, p: Params) -> en.Slips:
        size = length(p.v)
        yield en.Misconception(
            "not_divided_by_length",
            scaled(p, p.g),
            r"That is $g\,v$; $v$ is first divided by its length, so that $g$ alone sets the length of $w$.",
        )
        yield en.Misconception(
            "length_dropped",
            scaled(p, 1 / size),
            r"That is $v/\lVert v \rVert$, of length 1; $g$ still multiplies it.",
        )
        yield en.Misconception(
            "divided_by_squared_length",
            scaled(p, p.g / size / size),
            r"That divides by $\lVert v \rVert^2$; the length is the root of the sum of squares.",
        )
        yield en.Misconception(
            "rms_instead",
            scaled(p, p.g / size * sqrt(len(p.v))),
            "That divides by the root mean square, as RMSNorm does; here it is the root of the plain sum of "
            "squares.",
        )
        yield en.Misconception(
            "divided_by_sum",
            scaled(p, p.g / sum(map(abs, p.v))),
            "That divides by the sum of the sizes; the length is the root of the sum of squares.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Weight normalization separates length and direction. Which of $v$ and $g$ gives which?",
            r"$w = g \frac{v}{\lVert v \rVert}$ with $\lVert v \rVert = \sqrt{\sum_i v_i^2}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        size = length(p.v)
        return (
            en.Step("Length of v", "length", "sqrt(sum(v^2))", size),
            en.Step("Direction of v", "direction", "v/length", en.divided(p.v, size)),
            en.Step("Length g in that direction", "w", "g*direction", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        v, g = [Fraction(repr(value)) for value in p.v], Fraction(repr(p.g))
        text = f"({', '.join(str(g * value) for value in v)})/sqrt({sum(value * value for value in v)})"
        return text if len(text) <= 200 and len(v) > 1 else None


def length(v: en.Vec) -> float:
    return sqrt(sum(value * value for value in v))


def scaled(p: Params, factor: float) -> en.Vec:
    return tuple(factor * value for value in p.v)


FAMILY = WeightNorm()
