"""The mean that SyncBatchNorm uses when devices hold batches of different sizes."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en

MOST = 2**16


@dataclass(frozen=True, slots=True)
class Params:
    counts: en.Vec = en.vector("how many values of the channel each device holds", at_least=2)
    means: en.Vec = en.vector("their mean on each device", like="counts")


SLIPS = ("plain_average", "sums_for_means", "weights_inverted", "own_device_only")


class SyncMean(en.Family[Params]):
    title = "The mean across devices"
    catalogue = "J4"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("sync-batchnorm",)
    cards = ("card:batchnorm/forward-pass", "card:statistics/batchnorm-image-group")
    requires = ("batchnorm.vector",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        devices = 2 if level == 1 else rng.choice((3, 4))
        sizes = (2, 4, 6, 8, 12) if level == 1 else (3, 5, 7, 8, 12, 16)
        counts = tuple(map(float, rng.sample(sizes, devices)))
        whole = rng.sample([*range(-6, 0), *range(1, 10)], devices)
        return Params(counts, tuple(float(value) if level == 1 else value + 0.5 for value in whole))

    def validate(self, p: Params) -> None:
        if not all(count >= 1 and count.is_integer() for count in p.counts):
            raise en.Refused("counts", "whole numbers from 1 are wanted")
        if sum(p.counts) > MOST:
            raise en.Refused("counts", f"at most {MOST} values in all are tried here")

    def prompt(self, p: Params) -> str:
        return (
            f"SyncBatchNorm runs on ${len(p.counts)}$ devices. In this step they hold $n = "
            f"{en.tex(p.counts)}$ values of a channel, with the means $\\mu = {en.tex(p.means)}$, in this "
            "order.\n\nWhich mean does the layer subtract?"
        )

    def solve(self, p: Params) -> float:
        return en.to_float(total(p) / int(sum(p.counts)))

    def oracle(self, p: Params, torch: Any) -> Any:
        # The whole batch on one device; with momentum 1 the layer keeps its mean.
        parts = (
            torch.full((int(count), 1), value, dtype=torch.float64)
            for count, value in zip(p.counts, p.means, strict=True)
        )
        batch = torch.vstack(tuple(parts))
        layer = torch.nn.BatchNorm1d(1, momentum=1.0, dtype=torch.float64)
        layer(batch)
        return layer.running_mean[0]

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "plain_average",
            en.mean(p.means),
            "That weighs all devices alike; a device with more values counts for more.",
        )
        yield en.Misconception(
            "sums_for_means",
            en.to_float(total(p)),
            "That is the sum of all values; it is still divided by how many there are.",
        )
        inverse = [1 / Fraction(count) for count in p.counts]
        yield en.Misconception(
            "weights_inverted",
            en.to_float(
                sum((w * number(m) for w, m in zip(inverse, p.means, strict=True)), Fraction()) / sum(inverse)
            ),
            "That gives the small devices the large weights; a mean counts as often as it has values.",
        )
        yield en.Misconception(
            "own_device_only",
            p.means[0],
            "That is the first device's own mean, as in plain BatchNorm; here one mean serves all devices.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "The layer acts as if all values lay on one device. What is their sum, how many are there?",
            r"$\mu = \frac{\sum_d n_d \mu_d}{\sum_d n_d}$: each device's mean, weighted by its count.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("Sum of all values", "total", "sum(counts*means)", en.to_float(total(p))),
            en.Step("How many there are", "n", "sum(counts)", sum(p.counts)),
            en.Step("Mean", "mu", "total/n", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        text = str(total(p) / int(sum(p.counts)))
        return text if len(text) <= 200 else None


def number(value: float) -> Fraction:
    """Return the number as it is displayed, without loss."""
    return Fraction(repr(value))


def total(p: Params) -> Fraction:
    """Return the sum of all values on all devices."""
    return sum((int(count) * number(m) for count, m in zip(p.counts, p.means, strict=True)), Fraction())


FAMILY = SyncMean()
