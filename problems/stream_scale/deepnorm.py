"""DeepNorm's two constants: how much the skip is weighted up and the weights are scaled down."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

STACKS = {
    "encoder": ("an encoder-only transformer", 2),
    "decoder": ("a decoder-only transformer", 2),
    "translator": ("the decoder of an encoder–decoder transformer (it has cross-attention)", 3),
}
"""Each stack in words, and how many residual sublayers one of its layers has."""


@dataclass(frozen=True, slots=True)
class Params:
    layers: int = en.whole("the number of layers of the stack", low=1, high=10**4)
    stack: str = en.option(
        "which stack: encoder or decoder alone, or the decoder of an encoder–decoder",
        tuple(STACKS),
        "decoder",
    )


SLIPS = ("square_roots", "alpha_beta_swapped", "other_architecture", "exponent_sign", "layers_for_sublayers")


class DeepNorm(en.Family[Params]):
    title = "DeepNorm's alpha and beta"
    catalogue = "H11"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS)}
    covers = ("deepnorm",)
    cards = ("card:residual/post-vs-pre-ln",)
    requires = ("stream_scale.gpt2_init",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        stack = rng.choice(("encoder", "decoder")) if level == 2 else "translator"
        return Params(rng.integer(4, 150), stack)

    def prompt(self, p: Params) -> str:
        return (
            r"DeepNorm is a post-norm block with a weighted skip, $x_{l+1} = \text{LN}(\alpha x_l + "
            r"F_l(x_l))$; at initialization the weights of the feed-forward layers and of the value and "
            rf"output projections get the gain $\beta$. Take {STACKS[p.stack][0]} with ${p.layers}$ layers."
            "\n\n"
            r"What are $\alpha$ and $\beta$? Give two numbers, $\alpha$ first."
        )

    def solve(self, p: Params) -> en.Vec:
        return powers(sublayers(p), 0.25, -0.25)

    def oracle(self, p: Params, torch: Any) -> Any:
        """Bisect for the skip's weight at which all sublayers' updates together change the output by order 1.

        A sublayer with gains β for value and output weights changes it by (β² + β²)/α², and the two
        constants balance: (β² + β²)·α² = 1 (the conditions from which DeepNorm's constants follow).
        """
        low, high = 0.5, 1e3
        for _ in range(60):
            alpha = 0.5 * (low + high)
            both_gains = 1 / alpha**2
            updates = torch.full((sublayers(p),), both_gains / alpha**2, dtype=torch.float64)
            low, high = (alpha, high) if updates.sum() > 1 else (low, alpha)
        return low, (0.5 / low**2) ** 0.5

    def misconceptions(self, p: Params) -> en.Slips:
        count = sublayers(p)
        alpha, beta = self.solve(p)
        yield en.Misconception(
            "square_roots",
            powers(count, 0.5, -0.5),
            "That takes square roots; both constants are fourth roots.",
        )
        yield en.Misconception(
            "alpha_beta_swapped",
            (beta, alpha),
            r"That swaps the two: $\alpha > 1$ weights the skip up, $\beta < 1$ scales the weights down.",
        )
        other = 2 if p.stack == "translator" else 3
        yield en.Misconception(
            "other_architecture",
            powers(other * p.layers, 0.25, -0.25),
            "That is the formula for encoder-only and decoder-only stacks; with cross-attention a layer has "
            "three residual sublayers."
            if other == 2
            else "That is the formula for the decoder of an encoder–decoder; without cross-attention a layer "
            "has two residual sublayers.",
        )
        yield en.Misconception(
            "exponent_sign",
            (alpha, 1 / beta),
            r"That $\beta$ has the exponent $\frac{1}{4}$; it is $-\frac{1}{4}$, as the weights are scaled "
            r"down.",
        )
        yield en.Misconception(
            "layers_for_sublayers",
            powers(p.layers, 0.25, -0.25),
            "That counts the layers; each has several residual sublayers.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        cross = "attention, cross-attention and feed-forward" if sublayers(p) > 2 * p.layers else ""
        return (
            "Both are powers of the number of residual sublayers, one with a positive and one with a "
            "negative exponent.",
            r"With $K$ residual sublayers in all ("
            f"{cross or 'attention and feed-forward'} in every layer) "
            r"$\alpha = K^{1/4}$ and $\beta = (4K)^{-1/4}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        each, (alpha, beta) = STACKS[p.stack][1], self.solve(p)
        return (
            en.Step(f"Residual sublayers: {each} in every layer", "count", f"{each}*layers", sublayers(p)),
            en.Step("Weight of the skip", "alpha", "count^(1/4)", alpha),
            en.Step("Gain of the weights", "beta", "(4*count)^(-1/4)", beta),
            en.Step("Both", "constants", "(alpha, beta)", (alpha, beta)),
        )

    def exact(self, p: Params) -> str:
        return f"{sublayers(p)}^(1/4), {4 * sublayers(p)}^(-1/4)"


def sublayers(p: Params) -> int:
    """Return how many residual sublayers the stack has."""
    return STACKS[p.stack][1] * p.layers


def powers(count: int, up: float, down: float) -> en.Vec:
    """Return α and β for so many sublayers and these exponents."""
    return float(count) ** up, (4.0 * count) ** down


FAMILY = DeepNorm()
