"""How the effective rate of the direction falls as scale-invariant weights grow."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    before: float = en.scalar("the norm of W before", low=1e-6, high=1e6)
    after: float = en.scalar("the norm of W after", low=1e-6, high=1e6)
    asked: str = en.option("the factor that is asked for", ("effective rate", "new rate"), "effective rate")


SLIPS = ("one_power", "rate_unchanged", "inverted", "inverted_one_power")


class EffectiveRate(en.Family[Params]):
    title = "The effective rate of growing weights"
    catalogue = "F5"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("effective-learning-rate", "gradient-inverse-to-norm")
    cards = ("card:batchnorm/invariance",)
    requires = ("scale_invariance.gradient_scale",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            before, factor = float(rng.integer(1, 12)), rng.choice((2.0, 3.0, 4.0, 5.0, 10.0))
            return Params(before, before * factor, "effective rate")
        before, after = rng.integer(11, 79) / 10, rng.integer(11, 79) / 10
        return Params(before, after, rng.choice(("effective rate", "new rate")))

    def prompt(self, p: Params) -> str:
        question = (
            "By what factor has the effective rate of the direction changed (after divided by before)?"
            if p.asked == "effective rate"
            else r"By what factor would $\eta$ have to be multiplied for the effective rate of the "
            "direction to be what it was before?"
        )
        return (
            "The weights $W$ feed a BatchNorm with $\\varepsilon = 0$, so only their direction "
            r"$\frac{W}{\lVert W \rVert}$ counts. A small step of plain SGD on $W$ with the learning "
            r"rate $\eta$ moves the direction just as a step on the direction itself with some other rate "
            "would: the *effective rate*. $\\eta$ is constant, and $\\lVert W \\rVert$ has gone from "
            f"${en.tex(p.before)}$ to ${en.tex(p.after)}$.\n\n{question}"
        )

    def solve(self, p: Params) -> float:
        return ratio(p) ** 2

    def oracle(self, p: Params, torch: Any) -> Any:
        # How fast the direction turns with the rate, where a bias-free linear layer feeds a LayerNorm.
        x = torch.tensor([1.0, -2.0], dtype=torch.float64)
        readout = torch.tensor([1.0, 3.0, -1.0], dtype=torch.float64)
        start = torch.tensor([[0.5, 0.1], [-0.5, 0.5], [0.4, 0.3]], dtype=torch.float64)
        start = start / start.norm()

        def turning(norm: float) -> Any:
            weight = (norm * start).requires_grad_()
            loss = readout @ torch.nn.functional.layer_norm(weight @ x, (3,), eps=0.0)
            step = torch.autograd.grad(loss, weight)[0]

            def direction(rate: Any) -> Any:
                moved = weight.detach() - rate * step
                return moved / moved.norm()

            no_step = torch.zeros((), dtype=torch.float64)
            return torch.autograd.functional.jacobian(direction, no_step).norm()

        changed = turning(p.after) / turning(p.before)
        return changed if p.asked == "effective rate" else 1 / changed

    def misconceptions(self, p: Params) -> en.Slips:
        once = ratio(p)
        yield en.Misconception(
            "one_power",
            once,
            r"That counts $\lVert W \rVert$ once; it shrinks the gradient, and a step of given length also "
            "turns longer weights less, so it counts twice.",
        )
        yield en.Misconception(
            "rate_unchanged",
            1.0,
            r"That says that nothing changes, which is true of the loss; the effective rate is "
            r"$\frac{\eta}{\lVert W \rVert^2}$.",
        )
        yield en.Misconception(
            "inverted",
            1 / once**2,
            "That is upside down: longer weights turn more slowly."
            if p.asked == "effective rate"
            else r"That is what happened to the effective rate; $\eta$ has to make up for it.",
        )
        yield en.Misconception(
            "inverted_one_power",
            1 / once,
            r"That is upside down, and $\lVert W \rVert$ counts twice: the effective rate is $\frac{\eta}"
            r"{\lVert W \rVert^2}$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"How does $\lVert W \rVert$ act on the length of the gradient? And how far does a step of a "
            "given length turn a long vector?",
            r"The step is $\eta$ times a gradient that goes as $\frac{1}{\lVert W \rVert}$, and it turns "
            r"$W$ by its length over $\lVert W \rVert$: the effective rate is "
            r"$\frac{\eta}{\lVert W \rVert^2}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step(
                "Ratio of the norms",
                "ratio",
                "before/after" if p.asked == "effective rate" else "after/before",
                ratio(p),
            ),
            en.Step("Once for the gradient, once for the angle", "factor", "ratio^2", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        before, after = en.plain(p.before), en.plain(p.after)
        return f"({before}/{after})^2" if p.asked == "effective rate" else f"({after}/{before})^2"


def ratio(p: Params) -> float:
    """Return the factor that one power of the norm gives."""
    return p.before / p.after if p.asked == "effective rate" else p.after / p.before


FAMILY = EffectiveRate()
