"""How much a residual stream grows when every branch has a fraction of the stream's variance."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks L", low=1, high=1000)
    numerator: float = en.scalar("the numerator of the branch's share of the variance", 1.0, low=0.0)
    denominator: float = en.scalar("the denominator of that share", 1.0, above=0.0)
    quantity: str = en.option("what is compared", ("variance", "rms"), "variance")


SLIPS = ("gain_one_assumed", "additive", "limit_instead", "root_swapped", "skip_protects")
RANGE = 690.0
"""The largest natural logarithm of a result; float64 ends near 709."""


class StreamFraction(en.Family[Params]):
    title = "Branches with a fraction of the stream's variance"
    catalogue = "H2"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "rms_added")}
    covers = ("root-depth-branch-scale", "stream-growth-by-branch-gain")
    cards = ("card:residual/root-depth", "card:residual/variance-doubling")
    requires = ("stream_scale.doubling",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            depth = rng.integer(4, 30)
            return Params(depth, float(rng.integer(1, 3)), float(depth), "variance")
        quantity = rng.choice(("variance", "rms"))
        return Params(rng.integer(6, 30), float(rng.integer(1, 5)), float(rng.integer(6, 25)), quantity)

    def validate(self, p: Params) -> None:
        if 2 * p.depth * math.log1p(math.sqrt(share(p))) > RANGE:
            raise en.Refused(
                "depth", "with so many blocks the stream leaves the range of float64; take fewer"
            )

    def prompt(self, p: Params) -> str:
        asked = "variance" if p.quantity == "variance" else "RMS (root mean square)"
        return (
            f"A residual stream with mean 0 passes $L = {p.depth}$ blocks $x + F(x)$. In every block the "
            "branch's output has mean 0, is uncorrelated with the stream and has the fraction "
            f"$\\frac{{{en.tex(p.numerator)}}}{{{en.tex(p.denominator)}}}$ of its variance: "
            "$\\text{Var}(F(x)) = "
            f"\\frac{{{en.tex(p.numerator)}}}{{{en.tex(p.denominator)}}} \\text{{Var}}(x)$.\n\n"
            f"How many times the {asked} of its input does the stream have at the end?"
        )

    def solve(self, p: Params) -> float:
        return seen(p, (1 + share(p)) ** p.depth)

    def oracle(self, p: Params, torch: Any) -> Any:
        # The two parts of a complex number are two features; a quarter turn is uncorrelated with its input.
        stream = torch.ones((), dtype=torch.complex128)
        for _ in range(p.depth):
            stream = stream + stream * 1j * math.sqrt(p.numerator) / math.sqrt(p.denominator)
        return stream.abs() if p.quantity == "rms" else stream.abs().square()

    def misconceptions(self, p: Params) -> en.Slips:
        part = share(p)
        yield en.Misconception(
            "gain_one_assumed",
            seen(p, 2.0**p.depth),
            "That doubles the variance in every block, as a branch of gain 1 does; here it adds only the "
            "fraction.",
        )
        yield en.Misconception(
            "additive",
            seen(p, 1 + p.depth * part),
            "That adds the same amount in every block; each branch adds its fraction of what the stream has "
            "by then.",
        )
        yield en.Misconception(
            "limit_instead",
            seen(p, math.exp(p.depth * part) if p.depth * part < RANGE else math.nan),
            "That takes $e^{pL}$, the limit of many small steps, for the variance; $(1 + p)^L$ is smaller.",
        )
        yield en.Misconception(
            "root_swapped",
            (1 + part) ** (p.depth / 2 if p.quantity == "variance" else p.depth),
            "That is the RMS; the variance is its square."
            if p.quantity == "variance"
            else "That is the variance; the RMS is its root.",
        )
        yield en.Misconception(
            "skip_protects",
            1.0,
            "That says that nothing grows; the skip protects the gradient's path, not the scale.",
        )
        yield en.Misconception(
            "rms_added",
            seen(p, (1 + math.sqrt(part)) ** (2 * p.depth)),
            "That adds the RMS of the branch to the RMS of the stream; uncorrelated terms add their "
            "variances.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        root = "" if p.quantity == "variance" else r" At the end, $\text{RMS} = \sqrt{\text{Var}}$."
        return (
            "Variances of uncorrelated terms add. By what factor does one block multiply the variance?",
            f"One block: $\\text{{Var}}(x + F(x)) = (1 + p)\\,\\text{{Var}}(x)$ with the fraction $p$. Such "
            f"factors multiply.{root}",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        factor = 1 + share(p)
        steps = (
            en.Step("Skip and branch: one block's factor", "factor", "1 + numerator/denominator", factor),
            en.Step("All blocks", "variance", "factor^depth", factor**p.depth),
        )
        if p.quantity == "variance":
            return steps
        return (*steps, en.Step("RMS: the root", "rms", "sqrt(variance)", self.solve(p)))

    def exact(self, p: Params) -> str:
        base = f"(1 + {en.plain(p.numerator)}/{en.plain(p.denominator)})"
        return f"{base}^{p.depth}" if p.quantity == "variance" else f"{base}^({p.depth}/2)"


def share(p: Params) -> float:
    """Return the branch's variance in units of the stream's."""
    return p.numerator / p.denominator


def seen(p: Params, variance: float) -> float:
    """Return the asked ratio, where the variances have this one."""
    return variance if p.quantity == "variance" else math.sqrt(variance)


FAMILY = StreamFraction()
