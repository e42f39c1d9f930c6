"""What becomes of BatchNorm's output when its whole batch is scaled and shifted, without computing it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.batch("the batch of one channel")
    factor: float = en.scalar("the factor c of the new batch cx + s; not 0, 1 or −1")
    shift: float = en.scalar("the shift s of the new batch cx + s; not 0")
    gamma: float = en.scalar("the scale γ; not 0", 1.0)
    beta: float = en.scalar("the shift β after normalizing", 0.0, low=-1e6, high=1e6)


SAME, MIRRORED, NEGATED, SCALED, SHIFTED, BOTH = range(6)
SLIPS = ("sign_flipped", "factor_passes_on", "batch_change_passes_on")


class BatchNormInvariance(en.Family[Params]):
    title = "What scaling and shifting the batch does"
    catalogue = "A4"
    given = Params
    kind = en.Choice()
    levels = {1: en.Level(*SLIPS, "shift_passes_on"), 2: en.Level(*SLIPS, "shift_flipped_too")}
    covers = ("batchnorm-invariance", "negative-factor-flips")
    cards = ("card:batchnorm/invariance", "card:batchnorm/negative-factor")
    requires = ("batchnorm.vector",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng, 3, 5)
        while en.flat(x):
            x = en.untidy_batch(rng, 3, 5)
        factor = rng.choice((-1.0, 1.0)) * rng.choice((0.5, 2.0, 3.0, 10.0))
        shift = rng.choice((-1.0, 1.0)) * rng.integer(2, 9)
        if level == 1:
            return Params(x, factor, shift, 1.0, 0.0)
        gamma = rng.choice((-1.0, 1.0)) * rng.choice((0.5, 2.0, 3.0))
        return Params(x, factor, shift, gamma, rng.choice((-1.0, 1.0)) * rng.integer(1, 5))

    def validate(self, p: Params) -> None:
        if en.flat(p.x):
            raise en.Refused(
                "x", "all values are equal, so the variance is 0 and with ε = 0 the output is 0/0"
            )
        if p.factor in {0, 1, -1}:
            raise en.Refused(
                "factor", "a factor other than 0, 1 and −1 is wanted: with those, answers coincide"
            )
        if p.shift == 0 or p.shift == 2 * p.beta:
            raise en.Refused("shift", "a shift other than 0 and 2β is wanted: with those, answers coincide")
        if p.gamma == 0:
            raise en.Refused("gamma", "with γ = 0 every output is β, whatever the batch is")
        if not 1e-6 <= abs(p.gamma) <= 1e6:
            raise en.Refused("gamma", "a scale of size 1e-6 to 1e6 is wanted")
        if not 1e-100 < abs(p.factor) * (max(p.x) - min(p.x)) < 1e100 or abs(p.shift) > 1e100:
            raise en.Refused("factor", "c·x leaves ±1e-100 … ±1e100, where sums of squares are safe")
        if en.flat([p.factor * value + p.shift for value in p.x]):
            raise en.Refused("shift", "beside this shift the batch c·x + s is constant in float64")

    def prompt(self, p: Params) -> str:
        return (
            f"One channel of BatchNorm in training mode with $\\gamma = {en.tex(p.gamma)}$, $\\beta = "
            f"{en.tex(p.beta)}$ and $\\varepsilon = 0$ turns the batch $x = {en.tex(p.x)}$ into $y$.\n\nThen "
            f"the whole batch is replaced by $c\\,x + s$ with $c = {en.tex(p.factor)}$ and $s = "
            f"{en.tex(p.shift)}$. What is the output at place $i$ now?"
        )

    def kind_of(self, p: Params) -> en.Choice:
        c, s = en.tex(p.factor), ("+ " if p.shift > 0 else "- ") + en.tex(abs(p.shift))
        texts = {
            SAME: r"$y_i$",
            MIRRORED: f"${en.tex(2 * p.beta)} - y_i$",
            NEGATED: r"$-y_i$",
            SCALED: f"${c}\\,y_i$",
            SHIFTED: f"$y_i {s}$",
            BOTH: f"${c}\\,y_i {s}$",
        }
        return en.Choice(options=tuple(texts[what] for what in offered(p)))

    def solve(self, p: Params) -> int:
        return offered(p).index(SAME if p.factor > 0 else MIRRORED if p.beta else NEGATED)

    def oracle(self, p: Params, torch: Any) -> Any:
        x = torch.tensor(p.x, dtype=torch.float64).reshape(-1, 1)
        gamma, beta = (torch.tensor([value], dtype=torch.float64) for value in (p.gamma, p.beta))

        def layer(batch: Any) -> Any:
            eps = en.nonzero(0.0)
            return torch.nn.functional.batch_norm(batch, None, None, gamma, beta, training=True, eps=eps)

        maps: dict[int, Callable[[Any], Any]] = {
            SAME: lambda y: y,
            MIRRORED: lambda y: 2 * p.beta - y,
            NEGATED: lambda y: -y,
            SCALED: lambda y: p.factor * y,
            SHIFTED: lambda y: y + p.shift,
            BOTH: lambda y: p.factor * y + p.shift,
        }
        before, after = layer(x), layer(p.factor * x + p.shift)
        gaps = [(maps[what](before) - after).abs().max().item() for what in offered(p)]
        return gaps.index(min(gaps))

    def misconceptions(self, p: Params) -> en.Slips:
        place = offered(p).index
        turned = MIRRORED if p.beta else NEGATED
        yield en.Misconception(
            "sign_flipped",
            place(turned if p.factor > 0 else SAME),
            r"That flips the sign of $\hat x$; only a negative $c$ does that."
            if p.factor > 0
            else r"That leaves $\hat x$ as it was; a negative $c$ flips its sign, as $\sigma > 0$.",
        )
        yield en.Misconception(
            "factor_passes_on",
            place(SCALED),
            r"The factor does not pass on: the deviations and $\sigma$ grow alike, so the size of $c$ "
            "cancels.",
        )
        yield en.Misconception(
            "batch_change_passes_on",
            place(BOTH),
            "The change does not pass on: mean and variance of the batch move along and take it out.",
        )
        if p.beta:
            yield en.Misconception(
                "shift_flipped_too",
                place(NEGATED),
                r"That turns the sign of $\beta$ too; $\beta$ comes after the normalizing and never changes."
                if p.factor < 0
                else r"A positive $c$ changes no sign, and $\beta$ never changes: it comes after the "
                "normalizing.",
            )
        else:
            yield en.Misconception(
                "shift_passes_on",
                place(SHIFTED),
                "The shift does not pass on: it is in the mean too, and subtracting the mean takes it out.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"What becomes of $x_i - \mu$, and what of $\sigma$?",
            r"$x_i - \mu$ becomes $c\,(x_i - \mu)$ and $\sigma$ becomes $|c|\,\sigma$.",
            r"Only $\hat x$ can change; then $y_i = \gamma \hat x_i + \beta$ as before.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        sign = p.factor / abs(p.factor)
        last = (
            r"$\hat x_i$ is what it was, so $y_i$ is what it was."
            if p.factor > 0
            else r"$\hat x_i$ changes sign, so $y_i = \gamma \hat x_i + \beta$ becomes $-\gamma \hat x_i + "
            r"\beta = 2\beta - y_i$."
        )
        return (
            en.Step("The mean follows the batch, so the shift cancels", "mu", "factor*mean(x) + shift",
                    p.factor * en.mean(p.x) + p.shift),
            en.Step("Of the factor only its sign is left", "sign", "factor/abs(factor)", sign),
            en.Step(last),
        )  # fmt: skip


def offered(p: Params) -> tuple[int, ...]:
    """Return which five outcomes are offered: with β = 0 mirroring at β is the same as changing sign."""
    return (SAME, MIRRORED, NEGATED, SCALED, BOTH) if p.beta else (SAME, NEGATED, SCALED, SHIFTED, BOTH)


FAMILY = BatchNormInvariance()
