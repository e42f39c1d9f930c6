"""LayerNorm of one token, with a scale and a shift for every feature."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of one token", at_least=2)
    gamma: en.Vec = en.vector("the scale γ, one entry per feature", like="x", fill=1.0)
    beta: en.Vec = en.vector("the shift β, one entry per feature", like="x", fill=0.0)
    eps: float = en.eps()


SLIPS = ("unbiased_variance", "scalar_affine", "affine_dropped", "shift_before_scale", "rms_instead")


class LayerNorm(en.Family[Params]):
    title = "LayerNorm of one token"
    catalogue = "D1"
    given = Params
    kind = en.Vector()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS, "divided_by_variance"),
        3: en.Level(*SLIPS, "eps_ignored", "eps_outside_root"),
    }
    covers = ("layernorm-forward", "biased-variance", "affine-parameters", "eps-inside-root")
    cards = ("card:other_norms/layernorm-formula", "card:statistics/layernorm-token-group")
    requires = ("batchnorm.vector",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng, 3, 4 if level == 2 else 5)
        scales = {1: (1.0, 2.0, 3.0), 2: (0.5, 1.0, 2.0, 3.0), 3: (-3.0, -2.0, -0.5, 2.0)}[level]
        gamma = tuple(rng.choice(scales) for _ in x)
        beta = tuple(map(float, rng.integers(len(x), -2, 2)))
        visible = float(max(2, round(en.moments(x).var * rng.choice((0.1, 0.2, 0.4))))) if level == 3 else 0.0
        return Params(x, gamma, beta, visible)

    def validate(self, p: Params) -> None:
        if p.eps == 0 and en.flat(p.x):
            raise en.Refused("x", "all features are equal, so with eps = 0 the output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"A token has the features $x = {en.tex(p.x)}$. LayerNorm has $\\gamma = {en.tex(p.gamma)}$, "
            f"$\\beta = {en.tex(p.beta)}$ and $\\varepsilon = {en.tex(p.eps)}$.\n\nWhat is the output $y$?"
        )

    def solve(self, p: Params) -> en.Vec:
        return scaled(p, en.moments(p.x).hat(p.eps))

    def oracle(self, p: Params, torch: Any) -> Any:
        x, gamma, beta = (torch.tensor(values, dtype=torch.float64) for values in (p.x, p.gamma, p.beta))
        return torch.nn.functional.layer_norm(x, (len(p.x),), gamma, beta, p.eps)

    def misconceptions(self, p: Params) -> en.Slips:
        m = en.moments(p.x)
        hat = m.hat(p.eps)
        yield en.Misconception(
            "unbiased_variance",
            scaled(p, en.divided(m.deviations, sqrt(m.unbiased + p.eps))),
            "That divides by $D - 1$; LayerNorm takes the biased variance, divided by the $D$ features.",
        )
        yield en.Misconception(
            "scalar_affine",
            en.affine(hat, p.gamma[0], p.beta[0]),
            r"That uses $\gamma_1$ and $\beta_1$ for every feature; each feature has its own.",
        )
        yield en.Misconception(
            "affine_dropped", hat, r"That is $\hat x$; $\gamma$ and $\beta$ still act on it, entry by entry."
        )
        yield en.Misconception(
            "shift_before_scale",
            tuple(g * (value + b) for g, value, b in zip(p.gamma, hat, p.beta, strict=True)),
            r"That is $\gamma(\hat x + \beta)$; the shift $\beta$ comes last, after the scale.",
        )
        yield en.Misconception(
            "rms_instead",
            scaled(p, en.divided(p.x, sqrt(en.mean([value * value for value in p.x]) + p.eps))),
            "That divides by the root mean square, as RMSNorm does; LayerNorm also removes the mean.",
        )
        yield en.Misconception(
            "divided_by_variance",
            scaled(p, en.divided(m.deviations, m.var + p.eps)),
            "That divides by the variance; its square root is what the deviations are divided by.",
        )
        yield en.Misconception(
            "eps_ignored",
            scaled(p, m.hat()),
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )
        yield en.Misconception(
            "eps_outside_root",
            scaled(p, en.divided(m.deviations, sqrt(m.var) + p.eps)),
            r"That is $\frac{x - \mu}{\sigma + \varepsilon}$ before $\gamma$ and $\beta$; $\varepsilon$ "
            "belongs inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "The token is normalized by itself: its own mean, its own variance. Then each feature has its "
            "own scale and shift.",
            r"$y_i = \gamma_i \frac{x_i - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta_i$, "
            f"with $\\mu$ and $\\sigma^2$ over the $D = {len(p.x)}$ features.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        return (
            en.Step("Mean of the features", "mu", "mean(x)", m.mean),
            en.Step("Biased variance: divide by D", "var", "mean((x - mu)^2)", m.var),
            en.Step("Normalize", "xhat", "(x - mu)/sqrt(var + eps)", m.hat(p.eps)),
            en.Step("Scale, then shift, entry by entry", "y", "gamma*xhat + beta", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        deviations, square = en.exact_hat(p.x, p.eps)
        tops = ", ".join(str(Fraction(repr(g)) * d) for g, d in zip(p.gamma, deviations, strict=True))
        text = f"({tops})/sqrt({square}) + ({', '.join(map(en.plain, p.beta))})"
        return text if len(text) <= 200 else None


def scaled(p: Params, hat: en.Vec) -> en.Vec:
    """Return γ · hat + β, entry by entry."""
    return tuple(g * value + b for g, value, b in zip(p.gamma, hat, p.beta, strict=True))


FAMILY = LayerNorm()
