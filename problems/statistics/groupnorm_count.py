"""How many numbers a GroupNorm layer averages and learns for a batch of images."""

from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

LARGEST = 2**24


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the shape (N, C, H, W) of the input", 4)
    groups: int = en.whole("the number G of groups", 1, low=1, high=2**20)


SLIPS = (
    "groups_as_group_size",
    "examples_averaged_too",
    "channels_averaged_too",
    "positions_forgotten",
    "means_shared_by_examples",
    "learned_per_group",
)


class GroupNormCount(en.Family[Params]):
    title = "What GroupNorm averages and learns"
    catalogue = "C3"
    given = Params
    kind = en.Integers(labels=("values per mean", "means", "learned numbers"))
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("groupnorm-group", "groupnorm-affine-per-channel")
    cards = ("card:statistics/groupnorm-group", "card:other_norms/groupnorm-divides")
    requires = ("statistics.batchnorm_count",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        sizes = (2, 4, 8) if level == 1 else (2, 3, 5, 6)
        groups, channels = rng.sample(sizes, 2)
        height, width = rng.sample((2, 4, 8, 16) if level == 1 else (5, 7, 9, 10, 14), 2)
        return Params((rng.choice((2, 4, 8, 16)), groups * channels, height, width), groups)

    def validate(self, p: Params) -> None:
        n, c, h, w = p.shape
        if prod(p.shape) > LARGEST:
            raise en.Refused("shape", f"at most 2^24 = {LARGEST} numbers are tried here, not {prod(p.shape)}")
        if c % p.groups:
            raise en.Refused("groups", f"a divisor of the {c} channels is wanted, not {p.groups}")
        if n * (c // p.groups) * h * w == 1:
            raise en.Refused("shape", "torch's GroupNorm refuses one example whose groups hold one number")

    def prompt(self, p: Params) -> str:
        return (
            f"`GroupNorm(G, C)` with $G = {en.tex(p.groups)}$ and PyTorch's defaults gets an input of shape "
            f"$(N, C, H, W) = {en.tex(p.shape)}$. Give three whole numbers, in this order:\n\n"
            "1. how many values are averaged into one mean\n"
            "2. how many means there are\n"
            "3. how many learned numbers the layer has"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        n, c, h, w = p.shape
        return c // p.groups * h * w, n * p.groups, 2 * c

    def oracle(self, p: Params, torch: Any) -> Any:
        n, c, h, w = p.shape
        layer = torch.nn.GroupNorm(p.groups, c, dtype=torch.float64)
        single_one = torch.zeros(p.shape, dtype=torch.float64)
        single_one[0, 0, 0, 0] = 1.0
        with torch.no_grad():
            _, means, _ = torch.native_group_norm(
                single_one, layer.weight, layer.bias, n, c, h * w, layer.num_groups, layer.eps
            )
        return (
            round(1 / means.max().item()),
            means.numel(),
            sum(parameter.numel() for parameter in layer.parameters()),
        )

    def misconceptions(self, p: Params) -> en.Slips:
        n, c, h, w = p.shape
        per_mean, means, learned = self.solve(p)
        yield en.Misconception(
            "groups_as_group_size",
            (p.groups * h * w, means, learned),
            "Values per mean: that is $G H W$; $G$ is the number of groups, and each has $C/G$ channels.",
        )
        yield en.Misconception(
            "examples_averaged_too",
            (n * per_mean, means, learned),
            "Values per mean: that takes all $N$ examples together; GroupNorm stays inside one example.",
        )
        yield en.Misconception(
            "channels_averaged_too",
            (c * h * w, means, learned),
            "Values per mean: that is $CHW$, all channels; a group holds only $C/G$ of them.",
        )
        yield en.Misconception(
            "positions_forgotten",
            (c // p.groups, means, learned),
            r"Values per mean: that is $C/G$; every position counts too, so $\frac{C}{G} H W$.",
        )
        yield en.Misconception(
            "means_shared_by_examples",
            (per_mean, p.groups, learned),
            "Means: that is $G$; every one of the $N$ examples has $G$ means of its own.",
        )
        yield en.Misconception(
            "learned_per_group",
            (per_mean, means, 2 * p.groups),
            r"Learned: that is $2G$; $\gamma$ and $\beta$ have one entry per channel, not per group.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "GroupNorm never mixes examples. Inside each, it puts neighboring channels into groups.",
            "One mean takes $C/G$ channels at all $H W$ positions.",
            r"$\gamma$ and $\beta$ belong to channels, as in BatchNorm.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        per_mean, means, learned = self.solve(p)
        return (
            en.Step("Channels in a group: C/G", "k", "entry(shape, 2)/groups", p.shape[1] // p.groups),
            en.Step("At all positions: k·H·W", "per_mean", "k*entry(shape, 3)*entry(shape, 4)", per_mean),
            en.Step("G means for each example: N·G", "means", "entry(shape, 1)*groups", means),
            en.Step("A scale and a shift per channel", "learned", "2*entry(shape, 2)", learned),
            en.Step("All three", "counts", "(per_mean, means, learned)", self.solve(p)),
        )


FAMILY = GroupNormCount()
