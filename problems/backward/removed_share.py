"""How much of the scaled upstream gradient BatchNorm's backward pass removes in one step."""

from dataclasses import dataclass
from fractions import Fraction
from math import hypot, sqrt
from operator import mul
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    gamma: float = en.scalar("the scale γ", 1.0)
    upstream: en.Vec = en.vector("the upstream gradient ȳ = ∂L/∂y", like="x")
    part: str = en.option("the part that is removed: along 1 (the mean) or along x̂", ("mean", "xhat"), "mean")
    measure: str = en.option(
        "its length or its share of the squared length of g", ("length", "share"), "length"
    )
    eps: float = en.eps()


class RemovedShare(en.Family[Params]):
    title = "How much of the gradient is removed"
    catalogue = "E12"
    given = Params
    kind = en.Number()
    levels = {
        1: en.Level(
            "sums_for_means",
            "coefficient_only",
            "squared_length",
            "other_part",
            "remainder_measured",
            "gamma_missing",
        ),
        2: en.Level("sums_for_means", "ratio_of_lengths", "other_part", "remainder_measured"),
    }
    covers = ("backward-projector", "two-removed-components")
    cards = ("card:backward/two-removed-components", "card:backward/xhat-length")
    requires = ("backward.input_gradient",)
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng)
        upstream = tuple(map(float, rng.integers(len(x), -2, 3)))
        measure = "length" if level == 1 else "share"
        return Params(x, rng.choice((0.5, 2.0, 3.0)), upstream, rng.choice(("mean", "xhat")), measure, 0.0)

    def validate(self, p: Params) -> None:
        if p.measure == "share" and not any(scaled(p)):
            raise en.Refused("upstream", "g = γȳ is 0, so there is nothing to take a share of")

    def prompt(self, p: Params) -> str:
        step = (
            r"the first step, $\operatorname{mean}(g)\,\mathbf 1$ (where $\mathbf 1 = (1, \dots, 1)$),"
            if p.part == "mean"
            else r"the second step, $\hat x \operatorname{mean}(g \odot \hat x)$,"
        )
        asked = (
            "What is the length (Euclidean norm) of that vector?"
            if p.measure == "length"
            else "What share of $\\lVert g \\rVert^2$ is the squared length of that vector? Give a number "
            "from 0 to 1."
        )
        return (
            f"One channel of BatchNorm in training mode sees the batch $x = {en.tex(p.x)}$, with "
            f"$\\gamma = {en.tex(p.gamma)}$ and $\\varepsilon = {en.tex(p.eps)}$. At its output $y$ arrives "
            f"the gradient $\\bar y = {en.tex(p.upstream)}$. On the way to $\\bar x$, two vectors are "
            f"subtracted from $g = \\gamma\\bar y$. Take the one of {step} before the division by the "
            f"spread.\n\n{asked}"
        )

    def solve(self, p: Params) -> float:
        return measured(p, coefficient(p, p.part) * unit_length(p, p.part))

    def oracle(self, p: Params, torch: Any) -> Any:
        x = torch.tensor(p.x, dtype=torch.float64, requires_grad=True)
        upstream = torch.tensor(p.upstream, dtype=torch.float64)
        root = (x.var(correction=0) + p.eps).sqrt().detach()
        fixed, centred = (p.gamma * (x - mu) / root for mu in (x.mean().detach(), x.mean()))
        full = (
            p.gamma
            * torch.nn.functional.batch_norm(
                x.reshape(-1, 1), None, None, training=True, eps=en.nonzero(p.eps)
            ).ravel()
        )
        steps = [
            root * torch.autograd.grad(y, x, upstream, retain_graph=True)[0] for y in (fixed, centred, full)
        ]
        removed = steps[0] - steps[1] if p.part == "mean" else steps[1] - steps[2]
        length = en.without_dust(removed.norm().item(), steps[0].norm().item())
        return length if p.measure == "length" else (length / steps[0].norm().item()) ** 2

    def misconceptions(self, p: Params) -> en.Slips:
        factor, whole = coefficient(p, p.part), hypot(*scaled(p))
        length = factor * unit_length(p, p.part)
        other = "xhat" if p.part == "mean" else "mean"
        yield en.Misconception(
            "sums_for_means",
            measured(p, len(p.x) * length),
            r"That takes the sum where the mean belongs; $\frac{1}{n}$ is missing.",
        )
        yield en.Misconception(
            "other_part",
            measured(p, coefficient(p, other) * unit_length(p, other)),
            r"That is the other part: the first step goes along $\mathbf 1$, the second along $\hat x$.",
        )
        yield en.Misconception(
            "remainder_measured",
            measured(p, whole * sqrt(max(0.0, 1 - (length / whole) ** 2)) if whole else 0.0),
            "That measures what this step leaves of $g$, not what it takes off.",
        )
        if p.measure == "share":
            yield en.Misconception(
                "ratio_of_lengths",
                length / whole,
                "That is the ratio of the lengths; shares of a sum of squares are ratios of squares.",
            )
            return
        yield en.Misconception(
            "coefficient_only",
            factor,
            r"That is the mean itself, without the length of the vector that it multiplies: $\sqrt n$ for "
            r"$\mathbf 1$, and also for $\hat x$ when $\varepsilon = 0$.",
        )
        yield en.Misconception(
            "squared_length", length * length, "That is the squared length; its root is wanted."
        )
        if p.gamma:
            yield en.Misconception(
                "gamma_missing",
                length / abs(p.gamma),
                r"That leaves out $\gamma$: the parts are taken off $g = \gamma\bar y$.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "The vector is a number times a fixed vector. So its length is a number times a length.",
            r"$\lVert \mathbf 1 \rVert^2 = n$ and $\lVert \hat x \rVert^2 = n\,\frac{\sigma^2}{\sigma^2 + "
            r"\varepsilon}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        g, length = scaled(p), coefficient(p, p.part) * unit_length(p, p.part)
        steps = [en.Step("Scale the upstream gradient", "g", "gamma*upstream", g)]
        if p.part == "mean":
            steps.append(en.Step("Mean", "factor", "abs(mean(g))", coefficient(p, p.part)))
            steps.append(en.Step("Times the length of 1", "length", "factor*sqrt(len(g))", length))
        else:
            m = en.moments(p.x)
            hat = m.hat(p.eps)
            root = sqrt(m.var + p.eps)
            steps.append(en.Step("Mean of the batch", "mu", "mean(x)", m.mean))
            steps.append(
                en.Step("Root of the biased variance plus ε", "root", "sqrt(mean((x - mu)^2) + eps)", root)
            )
            steps.append(en.Step("Normalize", "xhat", "(x - mu)/root", hat))
            steps.append(
                en.Step(
                    "Mean along the normalized values", "factor", "abs(mean(g*xhat))", coefficient(p, p.part)
                )
            )
            steps.append(en.Step("Times their length", "length", "factor*sqrt(sum(xhat^2))", length))
        if p.measure == "share":
            steps.append(
                en.Step("Squares, compared", "share", "length^2/sum(g^2)", (length / hypot(*g)) ** 2)
            )
        return tuple(steps)

    def exact(self, p: Params) -> str | None:
        if p.eps:
            return None
        n = len(p.x)
        x, g = [Fraction(str(value)) for value in p.x], [Fraction(str(value)) for value in scaled(p)]
        axis = [Fraction(1)] * n if p.part == "mean" else [value - sum(x) / n for value in x]
        square = sum(map(mul, g, axis)) ** 2 / sum(value * value for value in axis)
        text = f"sqrt({square})" if p.measure == "length" else str(square / sum(value * value for value in g))
        return text if len(text) <= 200 else None


def scaled(p: Params) -> en.Vec:
    """Return g = γȳ."""
    return tuple(p.gamma * value for value in p.upstream)


def coefficient(p: Params, part: str) -> float:
    """Return |mean(g)| or |mean(g⊙x̂)|."""
    g = scaled(p)
    return abs(en.mean(g if part == "mean" else tuple(map(mul, g, en.moments(p.x).hat(p.eps)))))


def unit_length(p: Params, part: str) -> float:
    """Return the length of 1 or of x̂."""
    return sqrt(len(p.x)) if part == "mean" else hypot(*en.moments(p.x).hat(p.eps))


def measured(p: Params, length: float) -> float:
    """Return a length as it is asked for: itself, or its square as a share of ‖g‖²."""
    whole = hypot(*scaled(p))
    length = en.without_dust(length, whole)
    return length if p.measure == "length" else (length / whole) ** 2


FAMILY = RemovedShare()
