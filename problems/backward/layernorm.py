"""The gradient that reaches the input of LayerNorm."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of the token asked for", at_least=2)
    gamma: en.Vec = en.vector("the scale γ, one entry per feature", like="x", fill=1.0)
    upstream: en.Vec = en.vector("the upstream gradient of that token", like="x")
    other: en.Vec = en.vector("the features of another token", like="x", fill=0.0)
    other_upstream: en.Vec = en.vector("the upstream gradient of the other token", like="x", fill=0.0)
    eps: float = en.eps()


SLIPS = ("gamma_after_projection", "gamma_missing", "rms_instead", "batchnorm_axes", "fixed_affine")


class LayerNormBackward(en.Family[Params]):
    title = "The input gradient of LayerNorm"
    catalogue = "E8"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("layernorm-backward-input", "tokens-do-not-mix")
    cards = ("card:backward/layernorm-gamma-inside", "card:backward/input-gradient")
    requires = ("backward.input_gradient",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 2 else en.untidy_batch(rng, 4, 5)
        scales = (0.5, 1.0, 2.0, 3.0) if level == 2 else (-3.0, -2.0, -0.5, 1.0, 2.0)
        gamma = tuple(rng.choice(scales) for _ in x)
        upstream, other, other_upstream = (
            tuple(map(float, rng.integers(len(x), low, high))) for low, high in ((-2, 3), (-6, 9), (-2, 3))
        )
        visible = float(max(1, round(en.moments(x).var * rng.choice((0.1, 0.2, 0.4))))) if level == 3 else 0.0
        return Params(x, gamma, upstream, other, other_upstream, visible)

    def validate(self, p: Params) -> None:
        if p.eps == 0 and en.flat(p.x):
            raise en.Refused("x", "all features are equal, so with eps = 0 the output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"LayerNorm has $\\gamma = {en.tex(p.gamma)}$ and $\\varepsilon = {en.tex(p.eps)}$. It gets two "
            "tokens, $x$ and $x'$; at its outputs arrive the gradients $\\bar y$ and $\\bar y'$ of the "
            "loss:\n\n"
            f"- $x = {en.tex(p.x)}$ with $\\bar y = {en.tex(p.upstream)}$\n"
            f"- $x' = {en.tex(p.other)}$ with $\\bar y' = {en.tex(p.other_upstream)}$\n\n"
            r"What is $\bar x = \partial \mathcal L/\partial x$, the gradient at the first token?"
        )

    def solve(self, p: Params) -> en.Vec:
        return en.without_dust(en.gradient(p.x, scaled(p), p.eps), size(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        tokens = torch.tensor([p.x, p.other], dtype=torch.float64, requires_grad=True)
        gamma = torch.tensor(p.gamma, dtype=torch.float64)
        y = torch.nn.functional.layer_norm(tokens, (len(p.x),), weight=gamma, eps=p.eps)
        y.backward(torch.tensor([p.upstream, p.other_upstream], dtype=torch.float64))
        return en.without_dust(tokens.grad[0].tolist(), size(p))

    def misconceptions(self, p: Params) -> en.Slips:
        m, g = en.moments(p.x), scaled(p)
        hat, root = m.hat(p.eps), sqrt(m.var + p.eps)
        plain = en.divided(en.projected(p.upstream, hat), root)
        yield en.Misconception(
            "gamma_after_projection",
            tuple(scale * value for scale, value in zip(p.gamma, plain, strict=True)),
            r"That multiplies by $\gamma$ at the end; going back, $\gamma$ is met first: project "
            r"$g = \gamma \odot \bar y$.",
        )
        yield en.Misconception(
            "gamma_missing",
            plain,
            r"That leaves out $\gamma$: what is projected is $g = \gamma \odot \bar y$.",
        )
        square = en.mean([value * value for value in p.x]) + p.eps
        rms_hat = en.divided(p.x, sqrt(square))
        yield en.Misconception(
            "rms_instead",
            en.divided(en.projected(g, rms_hat, centre=0.0), sqrt(square)),
            r"That is RMSNorm's gradient; LayerNorm takes off the mean of $g$ too, and its $\hat x$ is "
            r"centered.",
        )
        other_hat = en.moments(p.other).hat(p.eps)
        pairs = zip(g, hat, scaled(p, p.other_upstream), other_hat, strict=True)
        yield en.Misconception(
            "batchnorm_axes",
            en.divided([a - (a + b) / 2 - u * (a * u + b * v) / 2 for a, u, b, v in pairs], root),
            "That takes the two means over the tokens, as in BatchNorm; here they go over the features of "
            "one token, and the other token has no part in it.",
        )
        yield en.Misconception(
            "fixed_affine",
            en.divided(g, root),
            r"That is $\gamma \odot \bar y/\sqrt{\sigma^2 + \varepsilon}$, as if $\mu$ and $\sigma$ were "
            "constants; they move with $x$.",
        )
        if m.var:
            yield en.Misconception(
                "eps_ignored",
                en.divided(en.projected(g, m.hat()), sqrt(m.var)),
                r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Tokens don't mix. Where does $\gamma$ come in, before or after the two parts are removed?",
            r"With $g = \gamma \odot \bar y$: $\bar x = \frac{1}{\sqrt{\sigma^2 + \varepsilon}} \left(g - "
            r"\operatorname{mean}(g) - \hat x \operatorname{mean}(g \odot \hat x)\right)$, all means over "
            r"the "
            f"{len(p.x)} features.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m, g = en.moments(p.x), scaled(p)
        hat = m.hat(p.eps)
        along = en.mean([a * b for a, b in zip(g, hat, strict=True)])
        return (
            en.Step("Mean of the token", "mu", "mean(x)", m.mean),
            en.Step(
                "Root of its variance plus ε", "root", "sqrt(mean((x - mu)^2) + eps)", sqrt(m.var + p.eps)
            ),
            en.Step("Normalize", "xhat", "(x - mu)/root", hat),
            en.Step("Scale the upstream gradient first", "g", "gamma*upstream", g),
            en.Step("Its mean", "middle", "mean(g)", en.mean(g)),
            en.Step("Its part along the normalized token", "along", "mean(g*xhat)", along),
            en.Step("Remove both, then divide", "xbar", "(g - middle - xhat*along)/root", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        return en.gradient_text(p.x, scaled(p), p.eps)


def scaled(p: Params, upstream: en.Vec = ()) -> en.Vec:
    """Return g = γ⊙ȳ, of the token asked for unless another ȳ is given."""
    return tuple(scale * value for scale, value in zip(p.gamma, upstream or p.upstream, strict=True))


def size(p: Params) -> float:
    """Return the size of γ⊙ȳ/√(σ²+ε), beside which a gradient counts as 0."""
    return max(map(abs, scaled(p))) / sqrt(en.moments(p.x).var + p.eps)


FAMILY = LayerNormBackward()
