"""How many numbers a BatchNorm layer averages, learns and stores for a batch of images."""

from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

LARGEST = 2**24


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the shape (N, C, H, W) of the input", 4)


SLIPS = (
    "channels_averaged_too",
    "examples_apart",
    "positions_forgotten",
    "running_counted_as_learned",
    "counter_per_channel",
    "counter_counted",
)


class BatchNormCount(en.Family[Params]):
    title = "What BatchNorm averages, learns and stores"
    catalogue = "C1"
    given = Params
    kind = en.Integers(labels=("values per mean", "means", "learned numbers", "running numbers"))
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("batchnorm-group", "batchnorm-parameter-count", "running-statistics-count")
    cards = (
        "card:statistics/batchnorm-image-group",
        "card:statistics/batchnorm-learned",
        "card:statistics/batchnorm-stored",
    )
    requires = ("batchnorm.entry",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            return Params(tuple(rng.sample((2, 4, 8, 16, 32), 4)))
        height, width = rng.sample((5, 7, 9, 10, 14), 2)
        return Params((rng.choice((4, 8, 16, 32)), rng.choice((3, 6, 12, 24, 48)), height, width))

    def validate(self, p: Params) -> None:
        n, _, h, w = p.shape
        if prod(p.shape) > LARGEST:
            raise en.Refused("shape", f"at most 2^24 = {LARGEST} numbers are tried here, not {prod(p.shape)}")
        if n * h * w == 1:
            raise en.Refused("shape", "BatchNorm in training needs more than one value per channel")

    def prompt(self, p: Params) -> str:
        return (
            "In training mode, `BatchNorm2d` with PyTorch's defaults gets an input of shape "
            f"$(N, C, H, W) = {en.tex(p.shape)}$. Give four whole numbers, in this order:\n\n"
            "1. how many values are averaged into one mean\n"
            "2. how many means there are\n"
            "3. how many learned numbers the layer has\n"
            "4. how many running numbers it stores (means and variances, not the counter "
            "`num_batches_tracked`)"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        n, c, h, w = p.shape
        return n * h * w, c, 2 * c, 2 * c

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm2d(p.shape[1], momentum=1.0, dtype=torch.float64)
        single_one = torch.zeros(p.shape, dtype=torch.float64)
        single_one[0, 0, 0, 0] = 1.0
        with torch.no_grad():
            layer(single_one)
        running = [buffer for name, buffer in layer.named_buffers() if name.startswith("running")]
        return (
            round(1 / layer.running_mean[0].item()),
            layer.running_mean.numel(),
            sum(parameter.numel() for parameter in layer.parameters()),
            sum(buffer.numel() for buffer in running),
        )

    def misconceptions(self, p: Params) -> en.Slips:
        n, c, h, w = p.shape
        per_mean, means, learned, running = self.solve(p)
        yield en.Misconception(
            "channels_averaged_too",
            (n * c * h * w, means, learned, running),
            "Values per mean: that is $NCHW$, the whole input; every channel has a mean of its own.",
        )
        yield en.Misconception(
            "examples_apart",
            (h * w, means, learned, running),
            "Values per mean: that is $HW$, one image at a time; BatchNorm averages over the examples too.",
        )
        yield en.Misconception(
            "positions_forgotten",
            (n, means, learned, running),
            "Values per mean: that is $N$; every position of every example counts, so $NHW$.",
        )
        yield en.Misconception(
            "running_counted_as_learned",
            (per_mean, means, 4 * c, running),
            r"Learned: that is $4C$; running statistics are measured, only $\gamma$ and $\beta$ are learned.",
        )
        yield en.Misconception(
            "counter_per_channel",
            (per_mean, means, learned, 3 * c),
            "Running numbers: that is $3C$; a channel has two of them, and the counter is one per layer.",
        )
        yield en.Misconception(
            "counter_counted",
            (per_mean, means, learned, 2 * c + 1),
            "Running numbers: that is $2C + 1$; the counter is stored as well but was not asked for here.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "BatchNorm treats each channel by itself, and takes all examples and positions together.",
            "One mean averages $N H W$ values.",
            r"Each of the $C$ channels has a $\gamma$, a $\beta$, a running mean and a running variance.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        per_mean, means, learned, running = self.solve(p)
        return (
            en.Step(
                "All examples and positions: N·H·W",
                "per_mean",
                "entry(shape, 1)*entry(shape, 3)*entry(shape, 4)",
                per_mean,
            ),
            en.Step("One mean per channel: C", "means", "entry(shape, 2)", means),
            en.Step("A scale and a shift per channel", "learned", "2*means", learned),
            en.Step("A running mean and variance per channel", "running", "2*means", running),
            en.Step("All four", "counts", "(per_mean, means, learned, running)", self.solve(p)),
        )


FAMILY = BatchNormCount()
