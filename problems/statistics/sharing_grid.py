"""Which cells of an image batch share a mean, under four layers."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

LARGEST = 2**18
Cell = tuple[int, ...]
Rule = Callable[[Cell, Cell], bool]
"""Tells whether two cells go into one mean."""


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the shape (N, C, H, W) of the input", 4)
    groups: int = en.whole("GroupNorm's number of groups G", 2, low=1, high=1024)
    p: tuple[int, ...] = en.shape("cell P as (n, c, h, w), counted from 1", 4)
    q: tuple[int, ...] = en.shape("cell Q as (n, c, h, w), counted from 1", 4)
    r: tuple[int, ...] = en.shape("cell R as (n, c, h, w), counted from 1", 4)


LAYERS = ("BatchNorm2d", "LayerNorm", "InstanceNorm2d", "GroupNorm")
SLIPS = (
    "examples_apart",
    "layer_norm_over_channels",
    "batchnorm_axes",
    "examples_averaged_too",
    "interleaved_groups",
)


class SharingGrid(en.Family[Params]):
    title = "Which cells of an image batch share a mean"
    catalogue = "C5"
    given = Params
    kind = en.YesNo(labels=tuple(f"{layer}: P and {other}" for layer in LAYERS for other in "QR"))
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("batchnorm-group", "layernorm-group", "instancenorm-group", "groupnorm-group")
    cards = (
        "card:statistics/batchnorm-image-group",
        "card:statistics/instancenorm-group",
        "card:statistics/groupnorm-group",
        "card:statistics/only-batchnorm-couples",
    )
    requires = ("statistics.batchnorm_count", "statistics.groupnorm_count", "statistics.instancenorm_count")

    def draw(self, level: int, rng: en.Rng) -> Params:
        channels, groups = rng.choice(
            ((4, 2), (6, 2), (6, 3), (8, 2), (8, 4))
            if level == 1
            else ((12, 3), (12, 4), (16, 4), (24, 3), (32, 8))
        )
        low, high = (2, 5) if level == 1 else (6, 14)
        shape = (rng.integer(2, 4) * level, channels, rng.integer(low, high), rng.integer(low, high))
        cell = self._cell(rng, shape)
        other = self._cell(rng, shape)
        while other[0] == cell[0]:
            other = self._cell(rng, shape)
        foreign = (other[0], cell[1], *other[2:])
        while True:
            found = self._cell(rng, shape)
            size = channels // groups
            neighbours = (found[1] - 1) // size == (cell[1] - 1) // size
            every = found[1] % groups == cell[1] % groups
            if found[1] != cell[1] and found[2:] != cell[2:] and neighbours != every:
                break
        own = (cell[0], *found[1:])
        return Params(shape, groups, cell, *rng.shuffled((foreign, own)))

    def _cell(self, rng: en.Rng, shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(rng.integer(1, size) for size in shape)

    def validate(self, p: Params) -> None:
        _, c, h, w = p.shape
        if prod(p.shape) > LARGEST:
            raise en.Refused("shape", f"at most 2^18 = {LARGEST} numbers are tried here, not {prod(p.shape)}")
        if h * w == 1:
            raise en.Refused("shape", "InstanceNorm needs more than one position per image")
        if c % p.groups:
            raise en.Refused("groups", f"GroupNorm needs a divisor of C = {c}, and {p.groups} is none")
        for name, cell in (("p", p.p), ("q", p.q), ("r", p.r)):
            if any(place > size for place, size in zip(cell, p.shape, strict=True)):
                raise en.Refused(name, f"this cell lies outside the shape {en.plain(p.shape)}")
        for name, cell in (("q", p.q), ("r", p.r)):
            if cell == p.p:
                raise en.Refused(name, "this is cell P itself; name another one")

    def prompt(self, p: Params) -> str:
        return (
            f"A batch of images has the shape $(N, C, H, W) = {en.tex(p.shape)}$. Take three of its cells, "
            f"as $(n, c, h, w)$ counted from 1:\n\n$P = {en.tex(p.p)}$, $Q = {en.tex(p.q)}$, $R = "
            f"{en.tex(p.r)}$\n\nWhich pairs go into the same mean, in training mode? LayerNorm is "
            f"`LayerNorm((C, H, W))`, and GroupNorm has $G = {en.tex(p.groups)}$ groups."
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return grid(p)

    def oracle(self, p: Params, torch: Any) -> Any:
        _, c, h, w = p.shape
        norms = (
            torch.nn.BatchNorm2d(c, eps=1.0),
            torch.nn.LayerNorm((c, h, w), eps=1.0),
            torch.nn.InstanceNorm2d(c, eps=1.0),
            torch.nn.GroupNorm(p.groups, c, eps=1.0),
        )
        x = torch.randn(p.shape, dtype=torch.float64, requires_grad=True)
        found: list[int] = []
        for norm in norms:
            out = norm.double()(x)[tuple(place - 1 for place in p.p)]
            (influence,) = torch.autograd.grad(out, x)
            found += [int(influence[tuple(place - 1 for place in cell)] != 0) for cell in (p.q, p.r)]
        return tuple(found)

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "examples_apart",
            grid(p, BatchNorm2d=lambda a, b: a[:2] == b[:2]),
            "BatchNorm: that keeps the examples apart; a channel's mean takes all examples.",
        )
        yield en.Misconception(
            "layer_norm_over_channels",
            grid(p, LayerNorm=lambda a, b: a[0] == b[0] and a[2:] == b[2:]),
            "LayerNorm: that averages over the channels of one position; `LayerNorm((C, H, W))` takes the "
            "whole image.",
        )
        yield en.Misconception(
            "batchnorm_axes",
            grid(p, InstanceNorm2d=lambda a, b: a[1] == b[1]),
            "InstanceNorm: that takes all examples together, as in BatchNorm; it stays inside one example.",
        )
        yield en.Misconception(
            "examples_averaged_too",
            grid(p, GroupNorm=lambda a, b: group(a, p) == group(b, p)),
            "GroupNorm: that takes all examples together; GroupNorm stays inside one example.",
        )
        yield en.Misconception(
            "interleaved_groups",
            grid(p, GroupNorm=lambda a, b: a[0] == b[0] and (a[1] - b[1]) % p.groups == 0),
            "GroupNorm: that takes every $G$-th channel; the channels of a group are neighbors.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "For each layer: which of $n$, $c$, $h$, $w$ must two cells have in common to go into one mean?",
            "BatchNorm: the same $c$. LayerNorm: the same $n$. InstanceNorm: both. GroupNorm: the same $n$ "
            "and the same group of $c$.",
            "GroupNorm cuts the channels, in order, into $G$ blocks of $C/G$ neighbors.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        words = []
        for name, cell in (("Q", p.q), ("R", p.r)):
            example = "the same example as P" if cell[0] == p.p[0] else "another example than P"
            channel = (
                "the same channel"
                if cell[1] == p.p[1]
                else "another channel of the same group"
                if group(cell, p) == group(p.p, p)
                else "a channel of another group"
            )
            words.append(en.Step(f"{name} lies in {example}, in {channel}."))
        answers = " ".join(("no", "yes")[mark] for mark in grid(p))
        return (
            en.Step("Channels in a group", "size", "entry(shape, 2)/groups", p.shape[1] / p.groups),
            *words,
            en.Step(
                "BatchNorm wants the same channel, LayerNorm the same example, InstanceNorm both, GroupNorm "
                f"the same example and group. In order: {answers}."
            ),
        )


def group(cell: Cell, p: Params) -> int:
    return (cell[1] - 1) * p.groups // p.shape[1]


def grid(p: Params, **changed: Rule) -> tuple[int, ...]:
    """Return the answers layer by layer, with some rules changed."""
    rules: dict[str, Rule] = {
        "BatchNorm2d": lambda a, b: a[1] == b[1],
        "LayerNorm": lambda a, b: a[0] == b[0],
        "InstanceNorm2d": lambda a, b: a[:2] == b[:2],
        "GroupNorm": lambda a, b: a[0] == b[0] and group(a, p) == group(b, p),
    } | changed
    return tuple(int(rules[layer](p.p, cell)) for layer in LAYERS for cell in (p.q, p.r))


FAMILY = SharingGrid()
