"""The derivative through a stack of scalar residual blocks."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    plus_count: int = en.whole("how many branches have the positive derivative", high=2000)
    plus: float = en.scalar("the positive branch derivative", low=0.0)
    minus_count: int = en.whole("how many branches have the negative derivative", high=2000)
    minus: float = en.scalar("the negative branch derivative; 0.1 and -0.1 both mean -0.1")


RANGE = 690.0
"""The largest natural logarithm of a product; float64 ends near 709."""


class ResidualProduct(en.Family[Params]):
    title = "The derivative through a residual stack"
    catalogue = "G3"
    given = Params
    kind = en.Number()
    levels = {
        1: en.Level("plain_product", "all_plus", "signs_cancel"),
        2: en.Level("plain_product", "all_plus", "signs_cancel", "first_order_sum"),
    }
    covers = ("residual-derivative-product", "plain-stack-vanishes")
    cards = ("card:residual/plain-vs-residual", "card:residual/stack-jacobian")
    demo = "residual_product"
    requires = ("residual.jacobian",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        # At most 54 blocks: the plain product 0.1^54 can still be typed as a decimal.
        plus, plus_count = rng.choice((0.1, 0.2, 0.3, 0.4, 0.5)), rng.integer(3, 27)
        if level == 1:
            return Params(plus_count, plus, plus_count, -plus)
        minus_count = rng.choice([count for count in range(3, 28) if count != plus_count])
        return Params(plus_count, plus, minus_count, -rng.choice((0.1, 0.2, 0.3, 0.4)))

    def validate(self, p: Params) -> None:
        up = p.plus_count * math.log1p(p.plus)
        factor = abs(1 - abs(p.minus))
        down = p.minus_count * math.log(factor) if factor else 0.0
        if max(abs(up), abs(down), abs(up + down)) > RANGE:
            raise en.Refused(
                "plus_count" if abs(up) >= abs(down) else "minus_count",
                "with so many blocks the product leaves the range of float64; take fewer",
            )

    def prompt(self, p: Params) -> str:
        return (
            "A stack consists of scalar residual blocks $x_{k+1} = x_k + F_k(x_k)$:\n\n"
            f"- ${en.tex(p.plus_count)}$ with the branch derivative $F_k' = {en.tex(p.plus)}$,\n"
            f"- ${en.tex(p.minus_count)}$ with the branch derivative $F_k' = {en.tex(-abs(p.minus))}$.\n\n"
            "What is the derivative of the stack's output with respect to its input?"
        )

    def solve(self, p: Params) -> float:
        return power(1 + p.plus, p.plus_count) * power(1 - abs(p.minus), p.minus_count)

    def oracle(self, p: Params, torch: Any) -> Any:
        start = torch.ones((), dtype=torch.float64, requires_grad=True)
        x = start
        for slope in [p.plus] * p.plus_count + [-abs(p.minus)] * p.minus_count:
            x = x + slope * x
        return torch.autograd.grad(x, start)[0]

    def misconceptions(self, p: Params) -> en.Slips:
        minus, pairs = abs(p.minus), min(p.plus_count, p.minus_count)
        yield en.Misconception(
            "plain_product",
            power(p.plus, p.plus_count) * power(-minus, p.minus_count),
            "That multiplies the branch derivatives, as in a plain stack; the skip adds 1 to each of them.",
        )
        yield en.Misconception(
            "all_plus",
            power(1 + p.plus, p.plus_count) * power(1 + minus, p.minus_count),
            "That lets every block enlarge the derivative; where the branch derivative is $-b$, the factor "
            "is $1 - b$.",
        )
        cancelled = power(1 + p.plus, p.plus_count - pairs) * power(1 - minus, p.minus_count - pairs)
        yield en.Misconception(
            "signs_cancel",
            cancelled,
            "That lets each positive branch undo a negative one; but $(1 + a)(1 - b)$ is $1 + a - b - ab$.",
        )
        first_order = 1 + p.plus_count * p.plus - p.minus_count * minus
        if not math.isclose(first_order, cancelled):  # where the two beliefs give one number, it has one name
            yield en.Misconception(
                "first_order_sum",
                first_order,
                "That adds the branch derivatives to 1; the factors multiply, and their products count.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "What is the derivative of one block, skip included? Then use the chain rule.",
            r"$\frac{dx_L}{dx_0} = \prod_k (1 + F_k')$: a factor $1 + a$ for every branch derivative $a$ and "
            "$1 - b$ for every $-b$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        up, down = power(1 + p.plus, p.plus_count), power(1 - abs(p.minus), p.minus_count)
        return (
            en.Step("All blocks with the positive branch", "up", "(1 + plus)^plus_count", up),
            en.Step("All blocks with the negative branch", "down", "(1 - abs(minus))^minus_count", down),
            en.Step("Chain rule: multiply", "derivative", "up*down", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        if max(p.plus_count, p.minus_count) > 50 or abs(p.minus) >= 1:
            return None
        up, down = en.rounded(1 + p.plus, 12), en.rounded(1 - abs(p.minus), 12)
        return f"{up}^{p.plus_count}*{down}^{p.minus_count}"


def power(base: float, count: int) -> float:
    """Return base^count; infinite where that overflows, so that a slip is set aside."""
    try:
        return base**count
    except OverflowError:
        return math.inf


FAMILY = ResidualProduct()
