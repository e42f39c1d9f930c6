"""Which share of the gradient of a residual network comes through short paths."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb, fsum
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks L", low=1, high=60)
    gain: float = en.scalar("the factor a of every branch", low=1e-3, high=1e3)
    longest: int = en.whole("the largest number of branches on a path that counts as short", high=60)


SLIPS = ("unweighted_paths", "gain_as_share", "one_path_per_length", "longest_only", "longest_left_out")


class ShortPaths(en.Family[Params]):
    title = "The share of the short paths"
    catalogue = "G9"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS)}
    covers = ("short-paths-dominate", "residual-path-count")
    cards = ("card:residual/short-paths",)
    requires = ("residual.paths", "residual.path_length")

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 2:
            return Params(rng.integer(3, 14), rng.choice((0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6)), 1)
        depth = rng.integer(6, 24)
        return Params(depth, rng.choice((0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8)), rng.integer(2, 4))

    def validate(self, p: Params) -> None:
        if p.longest > p.depth:
            raise en.Refused("longest", f"a path has at most {p.depth} branches, as many as there are blocks")

    def prompt(self, p: Params) -> str:
        return (
            f"A residual network has ${p.depth}$ blocks. Every branch multiplies the gradient by "
            f"$a = {en.tex(p.gain)}$, every skip by 1; so each path through $i$ branches carries $a^i$.\n\n"
            f"What share of the whole gradient comes through the paths with at most ${p.longest}$ "
            f"{'branch' if p.longest == 1 else 'branches'} (a number from 0 to 1)?"
        )

    def solve(self, p: Params) -> float:
        return share(p, p.gain / (1 + p.gain))

    def oracle(self, p: Params, torch: Any) -> Any:
        # Walk the blocks; entry i holds what the paths through i branches carry so far.
        carried = torch.zeros(p.depth + 1, dtype=torch.float64)
        carried[0] = 1.0
        for _ in range(p.depth):
            carried[1:] = carried[1:] + p.gain * carried[:-1]
        return carried[: p.longest + 1].sum() / carried.sum()

    def misconceptions(self, p: Params) -> en.Slips:
        weights = [p.gain**i for i in range(p.depth + 1)]
        last = comb(p.depth, p.longest) * p.gain**p.longest / (1 + p.gain) ** p.depth
        yield en.Misconception(
            "unweighted_paths",
            share(p, 0.5),
            "That counts all paths alike; a path through $i$ branches counts by $a^i$, so short ones weigh "
            "more.",
        )
        if p.gain < 1:
            yield en.Misconception(
                "gain_as_share",
                share(p, p.gain),
                r"That takes $a$ for the branch's share and $1 - a$ for the skip's; the skip carries 1, so "
                r"the branch's share is $\frac{a}{1 + a}$.",
            )
        yield en.Misconception(
            "one_path_per_length",
            fsum(weights[: p.longest + 1]) / fsum(weights),
            r"That has one path of each length; there are $\binom{L}{i}$ through $i$ branches.",
        )
        yield en.Misconception(
            "longest_only",
            last,
            "That takes the paths with exactly this many branches; the shorter ones count too.",
        )
        yield en.Misconception(
            "longest_left_out",
            self.solve(p) - last,
            "That leaves out the paths with exactly this many branches; “at most” includes them.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "How many paths lead through $i$ branches, and what do they carry together? And all paths "
            "together?",
            r"Through $i$ branches: $\binom{L}{i} a^i$. All together: $(1 + a)^L$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        terms = " + ".join(f"{comb(p.depth, i)}*gain^{i}" for i in range(p.longest + 1))
        whole = (1 + p.gain) ** p.depth
        return (
            en.Step("All paths together", "whole", "(1 + gain)^depth", whole),
            en.Step(
                "The short ones: number of paths times what each carries",
                "short",
                terms,
                self.solve(p) * whole,
            ),
            en.Step("Their share", "share", "short/whole", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        gain = Fraction(repr(p.gain))
        short = sum((comb(p.depth, i) * gain**i for i in range(p.longest + 1)), Fraction())
        text = f"({short})/({1 + gain})^{p.depth}"
        return text if len(text) <= 60 else None


def share(p: Params, branch: float) -> float:
    """Return the share of the short paths where a branch has this share of its block."""
    return fsum(comb(p.depth, i) * branch**i * (1 - branch) ** (p.depth - i) for i in range(p.longest + 1))


FAMILY = ShortPaths()
