"""BatchNorm under gradient accumulation: micro-batches against one large batch."""

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("one channel's values of the whole batch, in order", at_least=2)
    parts: int = en.whole("the number of micro-batches", 2, low=1, high=32)
    momentum: float = en.scalar("PyTorch's momentum, the weight of the new batch", 0.1, low=0.0, high=1.0)
    running_mean: float = en.scalar("the running mean before the step", 0.0)
    index: int = en.whole("the entry whose normalized value is asked for, counted from 1", 1, low=1, high=64)
    asked: str = en.option("what is compared", ("running_mean", "entry"), "entry")


ENTRY = ("accumulation_is_big_batch", "unbiased_variance", "parts_swapped", "batches_mixed")
MEAN = ("accumulation_is_big_batch", "last_micro_batch_only", "keras_momentum", "parts_swapped")


class MicroBatches(en.Family[Params]):
    title = "BatchNorm under gradient accumulation"
    catalogue = "J7"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*MEAN), 2: en.Level(*ENTRY), 3: en.Level(*ENTRY)}
    covers = ("gradient-accumulation-batchnorm", "running-mean-update", "batch-coupling")
    cards = ("card:running_stats/mean-update", "card:statistics/only-batchnorm-couples")
    requires = ("batchnorm.entry", "running_stats.several_batches")

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            size = rng.choice((2, 4))
            centres = rng.sample(range(-4, 9), 2)
            x = tuple(float(c + s * d) for c in centres for s in (1, -1) for d in rng.sample((1, 2, 3), size // 2))
            mean = float(rng.choice((1, 2, 3, -2)))
            return Params(x, 2, rng.choice((0.1, 0.2, 0.5)), mean, 1, "running_mean")
        parts = 2 if level == 2 else 3
        x = tuple(map(float, rng.integers(parts * (3 if level == 2 else 4), -6, 12)))
        return Params(x, parts, 0.1, 0.0, rng.integer(1, len(x)), "entry")

    def validate(self, p: Params) -> None:
        if len(p.x) % p.parts or len(p.x) < 2 * p.parts:
            raise en.Refused(
                "parts", f"the {len(p.x)} values are to fall into equal micro-batches of two or more"
            )
        if p.index > len(p.x):
            raise en.Refused("index", f"a place from 1 to {len(p.x)} is wanted")
        if p.asked == "entry" and en.flat(own(p)):
            raise en.Refused("x", "the values of that micro-batch are equal, so the entry is 0/0")

    def prompt(self, p: Params) -> str:
        size = len(p.x) // p.parts
        asked = (
            f"What is $\\hat x_{{{p.index}}}$, the normalized value of that entry (counted from 1)"
            if p.asked == "entry"
            else "What is the running mean afterwards"
        )
        return (
            f"One BatchNorm channel in training mode, with momentum $m = {en.tex(p.momentum)}$ (PyTorch's), "
            f"running mean ${en.tex(p.running_mean)}$ and $\\varepsilon = 0$, is to see the batch $x = "
            f"{en.tex(p.x)}$. For want of memory the batch is run as ${en.tex(p.parts)}$ micro-batches, "
            f"${size}$ values each, in this order, and their gradients are added up.\n\n{asked}? Give two "
            f"numbers: with these micro-batches, then with the whole batch in one pass. "
            + (f"(The entry is number ${en.tex(p.index)}$.)" if p.asked == "running_mean" else "")
        )

    def solve(self, p: Params) -> en.Vec:
        if p.asked == "entry":
            return hat(own(p), p, local(p)), hat(p.x, p, p.index - 1)
        value = p.running_mean
        for part in split(p):
            value = (1 - p.momentum) * value + p.momentum * en.mean(part)
        return value, (1 - p.momentum) * p.running_mean + p.momentum * en.mean(p.x)

    def oracle(self, p: Params, torch: Any) -> Any:
        batch = torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1)
        results = []
        for parts in (p.parts, 1):
            layer = torch.nn.BatchNorm1d(1, momentum=p.momentum, eps=en.nonzero(0.0), dtype=torch.float64)
            layer.running_mean.fill_(p.running_mean)
            out = torch.vstack([layer(part) for part in batch.chunk(parts)])
            results.append(layer.running_mean[0].item() if p.asked != "entry" else out[p.index - 1, 0].item())
        return tuple(results)

    def misconceptions(self, p: Params) -> en.Slips:
        micro, whole = self.solve(p)
        yield en.Misconception(
            "accumulation_is_big_batch",
            (whole, whole),
            "That takes accumulation for one large batch. The gradients add up, but BatchNorm sees only one "
            "micro-batch at a time.",
        )
        yield en.Misconception(
            "parts_swapped",
            (whole, micro),
            "The two numbers are right, in the wrong order: first with micro-batches, then in one pass.",
        )
        if p.asked == "entry":
            part, value = en.moments(own(p)), p.x[p.index - 1]
            all_of_it = en.moments(p.x)
            yield en.Misconception(
                "unbiased_variance",
                tuple(en.divided((value - m.mean,), sqrt(m.unbiased))[0] for m in (part, all_of_it)),
                "That divides by one less than the number of values; BatchNorm normalizes with the biased "
                "variance.",
            )
            yield en.Misconception(
                "batches_mixed",
                (en.divided((value - part.mean,), sqrt(all_of_it.var))[0], whole),
                "The first number takes the mean of the micro-batch and the variance of the whole batch; both "
                "come from the micro-batch.",
            )
            return
        last = (1 - p.momentum) * p.running_mean + p.momentum * en.mean(split(p)[-1])
        yield en.Misconception(
            "last_micro_batch_only",
            (last, whole),
            "The first number has one update, with the last micro-batch; every forward pass makes an update.",
        )
        keras = p.running_mean
        for values in split(p):
            keras = p.momentum * keras + (1 - p.momentum) * en.mean(values)
        yield en.Misconception(
            "keras_momentum",
            (keras, p.momentum * p.running_mean + (1 - p.momentum) * en.mean(p.x)) if p.momentum != 0.5 else (nan, nan),
            "That gives $m$ to the old value, as Keras does; in PyTorch $m$ weighs the new batch.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        if p.asked == "entry":
            return (
                "Accumulation adds up gradients. Which values does a forward pass see together?",
                r"$\hat x_i = \frac{x_i - \mu}{\sigma}$, once with $\mu$ and $\sigma$ of the entry's own "
                "micro-batch, once with those of the whole batch.",
            )
        return (
            "How many forward passes are there, and what does each do to the running mean?",
            r"Each pass does $\hat\mu \leftarrow (1 - m)\,\hat\mu + m\,\mu$ with the mean of what it sees.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        if p.asked == "entry":
            size = len(p.x) // p.parts
            first = (p.index - 1) // size * size
            part, everything = en.moments(own(p)), en.moments(p.x)
            cells = ", ".join(f"entry(x, {first + at})" for at in range(1, size + 1))
            micro, whole = self.solve(p)
            return (
                en.Step("The entry's micro-batch", "own", f"({cells})", own(p)),
                en.Step("Its mean", "mu", "mean(own)", part.mean),
                en.Step("Its biased variance", "var", "mean((own - mu)^2)", part.var),
                en.Step("With micro-batches", "micro", "(entry(x, index) - mu)/sqrt(var)", micro),
                en.Step("Mean of the whole batch", "mu_all", "mean(x)", everything.mean),
                en.Step("Its biased variance", "var_all", "mean((x - mu_all)^2)", everything.var),
                en.Step("In one pass", "whole", "(entry(x, index) - mu_all)/sqrt(var_all)", whole),
                en.Step("Both", "values", "(micro, whole)", (micro, whole)),
            )
        steps, value, name = [], p.running_mean, "running_mean"
        size = len(p.x) // p.parts
        for at, values in enumerate(split(p)):
            value = (1 - p.momentum) * value + p.momentum * en.mean(values)
            cells = ", ".join(f"entry(x, {at * size + place})" for place in range(1, size + 1))
            text = f"(1 - momentum)*{name} + momentum*mean(({cells}))"
            name = f"step{chr(97 + at % 26)}{chr(97 + at // 26)}"
            steps.append(en.Step(f"After micro-batch {at + 1}", name, text, value))
        whole = self.solve(p)[1]
        return (
            *steps,
            en.Step("In one pass", "whole", "(1 - momentum)*running_mean + momentum*mean(x)", whole),
            en.Step("Both", "values", f"({name}, whole)", self.solve(p)),
        )


def split(p: Params) -> list[en.Vec]:
    """Return the micro-batches."""
    size = len(p.x) // p.parts
    return [p.x[at : at + size] for at in range(0, len(p.x), size)]


def own(p: Params) -> en.Vec:
    """Return the micro-batch of the entry that is asked for."""
    return split(p)[(p.index - 1) // (len(p.x) // p.parts)]


def local(p: Params) -> int:
    """Return the place of that entry in its micro-batch, from 0."""
    return (p.index - 1) % (len(p.x) // p.parts)


def hat(values: en.Vec, p: Params, at: int) -> float:
    """Return the normalized value of one entry of a group."""
    return en.moments(values).hat()[at]


FAMILY = MicroBatches()
