"""Through how many branches the gradient of a residual network leads on average."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks L", low=1, high=500)
    gain: float = en.scalar("the factor a of every branch", low=1e-6, high=1e6)


SLIPS = ("unweighted_paths", "gain_as_share", "one_path_per_length", "skip_counted_as_branch")


class PathLength(en.Family[Params]):
    title = "The mean length of a gradient path"
    catalogue = "G9"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS)}
    covers = ("short-paths-dominate",)
    cards = ("card:residual/short-paths",)
    requires = ("residual.paths",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        return Params(rng.integer(4, 60), rng.choice((0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6)))

    def prompt(self, p: Params) -> str:
        return (
            f"A residual network has ${p.depth}$ blocks. Every branch multiplies the gradient by "
            f"$a = {en.tex(p.gain)}$, every skip by 1; so each path through $i$ branches carries $a^i$.\n\n"
            "Through how many branches does a path lead on average, if every path is weighted by what it "
            "carries?"
        )

    def solve(self, p: Params) -> float:
        return p.depth * p.gain / (1 + p.gain)

    def oracle(self, p: Params, torch: Any) -> Any:
        # The mean exponent of t in Π(1 + at), by autograd: d ln Π / dt at t = 1, through the blocks.
        t = torch.ones((), dtype=torch.float64, requires_grad=True)
        log_total = t * 0.0
        for _ in range(p.depth):
            log_total = log_total + torch.log(1 + p.gain * t)
        return torch.autograd.grad(log_total, t)[0]

    def misconceptions(self, p: Params) -> en.Slips:
        weights = [p.gain ** (i if p.gain <= 1 else i - p.depth) for i in range(p.depth + 1)]
        yield en.Misconception(
            "unweighted_paths",
            p.depth / 2,
            "That counts all paths alike; a path through $i$ branches counts by $a^i$, so short ones weigh "
            "more.",
        )
        yield en.Misconception(
            "gain_as_share",
            p.depth * p.gain,
            r"That takes $a$ for the share of a branch; beside the skip's 1 its share is $\frac{a}{1 + a}$.",
        )
        yield en.Misconception(
            "one_path_per_length",
            sum(i * weight for i, weight in enumerate(weights)) / sum(weights),
            r"That has one path of each length; there are $\binom{L}{i}$ through $i$ branches.",
        )
        yield en.Misconception(
            "skip_counted_as_branch",
            p.depth / (1 + p.gain),
            "That counts the skips on the path; the branches are asked for.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Look at one block: what share of what passes it comes through the branch?",
            r"That share is $\frac{a}{1 + a}$, whatever the other blocks do; add it up over all blocks.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        share = p.gain / (1 + p.gain)
        return (
            en.Step("Share of the branch in one block", "share", "gain/(1 + gain)", share),
            en.Step("Add up over the blocks", "length", "depth*share", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        gain = Fraction(repr(p.gain))
        return str(p.depth * gain / (1 + gain))


FAMILY = PathLength()
