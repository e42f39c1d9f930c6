"""How many powers of ten a gradient loses in a plain stack."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

RANGE = 300.0
"""The largest size of the answer; float64 ends near 10^308."""


@dataclass(frozen=True, slots=True)
class Params:
    slope: float = en.scalar("the derivative of every layer", low=1e-100, high=1e100)
    depth: int = en.whole("the number of layers", low=1, high=3000)


SLIPS = (
    "sign_flipped",
    "value_for_exponent",
    "natural_logarithm",
    "added_not_multiplied",
    "residual_instead",
)


class PlainExponent(en.Family[Params]):
    title = "Powers of ten lost in a plain stack"
    catalogue = "G4"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("plain-stack-vanishes",)
    cards = ("card:residual/plain-vs-residual", "card:residual/degradation")

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            return Params(rng.choice((0.1, 0.01, 0.001)), rng.integer(4, 33))
        return Params(rng.choice((0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.5, 2.0)), rng.integer(8, 60))

    def validate(self, p: Params) -> None:
        if abs(p.depth * math.log10(p.slope)) > RANGE:
            raise en.Refused(
                "depth", "with so many layers the product leaves the range of float64; take fewer"
            )

    def prompt(self, p: Params) -> str:
        return (
            f"In a plain stack of ${p.depth}$ scalar layers $x_{{k+1}} = f_k(x_k)$, without skips, every "
            f"layer has the derivative $f_k' = {en.tex(p.slope)}$.\n\n"
            "The derivative of the stack's output with respect to its input is written as $10^m$. "
            "What is the exponent $m$?"
        )

    def solve(self, p: Params) -> float:
        return p.depth * math.log10(p.slope)

    def oracle(self, p: Params, torch: Any) -> Any:
        start = torch.ones((), dtype=torch.float64, requires_grad=True)
        x = start
        for _ in range(p.depth):
            x = p.slope * x
        return torch.log10(torch.autograd.grad(x, start)[0])

    def misconceptions(self, p: Params) -> en.Slips:
        exponent = p.depth * math.log10(p.slope)
        yield en.Misconception(
            "sign_flipped",
            -exponent,
            "The sign is wrong: factors below 1 shrink the derivative, so the exponent is negative."
            if p.slope < 1
            else "The sign is wrong: factors above 1 enlarge the derivative, so the exponent is positive.",
        )
        yield en.Misconception(
            "value_for_exponent",
            p.slope**p.depth,
            "That is the derivative itself; its power of ten is asked for.",
        )
        yield en.Misconception(
            "natural_logarithm",
            p.depth * math.log(p.slope),
            "That is the natural logarithm, the power of $e$; the power of ten is asked for.",
        )
        yield en.Misconception(
            "added_not_multiplied",
            math.log10(p.depth * p.slope),
            "That adds the derivatives of the layers; layers in a row are composed, so they multiply.",
        )
        yield en.Misconception(
            "residual_instead",
            p.depth * math.log10(1 + p.slope),
            "That adds 1 to each factor, as a skip would; a plain layer has none.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "The chain rule multiplies the derivatives of all layers.",
            r"The product is $s^L$ for $L$ layers of derivative $s$, and $\log_{10}(s^L) = L \log_{10} s$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        one = math.log10(p.slope)
        return (
            en.Step("Power of ten of one layer", "one", "log10(slope)", one),
            en.Step("Exponents of factors add up", "exponent", "depth*one", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        exponent = self.solve(p)
        return str(int(exponent)) if exponent.is_integer() else f"{p.depth}*log10({en.plain(p.slope)})"


FAMILY = PlainExponent()
