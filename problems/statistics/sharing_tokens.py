"""Which numbers of a token batch share a mean: BatchNorm against LayerNorm or RMSNorm."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

LARGEST = 2**18
Cell = tuple[int, ...]
Rule = Callable[[Cell, Cell], bool]
"""Tells whether two numbers share their statistics."""


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the shape (B, T, D) of the input", 3)
    p: Cell = en.shape("cell P as (b, t, d), counted from 1", 3)
    q: Cell = en.shape("cell Q as (b, t, d), counted from 1", 3)
    r: Cell = en.shape("cell R as (b, t, d), counted from 1", 3)
    s: Cell = en.shape("cell S as (b, t, d), counted from 1", 3)
    layer: str = en.option("the layer beside BatchNorm", ("LayerNorm", "RMSNorm"), "LayerNorm")


SLIPS = (
    "rows_columns_swapped",
    "own_sequence_only",
    "same_step_only",
    "tokens_averaged_too",
    "examples_averaged_too",
)


class SharingTokens(en.Family[Params]):
    title = "Which numbers of a token batch share a mean"
    catalogue = "C5"
    given = Params
    kind = en.YesNo()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("batchnorm-group", "layernorm-group", "rows-vs-columns", "tokens-do-not-mix")
    cards = (
        "card:statistics/layernorm-token-group",
        "card:statistics/future-leak",
        "card:statistics/only-batchnorm-couples",
    )
    requires = ("statistics.batchnorm_count", "statistics.layernorm_count")

    def draw(self, level: int, rng: en.Rng) -> Params:
        batch, steps, width = (
            (rng.integer(2, 5), rng.integer(4, 9), rng.choice((4, 6, 8)))
            if level == 1
            else (rng.integer(6, 16), rng.integer(20, 64), rng.choice((48, 64, 96, 128)))
        )
        (b, other), (t, later), (d, next_to) = (
            rng.sample(range(1, size + 1), 2) for size in (batch, steps, width)
        )
        q, r, s = rng.shuffled(((other, t, d), (b, t, next_to), (b, later, d)))
        return Params((batch, steps, width), (b, t, d), q, r, s, rng.choice(("LayerNorm", "RMSNorm")))

    def validate(self, p: Params) -> None:
        if prod(p.shape) > LARGEST:
            raise en.Refused("shape", f"at most 2^18 = {LARGEST} numbers are tried here, not {prod(p.shape)}")
        if p.shape[0] * p.shape[1] == 1:
            raise en.Refused("shape", "BatchNorm in training needs more than one token")
        for name in "pqrs":
            cell = getattr(p, name)
            if any(place > size for place, size in zip(cell, p.shape, strict=True)):
                raise en.Refused(name, f"this cell lies outside the shape {en.plain(p.shape)}")
            if name != "p" and cell == p.p:
                raise en.Refused(name, "this is cell P itself; name another one")

    def prompt(self, p: Params) -> str:
        return (
            f"A batch of tokens has the shape $(B, T, D) = {en.tex(p.shape)}$. Take four of its numbers, as "
            f"$(b, t, d)$ counted from 1:\n\n$P = {en.tex(p.p)}$, $Q = {en.tex(p.q)}$, $R = {en.tex(p.r)}$, "
            f"$S = {en.tex(p.s)}$\n\nWhich pairs go into the same {averaged(p)}, in training mode? BatchNorm "
            f"normalizes each feature over all tokens; the other layer is `{p.layer}(D)`."
        )

    def kind_of(self, p: Params) -> en.YesNo:
        layers = ("BatchNorm", p.layer)
        return en.YesNo(labels=tuple(f"{layer}: P and {other}" for layer in layers for other in "QRS"))

    def solve(self, p: Params) -> tuple[int, ...]:
        return grid(p)

    def oracle(self, p: Params, torch: Any) -> Any:
        width = p.shape[2]
        x = torch.randn(p.shape, dtype=torch.float64, requires_grad=True)
        column = torch.nn.BatchNorm1d(width, eps=1.0, dtype=torch.float64)(x.transpose(1, 2)).transpose(1, 2)
        row = getattr(torch.nn, p.layer)(width, eps=1.0, dtype=torch.float64)(x)
        found: list[int] = []
        for out in (column, row):
            (influence,) = torch.autograd.grad(out[tuple(place - 1 for place in p.p)], x)
            found += [int(influence[tuple(place - 1 for place in cell)] != 0) for cell in (p.q, p.r, p.s)]
        return tuple(found)

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "rows_columns_swapped",
            grid(p, token, feature),
            f"That has the two swapped: BatchNorm averages a feature over the tokens, {p.layer} a token over "
            "its features.",
        )
        yield en.Misconception(
            "own_sequence_only",
            grid(p, lambda a, b: a[0] == b[0] and feature(a, b)),
            "BatchNorm: that stops at the end of the sequence; a feature's mean takes the tokens of all $B$ "
            "sequences.",
        )
        yield en.Misconception(
            "same_step_only",
            grid(p, lambda a, b: a[1] == b[1] and feature(a, b)),
            "BatchNorm: that takes one time step only; a feature's mean takes all $T$ time steps, later ones "
            "too.",
        )
        yield en.Misconception(
            "tokens_averaged_too",
            grid(p, row=lambda a, b: a[0] == b[0]),
            f"{p.layer}: that takes a whole sequence; every token is normalized by itself.",
        )
        yield en.Misconception(
            "examples_averaged_too",
            grid(p, row=lambda a, b: a[1:] == b[1:] or token(a, b)),
            f"{p.layer}: that takes other sequences too; every token is normalized by itself.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "For each layer: which of $b$, $t$, $d$ must two numbers have in common?",
            f"BatchNorm: the same feature $d$, whatever the token. {p.layer}: the same token, so $b$ and "
            "$t$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        answers = " ".join(("no", "yes")[mark] for mark in grid(p))
        words = tuple(
            en.Step(
                f"{name}: feature {('differs', 'is the same')[feature(p.p, cell)]}, token "
                f"{('differs', 'is the same')[token(p.p, cell)]}."
            )
            for name, cell in (("Q", p.q), ("R", p.r), ("S", p.s))
        )
        return (*words, en.Step(f"BatchNorm wants the same feature, {p.layer} the same token: {answers}."))


def feature(a: Cell, b: Cell) -> bool:
    return a[2] == b[2]


def token(a: Cell, b: Cell) -> bool:
    return a[:2] == b[:2]


def averaged(p: Params) -> str:
    return "mean" if p.layer == "LayerNorm" else "mean (with RMSNorm: mean square)"


def grid(p: Params, column: Rule = feature, row: Rule = token) -> tuple[int, ...]:
    """Return the answers for BatchNorm by the rule `column` and for the other layer by `row`."""
    return tuple(int(rule(p.p, cell)) for rule in (column, row) for cell in (p.q, p.r, p.s))


FAMILY = SharingTokens()
