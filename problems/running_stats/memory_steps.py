"""How many training steps it takes until a running mean has forgotten its start value."""

from dataclasses import dataclass
from math import ceil, floor, log, log1p
from typing import Any

from studynorm import engine as en

LONGEST = 5000
LONGEST_BY_HAND = 11  # steps at level 1, where the weight can be multiplied out on paper


@dataclass(frozen=True, slots=True)
class Params:
    momentum: float = en.scalar(
        "PyTorch's momentum, the weight of the new batch; below 1", 0.1, above=0.0, high=1.0
    )
    weight: float = en.scalar("the weight that the start must fall below, below 1", above=0.0, high=1.0)


SLIPS = ("one_step_short", "one_step_too_many", "linear_fading", "keras_momentum")


class MemorySteps(en.Family[Params]):
    title = "Steps until the start value has faded"
    catalogue = "B8"
    given = Params
    kind = en.Integer()
    levels = {1: en.Level(*SLIPS, distinct=17), 2: en.Level(*SLIPS, "window_length")}
    covers = ("running-statistics-memory",)
    cards = ("card:running_stats/memory",)
    requires = ("running_stats.memory",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            while True:
                momentum = rng.choice((0.1, 0.15, 0.2, 0.25, 0.3, 0.4))
                p = Params(momentum, rng.choice((0.3, 0.25, 0.2, 0.15, 0.1, 0.05)))
                if self.solve(p) <= LONGEST_BY_HAND:
                    return p
        momentum = rng.choice((0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.07, 0.08))
        return Params(momentum, rng.choice((0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.12, 0.1)))

    def validate(self, p: Params) -> None:
        if p.momentum == 1 or p.weight == 1:
            name = "momentum" if p.momentum == 1 else "weight"
            raise en.Refused(name, "a number between 0 and 1 is wanted, not 1 itself")
        needed = real(p)
        if needed > LONGEST:
            raise en.Refused("momentum", f"this takes more than {LONGEST} steps; take a larger momentum")
        if abs(needed - round(needed)) < 1e-9 * max(1.0, needed):
            raise en.Refused("weight", "a whole number of steps reaches just this weight; take another one")

    def prompt(self, p: Params) -> str:
        return (
            f"BatchNorm's momentum (PyTorch's) is $m = {en.tex(p.momentum)}$. After how many training steps "
            "does the start value of its running mean weigh *less than* "
            f"${en.tex(p.weight)}$ for the first time?"
        )

    def solve(self, p: Params) -> int:
        return ceil(real(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        # From 1, batches of zeros leave nothing but the start's weight.
        layer = torch.nn.BatchNorm1d(1, momentum=p.momentum, dtype=torch.float64)
        layer.running_mean.fill_(1.0)
        zeros = torch.zeros(2, 1, dtype=torch.float64)
        with torch.no_grad():
            while layer.running_mean.item() >= p.weight and layer.num_batches_tracked <= LONGEST:
                layer(zeros)
        return layer.num_batches_tracked

    def misconceptions(self, p: Params) -> en.Slips:
        steps, linear = self.solve(p), floor((1 - p.weight) / p.momentum + 1e-9) + 1
        yield en.Misconception(
            "one_step_short",
            steps - 1,
            "One step too few: there the start still weighs more than that. Round up, not down.",
        )
        yield en.Misconception(
            "one_step_too_many",
            steps + 1,
            "One step too many: it weighs less already one step before.",
        )
        yield en.Misconception(
            "linear_fading",
            linear,
            "That takes $m$ away at every step; each step takes the share $m$ of what is left.",
        )
        yield en.Misconception(
            "keras_momentum",
            floor(log(p.weight) / log(p.momentum) + 1e-9) + 1,
            f"That solves $m^k < {en.tex(p.weight)}$, with $m$ as the weight of the old value, as in Keras; "
            "in PyTorch the old value has the weight $1 - m$.",
        )
        window = ceil(1 / p.momentum - 1e-9)
        if window != linear:
            yield en.Misconception(
                "window_length",
                window,
                r"That is $\frac{1}{m}$, how many batches the average remembers; by then the start still "
                "weighs about $0.37$.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Every step multiplies the weight of the start value by $1 - m$.",
            f"Which is the first $k$ with $(1 - m)^k < {en.tex(p.weight)}$? Multiply step by step, or take "
            r"logarithms: dividing by $\ln(1 - m) < 0$ turns the sign around.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        kept, steps = 1 - p.momentum, self.solve(p)
        return (
            en.Step("What one step leaves of the old value", "kept", "1 - momentum", kept),
            en.Step("Logarithm of the weight that is wanted", "a", "ln(weight)", log(p.weight)),
            en.Step("Logarithm of what one step leaves", "b", "ln(kept)", log1p(-p.momentum)),
            en.Step("Steps for just that weight, whole or not", "exactly", "a/b", real(p)),
            en.Step(
                "One step earlier it is still too much", "before", f"kept^{steps - 1}", kept ** (steps - 1)
            ),
            en.Step("Here it is below", "after", f"kept^{steps}", kept**steps),
            en.Step("The first whole number of steps", "k", str(steps), steps),
        )


def real(p: Params) -> float:
    """Return the real number of steps after which the start weighs just this much."""
    return log(p.weight) / log1p(-p.momentum)


FAMILY = MemorySteps()
