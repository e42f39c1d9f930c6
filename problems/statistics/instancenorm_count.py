"""How many numbers an InstanceNorm layer averages, learns and stores for a batch of images."""

from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

LARGEST = 2**24


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the shape (N, C, H, W) of the input", 4)
    affine: str = en.option("the layer's flag affine", ("False", "True"), "False")
    tracking: str = en.option("the layer's flag track_running_stats", ("False", "True"), "False")


SLIPS = ("examples_averaged_too", "channels_averaged_too", "means_shared_by_examples")


class InstanceNormCount(en.Family[Params]):
    title = "What InstanceNorm averages, learns and stores"
    catalogue = "C4"
    given = Params
    kind = en.Integers(labels=("values per mean", "means", "learned numbers", "running numbers"))
    levels = {
        1: en.Level(*SLIPS, "learned_by_default", "running_by_default"),
        2: en.Level(*SLIPS, "flags_swapped", "state_per_example"),
    }
    covers = ("instancenorm-group", "instancenorm-defaults")
    cards = ("card:statistics/instancenorm-group", "card:other_norms/instancenorm-state")
    requires = ("statistics.batchnorm_count",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            return Params(tuple(rng.sample((2, 4, 8, 16, 32), 4)), "False", "False")
        batch, channels = rng.choice((4, 8, 16, 32)), rng.choice((3, 6, 12, 24, 48))
        height, width = rng.sample((5, 7, 9, 10, 14), 2)
        affine, tracking = rng.choice((("True", "False"), ("False", "True")))
        return Params((batch, channels, height, width), affine, tracking)

    def validate(self, p: Params) -> None:
        if prod(p.shape) > LARGEST:
            raise en.Refused("shape", f"at most 2^24 = {LARGEST} numbers are tried here, not {prod(p.shape)}")
        if p.shape[2] * p.shape[3] == 1:
            raise en.Refused("shape", "InstanceNorm in training needs more than one position per channel")

    def prompt(self, p: Params) -> str:
        flags = {"affine": p.affine, "track_running_stats": p.tracking}
        set_to_true = " and ".join(f"`{name}=True`" for name, flag in flags.items() if flag == "True")
        settings = f"{set_to_true} and otherwise PyTorch's defaults" if set_to_true else "PyTorch's defaults"
        return (
            f"In training mode, `InstanceNorm2d(C)` with {settings} gets an input of shape "
            f"$(N, C, H, W) = {en.tex(p.shape)}$. Give four whole numbers, in this order:\n\n"
            "1. how many values are averaged into one mean\n"
            "2. how many means there are\n"
            "3. how many learned numbers the layer has\n"
            "4. how many running numbers it stores (means and variances, not a counter)"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        n, c, h, w = p.shape
        return h * w, n * c, 2 * c * (p.affine == "True"), 2 * c * (p.tracking == "True")

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.InstanceNorm2d(
            p.shape[1],
            affine=p.affine == "True",
            track_running_stats=p.tracking == "True",
            dtype=torch.float64,
        )
        single_one = torch.zeros(p.shape, dtype=torch.float64)
        single_one[0, 0, 0, 0] = 1.0
        node = layer(single_one.requires_grad_()).grad_fn
        while not hasattr(node, "_saved_result1"):  # the node that keeps the means for the backward pass
            node = node.next_functions[0][0]
        means = node._saved_result1
        running = [buffer for name, buffer in layer.named_buffers() if name.startswith("running")]
        return (
            round(1 / means.max().item()),
            means.numel(),
            sum(parameter.numel() for parameter in layer.parameters()),
            sum(buffer.numel() for buffer in running),
        )

    def misconceptions(self, p: Params) -> en.Slips:
        n, c, h, w = p.shape
        per_mean, means, learned, running = self.solve(p)
        yield en.Misconception(
            "examples_averaged_too",
            (n * h * w, means, learned, running),
            "Values per mean: that is $NHW$, as in BatchNorm; InstanceNorm stays inside one example.",
        )
        yield en.Misconception(
            "channels_averaged_too",
            (c * h * w, means, learned, running),
            "Values per mean: that is $CHW$, a whole example; every channel is normalized by itself.",
        )
        yield en.Misconception(
            "means_shared_by_examples",
            (per_mean, c, learned, running),
            "Means: that is $C$; every one of the $N$ examples has $C$ means of its own.",
        )
        yield en.Misconception(
            "flags_swapped",
            (per_mean, means, running, learned),
            r"That swaps the flags: `affine` gives $\gamma$ and $\beta$, `track_running_stats` the "
            "running means and variances.",
        )
        if not learned:
            yield en.Misconception(
                "learned_by_default",
                (per_mean, means, 2 * c, running),
                "Learned: that is $2C$, BatchNorm's default; InstanceNorm has `affine=False` unless told.",
            )
        if not running:
            yield en.Misconception(
                "running_by_default",
                (per_mean, means, learned, 2 * c),
                "Running numbers: that is $2C$, BatchNorm's default; InstanceNorm has "
                "`track_running_stats=False` unless told.",
            )
        yield en.Misconception(
            "state_per_example",
            (per_mean, means, n * learned, n * running),
            "That keeps two numbers for each of the $NC$ means; what the layer learns or stores is per "
            "channel, whatever $N$ is.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "InstanceNorm treats every channel of every example by itself.",
            "One mean averages $H W$ values.",
            "`affine` and `track_running_stats` are both off by default. Each, if on, keeps two numbers "
            "per channel.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        per_mean, means, learned, running = self.solve(p)
        per_channel = "2*entry(shape, 2)"
        return (
            en.Step(
                "The positions of one channel: H·W", "per_mean", "entry(shape, 3)*entry(shape, 4)", per_mean
            ),
            en.Step(
                "One mean per channel and example: N·C", "means", "entry(shape, 1)*entry(shape, 2)", means
            ),
            en.Step(
                "A scale and a shift per channel" if learned else "affine=False: nothing is learned",
                "learned",
                per_channel if learned else "0",
                learned,
            ),
            en.Step(
                "A running mean and variance per channel"
                if running
                else "track_running_stats=False: nothing is stored",
                "running",
                per_channel if running else "0",
                running,
            ),
            en.Step("All four", "counts", "(per_mean, means, learned, running)", self.solve(p)),
        )


FAMILY = InstanceNormCount()
