"""BatchNorm's counter of batches after a script of loops in different modes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

ORDERS = ("train eval no_grad frozen", "no_grad eval train frozen", "train no_grad eval frozen",
          "no_grad train eval frozen")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Params:
    train: int = en.whole("ordinary forward passes in training mode", low=1, high=1000)
    evaluated: int = en.whole("forward passes in eval mode", low=1, high=1000)
    no_grad: int = en.whole("forward passes in training mode under no_grad", low=1, high=1000)
    frozen: int = en.whole("forward passes in training mode with frozen parameters", low=1, high=1000)
    size: int = en.whole("examples in a batch", 32, low=2, high=1024)
    order: str = en.option("the order of the four loops", ORDERS, ORDERS[0])


SLIPS = (
    "no_grad_stops_updates",
    "eval_updates",
    "frozen_params_freeze_buffers",
    "train_starts_anew",
    "examples_counted",
)


class ModeCounter(en.Family[Params]):
    title = "The batch counter after a script"
    catalogue = "B9"
    given = Params
    kind = en.Integer()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("mode-switches", "no-grad-still-updates", "frozen-batchnorm", "batch-counter")
    cards = (
        "card:running_stats/three-buffers",
        "card:running_stats/no-grad",
        "card:running_stats/frozen-parameters",
    )
    requires = ("running_stats.mean",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        pool = range(2, 10) if level == 1 else range(11, 100)
        train, evaluated, no_grad, frozen = rng.sample(pool, 4)
        return Params(train, evaluated, no_grad, frozen, rng.choice((8, 16, 32, 64)), rng.choice(ORDERS))

    def prompt(self, p: Params) -> str:
        return (
            f"The batch `x` holds {en.tex(p.size)} examples. This script runs:\n\n```python\nbn = "
            f"nn.BatchNorm1d(10)\n{code(p)}\n```\n\nWhat is `bn.num_batches_tracked` at the end?"
        )

    def solve(self, p: Params) -> int:
        return counted(p, lambda loop: loop != "eval")

    def oracle(self, p: Params, torch: Any) -> Any:
        bn = torch.nn.BatchNorm1d(1)
        x = torch.zeros(2, 1)
        for loop in p.order.split():
            bn.train(loop != "eval")
            if loop == "frozen":
                bn.requires_grad_(False)
            with torch.set_grad_enabled(loop != "no_grad"):
                for _ in range(repeats(p, loop)):
                    bn(x)
        return bn.num_batches_tracked.item()

    def misconceptions(self, p: Params) -> en.Slips:
        after_eval = p.order.partition("eval")[2].split()
        yield en.Misconception(
            "no_grad_stops_updates",
            counted(p, lambda loop: loop in {"train", "frozen"}),
            "That leaves out the passes under `no_grad`; it stops gradients, and buffers are updated all the "
            "same.",
        )
        yield en.Misconception(
            "eval_updates",
            counted(p, lambda loop: True),
            "That counts the passes in eval mode; only training mode counts.",
        )
        yield en.Misconception(
            "frozen_params_freeze_buffers",
            counted(p, lambda loop: loop in {"train", "no_grad"}),
            r"That leaves out the passes with frozen parameters; freezing $\gamma$ and $\beta$ leaves the "
            "mode and the buffers alone.",
        )
        yield en.Misconception(
            "train_starts_anew",
            counted(p, lambda loop: loop in after_eval),
            "That starts from 0 again when `bn.train()` is called; switching modes keeps what is stored.",
        )
        yield en.Misconception(
            "examples_counted",
            p.size * self.solve(p),
            "That counts examples; the counter goes up by one per batch.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "In which mode is the layer during each of the four loops?",
            "Every forward pass in training mode adds one. Gradients, switched on or off, play no part.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("The passes in eval mode add nothing."),
            en.Step("Those under `no_grad` and those with frozen parameters are in training mode and count."),
            en.Step("Together", "tracked", "train + no_grad + frozen", self.solve(p)),
        )


def repeats(p: Params, loop: str) -> int:
    return {"train": p.train, "eval": p.evaluated, "no_grad": p.no_grad, "frozen": p.frozen}[loop]


def counted(p: Params, counts: Callable[[str], bool]) -> int:
    """Return how many passes the loops have that `counts` names."""
    return sum(repeats(p, loop) for loop in p.order.split() if counts(loop))


def code(p: Params) -> str:
    """Return the four loops as Python, with the mode switched where it changes."""
    lines, training = [], True
    for loop in p.order.split():
        if training != (loop != "eval"):
            training = not training
            lines.append("bn.train()" if training else "bn.eval()")
        if loop == "frozen":
            lines.append("bn.requires_grad_(False)")
        inner = f"for _ in range({repeats(p, loop)}):\n    bn(x)"
        if loop == "no_grad":
            inner = "with torch.no_grad():\n    " + inner.replace("\n", "\n    ")
        lines.append(inner)
    return "\n".join(lines)


FAMILY = ModeCounter()
