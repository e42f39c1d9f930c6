"""LayerNorm and RMSNorm of the same token, side by side."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of one token", at_least=2)
    eps: float = en.eps()


SLIPS = ("layernorm_rmsnorm_swapped", "centred", "no_centring", "divided_by_norm", "unbiased_variance")


class LayerNormVsRMSNorm(en.Family[Params]):
    title = "LayerNorm and RMSNorm of the same token"
    catalogue = "D3"
    given = Params
    kind = en.Matrix()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("rmsnorm-vs-layernorm", "layernorm-forward", "rmsnorm-forward")
    cards = ("card:other_norms/rmsnorm-vs-layernorm", "card:other_norms/rmsnorm-layernorm-agree")
    requires = ("other_norms.layernorm", "other_norms.rmsnorm")

    def draw(self, level: int, rng: en.Rng) -> Params:
        return Params(en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng, 3, 4), 0.0)

    def validate(self, p: Params) -> None:
        if p.eps == 0 and en.flat(p.x):
            raise en.Refused("x", "all features are equal, so with eps = 0 LayerNorm's output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"A token has the features $x = {en.tex(p.x)}$. LayerNorm and RMSNorm both get it, each with "
            f"$\\gamma = 1$ (LayerNorm also $\\beta = 0$) and $\\varepsilon = {en.tex(p.eps)}$.\n\n"
            "Give both outputs as a matrix of two rows: LayerNorm's first, then RMSNorm's."
        )

    def solve(self, p: Params) -> Mat:
        return en.moments(p.x).hat(p.eps), en.divided(p.x, sqrt(mean_square(p.x) + p.eps))

    def oracle(self, p: Params, torch: Any) -> Any:
        x, size = torch.tensor(p.x, dtype=torch.float64), (len(p.x),)
        norms = torch.nn.functional
        return torch.stack((norms.layer_norm(x, size, eps=p.eps), norms.rms_norm(x, size, eps=p.eps)))

    def misconceptions(self, p: Params) -> en.Slips:
        m, square = en.moments(p.x), mean_square(p.x)
        layer, rms = self.solve(p)
        yield en.Misconception(
            "layernorm_rmsnorm_swapped",
            (rms, layer),
            "That has the two swapped: LayerNorm subtracts the mean, RMSNorm does not.",
        )
        yield en.Misconception(
            "centred",
            (layer, en.divided(m.deviations, sqrt(square + p.eps))),
            "Second row: that subtracts the mean first; RMSNorm leaves the center where it is: $x/r$.",
        )
        yield en.Misconception(
            "no_centring",
            (en.divided(p.x, sqrt(m.var + p.eps)), rms),
            r"First row: that divides $x$ itself by $\sigma$; LayerNorm subtracts the mean first.",
        )
        yield en.Misconception(
            "divided_by_norm",
            (layer, en.divided(p.x, sqrt(len(p.x) * square + p.eps))),
            r"Second row: that divides by the length $\lVert x \rVert$; take the mean of the squares, not "
            "their sum.",
        )
        yield en.Misconception(
            "unbiased_variance",
            (en.divided(m.deviations, sqrt(m.unbiased + p.eps)), rms),
            "First row: that divides by $D - 1$; LayerNorm takes the biased variance, divided by $D$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "One of the two outputs is centered: its entries sum to 0. Which one?",
            r"LayerNorm: $\frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}$. RMSNorm: "
            r"$\frac{x}{\sqrt{\langle x^2 \rangle + \varepsilon}}$, with the mean square "
            r"$\langle x^2 \rangle = \mu^2 + \sigma^2$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m, square = en.moments(p.x), mean_square(p.x)
        layer, rms = self.solve(p)
        return (
            en.Step("Mean of the features", "mu", "mean(x)", m.mean),
            en.Step("Biased variance", "var", "mean((x - mu)^2)", m.var),
            en.Step("LayerNorm: centered", "layernorm", "(x - mu)/sqrt(var + eps)", layer),
            en.Step("Mean of the squares", "square", "mean(x^2)", square),
            en.Step("RMSNorm: not centered", "rmsnorm", "x/sqrt(square + eps)", rms),
            en.Step("Both", "outputs", "(layernorm, rmsnorm)", (layer, rms)),
        )

    def exact(self, p: Params) -> str | None:
        deviations, square = en.exact_hat(p.x, p.eps)
        mean_of_squares = sum(Fraction(repr(value)) ** 2 for value in p.x) / len(p.x) + Fraction(repr(p.eps))
        layer = f"[{', '.join(map(str, deviations))}]/sqrt({square})"
        text = f"[{layer}, [{', '.join(map(en.plain, p.x))}]/sqrt({mean_of_squares})]"
        return text if len(text) <= 200 else None


def mean_square(x: en.Vec) -> float:
    return en.mean([value * value for value in x])


FAMILY = LayerNormVsRMSNorm()
