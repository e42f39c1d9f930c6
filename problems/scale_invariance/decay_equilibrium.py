"""Where weight decay and SGD hold the norm of scale-invariant weights in balance."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    rate: float = en.scalar("the learning rate η", low=1e-6, high=1e3)
    decay: float = en.scalar("the weight decay λ", low=1e-9, high=1e6)
    unit_grad: float = en.scalar("the norm G of the gradient where W has length 1", low=1e-6, high=1e6)
    quantity: str = en.option("what is asked for", ("norm", "effective rate"), "norm")


SLIPS = ("gradient_not_shrunk", "factor_two_missing", "decay_missing", "decay_without_rate")


class DecayEquilibrium(en.Family[Params]):
    title = "Weight decay and scale invariance in balance"
    catalogue = "F6"
    given = Params
    kind = en.Number(rel_tol=0.006)
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "one_power")}
    covers = ("weight-decay-equilibrium", "effective-learning-rate")
    cards = ("card:batchnorm/invariance",)
    requires = ("scale_invariance.norm_over_steps", "scale_invariance.effective_rate")

    def draw(self, level: int, rng: en.Rng) -> Params:
        rate, decay = rng.choice((0.05, 0.1, 0.2, 0.5)), rng.choice((1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3))
        grad = float(rng.integer(1, 12)) if level == 2 else rng.integer(11, 99) / 10
        return Params(rate, decay, grad, "norm" if level == 2 else "effective rate")

    def validate(self, p: Params) -> None:
        if not 1e-6 <= p.rate * p.decay <= 1:
            raise en.Refused("decay", "the product of rate and decay is to lie between 1e-6 and 1")

    def prompt(self, p: Params) -> str:
        asked = (
            r"norm $\lVert W \rVert$"
            if p.quantity == "norm"
            else r"effective rate $\frac{\eta}{\lVert W \rVert^2}$"
        )
        return (
            "A loss satisfies $L(cW) = L(W)$ for every $c > 0$; its gradient has the norm $\\lVert \\nabla "
            f"L(W) \\rVert = \\frac{{G}}{{\\lVert W \\rVert}}$ with $G = {en.tex(p.unit_grad)}$. SGD with "
            "weight decay takes the steps\n\n"
            r"$$W \leftarrow (1 - \eta\lambda)\,W - \eta\,\nabla L(W)$$"
            f"\n\nwith $\\eta = {en.tex(p.rate)}$ and $\\lambda = {en.tex(p.decay)}$. After many steps "
            f"$\\lVert W \\rVert$ settles.\n\nAt which {asked}? (Answers within 0.6 % are taken as right.)"
        )

    def solve(self, p: Params) -> float:
        shrink = p.rate * p.decay
        return seen(p, p.rate * p.unit_grad / sqrt(shrink * (2 - shrink)))

    def oracle(self, p: Params, torch: Any) -> Any:
        # Bisection for the norm that one real step leaves as it is; the loss is a polar angle times G.
        direction = torch.tensor([0.6, 0.8], dtype=torch.float64)

        def after(norm: float) -> float:
            weight = (norm * direction).requires_grad_()
            loss = p.unit_grad * torch.atan2(weight[1], weight[0])
            step = torch.autograd.grad(loss, weight)[0]
            return float(((1 - p.rate * p.decay) * weight - p.rate * step).detach().norm())

        low, high = sqrt(p.rate * p.unit_grad), sqrt(p.rate * p.unit_grad) * 100
        while high - low > 1e-13 * high:
            middle = (low * high) ** 0.5
            if not low < middle < high:
                break
            low, high = (middle, high) if after(middle) > middle else (low, middle)
        return seen(p, low * high)

    def misconceptions(self, p: Params) -> en.Slips:
        shrink = p.rate * p.decay
        yield en.Misconception(
            "gradient_not_shrunk",
            seen(p, p.rate**2 * p.unit_grad**2 / (shrink * (2 - shrink))),
            r"That takes $G$ for the gradient's norm, which is $\frac{G}{\lVert W \rVert}$: the balance "
            r"fixes $\lVert W \rVert^4$, not $\lVert W \rVert^2$.",
        )
        yield en.Misconception(
            "factor_two_missing",
            seen(p, p.rate * p.unit_grad / sqrt(shrink)),
            r"That lets decay take $\eta\lambda$ off $\lVert W \rVert^2$; it takes that off $\lVert W "
            r"\rVert$, so twice as much off the square.",
        )
        yield en.Misconception(
            "decay_missing",
            seen(p, p.rate * p.unit_grad / sqrt(2 * p.rate)),
            r"That leaves out $\lambda$; the weaker the decay, the larger the norm at which it holds the "
            "balance.",
        )
        yield en.Misconception(
            "decay_without_rate",
            seen(p, p.rate * p.unit_grad / sqrt(2 * p.decay)),
            r"That shrinks $W$ by $\lambda$ in each step; this step shrinks it by $\eta\lambda$.",
        )
        if p.quantity == "effective rate":
            yield en.Misconception(
                "one_power",
                p.rate / sqrt(p.rate * p.unit_grad / sqrt(shrink * (2 - shrink))),
                r"That divides $\eta$ by $\lVert W \rVert$; the effective rate has $\lVert W \rVert^2$ "
                "below.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"In balance, decay takes as much off $\lVert W \rVert^2$ as the gradient step, at a right "
            "angle to $W$, adds.",
            r"$\lVert W \rVert^2 \leftarrow (1 - \eta\lambda)^2 \lVert W \rVert^2 + "
            r"\frac{\eta^2 G^2}{\lVert W \rVert^2}$. Where does this come to rest?",
            r"For small $\eta\lambda$ decay takes about $2\eta\lambda\,\lVert W \rVert^2$ away.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        keep = (1 - p.rate * p.decay) ** 2
        square = p.rate * p.unit_grad / sqrt(1 - keep)
        steps = (
            en.Step("Decay keeps this share of ‖W‖²", "keep", "(1 - rate*decay)^2", keep),
            en.Step(
                "Balance: (1 − keep)·‖W‖² = η²G²/‖W‖²; so ‖W‖² is",
                "square",
                "rate*unit_grad/sqrt(1 - keep)",
                square,
            ),
        )
        if p.quantity == "norm":
            return (*steps, en.Step("Root of it", "norm", "sqrt(square)", self.solve(p)))
        return (*steps, en.Step("Effective rate", "effective", "rate/square", self.solve(p)))

    def exact(self, p: Params) -> str:
        rate, decay, grad = map(en.plain, (p.rate, p.decay, p.unit_grad))
        root = f"sqrt(1 - (1 - {rate}*{decay})^2)"
        return f"sqrt({rate}*{grad}/{root})" if p.quantity == "norm" else f"{root}/{grad}"


def seen(p: Params, square: float) -> float:
    """Return what is asked for, where ‖W‖² has this value."""
    return sqrt(square) if p.quantity == "norm" else p.rate / square


FAMILY = DecayEquilibrium()
