"""How many numbers a LayerNorm layer averages and learns for a batch of token sequences."""

from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

LARGEST = 2**24


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the shape (B, T, D) of the input", 3)


SLIPS = (
    "tokens_averaged_too",
    "whole_input_averaged",
    "mean_per_sequence",
    "batchnorm_axes",
    "learned_per_token",
)


class LayerNormCount(en.Family[Params]):
    title = "What LayerNorm averages and learns"
    catalogue = "C2"
    given = Params
    kind = en.Integers(labels=("numbers per mean", "means", "learned numbers"))
    levels = {1: en.Level(*SLIPS)}
    covers = ("layernorm-group", "layernorm-parameter-count")
    cards = ("card:statistics/layernorm-token-group", "card:statistics/layernorm-rmsnorm-learned")
    requires = ("statistics.batchnorm_count",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        batch, tokens = rng.choice((2, 4, 8, 16)), rng.choice((10, 25, 32, 50, 64, 100))
        return Params((batch, tokens, rng.choice((48, 96, 128, 256, 512))))

    def validate(self, p: Params) -> None:
        if prod(p.shape) > LARGEST:
            raise en.Refused("shape", f"at most 2^24 = {LARGEST} numbers are tried here, not {prod(p.shape)}")

    def prompt(self, p: Params) -> str:
        return (
            "A transformer's `LayerNorm(D)`, with PyTorch's defaults, gets an input of shape "
            f"$(B, T, D) = {en.tex(p.shape)}$: sequences, tokens, features. Give three whole "
            "numbers, in this order:\n\n"
            "1. how many numbers are averaged into one mean\n"
            "2. how many means there are\n"
            "3. how many learned numbers the layer has"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        b, t, d = p.shape
        return d, b * t, 2 * d

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.LayerNorm(p.shape[2], dtype=torch.float64)
        single_one = torch.zeros(p.shape, dtype=torch.float64)
        single_one[0, 0, 0] = 1.0
        with torch.no_grad():
            _, means, _ = torch.native_layer_norm(
                single_one, layer.normalized_shape, layer.weight, layer.bias, layer.eps
            )
        return (
            round(1 / means.max().item()),
            means.numel(),
            sum(parameter.numel() for parameter in layer.parameters()),
        )

    def misconceptions(self, p: Params) -> en.Slips:
        b, t, d = p.shape
        per_mean, means, learned = self.solve(p)
        yield en.Misconception(
            "tokens_averaged_too",
            (t * d, means, learned),
            "Numbers per mean: that is $TD$, a whole sequence; every token is normalized by itself.",
        )
        yield en.Misconception(
            "whole_input_averaged",
            (b * t * d, means, learned),
            "Numbers per mean: that is $BTD$, the whole input; a token's mean takes its $D$ features only.",
        )
        yield en.Misconception(
            "mean_per_sequence",
            (per_mean, b, learned),
            "Means: that is $B$, one per sequence; every one of the $BT$ tokens has its own.",
        )
        yield en.Misconception(
            "batchnorm_axes",
            (means, per_mean, learned),
            "That swaps the two, as if each feature were averaged over all tokens, as in BatchNorm.",
        )
        yield en.Misconception(
            "learned_per_token",
            (per_mean, means, 2 * b * t),
            r"Learned: that is $2BT$; $\gamma$ and $\beta$ have one entry per feature, for all tokens.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "LayerNorm normalizes every token by itself, over its features.",
            r"There are $B T$ tokens; $\gamma$ and $\beta$ have one entry for each of the $D$ features.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        per_mean, means, learned = self.solve(p)
        return (
            en.Step("The features of one token: D", "per_mean", "entry(shape, 3)", per_mean),
            en.Step("One mean per token: B·T", "means", "entry(shape, 1)*entry(shape, 2)", means),
            en.Step("A scale and a shift per feature", "learned", "2*per_mean", learned),
            en.Step("All three", "counts", "(per_mean, means, learned)", self.solve(p)),
        )


FAMILY = LayerNormCount()
