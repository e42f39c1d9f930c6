"""The variance that SyncBatchNorm uses, from the devices' counts, means and variances."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en

MOST = 2**16


@dataclass(frozen=True, slots=True)
class Params:
    counts: en.Vec = en.vector("how many values of the channel each device holds", at_least=2)
    means: en.Vec = en.vector("their mean on each device", like="counts")
    variances: en.Vec = en.vector("their biased variance on each device", like="counts")
    asked: str = en.option("which variance", ("normalize", "running"), "normalize")


SLIPS = ("plain_average", "spread_of_means_forgotten", "unweighted")


class SyncVariance(en.Family[Params]):
    title = "The variance across devices"
    catalogue = "J5"
    given = Params
    kind = en.Number()
    levels = {
        1: en.Level(*SLIPS, "unbiased_variance", "spread_not_squared"),
        2: en.Level(*SLIPS, "unbiased_variance"),
        3: en.Level(*SLIPS, "biased_running_variance", "unbiased_per_device"),
    }
    covers = ("sync-batchnorm", "unbiased-running-variance")
    cards = ("card:batchnorm/which-variance", "card:running_stats/two-variances")
    requires = ("deployment.sync_mean", "running_stats.variance")

    def draw(self, level: int, rng: en.Rng) -> Params:
        asked = "running" if level == 3 else "normalize"
        if level == 1:
            while True:
                # Means that lie a whole number from the common mean, so that the answer stays tidy.
                counts = tuple(map(float, rng.sample((2, 4, 6, 8, 12), 2)))
                step = rng.integer(1, 3)
                first = rng.integer(-3, 3)
                pair = (float(first), float(first + rng.choice((-2, 2)) * step))
                variances = tuple(map(float, rng.sample((1, 2, 3, 4, 5, 6, 8), 2)))
                p = Params(counts, pair, variances, asked)
                if centre(p).denominator == 1:
                    return p
        devices = rng.choice((2, 3))
        sizes = (3, 4, 5, 6) if level == 3 else (3, 5, 6, 8, 10, 12)
        counts = tuple(map(float, rng.sample(sizes, devices)))
        means = tuple(map(float, rng.sample(range(-4, 6), devices)))
        return Params(counts, means, tuple(map(float, rng.sample(range(1, 10), devices))), asked)

    def validate(self, p: Params) -> None:
        if not all(count >= 1 and count.is_integer() for count in p.counts):
            raise en.Refused("counts", "whole numbers from 1 are wanted")
        if sum(p.counts) > MOST:
            raise en.Refused("counts", f"at most {MOST} values in all are tried here")
        if min(p.variances) < 0:
            raise en.Refused("variances", "a variance is never negative")
        if any(count == 1 and var for count, var in zip(p.counts, p.variances, strict=True)):
            raise en.Refused("variances", "a device with one value has the variance 0")

    def prompt(self, p: Params) -> str:
        asked = (
            "Which variance (before ε) does the layer normalize with?"
            if p.asked == "normalize"
            else "Which variance of this step does the layer mix into its running variance?"
        )
        return (
            f"SyncBatchNorm runs on ${len(p.counts)}$ devices. In this step they hold $n = "
            f"{en.tex(p.counts)}$ values of a channel, with the means $\\mu = {en.tex(p.means)}$ and the "
            f"biased variances $\\sigma^2 = {en.tex(p.variances)}$ (each divided by its own $n$), in this "
            "order.\n\n"
            f"{asked}"
        )

    def solve(self, p: Params) -> float:
        return en.to_float(squares(p) / (int(sum(p.counts)) - (p.asked == "running")))

    def oracle(self, p: Params, torch: Any) -> Any:
        # The whole batch on one device; with momentum 1 the layer keeps its unbiased variance.
        parts = []
        for count, centre, var in zip(p.counts, p.means, p.variances, strict=True):
            spread = torch.linspace(-1.0, 1.0, int(count), dtype=torch.float64)
            if var:
                spread = spread * (var / spread.var(correction=0)).sqrt()
            parts.append(centre + (spread if var else 0 * spread))
        batch = torch.cat(parts).reshape(-1, 1)
        if p.asked == "normalize":
            return batch.var(correction=0)
        layer = torch.nn.BatchNorm1d(1, momentum=1.0, dtype=torch.float64)
        layer(batch)
        return layer.running_var[0]

    def misconceptions(self, p: Params) -> en.Slips:
        total = int(sum(p.counts))
        within = sum((int(n) * number(v) for n, v in zip(p.counts, p.variances, strict=True)), Fraction())
        running = p.asked == "running"
        yield en.Misconception(
            "plain_average",
            en.mean(p.variances),
            "That averages the variances, all devices alike; larger ones count for more, and the spread of "
            "the means is missing.",
        )
        yield en.Misconception(
            "spread_of_means_forgotten",
            en.to_float(within / (total - running)),
            "That weighs the variances by their counts but leaves out how far the devices' means lie apart.",
        )
        middle = sum(map(number, p.means), Fraction()) / len(p.means)
        pairs = list(zip(p.means, p.variances, strict=True))
        yield en.Misconception(
            "unweighted",
            en.to_float(
                sum((number(v) + (number(m) - middle) ** 2 for m, v in pairs), Fraction())
                / len(pairs)
                * (Fraction(total, total - 1) if running else 1)
            ),
            "That weighs all devices alike; each counts with its number of values, in the mean as well.",
        )
        yield en.Misconception(
            "spread_not_squared",
            en.to_float(
                (
                    within
                    + sum(
                        (int(n) * abs(number(m) - centre(p)) for n, m in zip(p.counts, p.means, strict=True)),
                        Fraction(),
                    )
                )
                / total
            ),
            "That adds how far the means lie from the common one; what is added is the square of it.",
        )
        if running:
            yield en.Misconception(
                "biased_running_variance",
                en.to_float(squares(p) / total),
                "That divides by the number of all values; the running variance takes the unbiased one, "
                "divided by one less.",
            )
            yield en.Misconception(
                "unbiased_per_device",
                en.to_float(squares(p) / (total - len(p.counts))) if total > len(p.counts) else float("nan"),
                "That takes 1 off for every device; the batch is one, so 1 comes off once.",
            )
        else:
            yield en.Misconception(
                "unbiased_variance",
                en.to_float(squares(p) / (total - 1)),
                "That divides by one less than the number of values; for normalizing it is the biased "
                "variance.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        last = "" if p.asked == "normalize" else " And which divisor does the running variance have?"
        return (
            "The layer acts as if all values lay on one device. Would their variance be the same if all the "
            f"devices' means were equal?{last}",
            r"Around the common mean $\mu$ a device's squares sum to $n_d(\sigma_d^2 + (\mu_d - \mu)^2)$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        less = " - 1" if p.asked == "running" else ""
        text = "Unbiased: divide by one less" if less else "Biased: divide by their number"
        return (
            en.Step("Number of all values", "n", "sum(counts)", sum(p.counts)),
            en.Step("The common mean", "mu", "sum(counts*means)/n", en.to_float(centre(p))),
            en.Step(
                "Squared deviations from it, device by device",
                "squares",
                "sum(counts*(variances + (means - mu)^2))",
                en.to_float(squares(p)),
            ),
            en.Step(text, "var", f"squares/(n{less})" if less else "squares/n", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        text = str(squares(p) / (int(sum(p.counts)) - (p.asked == "running")))
        return text if len(text) <= 200 else None


def number(value: float) -> Fraction:
    """Return the number as it is displayed, without loss."""
    return Fraction(repr(value))


def centre(p: Params) -> Fraction:
    """Return the mean of all values."""
    return sum((int(n) * number(m) for n, m in zip(p.counts, p.means, strict=True)), Fraction()) / int(
        sum(p.counts)
    )


def squares(p: Params) -> Fraction:
    """Return the sum of all squared deviations from the common mean."""
    middle = centre(p)
    return sum(
        (
            int(n) * (number(v) + (number(m) - middle) ** 2)
            for n, m, v in zip(p.counts, p.means, p.variances, strict=True)
        ),
        Fraction(),
    )


FAMILY = SyncVariance()
