"""Folding an eval-mode BatchNorm into the linear layer that follows it."""

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
    gamma: en.Vec = en.vector("the scale γ of every input", like="weight", across=True, fill=1.0)
    beta: en.Vec = en.vector("the shift β of every input", like="weight", across=True, fill=0.0)
    running_mean: en.Vec = en.vector("the running mean of every input", like="weight", across=True, fill=0.0)
    running_var: en.Vec = en.vector(
        "the running variance of every input", like="weight", across=True, fill=1.0
    )
    eps: float = en.eps()


SLIPS = ("folded_as_after", "bias_unchanged", "shift_skips_weight", "mean_not_scaled", "rows_columns_swapped")


class FoldBefore(en.Family[Params]):
    title = "Folding BatchNorm into the linear layer after it"
    catalogue = "J3"
    given = Params
    kind = en.Matrix()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS, "divided_by_variance"),
        3: en.Level(*SLIPS, "divided_by_variance", "eps_ignored"),
    }
    covers = ("fold-batchnorm-before-linear", "eval-is-affine")
    cards = ("card:running_stats/folding", "card:running_stats/eval-formula")
    requires = ("deployment.fold_linear",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        weight = tuple(tuple(map(float, rng.integers(2, -3, 4))) for _ in range(2))
        gamma = tuple(map(float, rng.sample((-3, -2, -1, 2) if level == 3 else (1, 2, 3, 4), 2)))
        bias, beta, mean = (tuple(map(float, rng.sample((-3, -2, -1, 1, 2, 4), 2))) for _ in range(3))
        eps = rng.choice((0.75, 1.5, 2.25)) if level == 3 else 0.0
        stds = rng.sample(
            {1: (0.5, 1.0, 2.0, 4.0), 2: (0.4, 0.8, 1.5, 2.5)}.get(level, (1.6, 2.0, 2.5, 3.0)), 2
        )
        variances = tuple(round(std * std - eps, 4) for std in stds)
        return Params(weight, bias, gamma, beta, mean, variances, eps)

    def validate(self, p: Params) -> None:
        if min(p.running_var) < 0:
            raise en.Refused("running_var", "a variance is never negative")
        if p.eps == 0 and 0.0 in p.running_var:
            raise en.Refused(
                "running_var", "with eps = 0 a running variance of 0 leaves nothing to divide by"
            )

    def prompt(self, p: Params) -> str:
        return (
            f"A BatchNorm in eval mode, with $\\gamma = {en.tex(p.gamma)}$, $\\beta = {en.tex(p.beta)}$, "
            f"running mean $\\hat\\mu = {en.tex(p.running_mean)}$, running variance $\\hat\\sigma^2 = "
            f"{en.tex(p.running_var)}$ and $\\varepsilon = {en.tex(p.eps)}$, stands *before* a linear layer "
            f"with the bias $b = {en.tex(p.bias)}$ and the weight (stored with one row per output)\n\n"
            f"$${en.tex(p.weight)}$$\n\nWhich single linear layer does both? Give it as `nn.Linear` stores "
            "it: the new weight, with the new bias as one more column on its right, $(W' \\mid b')$."
        )

    def solve(self, p: Params) -> Mat:
        s = factors(p)
        return folded(p, s, through(p, constants(p, s)))

    def oracle(self, p: Params, torch: Any) -> Any:
        # What the two layers do to 0 is the new bias, their Jacobian the new weight.
        outputs, inputs = len(p.weight), len(p.weight[0])
        norm = torch.nn.BatchNorm1d(inputs, eps=p.eps, dtype=torch.float64)
        linear = torch.nn.Linear(inputs, outputs, dtype=torch.float64)
        targets = (linear.weight, linear.bias, norm.weight, norm.bias, norm.running_mean, norm.running_var)
        values = (p.weight, p.bias, p.gamma, p.beta, p.running_mean, p.running_var)
        with torch.no_grad():
            for target, value in zip(targets, values, strict=True):
                target.copy_(torch.tensor(value, dtype=torch.float64))
        both = torch.nn.Sequential(norm, linear).eval()
        origin = torch.zeros(1, inputs, dtype=torch.float64)
        weight = torch.autograd.functional.jacobian(both, origin)[0, :, 0, :]
        return torch.hstack((weight, both(origin).detach().T))

    def misconceptions(self, p: Params) -> en.Slips:
        s = factors(p)
        right = through(p, constants(p, s))
        if len(p.weight) == len(p.weight[0]):
            after = [k * (b - m) + c for k, b, m, c in zip(s, p.bias, p.running_mean, p.beta, strict=True)]
            rows = tuple(tuple(k * cell for cell in row) for k, row in zip(s, p.weight, strict=True))
            yield en.Misconception(
                "folded_as_after",
                tuple((*row, b) for row, b in zip(rows, after, strict=True)),
                "That folds a BatchNorm that follows the layer; this one acts on the inputs.",
            )
            yield en.Misconception(
                "rows_columns_swapped",
                tuple((*row, b) for row, b in zip(rows, right, strict=True)),
                "That scales the rows; $s$ belongs to the inputs, which are the columns here.",
            )
            yield en.Misconception(
                "shift_skips_weight",
                folded(p, s, [b + c for b, c in zip(p.bias, constants(p, s), strict=True)]),
                r"That adds $\beta - s\hat\mu$ to the bias as it is; it comes in with the inputs, so the "
                "weight acts on it.",
            )
        yield en.Misconception(
            "bias_unchanged",
            folded(p, s, p.bias),
            r"That keeps the old bias; the constant $\beta - s\hat\mu$ also passes through the weight.",
        )
        yield en.Misconception(
            "mean_not_scaled",
            folded(p, s, through(p, [c - m for c, m in zip(p.beta, p.running_mean, strict=True)])),
            r"That subtracts the running mean unscaled; the constant is $\beta - s\hat\mu$.",
        )
        pairs = list(zip(p.gamma, p.running_var, strict=True))
        whole = [g / (v + p.eps) if v + p.eps else nan for g, v in pairs]
        yield en.Misconception(
            "divided_by_variance",
            folded(p, whole, through(p, constants(p, whole))),
            r"That divides by the variance; in $s = \gamma/\sqrt{\hat\sigma^2 + \varepsilon}$ it is its "
            "root.",
        )
        bare = [g / sqrt(v) if v else nan for g, v in pairs]
        yield en.Misconception(
            "eps_ignored",
            folded(p, bare, through(p, constants(p, bare))),
            r"That leaves out $\varepsilon$, which eval mode adds to the running variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Write BatchNorm in eval mode as $s x + c$ for every input, and put that into the linear layer.",
            r"$W(s \odot x + c) + b = (W\,\text{diag}(s))\,x + (Wc + b)$ with "
            r"$s = \frac{\gamma}{\sqrt{\hat\sigma^2 + \varepsilon}}$ and $c = \beta - s\hat\mu$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        s = factors(p)
        outputs, inputs = range(1, len(p.weight) + 1), range(1, len(p.weight[0]) + 1)
        shifts = ", ".join(f"sum(entry(weight, {i})*c)" for i in outputs)
        rows = (
            "["
            + ", ".join(f"entry(s, {j})*entry(entry(weight, {i}), {j})" for j in inputs)
            + f", entry(b, {i})]"
            for i in outputs
        )
        return (
            en.Step("Factor of every input", "s", "gamma/sqrt(running_var + eps)", s),
            en.Step("Constant of every input", "c", "beta - s*running_mean", tuple(constants(p, s))),
            en.Step("It passes through the weight", "b", f"bias + [{shifts}]", through(p, constants(p, s))),
            en.Step(
                "Column j of the weight takes the factor of input j; the bias on the right",
                "folded",
                f"[{', '.join(rows)}]",
                self.solve(p),
            ),
        )


def factors(p: Params) -> en.Vec:
    """Return s of every input."""
    return tuple(g / sqrt(v + p.eps) for g, v in zip(p.gamma, p.running_var, strict=True))


def constants(p: Params, s: Sequence[float]) -> list[float]:
    """Return β − s·μ̂ of every input."""
    return [c - k * m for c, k, m in zip(p.beta, s, p.running_mean, strict=True)]


def through(p: Params, constant: Sequence[float]) -> en.Vec:
    """Return the bias plus the weight times a constant input."""
    return tuple(
        b + sum(cell * c for cell, c in zip(row, constant, strict=True))
        for b, row in zip(p.bias, p.weight, strict=True)
    )


def folded(p: Params, s: Sequence[float], bias: Sequence[float]) -> Mat:
    """Return the weight with its columns times `s`, and the bias as a last column."""
    return tuple(
        (*(k * cell for k, cell in zip(s, row, strict=True)), b)
        for row, b in zip(p.weight, bias, strict=True)
    )


FAMILY = FoldBefore()
