"""The gradient that reaches the input of RMSNorm."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of one token")
    gamma: en.Vec = en.vector("the scale γ, one entry per feature", like="x", fill=1.0)
    upstream: en.Vec = en.vector("the upstream gradient ȳ = ∂L/∂y", like="x")
    eps: float = en.eps()


SLIPS = (
    "layer_norm_instead", "mean_removed_too", "fixed_affine", "sigma_missing", "sums_for_means",
    "gamma_missing",
)  # fmt: skip


class RMSNormBackward(en.Family[Params]):
    title = "The input gradient of RMSNorm"
    catalogue = "E9"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("rmsnorm-backward-input", "one-removed-component")
    cards = ("card:backward/rmsnorm-backward", "card:other_norms/rmsnorm-formula")
    requires = ("other_norms.rmsnorm", "backward.input_gradient")

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.untidy_batch(rng, 3, 4) if level == 2 else en.untidy_batch(rng, 4, 5)
        scales = (0.5, 1.0, 2.0, 3.0) if level == 2 else (-3.0, -2.0, -0.5, 1.0, 2.0)
        gamma = tuple(rng.choice(scales) for _ in x)
        upstream = tuple(map(float, rng.integers(len(x), -2, 3)))
        visible = float(max(1, round(mean_square(x) * rng.choice((0.1, 0.2, 0.4))))) if level == 3 else 0.0
        return Params(x, gamma, upstream, visible)

    def validate(self, p: Params) -> None:
        if p.eps == 0 and not any(p.x):
            raise en.Refused("x", "all features are 0, so with eps = 0 the output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"RMSNorm has $\\gamma = {en.tex(p.gamma)}$ and $\\varepsilon = {en.tex(p.eps)}$. It gets a "
            f"token with the features $x = {en.tex(p.x)}$, and at its output $y$ arrives the gradient $\\bar "
            f"y = \\partial \\mathcal L/\\partial y = {en.tex(p.upstream)}$.\n\n"
            "What is the gradient at the input, $\\bar x = \\partial \\mathcal L/\\partial x$?"
        )

    def solve(self, p: Params) -> en.Vec:
        return en.without_dust(en.gradient(p.x, scaled(p), p.eps, centred=False), size(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        x = torch.tensor(p.x, dtype=torch.float64, requires_grad=True)
        gamma = torch.tensor(p.gamma, dtype=torch.float64)
        y = torch.nn.functional.rms_norm(x, (len(p.x),), weight=gamma, eps=p.eps)
        y.backward(torch.tensor(p.upstream, dtype=torch.float64))
        return en.without_dust(x.grad.tolist(), size(p))

    def misconceptions(self, p: Params) -> en.Slips:
        g, square = scaled(p), mean_square(p.x)
        r = sqrt(square + p.eps)
        hat = en.divided(p.x, r)
        m = en.moments(p.x)
        if m.var + p.eps:
            yield en.Misconception(
                "layer_norm_instead",
                en.divided(en.projected(g, m.hat(p.eps)), sqrt(m.var + p.eps)),
                "That is LayerNorm's gradient; RMSNorm never subtracts a mean, neither that of $x$ nor that "
                "of $g$.",
            )
        yield en.Misconception(
            "mean_removed_too",
            en.divided(en.projected(g, hat), r),
            r"That takes off the mean of $g$ as well; RMSNorm does see a shift of $x$, so only the part "
            r"along $\hat x$ goes.",
        )
        yield en.Misconception(
            "fixed_affine",
            en.divided(g, r),
            r"That is $\gamma \odot \bar y/r$, as if $r$ were a constant; it moves with $x$.",
        )
        yield en.Misconception(
            "sigma_missing",
            en.projected(g, hat, centre=0.0),
            r"That is the bracket alone; it is still divided by $r$.",
        )
        yield en.Misconception(
            "sums_for_means",
            en.divided(en.projected(g, hat, centre=0.0, along=len(g)), r),
            r"That takes the sum of $g \odot \hat x$; its mean is wanted, with $\frac{1}{D}$.",
        )
        yield en.Misconception(
            "gamma_missing",
            en.divided(en.projected(p.upstream, hat, centre=0.0), r),
            r"That leaves out $\gamma$: the bracket works on $g = \gamma \odot \bar y$.",
        )
        if square:
            yield en.Misconception(
                "eps_ignored",
                en.divided(en.projected(g, en.divided(p.x, sqrt(square)), centre=0.0), sqrt(square)),
                r"That leaves out $\varepsilon$, which is added to the mean square inside the root.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "RMSNorm ignores only one thing, a positive factor on $x$. So only one part is removed.",
            r"With $g = \gamma \odot \bar y$ and $\hat x = x/r$: $\bar x = \frac{1}{r} \left(g - \hat x "
            r"\operatorname{mean}(g \odot \hat x)\right)$, where $r = \sqrt{\operatorname{mean}(x \odot x) + "
            r"\varepsilon}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        r, g = sqrt(mean_square(p.x) + p.eps), scaled(p)
        hat = en.divided(p.x, r)
        along = en.mean([a * b for a, b in zip(g, hat, strict=True)])
        return (
            en.Step("Root mean square", "r", "sqrt(mean(x^2) + eps)", r),
            en.Step("Normalize", "xhat", "x/r", hat),
            en.Step("Scale the upstream gradient first", "g", "gamma*upstream", g),
            en.Step("Its part along the normalized token", "along", "mean(g*xhat)", along),
            en.Step("Remove it, then divide", "xbar", "(g - xhat*along)/r", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        return en.gradient_text(p.x, scaled(p), p.eps, centred=False)


def mean_square(x: en.Vec) -> float:
    return en.mean([value * value for value in x])


def scaled(p: Params) -> en.Vec:
    """Return g = γ⊙ȳ."""
    return tuple(scale * value for scale, value in zip(p.gamma, p.upstream, strict=True))


def size(p: Params) -> float:
    """Return the size of γ⊙ȳ/r, beside which a gradient counts as 0."""
    return max(map(abs, scaled(p))) / sqrt(mean_square(p.x) + p.eps)


FAMILY = RMSNormBackward()
