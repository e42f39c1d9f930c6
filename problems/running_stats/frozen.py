"""What still moves in a BatchNorm layer that was frozen in one way or another."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

SETUPS = {
    "train": "`bn.train()`",
    "frozen": "`bn.requires_grad_(False)`",
    "eval": "`bn.eval()`",
    "frozen-eval": "`bn.requires_grad_(False)` and `bn.eval()`",
    "train-eval": "`model.train()`, then `bn.eval()`",
    "eval-train": "`bn.eval()`, then `model.train()`",
    "frozen-eval-train": "`bn.requires_grad_(False)` and `bn.eval()`, then `model.train()`",
}
"""Ways to set up the layer; the mode switch named last holds."""
ASKED = {
    "moves": "`running_mean` changes",
    "rests": "`running_mean` stays as it is",
    "counts": "`num_batches_tracked` goes up",
    "learns": "`bn.weight` gets a gradient",
    "fixed": "`bn.weight` gets no gradient",
    "couples": "an example's output depends on the other examples",
}
BUFFERS = ("moves", "rests", "counts")
NEGATED = {"rests", "fixed"}
ROWS = tuple(f"{setup}:{asked}" for setup in SETUPS for asked in ASKED)


@dataclass(frozen=True, slots=True)
class Params:
    a: str = en.option("case A, as setup:question", ROWS, "frozen:moves")
    b: str = en.option("case B, as setup:question", ROWS, "eval-train:moves")
    c: str = en.option("case C, as setup:question", ROWS, "eval:learns")
    d: str = en.option("case D, as setup:question", ROWS, "eval:counts")
    e: str = en.option("case E, as setup:question", ROWS, "eval:couples")


SLIPS = (
    "frozen_params_freeze_buffers",
    "eval_survives_train",
    "eval_blocks_gradients",
    "eval_updates",
)


class FrozenLayer(en.Family[Params]):
    title = "What still moves in a frozen layer"
    catalogue = "B10"
    given = Params
    kind = en.YesNo()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "batch_stats_in_eval")}
    covers = ("frozen-batchnorm", "mode-switches", "eval-mode")
    cards = (
        "card:running_stats/frozen-parameters",
        "card:running_stats/train-undoes-eval",
        "card:running_stats/running-statistics",
    )
    requires = ("running_stats.mean", "running_stats.eval_output")

    def draw(self, level: int, rng: en.Rng) -> Params:
        first = level == 1
        buffers = ("moves", "counts") if first else BUFFERS
        gradient = ("learns",) if first else ("learns", "fixed")
        undone = ("eval-train",) if first else ("eval-train", "frozen-eval-train")
        ended = ("eval", "train-eval") if first else ("eval", "train-eval", "frozen-eval")
        other = (
            ("frozen:learns", "frozen:couples", "train:couples", "train:learns", "eval-train:couples")
            if first
            else ("eval:couples", "train-eval:couples", "frozen-eval:couples")
        )
        rows = (
            f"frozen:{rng.choice(buffers)}",
            f"{rng.choice(undone)}:{rng.choice(buffers)}",
            f"{rng.choice(('eval', 'train-eval'))}:{rng.choice(gradient)}",
            f"{rng.choice(ended)}:{rng.choice(buffers)}",
            rng.choice(other),
        )
        return Params(*rng.shuffled(rows))

    def prompt(self, p: Params) -> str:
        setups = "\n".join(
            f"- **{letter}**: {SETUPS[row.partition(':')[0]]}"
            for letter, row in zip("ABCDE", rows(p), strict=True)
        )
        return (
            "`bn` is a `BatchNorm1d` layer of `model`, and all of it is in training mode at first. In each "
            f"of these cases the lines are run on a fresh copy:\n\n{setups}\n\nThen a batch passes forward "
            "and the loss backward. What is true?"
        )

    def kind_of(self, p: Params) -> en.YesNo:
        return en.YesNo(
            labels=tuple(
                f"{letter}: {ASKED[row.partition(':')[2]]}"
                for letter, row in zip("ABCDE", rows(p), strict=True)
            )
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(holds(row) for row in rows(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        return tuple(int(tried(row, torch)) for row in rows(p))

    def misconceptions(self, p: Params) -> en.Slips:
        def flipped(where: Callable[[str, str], bool]) -> tuple[int, ...]:
            return tuple(1 - holds(row) if where(*row.split(":")) else holds(row) for row in rows(p))

        yield en.Misconception(
            "frozen_params_freeze_buffers",
            flipped(lambda setup, asked: asked in BUFFERS and "frozen" in setup and trains(setup)),
            "`requires_grad_(False)` stops the optimizer only: in training mode the buffers are updated as "
            "before.",
        )
        yield en.Misconception(
            "eval_survives_train",
            flipped(lambda setup, asked: asked in (*BUFFERS, "couples") and setup.endswith("eval-train")),
            "`model.train()` puts every layer back into training mode, also one that was set to eval.",
        )
        yield en.Misconception(
            "eval_blocks_gradients",
            flipped(
                lambda setup, asked: (
                    asked in {"learns", "fixed"} and "frozen" not in setup and not trains(setup)
                )
            ),
            "Eval mode changes which statistics are used; gradients flow as before, to $\\gamma$ as well.",
        )
        yield en.Misconception(
            "eval_updates",
            flipped(lambda setup, asked: asked in BUFFERS and not trains(setup)),
            "In eval mode the buffers are only read; forward passes leave them as they are.",
        )
        yield en.Misconception(
            "batch_stats_in_eval",
            flipped(lambda setup, asked: asked == "couples" and not trains(setup)),
            "In eval mode the running statistics are used, so every example is treated by itself.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Two switches act apart from each other: the mode and `requires_grad`. Which one rules what?",
            "The mode alone decides about statistics and buffers, `requires_grad` alone about gradients. The "
            "mode that was set last counts.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        words = []
        for letter, row in zip("ABCDE", rows(p), strict=True):
            setup, _, asked = row.partition(":")
            if asked in {"learns", "fixed"}:
                reason = (
                    r"$\gamma$ is frozen, so it gets no gradient"
                    if "frozen" in setup
                    else r"$\gamma$ is not frozen, so it gets a gradient in either mode"
                )
            elif trains(setup):
                reason = "training mode holds: batch statistics are used and the buffers move"
            else:
                reason = "eval mode holds: the running statistics are used and the buffers rest"
            words.append(en.Step(f"{letter}: {reason}. So **{('no', 'yes')[holds(row)]}**."))
        return tuple(words)


def rows(p: Params) -> tuple[str, ...]:
    return p.a, p.b, p.c, p.d, p.e


def trains(setup: str) -> bool:
    """Tell whether the layer ends up in training mode."""
    return not setup.endswith("eval")


def holds(row: str) -> int:
    setup, _, asked = row.partition(":")
    true = "frozen" not in setup if asked in {"learns", "fixed"} else trains(setup)
    return int(true != (asked in NEGATED))


def tried(row: str, torch: Any) -> bool:
    """Tell what a real layer does."""
    setup, _, asked = row.partition(":")
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(1)).double()
    bn = model[0]
    for call in setup.split("-"):
        if call == "frozen":
            bn.requires_grad_(False)
        else:
            (model if call == "train" else bn).train(call == "train")
    x = torch.tensor([[1.0], [2.0], [5.0]], dtype=torch.float64, requires_grad=True)
    out = model(x)
    (influence,) = torch.autograd.grad(out[0, 0], x, retain_graph=True)
    (out * torch.tensor([[1.0], [3.0], [-1.0]], dtype=torch.float64)).sum().backward()
    moved = bn.running_mean.item() != 0
    seen: dict[str, bool] = {
        "moves": moved,
        "rests": not moved,
        "counts": bn.num_batches_tracked.item() > 0,
        "learns": bn.weight.grad is not None,
        "fixed": bn.weight.grad is None,
        "couples": bool((influence[1:] != 0).any()),
    }
    return seen[asked]


FAMILY = FrozenLayer()
