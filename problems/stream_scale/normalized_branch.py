"""How much a residual stream grows when every branch adds the same variance, as behind a normalization."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks", low=1, high=1000)
    start: float = en.scalar("the variance of the stream's input", 1.0, above=0.0)
    branch: float = en.scalar("the variance of every branch's output", 1.0, above=0.0)
    quantity: str = en.option("what is asked for", ("variance", "rms"), "rms")


SLIPS = ("compounded", "root_swapped", "rms_added", "start_forgotten", "norm_holds_stream")
RANGE = 690.0
"""The largest natural logarithm of a slip that is named; float64 ends near 709."""


class NormalizedBranch(en.Family[Params]):
    title = "Normalized branches: the stream grows slowly"
    catalogue = "H4"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("normalized-branch-linear-variance",)
    cards = ("card:residual/three-remedies", "card:residual/post-vs-pre-ln")
    demo = "pre_post_ln"
    requires = ("stream_scale.doubling",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        quantity = rng.choice(("variance", "rms"))
        if level == 1:
            while True:
                first, each, root = rng.integer(1, 9), rng.integer(1, 4), rng.integer(3, 9)
                depth, rest = divmod(root**2 - first, each)
                if depth >= 2 and rest == 0:
                    return Params(depth, float(first), float(each), quantity)
        start, branch = rng.choice((0.8, 1.5, 2.5, 4.5)), rng.choice((0.2, 0.3, 0.7, 1.2))
        return Params(rng.integer(4, 48), start, branch, quantity)

    def prompt(self, p: Params) -> str:
        asked = "variance" if p.quantity == "variance" else "RMS (root mean square)"
        return (
            f"A residual stream with mean 0 starts with the variance ${en.tex(p.start)}$ and passes "
            f"${p.depth}$ pre-norm blocks $x + F(\\text{{norm}}(x))$. As each branch sees only the "
            f"normalized stream, its output has the variance ${en.tex(p.branch)}$ in every block, whatever "
            "the size of the stream; it has mean 0 and is uncorrelated with the stream.\n\n"
            f"What is the {asked} of the stream at the end, before any final norm?"
        )

    def solve(self, p: Params) -> float:
        return seen(p, p.start + p.depth * p.branch)

    def oracle(self, p: Params, torch: Any) -> Any:
        # The two parts of a complex number are two features; a quarter turn is uncorrelated with its input.
        stream = torch.tensor(p.start, dtype=torch.float64).sqrt() + 0j
        for _ in range(p.depth):
            stream = stream + math.sqrt(p.branch) * 1j * stream / stream.abs()
        return stream.abs() if p.quantity == "rms" else stream.abs().square()

    def misconceptions(self, p: Params) -> en.Slips:
        growth = p.depth * math.log1p(p.branch) + abs(math.log(p.start))
        yield en.Misconception(
            "compounded",
            seen(p, p.start * (1 + p.branch) ** p.depth) if growth < RANGE else math.nan,
            "That lets every branch grow with the stream, as without a norm; here each adds the same "
            "variance.",
        )
        yield en.Misconception(
            "root_swapped",
            math.sqrt(self.solve(p)) if p.quantity == "variance" else p.start + p.depth * p.branch,
            "That is the RMS; the variance is its square."
            if p.quantity == "variance"
            else "That is the variance; the RMS is its root.",
        )
        yield en.Misconception(
            "rms_added",
            seen(p, (math.sqrt(p.start) + p.depth * math.sqrt(p.branch)) ** 2),
            "That adds up the RMS of all branches; uncorrelated terms add their variances.",
        )
        yield en.Misconception(
            "start_forgotten",
            seen(p, p.depth * p.branch),
            "That counts the branches alone; the skip carries the variance of the input through to the end.",
        )
        yield en.Misconception(
            "norm_holds_stream",
            seen(p, p.start),
            "That says that the stream keeps its size; the norm stands in the branch, and nothing normalizes "
            "the sum.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        root = "" if p.quantity == "variance" else r" At the end, $\text{RMS} = \sqrt{\text{Var}}$."
        return (
            "Does what a branch adds depend on how large the stream has become?",
            r"$\text{Var}(x + F) = \text{Var}(x) + \text{Var}(F)$, and $\text{Var}(F)$ is the same in every "
            f"block.{root}",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        added = p.depth * p.branch
        steps = (
            en.Step("What all branches add", "added", "depth*branch", added),
            en.Step("Together with the input", "variance", "start + added", p.start + added),
        )
        if p.quantity == "variance":
            return steps
        return (*steps, en.Step("RMS: the root", "rms", "sqrt(variance)", self.solve(p)))

    def exact(self, p: Params) -> str:
        variance = f"{en.plain(p.start)} + {p.depth}*{en.plain(p.branch)}"
        return variance if p.quantity == "variance" else f"sqrt({variance})"


def seen(p: Params, variance: float) -> float:
    """Return what is asked of a stream of this variance."""
    return variance if p.quantity == "variance" else math.sqrt(variance)


FAMILY = NormalizedBranch()
