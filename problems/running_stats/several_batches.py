"""BatchNorm's running statistics after several training batches."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    means: en.Vec = en.vector("the means of the batches, in the order in which they come")
    variances: en.Vec = en.vector("their biased variances", like="means", fill=1.0)
    batch_size: int = en.whole("how many values each batch has per channel", 4, low=2, high=4096)
    momentum: float = en.scalar("PyTorch's momentum, the weight of the new batch", 0.1, low=0.0, high=1.0)
    running_mean: float = en.scalar("the running mean before the first batch", 0.0)
    running_var: float = en.scalar("the running variance before the first batch", 1.0, low=0.0)


SLIPS = ("order_reversed", "plain_average", "replaced", "biased_running_variance", "keras_momentum")


class SeveralBatches(en.Family[Params]):
    title = "Running statistics after several batches"
    catalogue = "B3"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "averaged_first", "start_forgotten")}
    covers = ("running-statistics-over-steps", "running-mean-update", "running-variance-update")
    cards = (
        "card:running_stats/mean-update",
        "card:running_stats/variance-update",
        "card:running_stats/memory",
    )
    requires = ("running_stats.mean", "running_stats.variance")

    def draw(self, level: int, rng: en.Rng) -> Params:
        count = 2 if level == 2 else rng.choice((3, 4))
        means = tuple(map(float, rng.sample(range(-4, 9), count)))
        size = rng.choice((4, 5)) if level == 2 else rng.choice((3, 6, 8, 10))
        tidy = rng.sample(range(1, 7), count)
        variances = tuple(float(v * (size - 1)) if level == 2 else v * 1.5 + 0.5 for v in tidy)
        momentum = rng.choice((0.2, 0.25, 0.4)) if level == 2 else rng.choice((0.2, 0.3, 0.4))
        start = float(rng.choice((-2, -1, 1, 2))) if level == 3 else 0.0
        p = Params(means, variances, size, momentum, start, rng.choice((1.0, 2.0, 4.0)))
        passed = (updated(start, means[:k], momentum) for k in range(1, count + 1))
        return p if min(map(abs, passed)) > 1e-9 else self.draw(level, rng)

    def validate(self, p: Params) -> None:
        if min(p.variances) < 0:
            raise en.Refused("variances", "variances of 0 or more are wanted")

    def prompt(self, p: Params) -> str:
        return (
            f"A BatchNorm channel holds the running mean $\\hat\\mu = {en.tex(p.running_mean)}$ and the "
            f"running variance $\\hat\\sigma^2 = {en.tex(p.running_var)}$; its momentum (PyTorch's) is "
            f"$m = {en.tex(p.momentum)}$. In training mode it sees {len(p.means)} batches of "
            f"${en.tex(p.batch_size)}$ values each. In the order in which they come, their means are "
            f"${en.tex(p.means)}$ and their *biased* variances ${en.tex(p.variances)}$.\n\n"
            "What are the running statistics afterwards? Give two numbers: the mean, then the variance."
        )

    def solve(self, p: Params) -> en.Vec:
        mean = updated(p.running_mean, p.means, p.momentum)
        return mean, updated(p.running_var, corrected(p), p.momentum)

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm1d(1, momentum=p.momentum, dtype=torch.float64)
        layer.running_mean.fill_(p.running_mean)
        layer.running_var.fill_(p.running_var)
        # A batch with mean 0 and biased variance 1: half of it at −a, half at a, an odd one at 0.
        half = p.batch_size // 2
        unit = torch.zeros(p.batch_size, 1, dtype=torch.float64)
        unit[:half], unit[p.batch_size - half :] = -1.0, 1.0
        unit *= (p.batch_size / (2 * half)) ** 0.5
        with torch.no_grad():
            for mean, var in zip(p.means, p.variances, strict=True):
                layer(mean + var**0.5 * unit)
        return torch.cat((layer.running_mean, layer.running_var))

    def misconceptions(self, p: Params) -> en.Slips:
        m, s2 = p.momentum, corrected(p)
        mean = updated(p.running_mean, p.means, m)
        yield en.Misconception(
            "order_reversed",
            (
                updated(p.running_mean, p.means[::-1], m),
                updated(p.running_var, s2[::-1], m),
            ),
            "That takes the batches in reverse; the last one came last and weighs most.",
        )
        yield en.Misconception(
            "plain_average",
            (en.mean(p.means), en.mean(s2)),
            "That weighs all batches alike and forgets the start; every step keeps $1 - m$ of the old.",
        )
        yield en.Misconception(
            "replaced",
            (p.means[-1], s2[-1]),
            "Those are the last batch's own numbers; the running statistics only move towards them.",
        )
        yield en.Misconception(
            "biased_running_variance",
            (mean, updated(p.running_var, p.variances, m)),
            r"Variance: that feeds in the biased ones; each is first multiplied by $\frac{n}{n-1}$.",
        )
        yield en.Misconception(
            "keras_momentum",
            (updated(p.running_mean, p.means, 1 - m), updated(p.running_var, s2, 1 - m)),
            "That gives $m$ to the old value, as Keras does; in PyTorch $m$ weighs the new batch.",
        )
        yield en.Misconception(
            "averaged_first",
            (
                updated(p.running_mean, (en.mean(p.means),), m),
                updated(p.running_var, (en.mean(s2),), m),
            ),
            "That averages the batches and updates once; there is an update at every batch.",
        )
        yield en.Misconception(
            "start_forgotten",
            (updated(0.0, p.means, m), updated(0.0, s2, m)),
            "That leaves out the start values, of which $(1 - m)^k$ is still there after $k$ batches.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Update step by step, one batch after the other: what comes out is the start of the next step.",
            r"$\hat\mu \leftarrow (1 - m)\,\hat\mu + m\,\mu$, and the same for $\hat\sigma^2$ with "
            r"$\frac{n}{n-1}\sigma^2$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        s2 = corrected(p)
        steps = [en.Step("Unbiased variances", "s2", "variances*batch_size/(batch_size - 1)", s2)]
        for name, start, list_name, values, text in (
            ("r", "running_mean", "means", p.means, "mean"),
            ("v", "running_var", "s2", s2, "variance"),
        ):
            before = start
            for k in range(1, len(values) + 1):
                value = updated(getattr(p, start), values[:k], p.momentum)
                rule = f"(1 - momentum)*{before} + momentum*entry({list_name}, {k})"
                steps.append(en.Step(f"Running {text} after batch {k}", f"{name}{k}", rule, value))
                before = f"{name}{k}"
        last = len(p.means)
        return (*steps, en.Step("Both", "stats", f"(r{last}, v{last})", self.solve(p)))

    def exact(self, p: Params) -> str | None:
        n, m = p.batch_size, Fraction(repr(p.momentum))
        mean, var = Fraction(repr(p.running_mean)), Fraction(repr(p.running_var))
        for batch_mean, batch_var in zip(p.means, p.variances, strict=True):
            mean += m * (Fraction(repr(batch_mean)) - mean)
            var += m * (Fraction(repr(batch_var)) * n / (n - 1) - var)
        return f"{mean}, {var}"


def corrected(p: Params) -> en.Vec:
    """Return the unbiased variances of the batches."""
    return tuple(var * p.batch_size / (p.batch_size - 1) for var in p.variances)


def updated(start: float, values: en.Vec, weight: float) -> float:
    """Return a running number that met these values in this order, each with this weight."""
    for value in values:
        start = (1 - weight) * start + weight * value
    return start


FAMILY = SeveralBatches()
