"""How many learned numbers lie on the skips of a stage that changes the width."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    blocks: int = en.whole("the number of blocks of the stage", low=1, high=100)
    width_in: int = en.whole("the channels before the stage", low=1, high=2**16)
    width_out: int = en.whole("the channels after every block of the stage", low=1, high=2**16)
    extra: str = en.option(
        "what the projection has beside its weights", ("nothing", "bias", "batchnorm"), "nothing"
    )


SHARED = ("kernel_of_three", "input_channels_only", "identity_has_parameters")
EXTRA = {
    "nothing": "without a bias",
    "bias": "with a bias",
    "batchnorm": "without a bias, followed by a BatchNorm (with scale and shift)",
}


class ProjectionParameters(en.Family[Params]):
    title = "Learned numbers on the skips"
    catalogue = "G11"
    given = Params
    kind = en.Integer()
    levels = {
        1: en.Level(*SHARED, "bias_counted"),
        2: en.Level(*SHARED, "bias_forgotten", "bias_per_input"),
        3: en.Level(*SHARED, "bias_counted", "norm_forgotten", "running_counted_as_learned"),
    }
    covers = ("projection-skip",)
    cards = ("card:residual/projection-skip",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        widths = (4, 8, 16, 32, 64, 128, 256) if level == 1 else (3, 6, 12, 20, 24, 40, 48, 96)
        width_in, width_out = rng.sample(widths, 2)
        return Params(rng.integer(2, 5), width_in, width_out, tuple(EXTRA)[level - 1])

    def validate(self, p: Params) -> None:
        if p.width_in == p.width_out:
            raise en.Refused("width_out", "equal widths need no projection; give two different ones")

    def prompt(self, p: Params) -> str:
        return (
            f"A stage of a convolutional residual network has ${p.blocks}$ "
            f"{'block' if p.blocks == 1 else 'blocks'}. The first takes ${p.width_in}$ channels to "
            f"${p.width_out}$; all blocks give ${p.width_out}$ channels. The skip of a block is the identity "
            f"where it can be, and otherwise a $1 \\times 1$ convolution {EXTRA[p.extra]}.\n\n"
            "How many learned numbers lie on the skips of the stage?"
        )

    def solve(self, p: Params) -> int:
        return p.width_in * p.width_out + learned_extra(p)

    def oracle(self, p: Params, torch: Any) -> Any:
        # On the meta device layers have shapes but no memory.
        skips, width = [], p.width_in
        for _ in range(p.blocks):
            if width == p.width_out:
                skips.append(torch.nn.Identity())
                continue
            skips.append(torch.nn.Conv2d(width, p.width_out, 1, bias=p.extra == "bias", device="meta"))
            if p.extra == "batchnorm":
                skips.append(torch.nn.BatchNorm2d(p.width_out, device="meta"))
            width = p.width_out
        return sum(parameter.numel() for skip in skips for parameter in skip.parameters())

    def misconceptions(self, p: Params) -> en.Slips:
        weights, extra = p.width_in * p.width_out, learned_extra(p)
        yield en.Misconception(
            "kernel_of_three",
            9 * weights + extra,
            r"That is a $3 \times 3$ kernel; a projection only mixes channels, with a $1 \times 1$ kernel.",
        )
        yield en.Misconception(
            "input_channels_only",
            p.width_in + extra,
            "That is one weight per input channel; every output channel has its own weights for all of them.",
        )
        yield en.Misconception(
            "identity_has_parameters",
            weights + extra + (p.blocks - 1) * (p.width_out**2 + extra),
            "That counts projections in the later blocks too; where the width stays, the skip is the "
            "identity and learns nothing.",
        )
        if p.extra == "bias":
            yield en.Misconception(
                "bias_forgotten",
                weights,
                "That leaves out the bias, one number per output channel.",
            )
            yield en.Misconception(
                "bias_per_input",
                weights + p.width_in,
                "That has a bias per input channel; there is one per output channel.",
            )
        else:
            yield en.Misconception(
                "bias_counted",
                weights + extra + p.width_out,
                "That counts a bias, which this convolution does not have.",
            )
        if p.extra == "batchnorm":
            yield en.Misconception(
                "norm_forgotten",
                weights,
                r"That leaves out the BatchNorm, which learns $\gamma$ and $\beta$ for every output channel.",
            )
            yield en.Misconception(
                "running_counted_as_learned",
                weights + 2 * extra,
                r"That counts running mean and variance; they are measured, only $\gamma$ and $\beta$ are "
                "learned.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which of the skips can be the identity, and how many numbers does an identity learn?",
            r"A $1 \times 1$ convolution has one weight for every pair of an input and an output channel: "
            r"$C_{\text{in}} C_{\text{out}}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        weights = p.width_in * p.width_out
        step = en.Step(
            "Only the first block changes the width: weights of its projection",
            "weights",
            "width_in*width_out",
            weights,
        )
        if p.extra == "nothing":
            return (step,)
        text, factor = ("Its bias", "") if p.extra == "bias" else ("Scale and shift of the BatchNorm", "2*")
        return (
            step,
            en.Step(text, "extra_learned", f"{factor}width_out", learned_extra(p)),
            en.Step("Together", "learned", "weights + extra_learned", self.solve(p)),
        )


def learned_extra(p: Params) -> int:
    """Return how many numbers the projection learns beside its weights."""
    return {"nothing": 0, "bias": 1, "batchnorm": 2}[p.extra] * p.width_out


FAMILY = ProjectionParameters()
