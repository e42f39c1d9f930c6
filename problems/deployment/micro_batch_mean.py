"""The running mean under gradient accumulation: several small updates against one large one."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("one channel's values of the whole batch, in order", at_least=2)
    parts: int = en.whole("the number of micro-batches", 2, low=1, high=32)
    momentum: float = en.scalar("PyTorch's momentum, the weight of the new batch", 0.1, low=0.0, high=1.0)
    running_mean: float = en.scalar("the running mean before the step", 0.0)


SLIPS = (
    "accumulation_is_big_batch",
    "last_micro_batch_only",
    "keras_momentum",
    "parts_swapped",
    "start_forgotten",
)


class MicroBatchMean(en.Family[Params]):
    title = "The running mean under gradient accumulation"
    catalogue = "J7"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("gradient-accumulation", "running-mean-update")
    cards = ("card:running_stats/mean-update", "card:running_stats/keras-momentum")
    requires = ("deployment.micro_batches", "running_stats.mean")

    def draw(self, level: int, rng: en.Rng) -> Params:
        parts = 2 if level == 1 else 3
        x: list[float] = []
        for centre in rng.sample(range(-4, 12), parts):
            step = rng.integer(1, 3)
            x += [float(centre - step), float(centre + step)]
        momentum = rng.choice((0.1, 0.2) if level == 1 else (0.1, 0.2, 0.25))
        return Params(tuple(x), parts, momentum, float(rng.choice((-3, -2, 1, 2, 3, 4))))

    def validate(self, p: Params) -> None:
        if len(p.x) % p.parts or len(p.x) < 2 * p.parts:
            raise en.Refused("parts", f"{len(p.x)} values are to fall into equal parts of two or more")

    def prompt(self, p: Params) -> str:
        return (
            "A batch is too large for the memory, so it runs through the network as "
            f"${en.tex(p.parts)}$ micro-batches of ${len(p.x) // p.parts}$ examples each, in order, and the "
            "gradients are added up before the step. One BatchNorm channel in training mode has the values "
            f"$x = {en.tex(p.x)}$ over the whole batch; its running mean is "
            f"$\\hat\\mu = {en.tex(p.running_mean)}$, its momentum (PyTorch's) is "
            f"$m = {en.tex(p.momentum)}$.\n\nWhat is the running mean after the step? Give two numbers: with "
            "the micro-batches, and if the whole batch ran at once."
        )

    def solve(self, p: Params) -> en.Vec:
        return tuple(en.to_float(after(p, means, p.momentum)) for means in (parts_of(p), whole_of(p)))

    def oracle(self, p: Params, torch: Any) -> Any:
        batch = torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1)
        results = []
        for parts in (p.parts, 1):
            layer = torch.nn.BatchNorm1d(1, momentum=p.momentum, dtype=torch.float64)
            layer.running_mean.fill_(p.running_mean)
            for part in batch.chunk(parts):
                layer(part)
            results.append(layer.running_mean[0])
        return results

    def misconceptions(self, p: Params) -> en.Slips:
        micro, whole = self.solve(p)
        yield en.Misconception(
            "accumulation_is_big_batch",
            (whole, whole),
            "That takes accumulation for one large batch; every forward pass of a micro-batch moves the "
            "running mean.",
        )
        yield en.Misconception(
            "last_micro_batch_only",
            (en.to_float(after(p, parts_of(p)[-1:], p.momentum)), whole),
            "The first number has one update, with the last micro-batch; every forward pass makes one.",
        )
        keras = 1 - number(p.momentum)
        yield en.Misconception(
            "keras_momentum",
            tuple(en.to_float(after(p, means, keras)) for means in (parts_of(p), whole_of(p))),
            "That gives $m$ to the old value, as Keras does; in PyTorch $m$ weighs the new batch.",
        )
        yield en.Misconception(
            "parts_swapped",
            (whole, micro),
            "The two numbers are right, in the wrong order: first with micro-batches, then all at once.",
        )
        start = number(p.running_mean)
        kept = 1 - number(p.momentum)
        yield en.Misconception(
            "start_forgotten",
            (en.to_float(number(micro) - kept**p.parts * start), en.to_float(number(whole) - kept * start)),
            "That starts from 0; the old running mean keeps the weight $1 - m$ in every update.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "How many forward passes are there, and what does each do to the running mean?",
            r"Each pass does $\hat\mu \leftarrow (1 - m)\,\hat\mu + m\,\mu$ with the mean of what it sees.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        size = len(p.x) // p.parts
        means = parts_of(p)
        steps, name = [], "running_mean"
        for at in range(p.parts):
            cells = ", ".join(f"entry(x, {at * size + place})" for place in range(1, size + 1))
            text = f"(1 - momentum)*{name} + momentum*mean(({cells}))"
            name = f"after{at + 1}"
            value = en.to_float(after(p, means[: at + 1], p.momentum))
            steps.append(en.Step(f"After micro-batch {at + 1}", name, text, value))
        micro, whole = self.solve(p)
        return (
            *steps,
            en.Step("All at once", "whole", "(1 - momentum)*running_mean + momentum*mean(x)", whole),
            en.Step("Both", "values", f"({name}, whole)", (micro, whole)),
        )

    def exact(self, p: Params) -> str | None:
        text = ", ".join(str(after(p, means, p.momentum)) for means in (parts_of(p), whole_of(p)))
        return f"({text})" if len(text) <= 190 else None


def number(value: float) -> Fraction:
    """Return the number as it is displayed, without loss."""
    return Fraction(repr(value))


def whole_of(p: Params) -> list[Fraction]:
    """Return the mean of the whole batch, as the only one."""
    return [sum(map(number, p.x), Fraction()) / len(p.x)]


def parts_of(p: Params) -> list[Fraction]:
    """Return the means of the micro-batches."""
    size = len(p.x) // p.parts
    return [sum(map(number, p.x[at : at + size]), Fraction()) / size for at in range(0, len(p.x), size)]


def after(p: Params, means: list[Fraction], momentum: float | Fraction) -> Fraction:
    """Return the running mean after one update with each of these means."""
    m = momentum if isinstance(momentum, Fraction) else number(momentum)
    value = number(p.running_mean)
    for mean in means:
        value = (1 - m) * value + m * mean
    return value


FAMILY = MicroBatchMean()
