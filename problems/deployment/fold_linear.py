"""Folding an eval-mode BatchNorm into the linear layer before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    weight: Mat = en.matrix("the weight as nn.Linear stores it, one row per output", square=False)
    bias: en.Vec = en.vector("the bias of the linear layer", like="weight", fill=0.0)
    gamma: en.Vec = en.vector("the scale γ of every output channel", like="weight", fill=1.0)
    beta: en.Vec = en.vector("the shift β of every output channel", like="weight", fill=0.0)
    running_mean: en.Vec = en.vector("the running mean of every output channel", like="weight", fill=0.0)
    running_var: en.Vec = en.vector("the running variance of every output channel", like="weight", fill=1.0)
    eps: float = en.eps()
    layout: str = en.option("how W is to be written", ("linear", "row"), "linear")


SLIPS = ("bias_not_scaled", "mean_not_scaled", "rows_columns_swapped", "divided_by_variance", "other_layout")


class FoldLinear(en.Family[Params]):
    title = "Folding BatchNorm into the linear layer before it"
    catalogue = "J1"
    given = Params
    kind = en.Matrix()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("fold-batchnorm-linear", "fold-layout", "eval-is-affine")
    cards = ("card:running_stats/folding", "card:running_stats/eval-formula")
    requires = ("running_stats.eval_output",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        weight = tuple(tuple(map(float, rng.integers(2, -3, 4))) for _ in range(2))
        stds = rng.sample((0.5, 2.0, 4.0, 5.0) if level == 1 else (0.2, 0.4, 0.8, 1.5, 3.0), 2)
        variances = tuple(round(std * std, 2) for std in stds)
        signs = (-1, 1, 2, 3) if level < 3 else (-3, -2, -1, 2)
        gamma = tuple(map(float, rng.sample(signs, 2)))
        bias, beta, mean = (tuple(map(float, rng.sample((-3, -2, -1, 1, 2, 4), 2))) for _ in range(3))
        if level == 3:
            # σ² + ε is a square, and ε a visible part of it.
            eps = rng.choice((0.75, 1.5, 2.25))
            variances = tuple(std * std - eps for std in rng.sample((1.6, 2.0, 2.5, 3.0), 2))
            variances = tuple(round(value, 4) for value in variances)
            return Params(weight, bias, gamma, beta, mean, variances, eps, rng.choice(("linear", "row")))
        return Params(weight, bias, gamma, beta, mean, variances, 0.0, rng.choice(("linear", "row")))

    def validate(self, p: Params) -> None:
        if min(p.running_var) < 0:
            raise en.Refused("running_var", "a variance is never negative")
        if p.eps == 0 and 0.0 in p.running_var:
            raise en.Refused(
                "running_var", "with eps = 0 a running variance of 0 leaves nothing to divide by"
            )

    def prompt(self, p: Params) -> str:
        if p.layout == "linear":
            asked = (
                "Give the folded layer as `nn.Linear` stores it: the new weight, with the new bias as one "
                "more column on its right, $(W' \\mid b')$."
            )
        else:
            asked = (
                "Give the folded layer for row vectors, $z = xW' + b'$, where $W'$ has one *column* per "
                "output: the new matrix, with the new bias as one more row below it."
            )
        return (
            "A linear layer has the weight (stored with one row per output)\n\n"
            f"$${en.tex(p.weight)}$$\n\n"
            f"and the bias $b = {en.tex(p.bias)}$. A BatchNorm in eval mode follows, with $\\gamma = "
            f"{en.tex(p.gamma)}$, $\\beta = {en.tex(p.beta)}$, running mean $\\hat\\mu = "
            f"{en.tex(p.running_mean)}$, running variance $\\hat\\sigma^2 = {en.tex(p.running_var)}$ and "
            f"$\\varepsilon = {en.tex(p.eps)}$.\n\nWhich single linear layer does both? {asked}"
        )

    def solve(self, p: Params) -> Mat:
        s = factors(p)
        return laid_out(p, scaled(p, s), shifted(p, s))

    def oracle(self, p: Params, torch: Any) -> Any:
        # What the two layers do to 0 is the new bias, their Jacobian the new weight.
        outputs, inputs = len(p.weight), len(p.weight[0])
        linear = torch.nn.Linear(inputs, outputs, dtype=torch.float64)
        norm = torch.nn.BatchNorm1d(outputs, eps=p.eps, dtype=torch.float64)
        targets = (linear.weight, linear.bias, norm.weight, norm.bias, norm.running_mean, norm.running_var)
        values = (p.weight, p.bias, p.gamma, p.beta, p.running_mean, p.running_var)
        with torch.no_grad():
            for target, value in zip(targets, values, strict=True):
                target.copy_(torch.tensor(value, dtype=torch.float64))
        both = torch.nn.Sequential(linear, norm).eval()
        origin = torch.zeros(1, inputs, dtype=torch.float64)
        weight = torch.autograd.functional.jacobian(both, origin)[0, :, 0, :]
        stacked = torch.hstack((weight, both(origin).detach().T))
        return stacked if p.layout == "linear" else stacked.T

    def misconceptions(self, p: Params) -> en.Slips:
        s = factors(p)
        weight, bias = scaled(p, s), shifted(p, s)
        yield en.Misconception(
            "bias_not_scaled",
            laid_out(
                p,
                weight,
                [b - k * m + c for b, k, m, c in zip(p.bias, s, p.running_mean, p.beta, strict=True)],
            ),
            r"That leaves the old bias unscaled; BatchNorm acts on it too: $b' = s(b - \hat\mu) + \beta$.",
        )
        yield en.Misconception(
            "mean_not_scaled",
            laid_out(
                p,
                weight,
                [b * k - m + c for b, k, m, c in zip(p.bias, s, p.running_mean, p.beta, strict=True)],
            ),
            r"That subtracts the running mean unscaled; it is subtracted before $s$ acts: "
            r"$b' = s(b - \hat\mu) + \beta$.",
        )
        if len(p.weight) == len(p.weight[0]):
            swapped = [[k * cell for k, cell in zip(s, row, strict=True)] for row in p.weight]
            yield en.Misconception(
                "rows_columns_swapped",
                laid_out(p, swapped, bias),
                "That scales by inputs; $s$ belongs to the outputs, which are the "
                + ("rows here." if p.layout == "linear" else "columns here."),
            )
            yield en.Misconception(
                "other_layout",
                laid_out(p, list(zip(*weight, strict=True)), bias),
                "The numbers are right and the matrix is transposed: outputs are "
                + ("rows here." if p.layout == "linear" else "columns here."),
            )
        whole = [g / (v + p.eps) if v + p.eps else nan for g, v in zip(p.gamma, p.running_var, strict=True)]
        yield en.Misconception(
            "divided_by_variance",
            laid_out(p, scaled(p, whole), shifted(p, whole)),
            r"That divides by the variance; in $s = \gamma/\sqrt{\hat\sigma^2 + \varepsilon}$ it is its "
            "root.",
        )
        bare = [g / sqrt(v) if v else nan for g, v in zip(p.gamma, p.running_var, strict=True)]
        yield en.Misconception(
            "eps_ignored",
            laid_out(p, scaled(p, bare), shifted(p, bare)),
            r"That leaves out $\varepsilon$, which eval mode adds to the running variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        lines = "row" if p.layout == "linear" else "column"
        return (
            "In eval mode BatchNorm multiplies every output by a constant and adds another. Write down both.",
            r"With $s = \frac{\gamma}{\sqrt{\hat\sigma^2 + \varepsilon}}$ the output is $s(z - \hat\mu) + "
            r"\beta$. Put $z$ of the linear layer in, old bias and all.",
            f"Each {lines} of the matrix belongs to one output and takes that output's $s$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        s = factors(p)
        weight, bias = scaled(p, s), shifted(p, s)
        steps = (
            en.Step("Factor of every output", "s", "gamma/sqrt(running_var + eps)", s),
            en.Step(
                "Every output's row of the weight takes its factor", "scaled", "s*weight", as_matrix(weight)
            ),
            en.Step("The new bias", "b", "s*(bias - running_mean) + beta", tuple(bias)),
        )
        outputs, inputs = range(1, len(p.weight) + 1), range(1, len(p.weight[0]) + 1)
        cells = [[f"entry(entry(scaled, {i}), {j})" for j in inputs] for i in outputs]
        if p.layout == "linear":
            rows = [
                "[" + ", ".join([*row, f"entry(b, {i})"]) + "]" for i, row in zip(outputs, cells, strict=True)
            ]
            text = "Side by side"
        else:
            rows = ["[" + ", ".join(column) + "]" for column in zip(*cells, strict=True)]
            rows.append("[" + ", ".join(f"entry(b, {i})" for i in outputs) + "]")
            text = "For row vectors the matrix is the transpose, so s scales its columns; the bias below"
        return (*steps, en.Step(text, "folded", f"[{', '.join(rows)}]", self.solve(p)))


def factors(p: Params) -> en.Vec:
    """Return s of every output."""
    return tuple(g / sqrt(v + p.eps) for g, v in zip(p.gamma, p.running_var, strict=True))


def scaled(p: Params, s: Sequence[float]) -> list[en.Vec]:
    """Return the weight with every output's row times its factor."""
    return [tuple(k * cell for cell in row) for k, row in zip(s, p.weight, strict=True)]


def shifted(p: Params, s: Sequence[float]) -> list[float]:
    """Return the folded bias."""
    return [k * (b - m) + c for k, b, m, c in zip(s, p.bias, p.running_mean, p.beta, strict=True)]


def as_matrix(rows: Sequence[Sequence[float]]) -> Mat:
    """Return rows as a matrix."""
    return tuple(map(tuple, rows))


def laid_out(p: Params, weight: Sequence[Sequence[float]], bias: Sequence[float]) -> Mat:
    """Return weight and bias, given by outputs, in the layout that is asked for."""
    stored = [(*row, b) for row, b in zip(weight, bias, strict=True)]
    return as_matrix(stored if p.layout == "linear" else list(zip(*stored, strict=True)))


FAMILY = FoldLinear()
