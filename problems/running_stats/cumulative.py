"""BatchNorm's running statistics with `momentum=None`: a plain average over the batches."""

from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    means: en.Vec = en.vector("the means of the batches")
    variances: en.Vec = en.vector("their biased variances", like="means", fill=1.0)
    sizes: en.Vec = en.vector("how many values each batch has per channel, 2 to 4096", like="means", fill=4.0)
    running_mean: float = en.scalar("the running mean before the first batch", 0.0)
    running_var: float = en.scalar("the running variance before the first batch", 1.0, low=0.0)


SLIPS = ("default_momentum", "start_counted", "biased_running_variance", "replaced", "pooled_variance")


class CumulativeAverage(en.Family[Params]):
    title = "Running statistics with momentum=None"
    catalogue = "B4"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "weighted_by_size")}
    covers = ("cumulative-running-average", "unbiased-running-variance")
    cards = ("card:running_stats/running-statistics", "card:running_stats/two-variances")
    requires = ("running_stats.several_batches",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        count = rng.choice((2, 3, 4))
        means = tuple(map(float, rng.sample(range(-4, 9), count)))
        if level == 2:
            sizes = (float(rng.choice((3, 4, 5))),) * count
        else:
            sizes = tuple(map(float, rng.sample((3, 4, 5, 6, 9, 11), count)))
        tidy = rng.sample(range(1, 7), count)
        variances = tuple(v * (n - 1) / (1 if level == 2 else 2) for v, n in zip(tidy, sizes, strict=True))
        return Params(means, variances, sizes, float(rng.choice((0, 2, -2))), float(rng.choice((1, 2))))

    def validate(self, p: Params) -> None:
        if min(p.variances) < 0:
            raise en.Refused("variances", "variances of 0 or more are wanted")
        if not all(size.is_integer() and 2 <= size <= 4096 for size in p.sizes):
            raise en.Refused("sizes", "whole numbers from 2 to 4096 are wanted: one value has no variance")

    def prompt(self, p: Params) -> str:
        return (
            "A BatchNorm layer was made with `momentum=None`. One of its channels holds the running mean "
            f"$\\hat\\mu = {en.tex(p.running_mean)}$ and the running variance "
            f"$\\hat\\sigma^2 = {en.tex(p.running_var)}$, and it has not seen a batch yet. In training mode "
            f"it sees {len(p.means)} batch{'es' if len(p.means) > 1 else ''}. In order, the batch sizes are "
            f"${en.tex(p.sizes)}$, the means ${en.tex(p.means)}$ and the *biased* variances "
            f"${en.tex(p.variances)}$.\n\n"
            "What are the running statistics afterwards? Give two numbers: the mean, then the variance."
        )

    def solve(self, p: Params) -> en.Vec:
        return en.mean(p.means), en.mean(corrected(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, momentum=None, dtype=torch.float64)
        layer.running_mean.fill_(p.running_mean)
        layer.running_var.fill_(p.running_var)
        with torch.no_grad():
            for mean, var, size in zip(p.means, p.variances, map(int, p.sizes), strict=True):
                # Half of the batch below its mean, half above, an odd one on it.
                half = size // 2
                batch = torch.zeros(size, 1, dtype=torch.float64)
                batch[:half], batch[size - half :] = -1.0, 1.0
                layer(mean + (var * size / (2 * half)) ** 0.5 * batch)
        return torch.cat((layer.running_mean, layer.running_var))

    def misconceptions(self, p: Params) -> en.Slips:
        s2, count, total = corrected(p), len(p.means), fsum(p.sizes)
        mean = en.mean(p.means)
        weighted = weighted_mean(p, p.means)
        spread = weighted_mean(p, tuple((value - weighted) ** 2 for value in p.means))
        yield en.Misconception(
            "default_momentum",
            (moving(p.running_mean, p.means), moving(p.running_var, s2)),
            "That updates with the default momentum 0.1; `None` stands for a plain average over the batches.",
        )
        yield en.Misconception(
            "start_counted",
            (
                (p.running_mean + fsum(p.means)) / (count + 1),
                (p.running_var + fsum(s2)) / (count + 1),
            ),
            "That counts the start values as one more batch; the first batch replaces them altogether.",
        )
        yield en.Misconception(
            "biased_running_variance",
            (mean, en.mean(p.variances)),
            r"Variance: that averages the biased ones; each is first multiplied by $\frac{n}{n-1}$.",
        )
        yield en.Misconception(
            "replaced",
            (p.means[-1], s2[-1]),
            "Those are the last batch's own numbers; all batches count alike.",
        )
        yield en.Misconception(
            "pooled_variance",
            (mean, (weighted_mean(p, p.variances) + spread) * total / (total - 1)),
            "Variance: that is the one of all values taken together; the layer averages the batches' own "
            "variances, without the spread of their means.",
        )
        yield en.Misconception(
            "weighted_by_size",
            (weighted, weighted_mean(p, s2)),
            "That weighs the batches by their sizes; the layer counts batches, and each weighs the same.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "With `momentum=None` the layer takes the plain average over all batches it has seen.",
            r"Batch number $k$ enters with the weight $\frac{1}{k}$, so the first one replaces the start.",
            r"Each batch brings its unbiased variance, $\frac{n}{n-1}\sigma^2$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        s2 = corrected(p)
        return (
            en.Step("The mean of the means", "new_mean", "mean(means)", en.mean(p.means)),
            en.Step("Unbiased variances", "s2", "variances*sizes/(sizes - 1)", s2),
            en.Step("Their mean", "new_var", "mean(s2)", en.mean(s2)),
            en.Step("Both", "stats", "(new_mean, new_var)", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        means, variances, sizes = (
            [Fraction(repr(number)) for number in numbers] for numbers in (p.means, p.variances, p.sizes)
        )
        s2 = [var * size / (size - 1) for var, size in zip(variances, sizes, strict=True)]
        return f"{sum(means) / len(s2)}, {sum(s2) / len(s2)}"


def corrected(p: Params) -> en.Vec:
    """Return the unbiased variances of the batches."""
    return tuple(var * size / (size - 1) for var, size in zip(p.variances, p.sizes, strict=True))


def weighted_mean(p: Params, values: en.Vec) -> float:
    """Return the mean of numbers that belong to the batches, weighted by their sizes."""
    return fsum(size * value for size, value in zip(p.sizes, values, strict=True)) / fsum(p.sizes)


def moving(start: float, values: en.Vec) -> float:
    """Return what updates with the default momentum 0.1 make of a start value."""
    for value in values:
        start = 0.9 * start + 0.1 * value
    return start


FAMILY = CumulativeAverage()
