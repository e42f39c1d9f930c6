"""BatchNorm's running mean after one training step."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    momentum: float = en.scalar("PyTorch's momentum, the weight of the new batch", 0.1, low=0.0, high=1.0)
    running_mean: float = en.scalar("the running mean before the step", 0.0)


SLIPS = ("keras_momentum", "replaced", "start_forgotten", "start_not_decayed")


class RunningMean(en.Family[Params]):
    title = "Running mean after one training step"
    catalogue = "B1"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("running-mean-update", "momentum-convention")
    cards = ("card:running_stats/mean-update", "card:running_stats/keras-momentum")
    requires = ("batchnorm.entry",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng, 3, 6)
        start = (-3.0, -2.0, -1.0, 1.0, 2.0, 4.0) if level == 1 else (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
        return Params(x, rng.choice((0.1, 0.2, 0.25)), rng.choice(start))

    def prompt(self, p: Params) -> str:
        return (
            f"A BatchNorm channel holds the running mean $\\hat\\mu = {en.tex(p.running_mean)}$; its "
            f"momentum (PyTorch's) is $m = {en.tex(p.momentum)}$. In training mode it sees the batch "
            f"$x = {en.tex(p.x)}$ once.\n\nWhat is the running mean $\\hat\\mu$ afterwards?"
        )

    def solve(self, p: Params) -> float:
        return en.to_float(exactly(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, momentum=p.momentum, dtype=torch.float64)
        layer.running_mean.fill_(p.running_mean)
        layer(torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1))
        return layer.running_mean[0]

    def misconceptions(self, p: Params) -> en.Slips:
        m, start, mu = p.momentum, p.running_mean, en.mean(p.x)
        yield en.Misconception(
            "keras_momentum",
            m * start + (1 - m) * mu,
            "That gives $m$ to the old value, as Keras does; in PyTorch $m$ weighs the new batch.",
        )
        yield en.Misconception(
            "replaced",
            mu,
            r"That is $\mu$, the mean of this batch alone; the running mean only moves towards it.",
        )
        yield en.Misconception(
            "start_forgotten",
            m * mu,
            r"That is $m\mu$ alone; the old running mean stays, with weight $1 - m$.",
        )
        yield en.Misconception(
            "start_not_decayed",
            start + m * mu,
            r"That adds $m\mu$ to the full old value; the old value keeps only the weight $1 - m$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Compute the batch mean $\mu$, then mix old and new with weights that add up to 1.",
            r"$\hat\mu \leftarrow (1 - m)\,\hat\mu + m\,\mu$: PyTorch's $m$ weighs the new batch.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", en.mean(p.x)),
            en.Step(
                "What stays of the old value",
                "old",
                "(1 - momentum)*running_mean",
                (1 - p.momentum) * p.running_mean,
            ),
            en.Step("Add the new share", "new_mean", "old + momentum*mu", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        return str(exactly(p))


def exactly(p: Params) -> Fraction:
    """Return the answer without loss: the two parts may cancel."""
    m, start, *x = (Fraction(repr(number)) for number in (p.momentum, p.running_mean, *p.x))
    return (1 - m) * start + m * sum(x) / len(x)


FAMILY = RunningMean()
