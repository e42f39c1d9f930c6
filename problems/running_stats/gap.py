"""The gap between eval and training output of one entry, right after a training pass."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    index: int = en.whole("which entry is asked for, counted from 1", 1, low=1, high=64)
    momentum: float = en.scalar("PyTorch's momentum, the weight of the new batch", 0.1, low=0.0, high=1.0)
    running_mean: float = en.scalar("the running mean before the pass", 0.0)
    running_var: float = en.scalar("the running variance before the pass", 1.0, low=0.0)
    eps: float = en.eps()


SLIPS = (
    "batch_stats_in_eval",
    "difference_reversed",
    "start_stats",
    "keras_momentum",
    "biased_running_variance",
    "eval_output_alone",
)


class TrainEvalGap(en.Family[Params]):
    title = "The gap between training and eval output"
    catalogue = "B6"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("train-eval-difference", "eval-mode", "running-statistics-over-steps")
    cards = ("card:running_stats/eval-formula", "card:running_stats/memory")
    requires = ("batchnorm.entry", "running_stats.eval_output")
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        while True:
            p = self._draw(level, rng)
            if en.moments(p.x).squares and abs(self.solve(p)) > 0.05 and abs(after(p)[0]) > 1e-9:
                return p

    def _draw(self, level: int, rng: en.Rng) -> Params:
        if level == 2:
            x = en.tidy_batch(rng)
            return Params(x, rng.integer(1, len(x)), rng.choice((0.1, 0.2)), 0.0, 1.0, 0.0)
        x = en.untidy_batch(rng, 4, 6)
        start, var = rng.choice((-2.0, -1.0, 1.0, 2.0)), rng.choice((0.5, 2.0, 4.0))
        visible = rng.choice((1.0, 2.0))
        return Params(x, rng.integer(1, len(x)), rng.choice((0.2, 0.25, 0.3)), start, var, visible)

    def validate(self, p: Params) -> None:
        if p.index > len(p.x):
            raise en.Refused("index", f"a place from 1 to {len(p.x)} is wanted, as x has {len(p.x)} entries")
        if after(p)[1] + p.eps == 0:
            raise en.Refused(
                "running_var", "the running variance is 0 after the pass, and eval mode divides by its root"
            )

    def prompt(self, p: Params) -> str:
        return (
            f"A BatchNorm channel with $\\gamma = 1$, $\\beta = 0$, $\\varepsilon = {en.tex(p.eps)}$ and "
            f"PyTorch's momentum $m = {en.tex(p.momentum)}$ holds the running mean "
            f"$\\hat\\mu = {en.tex(p.running_mean)}$ and the running variance "
            f"$\\hat\\sigma^2 = {en.tex(p.running_var)}$. It sees the batch $x = {en.tex(p.x)}$ once in "
            "training mode; then it is switched to eval mode and sees the same batch again.\n\n"
            f"By how much is the eval output of entry ${en.tex(p.index)}$ (counted from 1) larger than its "
            "training output? (Eval minus training; negative if it is smaller.)"
        )

    def solve(self, p: Params) -> float:
        mean, var = after(p)
        return settled(p, evaluated(p, mean, var + p.eps) - trained(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, en.nonzero(p.eps), p.momentum, dtype=torch.float64)
        layer.running_mean.fill_(p.running_mean)
        layer.running_var.fill_(p.running_var)
        batch = torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1)
        with torch.no_grad():
            training = layer(batch)
            return settled(p, (layer.eval()(batch) - training)[p.index - 1, 0].item())

    def misconceptions(self, p: Params) -> en.Slips:
        m, batch = p.momentum, en.moments(p.x)
        mean, var = after(p)
        yield en.Misconception(
            "batch_stats_in_eval",
            0.0,
            "That says that both are the same; eval mode takes the running statistics, which are not the "
            "batch's.",
        )
        yield en.Misconception(
            "difference_reversed",
            -self.solve(p),
            "That is training minus eval; eval minus training was asked for.",
        )
        yield en.Misconception(
            "start_stats",
            evaluated(p, p.running_mean, p.running_var + p.eps) - trained(p),
            "That uses the running statistics from before the training pass, which has moved them.",
        )
        yield en.Misconception(
            "keras_momentum",
            evaluated(
                p,
                m * p.running_mean + (1 - m) * batch.mean,
                m * p.running_var + (1 - m) * batch.unbiased + p.eps,
            )
            - trained(p),
            "That gives $m$ to the old value, as Keras does; in PyTorch $m$ weighs the new batch.",
        )
        yield en.Misconception(
            "biased_running_variance",
            evaluated(p, mean, (1 - m) * p.running_var + m * batch.var + p.eps) - trained(p),
            "That feeds the biased variance into the running one; the update takes the one by $n - 1$.",
        )
        yield en.Misconception(
            "eval_output_alone",
            evaluated(p, mean, var + p.eps),
            "That is the eval output; the training output of the same entry still has to be subtracted.",
        )
        yield en.Misconception(
            "eps_ignored",
            evaluated(p, mean, var) - batch.hat()[p.index - 1],
            r"That leaves out $\varepsilon$, which is added to either variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Training mode normalizes with the statistics of this batch, eval mode with the running ones.",
            r"After the pass $\hat\mu \leftarrow (1 - m)\,\hat\mu + m\,\mu$ and "
            r"$\hat\sigma^2 \leftarrow (1 - m)\,\hat\sigma^2 + m\,s^2$ with "
            r"$s^2 = \frac{1}{n-1} \sum_i (x_i - \mu)^2$.",
            r"The gap is $\frac{x_i - \hat\mu}{\sqrt{\hat\sigma^2 + \varepsilon}} - "
            r"\frac{x_i - \mu}{\sqrt{\sigma^2 + \varepsilon}}$, with $\sigma^2$ divided by $n$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m, (mean, var) = en.moments(p.x), after(p)
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", m.mean),
            en.Step("Biased variance: divide by n", "var", "mean((x - mu)^2)", m.var),
            en.Step(
                "Training output, with this batch's statistics",
                "train",
                "(entry(x, index) - mu)/sqrt(var + eps)",
                trained(p),
            ),
            en.Step("Unbiased variance", "s2", "var*len(x)/(len(x) - 1)", m.unbiased),
            en.Step("New running mean", "new_mean", "(1 - momentum)*running_mean + momentum*mu", mean),
            en.Step("New running variance", "new_var", "(1 - momentum)*running_var + momentum*s2", var),
            en.Step(
                "Eval output, with the running ones",
                "evaluated",
                "(entry(x, index) - new_mean)/sqrt(new_var + eps)",
                evaluated(p, mean, var + p.eps),
            ),
            en.Step("The gap", "gap", "evaluated - train", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        x = [Fraction(repr(value)) for value in p.x]
        m, start, var, eps = (
            Fraction(repr(number)) for number in (p.momentum, p.running_mean, p.running_var, p.eps)
        )
        here, mu = x[p.index - 1], sum(x) / len(x)
        squares = sum((value - mu) ** 2 for value in x)
        mean, square = (1 - m) * start + m * mu, (1 - m) * var + m * squares / (len(x) - 1) + eps
        return f"({here - mean})/sqrt({square}) - ({here - mu})/sqrt({squares / len(x) + eps})"


def settled(p: Params, gap: float) -> float:
    """Return the gap, 0 where it is rounding beside the training outputs."""
    return gap if abs(gap) > 1e-12 * max(map(abs, en.moments(p.x).hat(p.eps))) else 0.0


def after(p: Params) -> tuple[float, float]:
    """Return the running mean and variance after the training pass."""
    m, batch = p.momentum, en.moments(p.x)
    return (1 - m) * p.running_mean + m * batch.mean, (1 - m) * p.running_var + m * batch.unbiased


def trained(p: Params) -> float:
    """Return the training output of the entry."""
    return en.moments(p.x).hat(p.eps)[p.index - 1]


def evaluated(p: Params, mean: float, square: float) -> float:
    """Return the entry normalized by a mean and the root of `square`; nan where that is 0."""
    return en.divided((p.x[p.index - 1] - mean,), sqrt(square))[0]


FAMILY = TrainEvalGap()
