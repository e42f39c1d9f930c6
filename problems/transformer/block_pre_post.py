"""One sublayer of a transformer block with its norm before the branch or after the sum."""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, nan
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of one token", like="weight", at_least=2)
    weight: Mat = en.matrix("the matrix W of the branch F(u) = Wu")
    placement: str = en.option("where the norm stands", ("pre", "post"), "pre")
    eps: float = en.eps()


SLIPS = ("other_placement", "skip_normalized", "norm_forgotten", "skip_forgotten", "norm_on_branch_output")


class BlockPrePost(en.Family[Params]):
    title = "One block, pre-LN or post-LN"
    catalogue = "I2"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("pre-norm-vs-post-norm", "residual-block", "layernorm-forward")
    cards = ("card:residual/post-vs-pre-ln", "card:other_norms/layernorm-formula")
    demo = "pre_post_ln"
    requires = ("other_norms.layernorm",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        placement = rng.choice(("pre", "post"))
        if level == 1:
            return self._tidy(rng, placement)
        size = 3 if level == 2 else rng.choice((3, 4))
        weight = tuple(tuple(map(float, rng.integers(size, -2, 2))) for _ in range(size))
        x = tuple(map(float, rng.integers(size, -5, 7)))
        if level == 2:
            return Params(x, weight, placement, 0.0)
        var = en.moments(normed(Params(x, weight, placement, 0.0))).var
        return Params(x, weight, placement, float(max(1, round(var * rng.choice((0.2, 0.4, 0.6))))))

    def _tidy(self, rng: en.Rng, placement: str) -> Params:
        """Draw a block of 4 features whose norm divides by a whole number."""
        wanted = en.tidy_batch(rng)
        while len(wanted) != 4:
            wanted = en.tidy_batch(rng)
        # Every feature takes only from those before it in some order, so x + Wx can be solved for x.
        order = rng.shuffled(range(4))
        cells = [[0.0] * 4 for _ in range(4)]
        for place in (1, 2, 3):
            cells[order[place]][order[rng.integer(0, place - 1)]] = rng.choice((-1.0, 1.0, 2.0))
        x = list(wanted)
        if placement == "post":
            for i in order:
                x[i] -= sum(cell * value for cell, value in zip(cells[i], x, strict=True))
        return Params(tuple(x), tuple(map(tuple, cells)), placement, 0.0)

    def validate(self, p: Params) -> None:
        if p.eps == 0 and en.flat(normed(p)):
            what = "of x" if p.placement == "pre" else "of x + Wx"
            raise en.Refused("x", f"all features {what} are equal, so with eps = 0 the norm gives 0/0")

    def prompt(self, p: Params) -> str:
        kind = "pre-LN (`norm_first=True`)" if p.placement == "pre" else "post-LN (`norm_first=False`)"
        return (
            f"One residual step of a {kind} block has the branch $F(u) = Wu$ and a LayerNorm with "
            f"$\\gamma = 1$, $\\beta = 0$ and $\\varepsilon = {en.tex(p.eps)}$. A token comes in with the "
            f"features $x = {en.tex(p.x)}$, and\n\n$$W = {en.tex(p.weight)}$$\n\n"
            "What comes out of the step?"
        )

    def solve(self, p: Params) -> en.Vec:
        return out(p, p.placement)

    def oracle(self, p: Params, torch: Any) -> Any:
        size = len(p.x)
        norm = torch.nn.LayerNorm(size, eps=p.eps, dtype=torch.float64)
        branch = torch.nn.Linear(size, size, bias=False, dtype=torch.float64)
        x, weight = (torch.tensor(value, dtype=torch.float64) for value in (p.x, p.weight))
        with torch.no_grad():
            branch.weight.copy_(weight)
            return x + branch(norm(x)) if p.placement == "pre" else norm(x + branch(x))

    def misconceptions(self, p: Params) -> en.Slips:
        pre = p.placement == "pre"
        plain, through = en.moments(p.x).hat(p.eps), times(p.weight, p.x)
        yield en.Misconception(
            "other_placement",
            out(p, "post" if pre else "pre"),
            r"That is post-LN, $\operatorname{LN}(x + F(x))$; pre-LN normalizes only what enters the branch."
            if pre
            else r"That is pre-LN, $x + F(\operatorname{LN}(x))$; post-LN normalizes the sum.",
        )
        yield en.Misconception(
            "skip_normalized",
            added(plain, times(p.weight, plain)),
            r"That sends $\operatorname{LN}(x)$ along the skip too; "
            + ("the skip carries $x$ itself." if pre else "post-LN normalizes once, after the addition."),
        )
        yield en.Misconception(
            "norm_forgotten",
            added(p.x, through),
            "That is $x + F(x)$, the residual step without its norm.",
        )
        yield en.Misconception(
            "skip_forgotten",
            times(p.weight, plain) if pre else en.moments(through).hat(p.eps),
            "That leaves out the skip: $x$ itself is added to what the branch gives.",
        )
        yield en.Misconception(
            "norm_on_branch_output",
            added(p.x, en.moments(through).hat(p.eps)),
            r"That is $x + \operatorname{LN}(F(x))$; the norm stands "
            + ("before the branch." if pre else "after the addition."),
        )
        yield en.Misconception(
            "eps_ignored",
            out(p, p.placement, 0.0),
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        formula = r"x + F(\operatorname{LN}(x))" if p.placement == "pre" else r"\operatorname{LN}(x + F(x))"
        return (
            "Does the norm see what enters the branch, or the sum of skip and branch?",
            f"The step is $y = {formula}$. LayerNorm takes mean and biased variance over the "
            f"{len(p.x)} features.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        rows = range(1, len(p.x) + 1)
        through = "(" + ", ".join(f"sum(entry(weight, {row})*{{0}})" for row in rows) + ")"
        m = en.moments(normed(p))
        source = "x" if p.placement == "pre" else "s"
        norm = (
            en.Step("Mean of the features", "mu", f"mean({source})", m.mean),
            en.Step("Biased variance", "var", f"mean(({source} - mu)^2)", m.var),
        )
        normalized = f"({source} - mu)/sqrt(var + eps)"
        if p.placement == "pre":
            hat = m.hat(p.eps)
            return (
                *norm,
                en.Step("The branch sees the normalized token", "u", normalized, hat),
                en.Step("The branch: W times that", "f", through.format("u"), times(p.weight, hat)),
                en.Step("Add it to the skip, which is x itself", "y", "x + f", self.solve(p)),
            )
        return (
            en.Step("The branch: W times x", "f", through.format("x"), times(p.weight, p.x)),
            en.Step("Skip and branch", "s", "x + f", normed(p)),
            *norm,
            en.Step("Normalize the sum", "y", normalized, self.solve(p)),
        )


def times(weight: Mat, u: en.Vec) -> en.Vec:
    """Return Wu of the numbers as they are displayed, rounded once; nan where u is not finite."""
    if not all(map(isfinite, u)):
        return (nan,) * len(weight)
    column = [Fraction(repr(value)) for value in u]
    return tuple(
        en.to_float(sum((Fraction(repr(a)) * b for a, b in zip(row, column, strict=True)), Fraction()))
        for row in weight
    )


def added(one: en.Vec, other: en.Vec) -> en.Vec:
    """Return the sum of two lists, entry by entry, free of float noise."""
    return tuple(2 * en.mean(pair) for pair in zip(one, other, strict=True))


def normed(p: Params) -> en.Vec:
    """Return what the LayerNorm sees."""
    return p.x if p.placement == "pre" else added(p.x, times(p.weight, p.x))


def out(p: Params, placement: str, eps: float | None = None) -> en.Vec:
    """Return the step's output with the norm at `placement` and with this ε, the given one if None."""
    eps = p.eps if eps is None else eps
    if placement == "post":
        return en.moments(added(p.x, times(p.weight, p.x))).hat(eps)
    return added(p.x, times(p.weight, en.moments(p.x).hat(eps)))


FAMILY = BlockPrePost()
