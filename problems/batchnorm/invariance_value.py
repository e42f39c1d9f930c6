"""BatchNorm's output after its whole input batch was scaled and shifted."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    y: en.Vec = en.batch("the output for the batch x")
    factor: float = en.scalar("the factor c of the new batch cx + s; not 0", 1.0)
    shift: float = en.scalar("the shift s of the new batch cx + s", 0.0)


SLIPS = ("batch_change_passes_on", "factor_passes_on", "shift_passes_on", "sign_flipped")


class InvarianceValue(en.Family[Params]):
    title = "The output after the batch is scaled and shifted"
    catalogue = "A5"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "shift_flipped_too")}
    covers = ("batchnorm-invariance", "negative-factor-flips", "batchnorm-output-moments")
    cards = (
        "card:batchnorm/invariance",
        "card:batchnorm/negative-factor",
        "card:batchnorm/output-statistics",
    )
    requires = ("batchnorm.vector",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        y = en.tidy_batch(rng) if level == 2 else en.untidy_batch(rng, 3, 5)
        while abs(en.mean(y)) < 0.5:
            y = en.tidy_batch(rng) if level == 2 else en.untidy_batch(rng, 3, 5)
        size = rng.choice((0.5, 2.0, 3.0, 10.0))
        sign = -1.0 if level == 3 else rng.choice((-1.0, 1.0))
        return Params(y, sign * size, rng.choice((-1.0, 1.0)) * rng.integer(2, 9))

    def validate(self, p: Params) -> None:
        if max(p.y) - min(p.y) <= 1e-14 * max(map(abs, p.y)):
            raise en.Refused(
                "y", "all outputs are equal, as γ = 0 makes them; then nothing is left to work with"
            )
        if p.factor == 0:
            raise en.Refused("factor", "with c = 0 the new batch is constant, and with ε = 0 that is 0/0")
        if not 1e-150 < abs(p.factor) * max(map(abs, p.y)) < 1e150:
            raise en.Refused("factor", "c·y leaves ±1e-150 … ±1e150, where sums of squares are safe")

    def prompt(self, p: Params) -> str:
        return (
            "For a batch $x$ of one channel (not shown), BatchNorm in training mode with $\\varepsilon = 0$ "
            f"and some $\\gamma$ and $\\beta$ gives the output $y = {en.tex(p.y)}$.\n\nNow the whole batch "
            f"is replaced by $c\\,x + s$ with $c = {en.tex(p.factor)}$ and $s = {en.tex(p.shift)}$. "
            "What is the output of the same layer?"
        )

    def solve(self, p: Params) -> en.Vec:
        beta = en.mean(p.y)
        return p.y if p.factor > 0 else tuple(2 * beta - value for value in p.y)

    def oracle(self, p: Params, torch: Any) -> Any:
        # With β the mean and γ the standard deviation of y, the layer leaves y as it is: y is such a batch.
        y = torch.tensor(p.y, dtype=torch.float64)
        new = p.factor * y + p.shift
        layer = torch.nn.BatchNorm1d(1, eps=en.nonzero(0.0), dtype=torch.float64)
        with torch.no_grad():
            layer.weight.fill_(y.std(correction=0))
            layer.bias.fill_(y.mean())
            return layer(new.reshape(-1, 1)).ravel()

    def misconceptions(self, p: Params) -> en.Slips:
        c, s, beta = p.factor, p.shift, en.mean(p.y)
        yield en.Misconception(
            "batch_change_passes_on",
            en.affine(p.y, c, s),
            "That is $c\\,y + s$; mean and variance of the batch move along and take the change out.",
        )
        yield en.Misconception(
            "factor_passes_on",
            en.affine(p.y, c, 0.0),
            r"That is $c\,y$; the deviations and $\sigma$ grow alike, so the size of $c$ cancels.",
        )
        yield en.Misconception(
            "shift_passes_on",
            en.affine(p.y, 1.0, s),
            r"That is $y + s$; subtracting the mean takes $s$ out.",
        )
        mirrored = tuple(2 * beta - value for value in p.y)
        yield en.Misconception(
            "sign_flipped",
            mirrored if c > 0 else p.y,
            r"That flips the sign of $\hat x$; only a negative $c$ does that."
            if c > 0
            else r"That leaves $\hat x$ as it was; a negative $c$ flips its sign, as $\sigma > 0$.",
        )
        if c < 0:
            yield en.Misconception(
                "shift_flipped_too",
                en.affine(p.y, -1.0, 0.0),
                r"That is $-y$, which flips $\beta$ too; only $\hat x$ changes sign, $\beta$ comes after it.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"What becomes of $\hat x$ when the batch is $c\,x + s$? Look at $x_i - \mu$ and at $\sigma$.",
            r"$\hat x$ becomes $\frac{c}{|c|} \hat x$: only the sign of $c$ is left.",
            r"As $\hat x$ has mean 0, the mean of $y = \gamma \hat x + \beta$ is $\beta$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        beta = en.mean(p.y)
        part = tuple(value - beta for value in p.y)
        return (
            en.Step("β is the mean of the output", "beta", "mean(y)", beta),
            en.Step("What γ and x̂ contribute", "part", "y - beta", part),
            en.Step(
                "Of c only the sign is left; s is gone",
                "sign",
                "factor/abs(factor)",
                p.factor / abs(p.factor),
            ),
            en.Step("Put together again", "new", "sign*part + beta", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        y = [Fraction(repr(value)) for value in p.y]
        return ", ".join(str(value if p.factor > 0 else 2 * sum(y) / len(y) - value) for value in y)


FAMILY = InvarianceValue()
