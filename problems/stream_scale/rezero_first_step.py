"""The first step of training of a ReZero block, whose branch factor starts at 0."""

from dataclasses import dataclass
from math import fsum
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the input of the block")
    weight: en.Vec = en.vector("the branch's weights, one for each entry", like="x")
    upstream: en.Vec = en.vector("the gradient that arrives at the output", like="x")
    rate: float = en.scalar("the learning rate", 0.1, above=0.0)


SLIPS = (
    "alpha_gradient_zero",
    "branch_learns_first",
    "branch_added",
    "input_for_branch",
    "sign_flipped",
    "means_for_sums",
)


class RezeroFirstStep(en.Family[Params]):
    title = "The first step of a ReZero block"
    catalogue = "H13"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("rezero",)
    cards = ("card:residual/zero-gamma", "card:residual/three-remedies")
    requires = ("stream_scale.scaled_branch",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        size, most = (2, 3) if level == 1 else (rng.integer(2, 4), 6)
        ints = [value for value in range(-most, most + 1) if value]
        x, weight, upstream = (tuple(float(rng.choice(ints)) for _ in range(size)) for _ in range(3))
        if level == 2:
            weight, upstream = (tuple(value / 10 for value in v) for v in (weight, upstream))
        return Params(x, weight, upstream, rng.choice((0.1, 0.2, 0.5) if level == 1 else (0.25, 0.3, 0.4)))

    def validate(self, p: Params) -> None:
        if not sum(abs(g * f) for g, f in zip(p.upstream, branch(p), strict=True)) < 1e150:
            raise en.Refused(
                "upstream", "with such numbers the gradient leaves the safe range; take smaller ones"
            )

    def prompt(self, p: Params) -> str:
        return (
            r"A ReZero block $y = x + \alpha\,F(x)$ has the branch $F(x) = w \odot x$ (entry by entry) and "
            f"starts with $\\alpha = 0$. Take $x = {en.tex(p.x)}$ and $w = {en.tex(p.weight)}$; the "
            f"gradient at the output is $\\partial \\mathcal L/\\partial y = {en.tex(p.upstream)}$. SGD "
            f"has the learning rate ${en.tex(p.rate)}$. Give four numbers, in this order:\n\n"
            "1. the first entry of $y$\n"
            r"2. $\partial \mathcal L/\partial \alpha$"
            "\n"
            r"3. $\partial \mathcal L/\partial w_1$"
            "\n"
            r"4. $\alpha$ after one step of SGD"
        )

    def solve(self, p: Params) -> en.Vec:
        return answer(p, slope(p.upstream, branch(p)))

    def oracle(self, p: Params, torch: Any) -> Any:
        x, upstream = (torch.tensor(v, dtype=torch.float64) for v in (p.x, p.upstream))
        weight = torch.tensor(p.weight, dtype=torch.float64, requires_grad=True)
        alpha = torch.zeros((), dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([alpha, weight], lr=p.rate)
        y = x + alpha * (weight * x)
        y.backward(upstream)
        optimizer.step()
        return y[0].item(), alpha.grad.item(), weight.grad[0].item(), alpha.item()

    def misconceptions(self, p: Params) -> en.Slips:
        first, gradient, still, _ = self.solve(p)
        yield en.Misconception(
            "alpha_gradient_zero",
            (first, 0.0, still, 0.0),
            r"That says that $\alpha = 0$ learns nothing; its gradient is $\langle \partial \mathcal "
            r"L/\partial y, F(x) \rangle$, and $\alpha$ is no factor of it.",
        )
        yield en.Misconception(
            "branch_learns_first",
            (first, gradient, p.upstream[0] * p.x[0], -p.rate * gradient),
            r"$w$ cannot learn yet: whatever reaches the branch is multiplied by $\alpha = 0$.",
        )
        yield en.Misconception(
            "branch_added",
            (first + branch(p)[0], gradient, still, -p.rate * gradient),
            r"That output is $x + F(x)$; with $\alpha = 0$ the block is the identity.",
        )
        yield en.Misconception(
            "input_for_branch",
            answer(p, slope(p.upstream, p.x)),
            r"That multiplies the gradient by $x$; $\alpha$ stands before the branch, so by $F(x)$.",
        )
        yield en.Misconception(
            "sign_flipped",
            (first, gradient, still, p.rate * gradient),
            r"That steps up the gradient; SGD subtracts the rate times the gradient.",
        )
        yield en.Misconception(
            "means_for_sums",
            answer(p, slope(p.upstream, branch(p)) / len(p.x)),
            r"That averages over the entries; $\alpha$ acts on all of them, and their shares are added up.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"What is $y$ while $\alpha = 0$? And which of the two, $\alpha$ or $w$, is multiplied by "
            r"$\alpha$ "
            "in its gradient?",
            r"$\partial \mathcal L/\partial \alpha = \sum_i \frac{\partial \mathcal L}{\partial y_i} "
            r"F(x)_i$, and $\partial \mathcal L/\partial w_i = \alpha\,x_i\,\frac{\partial \mathcal "
            r"L}{\partial y_i}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        first, gradient, still, after = self.solve(p)
        return (
            en.Step("The branch", "f", "weight*x", branch(p)),
            en.Step("The output's first entry: the input's", "y1", "entry(x, 1) + 0*entry(f, 1)", first),
            en.Step(r"Gradient of $\alpha$: sum over the entries", "d_alpha", "sum(upstream*f)", gradient),
            en.Step(
                r"Gradient of $w_1$: $\alpha = 0$ is a factor",
                "d_w1",
                "0*entry(upstream, 1)*entry(x, 1)",
                still,
            ),
            en.Step("A step against the gradient", "alpha", "0 - rate*d_alpha", after),
            en.Step("All four", "answer", "(y1, d_alpha, d_w1, alpha)", self.solve(p)),
        )


def branch(p: Params) -> en.Vec:
    """Return F(x), entry by entry."""
    return tuple(weight * value for weight, value in zip(p.weight, p.x, strict=True))


def slope(upstream: en.Vec, moved: en.Vec) -> float:
    """Return the derivative of the loss along `moved`."""
    return fsum(gradient * value for gradient, value in zip(upstream, moved, strict=True))


def answer(p: Params, gradient: float) -> en.Vec:
    """Return all four numbers, where α has this gradient."""
    return p.x[0], gradient, 0.0, -p.rate * gradient


FAMILY = RezeroFirstStep()
