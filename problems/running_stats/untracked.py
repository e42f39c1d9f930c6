"""BatchNorm without running statistics, called in eval mode."""

from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    index: int = en.whole("which entry is asked for, counted from 1", 1, low=1, high=64)
    gamma: float = en.scalar("the scale γ", 1.0)
    beta: float = en.scalar("the shift β", 0.0)


EPS = 1e-5
ERROR = "none: an error is raised"
SLIPS = ("start_stats", "tracked_all_the_same", "unbiased_variance", "untracked_eval_raises")


class Untracked(en.Family[Params]):
    title = "Eval mode without running statistics"
    catalogue = "B11"
    given = Params
    kind = en.Choice()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("untracked-batchnorm", "eval-mode")
    cards = ("card:running_stats/running-statistics", "card:running_stats/eval-formula")
    requires = ("batchnorm.entry", "running_stats.eval_output")

    def draw(self, level: int, rng: en.Rng) -> Params:
        while True:
            x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng, 3, 5)
            gamma, beta = (1.0, 0.0) if level == 1 else (
                rng.choice((-2.0, 0.5, 2.0, 3.0)), rng.choice((-2.0, -1.0, 1.0, 2.0))
            )  # fmt: skip
            p = Params(x, rng.integer(1, len(x)), gamma, beta)
            if en.flat(x):
                continue
            values = sorted(outputs(p))
            if min(high - low for low, high in pairwise(values)) > 0.05:
                return p

    def validate(self, p: Params) -> None:
        if p.index > len(p.x):
            raise en.Refused("index", f"a place from 1 to {len(p.x)} is wanted, as x has {len(p.x)} entries")
        values = sorted(outputs(p))
        near = min(high - low for low, high in pairwise(values)) < 1e-6
        if near or len(set(map(shown, values))) < 4:
            raise en.Refused("x", "for this entry two of the answers coincide; choose another index or batch")

    def prompt(self, p: Params) -> str:
        return (
            "A `BatchNorm1d` layer is built with `track_running_stats=False` and the default $\\varepsilon = "
            f"10^{{-5}}$; one of its channels has $\\gamma = {en.tex(p.gamma)}$ and $\\beta = "
            f"{en.tex(p.beta)}$. In this channel the batch $x = {en.tex(p.x)}$ passes once in training mode. "
            "Then `.eval()` is called and the same batch passes again.\n\n"
            f"What is output ${en.tex(p.index)}$ (counted from 1) of the second pass, to three digits?"
        )

    def kind_of(self, p: Params) -> en.Choice:
        return en.Choice(options=(*(shown(value) for value in sorted(outputs(p))), ERROR))

    def solve(self, p: Params) -> int:
        return self.kind_of(p).options.index(shown(outputs(p)[0]))

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, track_running_stats=False, dtype=torch.float64)
        with torch.no_grad():
            layer.weight.fill_(p.gamma)
            layer.bias.fill_(p.beta)
            batch = torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1)
            layer(batch)
            try:
                out = layer.eval()(batch)[p.index - 1, 0].item()
            except (RuntimeError, ValueError):
                return 4
        gaps = [abs(value - out) for value in sorted(outputs(p))]
        return gaps.index(min(gaps)) if min(gaps) <= 1e-9 * (1 + abs(out)) else -1

    def misconceptions(self, p: Params) -> en.Slips:
        _, fresh, tracked, unbiased = outputs(p)
        options = self.kind_of(p).options
        yield en.Misconception(
            "start_stats",
            options.index(shown(fresh)),
            "That takes mean 0 and variance 1, where running statistics start. This layer has none, so it "
            "takes the batch's own.",
        )
        yield en.Misconception(
            "tracked_all_the_same",
            options.index(shown(tracked)),
            "That uses running statistics as the first pass would have left them; nothing was tracked.",
        )
        yield en.Misconception(
            "unbiased_variance",
            options.index(shown(unbiased)),
            "That divides by $n - 1$; batch statistics normalize with the variance divided by $n$.",
        )
        yield en.Misconception(
            "untracked_eval_raises",
            4,
            "No error: without running statistics the layer takes the batch's own in eval mode as well.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "What can the layer normalize with, if it stores no running statistics?",
            "Without tracking both modes do the same: they take mean and variance of the batch at hand.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        hat = m.hat(EPS)[p.index - 1]
        return (
            en.Step("Nothing is stored, so eval mode takes the batch's own mean", "mu", "mean(x)", m.mean),
            en.Step("and its biased variance", "var", "mean((x - mu)^2)", m.var),
            en.Step("Normalize", "xhat", "(entry(x, index) - mu)/sqrt(var + 1e-5)", hat),
            en.Step("Scale and shift", "y", "gamma*xhat + beta", outputs(p)[0]),
            en.Step("It is the output of the training pass once more."),
        )


def outputs(p: Params) -> en.Vec:
    """Return the output by batch, start, tracked and unbiased statistics."""
    m, value = en.moments(p.x), p.x[p.index - 1]
    pairs = (
        (m.mean, m.var),
        (0.0, 1.0),
        (0.1 * m.mean, 0.9 + 0.1 * m.unbiased),
        (m.mean, m.unbiased),
    )
    return tuple(p.gamma * (value - mean) / sqrt(var + EPS) + p.beta for mean, var in pairs)


def shown(value: float) -> str:
    """Return a value as the options show it, to three digits."""
    return f"${en.tex(float(f'{value:.3g}') + 0.0)}$"


FAMILY = Untracked()
