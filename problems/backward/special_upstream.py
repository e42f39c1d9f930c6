"""The input gradient of BatchNorm for an upstream gradient that only shifts and stretches."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    gamma: float = en.scalar("the scale γ", 1.0)
    a: float = en.scalar("the constant part of the upstream gradient", 0.0)
    b: float = en.scalar("the factor of x̂ in the upstream gradient", 0.0)
    eps: float = en.eps()


BOTH = ("fixed_affine", "statistics_ignored", "mean_not_removed", "xhat_part_not_removed")


class SpecialUpstream(en.Family[Params]):
    title = "An upstream gradient made of 1 and x̂"
    catalogue = "E3"
    given = Params
    kind = en.Vector()
    levels = {
        1: en.Level("fixed_affine", "statistics_ignored"),
        2: en.Level(*BOTH),
        3: en.Level(*BOTH, "sigma_missing", "eps_ignored"),
    }
    covers = ("constant-upstream-vanishes", "two-removed-components", "eps-breaks-orthogonality")
    cards = (
        "card:backward/constant-upstream",
        "card:backward/two-removed-components",
        "card:backward/zero-for-which-epsilon",
    )
    requires = ("backward.input_gradient",)
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng)
        a, b = (float(rng.choice((-3, -2, -1, 1, 2, 3))) for _ in range(2))
        if level == 1:
            a, b = rng.choice(((a, 0.0), (0.0, b)))
        gamma = rng.choice(
            (2.0, 3.0) if level == 1 else (0.5, 2.0, 3.0) if level == 2 else (-0.5, -2.0, -3.0)
        )
        visible = float(max(1, round(en.moments(x).var * rng.choice((0.1, 0.2, 0.4))))) if level == 3 else 0.0
        return Params(x, gamma, a, b, visible)

    def prompt(self, p: Params) -> str:
        return (
            f"One channel of BatchNorm in training mode sees the batch $x = {en.tex(p.x)}$, with "
            f"$\\gamma = {en.tex(p.gamma)}$ and $\\varepsilon = {en.tex(p.eps)}$. At its output $y$ arrives "
            "the gradient $\\bar y = \\partial \\mathcal L/\\partial y = a\\,\\mathbf 1 + b\\,\\hat x$ with "
            f"$a = {en.tex(p.a)}$ and $b = {en.tex(p.b)}$, where $\\mathbf 1 = (1, \\dots, 1)$ and $\\hat x$ "
            "is the normalized batch.\n\n"
            "What is the gradient at the input, $\\bar x = \\partial \\mathcal L/\\partial x$?"
        )

    def solve(self, p: Params) -> en.Vec:
        m = en.moments(p.x)
        square = m.var + p.eps
        factor = p.gamma * p.b * (p.eps / square) / sqrt(square)
        return en.without_dust(tuple(factor * value for value in m.hat(p.eps)), size(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        x = torch.tensor(p.x, dtype=torch.float64, requires_grad=True)
        hat = torch.nn.functional.batch_norm(
            x.reshape(-1, 1), None, None, training=True, eps=en.nonzero(p.eps)
        ).ravel()
        (p.gamma * hat).backward(p.a + p.b * hat.detach())
        return en.without_dust(x.grad.tolist(), size(p))

    def misconceptions(self, p: Params) -> en.Slips:
        m, g = en.moments(p.x), scaled(p)
        hat, root = m.hat(p.eps), sqrt(m.var + p.eps)
        yield en.Misconception(
            "fixed_affine",
            en.divided(g, root),
            r"That is $\gamma\bar y/\sqrt{\sigma^2 + \varepsilon}$, as if $\mu$ and $\sigma$ were constants; "
            "in training mode they move with $x$.",
        )
        yield en.Misconception(
            "statistics_ignored",
            g,
            r"That is $\gamma\bar y$, what arrives at $\hat x$; it still has to pass the normalization.",
        )
        if p.a and p.b:
            yield en.Misconception(
                "mean_not_removed",
                en.divided(en.projected(g, hat, centre=0.0), root),
                r"That leaves the constant part in; a shift of $x$ changes no output, so it goes too.",
            )
            yield en.Misconception(
                "xhat_part_not_removed",
                en.divided(en.projected(g, hat, along=0.0), root),
                r"That removes the constant part only; $\hat x \operatorname{mean}(g \odot \hat x)$ is taken "
                r"off "
                "as well.",
            )
        yield en.Misconception(
            "sigma_missing",
            en.projected(g, hat),
            r"That is the bracket alone; it is still divided by $\sqrt{\sigma^2 + \varepsilon}$.",
        )
        yield en.Misconception(
            "eps_ignored",
            (0.0,) * len(g),
            r"All of it vanishes only for $\varepsilon = 0$; with $\varepsilon > 0$ a share "
            r"$\varepsilon/(\sigma^2 + \varepsilon)$ of the part along $\hat x$ stays.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Which two parts of $g = \gamma\bar y$ does the backward pass take off?",
            r"$\bar x = \frac{1}{\sqrt{\sigma^2 + \varepsilon}} \left(g - \operatorname{mean}(g) - "
            r"\hat x \operatorname{mean}(g \odot \hat x)\right)$, and $\operatorname{mean}(\hat x \odot \hat "
            r"x) = \frac{\sigma^2}{\sigma^2 + \varepsilon}$. What is left of $\gamma a\,\mathbf 1$, what of "
            r"$\gamma b\,\hat x$?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        root = sqrt(m.var + p.eps)
        share = p.eps / (m.var + p.eps)
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", m.mean),
            en.Step("Biased variance: divide by n", "var", "mean((x - mu)^2)", m.var),
            en.Step("Root of the variance plus ε", "root", "sqrt(var + eps)", root),
            en.Step("Normalize", "xhat", "(x - mu)/root", m.hat(p.eps)),
            en.Step(
                "Share of the part along the normalized values that stays", "share", "eps/(var + eps)", share
            ),
            en.Step(
                "The constant part is gone; divide the rest", "xbar", "gamma*b*xhat*share/root", self.solve(p)
            ),
        )

    def exact(self, p: Params) -> str | None:
        if p.eps == 0:
            return ", ".join("0" for _ in p.x)
        x, n, eps = [Fraction(str(value)) for value in p.x], len(p.x), Fraction(str(p.eps))
        d = [value - sum(x) / n for value in x]
        square = sum(value * value for value in d) / n + eps
        factor = Fraction(str(p.gamma)) * Fraction(str(p.b)) * eps / square**2
        text = ", ".join(str(factor * value) for value in d)
        return text if len(text) <= 200 else None


def scaled(p: Params) -> en.Vec:
    """Return g = γȳ."""
    return tuple(p.gamma * (p.a + p.b * value) for value in en.moments(p.x).hat(p.eps))


def size(p: Params) -> float:
    """Return the size of γȳ/√(σ²+ε), beside which a gradient counts as 0."""
    return max(map(abs, scaled(p))) / sqrt(en.moments(p.x).var + p.eps)


FAMILY = SpecialUpstream()
