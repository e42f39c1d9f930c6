"""A normalized value under gradient accumulation: micro-batches against one large batch."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("one channel's values of the whole batch, in order")
    parts: int = en.whole("the number of micro-batches", 2, low=1, high=32)
    index: int = en.whole("the entry that is asked about, counted from 1", 1, low=1, high=64)


SLIPS = ("accumulation_is_big_batch", "unbiased_variance", "parts_swapped", "statistics_mixed")


class MicroBatches(en.Family[Params]):
    title = "BatchNorm under gradient accumulation"
    catalogue = "J7"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("gradient-accumulation", "batch-coupling")
    cards = ("card:statistics/only-batchnorm-couples", "card:batchnorm/forward-pass")
    requires = ("batchnorm.entry",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            # The entry's own micro-batch is tidy.
            own = en.tidy_batch(rng)
            x = (*own, *map(float, rng.integers(len(own), -6, 12)))
            return Params(x, 2, rng.integer(1, len(own)))
        parts = rng.choice((2, 3))
        x = tuple(map(float, rng.integers(parts * rng.choice((3, 4)), -6, 12)))
        return Params(x, parts, rng.integer(1, len(x)))

    def validate(self, p: Params) -> None:
        if len(p.x) % p.parts or len(p.x) < 2 * p.parts:
            raise en.Refused("parts", f"{len(p.x)} values are to fall into equal parts of two or more")
        if p.index > len(p.x):
            raise en.Refused("index", f"a place from 1 to {len(p.x)} is wanted, as x has {len(p.x)} entries")
        if en.flat(own_part(p)[0]):
            raise en.Refused("x", "the values of that micro-batch are equal, so the variance is 0: 0/0")

    def prompt(self, p: Params) -> str:
        return (
            "A batch is too large for the memory, so it runs through the network as "
            f"${en.tex(p.parts)}$ micro-batches of ${len(p.x) // p.parts}$ examples each, in order, and the "
            "gradients are added up before the step. One BatchNorm channel in training mode "
            f"($\\varepsilon = 0$) has the values $x = {en.tex(p.x)}$ over the whole batch.\n\n"
            f"What is $\\hat x_i$ of entry $i = {en.tex(p.index)}$ (counted from 1)? Give two numbers: with "
            "the micro-batches, and if the whole batch ran at once."
        )

    def solve(self, p: Params) -> en.Vec:
        values, at = own_part(p)
        return en.moments(values).hat()[at], en.moments(p.x).hat()[p.index - 1]

    def oracle(self, p: Params, torch: Any) -> Any:
        batch = torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1)
        layer = torch.nn.BatchNorm1d(1, eps=en.nonzero(0.0), dtype=torch.float64)
        accumulated = torch.vstack([layer(part) for part in batch.chunk(p.parts)])
        return accumulated[p.index - 1, 0], layer(batch)[p.index - 1, 0]

    def misconceptions(self, p: Params) -> en.Slips:
        micro, whole = self.solve(p)
        values, at = own_part(p)
        part, everything = en.moments(values), en.moments(p.x)
        yield en.Misconception(
            "accumulation_is_big_batch",
            (whole, whole),
            "That takes accumulation for one large batch. The gradients add up, but BatchNorm sees one "
            "micro-batch at a time.",
        )
        yield en.Misconception(
            "unbiased_variance",
            (
                part.deviations[at] / sqrt(part.unbiased),
                everything.deviations[p.index - 1] / sqrt(everything.unbiased),
            ),
            "That divides by $n - 1$; BatchNorm normalizes with the biased variance, divided by $n$.",
        )
        yield en.Misconception(
            "parts_swapped",
            (whole, micro),
            "The two numbers are right, in the wrong order: first with micro-batches, then all at once.",
        )
        yield en.Misconception(
            "statistics_mixed",
            (part.deviations[at] / sqrt(everything.var), whole),
            "The first number has the mean of the micro-batch and the variance of the whole batch; both come "
            "from the micro-batch.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Accumulation adds up gradients. Which values go through the layer together?",
            r"$\hat x_i = \frac{x_i - \mu}{\sigma}$, with $\mu$ and $\sigma$ of the entry's own micro-batch, "
            "then of the whole batch.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        size = len(p.x) // p.parts
        first = (p.index - 1) // size * size
        values, _ = own_part(p)
        part, everything = en.moments(values), en.moments(p.x)
        cells = ", ".join(f"entry(x, {first + place})" for place in range(1, size + 1))
        micro, whole = self.solve(p)
        return (
            en.Step("The micro-batch of the entry", "own", f"({cells})", values),
            en.Step("Its mean", "mu", "mean(own)", part.mean),
            en.Step("Its biased variance", "var", "mean((own - mu)^2)", part.var),
            en.Step("With micro-batches", "micro", "(entry(x, index) - mu)/sqrt(var)", micro),
            en.Step("Mean of the whole batch", "mu_all", "mean(x)", everything.mean),
            en.Step("Its biased variance", "var_all", "mean((x - mu_all)^2)", everything.var),
            en.Step("All at once", "whole", "(entry(x, index) - mu_all)/sqrt(var_all)", whole),
            en.Step("A LayerNorm gives the same both times, as it never looks at another example"),
            en.Step("Both", "values", "(micro, whole)", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        values, at = own_part(p)
        parts = []
        for group, place in ((values, at), (p.x, p.index - 1)):
            deviations, var = en.exact_hat(group)
            parts.append(f"{deviations[place]}/sqrt({var})")
        text = f"({', '.join(parts)})"
        return text if len(text) <= 200 else None


def own_part(p: Params) -> tuple[en.Vec, int]:
    """Return the micro-batch of the entry that is asked about, and its place there from 0."""
    size = len(p.x) // p.parts
    first = (p.index - 1) // size * size
    return p.x[first : first + size], p.index - 1 - first


FAMILY = MicroBatches()
