"""What zero padding does to the statistics of a BatchNorm channel."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the channel's values at the real tokens")
    pads: int = en.whole("the number of padding tokens, whose values are 0", 0, low=0, high=4096)


SLIPS = ("padding_ignored", "variance_of_real_tokens", "variance_diluted", "unbiased_variance")


class PaddingStatistics(en.Family[Params]):
    title = "Padding in the batch statistics"
    catalogue = "J8"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("padding-contaminates-statistics", "biased-variance")
    cards = ("card:statistics/why-not-batchnorm-in-transformers", "card:batchnorm/which-variance")
    requires = ("batchnorm.vector",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 2:
            return Params(en.untidy_batch(rng), rng.integer(2, 6))
        while True:
            x = tuple(map(float, rng.integers(rng.integer(2, 4), 1, 9)))
            pads = rng.integer(1, 4)
            if sum(x) % (len(x) + pads) == 0 and len(set(x)) > 1:
                return Params(x, pads)

    def validate(self, p: Params) -> None:
        if len(p.x) + p.pads < 2:
            raise en.Refused("x", "BatchNorm in training needs more than one value per channel")

    def prompt(self, p: Params) -> str:
        return (
            f"At the real tokens of a batch, one channel has the values $x = {en.tex(p.x)}$. Shorter "
            "sequences "
            f"are filled up with padding tokens, ${en.tex(p.pads)}$ of them, whose values are all 0. "
            "BatchNorm "
            "in training mode gets the whole batch, without a mask.\n\nWhich mean and which variance does it "
            "normalize this channel with? Give two numbers, the mean first (the variance before ε)."
        )

    def solve(self, p: Params) -> en.Vec:
        m = en.moments(filled(p))
        return m.mean, m.var

    def oracle(self, p: Params, torch: Any) -> Any:
        # With momentum 1 the layer keeps this batch's mean, and its unbiased variance.
        tokens = torch.tensor(filled(p), dtype=torch.float64).reshape(-1, 1)
        layer = torch.nn.BatchNorm1d(1, momentum=1.0, dtype=torch.float64)
        layer(tokens)
        return layer.running_mean[0], layer.running_var[0] * (len(tokens) - 1) / len(tokens)

    def misconceptions(self, p: Params) -> en.Slips:
        real, padded = en.moments(p.x), en.moments(filled(p))
        yield en.Misconception(
            "padding_ignored",
            (real.mean, real.var),
            "Those are the statistics of the real tokens; without a mask BatchNorm counts the padding too.",
        )
        yield en.Misconception(
            "variance_of_real_tokens",
            (padded.mean, real.var),
            "The mean counts the padding and the variance does not; the zeros lie away from the mean and "
            "change the variance too.",
        )
        yield en.Misconception(
            "variance_diluted",
            (padded.mean, real.squares / len(padded.x)),
            "That variance still takes deviations from the mean of the real tokens, and none at the padding; "
            "all deviations are from the new mean.",
        )
        yield en.Misconception(
            "unbiased_variance",
            (padded.mean, padded.unbiased),
            "That divides by $n - 1$; BatchNorm normalizes with the biased variance, divided by $n$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Without a mask a zero is a value like any other. How many values are there?",
            f"Mean and variance run over $n = {len(p.x) + p.pads}$ values; every padding token deviates from "
            r"the new mean by $-\mu$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(filled(p))
        return (
            en.Step("Real and padding tokens", "count", "len(x) + pads", len(p.x) + p.pads),
            en.Step("Mean: the zeros add nothing but count", "mu", "sum(x)/count", m.mean),
            en.Step("Squared deviations of both kinds", "squares", "sum((x - mu)^2) + pads*mu^2", m.squares),
            en.Step("Biased variance", "var", "squares/count", m.var),
            en.Step("Both", "statistics", "(mu, var)", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        deviations, var = en.exact_hat(filled(p))
        text = f"({-deviations[-1]}, {var})" if p.pads else ""
        return text if 0 < len(text) <= 200 else None


def filled(p: Params) -> en.Vec:
    """Return the channel's values with the padding behind them."""
    return (*p.x, *(0.0,) * p.pads)


FAMILY = PaddingStatistics()
