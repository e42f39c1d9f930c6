"""The input of BatchNorm, found from an output and the batch statistics."""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    y: float = en.scalar("the output of one entry")
    gamma: float = en.scalar("the scale γ; not 0", 1.0)
    beta: float = en.scalar("the shift β", 0.0)
    mu: float = en.scalar("the mean of the batch", 0.0)
    var: float = en.scalar("the biased variance of the batch", above=0.0)
    eps: float = en.eps()


SLIPS = (
    "shift_not_removed",
    "multiplied_by_gamma",
    "variance_for_std",
    "mean_not_restored",
    "shift_removed_last",
    "forward_instead",
)


class BatchNormInvert(en.Family[Params]):
    title = "From the output back to the input"
    catalogue = "A11"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("batchnorm-forward", "affine-parameters")
    cards = ("card:batchnorm/forward-pass", "card:batchnorm/undo")
    requires = ("batchnorm.vector", "batchnorm.undo")

    def draw(self, level: int, rng: en.Rng) -> Params:
        beta = rng.choice((-3.0, -2.0, -1.0, 1.0, 2.0, 3.0))
        mu = float(rng.choice((-4, -3, -2, -1, 1, 2, 3, 4, 5, 6)))
        away = rng.choice([places for places in range(-8, 9) if places not in (0, -mu)])
        if level == 2:
            std, gamma = rng.choice((2.0, 4.0, 5.0)), rng.choice((-2.0, 0.5, 2.0, 3.0))
            return Params(gamma * away / std + beta, gamma, beta, mu, std**2, 0.0)
        var = float(rng.choice((3, 5, 6, 7, 8, 10, 12)))
        visible = float(max(1, round(var * rng.choice((0.2, 0.4)))))
        p = Params(beta + away / 4, rng.choice((-0.5, -2.0, -3.0)), beta, mu, var, visible)
        return p if abs(self.solve(p)) > 1e-9 else self.draw(level, rng)

    def validate(self, p: Params) -> None:
        if p.gamma == 0:
            raise en.Refused("gamma", "with γ = 0 every input gives β, so the input cannot be found")
        if not isfinite(self.solve(p)):
            raise en.Refused("gamma", "with so small a γ the input lies beyond the largest float64")

    def prompt(self, p: Params) -> str:
        return (
            f"In training mode, the batch of one channel has the mean $\\mu = {en.tex(p.mu)}$ and the biased "
            f"variance $\\sigma^2 = {en.tex(p.var)}$. BatchNorm has $\\gamma = {en.tex(p.gamma)}$, "
            f"$\\beta = {en.tex(p.beta)}$ and $\\varepsilon = {en.tex(p.eps)}$. One of its outputs is "
            f"$y_i = {en.tex(p.y)}$.\n\nWhat was the input $x_i$?"
        )

    def solve(self, p: Params) -> float:
        return en.surd(*exactly(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        # PyTorch's kernel takes given statistics only as running ones. The layer is a straight line in
        # each input, so one Newton step from μ reaches the input that gives y.
        mu, var, gamma, beta = (
            torch.tensor([number], dtype=torch.float64) for number in (p.mu, p.var, p.gamma, p.beta)
        )
        x = mu.clone().reshape(1, 1).requires_grad_()
        out = torch.nn.functional.batch_norm(x, mu, var, gamma, beta, eps=p.eps)
        (slope,) = torch.autograd.grad(out, x)
        return (x + (p.y - out) / slope)[0, 0]

    def misconceptions(self, p: Params) -> en.Slips:
        std, hat = sqrt(p.var + p.eps), (p.y - p.beta) / p.gamma
        yield en.Misconception(
            "shift_not_removed",
            p.mu + std * p.y / p.gamma,
            r"That divides $y_i$ itself by $\gamma$; $\beta$ is subtracted first.",
        )
        yield en.Misconception(
            "multiplied_by_gamma",
            p.mu + std * (p.y - p.beta) * p.gamma,
            r"That multiplies by $\gamma$ once more; going back, it divides.",
        )
        yield en.Misconception(
            "variance_for_std",
            p.mu + (p.var + p.eps) * hat,
            r"That multiplies $\hat x_i$ by the variance; $x_i - \mu$ was divided by its root.",
        )
        yield en.Misconception(
            "mean_not_restored",
            std * hat,
            r"That is $x_i - \mu$; the mean still has to be added.",
        )
        yield en.Misconception(
            "shift_removed_last",
            p.mu + std * (p.y / p.gamma - p.beta),
            r"That divides by $\gamma$ before it subtracts $\beta$; the shift came last, so it goes first.",
        )
        yield en.Misconception(
            "forward_instead",
            p.gamma * (p.y - p.mu) / std + p.beta,
            "That sends $y_i$ through the layer once more; it has to be taken back through it.",
        )
        yield en.Misconception(
            "eps_ignored",
            p.mu + sqrt(p.var) * hat,
            r"That leaves out $\varepsilon$: the divisor was $\sqrt{\sigma^2 + \varepsilon}$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Undo the steps in the opposite order: the last one first.",
            r"First $\hat x_i = \frac{y_i - \beta}{\gamma}$, then "
            r"$x_i = \mu + \sqrt{\sigma^2 + \varepsilon}\,\hat x_i$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        std = sqrt(p.var + p.eps)
        return (
            en.Step("Take shift and scale back", "xhat", "(y - beta)/gamma", (p.y - p.beta) / p.gamma),
            en.Step("What the deviation was divided by", "root", "sqrt(var + eps)", std),
            en.Step("Scale by it and add the mean", "x", "mu + root*xhat", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        hat, square, mu = exactly(p)
        return f"{mu} + ({hat})*sqrt({square})"


def exactly(p: Params) -> tuple[Fraction, Fraction, Fraction]:
    """Return x̂, σ² + ε and μ without loss."""
    y, gamma, beta, mu, var, eps = (
        Fraction(repr(number)) for number in (p.y, p.gamma, p.beta, p.mu, p.var, p.eps)
    )
    return (y - beta) / gamma, var + eps, mu


FAMILY = BatchNormInvert()
