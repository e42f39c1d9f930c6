"""What a visible ε leaves of the input gradient along the normalized batch."""

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
    "eps_ignored", "share_over_variance", "removed_part_measured", "mean_for_sum", "sigma_missing",
    "gamma_missing",
)  # fmt: skip


class EpsLeak(en.Family[Params]):
    title = "What ε leaves along x̂"
    catalogue = "E13"
    given = Params
    kind = en.Number()
    levels = {3: en.Level(*SLIPS)}
    covers = ("eps-breaks-orthogonality",)
    cards = ("card:backward/zero-for-which-epsilon", "card:backward/xhat-length")
    requires = ("backward.input_gradient",)
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng)
        upstream = tuple(map(float, rng.integers(len(x), -3, 4)))
        visible = float(max(2, round(en.moments(x).var * rng.choice((0.2, 0.4, 0.7, 1.5)))))
        return Params(x, rng.choice((-10.0, -3.0, 3.0, 10.0)), upstream, visible)

    def prompt(self, p: Params) -> str:
        return (
            f"One channel of BatchNorm in training mode sees the batch $x = {en.tex(p.x)}$, with "
            f"$\\gamma = {en.tex(p.gamma)}$ and $\\varepsilon = {en.tex(p.eps)}$. At its output $y$ arrives "
            f"the gradient $\\bar y = \\partial \\mathcal L/\\partial y = {en.tex(p.upstream)}$. Let $\\hat "
            "x$ be the normalized batch and $\\bar x$ the gradient at the input.\n\n"
            r"What is $\langle \bar x, \hat x \rangle = \sum_i \bar x_i \hat x_i$?"
        )

    def solve(self, p: Params) -> float:
        return en.without_dust(en.to_float(exactly(p)), size(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        x = torch.tensor(p.x, dtype=torch.float64, requires_grad=True)
        gamma = torch.tensor([p.gamma], dtype=torch.float64)
        y = torch.nn.functional.batch_norm(
            x.reshape(-1, 1), None, None, weight=gamma, training=True, eps=en.nonzero(p.eps)
        ).ravel()
        y.backward(torch.tensor(p.upstream, dtype=torch.float64))
        hat = torch.nn.functional.batch_norm(
            x.detach().reshape(-1, 1), None, None, training=True, eps=en.nonzero(p.eps)
        ).ravel()
        return en.without_dust(torch.dot(x.grad, hat).item(), size(p))

    def misconceptions(self, p: Params) -> en.Slips:
        m, right = en.moments(p.x), self.solve(p)
        square = m.var + p.eps
        yield en.Misconception(
            "eps_ignored",
            0.0,
            r"It is 0 only for $\varepsilon = 0$; a visible $\varepsilon$ leaves a share of the part along "
            r"$\hat x$.",
        )
        if m.var:
            yield en.Misconception(
                "share_over_variance",
                right * square / m.var,
                r"That takes the share $\varepsilon/\sigma^2$; it is $\varepsilon/(\sigma^2 + \varepsilon)$.",
            )
        yield en.Misconception(
            "removed_part_measured",
            product(p) * (m.var / square) / sqrt(square),
            r"That is the share $\sigma^2/(\sigma^2 + \varepsilon)$, which is removed; the rest stays.",
        )
        yield en.Misconception(
            "mean_for_sum",
            right / len(p.x),
            r"That is the mean of the products $\bar x_i \hat x_i$; add them up.",
        )
        yield en.Misconception(
            "sigma_missing",
            right * sqrt(square),
            r"That uses the bracket alone; $\bar x$ is the bracket divided by $\sqrt{\sigma^2 + "
            r"\varepsilon}$.",
        )
        if p.gamma:
            yield en.Misconception(
                "gamma_missing",
                right / p.gamma,
                r"That leaves out $\gamma$: the bracket works on $g = \gamma\bar y$.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Multiply the formula of $\bar x$ by $\hat x$ and add up. What is $\langle \hat x, \hat x "
            r"\rangle$ when $\varepsilon > 0$?",
            r"$\langle \hat x, \hat x \rangle = n\,\frac{\sigma^2}{\sigma^2 + \varepsilon}$, so of "
            r"$\langle g, \hat x \rangle$ the share $\frac{\varepsilon}{\sigma^2 + \varepsilon}$ is left. "
            r"Then divide by $\sqrt{\sigma^2 + \varepsilon}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        square = m.var + p.eps
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", m.mean),
            en.Step("Biased variance: divide by n", "var", "mean((x - mu)^2)", m.var),
            en.Step("Normalize", "xhat", "(x - mu)/sqrt(var + eps)", m.hat(p.eps)),
            en.Step("Product of g = γȳ with it", "along", "sum(gamma*upstream*xhat)", product(p)),
            en.Step("Share that stays", "share", "eps/(var + eps)", p.eps / square),
            en.Step("Divide by the spread", "leak", "along*share/sqrt(var + eps)", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        text = str(exactly(p))
        return text if len(text) <= 200 else None


def exactly(p: Params) -> Fraction:
    """Return γ·Σȳ(x−μ)·ε/(σ²+ε)², in which no root is left."""
    x, upstream = ([Fraction(str(value)) for value in values] for values in (p.x, p.upstream))
    d, eps = [value - sum(x, Fraction()) / len(x) for value in x], Fraction(str(p.eps))
    square = sum((value * value for value in d), Fraction()) / len(x) + eps
    along = sum(map(mul, upstream, d), Fraction())
    return Fraction(str(p.gamma)) * along * eps / square**2


def product(p: Params) -> float:
    """Return ⟨g, x̂⟩."""
    return p.gamma * fsum(map(mul, p.upstream, en.moments(p.x).hat(p.eps)))


def size(p: Params) -> float:
    """Return the size of ⟨g, x̂⟩/√(σ²+ε) without cancelling, beside which the answer counts as 0."""
    return fsum(abs(p.gamma * value) for value in p.upstream) / sqrt(en.moments(p.x).var + p.eps)


FAMILY = EpsLeak()
