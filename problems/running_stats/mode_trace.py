"""BatchNorm's running statistics after a short script that switches modes and gradients."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

SCRIPTS = ("EFTNF", "EFTFN", "FENF", "NEFTF", "FEFTN", "FENTN", "NEFTFF", "FEFTNF", "FNEFTF")
"""T and E switch to training and eval mode, F is a forward pass, N one under `torch.no_grad()`."""
FRESH = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Params:
    x: tuple[en.Vec, ...] = en.matrix("the batches, one row for each forward pass", square=False)
    script: str = en.option(
        "the calls in order: T(rain), E(val), F(orward), N(o_grad forward)", SCRIPTS, "FEFTN"
    )
    momentum: float = en.scalar("PyTorch's momentum, the weight of the new batch", 0.1, low=0.0, high=1.0)


SLIPS = (
    "no_grad_stops_updates",
    "eval_updates",
    "biased_running_variance",
    "keras_momentum",
    "replaced",
)  # fmt: skip


class ModeTrace(en.Family[Params]):
    title = "Running statistics after a script"
    catalogue = "B9"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "train_starts_anew")}
    covers = ("mode-switches", "no-grad-still-updates", "running-statistics-over-steps")
    cards = ("card:running_stats/no-grad", "card:running_stats/running-statistics")
    requires = ("running_stats.mean", "running_stats.variance")

    def draw(self, level: int, rng: en.Rng) -> Params:
        script = rng.choice(SCRIPTS[:6] if level == 2 else SCRIPTS[4:])
        rows: list[en.Vec] = []
        for _ in passes(script):
            if level == 2:
                centre, half = rng.integer(-4, 9), rng.integer(1, 4)
                rows.append(tuple(map(float, rng.shuffled((centre - half, centre + half)))))
            else:
                row = tuple(map(float, rng.integers(3, -6, 12)))
                rows.append(row if en.moments(row).squares else (1.0, 2.0, 6.0))
        return Params(tuple(rows), script, rng.choice((0.1, 0.2) if level == 2 else (0.1, 0.2, 0.3)))

    def validate(self, p: Params) -> None:
        if len(p.x[0]) < 2:
            raise en.Refused("x", "BatchNorm in training needs two values per batch or more")
        if len(p.x) != len(passes(p.script)):
            raise en.Refused(
                "x", f"the script has {len(passes(p.script))} forward passes; give a row for each"
            )

    def prompt(self, p: Params) -> str:
        names = ", ".join(f"`x{at}`" for at in range(1, len(p.x) + 1))
        return (
            f"The rows of\n\n$${en.tex(p.x)}$$\n\nare the batches {names} of one channel, as tensors of "
            f"shape $({len(p.x[0])}, 1)$. This script runs:\n\n```python\nbn = nn.BatchNorm1d(1, "
            f"momentum={en.plain(p.momentum)})\n{code(p.script)}\n```\n\nGive two numbers: the running mean "
            "and the running variance at the end."
        )

    def solve(self, p: Params) -> en.Vec:
        return final(p, lambda training, call: training)

    def oracle(self, p: Params, torch: Any) -> Any:
        bn = torch.nn.BatchNorm1d(1, momentum=p.momentum, dtype=torch.float64)
        batches = iter(torch.tensor(p.x, dtype=torch.float64).unsqueeze(-1))
        for call in p.script:
            if call in "TE":
                bn.train(call == "T")
            elif call == "N":
                with torch.no_grad():
                    bn(next(batches))
            else:
                bn(next(batches))
        return bn.running_mean[0], bn.running_var[0]

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "no_grad_stops_updates",
            final(p, lambda training, call: training and call == "F"),
            "That skips the pass under `no_grad`; only the mode decides, so in training mode it counts.",
        )
        yield en.Misconception(
            "eval_updates",
            final(p, lambda training, call: True),
            "That lets a pass in eval mode count; eval mode only reads the running statistics.",
        )
        yield en.Misconception(
            "biased_running_variance",
            final(p, lambda training, call: training, biased=True),
            "The mean is right. The running variance takes the batch variance divided by $n - 1$, not by "
            "$n$.",
        )
        yield en.Misconception(
            "keras_momentum",
            final(p, lambda training, call: training, share=1 - p.momentum),
            "That gives $m$ to the old value, as Keras does; in PyTorch $m$ weighs the new batch.",
        )
        yield en.Misconception(
            "replaced",
            final(p, lambda training, call: training, share=1.0),
            "Those are the statistics of the last training batch alone; the running ones only move towards "
            "them.",
        )
        if "T" in p.script:
            yield en.Misconception(
                "train_starts_anew",
                final(p, lambda training, call: training, anew=True),
                "That starts from 0 and 1 again at `bn.train()`; switching modes keeps what is stored.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Go through the script line by line and note the mode. Which passes change the running "
            "statistics?",
            "Only forward passes in training mode do, with or without gradients. A new layer starts at mean "
            "0 and variance 1.",
            "Each of them gives $(1 - m)$ of the old value plus $m$ of the batch's mean, and of its variance "
            "divided by $n - 1$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        steps = []
        mean, var = FRESH
        old = ("0", "1")
        less = len(p.x[0]) - 1
        for row, (training, call) in enumerate(passes(p.script), 1):
            if not training:
                steps.append(en.Step(f"`x{row}` passes in eval mode: nothing changes."))
                continue
            m = en.moments(p.x[row - 1])
            mean, var = step((mean, var), m.mean, m.unbiased, p.momentum)
            under = ", under `no_grad` too" if call == "N" else ""
            batch = f"entry(x, {row})"
            steps.append(
                en.Step(f"`x{row}` in training mode{under}: the mean moves", f"mean{row}",
                        f"(1 - momentum)*{old[0]} + momentum*mean({batch})", mean)
            )  # fmt: skip
            steps.append(
                en.Step("and the variance, with divisor n − 1", f"var{row}",
                        f"(1 - momentum)*{old[1]} + momentum*sum(({batch} - mean({batch}))^2)/{less}", var)
            )  # fmt: skip
            old = f"mean{row}", f"var{row}"
        return (*steps, en.Step("Both", "buffers", f"({old[0]}, {old[1]})", (mean, var)))


def passes(script: str) -> list[tuple[bool, str]]:
    """Return for every forward pass whether it runs in training mode, and its call."""
    training, found = True, []
    for call in script:
        if call in "TE":
            training = call == "T"
        else:
            found.append((training, call))
    return found


def code(script: str) -> str:
    """Return the script as Python."""
    lines, row = [], 0
    for call in script:
        row += call in "FN"
        lines.append(
            {
                "T": "bn.train()",
                "E": "bn.eval()",
                "F": f"bn(x{row})",
                "N": f"with torch.no_grad():\n    bn(x{row})",
            }[call]
        )
    return "\n".join(lines)


def step(old: tuple[float, float], mean: float, var: float, share: float) -> tuple[float, float]:
    return (1 - share) * old[0] + share * mean, (1 - share) * old[1] + share * var


def final(
    p: Params,
    counts: Callable[[bool, str], bool],
    *,
    share: float | None = None,
    biased: bool = False,
    anew: bool = False,
) -> en.Vec:
    """Return the running mean and variance at the end, where `counts` tells which passes update them."""
    state, training, row = FRESH, True, 0
    for call in p.script:
        if call in "TE":
            training = call == "T"
            state = FRESH if anew and training else state
            continue
        m = en.moments(p.x[row])
        row += 1
        if counts(training, call):
            state = step(
                state, m.mean, m.var if biased else m.unbiased, p.momentum if share is None else share
            )
    return state


FAMILY = ModeTrace()
