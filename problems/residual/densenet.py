"""How wide a DenseNet block gets by concatenation, and how much its layers learn."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    start: int = en.whole("the channels that enter the block", low=1, high=2**12)
    growth: int = en.whole("the growth rate: the channels that each layer computes", low=1, high=2**10)
    depth: int = en.whole("the number of layers of the block", low=1, high=128)
    asked: str = en.option("what is asked for", ("channels", "layer", "block"), "channels")


class DenseNet(en.Family[Params]):
    title = "DenseNet: widths that add up"
    catalogue = "G13"
    given = Params
    kind = en.Integer()
    levels = {
        1: en.Level("residual_instead", "start_forgotten", "new_channels_alone", "one_step_short",
                    "doubled_per_layer"),
        2: en.Level("residual_instead", "new_channels_alone", "one_step_too_many", "outputs_all_channels",
                    "norm_forgotten", "bias_counted", "kernel_of_one"),
        3: en.Level("residual_instead", "first_width_throughout", "last_width_throughout",
                    "one_step_too_many", "norm_forgotten", "bias_counted"),
    }  # fmt: skip
    covers = ("densenet",)
    cards = ("card:residual/projection-skip",)
    requires = ("residual.projection_parameters",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            start, growth = rng.choice((8, 16, 24, 32, 48, 64)), rng.choice((4, 8, 12, 32))
            return Params(start, growth, rng.integer(3, 12), "channels")
        starts, rates = (8, 10, 12, 16, 20, 24, 30, 40), (2, 3, 4, 5, 6, 8)
        if level == 2:
            return Params(rng.choice(starts), rng.choice(rates), rng.integer(3, 8), "layer")
        return Params(rng.choice(starts), rng.choice(rates), rng.integer(4, 6), "block")

    def prompt(self, p: Params) -> str:
        inside = (
            ""
            if p.asked == "channels"
            else r" A layer is BatchNorm (with $\gamma$ and $\beta$), ReLU and a $3 \times 3$ convolution "
            "without a bias; the norm acts on all channels that the layer reads."
        )
        layers = f"${p.depth}$ {'layer' if p.depth == 1 else 'layers'}"
        question = {
            "channels": f"How many channels does the block hand on after its {layers}?",
            "layer": f"How many numbers does the last layer, number ${p.depth}$, learn?",
            "block": "How many numbers do all layers of the block learn together?",
        }[p.asked]
        return (
            f"${p.start}$ channels enter a DenseNet block of {layers}. Each layer reads all channels that "
            f"there are, computes ${p.growth}$ new ones and concatenates them to what it has read."
            f"{inside}\n\n{question}"
        )

    def solve(self, p: Params) -> int:
        if p.asked == "channels":
            return p.start + p.depth * p.growth
        return learned(p, widths(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        # On the meta device layers and tensors have shapes but no memory.
        x, counts = torch.empty(1, p.start, 1, 1, device="meta"), []
        for _ in range(p.depth):
            norm = torch.nn.BatchNorm2d(x.shape[1], device="meta")
            conv = torch.nn.Conv2d(x.shape[1], p.growth, 3, padding=1, bias=False, device="meta")
            x = torch.cat([x, conv(x)], dim=1)
            counts.append(norm.weight.numel() + norm.bias.numel() + conv.weight.numel())
        return {"channels": x.shape[1], "layer": counts[-1], "block": sum(counts)}[p.asked]

    def misconceptions(self, p: Params) -> en.Slips:
        if p.asked == "channels":
            yield from channel_slips(p)
            return
        read = widths(p)
        layers = "the layers" if p.asked == "block" else "a layer"
        yield en.Misconception(
            "residual_instead",
            len(read) * (2 * p.start + 9 * p.start**2),
            f"That counts {layers} of a residual network, which adds and keeps its width; here a layer reads "
            "all channels so far and computes a few new ones.",
        )
        yield en.Misconception(
            "one_step_too_many",
            learned(p, [width + p.growth for width in read]),
            "That counts a layer's own new channels among those it reads; they are appended afterwards.",
        )
        yield en.Misconception(
            "norm_forgotten",
            learned(p, read, norm=0),
            r"That leaves out the BatchNorm, which learns $\gamma$ and $\beta$ for every channel it reads.",
        )
        yield en.Misconception(
            "bias_counted",
            learned(p, read) + len(read) * p.growth,
            "That counts a bias for every new channel, which this convolution does not have.",
        )
        if p.asked == "layer":
            yield en.Misconception(
                "new_channels_alone",
                learned(p, [p.growth]),
                "That lets the layer read only what the one before it computed; it reads all there are.",
            )
            yield en.Misconception(
                "outputs_all_channels",
                2 * read[-1] + 9 * read[-1] * (read[-1] + p.growth),
                "That computes all channels anew; only the new ones are computed, the others are passed on.",
            )
            yield en.Misconception(
                "kernel_of_one",
                learned(p, read, taps=1),
                r"That has one weight for each pair of channels; a $3 \times 3$ kernel has nine.",
            )
            return
        yield en.Misconception(
            "first_width_throughout",
            p.depth * learned(p, read[:1]),
            "That lets every layer read as much as the first; a later one also reads what those before it "
            "computed.",
        )
        yield en.Misconception(
            "last_width_throughout",
            p.depth * learned(p, read[-1:]),
            "That lets every layer read as much as the last; the earlier ones read fewer channels.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        first = "A residual network adds, which keeps the width. What does concatenating do to it?"
        if p.asked == "channels":
            return (
                first,
                "Every layer appends its new channels to what there is, and the width grows by them.",
            )
        return (
            "How many channels does a layer read? Every earlier layer has appended its new ones.",
            r"A $3 \times 3$ convolution learns $9\,C_{\text{in}} C_{\text{out}}$ weights, BatchNorm "
            r"$2\,C_{\text{in}}$ numbers.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        read = widths(p)
        if p.asked == "channels":
            appended = p.depth * p.growth
            return (
                en.Step("What all layers append", "appended", "depth*growth", appended),
                en.Step("With what entered", "channels", "start + appended", p.start + appended),
            )
        if p.asked == "layer":
            return (
                en.Step("Channels that it reads", "read", "start + (depth - 1)*growth", read[0]),
                en.Step("Weights of the convolution", "weights", "9*read*growth", 9 * read[0] * p.growth),
                en.Step("With the BatchNorm", "learned", "weights + 2*read", self.solve(p)),
            )
        return (
            en.Step("Channels that all layers read, added up", "read",
                    "depth*start + growth*depth*(depth - 1)/2", sum(read)),
            en.Step("Learned for each channel read: nine weights per new channel, γ and β", "each",
                    "9*growth + 2", 9 * p.growth + 2),
            en.Step("Together", "learned", "read*each", self.solve(p)),
        )  # fmt: skip


def widths(p: Params) -> list[int]:
    """Return how many channels the layers asked about read: all layers, or the last one."""
    every = [p.start + earlier * p.growth for earlier in range(p.depth)]
    return every if p.asked == "block" else every[-1:]


def learned(p: Params, read: list[int], *, taps: int = 9, norm: int = 2) -> int:
    """Return how many numbers layers that read so many channels learn."""
    return sum(read) * (taps * p.growth + norm)


def channel_slips(p: Params) -> en.Slips:
    """Yield the wrong widths behind the block."""
    yield en.Misconception(
        "residual_instead",
        p.start,
        "That adds what a layer computes, as a residual network does; concatenating appends new channels.",
    )
    yield en.Misconception(
        "start_forgotten",
        p.depth * p.growth,
        "That counts the new channels alone; those that entered are handed on with them.",
    )
    yield en.Misconception(
        "new_channels_alone",
        p.growth,
        "That is what one layer computes; it is concatenated to everything before it.",
    )
    yield en.Misconception(
        "one_step_short",
        p.start + (p.depth - 1) * p.growth,
        "That is what the last layer reads; it appends its own channels too.",
    )
    yield en.Misconception(
        "doubled_per_layer",
        p.start * 2**p.depth,
        "That doubles the width in every layer; each appends its few new channels, however many it reads.",
    )


FAMILY = DenseNet()
