"""The norm of scale-invariant weights after several SGD steps."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    weight_norm: float = en.scalar("the norm of W at the start", low=1e-6, high=1e6)
    unit_grad: float = en.scalar("the norm G of the gradient where W has length 1", low=1e-6, high=1e6)
    rate: float = en.scalar("the learning rate η", low=1e-6, high=1e6)
    steps: int = en.whole("the number of steps", low=1, high=20)


SLIPS = ("gradient_held", "gradient_not_shrunk", "same_growth_each_step", "norms_added", "norm_squared")


class NormOverSteps(en.Family[Params]):
    title = "The norm of the weights after several steps"
    catalogue = "F4"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS)}
    covers = ("sgd-norm-never-falls", "gradient-inverse-to-norm")
    cards = ("card:batchnorm/invariance",)
    requires = ("scale_invariance.gradient_scale", "scale_invariance.step_norm")

    def draw(self, level: int, rng: en.Rng) -> Params:
        rate = rng.choice((0.1, 0.2, 0.25, 0.5))
        weight_norm = float(rng.integer(2, 8)) if level == 2 else rng.integer(12, 48) / 10
        push = weight_norm**2 * rng.choice((0.5, 0.75, 1.0, 1.5))  # ηG, the first step's length times ‖W‖
        return Params(weight_norm, round(push / rate, 1), rate, 2 if level == 2 else rng.integer(3, 4))

    def prompt(self, p: Params) -> str:
        return (
            "A loss satisfies $L(cW) = L(W)$ for every $c > 0$; along the whole way its gradient has the "
            f"norm $\\lVert \\nabla L(W) \\rVert = \\frac{{G}}{{\\lVert W \\rVert}}$ with $G = "
            f"{en.tex(p.unit_grad)}$. Training starts at $\\lVert W \\rVert = {en.tex(p.weight_norm)}$ and "
            f"takes ${p.steps}$ {'step' if p.steps == 1 else 'steps'} of plain SGD (no momentum, no weight "
            f"decay) with the rate $\\eta = {en.tex(p.rate)}$.\n\nWhat is $\\lVert W \\rVert$ at the end?"
        )

    def solve(self, p: Params) -> float:
        return sqrt(squares(p)[-1])

    def oracle(self, p: Params, torch: Any) -> Any:
        # The polar angle of two weights is scale-invariant, and its gradient has the norm 1/‖W‖.
        weight = torch.tensor([0.6, 0.8], dtype=torch.float64) * p.weight_norm
        for _ in range(p.steps):
            weight.requires_grad_()
            loss = p.unit_grad * torch.atan2(weight[1], weight[0])
            weight = (weight - p.rate * torch.autograd.grad(loss, weight)[0]).detach()
        return weight.norm()

    def misconceptions(self, p: Params) -> en.Slips:
        w, push = p.weight_norm, p.rate * p.unit_grad
        added = w
        for _ in range(p.steps):
            added += push / added
        yield en.Misconception(
            "gradient_held",
            sqrt(w * w + p.steps * (push / w) ** 2),
            "That keeps the gradient of the first step; as $W$ grows, the gradient shrinks to "
            r"$\frac{G}{\lVert W \rVert}$.",
        )
        yield en.Misconception(
            "gradient_not_shrunk",
            sqrt(w * w + p.steps * push * push),
            r"That takes $G$ for the gradient's norm; it is $\frac{G}{\lVert W \rVert}$.",
        )
        yield en.Misconception(
            "same_growth_each_step",
            w + p.steps * (sqrt(w * w + (push / w) ** 2) - w),
            "That lets every step add as much length as the first; the growth slows down from step to step.",
        )
        yield en.Misconception(
            "norms_added",
            added,
            "That adds each step's length to that of $W$; the step stands at a right angle to $W$.",
        )
        yield en.Misconception(
            "norm_squared",
            squares(p)[-1],
            r"That is $\lVert W \rVert^2$; the root is still to be taken.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Each step stands at a right angle to $W$: follow $\lVert W \rVert^2$ from step to step.",
            r"$\lVert W \rVert^2 \leftarrow \lVert W \rVert^2 + \frac{\eta^2 G^2}{\lVert W \rVert^2}$, and "
            "the root at the very end.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        start, *later = squares(p)
        return (
            en.Step("What each step adds, times ‖W‖²: η²G²", "push", "(rate*unit_grad)^2", push_squared(p)),
            en.Step("Square of the norm at the start", "n0", "weight_norm^2", start),
            *(
                en.Step(f"After step {k}", f"n{k}", f"n{k - 1} + push/n{k - 1}", square)
                for k, square in enumerate(later, 1)
            ),
            en.Step("Root of it", "new_norm", f"sqrt(n{p.steps})", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        square = Fraction(repr(p.weight_norm)) ** 2
        push = (Fraction(repr(p.rate)) * Fraction(repr(p.unit_grad))) ** 2
        for _ in range(p.steps):
            square += push / square
            if max(square.numerator, square.denominator) > 10**50:
                return None
        return f"sqrt({square})"


def push_squared(p: Params) -> float:
    """Return η²G², which each step adds to ‖W‖², divided by ‖W‖²."""
    return (p.rate * p.unit_grad) ** 2


def squares(p: Params) -> list[float]:
    """Return ‖W‖² at the start and after every step."""
    found = [p.weight_norm**2]
    for _ in range(p.steps):
        found.append(found[-1] + push_squared(p) / found[-1])
    return found


FAMILY = NormOverSteps()
