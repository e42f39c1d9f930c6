"""The weight that the start value still has in a running mean after some training steps."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    momentum: float = en.scalar("PyTorch's momentum, the weight of the new batch", 0.1, low=0.0, high=1.0)
    steps: int = en.whole("how many training steps were made", 1, low=0, high=5000)


SLIPS = (
    "keras_momentum",
    "keras_new_share",
    "new_share",
    "linear_growth",
    "linear_fading",
    "one_step_short",
    "one_step_too_many",
)


class RunningMemory(en.Family[Params]):
    title = "How much of the start value is left"
    catalogue = "B8"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS, distinct=17), 2: en.Level(*SLIPS)}
    covers = ("running-statistics-memory", "momentum-convention")
    cards = ("card:running_stats/memory", "card:running_stats/keras-momentum")
    requires = ("running_stats.mean",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            return Params(rng.choice((0.1, 0.2, 0.4, 0.6, 0.8, 0.9)), rng.integer(2, 4))
        momentum = rng.choice((0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3))
        return Params(momentum, rng.integer(5, int(3 / momentum)))

    def validate(self, p: Params) -> None:
        if 0 < p.momentum < 1 and not self.solve(p) > 1e-300:
            raise en.Refused("steps", "so many steps leave less than 1e-300, too little for float64")

    def prompt(self, p: Params) -> str:
        return (
            f"A BatchNorm layer with PyTorch's momentum $m = {en.tex(p.momentum)}$ has made "
            f"${en.tex(p.steps)}$ training step{'' if p.steps == 1 else 's'} since its running mean was set "
            "to a start value.\n\nWith which weight does the start value still enter the running mean (1: "
            "fully, 0: not at all)?"
        )

    def solve(self, p: Params) -> float:
        return float((1 - p.momentum) ** p.steps)

    def oracle(self, p: Params, torch: Any) -> Any:
        # From 1, batches of zeros leave nothing but the start's weight.
        layer = torch.nn.BatchNorm1d(1, momentum=p.momentum, dtype=torch.float64)
        layer.running_mean.fill_(1.0)
        zeros = torch.zeros(2, 1, dtype=torch.float64)
        with torch.no_grad():
            for _ in range(p.steps):
                layer(zeros)
        return layer.running_mean[0]

    def misconceptions(self, p: Params) -> en.Slips:
        m, k = p.momentum, p.steps
        yield en.Misconception(
            "keras_momentum",
            m**k,
            "That is $m^k$, as if $m$ were the weight of the old value, as in Keras; in PyTorch the old "
            "value has the weight $1 - m$.",
        )
        yield en.Misconception(
            "keras_new_share",
            1 - m**k,
            "That is $1 - m^k$. The start is multiplied by $1 - m$ again and again: $(1 - m)^k$.",
        )
        yield en.Misconception(
            "new_share",
            1 - (1 - m) ** k,
            "That is what all batches weigh together; the start has the rest.",
        )
        yield en.Misconception(
            "linear_growth",
            m * k,
            "That is $mk$, a share $m$ for every step; each step multiplies the start's weight by $1 - m$.",
        )
        yield en.Misconception(
            "linear_fading",
            1 - m * k,
            "That takes $m$ away at every step; each step takes the share $m$ of what is left.",
        )
        if k > 0:
            yield en.Misconception(
                "one_step_short",
                (1 - m) ** (k - 1),
                "That is one step too few: the first step already multiplies the start by $1 - m$.",
            )
        yield en.Misconception(
            "one_step_too_many",
            (1 - m) ** (k + 1),
            "That is one step too many: $k$ steps multiply by $1 - m$ just $k$ times.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "What does one step do to the weight of what was there before?",
            r"$\hat\mu \leftarrow (1 - m)\,\hat\mu + m\,\mu$: every step multiplies the old part by $1 - m$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("What one step leaves of the old value", "kept", "1 - momentum", 1 - p.momentum),
            en.Step("All steps multiply", "weight", "kept^steps", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        return f"(1 - {p.momentum!r})^{p.steps}"


FAMILY = RunningMemory()
