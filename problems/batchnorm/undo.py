"""The scale and shift with which BatchNorm returns its batch unchanged."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    eps: float = en.eps()


SLIPS = (
    "normalizing_instead",
    "variance_for_std",
    "shift_divided_by_std",
    "gamma_beta_swapped",
    "unbiased_variance",
    "fresh_affine",
)


class BatchNormUndo(en.Family[Params]):
    title = "The scale and shift that undo BatchNorm"
    catalogue = "A8"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("affine-can-undo", "affine-parameters", "biased-variance")
    cards = ("card:batchnorm/undo", "card:batchnorm/output-statistics")
    requires = ("batchnorm.vector",)
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng)
        visible = float(max(1, round(en.moments(x).var * rng.choice((0.1, 0.2, 0.4))))) if level == 3 else 0.0
        return Params(x, visible)

    def validate(self, p: Params) -> None:
        if max(p.x) - min(p.x) <= 1e-14 * max(map(abs, p.x)):
            raise en.Refused("x", "all values are equal: every γ does it, so there is no one answer")

    def prompt(self, p: Params) -> str:
        return (
            f"One channel in training mode sees the batch $x = {en.tex(p.x)}$. BatchNorm has "
            f"$\\varepsilon = {en.tex(p.eps)}$.\n\nFor which scale $\\gamma$ and shift $\\beta$ does it "
            r"return this batch unchanged, $y = x$? Give two numbers: $\gamma$, then $\beta$."
        )

    def solve(self, p: Params) -> en.Vec:
        m = en.moments(p.x)
        return sqrt(m.var + p.eps), m.mean

    def oracle(self, p: Params, torch: Any) -> Any:
        # The line x = γ·x̂ + β through the layer's own x̂, by least squares.
        x = torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1)
        hat = torch.nn.functional.batch_norm(x, None, None, training=True, eps=en.nonzero(p.eps))
        return torch.linalg.lstsq(torch.hstack((hat, torch.ones_like(hat))), x).solution.ravel()

    def misconceptions(self, p: Params) -> en.Slips:
        m = en.moments(p.x)
        std = sqrt(m.var + p.eps)
        yield en.Misconception(
            "normalizing_instead",
            (1 / std, -m.mean),
            r"That is what normalizing does: subtract $\mu$, divide by the root. Undoing it takes the "
            "opposite of both.",
        )
        yield en.Misconception(
            "variance_for_std",
            (m.var + p.eps, m.mean),
            r"That $\gamma$ is the variance; $\hat x$ was divided by its root, so the root brings it back.",
        )
        yield en.Misconception(
            "shift_divided_by_std",
            (std, -m.mean / std),
            r"That $\beta$ is $-\mu$ divided by the root, the constant part of $\hat x$; what has to be "
            r"added after scaling is $\mu$.",
        )
        yield en.Misconception(
            "gamma_beta_swapped",
            (m.mean, std),
            r"That swaps the two: $\gamma$ scales, $\beta$ shifts.",
        )
        yield en.Misconception(
            "unbiased_variance",
            (sqrt(m.unbiased + p.eps), m.mean),
            "That divides by $n - 1$; BatchNorm normalized with the biased variance, divided by $n$.",
        )
        yield en.Misconception(
            "fresh_affine",
            (1.0, 0.0),
            r"With these, a fresh layer's, the output is $\hat x$: centered and rescaled, not $x$.",
        )
        yield en.Misconception(
            "eps_ignored",
            (sqrt(m.var), m.mean),
            r"That leaves out $\varepsilon$: $\hat x$ was divided by $\sqrt{\sigma^2 + \varepsilon}$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"$y = \gamma \hat x + \beta$ has to be $x$ again. What was done to $x$ to get $\hat x$?",
            r"Solve $\hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}$ for $x$ and compare.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        gamma, beta = self.solve(p)
        return (
            en.Step("What was subtracted must be added: β = μ", "beta", "mean(x)", beta),
            en.Step("Biased variance: divide by n", "var", "mean((x - beta)^2)", m.var),
            en.Step("What was divided by must be multiplied by", "gamma", "sqrt(var + eps)", gamma),
            en.Step("Both", "affine", "(gamma, beta)", (gamma, beta)),
        )

    def exact(self, p: Params) -> str:
        x = [Fraction(repr(value)) for value in p.x]
        mu = sum(x) / len(x)
        return f"sqrt({sum((value - mu) ** 2 for value in x) / len(x) + Fraction(repr(p.eps))}), {mu}"


FAMILY = BatchNormUndo()
