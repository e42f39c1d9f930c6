"""Folding an eval-mode BatchNorm into the convolution before it, for one filter."""

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    weight: Mat = en.matrix("one filter: a row per input channel, a column per tap", square=False)
    index: int = en.whole("the output channel of this filter, counted from 1", 1, low=1, high=8)
    bias: float = en.scalar("the bias of the filter; 0 stands for bias=False", 0.0)
    gamma: en.Vec = en.vector("the scale γ of every output channel", like="weight", fill=1.0)
    beta: en.Vec = en.vector("the shift β of every output channel", like="weight", fill=0.0)
    running_mean: en.Vec = en.vector("the running mean of every output channel", like="weight", fill=0.0)
    running_var: en.Vec = en.vector("the running variance of every output channel", like="weight", fill=1.0)
    eps: float = en.eps()


SLIPS = ("input_channel_scaled", "bias_dropped", "mean_not_scaled", "divided_by_variance", "other_channel")


class FoldConv(en.Family[Params]):
    title = "Folding BatchNorm into a convolution"
    catalogue = "J2"
    given = Params
    kind = en.Vector()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS, "bias_not_scaled"),
        3: en.Level(*SLIPS, "bias_not_scaled", "eps_ignored"),
    }
    covers = ("fold-batchnorm-conv", "eval-is-affine")
    cards = ("card:running_stats/folding", "card:running_stats/eval-formula")
    requires = ("deployment.fold_linear",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        taps = 2 if level == 1 else 3
        weight = tuple(tuple(map(float, rng.integers(taps, -3, 4))) for _ in range(2))
        gamma = tuple(map(float, rng.sample((-3, -2, -1, 2) if level == 3 else (1, 2, 3, 4), 2)))
        beta, mean = (tuple(map(float, rng.sample((-3, -2, -1, 1, 2, 4), 2))) for _ in range(2))
        bias = 0.0 if level == 1 else float(rng.choice((-3, -2, -1, 1, 2, 3)))
        eps = rng.choice((0.75, 1.5, 2.25)) if level == 3 else 0.0
        stds = rng.sample({1: (0.5, 2.0, 4.0), 2: (0.4, 0.8, 1.5, 2.5)}.get(level, (1.6, 2.0, 2.5, 3.0)), 2)
        variances = tuple(round(std * std - eps, 4) for std in stds)
        return Params(weight, rng.integer(1, 2), bias, gamma, beta, mean, variances, eps)

    def validate(self, p: Params) -> None:
        channels = len(p.weight)
        if p.index > channels:
            raise en.Refused("index", f"the convolution has {channels} output channels")
        if min(p.running_var) < 0:
            raise en.Refused("running_var", "a variance is never negative")
        if p.eps == 0 and 0.0 in p.running_var:
            raise en.Refused(
                "running_var", "with eps = 0 a running variance of 0 leaves nothing to divide by"
            )

    def prompt(self, p: Params) -> str:
        channels, taps = len(p.weight), len(p.weight[0])
        bias = (
            f"The filter has the bias $b = {en.tex(p.bias)}$."
            if p.bias
            else f"The convolution was built with `bias=False`, so $b = {en.tex(p.bias)}$."
        )
        return (
            f"A `Conv1d` has ${channels}$ input and as many output channels. Its filter for output channel "
            f"${en.tex(p.index)}$ (counted from 1) has a row per input channel and a column per tap:\n\n"
            f"$${en.tex(p.weight)}$$\n\n{bias} A BatchNorm in eval mode follows, with $\\gamma = "
            f"{en.tex(p.gamma)}$, $\\beta = {en.tex(p.beta)}$, running mean $\\hat\\mu = "
            f"{en.tex(p.running_mean)}$, running variance $\\hat\\sigma^2 = {en.tex(p.running_var)}$ and "
            f"$\\varepsilon = {en.tex(p.eps)}$.\n\nFold it into the convolution. Give "
            f"${channels * taps + 1}$ numbers: the new filter of that output channel row by row, then its "
            "new bias."
        )

    def solve(self, p: Params) -> en.Vec:
        s = factors(p)[p.index - 1]
        return folded(p, s, s * (p.bias - p.running_mean[p.index - 1]) + p.beta[p.index - 1])

    def oracle(self, p: Params, torch: Any) -> Any:
        # What the two layers do to 0 is the new bias, their derivative by the window the new taps.
        channels, taps = len(p.weight), len(p.weight[0])
        conv = torch.nn.Conv1d(channels, channels, taps, dtype=torch.float64)
        norm = torch.nn.BatchNorm1d(channels, eps=p.eps, dtype=torch.float64)
        with torch.no_grad():
            conv.weight[p.index - 1] = torch.tensor(p.weight, dtype=torch.float64)
            conv.bias[p.index - 1] = p.bias
            for target, value in (
                (norm.weight, p.gamma),
                (norm.bias, p.beta),
                (norm.running_mean, p.running_mean),
                (norm.running_var, p.running_var),
            ):
                target.copy_(torch.tensor(value, dtype=torch.float64))
        window = torch.zeros(1, channels, taps, dtype=torch.float64, requires_grad=True)
        value = norm.eval()(conv(window))[0, p.index - 1, 0]
        return torch.cat((torch.autograd.grad(value, window)[0].ravel(), value.detach().reshape(1)))

    def misconceptions(self, p: Params) -> en.Slips:
        at, right = p.index - 1, self.solve(p)
        every = factors(p)
        s, mean, beta = every[at], p.running_mean[at], p.beta[at]
        yield en.Misconception(
            "input_channel_scaled",
            (*(k * cell for k, row in zip(every, p.weight, strict=True) for cell in row), right[-1]),
            "That scales the rows, the input channels, each by its own factor; BatchNorm sees output "
            "channels, so the whole filter takes the one factor of its output.",
        )
        yield en.Misconception(
            "bias_dropped",
            (*right[:-1], 0.0),
            r"That keeps the layer without a bias; even where there was none, $\beta - s\hat\mu$ is left.",
        )
        yield en.Misconception(
            "mean_not_scaled",
            (*right[:-1], s * p.bias - mean + beta),
            r"That subtracts the running mean unscaled; it is subtracted before $s$ acts: "
            r"$b' = s(b - \hat\mu) + \beta$.",
        )
        yield en.Misconception(
            "bias_not_scaled",
            (*right[:-1], p.bias - s * mean + beta),
            r"That leaves the old bias unscaled; BatchNorm acts on it too: $b' = s(b - \hat\mu) + \beta$.",
        )
        for belief, other, why in self._factors(p):
            yield en.Misconception(belief, folded(p, other, other * (p.bias - mean) + beta), why)
        if len(p.weight) > 1:
            near = (at + 1) % len(p.weight)
            yield en.Misconception(
                "other_channel",
                folded(p, every[near], every[near] * (p.bias - p.running_mean[near]) + p.beta[near]),
                "That takes the numbers of another channel; the filter's own output channel counts.",
            )

    def _factors(self, p: Params) -> tuple[tuple[str, float, str], ...]:
        gamma, var = p.gamma[p.index - 1], p.running_var[p.index - 1]
        return (
            (
                "divided_by_variance",
                gamma / (var + p.eps) if var + p.eps else nan,
                r"That divides by the variance; in $s = \gamma/\sqrt{\hat\sigma^2 + \varepsilon}$ it is "
                "its root.",
            ),
            (
                "eps_ignored",
                gamma / sqrt(var) if var else nan,
                r"That leaves out $\varepsilon$, which is added to the running variance inside the root.",
            ),
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "In eval mode BatchNorm multiplies an output channel by a constant and adds another.",
            r"With $s = \frac{\gamma}{\sqrt{\hat\sigma^2 + \varepsilon}}$ of that output channel the output "
            r"is $s(z - \hat\mu) + \beta$. Put $z = (\text{filter}) * x + b$ in.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        right = self.solve(p)
        s = factors(p)[p.index - 1]
        rows = range(1, len(p.weight) + 1)
        taps = range(1, len(p.weight[0]) + 1)
        cells = [f"entry(entry(taps, {i}), {j})" for i in rows for j in taps]
        return (
            en.Step(
                "Factor of this output channel",
                "s",
                "entry(gamma, index)/sqrt(entry(running_var, index) + eps)",
                s,
            ),
            en.Step(
                "The whole filter takes it",
                "taps",
                "s*weight",
                tuple(tuple(s * cell for cell in row) for row in p.weight),
            ),
            en.Step(
                "The new bias",
                "b",
                "s*(bias - entry(running_mean, index)) + entry(beta, index)",
                right[-1],
            ),
            en.Step("In the order asked for", "folded", f"({', '.join([*cells, 'b'])})", right),
        )


def factors(p: Params) -> en.Vec:
    """Return s of every output channel."""
    return tuple(g / sqrt(v + p.eps) for g, v in zip(p.gamma, p.running_var, strict=True))


def folded(p: Params, s: float, bias: float) -> en.Vec:
    """Return the filter times `s`, row by row, then the bias."""
    return (*(s * cell for row in p.weight for cell in row), bias)


FAMILY = FoldConv()
