"""One entry of the Jacobian of BatchNorm in training mode."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    gamma: float = en.scalar("the scale γ", 1.0)
    output: int = en.whole("the place i of the output, from 1", 1, low=1, high=64)
    input: int = en.whole("the place j of the input, from 1", 1, low=1, high=64)
    eps: float = en.eps()


SLIPS = (
    "mean_not_removed", "xhat_part_not_removed", "sums_for_means", "fixed_affine", "sigma_missing",
    "gamma_missing",
)  # fmt: skip


class JacobianEntry(en.Family[Params]):
    title = "One entry of BatchNorm's Jacobian"
    catalogue = "E6"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("batchnorm-jacobian",)
    cards = ("card:backward/jacobian-entry",)
    requires = ("batchnorm.entry",)
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 2 else en.untidy_batch(rng, 4, 6)
        output, place = rng.integer(1, len(x)), rng.integer(1, len(x))
        if level == 2:
            return Params(x, rng.choice((2.0, 3.0, 10.0)), output, place, 0.0)
        visible = float(max(1, round(en.moments(x).var * rng.choice((0.2, 0.4, 0.6)))))
        return Params(x, rng.choice((-2.0, -3.0, -10.0)), output, place, visible)

    def validate(self, p: Params) -> None:
        for name, place in (("output", p.output), ("input", p.input)):
            if place > len(p.x):
                raise en.Refused(name, f"a place from 1 to {len(p.x)} is wanted, as x has {len(p.x)} entries")

    def prompt(self, p: Params) -> str:
        return (
            f"One channel of BatchNorm in training mode sees the batch $x = {en.tex(p.x)}$, with "
            f"$\\gamma = {en.tex(p.gamma)}$ and $\\varepsilon = {en.tex(p.eps)}$. Its output is $y$.\n\n"
            f"What is $\\partial y_{{{en.tex(p.output)}}}/\\partial x_{{{en.tex(p.input)}}}$ (entries "
            "counted from 1)?"
        )

    def solve(self, p: Params) -> float:
        inner, square = exactly(p)
        root = sqrt(square)
        return en.without_dust(p.gamma * float(inner) / root, abs(p.gamma) / root)

    def oracle(self, p: Params, torch: Any) -> Any:
        gamma = torch.tensor([p.gamma], dtype=torch.float64)
        jacobian = torch.autograd.functional.jacobian(
            lambda x: torch.nn.functional.batch_norm(
                x.reshape(-1, 1), None, None, weight=gamma, training=True, eps=en.nonzero(p.eps)
            ).ravel(),
            torch.tensor(p.x, dtype=torch.float64),
        )
        root = sqrt(en.moments(p.x).var + p.eps)
        return en.without_dust(jacobian[p.output - 1, p.input - 1].item(), abs(p.gamma) / root)

    def misconceptions(self, p: Params) -> en.Slips:
        m, n = en.moments(p.x), len(p.x)
        factor = p.gamma / sqrt(m.var + p.eps)
        yield en.Misconception(
            "mean_not_removed",
            factor * bracket(p, p.eps, mean=0.0),
            r"That leaves out $-\frac{1}{n}$, the effect of $x_j$ through the mean.",
        )
        yield en.Misconception(
            "xhat_part_not_removed",
            factor * bracket(p, p.eps, spread=0.0),
            r"That leaves out $-\frac{1}{n}\hat x_i \hat x_j$, the effect of $x_j$ through the variance.",
        )
        yield en.Misconception(
            "sums_for_means",
            factor * bracket(p, p.eps, mean=n, spread=n),
            r"That subtracts $1$ and $\hat x_i \hat x_j$; both are divided by $n$.",
        )
        yield en.Misconception(
            "fixed_affine",
            factor * float(p.output == p.input),
            r"That takes $\mu$ and $\sigma$ for constants; in training mode they move with every $x_j$.",
        )
        yield en.Misconception(
            "sigma_missing",
            p.gamma * bracket(p, p.eps),
            r"That is $\gamma$ times the bracket; it is still divided by $\sqrt{\sigma^2 + \varepsilon}$.",
        )
        yield en.Misconception(
            "gamma_missing",
            bracket(p, p.eps) / sqrt(m.var + p.eps),
            r"That is $\partial \hat x_i/\partial x_j$; $\gamma$ multiplies it.",
        )
        if m.var:
            yield en.Misconception(
                "eps_ignored",
                p.gamma * bracket(p, 0.0) / sqrt(m.var),
                r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "An input moves an output in three ways: directly (only its own), through the mean and through "
            "the variance.",
            r"$\frac{\partial y_i}{\partial x_j} = \frac{\gamma}{\sqrt{\sigma^2 + \varepsilon}} "
            r"\left(\delta_{ij} - \frac{1}{n} - \frac{\hat x_i \hat x_j}{n}\right)$ "
            f"with $n = {len(p.x)}$, and $\\delta_{{ij}}$ is 1 for $i = j$, else 0.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        root = sqrt(m.var + p.eps)
        own = int(p.output == p.input)
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", m.mean),
            en.Step("Root of the biased variance plus ε", "root", "sqrt(mean((x - mu)^2) + eps)", root),
            en.Step("Normalize", "xhat", "(x - mu)/root", m.hat(p.eps)),
            en.Step(
                "The output's own input" if own else "Another input: no direct effect",
                "bracket",
                f"{own} - 1/len(x) - entry(xhat, output)*entry(xhat, input)/len(x)",
                bracket(p, p.eps),
            ),
            en.Step("Scale", "slope", "gamma*bracket/root", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        inner, square = exactly(p)
        text = f"{Fraction(str(p.gamma)) * inner}/sqrt({square})"
        return text if len(text) <= 200 else None


def exactly(p: Params) -> tuple[Fraction, Fraction]:
    """Return δ − 1/n − x̂ᵢx̂ⱼ/n and σ²+ε."""
    x, n = [Fraction(str(value)) for value in p.x], len(p.x)
    d = [value - sum(x, Fraction()) / n for value in x]
    square = sum((value * value for value in d), Fraction()) / n + Fraction(str(p.eps))
    return int(p.output == p.input) - Fraction(1, n) - d[p.output - 1] * d[p.input - 1] / n / square, square


def bracket(p: Params, eps: float, *, mean: float = 1.0, spread: float = 1.0) -> float:
    """Return δ − `mean`/n − `spread`·x̂ᵢx̂ⱼ/n."""
    hat = en.moments(p.x).hat(eps)
    product = hat[p.output - 1] * hat[p.input - 1]
    return float(p.output == p.input) - mean / len(p.x) - spread * product / len(p.x)


FAMILY = JacobianEntry()
