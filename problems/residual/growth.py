"""How fast the derivative grows where every residual branch has the same positive derivative."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

RANGE = 690.0
"""The largest natural logarithm of the answer; float64 ends near 709."""


@dataclass(frozen=True, slots=True)
class Params:
    slope: float = en.scalar("the derivative of every branch", low=0.0)
    depth: int = en.whole("the number of blocks", low=1, high=3000)


SLIPS = ("skip_protects", "first_order_sum", "exponential_for_power", "plain_product")


class Growth(en.Family[Params]):
    title = "Exploding through the skips"
    catalogue = "G8"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "doubled_per_block")}
    covers = ("residual-derivative-product", "skip-does-not-prevent-explosion")
    cards = ("card:residual/stack-jacobian", "card:residual/plain-vs-residual")
    demo = "residual_product"
    requires = ("residual.product",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            return Params(rng.choice((0.5, 1.5, 2.0, 3.0, 4.0)), rng.integer(3, 16))
        return Params(rng.choice((0.1, 0.15, 0.2, 0.25, 0.3, 0.4)), rng.integer(10, 80))

    def validate(self, p: Params) -> None:
        if p.depth * math.log1p(p.slope) > RANGE:
            raise en.Refused(
                "depth", "with so many blocks the product leaves the range of float64; take fewer"
            )

    def prompt(self, p: Params) -> str:
        return (
            f"A stack consists of ${p.depth}$ scalar residual blocks $x_{{k+1}} = x_k + F_k(x_k)$, and every "
            f"branch has the derivative $F_k' = {en.tex(p.slope)}$.\n\n"
            "What is the gradient at the input of the stack, as a multiple of the gradient at its output?"
        )

    def solve(self, p: Params) -> float:
        return (1 + p.slope) ** p.depth

    def oracle(self, p: Params, torch: Any) -> Any:
        start = torch.ones((), dtype=torch.float64, requires_grad=True)
        x = start
        for _ in range(p.depth):
            x = x + p.slope * x
        return torch.autograd.grad(x, start)[0]

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "skip_protects",
            1.0,
            "That says that the skip keeps the gradient as it is; the skip keeps it from vanishing, not from "
            "growing.",
        )
        yield en.Misconception(
            "first_order_sum",
            1 + p.depth * p.slope,
            "That adds the branch derivatives to 1; the factors of the blocks multiply.",
        )
        yield en.Misconception(
            "exponential_for_power",
            math.exp(p.depth * p.slope) if p.depth * p.slope < RANGE else math.inf,
            r"That is $e^{sL}$, the limit of many tiny branch derivatives; each block multiplies by $1 + s$.",
        )
        yield en.Misconception(
            "plain_product",
            power(p.slope, p.depth),
            "That multiplies the branch derivatives, as in a plain stack; the skip adds 1 to each of them.",
        )
        if p.slope != 2:  # where two beliefs give one number, it has one name
            yield en.Misconception(
                "doubled_per_block",
                power(2.0, p.depth),
                "That doubles in every block, as if each branch had the derivative 1.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "What does one block, skip included, multiply the gradient by?",
            r"$\frac{dx_L}{dx_0} = (1 + s)^L$ for $L$ blocks whose branches have the derivative $s$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("One block: skip and branch", "factor", "1 + slope", 1 + p.slope),
            en.Step("All blocks multiply", "growth", "factor^depth", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        return f"(1 + {en.plain(p.slope)})^{p.depth}"


def power(base: float, count: int) -> float:
    """Return base^count; infinite where that overflows, so that a slip is set aside."""
    try:
        return base**count
    except OverflowError:
        return math.inf


FAMILY = Growth()
