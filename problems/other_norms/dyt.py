"""DyT, the elementwise tanh that takes the place of a normalization layer."""

from dataclasses import dataclass
from math import copysign, exp, expm1, tanh
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of one token")
    alpha: float = en.scalar("the learned scalar α", 0.5, low=-1e6, high=1e6)
    gamma: en.Vec = en.vector("the scale γ, one entry per feature", like="x", fill=1.0)
    beta: en.Vec = en.vector("the shift β, one entry per feature", like="x", fill=0.0)


SLIPS = ("alpha_outside", "alpha_ignored", "sigmoid_instead", "statistics_used")


class DyT(en.Family[Params]):
    title = "DyT: tanh instead of a norm"
    catalogue = "D11"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "affine_dropped", "affine_inside")}
    covers = ("dynamic-tanh",)
    cards = ()
    requires = ("other_norms.layernorm",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        size = 3 if level == 1 else rng.choice((3, 4))
        x = tuple(map(float, rng.sample(range(-4, 6), size)))
        alpha = rng.choice((0.2, 0.25, 0.4, 0.5) if level == 1 else (0.15, 0.3, 0.35, 0.6))
        if level == 1:
            return Params(x, alpha, (1.0,) * size, (0.0,) * size)
        gamma = tuple(rng.choice((-2.0, 0.5, 2.0, 3.0)) for _ in x)
        return Params(x, alpha, gamma, tuple(rng.choice((-1.0, 0.0, 1.0, 2.0)) for _ in x))

    def prompt(self, p: Params) -> str:
        return (
            f"A token has the features $x = {en.tex(p.x)}$. In place of LayerNorm the network has DyT "
            f"(dynamic tanh) with the learned scalar $\\alpha = {en.tex(p.alpha)}$ and, per feature, "
            f"$\\gamma = {en.tex(p.gamma)}$ and $\\beta = {en.tex(p.beta)}$.\n\nWhat is the output $y$?"
        )

    def solve(self, p: Params) -> en.Vec:
        # By exponentials: tanh z = (1 - e^(-2z))/(1 + e^(-2z)) for z >= 0, and tanh is odd.
        sizes = [abs(p.alpha * value) for value in p.x]
        bent = [-expm1(-2 * size) / (1 + exp(-2 * size)) for size in sizes]
        return scaled(
            p, tuple(copysign(size, p.alpha * value) for size, value in zip(bent, p.x, strict=True))
        )

    def oracle(self, p: Params, torch: Any) -> Any:
        x, gamma, beta = (torch.tensor(values, dtype=torch.float64) for values in (p.x, p.gamma, p.beta))
        return torch.addcmul(beta, gamma, torch.tanh(p.alpha * x))

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "alpha_outside",
            scaled(p, tuple(p.alpha * tanh(value) for value in p.x)),
            r"That is $\alpha \tanh(x)$ before $\gamma$ and $\beta$; $\alpha$ acts inside, on $x$.",
        )
        yield en.Misconception(
            "alpha_ignored",
            scaled(p, tuple(map(tanh, p.x))),
            r"That leaves out $\alpha$, which multiplies $x$ inside the tanh.",
        )
        yield en.Misconception(
            "sigmoid_instead",
            scaled(p, tuple((1 + tanh(p.alpha * value / 2)) / 2 for value in p.x)),
            "That is the logistic sigmoid, between 0 and 1; tanh lies between $-1$ and 1 and is 0 at 0.",
        )
        hat = en.moments(p.x).hat()
        yield en.Misconception(
            "statistics_used",
            scaled(p, tuple(tanh(p.alpha * value) for value in hat)),
            "That normalizes $x$ first; DyT computes no mean and no variance, every entry is by itself.",
        )
        yield en.Misconception(
            "affine_dropped",
            tuple(tanh(p.alpha * value) for value in p.x),
            r"That is $\tanh(\alpha x)$; $\gamma$ and $\beta$ still act on it, entry by entry.",
        )
        inside = scaled(p, tuple(p.alpha * value for value in p.x))
        yield en.Misconception(
            "affine_inside",
            tuple(map(tanh, inside)),
            r"That takes $\gamma$ and $\beta$ inside the tanh; they act last, as in LayerNorm.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "No statistics: every entry is bent by tanh on its own. One learned number sets how steep.",
            r"$y_i = \gamma_i \tanh(\alpha x_i) + \beta_i$",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        inner = tuple(p.alpha * value for value in p.x)
        return (
            en.Step("Multiply by α", "z", "alpha*x", inner),
            en.Step("Bend every entry", "bent", "tanh(z)", tuple(map(tanh, inner))),
            en.Step("Scale, then shift, entry by entry", "y", "gamma*bent + beta", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        if any(p.beta) or any(value != 1 for value in p.gamma):
            return None
        text = f"{', '.join(f'tanh({en.plain(p.alpha)}*{en.plain(value)})' for value in p.x)}"
        return text if len(text) <= 200 else None


def scaled(p: Params, values: en.Vec) -> en.Vec:
    """Return γ · values + β, entry by entry."""
    return tuple(g * value + b for g, value, b in zip(p.gamma, values, p.beta, strict=True))


FAMILY = DyT()
