"""A real token's normalized value with padding in the statistics, and with a mask."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the channel's values at the real tokens", at_least=2)
    pads: int = en.whole("the number of padding tokens, whose values are 0", 0, low=0, high=4096)
    index: int = en.whole("the real token that is asked about, counted from 1", 1, low=1, high=64)


SLIPS = (
    "padding_ignored",
    "padding_counted_in_both",
    "variance_of_real_tokens",
    "parts_swapped",
    "unbiased_variance",
)


class PaddingEntry(en.Family[Params]):
    title = "A token's value with padding and with a mask"
    catalogue = "J8"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("padding-contaminates-statistics", "batchnorm-forward")
    cards = ("card:statistics/why-not-batchnorm-in-transformers", "card:batchnorm/forward-pass")
    requires = ("deployment.padding_statistics",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng)
        return Params(x, rng.integer(1, 4) if level == 1 else rng.integer(3, 8), rng.integer(1, len(x)))

    def validate(self, p: Params) -> None:
        if p.index > len(p.x):
            raise en.Refused("index", f"a place from 1 to {len(p.x)} is wanted, as x has {len(p.x)} entries")
        if en.flat(p.x):
            raise en.Refused("x", "all real tokens are equal, so the masked variance is 0 and x̂ is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"At the real tokens of a batch, one channel has the values $x = {en.tex(p.x)}$. Shorter "
            "sequences "
            f"are filled up with padding tokens, ${en.tex(p.pads)}$ of them, whose values are all 0. "
            "BatchNorm "
            "in training mode has $\\varepsilon = 0$.\n\nWhat is $\\hat x_i$ of real token "
            f"$i = {en.tex(p.index)}$ (counted from 1)? Give two numbers: if the statistics run over all "
            "tokens, and if a mask takes the padding out of them."
        )

    def solve(self, p: Params) -> en.Vec:
        return tuple(en.moments(values).hat()[p.index - 1] for values in (filled(p), p.x))

    def oracle(self, p: Params, torch: Any) -> Any:
        tokens = torch.tensor(filled(p), dtype=torch.float64).reshape(-1, 1)
        real = torch.arange(len(tokens)) < len(p.x)

        def normalized(values: Any) -> Any:
            out = torch.nn.functional.batch_norm(values, None, None, training=True, eps=en.nonzero(0.0))
            return out[p.index - 1, 0]

        return normalized(tokens), normalized(tokens[real])

    def misconceptions(self, p: Params) -> en.Slips:
        with_padding, masked = self.solve(p)
        real, padded, at = en.moments(p.x), en.moments(filled(p)), p.index - 1
        yield en.Misconception(
            "padding_ignored",
            (masked, masked),
            "That leaves the padding out both times; without a mask BatchNorm counts it.",
        )
        yield en.Misconception(
            "padding_counted_in_both",
            (with_padding, with_padding),
            "That counts the padding both times; the mask takes it out of mean and variance.",
        )
        yield en.Misconception(
            "variance_of_real_tokens",
            (padded.deviations[at] / sqrt(real.var), masked),
            "The first number counts the padding in the mean alone; it changes the variance too.",
        )
        yield en.Misconception(
            "parts_swapped",
            (masked, with_padding),
            "The two numbers are right, in the wrong order: first all tokens, then the real ones alone.",
        )
        yield en.Misconception(
            "unbiased_variance",
            (padded.deviations[at] / sqrt(padded.unbiased), real.deviations[at] / sqrt(real.unbiased)),
            "That divides by $n - 1$; BatchNorm normalizes with the biased variance, divided by $n$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "The token is the same both times. Which mean and which variance does it meet?",
            f"$\\hat x_i = \\frac{{x_i - \\mu}}{{\\sigma}}$, with $\\mu$ and $\\sigma$ over "
            f"{len(p.x) + p.pads} values and over {len(p.x)}.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        real, padded = en.moments(p.x), en.moments(filled(p))
        with_padding, masked = self.solve(p)
        return (
            en.Step("All tokens", "count", "len(x) + pads", len(p.x) + p.pads),
            en.Step("Their mean", "mu", "sum(x)/count", padded.mean),
            en.Step("Their biased variance", "var", "(sum((x - mu)^2) + pads*mu^2)/count", padded.var),
            en.Step("With the padding", "all_tokens", "(entry(x, index) - mu)/sqrt(var)", with_padding),
            en.Step("Mean of the real tokens", "mu_real", "mean(x)", real.mean),
            en.Step("Their biased variance", "var_real", "mean((x - mu_real)^2)", real.var),
            en.Step("With the mask", "masked", "(entry(x, index) - mu_real)/sqrt(var_real)", masked),
            en.Step("Both", "values", "(all_tokens, masked)", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        parts = []
        for values in (filled(p), p.x):
            deviations, var = en.exact_hat(values)
            parts.append(f"{deviations[p.index - 1]}/sqrt({var})")
        text = f"({', '.join(parts)})"
        return text if len(text) <= 200 else None


def filled(p: Params) -> en.Vec:
    """Return the channel's values with the padding behind them."""
    return (*p.x, *(0.0,) * p.pads)


FAMILY = PaddingEntry()
