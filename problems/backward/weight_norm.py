"""The gradients of weight normalization's direction and length."""

from dataclasses import dataclass
from fractions import Fraction
from math import fsum, hypot, sqrt
from operator import mul
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    v: en.Vec = en.vector("the direction vector v")
    g: float = en.scalar("the length g", 1.0)
    upstream: en.Vec = en.vector("the gradient w̄ = ∂L/∂w", like="v")


TIDY = (
    (3, 4),
    (5, 12),
    (1, 2, 2),
    (2, 3, 6),
    (1, 4, 8),
    (4, 4, 7),
    (2, 6, 9),
    (1, 1, 1, 1),
    (1, 1, 3, 5),
    (2, 4, 5, 6),
)
"""Vectors of whole length."""

SLIPS = (
    "projection_missing", "length_factor_missing", "means_for_sums", "direction_not_normalized",
    "length_gradient_scaled",
)  # fmt: skip


class WeightNorm(en.Family[Params]):
    title = "The gradients of weight normalization"
    catalogue = "E14"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS)}
    covers = ("weight-norm-backward",)
    cards = ("card:other_norms/weight-normalization",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 2:
            sizes = rng.shuffled(rng.choice(TIDY))
            v = tuple(float(size * rng.choice((-1, 1))) for size in sizes)
        else:
            v = tuple(map(float, rng.integers(rng.integer(3, 4), -5, 6)))
        upstream = tuple(map(float, rng.integers(len(v), -4, 5)))
        return Params(v, rng.choice((2.0, 3.0, 10.0) if level == 2 else (-2.0, -3.0, -10.0)), upstream)

    def validate(self, p: Params) -> None:
        if not any(p.v):
            raise en.Refused("v", "the vector 0 has no direction")

    def prompt(self, p: Params) -> str:
        return (
            r"Weight normalization writes a weight vector as $w = g\,\frac{v}{\lVert v \rVert}$, with "
            f"$v = {en.tex(p.v)}$ and $g = {en.tex(p.g)}$. At $w$ arrives the gradient $\\bar w = \\partial "
            f"\\mathcal L/\\partial w = {en.tex(p.upstream)}$.\n\n"
            f"What are the gradients at $v$ and $g$? Give {len(p.v) + 1} numbers: first the {len(p.v)} "
            f"entries of "
            r"$\bar v = \partial \mathcal L/\partial v$, then $\bar g = \partial \mathcal L/\partial g$."
        )

    def solve(self, p: Params) -> en.Vec:
        cells, square = exactly(p)
        return tuple(en.to_float(cell) / sqrt(square) for cell in cells)

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.Linear(len(p.v), 1, bias=False, dtype=torch.float64)
        torch.nn.utils.parametrizations.weight_norm(layer)
        length, direction = layer.parametrizations.weight.original0, layer.parametrizations.weight.original1
        with torch.no_grad():
            length.fill_(p.g)
            direction.copy_(torch.tensor([p.v], dtype=torch.float64))
        layer.weight.backward(torch.tensor([p.upstream], dtype=torch.float64))
        return (*direction.grad[0].tolist(), length.grad.item())

    def misconceptions(self, p: Params) -> en.Slips:
        factor, right = p.g / hypot(*p.v), along(p)
        yield en.Misconception(
            "projection_missing",
            (*(factor * value for value in p.upstream), right),
            r"$\bar v$: that takes $\lVert v \rVert$ for a constant; the part of $\bar w$ along $v$ must go, "
            r"as a "
            "longer $v$ changes nothing.",
        )
        yield en.Misconception(
            "length_factor_missing",
            (*rejected(p, right), right),
            r"$\bar v$: that is the part of $\bar w$ across $v$; it is still multiplied by "
            r"$g/\lVert v \rVert$.",
        )
        yield en.Misconception(
            "means_for_sums",
            (*(factor * value for value in rejected(p, right / len(p.v))), right),
            r"$\bar v$: that removes the mean of the products; $v/\lVert v \rVert$ has length 1, not $\sqrt "
            r"n$ as $\hat x$ has, so no $\frac{1}{n}$ belongs here.",
        )
        yield en.Misconception(
            "direction_not_normalized",
            (*direction_gradient(p), right * hypot(*p.v)),
            r"$\bar g$: that multiplies $\bar w$ by $v$; $g$ multiplies the unit vector $v/\lVert v \rVert$.",
        )
        yield en.Misconception(
            "length_gradient_scaled",
            (*direction_gradient(p), right * p.g),
            r"$\bar g$: that multiplies $\bar w$ by $w$; $w$ moves by $v/\lVert v \rVert$ when $g$ grows by "
            r"1.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"$w$ does not change when $v$ is stretched. Which part of $\bar w$ cannot reach $v$?",
            r"With $u = v/\lVert v \rVert$: $\bar g = \langle \bar w, u \rangle$ and $\bar v = "
            r"\frac{g}{\lVert v \rVert} \left(\bar w - u \langle \bar w, u \rangle\right)$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        length = hypot(*p.v)
        return (
            en.Step("Length of v", "length", "sqrt(sum(v^2))", length),
            en.Step("Unit vector", "u", "v/length", en.divided(p.v, length)),
            en.Step("The gradient that arrives at w", "wbar", en.plain(p.upstream), p.upstream),
            en.Step("Gradient of the length g", "gbar", "sum(wbar*u)", along(p)),
            en.Step("Part of the gradient across v", "across", "wbar - u*gbar", rejected(p, along(p))),
            en.Step("Gradient of v", "vbar", "g/length*across", direction_gradient(p)),
            en.Step("Both", "gradients", listed(len(p.v)), self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        cells, square = exactly(p)
        text = f"({', '.join(map(str, cells))})/sqrt({square})"
        return text if len(text) <= 200 else None


def exactly(p: Params) -> tuple[list[Fraction], Fraction]:
    """Return ‖v‖ times the answer, and ‖v‖²."""
    v, upstream = ([Fraction(str(value)) for value in values] for values in (p.v, p.upstream))
    square, product = sum((value * value for value in v), Fraction()), sum(map(mul, v, upstream), Fraction())
    cells = [Fraction(str(p.g)) * (a - b * product / square) for a, b in zip(upstream, v, strict=True)]
    return [*cells, product], square


def along(p: Params) -> float:
    """Return ⟨w̄, v/‖v‖⟩."""
    return fsum(map(mul, p.upstream, en.divided(p.v, hypot(*p.v))))


def rejected(p: Params, product: float) -> en.Vec:
    """Return w̄ less `product` times the unit vector."""
    unit = en.divided(p.v, hypot(*p.v))
    return tuple(value - product * part for value, part in zip(p.upstream, unit, strict=True))


def direction_gradient(p: Params) -> en.Vec:
    return tuple(p.g / hypot(*p.v) * value for value in rejected(p, along(p)))


def listed(size: int) -> str:
    """Return the expression that lists the entries of `vbar`, then `gbar`."""
    return f"({', '.join(f'entry(vbar, {place})' for place in range(1, size + 1))}, gbar)"


FAMILY = WeightNorm()
