"""`BatchNorm1d(E)` on tokens (N, L, E): loud unless the sequences happen to be E long."""

from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

LARGEST = 2**20
ERROR, STEPS, FEATURES, TOKENS = range(4)
SLIPS = ("features_found_by_size", "size_check_misjudged", "layer_norm_instead")


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the shape (N, L, E) of the input", 3)


class AxisTrapTokens(en.Family[Params]):
    title = "BatchNorm1d(E) on tokens"
    catalogue = "C7"
    given = Params
    kind = en.Choice(
        options=(
            "It raises an error.",
            "Each time step gets its own mean, over $NE$ values.",
            "Each feature gets its own mean, over $NL$ values.",
            "Each token gets its own mean, over $E$ values.",
        )
    )
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS)}
    covers = ("batchnorm1d-axis-trap", "batchnorm-group")
    cards = ("card:statistics/batchnorm1d-on-tokens",)
    requires = ("statistics.batchnorm_count", "statistics.mean_axes")

    def draw(self, level: int, rng: en.Rng) -> Params:
        width = rng.choice((16, 32, 48, 64, 96, 128, 256))
        other = rng.choice((10, 20, 50, 100) if level == 2 else (width // 2, 2 * width, width // 4))
        batch = rng.choice((2, 4, 8, 16)) if level == 2 else rng.choice((8, 16, width))
        return Params((batch, rng.choice((width, other)), width))

    def validate(self, p: Params) -> None:
        if prod(p.shape) > LARGEST:
            raise en.Refused("shape", f"at most 2^20 = {LARGEST} numbers are tried here, not {prod(p.shape)}")
        if p.shape[0] == 1 or p.shape[2] == 1:
            raise en.Refused("shape", "more than one sequence and feature is wanted, or some means coincide")

    def prompt(self, p: Params) -> str:
        return (
            f"To normalize the {en.tex(p.shape[2])} features of tokens, "
            f"`nn.BatchNorm1d({en.tex(p.shape[2])})` in training mode is called on a tensor of shape $(N, L, "
            f"E) = {en.tex(p.shape)}$. What happens?"
        )

    def solve(self, p: Params) -> int:
        return STEPS if p.shape[1] == p.shape[2] else ERROR

    def oracle(self, p: Params, torch: Any) -> Any:
        _, steps, width = p.shape
        x = (
            torch.arange(2 * steps * width, dtype=torch.float64)
            .sin()
            .reshape(2, steps, width)
            .requires_grad_()
        )
        try:
            out = torch.nn.BatchNorm1d(width, dtype=torch.float64)(x)
        except (RuntimeError, ValueError):
            return ERROR
        (influence,) = torch.autograd.grad(out[0, 0, 0], x)
        reach = [int((influence != 0).sum(axis).max() > 1) for axis in (0, 1, 2)]
        return [[1, 0, 1], [1, 1, 0], [0, 0, 1]].index(reach) + 1

    def misconceptions(self, p: Params) -> en.Slips:
        silent = p.shape[1] == p.shape[2]
        yield en.Misconception(
            "features_found_by_size",
            FEATURES,
            "The layer does not look for an axis of its size: it takes axis 1 for the channels, here the "
            "time steps.",
        )
        yield en.Misconception(
            "size_check_misjudged",
            ERROR if silent else STEPS,
            "Only the size of axis 1 is checked, and here $L = E$: nothing is noticed."
            if silent
            else "The size of axis 1 is checked, and here $L$ is not the size that the layer was built for.",
        )
        yield en.Misconception(
            "layer_norm_instead",
            TOKENS,
            "That is LayerNorm; BatchNorm always averages over the batch axis.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which axis does `BatchNorm1d` take for the channels when its input has three axes?",
            "It reads (batch, channels, length), so axis 1 holds the channels; only the size of that axis is "
            "checked.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        _, steps, width = p.shape
        last = (
            "They agree, so nothing is noticed and every time step gets one mean over $N$ and $E$."
            if steps == width
            else "They differ, so PyTorch raises an error."
        )
        return (
            en.Step("The size of axis 1", "steps", "entry(shape, 2)", steps),
            en.Step("The number that the layer was built with", "built", "entry(shape, 3)", width),
            en.Step(f"{last} For the features: `x.transpose(1, 2)` before, and back after."),
        )


FAMILY = AxisTrapTokens()
