"""How much a residual stream grows when every branch is multiplied by a fixed factor."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks L", low=1, high=1000)
    alpha: float = en.scalar("the factor α of every branch", low=-1e3, high=1e3)
    gain: float = en.scalar("the gain of every branch: its output variance per input variance", 1.0, low=0.0)
    quantity: str = en.option("what is compared", ("variance", "rms"), "variance")


SLIPS = ("factor_not_squared", "one_block_only", "factor_ignored", "skip_scaled_too", "root_swapped")
RANGE = 690.0
"""The largest natural logarithm of a result; float64 ends near 709."""


class ScaledBranch(en.Family[Params]):
    title = "Branches multiplied by a factor"
    catalogue = "H3"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "gain_ignored", "additive")}
    covers = ("stream-growth-by-branch-gain",)
    cards = ("card:residual/root-depth", "card:residual/three-remedies")
    requires = ("stream_scale.doubling", "stream_scale.fraction")

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            gain = float(rng.choice((1, 2, 3, 4)))
            return Params(rng.integer(4, 20), rng.choice((0.1, 0.2, 0.5)), gain, "variance")
        gain, alpha = (
            rng.choice((0.5, 0.8, 1.5, 2.0, 3.0)),
            rng.choice((-0.6, -0.4, 0.25, 0.3, 0.4, 0.6, 0.7)),
        )
        return Params(rng.integer(5, 24), alpha, gain, rng.choice(("variance", "rms")))

    def validate(self, p: Params) -> None:
        largest = (1 + p.alpha**2) * (1 + p.gain)
        if p.depth * math.log(largest) > RANGE:
            raise en.Refused(
                "depth", "with so many blocks the stream leaves the range of float64; take fewer"
            )

    def prompt(self, p: Params) -> str:
        asked = "variance" if p.quantity == "variance" else "RMS (root mean square)"
        times = "" if p.gain == 1 else f"{en.tex(p.gain)}\\,"
        return (
            f"A residual stream with mean 0 passes $L = {p.depth}$ blocks $x + \\alpha F(x)$ with $\\alpha = "
            f"{en.tex(p.alpha)}$. Before that factor every branch has gain ${en.tex(p.gain)}$, that is "
            f"$\\text{{Var}}(F(x)) = {times}\\text{{Var}}(x)$; its output has mean 0 and is "
            f"uncorrelated with the stream.\n\nHow many times the {asked} of its input does the stream have "
            "at the end?"
        )

    def solve(self, p: Params) -> float:
        return seen(p, block(p) ** p.depth)

    def oracle(self, p: Params, torch: Any) -> Any:
        # The two parts of a complex number are two features; a quarter turn is uncorrelated with its input.
        stream = torch.ones((), dtype=torch.complex128)
        quarter_turn = 1j * torch.tensor(p.gain, dtype=torch.float64).sqrt()
        for _ in range(p.depth):
            stream = stream + p.alpha * (quarter_turn * stream)
        return stream.abs() if p.quantity == "rms" else stream.abs().square()

    def misconceptions(self, p: Params) -> en.Slips:
        alpha, gain, depth = p.alpha, p.gain, p.depth
        yield en.Misconception(
            "factor_not_squared",
            seen(p, (1 + alpha * gain) ** depth),
            r"That multiplies the variance of the branch by $\alpha$; a factor $\alpha$ on the values is "
            r"$\alpha^2$ on their variance.",
        )
        yield en.Misconception(
            "one_block_only",
            seen(p, block(p)),
            "That is the growth over a single block; each of the blocks multiplies by it.",
        )
        yield en.Misconception(
            "factor_ignored",
            seen(p, (1 + gain) ** depth),
            r"That leaves out $\alpha$, which makes the variance of each branch $\alpha^2$ times as large.",
        )
        yield en.Misconception(
            "skip_scaled_too",
            seen(p, (alpha**2 * (1 + gain)) ** depth),
            r"That multiplies the sum $x + F(x)$ by $\alpha$; here $\alpha$ stands at the branch alone.",
        )
        yield en.Misconception(
            "root_swapped",
            block(p) ** (depth / 2 if p.quantity == "variance" else depth),
            "That is the RMS; the variance is its square."
            if p.quantity == "variance"
            else "That is the variance; the RMS is its root.",
        )
        yield en.Misconception(
            "gain_ignored",
            seen(p, (1 + alpha**2) ** depth),
            "That takes the branch for one of gain 1; its variance is $\\alpha^2$ times the gain times that "
            "of the stream.",
        )
        yield en.Misconception(
            "additive",
            seen(p, 1 + depth * alpha**2 * gain),
            "That adds the same amount in every block; each branch adds its share of what the stream has by "
            "then.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        root = "" if p.quantity == "variance" else r" At the end, $\text{RMS} = \sqrt{\text{Var}}$."
        return (
            r"What does a factor $\alpha$ on the values do to their variance? Then add the variances.",
            r"One block: $\text{Var}(x + \alpha F(x)) = (1 + \alpha^2 \rho)\,\text{Var}(x)$ with the gain "
            f"$\\rho$. Such factors multiply.{root}",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        steps = (
            en.Step("The branch's share of the variance", "share", "alpha^2*gain", p.alpha**2 * p.gain),
            en.Step("Skip and branch: one block's factor", "factor", "1 + share", block(p)),
            en.Step("All blocks", "variance", "factor^depth", block(p) ** p.depth),
        )
        if p.quantity == "variance":
            return steps
        return (*steps, en.Step("RMS: the root", "rms", "sqrt(variance)", self.solve(p)))

    def exact(self, p: Params) -> str:
        base = f"(1 + ({en.plain(p.alpha)})^2*{en.plain(p.gain)})"
        return f"{base}^{p.depth}" if p.quantity == "variance" else f"{base}^({p.depth}/2)"


def block(p: Params) -> float:
    """Return the factor by which one block multiplies the variance."""
    return 1 + p.alpha**2 * p.gain


def seen(p: Params, variance: float) -> float:
    """Return the asked ratio, where the variances have this one; nan where that is no variance."""
    if p.quantity == "variance":
        return variance
    return math.sqrt(variance) if variance >= 0 else math.nan


FAMILY = ScaledBranch()
