"""BatchNorm's running variance after one training step."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    momentum: float = en.scalar("PyTorch's momentum, the weight of the new batch", 0.1, low=0.0, high=1.0)
    running_var: float = en.scalar("the running variance before the step", 1.0, low=0.0)


SLIPS = (
    "biased_running_variance",
    "keras_momentum",
    "keras_momentum_biased",
    "replaced",
    "used_std",
    "correction_on_old",
)


class RunningVariance(en.Family[Params]):
    title = "Running variance after one training step"
    catalogue = "B2"
    given = Params
    kind = en.Number()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS),
        3: en.Level(*SLIPS, "start_forgotten", "start_not_decayed"),
    }
    covers = ("running-variance-update", "unbiased-running-variance", "momentum-convention")
    cards = ("card:running_stats/variance-update", "card:running_stats/two-variances")
    requires = ("batchnorm.entry", "running_stats.mean")

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = self._tidy(rng) if level == 1 else en.untidy_batch(rng, *((3, 6) if level == 2 else (7, 10)))
        start = (1.0, 2.0) if level == 1 else (0.5, 1.0, 2.0) if level == 2 else (0.8, 2.5, 4.5)
        share = (0.05, 0.1, 0.3) if level == 3 else (0.1, 0.2, 0.25)
        return Params(x, rng.choice(share), rng.choice(start))

    def _tidy(self, rng: en.Rng) -> en.Vec:
        """Draw a tidy batch whose unbiased variance has at most one decimal."""
        x = en.tidy_batch(rng)
        while not (10 * en.moments(x).unbiased).is_integer():
            x = en.tidy_batch(rng)
        return x

    def prompt(self, p: Params) -> str:
        return (
            f"A BatchNorm channel holds the running variance $\\hat\\sigma^2 = {en.tex(p.running_var)}$; its "
            f"momentum (PyTorch's) is $m = {en.tex(p.momentum)}$. In training mode it sees the batch "
            f"$x = {en.tex(p.x)}$ once.\n\nWhat is the running variance $\\hat\\sigma^2$ afterwards?"
        )

    def solve(self, p: Params) -> float:
        return (1 - p.momentum) * p.running_var + p.momentum * en.moments(p.x).unbiased

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, momentum=p.momentum, dtype=torch.float64)
        layer.running_var.fill_(p.running_var)
        layer(torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1))
        return layer.running_var[0]

    def misconceptions(self, p: Params) -> en.Slips:
        m, start, n = p.momentum, p.running_var, len(p.x)
        biased, unbiased = en.moments(p.x).var, en.moments(p.x).unbiased
        yield en.Misconception(
            "biased_running_variance",
            (1 - m) * start + m * biased,
            "That feeds in the variance divided by $n$; the running variance takes the one by $n - 1$.",
        )
        yield en.Misconception(
            "keras_momentum",
            m * start + (1 - m) * unbiased,
            "That gives $m$ to the old value, as Keras does; in PyTorch $m$ weighs the new batch.",
        )
        yield en.Misconception(
            "keras_momentum_biased",
            m * start + (1 - m) * biased,
            "Two slips: PyTorch's $m$ weighs the new batch, and the variance is the one by $n - 1$.",
        )
        yield en.Misconception(
            "replaced",
            unbiased,
            "That is the unbiased variance of this batch alone; the running variance only moves towards it.",
        )
        yield en.Misconception(
            "used_std",
            (1 - m) * start + m * sqrt(unbiased),
            "That mixes in the standard deviation; what is stored is a variance, so no root is taken.",
        )
        yield en.Misconception(
            "correction_on_old",
            n / (n - 1) * ((1 - m) * start + m * biased),
            r"That multiplies the old value by $\frac{n}{n-1}$ too; only this batch's variance is corrected.",
        )
        yield en.Misconception(
            "start_forgotten",
            m * unbiased,
            "That is the new share alone; the old running variance stays, with weight $1 - m$.",
        )
        yield en.Misconception(
            "start_not_decayed",
            start + m * unbiased,
            "That adds the new share to the full old value; the old value keeps only the weight $1 - m$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Is the variance that is stored divided by $n$ or by $n - 1$? And which value does $m$ weigh?",
            r"$\hat\sigma^2 \leftarrow (1 - m)\,\hat\sigma^2 + m\,s^2$ with "
            r"$s^2 = \frac{1}{n-1} \sum_i (x_i - \mu)^2$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", m.mean),
            en.Step("Sum of squared deviations", "squares", "sum((x - mu)^2)", m.squares),
            en.Step("Unbiased variance: divide by n − 1", "s2", "squares/(len(x) - 1)", m.unbiased),
            en.Step("Mix old and new", "new_var", "(1 - momentum)*running_var + momentum*s2", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        m, start, *x = (Fraction(repr(number)) for number in (p.momentum, p.running_var, *p.x))
        centre = sum(x) / len(x)
        return str((1 - m) * start + m * sum((value - centre) ** 2 for value in x) / (len(x) - 1))


FAMILY = RunningVariance()
