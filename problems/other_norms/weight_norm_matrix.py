"""Weight normalization of a linear layer's weight: which numbers share a length."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    v: Mat = en.matrix("the learned matrix v, one row per output", square=False)
    g: en.Vec = en.vector("the learned lengths g, one per output", like="v", fill=1.0)


TIDY_ROWS = (
    ((3, 4), (5, 12), (8, 6), (4, 3), (12, 5), (6, 8), (8, 15)),
    ((1, 2, 2), (2, 3, 6), (2, 6, 3), (4, 4, 7), (2, 1, 2), (6, 2, 3), (1, 4, 8)),
)
"""Rows of two and of three whole numbers with a whole length."""

SLIPS = ("length_per_column", "length_of_whole_matrix", "not_divided_by_length", "length_dropped")


class WeightNormMatrix(en.Family[Params]):
    title = "Weight normalization of a matrix"
    catalogue = "D9"
    given = Params
    kind = en.Matrix()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "divided_by_squared_length")}
    covers = ("weight-norm",)
    cards = ("card:other_norms/weight-normalization",)
    requires = ("other_norms.weight_norm",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            rows = rng.sample(rng.choice(TIDY_ROWS), 2)
        else:
            height, width = rng.choice(((2, 2), (2, 3), (3, 2)))
            rows = [tuple(rng.integer(1, 9) for _ in range(width)) for _ in range(height)]
        v = tuple(tuple(float(rng.choice((-1, 1)) * cell) for cell in row) for row in rows)
        return Params(
            v, tuple(rng.choice((2.0, 3.0, 4.0, 6.0) if level == 1 else (0.5, 2.0, 3.0)) for _ in v)
        )

    def validate(self, p: Params) -> None:
        for at, row in enumerate(p.v, 1):
            if not any(row):
                raise en.Refused("v", f"row {at} is all 0, so it has no direction and its weights are 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"A linear layer with ${len(p.v[0])}$ inputs and ${len(p.v)}$ outputs gets PyTorch's "
            "`parametrizations.weight_norm` with its default `dim=0`. The rows of its weight belong to the "
            "outputs, and\n\n"
            f"$$v = {en.tex(p.v)}, \\quad g = {en.tex(p.g)}$$\n\n"
            "What is the weight matrix $w$?"
        )

    def solve(self, p: Params) -> Mat:
        return by_rows(p, [g / length(row) for g, row in zip(p.g, p.v, strict=True)])

    def oracle(self, p: Params, torch: Any) -> Any:
        linear = torch.nn.Linear(len(p.v[0]), len(p.v), bias=False, dtype=torch.float64)
        layer = torch.nn.utils.parametrizations.weight_norm(linear)
        with torch.no_grad():
            layer.parametrizations.weight.original0.copy_(torch.tensor(p.g, dtype=torch.float64)[:, None])
            layer.parametrizations.weight.original1.copy_(torch.tensor(p.v, dtype=torch.float64))
            return layer.weight

    def misconceptions(self, p: Params) -> en.Slips:
        columns = [length(column) for column in zip(*p.v, strict=True)]
        if all(columns):
            yield en.Misconception(
                "length_per_column",
                tuple(
                    tuple(g * cell / size for cell, size in zip(row, columns, strict=True))
                    for g, row in zip(p.g, p.v, strict=True)
                ),
                "That divides by the lengths of the columns; `dim=0` keeps a length for every row (output), "
                "taken over its inputs.",
            )
        whole = length(tuple(cell for row in p.v for cell in row))
        yield en.Misconception(
            "length_of_whole_matrix",
            by_rows(p, [g / whole for g in p.g]),
            "That divides by one length of the whole matrix, as `dim=None` does; every row has its own.",
        )
        yield en.Misconception(
            "not_divided_by_length",
            by_rows(p, p.g),
            "That multiplies the rows by $g$; each row is first divided by its own length.",
        )
        yield en.Misconception(
            "length_dropped",
            by_rows(p, [1 / length(row) for row in p.v]),
            "That leaves every row with length 1; row $i$ gets the length $g_i$.",
        )
        yield en.Misconception(
            "divided_by_squared_length",
            by_rows(p, [g / length(row) / length(row) for g, row in zip(p.g, p.v, strict=True)]),
            "That divides by the squared lengths; a length is the root of the sum of squares.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Every output has a weight vector of its own, with its own length and direction. Is it a row or "
            "a column?",
            r"For every row: $w_i = g_i \frac{v_i}{\lVert v_i \rVert}$, where $v_i$ is row $i$ of $v$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        lengths = ", ".join(f"sqrt(sum(entry(v, {at})^2))" for at in range(1, len(p.v) + 1))
        sizes = tuple(length(row) for row in p.v)
        return (
            en.Step("Length of each row", "lengths", f"[{lengths}]", sizes),
            en.Step(
                "Factor for each row",
                "factors",
                "g/lengths",
                tuple(g / size for g, size in zip(p.g, sizes, strict=True)),
            ),
            en.Step("Multiply row by row", "w", "factors*v", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        rows = []
        for g, row in zip(p.g, p.v, strict=True):
            cells = [Fraction(repr(cell)) for cell in row]
            tops = ", ".join(str(Fraction(repr(g)) * cell) for cell in cells)
            rows.append(f"[{tops}]/sqrt({sum(cell * cell for cell in cells)})")
        text = f"[{', '.join(rows)}]"
        return text if len(text) <= 200 else None


def length(values: en.Vec) -> float:
    return sqrt(sum(value * value for value in values))


def by_rows(p: Params, factors: list[float] | en.Vec) -> Mat:
    """Return v with row i multiplied by factor i."""
    return tuple(tuple(by * cell for cell in row) for by, row in zip(factors, p.v, strict=True))


FAMILY = WeightNormMatrix()
