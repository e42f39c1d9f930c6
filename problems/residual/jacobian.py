"""The Jacobian of one residual block."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    a: Mat = en.matrix("the Jacobian of the branch at a point")


SLIPS = ("identity_forgotten", "identity_minus", "ones_added")


class ResidualJacobian(en.Family[Params]):
    title = "The Jacobian of a residual block"
    catalogue = "G1"
    given = Params
    kind = en.Matrix()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "transposed")}
    covers = ("residual-jacobian",)
    cards = ("card:residual/block-jacobian", "card:residual/addition-copies")

    def draw(self, level: int, rng: en.Rng) -> Params:
        size = 2 if level == 1 else rng.choice((2, 3))
        return Params(tuple(tuple(cell / 10 for cell in rng.integers(size, -9, 9)) for _ in range(size)))

    def prompt(self, p: Params) -> str:
        return (
            "A residual block computes $y = x + F(x)$. At some point $x$ its branch $F$ has the Jacobian\n\n"
            f"$$A = {en.tex(p.a)}$$\n\n"
            r"What is the Jacobian $\partial y/\partial x$ of the block at that point?"
        )

    def solve(self, p: Params) -> Mat:
        return entrywise(p, lambda i, j: float(i == j) + p.a[i][j])

    def oracle(self, p: Params, torch: Any) -> Any:
        a = torch.tensor(p.a, dtype=torch.float64)
        point = torch.ones(len(p.a), dtype=torch.float64)
        return torch.autograd.functional.jacobian(lambda x: x + a @ x, point)

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "identity_forgotten",
            p.a,
            "That is $A$, the branch alone; the skip is added to it with the Jacobian $I$.",
        )
        yield en.Misconception(
            "identity_minus",
            entrywise(p, lambda i, j: float(i == j) - p.a[i][j]),
            "That is $I - A$; the branch is added to the skip, so its Jacobian is added too.",
        )
        yield en.Misconception(
            "ones_added",
            entrywise(p, lambda i, j: 1.0 + p.a[i][j]),
            "That adds 1 to every entry; the skip's Jacobian is $I$, with ones on the diagonal only.",
        )
        yield en.Misconception(
            "transposed",
            entrywise(p, lambda i, j: float(i == j) + p.a[j][i]),
            r"That is $I + A^\top$; row $i$ holds the derivatives of $y_i$, just as in $A$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "The derivative of a sum is the sum of the derivatives.",
            r"$\frac{\partial y}{\partial x} = \frac{\partial x}{\partial x} + "
            r"\frac{\partial F}{\partial x}$. What is the Jacobian of $x \mapsto x$?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        identity = entrywise(p, lambda i, j: float(i == j))
        return (
            en.Step("Jacobian of the skip", "skip", "identity(len(a))", identity),
            en.Step("Add the Jacobian of the branch", "jacobian", "skip + a", self.solve(p)),
        )


def entrywise(p: Params, entry: Callable[[int, int], float]) -> Mat:
    """Return the matrix of A's size with `entry(i, j)` in row i and column j."""
    places = range(len(p.a))
    return tuple(tuple(entry(i, j) for j in places) for i in places)


FAMILY = ResidualJacobian()
