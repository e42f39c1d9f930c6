"""The norm of scale-invariant weights after one SGD step."""

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    weight_norm: float = en.scalar("the norm of W before the step", low=1e-6, high=1e6)
    grad_norm: float = en.scalar("the norm of the gradient at W", low=1e-6, high=1e6)
    rate: float = en.scalar("the learning rate η", low=1e-6, high=1e6)


SLIPS = ("norms_added", "norms_subtracted", "norm_unchanged", "rate_not_squared", "squares_subtracted")
LEGS = ((4, 3), (8, 6), (12, 5), (15, 8), (12, 9), (24, 7), (20, 15), (16, 12), (21, 20), (24, 10))
"""The legs of right triangles with whole sides, the longer one first."""


class StepNorm(en.Family[Params]):
    title = "The norm of the weights after one step"
    catalogue = "F3"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("sgd-norm-never-falls", "gradient-orthogonal-to-weights")
    cards = ("card:batchnorm/invariance",)
    requires = ("scale_invariance.orthogonality",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            (long, short), rate = rng.choice(LEGS), rng.choice((0.1, 0.2, 0.25, 0.5, 2.0, 4.0))
            return Params(float(long), round(short / rate, 6), rate)
        rate, weight_norm = rng.choice((0.05, 0.1, 0.2, 0.3, 0.5)), rng.integer(8, 60) / 10
        return Params(weight_norm, round(weight_norm * rng.integer(4, 9) / 10 / rate, 1), rate)

    def prompt(self, p: Params) -> str:
        return (
            "A loss satisfies $L(cW) = L(W)$ for every $c > 0$. One step of plain SGD, $W \\leftarrow W - "
            "\\eta \\nabla L(W)$, is taken (no momentum, no weight decay). Before it $\\lVert W \\rVert = "
            f"{en.tex(p.weight_norm)}$ and $\\lVert \\nabla L(W) \\rVert = {en.tex(p.grad_norm)}$; the rate "
            f"is $\\eta = {en.tex(p.rate)}$.\n\nWhat is $\\lVert W \\rVert$ after the step?"
        )

    def solve(self, p: Params) -> float:
        return sqrt(p.weight_norm**2 + (p.rate * p.grad_norm) ** 2)

    def oracle(self, p: Params, torch: Any) -> Any:
        # F.normalize makes the loss scale-invariant; its gradient at W has the given norm.
        direction = torch.tensor([0.6, 0.0, 0.8], dtype=torch.float64)
        across = torch.tensor([0.8, 0.0, -0.6], dtype=torch.float64)
        weight = (p.weight_norm * direction).requires_grad_()
        loss = torch.nn.functional.normalize(weight, dim=0) @ across * (p.weight_norm * p.grad_norm)
        return (weight - p.rate * torch.autograd.grad(loss, weight)[0]).norm()

    def misconceptions(self, p: Params) -> en.Slips:
        w, step = p.weight_norm, p.rate * p.grad_norm
        yield en.Misconception(
            "norms_added",
            w + step,
            "That adds the lengths, as if the step pointed along $W$; it stands at a right angle to $W$.",
        )
        yield en.Misconception(
            "norms_subtracted",
            w - step,
            "That shortens $W$ by the step, as if the gradient pointed along $W$; it stands at a right "
            "angle.",
        )
        yield en.Misconception(
            "norm_unchanged",
            w,
            "That keeps the length; the step leaves the sphere along a tangent, so the norm grows.",
        )
        yield en.Misconception(
            "rate_not_squared",
            sqrt(w * w + p.rate * p.grad_norm**2),
            r"That squares the gradient but not $\eta$; the step is $\eta g$, and its square has $\eta^2$.",
        )
        yield en.Misconception(
            "squares_subtracted",
            sqrt(w * w - step * step) if w > step else nan,
            "That takes $W$ for the hypotenuse; it is a leg, and the new weights are the hypotenuse.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "What angle do the gradient of a scale-invariant loss and the weights make?",
            r"They stand at a right angle, so Pythagoras holds: "
            r"$\lVert W - \eta g \rVert^2 = \lVert W \rVert^2 + \eta^2 \lVert g \rVert^2$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("Length of the step", "step", "rate*grad_norm", p.rate * p.grad_norm),
            en.Step("Pythagoras", "new_norm", "sqrt(weight_norm^2 + step^2)", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        step = f"({en.plain(p.rate)}*{en.plain(p.grad_norm)})"
        return f"sqrt({en.plain(p.weight_norm)}^2 + {step}^2)"


FAMILY = StepNorm()
