"""The gradient that reaches the input of BatchNorm in eval mode."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the inputs of one channel")
    gamma: float = en.scalar("the scale γ", 1.0)
    upstream: en.Vec = en.vector("the upstream gradient ȳ = ∂L/∂y", like="x")
    running_mean: float = en.scalar("the running mean", 0.0)
    running_var: float = en.scalar("the running variance", 1.0, low=0.0)
    eps: float = en.eps()


SQUARES = ((5.0, 4.0), (2.0, 2.0), (14.0, 2.0), (3.0, 1.0), (8.0, 1.0), (12.0, 4.0), (6.0, 3.0))
"""Running variances with an ε that fills them up to a square."""

SLIPS = (
    "batch_stats_in_eval",
    "batch_spread_in_eval",
    "gamma_missing",
    "sigma_missing",
    "divided_by_variance",
)


class EvalMode(en.Family[Params]):
    title = "The input gradient of BatchNorm in eval mode"
    catalogue = "E5"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("eval-backward", "eval-is-affine")
    cards = ("card:backward/eval-gradient", "card:running_stats/eval-formula")
    requires = ("backward.input_gradient", "running_stats.eval_output")

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.untidy_batch(rng)
        upstream = tuple(map(float, rng.integers(len(x), -3, 4)))
        running = float(rng.integer(-2, 4))
        if level == 2:
            return Params(
                x, rng.choice((0.5, 2.0, 3.0)), upstream, running, rng.choice((0.25, 4.0, 9.0)), 0.0
            )
        variance, eps = rng.choice(SQUARES)
        return Params(x, rng.choice((-0.5, -2.0, -3.0)), upstream, running, variance, eps)

    def validate(self, p: Params) -> None:
        if p.running_var + p.eps == 0:
            raise en.Refused("running_var", "with running variance 0 and eps = 0 the output divides by 0")

    def prompt(self, p: Params) -> str:
        return (
            f"One channel of BatchNorm in **eval** mode gets the inputs $x = {en.tex(p.x)}$. It has the "
            f"running mean $\\hat\\mu = {en.tex(p.running_mean)}$ and the running variance $\\hat\\sigma^2 = "
            f"{en.tex(p.running_var)}$, with $\\gamma = {en.tex(p.gamma)}$ and $\\varepsilon = "
            f"{en.tex(p.eps)}$. "
            "At its output $y$ arrives the gradient $\\bar y = \\partial \\mathcal L/\\partial y = "
            f"{en.tex(p.upstream)}$.\n\n"
            "What is the gradient at the input, $\\bar x = \\partial \\mathcal L/\\partial x$?"
        )

    def solve(self, p: Params) -> en.Vec:
        return en.divided(scaled(p), sqrt(p.running_var + p.eps))

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, eps=p.eps, dtype=torch.float64).eval()
        with torch.no_grad():
            layer.running_mean.fill_(p.running_mean)
            layer.running_var.fill_(p.running_var)
            layer.weight.fill_(p.gamma)
        x = torch.tensor(p.x, dtype=torch.float64, requires_grad=True)
        layer(x.reshape(-1, 1)).ravel().backward(torch.tensor(p.upstream, dtype=torch.float64))
        return x.grad

    def misconceptions(self, p: Params) -> en.Slips:
        m, g = en.moments(p.x), scaled(p)
        spread, fixed = sqrt(m.var + p.eps), p.running_var + p.eps
        yield en.Misconception(
            "batch_stats_in_eval",
            en.divided(en.projected(g, m.hat(p.eps)), spread),
            "That is the gradient of training mode; in eval mode the statistics do not depend on the batch, "
            "so nothing is removed.",
        )
        yield en.Misconception(
            "batch_spread_in_eval",
            en.divided(g, spread),
            "That divides by the spread of this batch; eval mode divides by the running one.",
        )
        yield en.Misconception(
            "gamma_missing",
            en.divided(p.upstream, sqrt(fixed)),
            r"That leaves out $\gamma$, which multiplies every output and so every gradient.",
        )
        yield en.Misconception(
            "sigma_missing",
            g,
            r"That is $\gamma\bar y$; it is still divided by $\sqrt{\hat\sigma^2 + \varepsilon}$.",
        )
        yield en.Misconception(
            "divided_by_variance",
            en.divided(g, fixed),
            r"That divides by $\hat\sigma^2 + \varepsilon$; the root of it is wanted.",
        )
        yield en.Misconception(
            "eps_ignored",
            en.divided(g, sqrt(p.running_var)),
            r"That leaves out $\varepsilon$, which is added to the running variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which statistics does eval mode use, and do they move when an input moves?",
            r"$y_i = \gamma \frac{x_i - \hat\mu}{\sqrt{\hat\sigma^2 + \varepsilon}} + \beta$ with constant "
            r"$\hat\mu$ and $\hat\sigma^2$: a straight line. What is its slope?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        root = sqrt(p.running_var + p.eps)
        return (
            en.Step("Root of the running variance plus ε", "root", "sqrt(running_var + eps)", root),
            en.Step("Slope of the layer", "slope", "gamma/root", p.gamma / root),
            en.Step("Multiply; nothing is removed", "xbar", "slope*upstream", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        square = Fraction(str(p.running_var)) + Fraction(str(p.eps))
        cells = ", ".join(str(Fraction(str(p.gamma)) * Fraction(str(value))) for value in p.upstream)
        text = f"({cells})/sqrt({square})"
        return text if len(text) <= 200 else None


def scaled(p: Params) -> en.Vec:
    """Return g = γȳ."""
    return tuple(p.gamma * value for value in p.upstream)


FAMILY = EvalMode()
