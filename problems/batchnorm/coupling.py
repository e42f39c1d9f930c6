"""How one entry of a batch changes the output of another."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel before the change")
    changed: int = en.whole("which entry is changed, counted from 1", 1, low=1, high=64)
    delta: float = en.scalar("what is added to that entry")
    index: int = en.whole("whose output is asked for, counted from 1", 2, low=1, high=64)
    gamma: float = en.scalar("the scale γ", 1.0)
    beta: float = en.scalar("the shift β", 0.0)
    eps: float = en.eps()


SLIPS = ("others_ignored", "std_not_updated", "mean_not_updated", "unbiased_variance")


class BatchNormCoupling(en.Family[Params]):
    title = "One example changes the output of another"
    catalogue = "A10"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "affine_dropped", "eps_ignored")}
    covers = ("batch-coupling", "batchnorm-forward")
    cards = ("card:batchnorm/forward-pass", "card:running_stats/running-statistics")
    requires = ("batchnorm.entry",)
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        while True:
            p = self._draw(level, rng)
            before, after = outputs(p, p.x), outputs(p, changed(p))
            effect = abs(after[p.index - 1] - before[p.index - 1]) / max(map(abs, after))
            if effect > 0.05 and abs(after[p.index - 1]) > 1e-9:
                return p

    def _draw(self, level: int, rng: en.Rng) -> Params:
        new = list(en.tidy_batch(rng) if level == 2 else en.untidy_batch(rng, 4, 6))
        at, other = rng.sample(range(len(new)), 2)
        delta = float(rng.choice((-1, 1)) * rng.integer(3, 12))
        new[at] -= delta
        if level == 2:
            return Params(tuple(new), at + 1, delta, other + 1, 1.0, 0.0, 0.0)
        visible = float(max(1, round(en.moments(new).var * rng.choice((0.1, 0.2)))))
        gamma, beta = rng.choice((-0.5, -2.0, -3.0)), rng.choice((-2.0, -1.0, 1.0, 2.0))
        return Params(tuple(new), at + 1, delta, other + 1, gamma, beta, visible)

    def validate(self, p: Params) -> None:
        for name, place in (("changed", p.changed), ("index", p.index)):
            if place > len(p.x):
                raise en.Refused(name, f"a place from 1 to {len(p.x)} is wanted, as x has {len(p.x)} entries")
        if p.index == p.changed:
            raise en.Refused("index", "another entry than the changed one is wanted")
        new = changed(p)
        if p.eps == 0 and max(new) - min(new) <= 1e-14 * max(map(abs, new)):
            raise en.Refused("delta", "this makes all values equal, and with eps = 0 the output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"One channel in training mode sees the batch $x = {en.tex(p.x)}$. BatchNorm has $\\gamma = "
            f"{en.tex(p.gamma)}$, $\\beta = {en.tex(p.beta)}$ and $\\varepsilon = {en.tex(p.eps)}$.\n\n"
            f"Now ${en.tex(p.delta)}$ is added to entry ${en.tex(p.changed)}$, and the layer runs again. "
            f"What is the output $y_{{{en.tex(p.index)}}}$ of entry ${en.tex(p.index)}$ then, which was not "
            "touched itself? (Entries are counted from 1.)"
        )

    def solve(self, p: Params) -> float:
        top, square, shift = exactly(p)
        return en.surd(top / square, square, shift)

    def oracle(self, p: Params, torch: Any) -> Any:
        batch = torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1)
        batch[p.changed - 1] += p.delta
        gamma, beta = (torch.tensor([number], dtype=torch.float64) for number in (p.gamma, p.beta))
        out = torch.nn.functional.batch_norm(
            batch, None, None, gamma, beta, training=True, eps=en.nonzero(p.eps)
        )
        return out[p.index - 1, 0]

    def misconceptions(self, p: Params) -> en.Slips:
        old, new, value = en.moments(p.x), en.moments(changed(p)), p.x[p.index - 1]

        def output(mean: float, var: float) -> float:
            return en.affine(en.divided((value - mean,), sqrt(var)), p.gamma, p.beta)[0]

        yield en.Misconception(
            "others_ignored",
            output(old.mean, old.var + p.eps),
            "That is the output from before; in training mode the other entries act on it through the mean "
            "and the variance.",
        )
        yield en.Misconception(
            "std_not_updated",
            output(new.mean, old.var + p.eps),
            "That takes the new mean and the old variance; the variance changes too.",
        )
        yield en.Misconception(
            "mean_not_updated",
            output(old.mean, new.var + p.eps),
            "That takes the new variance and the old mean; the mean changes too.",
        )
        yield en.Misconception(
            "unbiased_variance",
            output(new.mean, new.unbiased + p.eps),
            "That divides by $n - 1$; BatchNorm normalizes with the biased variance, divided by $n$.",
        )
        yield en.Misconception(
            "affine_dropped",
            new.hat(p.eps)[p.index - 1],
            r"That is $\hat x_i$; $\gamma$ and $\beta$ still act on it.",
        )
        yield en.Misconception(
            "eps_ignored",
            output(new.mean, new.var),
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "In training mode an output depends on the whole batch. Through which two numbers?",
            "Write down the new batch, then compute its mean and its variance (with divisor $n$) anew.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        new = changed(p)
        m = en.moments(new)
        return (
            en.Step("The new batch", "z", en.plain(new), new),
            en.Step("Its mean", "mu", "mean(z)", m.mean),
            en.Step("Its biased variance", "var", "mean((z - mu)^2)", m.var),
            en.Step(
                "Normalize the entry asked for",
                "xhat",
                "(entry(z, index) - mu)/sqrt(var + eps)",
                m.hat(p.eps)[p.index - 1],
            ),
            en.Step("Scale, then shift", "y", "gamma*xhat + beta", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        top, square, shift = exactly(p)
        return f"{shift} + ({top})/sqrt({square})"


def exactly(p: Params) -> tuple[Fraction, Fraction, Fraction]:
    """Return a, s and b of the output a/√s + b without loss."""
    x = [Fraction(repr(value)) for value in p.x]
    x[p.changed - 1] += Fraction(repr(p.delta))
    gamma, beta, eps = (Fraction(repr(number)) for number in (p.gamma, p.beta, p.eps))
    mu = sum(x, Fraction()) / len(x)
    square = sum(((value - mu) ** 2 for value in x), Fraction()) / len(x) + eps
    return gamma * (x[p.index - 1] - mu), square, beta


def changed(p: Params) -> en.Vec:
    """Return the batch after the change."""
    return tuple(value + p.delta * (place == p.changed) for place, value in enumerate(p.x, 1))


def outputs(p: Params, x: en.Vec) -> en.Vec:
    """Return the layer's output for a batch; nan where there is nothing to divide by."""
    return en.affine(en.moments(x).hat(p.eps), p.gamma, p.beta)


FAMILY = BatchNormCoupling()
