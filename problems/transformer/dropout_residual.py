"""A residual block with dropout on its branch, for one mask."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features that enter the block")
    branch: en.Vec = en.vector("the output F(x) of the branch", like="x")
    mask: en.Vec = en.vector("1 for an entry that is kept, 0 for one that is dropped", like="x", fill=1.0)
    p: float = en.scalar("the probability p of dropping an entry", 0.5, low=0.0, high=0.99)


SLIPS = ("skip_dropped_too", "no_rescale", "skip_forgotten", "divided_by_drop")


class DropoutResidual(en.Family[Params]):
    title = "Dropout inside a residual block"
    catalogue = "I9"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "scaled_by_keep")}
    covers = ("dropout-on-branch", "dropout-scale", "residual-block")
    cards = ("card:residual/dropout-place", "card:residual/addition-copies")
    requires = ("transformer.dropout_scale",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        size = rng.integer(3, 4)
        values = [*range(-6, 0), *range(1, 10)]
        x, branch = (tuple(map(float, rng.sample(values, size))) for _ in range(2))
        dropped = set(rng.sample(range(size), rng.integer(1, size - 2)))
        mask = tuple(float(at not in dropped) for at in range(size))
        return Params(x, branch, mask, rng.choice((0.2, 0.75, 0.8) if level == 1 else (0.1, 0.3, 0.4, 0.6)))

    def validate(self, p: Params) -> None:
        if not set(p.mask) <= {0.0, 1.0}:
            raise en.Refused("mask", "only 1 (kept) and 0 (dropped) are wanted")
        if p.p == 0 and 0.0 in p.mask:
            raise en.Refused("mask", "with p = 0 no entry is ever dropped")

    def prompt(self, p: Params) -> str:
        return (
            f"A residual block gets $x = {en.tex(p.x)}$; its branch gives $F(x) = {en.tex(p.branch)}$. In "
            f"training mode, dropout with $p = {en.tex(p.p)}$ (the probability of dropping) acts in its "
            f"usual place and draws the mask $m = {en.tex(p.mask)}$ (1: kept, 0: dropped).\n\n"
            "What is the output of the block?"
        )

    def solve(self, p: Params) -> en.Vec:
        return exactly(p, 1, 1 / (1 - number(p.p)))

    def oracle(self, p: Params, torch: Any) -> Any:
        x, branch, mask = (torch.tensor(values, dtype=torch.float64) for values in (p.x, p.branch, p.mask))
        # Thousands of draws of the whole block: of every entry one draw with the wanted fate.
        dropped = torch.nn.functional.dropout(torch.ones(4096, len(p.x), dtype=torch.float64), p.p)
        factor = torch.where(mask == 1, dropped.max(0).values, torch.nn.functional.dropout(mask, 1.0))
        return x + factor * branch

    def misconceptions(self, p: Params) -> en.Slips:
        scale = 1 / (1 - number(p.p))
        yield en.Misconception(
            "skip_dropped_too",
            tuple(
                float(scale * int(m) * (number(x) + number(f)))
                for x, f, m in zip(p.x, p.branch, p.mask, strict=True)
            ),
            "That drops and rescales the sum; dropout acts on the branch, before the addition, and the skip "
            "stays whole.",
        )
        yield en.Misconception(
            "no_rescale",
            exactly(p, 1, Fraction(1)),
            "That drops entries of the branch without making up for it; those kept are divided by $1 - p$.",
        )
        yield en.Misconception(
            "skip_forgotten",
            exactly(p, 0, scale),
            "That is the branch alone; the skip adds $x$, also where the branch was dropped.",
        )
        if p.p:
            yield en.Misconception(
                "divided_by_drop",
                exactly(p, 1, 1 / number(p.p)),
                "That divides by $p$, the share that is dropped; it is $1 - p$, the share that stays.",
            )
        yield en.Misconception(
            "scaled_by_keep",
            exactly(p, 1, 1 - number(p.p)),
            "That multiplies by $1 - p$; kept entries are divided by it, so that the mean stays.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Where does dropout stand: on the skip, on the branch or after the addition?",
            r"$y = x + \text{dropout}(F(x))$. A kept entry of the branch becomes $\frac{F_i}{1 - p}$, a "
            "dropped one 0.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step(
                "The branch after dropout: kept entries divided by 1 − p",
                "dropped",
                "mask*branch/(1 - p)",
                exactly(p, 0, 1 / (1 - number(p.p))),
            ),
            en.Step("Add the skip, which no dropout touches", "y", "x + dropped", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        text = f"({', '.join(map(str, cells(p, 1, 1 / (1 - number(p.p)))))})"
        return text if len(text) <= 200 else None


def number(value: float) -> Fraction:
    """Return the number as it is displayed, without loss."""
    return Fraction(repr(value))


def cells(p: Params, skip: int, factor: Fraction) -> list[Fraction]:
    """Return `skip` times x plus `factor` times the kept entries of the branch."""
    return [
        skip * number(x) + factor * int(m) * number(f) for x, f, m in zip(p.x, p.branch, p.mask, strict=True)
    ]


def exactly(p: Params, skip: int, factor: Fraction) -> en.Vec:
    """Return `cells`, rounded once."""
    return tuple(map(en.to_float, cells(p, skip, factor)))


FAMILY = DropoutResidual()
