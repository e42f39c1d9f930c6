"""The Jacobian of two residual blocks in a row."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]
Exact = list[list[Fraction]]


@dataclass(frozen=True, slots=True)
class Params:
    a: Mat = en.matrix("the Jacobian of the first branch")
    b: Mat = en.matrix("the Jacobian of the second branch, where the first block's output lies")


SLIPS = ("order_reversed", "first_order_sum", "plain_product", "transposed", "blocks_added")


class TwoBlocks(en.Family[Params]):
    title = "The Jacobian of two residual blocks"
    catalogue = "G2"
    given = Params
    kind = en.Matrix()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("residual-jacobian", "jacobian-product-order", "jacobian-expansion")
    cards = ("card:residual/stack-jacobian", "card:residual/block-jacobian")
    requires = ("residual.jacobian",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            cells = [float(cell) for cell in rng.integers(8, -2, 3)]
        else:
            cells = [cell / 10 for cell in rng.integers(8, -9, 9)]
        return Params((tuple(cells[:2]), tuple(cells[2:4])), (tuple(cells[4:6]), tuple(cells[6:])))

    def validate(self, p: Params) -> None:
        if len(p.a) != len(p.b):
            raise en.Refused("b", f"is to have as many rows as a: {len(p.a)}, not {len(p.b)}")

    def prompt(self, p: Params) -> str:
        return (
            "Two residual blocks follow each other, $y = x + F(x)$ and then $z = y + H(y)$. At some point "
            "$x$ the first branch $F$ has the Jacobian $A$, and at the $y$ that belongs to it the second "
            "branch $H$ has the Jacobian $B$:\n\n"
            f"$$A = {en.tex(p.a)} \\qquad B = {en.tex(p.b)}$$\n\n"
            r"What is the Jacobian $\partial z/\partial x$ of both blocks together?"
        )

    def solve(self, p: Params) -> Mat:
        return floats(product(block(p.b), block(p.a)))

    def oracle(self, p: Params, torch: Any) -> Any:
        a, b = (torch.tensor(branch, dtype=torch.float64) for branch in (p.a, p.b))

        def stack(x: Any) -> Any:
            y = x + a @ x
            return y + b @ y

        return torch.autograd.functional.jacobian(stack, torch.ones(len(p.a), dtype=torch.float64))

    def misconceptions(self, p: Params) -> en.Slips:
        first, second = block(p.a), block(p.b)
        right = self.solve(p)
        yield en.Misconception(
            "order_reversed",
            floats(product(first, second)),
            "That is $(I + A)(I + B)$; the later block stands on the left.",
        )
        yield en.Misconception(
            "first_order_sum",
            floats(added(first, branch(p.b))),
            "That is $I + A + B$; the path through both branches, $BA$, is missing.",
        )
        yield en.Misconception(
            "plain_product",
            floats(product(branch(p.b), branch(p.a))),
            "That is $BA$, as in a plain stack; each block also has its skip, so it is $I$ plus its branch.",
        )
        yield en.Misconception(
            "transposed",
            tuple(zip(*right, strict=True)),
            "That is the transpose; row $i$ holds the derivatives of $z_i$.",
        )
        yield en.Misconception(
            "blocks_added",
            floats(added(first, second)),
            "That adds the blocks' Jacobians; blocks in a row are composed, so their Jacobians multiply.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "What is the Jacobian of each block alone, and how does the chain rule combine the two?",
            "The blocks have the Jacobians $I + A$ and $I + B$. Matrices do not commute: the later block "
            "stands on the left.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        rows = ", ".join(f"sum(entry(second, {row})*first)" for row in range(1, len(p.a) + 1))
        return (
            en.Step("The first block: I + A", "first", "identity(len(a)) + a", floats(block(p.a))),
            en.Step("The second block: I + B", "second", "identity(len(b)) + b", floats(block(p.b))),
            en.Step(
                "Second times first: each row of the second weights the rows of the first",
                "jacobian",
                f"[{rows}]",
                self.solve(p),
            ),
        )

    def exact(self, p: Params) -> str | None:
        cells = product(block(p.b), block(p.a))
        text = "; ".join(" ".join(map(str, row)) for row in cells)
        return text if len(text) <= 200 and len(cells) > 1 else None


def branch(matrix: Mat) -> Exact:
    """Return the matrix as it is displayed, without loss."""
    return [[Fraction(repr(cell)) for cell in row] for row in matrix]


def block(matrix: Mat) -> Exact:
    """Return the identity plus a branch's Jacobian."""
    return [[int(i == j) + cell for j, cell in enumerate(row)] for i, row in enumerate(branch(matrix))]


def added(one: Exact, other: Exact) -> Exact:
    """Return the sum of two matrices."""
    return [[a + b for a, b in zip(left, right, strict=True)] for left, right in zip(one, other, strict=True)]


def product(left: Exact, right: Exact) -> Exact:
    """Return the matrix product, left times right."""
    columns = list(zip(*right, strict=True))
    return [[sum(map(Fraction.__mul__, row, column), Fraction()) for column in columns] for row in left]


def floats(matrix: Exact) -> Mat:
    """Return the matrix as floats."""
    return tuple(tuple(float(cell) for cell in row) for row in matrix)


FAMILY = TwoBlocks()
