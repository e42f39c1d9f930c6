"""The derivative of a highway layer, whose gate depends on its input."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: float = en.scalar("the input")
    h: float = en.scalar("the value of the transform h at x")
    h_slope: float = en.scalar("the derivative of h at x")
    gate: float = en.scalar("the value of the gate t at x", low=0.0, high=1.0)
    gate_slope: float = en.scalar("the derivative of the gate at x")


SLIPS = ("gate_held", "residual_instead", "skip_not_gated", "skip_gate_held", "gates_swapped")


class Highway(en.Family[Params]):
    title = "The derivative of a highway layer"
    catalogue = "G12"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS)}
    covers = ("highway",)
    cards = ("card:residual/block-jacobian",)
    requires = ("residual.jacobian",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 2:
            x, h = rng.sample((-2.0, -1.0, 1.0, 2.0, 3.0, 4.0), 2)
            slope = rng.choice((-3.0, -2.0, 2.0, 3.0))
            return Params(x, h, slope, rng.choice((0.2, 0.25, 0.3, 0.7, 0.75, 0.8)), rng.choice((0.1, 0.2)))
        x, h, slope = (rng.choice((-1, 1)) * rng.integer(5, 35) / 10 for _ in range(3))
        return Params(x, h, slope, rng.integer(12, 88) / 100, -rng.integer(5, 24) / 100)

    def prompt(self, p: Params) -> str:
        return (
            "A highway layer computes $y = t(x)\\,h(x) + (1 - t(x))\\,x$ with a gate $t$ that depends on the "
            f"input. All quantities are scalar, and at $x = {en.tex(p.x)}$\n\n"
            f"- the transform has the value $h = {en.tex(p.h)}$ and the derivative $h' = "
            f"{en.tex(p.h_slope)}$,\n- the gate has the value $t = {en.tex(p.gate)}$ and the derivative $t' "
            f"= {en.tex(p.gate_slope)}$.\n\n"
            "What is $dy/dx$ there?"
        )

    def solve(self, p: Params) -> float:
        return float(slope_of(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        # Lines through the given values with the given slopes; autograd does the product rule.
        x = torch.tensor(p.x, dtype=torch.float64, requires_grad=True)
        h = p.h + p.h_slope * (x - p.x)
        gate = p.gate + p.gate_slope * (x - p.x)
        return torch.autograd.grad(gate * h + (1 - gate) * x, x)[0]

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "gate_held",
            float(slope_of(p, moves=0)),
            "That holds the gate fixed; it depends on $x$ too and adds $t'(h - x)$.",
        )
        yield en.Misconception(
            "residual_instead",
            1 + p.h_slope,
            "That is $1 + h'$, a residual block; here the gate weights the transform and the skip.",
        )
        yield en.Misconception(
            "skip_not_gated",
            1 + p.gate * p.h_slope + p.gate_slope * p.h,
            "That lets the skip pass in full; it is weighted by $1 - t$.",
        )
        yield en.Misconception(
            "skip_gate_held",
            p.gate * p.h_slope + p.gate_slope * p.h + 1 - p.gate,
            "That uses the product rule for $t h$ only; $(1 - t)\\,x$ is a product too and adds $-t' x$.",
        )
        yield en.Misconception(
            "gates_swapped",
            (1 - p.gate) * p.h_slope + p.gate - p.gate_slope * (p.h - p.x),
            "That gives $t$ to the skip and $1 - t$ to the transform; it is the other way round.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Both terms are products of two functions of $x$.",
            r"$(t h)' = t'h + t h'$ and $\left((1 - t)\,x\right)' = -t'x + (1 - t)$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        held, moved = float(slope_of(p, moves=0)), p.gate_slope * (p.h - p.x)
        return (
            en.Step("With the gate held", "held", "gate*h_slope + 1 - gate", held),
            en.Step("What the gate's own change adds", "moved", "gate_slope*(h - x)", moved),
            en.Step("Together", "derivative", "held + moved", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        return str(slope_of(p))


def slope_of(p: Params, *, moves: int = 1) -> Fraction:
    """Return dy/dx as the numbers are displayed; `moves` is 0 where the gate is held."""
    x, h, h_slope, gate, gate_slope = (
        Fraction(repr(value)) for value in (p.x, p.h, p.h_slope, p.gate, p.gate_slope)
    )
    return gate * h_slope + 1 - gate + moves * gate_slope * (h - x)


FAMILY = Highway()
