"""How the gradient shrinks where scale-invariant weights are larger."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    factor: float = en.scalar("the positive factor c on the weights", low=1e-6, high=1e6)
    grad_norm: float = en.scalar("the norm of the gradient at W", low=1e-6, high=1e6)


SLIPS = ("gradient_unchanged", "gradient_scaled_along", "gradient_by_square")


class GradientScale(en.Family[Params]):
    title = "The gradient at scaled weights"
    catalogue = "F1"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("gradient-inverse-to-norm",)
    cards = ("card:batchnorm/invariance",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            factor = rng.choice((2.0, 3.0, 4.0, 5.0, 10.0))
            return Params(factor, factor * rng.integer(1, 12))
        factor = rng.choice((0.2, 0.3, 0.4, 0.7, 0.8, 1.5, 2.5, 3.5, 6.0, 7.0))
        return Params(factor, rng.integer(11, 99) / 10)

    def prompt(self, p: Params) -> str:
        return (
            "The weights $W$ feed a BatchNorm with $\\varepsilon = 0$ in training mode, so the loss "
            "satisfies $L(cW) = L(W)$ for every $c > 0$. At $W$ the gradient has the norm "
            f"$\\lVert \\nabla L(W) \\rVert = {en.tex(p.grad_norm)}$.\n\n"
            f"What is the norm of the gradient at $cW$ with $c = {en.tex(p.factor)}$?"
        )

    def solve(self, p: Params) -> float:
        return p.grad_norm / p.factor

    def oracle(self, p: Params, torch: Any) -> Any:
        # BatchNorm on a linear layer; the loss is stretched until its gradient at W has the given norm.
        x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-2.0, 1.0], [1.0, 3.0]], dtype=torch.float64)
        readout = torch.tensor([1.0, -2.0, 0.5, 3.0], dtype=torch.float64)

        def grad_norm(weight: Any) -> Any:
            weight.requires_grad_()
            z = (x @ weight).unsqueeze(1)
            y = torch.nn.functional.batch_norm(z, None, None, training=True, eps=en.nonzero(0.0))
            return torch.autograd.grad(readout @ y.squeeze(1), weight)[0].norm()

        start = torch.tensor([0.6, 0.8], dtype=torch.float64)
        return p.grad_norm * grad_norm(p.factor * start) / grad_norm(start)

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "gradient_unchanged",
            p.grad_norm,
            r"That is the gradient at $W$; the loss is the same at $cW$, but its gradient is divided by $c$.",
        )
        yield en.Misconception(
            "gradient_scaled_along",
            p.factor * p.grad_norm,
            r"That multiplies by $c$; differentiating $L(cW) = L(W)$ gives $c\,\nabla L(cW) = \nabla L(W)$.",
        )
        yield en.Misconception(
            "gradient_by_square",
            p.grad_norm / p.factor**2,
            r"That divides by $c^2$, which is right for the effective rate; the gradient itself loses one "
            "$c$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Differentiate both sides of $L(cW) = L(W)$ with respect to $W$.",
            r"The chain rule on the left gives $c \, \nabla L(cW)$; on the right is $\nabla L(W)$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("From c∇L(cW) = ∇L(W): divide by c", "scaled_norm", "grad_norm/factor", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        return f"{en.plain(p.grad_norm)}/{en.plain(p.factor)}"


FAMILY = GradientScale()
