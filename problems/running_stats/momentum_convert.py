"""One moving average, two conventions: momentum in Keras and in PyTorch."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    momentum: float = en.scalar("the momentum that is given", 0.1, low=0.0, high=1.0)
    convention: str = en.option("whose convention it follows", ("keras", "pytorch"), "pytorch")


SLIPS = ("same_number", "reciprocal", "root_taken")

SMALL = (0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.1, 0.15, 0.2, 0.25)
"""The weight of the new batch; the other convention's number is 1 minus it."""


class MomentumConvert(en.Family[Params]):
    title = "Momentum in Keras and in PyTorch"
    catalogue = "B7"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS, distinct=2 * len(SMALL))}
    covers = ("momentum-convention",)
    cards = ("card:running_stats/keras-momentum", "card:running_stats/mean-update")
    requires = ("running_stats.mean",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        new_weight, convention = rng.choice(SMALL), rng.choice(("keras", "pytorch"))
        return Params(new_weight if convention == "pytorch" else round(1 - new_weight, 6), convention)

    def prompt(self, p: Params) -> str:
        here, there = names(p)
        return (
            f"A BatchNorm layer in {here} has `momentum` set to ${en.tex(p.momentum)}$.\n\n"
            f"Which `momentum` lets a {there} BatchNorm update its running mean in the same way?"
        )

    def solve(self, p: Params) -> float:
        return 1 - p.momentum

    def oracle(self, p: Params, torch: Any) -> Any:
        if p.convention == "pytorch":
            # From 1, a batch of zeros leaves the weight of the old value: Keras's momentum.
            layer = torch.nn.BatchNorm1d(1, momentum=p.momentum, dtype=torch.float64)
            layer.running_mean.fill_(1.0)
            layer(torch.zeros(2, 1, dtype=torch.float64))
            return layer.running_mean[0]
        # Keras's rule, from 0 with a batch of ones: what arrives is the weight of the new value.
        old, new = torch.zeros(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
        return torch.lerp(new, old, p.momentum)[0]

    def misconceptions(self, p: Params) -> en.Slips:
        new_weight = p.momentum if p.convention == "pytorch" else 1 - p.momentum
        yield en.Misconception(
            "same_number",
            p.momentum,
            "That is the same number; Keras names the weight of the old value, PyTorch that of the new one.",
        )
        if new_weight > 0:
            yield en.Misconception(
                "reciprocal",
                1 / new_weight,
                "That is 1 divided by the weight of the new batch, about how many batches the average "
                "remembers; the two numbers add up to 1.",
            )
        yield en.Misconception(
            "root_taken",
            sqrt(new_weight),
            "That is the root of the new batch's weight; no root is involved, the two numbers add up to 1.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "One of the two names the weight of the old value, the other the weight of the new one.",
            r"PyTorch: $\hat\mu \leftarrow (1 - m)\,\hat\mu + m\,\mu$. "
            r"Keras: $\hat\mu \leftarrow m\,\hat\mu + (1 - m)\,\mu$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        text = "Old weight and new weight add up to 1"
        return (en.Step(text, "other", "1 - momentum", self.solve(p)),)

    def exact(self, p: Params) -> str:
        return str(1 - Fraction(repr(p.momentum)))


def names(p: Params) -> tuple[str, str]:
    """Return the library that is given and the one that is asked for."""
    return ("Keras", "PyTorch") if p.convention == "keras" else ("PyTorch", "Keras")


FAMILY = MomentumConvert()
