"""The gradient of a scale-invariant loss stands at a right angle to the weights."""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, nan, sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    weights: en.Vec = en.vector("the weights W", at_least=2)
    known: en.Vec = en.vector("the other entries of the gradient, in order")
    index: int = en.whole("the place, from 1, of the unknown entry of the gradient", low=1, high=64)


SLIPS = ("sign_flipped", "equal_norms", "weight_not_divided", "entries_sum_to_zero")


class Orthogonality(en.Family[Params]):
    title = "A missing entry of a scale-invariant gradient"
    catalogue = "F2"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("gradient-orthogonal-to-weights",)
    cards = ("card:batchnorm/invariance",)
    requires = ("scale_invariance.gradient_scale",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:  # two whole multiples of one direction and of its quarter turn
            stretch, index = rng.integer(2, 4), rng.integer(1, 2)
            side = [rng.choice((-1, 1)) * size for size in rng.sample((1, 2, 3, 4, 5), 2)]
            entry = rng.choice((-1, 1)) * rng.integer(1, stretch - 1) * side[index - 1]
            return Params(tuple(float(stretch * size) for size in side), (float(entry),), index)
        size = rng.choice((3, 4))
        weights = tuple(float(rng.choice((-1, 1)) * rng.integer(2, 9)) for _ in range(size))
        known = tuple(float(rng.choice((-1, 1)) * rng.integer(1, 6)) for _ in range(size - 1))
        return Params(weights, known, rng.integer(1, size))

    def validate(self, p: Params) -> None:
        if p.index > len(p.weights):
            raise en.Refused("index", f"there are {len(p.weights)} weights, so no entry {p.index}")
        if len(p.known) != len(p.weights) - 1:
            raise en.Refused("known", f"give all entries but one: {len(p.weights) - 1}, not {len(p.known)}")
        if not p.weights[p.index - 1]:
            raise en.Refused(
                "weights", f"entry {p.index} is 0, so the gradient's entry there can be anything"
            )
        if not isfinite(float(products(p)) / p.weights[p.index - 1]):
            raise en.Refused("known", "with these sizes the missing entry leaves the range of float64")

    def prompt(self, p: Params) -> str:
        return (
            "A loss satisfies $L(cW) = L(W)$ for every $c > 0$. At "
            f"$W = {en.tex(p.weights)}$ its gradient $g = \\nabla L(W)$ is known but for one entry: without "
            f"entry ${p.index}$ it reads ${en.tex(p.known)}$.\n\n"
            f"What is entry ${p.index}$ of $g$ (counted from 1)?"
        )

    def solve(self, p: Params) -> float:
        return float(-products(p) / fraction(p.weights[p.index - 1]))

    def oracle(self, p: Params, torch: Any) -> Any:
        # A loss that depends on ratios of weights alone and has the known gradient entries.
        weights = torch.tensor(p.weights, dtype=torch.float64, requires_grad=True)
        rest = [place for place in range(len(p.weights)) if place != p.index - 1]
        slopes = torch.tensor(p.known, dtype=torch.float64) * p.weights[p.index - 1]
        loss = (slopes * weights[rest] / weights[p.index - 1]).sum()
        return torch.autograd.grad(loss, weights)[0][p.index - 1]

    def misconceptions(self, p: Params) -> en.Slips:
        room = sum(weight * weight for weight in p.weights) - sum(entry * entry for entry in p.known)
        yield en.Misconception(
            "sign_flipped",
            -self.solve(p),
            r"That has the wrong sign: the other products and this one add up to $\langle g, W \rangle = 0$.",
        )
        yield en.Misconception(
            "equal_norms",
            sqrt(room) if room >= 0 else nan,
            r"That makes $g$ as long as $W$; scale invariance fixes the angle between them, not the length.",
        )
        yield en.Misconception(
            "weight_not_divided",
            float(-products(p)),
            r"That is the product of this entry and its weight; the weight is still to be divided out.",
        )
        yield en.Misconception(
            "entries_sum_to_zero",
            float(-sum(map(fraction, p.known))),
            "That makes the entries of $g$ sum to 0, as for the input of a BatchNorm; here the products with "
            "the weights do.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Along the ray $cW$ the loss does not change. What does that say about the slope in the "
            "direction of $W$?",
            r"$\langle g, W \rangle = \sum_i g_i W_i = 0$. Solve it for the missing entry.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        places = [place for place in range(1, len(p.weights) + 1) if place != p.index]
        terms = " + ".join(
            f"entry(known, {at})*entry(weights, {place})" for at, place in enumerate(places, 1)
        )
        return (
            en.Step("Products of the known entries with their weights", "rest", terms, float(products(p))),
            en.Step(
                "The missing product cancels them", "missing", "-rest/entry(weights, index)", self.solve(p)
            ),
        )

    def exact(self, p: Params) -> str:
        return str(-products(p) / fraction(p.weights[p.index - 1]))


def fraction(value: float) -> Fraction:
    """Return the number as it is displayed, without loss."""
    return Fraction(repr(value))


def products(p: Params) -> Fraction:
    """Return the sum of the known entries times their weights."""
    rest = (weight for place, weight in enumerate(p.weights, 1) if place != p.index)
    return sum((fraction(g) * fraction(w) for g, w in zip(p.known, rest, strict=True)), Fraction())


FAMILY = Orthogonality()
