"""The gradients of BatchNorm's scale and shift in training mode."""

from dataclasses import dataclass
from fractions import Fraction
from math import fsum, sqrt
from operator import mul
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    gamma: float = en.scalar("the scale γ", 1.0)
    upstream: en.Vec = en.vector("the upstream gradient ȳ = ∂L/∂y", like="x")
    eps: float = en.eps()


SLIPS = (
    "means_for_sums", "raw_input_used", "no_scaling", "gamma_included", "gamma_beta_swapped",
    "unbiased_variance",
)  # fmt: skip


class ParameterGradients(en.Family[Params]):
    title = "The gradients of γ and β in BatchNorm"
    catalogue = "E1"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("batchnorm-backward-parameters",)
    cards = ("card:backward/gamma-gradient", "card:backward/beta-gradient")
    requires = ("batchnorm.vector",)
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng)
        gamma = rng.choice((2.0, 3.0) if level == 1 else (-3.0, -2.0, 0.5, 2.0, 3.0))
        upstream = [0]
        while not sum(upstream):
            upstream = rng.integers(len(x), -2, 3)
        return Params(x, gamma, tuple(map(float, upstream)), 0.0)

    def prompt(self, p: Params) -> str:
        return (
            f"One channel of BatchNorm in training mode sees the batch $x = {en.tex(p.x)}$, with "
            f"$\\gamma = {en.tex(p.gamma)}$ and $\\varepsilon = {en.tex(p.eps)}$. At its output $y$ arrives "
            f"the gradient $\\bar y = \\partial \\mathcal L/\\partial y = {en.tex(p.upstream)}$.\n\n"
            "What are the gradients of the scale and the shift? Give two numbers, in this order: "
            r"$\bar\gamma = \partial \mathcal L/\partial \gamma$, then "
            r"$\bar\beta = \partial \mathcal L/\partial \beta$."
        )

    def solve(self, p: Params) -> en.Vec:
        top, square, shift = exactly(p)
        return en.without_dust((en.to_float(top) / sqrt(square), en.to_float(shift)), size(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, eps=en.nonzero(p.eps), dtype=torch.float64)
        with torch.no_grad():
            layer.weight.fill_(p.gamma)
        y = layer(torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1))
        y.ravel().backward(torch.tensor(p.upstream, dtype=torch.float64))
        return en.without_dust((layer.weight.grad.item(), layer.bias.grad.item()), size(p))

    def misconceptions(self, p: Params) -> en.Slips:
        m, n = en.moments(p.x), len(p.x)
        scale, shift = self.solve(p)
        yield en.Misconception(
            "means_for_sums",
            (scale / n, shift / n),
            r"Those are means over the batch; $\gamma$ and $\beta$ act on every entry, so the gradients add "
            r"up.",
        )
        yield en.Misconception(
            "raw_input_used",
            (dot(p.upstream, p.x), shift),
            r"That weights $\bar y$ with $x$; what $\gamma$ multiplies is $\hat x$.",
        )
        yield en.Misconception(
            "no_scaling",
            (dot(p.upstream, m.deviations), shift),
            r"That weights $\bar y$ with $x - \mu$; $\hat x$ is that divided by $\sqrt{\sigma^2 + "
            r"\varepsilon}$.",
        )
        yield en.Misconception(
            "gamma_included",
            (p.gamma * scale, p.gamma * shift),
            r"That uses $\gamma\bar y$, which goes on to the input; the parameters get $\bar y$ itself.",
        )
        yield en.Misconception(
            "gamma_beta_swapped",
            (shift, scale),
            r"That swaps the two: $\bar\gamma$ is weighted with $\hat x$, $\bar\beta$ is the plain sum.",
        )
        yield en.Misconception(
            "unbiased_variance",
            (dot(p.upstream, en.divided(m.deviations, sqrt(m.unbiased + p.eps))), shift),
            "That divides by $n - 1$; BatchNorm normalizes with the biased variance, divided by $n$.",
        )
        yield en.Misconception(
            "eps_ignored",
            (dot(p.upstream, m.hat()), shift),
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Every output is $y_i = \gamma\hat x_i + \beta$. How does it move with $\gamma$, and how with "
            r"$\beta$?",
            r"$\bar\gamma = \sum_i \bar y_i \hat x_i$ and $\bar\beta = \sum_i \bar y_i$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m, (scale, shift) = en.moments(p.x), self.solve(p)
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", m.mean),
            en.Step("Biased variance: divide by n", "var", "mean((x - mu)^2)", m.var),
            en.Step("Normalize", "xhat", "(x - mu)/sqrt(var + eps)", m.hat(p.eps)),
            en.Step("Scale: weight with the normalized values", "dgamma", "sum(upstream*xhat)", scale),
            en.Step("Shift: add up", "dbeta", "sum(upstream)", shift),
            en.Step("Both", "gradients", "(dgamma, dbeta)", (scale, shift)),
        )

    def exact(self, p: Params) -> str | None:
        top, square, shift = exactly(p)
        text = f"({top}/sqrt({square}), {shift})"
        return text if len(text) <= 200 else None


def exactly(p: Params) -> tuple[Fraction, Fraction, Fraction]:
    """Return Σȳ(x−μ), σ²+ε and Σȳ."""
    x, upstream = ([Fraction(str(value)) for value in values] for values in (p.x, p.upstream))
    mu, zero = sum(x, Fraction()) / len(x), Fraction()
    square = sum(((value - mu) ** 2 for value in x), zero) / len(x) + Fraction(str(p.eps))
    return sum((a * (b - mu) for a, b in zip(upstream, x, strict=True)), zero), square, sum(upstream, zero)


def dot(a: en.Vec, b: en.Vec) -> float:
    return fsum(map(mul, a, b))


def size(p: Params) -> float:
    """Return how large the sums could be without cancelling."""
    return fsum(map(abs, p.upstream))


FAMILY = ParameterGradients()
