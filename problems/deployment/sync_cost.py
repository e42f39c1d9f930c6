"""How many numbers SyncBatchNorm exchanges in a training step."""

from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

LARGEST = 2**60


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the shape (N, C, H, W) of a device's part of every layer's input", 4)
    depth: int = en.whole("the number of normalization layers", low=1, high=200)


SLIPS = (
    "activations_sent",
    "once_per_model",
    "backward_forgotten",
    "count_forgotten",
    "per_example",
    "layernorm_synchronized",
)


class SyncCost(en.Family[Params]):
    title = "What SyncBatchNorm sends"
    catalogue = "J6"
    given = Params
    kind = en.Integers(labels=("SyncBatchNorm", "LayerNorm"))
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("sync-batchnorm-cost",)
    cards = ("card:statistics/only-batchnorm-couples", "card:other_norms/layernorm-modes")
    requires = ("statistics.batchnorm_count",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            return Params((rng.choice((2, 4, 8)), rng.choice((16, 32, 64)), 8, 8), rng.integer(2, 20))
        size = rng.choice((7, 14, 28))
        shape = (rng.choice((2, 3, 4, 6)), rng.choice((24, 48, 96, 192, 256)), size, size)
        return Params(shape, rng.integer(12, 53))

    def validate(self, p: Params) -> None:
        if prod(p.shape) > LARGEST:
            raise en.Refused("shape", f"at most 2^60 numbers are thought of here, not {prod(p.shape)}")

    def prompt(self, p: Params) -> str:
        return (
            f"A network has normalization layers, ${en.tex(p.depth)}$ of them, and each gets an input of "
            f"shape $(N, C, H, W) = {en.tex(p.shape)}$ on every device. With SyncBatchNorm, each device "
            "contributes to every layer\n\n"
            "- in the forward pass: mean and variance of every channel, and how many values it has (one "
            "number "
            "per layer);\n"
            "- in the backward pass: two sums for every channel.\n\n"
            "How many numbers does one device contribute in a training step? And how many, for "
            "normalization, if "
            "all layers are LayerNorm instead? Give two whole numbers."
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return p.depth * (4 * p.shape[1] + 1), 0

    def oracle(self, p: Params, torch: Any) -> Any:
        # On the meta device tensors have shapes but no memory: what a device computes to be exchanged.
        x, upstream = (torch.empty(p.shape, device="meta") for _ in range(2))
        axes = (0, 2, 3)
        mean, var, count = x.mean(axes), x.var(axes, correction=0), torch.empty(1, device="meta")
        forward = torch.cat((mean, var, count))
        backward = torch.cat((upstream.sum(axes), (upstream * x).sum(axes)))
        synchronized = sum(forward.numel() + backward.numel() for _ in range(p.depth))
        # A LayerNorm's output for one example stays the same when the others, as on another device, go.
        both = torch.randn(2, 3, 2, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        norm = torch.nn.LayerNorm((3, 2, 2), dtype=torch.float64)
        alone = torch.equal(norm(both)[:1], norm(both[:1]))
        return synchronized, 0 if alone else synchronized

    def misconceptions(self, p: Params) -> en.Slips:
        channels, right = p.shape[1], self.solve(p)[0]
        yield en.Misconception(
            "activations_sent",
            (2 * p.depth * prod(p.shape), 0),
            "SyncBatchNorm: that sends whole activations and their gradients; a few sums per channel are "
            "enough.",
        )
        yield en.Misconception(
            "once_per_model",
            (4 * channels + 1, 0),
            "SyncBatchNorm: that is one layer; every layer needs the statistics of its own input.",
        )
        yield en.Misconception(
            "backward_forgotten",
            (p.depth * (2 * channels + 1), 0),
            "SyncBatchNorm: that is the forward pass alone; the backward pass needs two sums per channel as "
            "well.",
        )
        yield en.Misconception(
            "count_forgotten",
            (p.depth * 4 * channels, 0),
            "SyncBatchNorm: that leaves out the count, one number per layer.",
        )
        yield en.Misconception(
            "per_example",
            (p.depth * (4 * channels * p.shape[0] + 1), 0),
            "SyncBatchNorm: that sends statistics of every example; a device first takes them over all its "
            "examples.",
        )
        yield en.Misconception(
            "layernorm_synchronized",
            (right, right),
            "LayerNorm: its groups lie within one example, and an example lies on one device: nothing to "
            "send.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Do the sizes $N$, $H$ and $W$ matter for what is sent?",
            "One layer contributes $2C + 1$ numbers forward and $2C$ backward. And does a LayerNorm ever "
            "look at "
            "another example?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        channels = p.shape[1]
        return (
            en.Step("Forward, one layer", "forward", "2*entry(shape, 2) + 1", 2 * channels + 1),
            en.Step("Backward, one layer", "backward", "2*entry(shape, 2)", 2 * channels),
            en.Step("All layers", "sent", "depth*(forward + backward)", self.solve(p)[0]),
            en.Step(
                "LayerNorm's groups lie within one example: nothing is sent",
                "both",
                "(sent, 0)",
                self.solve(p),
            ),
        )


FAMILY = SyncCost()
