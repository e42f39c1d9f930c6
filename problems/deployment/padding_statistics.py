"""What zero padding does to the statistics of a BatchNorm channel."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the channel's values at the real tokens")
    pads: int = en.whole("the number of padding tokens, whose values are 0", 0, low=0, high=4096)
    asked: str = en.option("who is asked for", ("padded", "masked"), "padded")


PADDED = ("padding_ignored", "variance_of_real_tokens", "variance_diluted", "unbiased_variance")
MASKED = ("padding_counted", "mean_of_all_kept", "variance_rescaled", "unbiased_variance")


class PaddingStatistics(en.Family[Params]):
    title = "Padding in the batch statistics"
    catalogue = "J8"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*PADDED), 2: en.Level(*PADDED), 3: en.Level(*MASKED)}
    covers = ("padding-contaminates-statistics", "masked-statistics", "biased-variance")
    cards = ("card:statistics/why-not-batchnorm-in-transformers", "card:batchnorm/which-variance")
    requires = ("batchnorm.vector",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        asked = "masked" if level == 3 else "padded"
        if level == 1:
            while True:
                x = tuple(map(float, rng.integers(rng.integer(2, 4), 1, 9)))
                pads = rng.integer(1, 4)
                if sum(x) % (len(x) + pads) == 0 and len(set(x)) > 1:
                    return Params(x, pads, asked)
        x = tuple(map(float, rng.integers(rng.integer(3, 5), -4, 9)))
        return Params(x, rng.integer(2, 6), asked)

    def prompt(self, p: Params) -> str:
        asked = (
            "Which mean and which biased variance does BatchNorm in training mode use for this channel? Give "
            "two numbers, the mean first."
            if p.asked == "padded"
            else "A masked BatchNorm averages over the real tokens alone. What does it use as mean and biased "
            "variance of this channel? Give two numbers, the mean first."
        )
        seen = (
            f"At the real tokens of a batch one channel has the values $x = {en.tex(p.x)}$."
            if p.asked == "padded"
            else f"With its padding, one channel of a batch has the values $x = {en.tex(p.x)}$ at the real tokens."
        )
        return f"{seen} The shorter sequences are filled up with ${en.tex(p.pads)}$ padding tokens, all 0.\n\n{asked}"

    def solve(self, p: Params) -> en.Vec:
        m = en.moments(filled(p) if p.asked == "padded" else p.x)
        return m.mean, m.var

    def oracle(self, p: Params, torch: Any) -> Any:
        tokens = torch.tensor(filled(p), dtype=torch.float64).reshape(-1, 1)
        if p.asked == "masked":
            tokens = tokens[torch.arange(len(tokens)) < len(p.x)]
        return tokens.mean(), tokens.var(correction=0)

    def misconceptions(self, p: Params) -> en.Slips:
        return ()


def filled(p: Params) -> en.Vec:
    """Return the channel's values with the padding behind them."""
    return (*p.x, *(0.0,) * p.pads)


FAMILY = PaddingStatistics()
