"""The gradient that reaches the input of BatchNorm in training mode."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from operator import mul
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    gamma: float = en.scalar("the scale γ", 1.0)
    upstream: en.Vec = en.vector("the upstream gradient ȳ = ∂L/∂y", like="x")
    eps: float = en.eps()


DUST = 1e-9
"""A gradient below this share of γȳ/σ̃ is rounding, or the work of the default ε: it counts as 0."""

SLIPS = (
    "fixed_affine", "mean_not_removed", "xhat_part_not_removed", "sigma_missing", "sums_for_means",
    "unbiased_variance", "divided_by_variance",
)  # fmt: skip


class InputGradient(en.Family[Params]):
    title = "The input gradient of BatchNorm in training mode"
    catalogue = "E2"
    given = Params
    kind = en.Vector()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS, "gamma_missing"),
        3: en.Level(*SLIPS, "gamma_missing", "eps_ignored"),
    }
    covers = ("batchnorm-backward-input", "two-removed-components")
    cards = ("card:backward/input-gradient", "card:backward/two-removed-components")
    requires = ("batchnorm.vector",)
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            x = en.tidy_batch(rng)
            hot = rng.integer(1, len(x))
            return Params(x, 1.0, tuple(float(place == hot) for place in range(1, len(x) + 1)), 0.0)
        x = en.untidy_batch(rng) if level == 2 else en.untidy_batch(rng, 4, 6)
        upstream = tuple(map(float, rng.integers(len(x), -3, 4)))
        if level == 2:
            return Params(x, rng.choice((0.5, 2.0, 3.0)), upstream, 0.0)
        visible = float(max(1, round(en.moments(x).var * rng.choice((0.1, 0.2, 0.4)))))
        return Params(x, rng.choice((-0.5, -2.0, -3.0)), upstream, visible)

    def prompt(self, p: Params) -> str:
        return (
            f"One channel of BatchNorm in training mode sees the batch $x = {en.tex(p.x)}$, with "
            f"$\\gamma = {en.tex(p.gamma)}$ and $\\varepsilon = {en.tex(p.eps)}$. At its output $y$ arrives "
            f"the gradient $\\bar y = \\partial \\mathcal L/\\partial y = {en.tex(p.upstream)}$.\n\n"
            "What is the gradient at the input, $\\bar x = \\partial \\mathcal L/\\partial x$?"
        )

    def solve(self, p: Params) -> en.Vec:
        m = en.moments(p.x)
        gradient = en.divided(bracket(scaled(p), m.hat(p.eps)), sqrt(m.var + p.eps))
        return gradient if max(map(abs, gradient)) > dust(p) else (0.0,) * len(gradient)

    def oracle(self, p: Params, torch: Any) -> Any:
        x = torch.tensor(p.x, dtype=torch.float64, requires_grad=True)
        gamma = torch.tensor([p.gamma], dtype=torch.float64)
        y = torch.nn.functional.batch_norm(
            x.reshape(-1, 1), None, None, weight=gamma, training=True, eps=en.nonzero(p.eps)
        )
        y.ravel().backward(torch.tensor(p.upstream, dtype=torch.float64))
        return x.grad if x.grad.abs().max() > dust(p) else torch.zeros_like(x)

    def misconceptions(self, p: Params) -> en.Slips:
        m, g, n = en.moments(p.x), scaled(p), len(p.x)
        hat, root, loose = m.hat(p.eps), sqrt(m.var + p.eps), sqrt(m.unbiased + p.eps)
        yield en.Misconception(
            "fixed_affine",
            en.divided(g, root),
            r"That is $\gamma\bar y/\sqrt{\sigma^2 + \varepsilon}$, as if $\mu$ and $\sigma$ were constants; "
            "in training mode they move with $x$.",
        )
        yield en.Misconception(
            "mean_not_removed",
            en.divided(bracket(g, hat, centre=0.0), root),
            r"That leaves the mean of $g = \gamma\bar y$ in; it must go too, so that the entries sum to 0.",
        )
        yield en.Misconception(
            "xhat_part_not_removed",
            en.divided(bracket(g, hat, along=0.0), root),
            r"That removes only the mean of $g = \gamma\bar y$; the part along $\hat x$ goes too, because "
            r"$\sigma$ depends on $x$.",
        )
        yield en.Misconception(
            "sigma_missing",
            bracket(g, hat),
            r"That is the bracket alone; it is still divided by $\sqrt{\sigma^2 + \varepsilon}$.",
        )
        yield en.Misconception(
            "sums_for_means",
            en.divided(bracket(g, hat, centre=n, along=n), root),
            r"That subtracts sums; what is removed are means, with $\frac{1}{n}$.",
        )
        yield en.Misconception(
            "unbiased_variance",
            en.divided(bracket(g, en.divided(m.deviations, loose)), loose),
            "That divides by $n - 1$; BatchNorm normalizes with the biased variance, divided by $n$.",
        )
        yield en.Misconception(
            "divided_by_variance",
            en.divided(bracket(g, hat), m.var + p.eps),
            r"That divides the bracket by $\sigma^2 + \varepsilon$; the root of it is wanted.",
        )
        yield en.Misconception(
            "gamma_missing",
            en.divided(self.solve(p), p.gamma),
            r"That leaves out $\gamma$: the bracket works on $g = \gamma\bar y$.",
        )
        yield en.Misconception(
            "eps_ignored",
            en.divided(bracket(g, m.hat()), sqrt(m.var)),
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Let $g = \gamma\bar y$. Take off its mean, then its part along $\hat x$, then divide by the "
            "spread.",
            r"$\bar x_i = \frac{1}{\sqrt{\sigma^2 + \varepsilon}} \left(g_i - \operatorname{mean}(g) - "
            r"\hat x_i \operatorname{mean}(g \odot \hat x)\right)$",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m, g = en.moments(p.x), scaled(p)
        hat, root = m.hat(p.eps), sqrt(m.var + p.eps)
        along = en.mean(tuple(map(mul, g, hat)))
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", m.mean),
            en.Step("Root of the biased variance plus ε", "root", "sqrt(mean((x - mu)^2) + eps)", root),
            en.Step("Normalize", "xhat", "(x - mu)/root", hat),
            en.Step("Upstream gradient, scaled", "g", "gamma*upstream", g),
            en.Step("Its mean", "middle", "mean(g)", en.mean(g)),
            en.Step("Its part along the normalized values", "along", "mean(g*xhat)", along),
            en.Step("Remove both, then divide", "xbar", "(g - middle - xhat*along)/root", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        if p.eps:
            return None
        n, mu = len(p.x), sum(map(Fraction, p.x)) / len(p.x)
        d = [Fraction(value) - mu for value in p.x]
        g = [Fraction(p.gamma) * Fraction(value) for value in p.upstream]
        var = sum(value * value for value in d) / n
        slope = sum(a * b for a, b in zip(g, d, strict=True)) / n / var
        cells = ", ".join(str(a - sum(g) / n - b * slope) for a, b in zip(g, d, strict=True))
        text = f"({cells})/sqrt({var})"
        return text if len(text) <= 200 else None


def scaled(p: Params) -> en.Vec:
    """Return g = γȳ."""
    return tuple(p.gamma * value for value in p.upstream)


def bracket(g: en.Vec, hat: en.Vec, *, centre: float = 1.0, along: float = 1.0) -> en.Vec:
    """Return g less `centre` times its mean and `along` times its part along x̂."""
    mean, slope = centre * en.mean(g), along * en.mean(tuple(map(mul, g, hat)))
    return tuple(value - mean - unit * slope for value, unit in zip(g, hat, strict=True))


def dust(p: Params) -> float:
    """Return the size below which the whole gradient counts as 0."""
    return DUST * max(map(abs, scaled(p))) / sqrt(en.moments(p.x).var + p.eps)


FAMILY = InputGradient()
