"""What is left of a residual derivative beyond its first-order terms."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    slopes: en.Vec = en.vector("the branch derivatives, one per block", at_least=2)


SLIPS = ("whole_derivative", "sign_flipped", "plain_product", "pairs_only", "identity_left")


class Expansion(en.Family[Params]):
    title = "Beyond the first-order terms"
    catalogue = "G6"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("jacobian-expansion", "residual-derivative-product")
    cards = ("card:residual/stack-jacobian", "card:residual/paths-cloze")
    requires = ("residual.product", "residual.paths")

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            return Params(tuple(rng.choice((1.0, 2.0, 3.0, 4.0, 5.0, 0.5)) for _ in range(3)))
        pool = (-0.5, -0.4, -0.3, -0.2, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
        return Params(tuple(rng.choice(pool) for _ in range(rng.choice((3, 4)))))

    def validate(self, p: Params) -> None:
        if prod(1 + abs(slope) for slope in p.slopes) > 1e300:
            raise en.Refused("slopes", "with these slopes the product leaves the range of float64")

    def prompt(self, p: Params) -> str:
        return (
            f"The branches of ${len(p.slopes)}$ scalar residual blocks in a row have the derivatives "
            f"${en.tex(p.slopes)}$. Someone takes $1 + \\sum_k F_k'$, the first-order sum, for the "
            "derivative of the whole stack.\n\n"
            "What is the true derivative minus this sum (the part from all paths through two branches or "
            "more)?"
        )

    def solve(self, p: Params) -> float:
        return float(missed(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        # Walk the blocks; entry i holds what the paths through i branches carry so far.
        carried = torch.zeros(len(p.slopes) + 1, dtype=torch.float64)
        carried[0] = 1.0
        for slope in p.slopes:
            carried[1:] = carried[1:] + slope * carried[:-1]
        return carried[2:].sum()

    def misconceptions(self, p: Params) -> en.Slips:
        pairs = sum((fraction(a) * fraction(b) for a, b in combinations(p.slopes, 2)), Fraction())
        yield en.Misconception(
            "whole_derivative",
            float(derivative(p)),
            "That is the whole derivative; the first-order sum is still to be subtracted.",
        )
        yield en.Misconception(
            "sign_flipped",
            -self.solve(p),
            "That is the first-order sum less the true derivative; it was asked the other way round.",
        )
        yield en.Misconception(
            "plain_product",
            float(prod(map(fraction, p.slopes))),
            "That is the one path through all branches; those through some of them, but at least two, count "
            "too.",
        )
        if len(p.slopes) > 2:
            yield en.Misconception(
                "pairs_only",
                float(pairs),
                "That stops at pairs of branches; the paths through three or more are missing.",
            )
        yield en.Misconception(
            "identity_left",
            float(missed(p) + 1),
            "That takes away the branch derivatives only; the 1 of the bare skip belongs to the sum too.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "What is the true derivative of the stack? A product over the blocks.",
            r"$\prod_k (1 + F_k') - \left(1 + \sum_k F_k'\right)$",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("True derivative", "whole", "prod(1 + slopes)", float(derivative(p))),
            en.Step("First-order sum", "first", "1 + sum(slopes)", float(derivative(p) - missed(p))),
            en.Step("What the sum misses", "missed", "whole - first", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        text = str(missed(p))
        return text if len(text) <= 100 else None


def fraction(value: float) -> Fraction:
    """Return the number as it is displayed, without loss."""
    return Fraction(repr(value))


def derivative(p: Params) -> Fraction:
    """Return the derivative of the whole stack."""
    return prod((1 + fraction(slope) for slope in p.slopes), start=Fraction(1))


def missed(p: Params) -> Fraction:
    """Return the derivative less its first-order terms."""
    return derivative(p) - 1 - sum(map(fraction, p.slopes))


FAMILY = Expansion()
