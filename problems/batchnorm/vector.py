"""BatchNorm of a whole batch in training mode, with scale and shift."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    gamma: float = en.scalar("the scale γ", 1.0)
    beta: float = en.scalar("the shift β", 0.0)
    eps: float = en.eps()


SLIPS = (
    "shift_before_scale",
    "affine_dropped",
    "gamma_beta_swapped",
    "unbiased_variance",
    "divided_by_variance",
)


class BatchNormVector(en.Family[Params]):
    title = "BatchNorm of a batch, with scale and shift"
    catalogue = "A2"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("batchnorm-forward", "biased-variance", "affine-parameters", "eps-inside-root")
    cards = ("card:batchnorm/forward-pass",)
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng)
        gamma = rng.choice(
            (0.5, 2.0, 3.0) if level == 1 else (-2.0, 0.5, 2.0, 3.0) if level == 2 else (-2.0, -3.0)
        )
        visible = float(max(1, round(en.moments(x).var * rng.choice((0.1, 0.2, 0.4))))) if level == 3 else 0.0
        return Params(x, gamma, rng.choice((-2.0, -1.0, 1.0, 2.0)), visible)

    def prompt(self, p: Params) -> str:
        return (
            f"One channel in training mode sees the batch $x = {en.tex(p.x)}$. BatchNorm has $\\gamma = "
            f"{en.tex(p.gamma)}$, $\\beta = {en.tex(p.beta)}$ and $\\varepsilon = {en.tex(p.eps)}$.\n\n"
            "What is the output $y$?"
        )

    def solve(self, p: Params) -> en.Vec:
        return en.affine(en.moments(p.x).hat(p.eps), p.gamma, p.beta)

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, eps=en.nonzero(p.eps), dtype=torch.float64)
        with torch.no_grad():
            layer.weight.fill_(p.gamma)
            layer.bias.fill_(p.beta)
            return layer(torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1)).ravel()

    def misconceptions(self, p: Params) -> en.Slips:
        m, gamma, beta = en.moments(p.x), p.gamma, p.beta
        hat = m.hat(p.eps)
        yield en.Misconception(
            "shift_before_scale",
            tuple(gamma * (value + beta) for value in hat),
            r"That is $\gamma(\hat x + \beta)$; the shift $\beta$ comes last, after the scale.",
        )
        yield en.Misconception(
            "affine_dropped", hat, r"That is $\hat x$; $\gamma$ and $\beta$ still act on it."
        )
        yield en.Misconception(
            "gamma_beta_swapped",
            en.affine(hat, beta, gamma),
            r"That swaps the two: $\gamma$ scales, $\beta$ shifts.",
        )
        yield en.Misconception(
            "unbiased_variance",
            en.affine(en.divided(m.deviations, sqrt(m.unbiased + p.eps)), gamma, beta),
            "That divides by $n - 1$; BatchNorm normalizes with the biased variance, divided by $n$.",
        )
        yield en.Misconception(
            "divided_by_variance",
            en.affine(en.divided(m.deviations, m.var + p.eps), gamma, beta),
            "That divides by the variance; its square root is what the deviations are divided by.",
        )
        yield en.Misconception(
            "eps_ignored",
            en.affine(m.hat(), gamma, beta),
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Mean first, then the variance with divisor $n$. $\gamma$ and $\beta$ come last.",
            r"$y_i = \gamma \frac{x_i - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta$, "
            f"with $\\mu$ and $\\sigma^2$ over all {len(p.x)} values.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", m.mean),
            en.Step("Biased variance: divide by n", "var", "mean((x - mu)^2)", m.var),
            en.Step("Normalize", "xhat", "(x - mu)/sqrt(var + eps)", m.hat(p.eps)),
            en.Step("Scale, then shift", "y", "gamma*xhat + beta", self.solve(p)),
        )


FAMILY = BatchNormVector()
