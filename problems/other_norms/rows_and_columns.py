"""One entry of a matrix as BatchNorm sees it, down its column, and as LayerNorm sees it, along its row."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    x: Mat = en.matrix("the examples, one per row", square=False)
    row: int = en.whole("the row of the entry, counted from 1", 1, low=1, high=8)
    column: int = en.whole("the column of the entry, counted from 1", 1, low=1, high=8)
    eps: float = en.eps()


SLIPS = ("rows_columns_swapped", "whole_input_averaged", "unbiased_variance", "no_scaling")


class RowsAndColumns(en.Family[Params]):
    title = "One entry, by BatchNorm and by LayerNorm"
    catalogue = "D12"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("rows-vs-columns", "batchnorm-group", "layernorm-group")
    cards = ("card:other_norms/layernorm-formula", "card:statistics/layernorm-token-group")
    requires = ("batchnorm.entry", "other_norms.layernorm")
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        height, width = (4, 4) if level == 1 else (3, 4)
        rows = [list(map(float, rng.integers(width, -6, 12))) for _ in range(height)]
        at, across = rng.integer(0, height - 1), rng.integer(0, width - 1)
        if level == 1:
            # A tidy column and a tidy row that meet in the entry asked for.
            down, along = en.tidy_batch(rng), en.tidy_batch(rng)
            while (len(down), len(along)) != (4, 4):
                down, along = en.tidy_batch(rng), en.tidy_batch(rng)
            shift = down[at] - along[across]
            rows[at] = [value + shift for value in along]
            for row, value in zip(rows, down, strict=True):
                row[across] = value
        return Params(tuple(map(tuple, rows)), at + 1, across + 1, 0.0)

    def validate(self, p: Params) -> None:
        if p.row > len(p.x):
            raise en.Refused("row", f"a row from 1 to {len(p.x)} is wanted, not {p.row}")
        if p.column > len(p.x[0]):
            raise en.Refused("column", f"a column from 1 to {len(p.x[0])} is wanted, not {p.column}")
        if min(len(p.x), len(p.x[0])) < 2:
            raise en.Refused("x", "two rows and two columns at least are wanted")
        for name, values in (("row", p.x[p.row - 1]), ("column", column_of(p))):
            if p.eps == 0 and en.flat(values):
                raise en.Refused("x", f"this {name} has equal entries, so with eps = 0 the output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"The rows of $x$ are ${len(p.x)}$ examples with ${len(p.x[0])}$ features each:\n\n"
            f"$$x = {en.tex(p.x)}$$\n\n"
            f"Take the entry in row ${en.tex(p.row)}$, column ${en.tex(p.column)}$ (counted from 1). Give "
            "two numbers, in this order: what it becomes in BatchNorm (training mode), and what it becomes "
            f"in LayerNorm, both with $\\gamma = 1$, $\\beta = 0$ and $\\varepsilon = {en.tex(p.eps)}$."
        )

    def solve(self, p: Params) -> en.Vec:
        down, along = en.moments(column_of(p)).hat(p.eps), en.moments(p.x[p.row - 1]).hat(p.eps)
        return down[p.row - 1], along[p.column - 1]

    def oracle(self, p: Params, torch: Any) -> Any:
        x, norms = torch.tensor(p.x, dtype=torch.float64), torch.nn.functional
        by_batch = norms.batch_norm(x, None, None, training=True, eps=en.nonzero(p.eps))
        by_layer = norms.layer_norm(x, (len(p.x[0]),), eps=p.eps)
        return torch.stack((by_batch, by_layer))[:, p.row - 1, p.column - 1]

    def misconceptions(self, p: Params) -> en.Slips:
        down, along = en.moments(column_of(p)), en.moments(p.x[p.row - 1])
        batch, layer = self.solve(p)
        yield en.Misconception(
            "rows_columns_swapped",
            (layer, batch),
            "That has the two swapped: BatchNorm normalizes down a column (one feature, all examples), "
            "LayerNorm along a row (one example, all features).",
        )
        everything = en.moments([entry for row in p.x for entry in row])
        one_mean = everything.hat(p.eps)[everything.x.index(p.x[p.row - 1][p.column - 1])]
        yield en.Misconception(
            "whole_input_averaged",
            (one_mean, one_mean),
            "That takes one mean and variance of the whole matrix; BatchNorm takes the column, LayerNorm "
            "the row.",
        )
        yield en.Misconception(
            "unbiased_variance",
            (
                en.divided(down.deviations, sqrt(down.unbiased + p.eps))[p.row - 1],
                en.divided(along.deviations, sqrt(along.unbiased + p.eps))[p.column - 1],
            ),
            "That divides by $n - 1$; both layers normalize with the biased variance, divided by $n$.",
        )
        yield en.Misconception(
            "no_scaling",
            (down.deviations[p.row - 1], along.deviations[p.column - 1]),
            "Those are the deviations from the two means; each still has to be divided by its standard "
            "deviation.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "A column is one feature of all examples; a row is one example with all its features. Which "
            "layer looks at which?",
            f"BatchNorm: mean and biased variance of the {len(p.x)} numbers in column {p.column}. LayerNorm: "
            f"of the {len(p.x[0])} numbers in row {p.row}.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        down, along = en.moments(column_of(p)), en.moments(p.x[p.row - 1])
        batch, layer = self.solve(p)
        cells = ", ".join(f"entry(entry(x, {at}), column)" for at in range(1, len(p.x) + 1))
        return (
            en.Step("The column", "down", f"[{cells}]", down.x),
            en.Step("Its mean", "mu1", "mean(down)", down.mean),
            en.Step("Its biased variance", "var1", "mean((down - mu1)^2)", down.var),
            en.Step("BatchNorm", "batchnorm", "(entry(down, row) - mu1)/sqrt(var1 + eps)", batch),
            en.Step("The row", "along", "entry(x, row)", along.x),
            en.Step("Its mean", "mu2", "mean(along)", along.mean),
            en.Step("Its biased variance", "var2", "mean((along - mu2)^2)", along.var),
            en.Step("LayerNorm", "layernorm", "(entry(along, column) - mu2)/sqrt(var2 + eps)", layer),
            en.Step("Both", "outputs", "(batchnorm, layernorm)", (batch, layer)),
        )

    def exact(self, p: Params) -> str | None:
        down, down_square = en.exact_hat(column_of(p), p.eps)
        along, along_square = en.exact_hat(p.x[p.row - 1], p.eps)
        text = f"{down[p.row - 1]}/sqrt({down_square}), {along[p.column - 1]}/sqrt({along_square})"
        return text if len(text) <= 200 else None


def column_of(p: Params) -> en.Vec:
    return tuple(row[p.column - 1] for row in p.x)


FAMILY = RowsAndColumns()
