"""How the gradient of the last feed-forward layer depends on depth, in pre-LN and in post-LN."""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isqrt, sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    placement: str = en.option("where the norms stand", ("pre", "post"), "pre")
    depth: int = en.whole("the depth at which the gradient was measured", low=1, high=500)
    other_depth: int = en.whole("the depth that is asked about", low=1, high=500)
    norm: float = en.scalar("the measured norm of the gradient", 1.0, above=0.0)


SLIPS = ("other_placement", "inverse_depth", "inverted")


class PreLnGradientRatio(en.Family[Params]):
    title = "Gradient of the last layer at another depth"
    catalogue = "I6"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("last-layer-gradient-by-depth",)
    cards = ("card:residual/post-vs-pre-ln",)
    demo = "pre_post_ln"
    requires = ("transformer.layernorm_jacobian_norm", "stream_scale.normalized_branch")

    def draw(self, level: int, rng: en.Rng) -> Params:
        placement = rng.choice(("pre", "post"))
        if level == 1:
            one, other = rng.sample((1, 2, 3, 4), 2)
            unit = rng.choice((2, 3, 4, 6))
            return Params(placement, unit * one**2, unit * other**2, other * rng.integer(1, 9) / 10)
        one, other = rng.sample(range(4, 61), 2)
        return Params(placement, one, other, rng.integer(15, 95) / 100)

    def prompt(self, p: Params) -> str:
        kind, end = ("pre-LN", ", with a final norm,") if p.placement == "pre" else ("post-LN", "")
        return (
            f"At initialization, the gradient of the loss with respect to the weights of the *last* "
            f"feed-forward layer of a {kind} transformer of ${p.depth}$ blocks{end} has the norm "
            f"${en.tex(p.norm)}$.\n\nBy the theory (Xiong et al. 2020; take its dependence on the depth as "
            f"exact), what is this norm for the same model with ${p.other_depth}$ blocks?"
        )

    def solve(self, p: Params) -> float:
        return p.norm if p.placement == "post" else scaled(p, p.depth, p.other_depth)

    def oracle(self, p: Params, torch: Any) -> Any:
        # Three features of mean 0 and mean square 1: a stream that turns in two, a loss along the third.
        one, other, third = torch.tensor(
            [[1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]], dtype=torch.float64
        )
        turn = (torch.outer(other, one) - torch.outer(one, other)) / 4

        def norm(x: Any) -> Any:
            return torch.nn.functional.layer_norm(x, (4,), eps=0.0)

        def gradient(depth: int) -> Any:
            # In pre-LN the stream starts with the first branch: its input is small beside what is added.
            stream = one
            for _ in range(depth - 1):
                stream = (
                    stream + turn @ norm(stream) if p.placement == "pre" else norm(stream + turn @ stream)
                )
            if p.placement == "post":
                stream = stream + turn @ stream
            last = torch.zeros(4, dtype=torch.float64, requires_grad=True)
            return torch.autograd.grad(norm(stream + last).dot(third), last)[0].norm()

        return p.norm * gradient(p.other_depth) / gradient(p.depth)

    def misconceptions(self, p: Params) -> en.Slips:
        pre = p.placement == "pre"
        yield en.Misconception(
            "other_placement",
            p.norm if pre else scaled(p, p.depth, p.other_depth),
            "That is post-LN, where the last gradient does not depend on the depth; in pre-LN the stream "
            "that the final norm divides by grows."
            if pre
            else "That is pre-LN, whose stream grows with the depth; in post-LN every norm brings the stream "
            "back to size 1.",
        )
        yield en.Misconception(
            "inverse_depth",
            p.norm * p.depth / p.other_depth,
            r"That takes $1/L$; the variance of the stream grows like $L$, its size like $\sqrt L$."
            if pre
            else "That takes $1/L$; in post-LN the stream has size 1 at every depth.",
        )
        yield en.Misconception(
            "inverted",
            scaled(p, p.other_depth, p.depth),
            "That is upside down: the deeper the pre-LN model, the smaller this gradient."
            if pre
            else r"That lets the gradient grow like $\sqrt L$; in post-LN it does not depend on the depth.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "The gradient reaches the last feed-forward layer through one norm. What does it divide by?",
            r"A norm's Jacobian has the size 1/(standard deviation of its input). How does the stream before "
            f"the last norm grow with $L$ in {'pre' if p.placement == 'pre' else 'post'}-LN?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        if p.placement == "post":
            return (
                en.Step("In post-LN each norm brings the stream back to size 1, whatever the depth"),
                en.Step("The last norm divides by the same number at both depths", "ratio", "1", 1.0),
                en.Step("So the gradient stays", "other_norm", "norm*ratio", p.norm),
            )
        ratio = sqrt(p.depth / p.other_depth)
        return (
            en.Step("The stream before the final norm grows like √L, and the norm divides by it"),
            en.Step("So the gradient goes like 1/√L", "ratio", "sqrt(depth/other_depth)", ratio),
            en.Step("At the other depth", "other_norm", "norm*ratio", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        if p.placement == "post":
            return en.plain(p.norm)
        shared = gcd(p.depth, p.other_depth)
        one, other = p.depth // shared, p.other_depth // shared
        if isqrt(one) ** 2 == one and isqrt(other) ** 2 == other:
            return str(Fraction(repr(p.norm)) * Fraction(isqrt(one), isqrt(other)))
        return f"{en.plain(p.norm)}*sqrt({one}/{other})"


def scaled(p: Params, over: int, under: int) -> float:
    """Return the measured norm times √(over/under)."""
    return p.norm * sqrt(over / under)


FAMILY = PreLnGradientRatio()
