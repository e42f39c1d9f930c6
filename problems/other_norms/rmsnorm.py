"""RMSNorm of one token, with a scale for every feature."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of one token")
    gamma: en.Vec = en.vector("the scale γ, one entry per feature", like="x", fill=1.0)
    eps: float = en.eps()


TIDY_TOKENS = (
    (1, 3, -1, -5), (-7, -5, -1, 5), (-1, 1, 3, 5), (-3, 1, 1, 5), (-5, 1, 5, 7), (-1, 5, 5, 7),
    (-3, -1, 1, 3, 5), (-4, 0, 2, 3, 4), (-2, 0, 1, 2, 6), (-5, -1, 1, 2, 7), (-1, 1, 2, 5, 7),
    (-5, 1, 3, 3, 6), (-3, 1, 3, 5, 6), (-1, 0, 2, 2, 6), (1, 3, 3, 5, 6),
)  # fmt: skip
"""Tokens of whole numbers with a whole root mean square and a mean other than 0."""

SLIPS = ("layer_norm_instead", "divided_by_norm", "divided_by_mean_square", "divided_by_std", "centred")


class RMSNorm(en.Family[Params]):
    title = "RMSNorm of one token"
    catalogue = "D2"
    given = Params
    kind = en.Vector()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS, "affine_dropped"),
        3: en.Level(*SLIPS, "affine_dropped", "eps_ignored"),
    }
    covers = ("rmsnorm-forward", "rmsnorm-vs-layernorm", "affine-parameters", "eps-inside-root")
    cards = ("card:other_norms/rmsnorm-formula", "card:other_norms/rmsnorm-vs-layernorm")
    requires = ("batchnorm.vector",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            sign = rng.choice((-1.0, 1.0))
            token = tuple(sign * value for value in rng.shuffled(rng.choice(TIDY_TOKENS)))
            return Params(token, (1.0,) * len(token), 0.0)
        x = en.untidy_batch(rng) if level == 2 else en.untidy_batch(rng, 4, 6)
        scales = (0.5, 1.0, 2.0, 3.0) if level == 2 else (-3.0, -2.0, -0.5, 2.0)
        gamma = tuple(rng.choice(scales) for _ in x)
        visible = float(max(1, round(mean_square(x) * rng.choice((0.1, 0.2, 0.4))))) if level == 3 else 0.0
        return Params(x, gamma, visible)

    def validate(self, p: Params) -> None:
        if p.eps == 0 and not any(p.x):
            raise en.Refused("x", "all features are 0, so with eps = 0 the output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"A token has the features $x = {en.tex(p.x)}$. RMSNorm has $\\gamma = {en.tex(p.gamma)}$ "
            f"and $\\varepsilon = {en.tex(p.eps)}$.\n\nWhat is the output $y$?"
        )

    def solve(self, p: Params) -> en.Vec:
        return scaled(p, p.x, math.sqrt(mean_square(p.x) + p.eps))

    def oracle(self, p: Params, torch: Any) -> Any:
        x, gamma = (torch.tensor(values, dtype=torch.float64) for values in (p.x, p.gamma))
        return torch.nn.functional.rms_norm(x, (len(p.x),), weight=gamma, eps=p.eps)

    def misconceptions(self, p: Params) -> en.Slips:
        m, square = en.moments(p.x), mean_square(p.x)
        root, spread = math.sqrt(square + p.eps), math.sqrt(m.var + p.eps)
        yield en.Misconception(
            "layer_norm_instead",
            scaled(p, m.deviations, spread),
            "That is LayerNorm; RMSNorm subtracts no mean and divides by the root mean square.",
        )
        yield en.Misconception(
            "divided_by_norm",
            scaled(p, p.x, math.sqrt(len(p.x) * square + p.eps)),
            r"That divides by the length $\lVert x \rVert$; take the mean of the squares, not their sum.",
        )
        yield en.Misconception(
            "divided_by_mean_square",
            scaled(p, p.x, square + p.eps),
            "That divides by the mean square; its root comes first.",
        )
        yield en.Misconception(
            "divided_by_std",
            scaled(p, p.x, spread),
            r"That divides by the standard deviation $\sigma$; RMSNorm takes the squares of $x$ itself, "
            "not of its distance from the mean.",
        )
        yield en.Misconception(
            "centred",
            scaled(p, m.deviations, root),
            r"That subtracts the mean first; RMSNorm leaves the center where it is: $x/r$.",
        )
        yield en.Misconception(
            "affine_dropped",
            en.divided(p.x, root),
            r"That is $x/r$; $\gamma$ still multiplies it, entry by entry.",
        )
        yield en.Misconception(
            "eps_ignored",
            scaled(p, p.x, math.sqrt(square)),
            r"That leaves out $\varepsilon$, which is added to the mean square inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Read the name backwards: square, mean, root. Then divide; no mean of $x$ is subtracted.",
            r"$y_i = \gamma_i \frac{x_i}{r}$ with $r = \sqrt{\frac{1}{D}\sum_j x_j^2 + \varepsilon}$ "
            f"and $D = {len(p.x)}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        square = mean_square(p.x)
        return (
            en.Step("Mean of the squares", "square", "mean(x^2)", square),
            en.Step("Root mean square", "r", "sqrt(square + eps)", math.sqrt(square + p.eps)),
            en.Step("Divide, then scale entry by entry", "y", "gamma*x/r", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        if not p.eps.is_integer():
            return None
        tops = ", ".join(str(Fraction(g) * Fraction(v)) for g, v in zip(p.gamma, p.x, strict=True))
        square = sum(Fraction(v) ** 2 for v in p.x) / len(p.x) + Fraction(p.eps)
        text = f"({tops})/sqrt({square})"
        return text if len(text) <= 200 else None


def mean_square(x: en.Vec) -> float:
    return en.mean([value * value for value in x])


def scaled(p: Params, values: en.Vec, by: float) -> en.Vec:
    """Return γ · values / by, entry by entry."""
    return tuple(g * value for g, value in zip(p.gamma, en.divided(values, by), strict=True))


FAMILY = RMSNorm()
