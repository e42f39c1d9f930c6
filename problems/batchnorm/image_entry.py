"""One normalized value of a batch of small images: which values share a mean and a variance."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod, sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the input in memory order, the last axis fastest")
    shape: tuple[int, ...] = en.shape("the shape (N, C, H, W) of the input", 4)
    index: tuple[int, ...] = en.shape("the place (n, c, h, w) that is asked for, counted from 1", 4)
    eps: float = en.eps()


SLIPS = (
    "examples_apart",
    "positions_forgotten",
    "channels_averaged_too",
    "layer_norm_instead",
    "unbiased_variance",
)


class BatchNormImageEntry(en.Family[Params]):
    title = "One normalized value of a batch of images"
    catalogue = "A7"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("batchnorm-group", "batchnorm-forward", "biased-variance")
    cards = ("card:batchnorm/forward-pass", "card:statistics/batchnorm-image-group")
    requires = ("batchnorm.entry", "statistics.batchnorm_count")
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 2:
            shape: tuple[int, ...] = rng.choice(((2, 2, 1, 3), (3, 2, 1, 2)))
            channel = en.tidy_batch(rng)
            while len(channel) != 6:
                channel = en.tidy_batch(rng)
        else:
            shape = rng.choice(((2, 2, 2, 2), (3, 2, 2, 1), (2, 3, 2, 2)))
            size = prod(shape) // shape[1]
            channel = en.untidy_batch(rng, size, size)
        index = tuple(rng.integer(1, size) for size in shape)
        values = iter(channel)
        x = tuple(
            next(values) if cell[1] == index[1] - 1 else float(rng.integer(-6, 12)) for cell in cells(shape)
        )
        visible = (
            float(max(2, round(en.moments(channel).var * rng.choice((0.1, 0.2))))) if level == 3 else 0.0
        )
        return Params(x, shape, index, visible)

    def validate(self, p: Params) -> None:
        if prod(p.shape) != len(p.x):
            raise en.Refused("shape", f"this shape has {prod(p.shape)} places, and x has {len(p.x)} values")
        if any(at > size for at, size in zip(p.index, p.shape, strict=True)):
            raise en.Refused("index", f"a place inside {en.plain(p.shape)} is wanted, counted from 1")
        channel = group(p, 1)
        if len(channel) == 1:
            raise en.Refused("shape", "BatchNorm in training mode needs more than one value per channel")
        if p.eps == 0 and max(channel) - min(channel) <= 1e-14 * max(map(abs, channel)):
            raise en.Refused("x", "the channel is constant, so with eps = 0 its output is 0/0")

    def prompt(self, p: Params) -> str:
        images, channels, _, _ = p.shape
        head = " | ".join(f"channel {c}" for c in range(1, channels + 1))
        rows = "\n".join(
            f"| image {n + 1} | " + " | ".join(picture(p, n, c) for c in range(channels)) + " |"
            for n in range(images)
        )
        return (
            f"In training mode, `BatchNorm2d` gets an input of shape $(N, C, H, W) = {en.tex(p.shape)}$; "
            f"it has $\\varepsilon = {en.tex(p.eps)}$. (Rows of a picture are separated by “;”. In memory "
            f"order the input is ${en.tex(p.x)}$.)\n\n"
            f"|  | {head} |\n|{'---|' * (channels + 1)}\n{rows}\n\n"
            f"What is the normalized value at place $(n, c, h, w) = {en.tex(p.index)}$, counted from 1, "
            f"which holds ${en.tex(value(p))}$ now? (Before scale and shift.)"
        )

    def solve(self, p: Params) -> float:
        return normalized(value(p), group(p, 1), p.eps)

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.BatchNorm2d(p.shape[1], affine=False, eps=en.nonzero(p.eps), dtype=torch.float64)
        out = layer(torch.tensor(p.x, dtype=torch.float64).reshape(p.shape))
        return out[tuple(at - 1 for at in p.index)]

    def misconceptions(self, p: Params) -> en.Slips:
        here, channel = value(p), group(p, 1)
        m = en.moments(channel)
        yield en.Misconception(
            "examples_apart",
            normalized(here, group(p, 0, 1), p.eps),
            "That takes the statistics of this channel in one image, as InstanceNorm does; BatchNorm takes "
            "the channel in all images together.",
        )
        yield en.Misconception(
            "positions_forgotten",
            normalized(here, group(p, 1, 2, 3), p.eps),
            "That averages over the images at this one position; all positions of the channel count.",
        )
        yield en.Misconception(
            "channels_averaged_too",
            normalized(here, p.x, p.eps),
            "That takes the statistics of the whole input; every channel has its own.",
        )
        yield en.Misconception(
            "layer_norm_instead",
            normalized(here, group(p, 0), p.eps),
            "That normalizes one image over all its channels, as LayerNorm does; BatchNorm normalizes one "
            "channel over all images.",
        )
        yield en.Misconception(
            "unbiased_variance",
            (here - m.mean) / sqrt(m.unbiased + p.eps) if m.squares else 0.0,
            "That divides by $n - 1$; BatchNorm normalizes with the biased variance, divided by $n$.",
        )
        yield en.Misconception(
            "eps_ignored",
            normalized(here, channel, 0.0),
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which values share a mean with the one that is asked for?",
            f"The group is channel {p.index[1]} in every image, at every position: "
            f"{len(group(p, 1))} values. Other channels play no part.",
            r"$\hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}$, with the divisor $n$ in $\sigma^2$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        channel = group(p, 1)
        m = en.moments(channel)
        return (
            en.Step(f"All values of channel {p.index[1]}", "z", en.plain(channel), channel),
            en.Step("Their mean", "mu", "mean(z)", m.mean),
            en.Step("Their biased variance", "var", "mean((z - mu)^2)", m.var),
            en.Step("Deviation of the value asked for", "d", f"{en.plain(value(p))} - mu", value(p) - m.mean),
            en.Step("Divide by the root", "xhat", "d/sqrt(var + eps)", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        channel, here = [Fraction(repr(number)) for number in group(p, 1)], Fraction(repr(value(p)))
        mu = sum(channel) / len(channel)
        square = sum((number - mu) ** 2 for number in channel) / len(channel) + Fraction(repr(p.eps))
        return f"({here - mu})/sqrt({square})"


def cells(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the places (n, c, h, w) of an input in memory order, counted from 0."""
    return list(product(*map(range, shape)))


def group(p: Params, *axes: int) -> en.Vec:
    """Return the values that agree with the asked place in these axes."""
    return tuple(
        number
        for cell, number in zip(cells(p.shape), p.x, strict=True)
        if all(cell[axis] == p.index[axis] - 1 for axis in axes)
    )


def value(p: Params) -> float:
    """Return the value at the asked place."""
    return group(p, 0, 1, 2, 3)[0]


def normalized(number: float, values: en.Vec, eps: float) -> float:
    """Return one value normalized by the statistics of a group; nan where there is nothing to divide by."""
    m = en.moments(values)
    return en.divided((number - m.mean,), sqrt(m.var + eps))[0]


def picture(p: Params, image: int, channel: int) -> str:
    """Return one channel of one image, its rows separated by semicolons."""
    _, _, height, width = p.shape
    start = (image * p.shape[1] + channel) * height * width
    rows = (p.x[start + row * width : start + (row + 1) * width] for row in range(height))
    return "$" + ";\\; ".join(",\\, ".join(map(en.tex, row)) for row in rows) + "$"


FAMILY = BatchNormImageEntry()
