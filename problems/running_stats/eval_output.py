"""BatchNorm's output in eval mode, after one training step has moved the running statistics."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the training batch of one channel")
    momentum: float = en.scalar("PyTorch's momentum, the weight of the new batch", 0.1, low=0.0, high=1.0)
    running_mean: float = en.scalar("the running mean before the step", 0.0)
    running_var: float = en.scalar("the running variance before the step", 1.0, low=0.0)
    gamma: float = en.scalar("the scale γ", 1.0)
    beta: float = en.scalar("the shift β", 0.0)
    eps: float = en.eps()
    query: float = en.scalar("the input in eval mode")


SLIPS = (
    "batch_stats_in_eval",
    "biased_running_variance",
    "keras_momentum",
    "divided_by_variance",
    "start_stats",
)

SQUARE_AFTER = {5.0: ((0.2, 3.75),), 12.0: ((0.25, 8.0),), 20.0: ((0.2, 6.25), (0.2, 15.0))}
"""By unbiased batch variance: momentum and start that make the new running variance 4, 9, 9 or 16."""


class EvalOutput(en.Family[Params]):
    title = "Eval output after one training step"
    catalogue = "B5"
    given = Params
    kind = en.Number()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS, "affine_dropped"),
        3: en.Level(*SLIPS, "affine_dropped", "eps_ignored"),
    }
    covers = ("eval-mode", "running-mean-update", "running-variance-update", "train-eval-difference")
    cards = (
        "card:running_stats/running-statistics",
        "card:running_stats/two-variances",
        "card:running_stats/eval-formula",
    )
    requires = ("running_stats.mean", "running_stats.variance")
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        query, start = float(rng.integer(-6, 12)), rng.choice((-2.0, -1.0, 1.0, 2.0))
        if level == 1:
            x = en.tidy_batch(rng)
            while en.moments(x).unbiased not in SQUARE_AFTER:
                x = en.tidy_batch(rng)
            momentum, var = rng.choice(SQUARE_AFTER[en.moments(x).unbiased])
            return Params(x, momentum, start, var, 1.0, 0.0, 0.0, query)
        x = en.untidy_batch(rng) if level == 2 else en.untidy_batch(rng, 5, 8)
        momentum, var = rng.choice((0.1, 0.2, 0.25)), rng.choice((0.5, 1.0, 2.0))
        gamma = rng.choice((0.5, 2.0, 3.0) if level == 2 else (-0.5, -2.0, -3.0))
        beta = rng.choice((-2.0, -1.0, 1.0, 2.0))
        visible = rng.choice((0.5, 1.0, 2.0)) if level == 3 else 0.0
        return Params(x, momentum, start, var, gamma, beta, visible, query)

    def validate(self, p: Params) -> None:
        if self._after(p)[1] + p.eps == 0:
            raise en.Refused(
                "running_var", "the running variance is 0 after the step, and eval mode divides by its root"
            )

    def _after(self, p: Params) -> tuple[float, float]:
        """Return the running mean and variance after the training step."""
        m, batch = p.momentum, en.moments(p.x)
        return (1 - m) * p.running_mean + m * batch.mean, (1 - m) * p.running_var + m * batch.unbiased

    def prompt(self, p: Params) -> str:
        return (
            f"A BatchNorm channel has $\\gamma = {en.tex(p.gamma)}$, $\\beta = {en.tex(p.beta)}$ and "
            f"$\\varepsilon = {en.tex(p.eps)}$. It holds the running mean "
            f"$\\hat\\mu = {en.tex(p.running_mean)}$, the running variance "
            f"$\\hat\\sigma^2 = {en.tex(p.running_var)}$ and PyTorch's momentum "
            f"$m = {en.tex(p.momentum)}$. In training mode it sees the batch $x = {en.tex(p.x)}$ once; "
            "then it is switched to eval mode.\n\n"
            f"What does it output for the input $q = {en.tex(p.query)}$?"
        )

    def solve(self, p: Params) -> float:
        deviation, square = exactly(p)
        gamma, beta = Fraction(repr(p.gamma)), Fraction(repr(p.beta))
        return en.surd(gamma * deviation / square, square, beta)

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, en.nonzero(p.eps), p.momentum, dtype=torch.float64)
        layer.running_mean.fill_(p.running_mean)
        layer.running_var.fill_(p.running_var)
        with torch.no_grad():
            layer.weight.fill_(p.gamma)
            layer.bias.fill_(p.beta)
            layer(torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1))
            layer.eps = p.eps  # eval mode takes 0 as it is
            return layer.eval()(torch.tensor([[p.query]], dtype=torch.float64))[0, 0]

    def misconceptions(self, p: Params) -> en.Slips:
        batch, (mean, var), m = en.moments(p.x), self._after(p), p.momentum

        def output(centre: float, divisor: float) -> float:
            return p.gamma * en.divided((p.query - centre,), divisor)[0] + p.beta

        yield en.Misconception(
            "batch_stats_in_eval",
            output(batch.mean, sqrt(batch.var + p.eps)),
            "That normalizes with the mean and variance of the batch; eval mode uses the running ones.",
        )
        yield en.Misconception(
            "biased_running_variance",
            output(mean, sqrt((1 - m) * p.running_var + m * batch.var + p.eps)),
            "That feeds in the variance divided by $n$; the running variance takes the one by $n - 1$.",
        )
        yield en.Misconception(
            "keras_momentum",
            output(
                m * p.running_mean + (1 - m) * batch.mean,
                sqrt(m * p.running_var + (1 - m) * batch.unbiased + p.eps),
            ),
            "That gives $m$ to the old values, as Keras does; in PyTorch $m$ weighs the new batch.",
        )
        yield en.Misconception(
            "divided_by_variance",
            output(mean, var + p.eps),
            "That divides by the running variance; its square root is what the deviation is divided by.",
        )
        yield en.Misconception(
            "start_stats",
            output(p.running_mean, sqrt(p.running_var + p.eps)),
            "That uses the running statistics from before the training pass, which has moved them.",
        )
        yield en.Misconception(
            "affine_dropped",
            (p.query - mean) / sqrt(var + p.eps),
            r"That is the normalized value; $\gamma$ and $\beta$ still act on it, in eval mode too.",
        )
        yield en.Misconception(
            "eps_ignored",
            output(mean, sqrt(var)),
            r"That leaves out $\varepsilon$, which is added to the running variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "First move the running mean and the running variance by one step; then normalize with them.",
            r"$\hat\mu \leftarrow (1 - m)\,\hat\mu + m\,\mu$ and "
            r"$\hat\sigma^2 \leftarrow (1 - m)\,\hat\sigma^2 + m\,s^2$ with "
            r"$s^2 = \frac{1}{n-1} \sum_i (x_i - \mu)^2$.",
            r"$y = \gamma \frac{q - \hat\mu}{\sqrt{\hat\sigma^2 + \varepsilon}} + \beta$ with the new two.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        batch, (mean, var) = en.moments(p.x), self._after(p)
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", batch.mean),
            en.Step("Unbiased variance", "s2", "sum((x - mu)^2)/(len(x) - 1)", batch.unbiased),
            en.Step("New running mean", "new_mean", "(1 - momentum)*running_mean + momentum*mu", mean),
            en.Step("New running variance", "new_var", "(1 - momentum)*running_var + momentum*s2", var),
            en.Step("Eval output", "y", "gamma*(query - new_mean)/sqrt(new_var + eps) + beta", self.solve(p)),
        )


def exactly(p: Params) -> tuple[Fraction, Fraction]:
    """Return q − μ̂ and σ̂² + ε after the training step, without loss."""
    m, start, var, eps, query, *x = (
        Fraction(repr(number)) for number in (p.momentum, p.running_mean, p.running_var, p.eps, p.query, *p.x)
    )
    mu = sum(x, Fraction()) / len(x)
    s2 = sum(((value - mu) ** 2 for value in x), Fraction()) / (len(x) - 1)
    return query - (1 - m) * start - m * mu, (1 - m) * var + m * s2 + eps


FAMILY = EvalOutput()
