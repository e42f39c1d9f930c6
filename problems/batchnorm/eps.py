"""Where ε enters: one normalized value from a batch's mean and variance."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    mu: float = en.scalar("the mean of the batch", 0.0)
    var: float = en.scalar("the biased variance of the batch", above=0.0)
    eps: float = en.eps()
    query: float = en.scalar("the value that is normalized")


SLIPS = ("eps_ignored", "eps_outside_root", "eps_squared", "divided_by_variance")


class BatchNormEps(en.Family[Params]):
    title = "Where ε enters"
    catalogue = "A3"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS)}
    covers = ("eps-inside-root", "batchnorm-forward")
    cards = ("card:batchnorm/epsilon-place", "card:batchnorm/epsilon-default")
    requires = ("batchnorm.entry",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 2:
            root, centre = rng.integer(2, 6), rng.integer(-3, 6)
            whole = rng.integer(2, root * root - 2)
            away = rng.choice((-1, 1)) * rng.integer(1, 2 * root)
            return Params(float(centre), float(whole), float(root * root - whole), float(centre + away))
        var = rng.choice((0.2, 0.3, 0.4, 0.5, 0.6, 0.8))
        centre = rng.integer(-9, 9)
        away = rng.choice((-1, 1)) * rng.integer(3, 19)
        return Params(centre / 10, var, round(var * rng.choice((0.4, 0.5, 0.75)), 4), (centre + away) / 10)

    def prompt(self, p: Params) -> str:
        return (
            f"In training mode, the batch of one channel has the mean $\\mu = {en.tex(p.mu)}$ and the biased "
            f"variance $\\sigma^2 = {en.tex(p.var)}$. BatchNorm has $\\varepsilon = {en.tex(p.eps)}$.\n\n"
            f"One of the batch's values is $q = {en.tex(p.query)}$. What does it become when it is "
            "normalized, before scale and shift?"
        )

    def solve(self, p: Params) -> float:
        return (p.query - p.mu) / sqrt(p.var + p.eps)

    def oracle(self, p: Params, torch: Any) -> Any:
        # PyTorch's kernel takes given statistics only as running ones; they act as a batch's own do.
        value, mean, var = (torch.tensor([number], dtype=torch.float64) for number in (p.query, p.mu, p.var))
        return torch.nn.functional.batch_norm(value.reshape(1, 1), mean, var, eps=p.eps)[0, 0]

    def misconceptions(self, p: Params) -> en.Slips:
        deviation = p.query - p.mu
        yield en.Misconception(
            "eps_ignored",
            deviation / sqrt(p.var),
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )
        yield en.Misconception(
            "eps_outside_root",
            deviation / (sqrt(p.var) + p.eps),
            r"That is $\frac{q - \mu}{\sigma + \varepsilon}$; $\varepsilon$ belongs inside the root.",
        )
        yield en.Misconception(
            "eps_squared",
            deviation / sqrt(p.var + p.eps**2),
            r"That adds $\varepsilon^2$ to the variance; what is added is $\varepsilon$ itself.",
        )
        yield en.Misconception(
            "divided_by_variance",
            deviation / (p.var + p.eps),
            r"That divides by $\sigma^2 + \varepsilon$; the root of it is what the deviation is divided by.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Is $\varepsilon$ added before the root is taken, or after?",
            r"$\hat q = \frac{q - \mu}{\sqrt{\sigma^2 + \varepsilon}}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("Deviation from the mean", "d", "query - mu", p.query - p.mu),
            en.Step("Variance and ε under one root", "root", "sqrt(var + eps)", sqrt(p.var + p.eps)),
            en.Step("Divide", "xhat", "d/root", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        mu, var, eps, query = (Fraction(repr(number)) for number in (p.mu, p.var, p.eps, p.query))
        return f"({query - mu})/sqrt({var + eps})"


FAMILY = BatchNormEps()
