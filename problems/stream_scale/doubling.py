"""How much a residual stream grows when every branch has gain 1."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks", low=1, high=500)
    quantity: str = en.option("what is compared", ("variance", "rms"), "variance")


SLIPS = ("linear_growth", "additive", "root_swapped", "skip_protects")


class StreamDoubling(en.Family[Params]):
    title = "Growth of an unnormalized residual stream"
    catalogue = "H1"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS, distinct=13), 2: en.Level(*SLIPS)}
    covers = ("stream-variance-doubles", "skip-does-not-prevent-explosion")
    cards = ("card:residual/variance-doubling", "card:residual/three-remedies")

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            return Params(rng.integer(3, 16), "variance")
        quantity = rng.choice(("variance", "rms"))
        return Params(rng.integer(17, 48) if quantity == "variance" else rng.integer(3, 40), quantity)

    def prompt(self, p: Params) -> str:
        asked = "variance" if p.quantity == "variance" else "RMS (root mean square)"
        return (
            f"A residual stream with mean 0 passes blocks $x + F(x)$, ${p.depth}$ of them, without any "
            "normalization. "
            "Every branch has gain 1 (its output has the variance of its input), and its output has mean 0 "
            "and is uncorrelated with the stream.\n\n"
            f"How many times the {asked} of its input does the stream have at the end?"
        )

    def solve(self, p: Params) -> float:
        return seen(p, 2.0**p.depth)

    def oracle(self, p: Params, torch: Any) -> Any:
        # A quarter turn of two features keeps the variance, and its output is uncorrelated with its input.
        quarter_turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
        start = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]], dtype=torch.float64)
        stream = start
        for _ in range(p.depth):
            stream = stream + stream @ quarter_turn
        if p.quantity == "variance":
            return stream.var(correction=0) / start.var(correction=0)
        return (stream.square().mean() / start.square().mean()).sqrt()

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "linear_growth",
            seen(p, 2.0 * p.depth),
            "That counts 2 for every block; the doublings multiply.",
        )
        yield en.Misconception(
            "additive",
            seen(p, 1.0 + p.depth),
            "That adds the input's variance once per block; each branch adds as much as the stream has by "
            "then.",
        )
        yield en.Misconception(
            "root_swapped",
            2.0 ** (p.depth / 2) if p.quantity == "variance" else 2.0**p.depth,
            r"That is the RMS, which grows by $\sqrt 2$ per block; the variance doubles."
            if p.quantity == "variance"
            else r"That is the variance; the RMS is its root and grows by $\sqrt 2$ per block.",
        )
        yield en.Misconception(
            "skip_protects",
            1.0,
            "That says that nothing grows; the skip protects the gradient's path, not the scale.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        root = "" if p.quantity == "variance" else r" At the end, $\text{RMS} = \sqrt{\text{Var}}$."
        return (
            "Variances of uncorrelated terms add. What does one block do to the variance?",
            r"$\text{Var}(x + F(x)) = \text{Var}(x) + \text{Var}(F(x)) = 2\,\text{Var}(x)$, block after "
            f"block.{root}",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        steps = (
            en.Step("Skip and branch: one block's factor for the variance", "factor", "1 + 1", 2.0),
            en.Step("All blocks", "variance", "factor^depth", 2.0**p.depth),
        )
        if p.quantity == "variance":
            return steps
        return (*steps, en.Step("RMS: the root", "rms", "sqrt(variance)", self.solve(p)))

    def exact(self, p: Params) -> str:
        return f"2^{p.depth}" if p.quantity == "variance" else f"2^({p.depth}/2)"


def seen(p: Params, variance: float) -> float:
    """Return the asked ratio, where the variances have this one."""
    return variance if p.quantity == "variance" else math.sqrt(variance)


FAMILY = StreamDoubling()
