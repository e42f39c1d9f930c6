"""The gradient that a residual block hands back."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    upstream: en.Vec = en.vector("the gradient of the loss with respect to the output, a row", like="a")
    a: Mat = en.matrix("the Jacobian of the branch at a point")


SLIPS = ("transposed", "identity_forgotten", "branch_forgotten", "identity_minus")


class GradientRow(en.Family[Params]):
    title = "The gradient through a residual block"
    catalogue = "G7"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("addition-copies-gradient", "residual-jacobian")
    cards = ("card:residual/addition-copies", "card:residual/block-jacobian")
    requires = ("residual.jacobian",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        size, scale = (2, 1) if level == 1 else (rng.choice((2, 3)), 10)
        reach = 3 if level == 1 else 9
        upstream = tuple(float(rng.choice((-3, -2, -1, 1, 2, 3))) for _ in range(size))
        rows = (rng.integers(size, -reach, reach) for _ in range(size))
        return Params(upstream, tuple(tuple(cell / scale for cell in row) for row in rows))

    def prompt(self, p: Params) -> str:
        return (
            "A residual block computes $y = x + F(x)$. At some point its branch $F$ has the Jacobian $A$ "
            "(row $i$ holds the derivatives of $F_i$), and the gradient of the loss with respect to $y$ is "
            f"the row $\\bar y$:\n\n$$A = {en.tex(p.a)} \\qquad \\bar y = {en.tex(p.upstream)}$$\n\n"
            r"What is the gradient $\bar x$ of the loss with respect to $x$?"
        )

    def solve(self, p: Params) -> en.Vec:
        return floats(through(p, 1, p.a))

    def oracle(self, p: Params, torch: Any) -> Any:
        a, upstream = (torch.tensor(value, dtype=torch.float64) for value in (p.a, p.upstream))
        x = torch.ones(len(p.a), dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(x + a @ x, x, upstream)[0]

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "transposed",
            floats(through(p, 1, tuple(zip(*p.a, strict=True)))),
            r"That is $(I + A)\,\bar y$; the gradient is a row and stands on the left: $\bar y\,(I + A)$.",
        )
        yield en.Misconception(
            "identity_forgotten",
            floats(through(p, 0, p.a)),
            r"That is $\bar y A$, what comes back through the branch; the skip adds $\bar y$ itself.",
        )
        yield en.Misconception(
            "branch_forgotten",
            p.upstream,
            r"That is what comes back through the skip; the branch adds $\bar y A$.",
        )
        yield en.Misconception(
            "identity_minus",
            floats([2 * fraction(y) - back for y, back in zip(p.upstream, through(p, 1, p.a), strict=True)]),
            r"That is $\bar y\,(I - A)$; what comes back through the branch is added.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "The addition hands the gradient to the skip and to the branch; at $x$ the two returns add up.",
            r"$\bar x = \bar y + \bar y A$, with the row $\bar y$ on the left: entry $j$ is "
            r"$\bar y_j + \sum_i \bar y_i A_{ij}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step(
                "Back through the branch: the rows of A, weighted by the upstream gradient",
                "branch",
                "sum(upstream*a)",
                floats(through(p, 0, p.a)),
            ),
            en.Step("Add what the skip hands back", "xbar", "upstream + branch", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        text = "(" + ", ".join(map(str, through(p, 1, p.a))) + ")"
        return text if len(text) <= 200 else None


def fraction(value: float) -> Fraction:
    """Return the number as it is displayed, without loss."""
    return Fraction(repr(value))


def through(p: Params, skip: int, a: Mat) -> list[Fraction]:
    """Return `skip` times the upstream row plus that row times A."""
    y = list(map(fraction, p.upstream))
    columns = zip(*a, strict=True)
    return [
        skip * one + sum((g * fraction(cell) for g, cell in zip(y, column, strict=True)), Fraction())
        for one, column in zip(y, columns, strict=True)
    ]


def floats(row: list[Fraction]) -> en.Vec:
    """Return the row as floats."""
    return tuple(map(float, row))


FAMILY = GradientRow()
