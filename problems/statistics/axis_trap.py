"""`LayerNorm(C)` on a batch of images: loud unless the width happens to be C."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

LARGEST = 2**20
ERROR, ROWS, CHANNELS, EXAMPLE = range(4)
SLIPS = ("features_found_by_size", "size_check_misjudged", "whole_example_averaged")


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the shape (N, C, H, W) of the input", 4)


class AxisTrap(en.Family[Params]):
    title = "LayerNorm(C) on images"
    catalogue = "C7"
    given = Params
    kind = en.Choice(
        options=(
            "It raises an error.",
            "Each row of an image gets its own mean, over $W$ values.",
            "Each position of an image gets its own mean, over $C$ values.",
            "Each image gets its own mean, over $CHW$ values.",
        )
    )
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS)}
    covers = ("layernorm-axis-trap", "layernorm-group")
    cards = ("card:statistics/layernorm-on-image",)
    requires = ("statistics.layernorm_count", "statistics.mean_axes")

    def draw(self, level: int, rng: en.Rng) -> Params:
        channels = rng.choice((16, 32, 48, 64, 96, 128))
        sizes = (4, 7, 14, 28) if level == 2 else (channels // 2, channels // 4, 2 * channels)
        size = rng.choice(sizes)
        at_width, at_height = rng.choice(((True, False), (False, False), (True, True), (False, True)))
        if level == 2:
            at_height = at_width
        return Params(
            (
                rng.choice((2, 4, 8)),
                channels,
                channels if at_height else size,
                channels if at_width else size,
            )
        )

    def validate(self, p: Params) -> None:
        _, c, _, w = p.shape
        if c * w > LARGEST:
            raise en.Refused("shape", f"C·W of at most 2^20 = {LARGEST} is tried here, not {c * w}")
        if c == 1:
            raise en.Refused("shape", "more than one channel is wanted: one value has no spread")

    def prompt(self, p: Params) -> str:
        return (
            f"To normalize the {en.tex(p.shape[1])} channels of images, `nn.LayerNorm({en.tex(p.shape[1])})` "
            f"is called on a tensor of shape $(N, C, H, W) = {en.tex(p.shape)}$. What happens?"
        )

    def solve(self, p: Params) -> int:
        return ROWS if p.shape[3] == p.shape[1] else ERROR

    def oracle(self, p: Params, torch: Any) -> Any:
        _, c, _, w = p.shape
        x = torch.arange(2 * c * w, dtype=torch.float64).sin().reshape(1, c, 2, w).requires_grad_()
        try:
            out = torch.nn.LayerNorm(c, dtype=torch.float64)(x)
        except RuntimeError:
            return ERROR
        (influence,) = torch.autograd.grad(out[0, 0, 0, 0], x)
        reach = [int((influence != 0).sum(axis).max() > 1) for axis in (1, 2, 3)]
        return [[0, 0, 1], [1, 0, 0], [1, 1, 1]].index(reach) + 1

    def misconceptions(self, p: Params) -> en.Slips:
        silent = p.shape[3] == p.shape[1]
        yield en.Misconception(
            "features_found_by_size",
            CHANNELS,
            "The layer does not look for an axis of its size: it takes the last one, and here that is the "
            "width.",
        )
        yield en.Misconception(
            "size_check_misjudged",
            ERROR if silent else ROWS,
            "Only the size of the last axis is checked, and here $W = C$: nothing is noticed."
            if silent
            else "The size of the last axis is checked, and here $W$ is not the size that the layer was "
            "built for.",
        )
        yield en.Misconception(
            "whole_example_averaged",
            EXAMPLE,
            "That takes three axes; a layer that was built with one number takes one axis, the last.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which axis does `LayerNorm` take when it is built with one number?",
            "It takes the last axis and checks nothing but its size. Compare that size with the number.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        _, c, _, w = p.shape
        last = (
            "They agree, so nothing is noticed and every row of $W$ values is normalized by itself."
            if w == c
            else "They differ, so PyTorch raises a `RuntimeError`."
        )
        return (
            en.Step("The size of the last axis", "width", "entry(shape, 4)", w),
            en.Step("The number that the layer was built with", "built", "entry(shape, 2)", c),
            en.Step(f"{last} For the channels: `x.movedim(1, -1)` before, and back after."),
        )


FAMILY = AxisTrap()
