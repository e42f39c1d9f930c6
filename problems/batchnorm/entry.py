"""One normalized entry of a BatchNorm batch in training mode."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    index: int = en.whole("which entry is asked for, counted from 1", 1, low=1, high=64)
    eps: float = en.eps()


SLIPS = (
    "unbiased_variance",
    "divided_by_variance",
    "no_centring",
    "no_scaling",
    "rms_instead",
    "sign_flipped",
)


class BatchNormEntry(en.Family[Params]):
    title = "One normalized entry of a batch"
    catalogue = "A1"
    given = Params
    kind = en.Number()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS),
        3: en.Level(*SLIPS, "eps_ignored", "eps_outside_root"),
    }
    covers = ("batchnorm-forward", "biased-variance", "eps-inside-root")
    cards = ("card:batchnorm/forward-pass", "card:batchnorm/which-variance", "card:batchnorm/epsilon-place")
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level < 3:
            x, visible = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng), 0.0
        else:
            x = en.untidy_batch(rng, 7, 10)
            visible = float(max(2, round(en.moments(x).var * rng.choice((0.1, 0.2, 0.4)))))
        return Params(x, rng.integer(1, len(x)), visible)

    def validate(self, p: Params) -> None:
        if p.index > len(p.x):
            raise en.Refused("index", f"a place from 1 to {len(p.x)} is wanted, as x has {len(p.x)} entries")

    def prompt(self, p: Params) -> str:
        return (
            f"One channel in training mode sees the batch $x = {en.tex(p.x)}$. BatchNorm has "
            f"$\\varepsilon = {en.tex(p.eps)}$.\n\nWhat is $\\hat x_{{{en.tex(p.index)}}}$, the normalized "
            f"value of $x_{{{en.tex(p.index)}}}$ (counted from 1), before scale and shift?"
        )

    def solve(self, p: Params) -> float:
        return en.moments(p.x).hat(p.eps)[p.index - 1]

    def oracle(self, p: Params, torch: Any) -> Any:
        batch = torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1)
        out = torch.nn.functional.batch_norm(batch, None, None, training=True, eps=en.nonzero(p.eps))
        return out[p.index - 1, 0]

    def misconceptions(self, p: Params) -> en.Slips:
        m, at = en.moments(p.x), p.index - 1
        value, deviation = p.x[at], m.deviations[at]
        root = sqrt(m.var + p.eps)
        yield en.Misconception(
            "unbiased_variance",
            deviation / sqrt(m.unbiased + p.eps),
            "That divides by $n - 1$; BatchNorm normalizes with the biased variance, divided by $n$.",
        )
        yield en.Misconception(
            "divided_by_variance",
            deviation / (m.var + p.eps),
            "That divides by the variance; its square root is what the deviation is divided by.",
        )
        yield en.Misconception(
            "no_centring",
            value / root,
            r"That divides $x_i$ itself; the mean $\mu$ is subtracted from it first.",
        )
        yield en.Misconception(
            "no_scaling",
            deviation,
            r"That is $x_i - \mu$; it still has to be divided by the standard deviation.",
        )
        yield en.Misconception(
            "rms_instead",
            value / sqrt(en.mean([entry * entry for entry in p.x]) + p.eps),
            "That divides by the root mean square, as RMSNorm does; BatchNorm also removes the mean.",
        )
        yield en.Misconception(
            "sign_flipped",
            -m.hat(p.eps)[at],
            r"The size is right and the sign is not: the deviation is $x_i - \mu$, not $\mu - x_i$.",
        )
        yield en.Misconception(
            "eps_ignored",
            m.hat()[at],
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )
        yield en.Misconception(
            "eps_outside_root",
            deviation / (sqrt(m.var) + p.eps),
            r"That is $\frac{x_i - \mu}{\sigma + \varepsilon}$; $\varepsilon$ belongs inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            f"Mean first, then the variance of all {len(p.x)} values with divisor $n$.",
            r"$\hat x_i = \frac{x_i - \mu}{\sqrt{\sigma^2 + \varepsilon}}$ with "
            r"$\sigma^2 = \frac{1}{n} \sum_j (x_j - \mu)^2$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        return (
            en.Step("Mean of the batch", "mu", "mean(x)", m.mean),
            en.Step("Biased variance: divide by n", "var", "mean((x - mu)^2)", m.var),
            en.Step("Deviation of this entry", "d", "entry(x, index) - mu", m.deviations[p.index - 1]),
            en.Step("Divide by the root", "xhat", "d/sqrt(var + eps)", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        if not all(number.is_integer() for number in (*p.x, p.eps)):
            return None
        x = [Fraction(value) for value in p.x]
        centre = sum(x, Fraction(0)) / len(x)
        square = sum(((value - centre) ** 2 for value in x), Fraction(p.eps) * len(x)) / len(x)
        deviation = x[p.index - 1] - centre
        return f"{deviation.numerator}/sqrt({square * deviation.denominator**2})"


FAMILY = BatchNormEntry()
