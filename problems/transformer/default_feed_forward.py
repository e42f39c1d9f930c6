"""The feed-forward block of PyTorch's encoder layer when its size is not given."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

DEFAULT = 2048
"""The default of `dim_feedforward`, whatever the width is."""


@dataclass(frozen=True, slots=True)
class Params:
    width: int = en.whole("the width E of the stream", low=1, high=2**16)
    heads: int = en.whole("the number of attention heads", 1, low=1, high=2**10)


SLIPS = ("four_times_width", "four_times_width_counted", "biases_forgotten", "one_feed_forward_matrix")


class DefaultFeedForward(en.Family[Params]):
    title = "The default width of the feed-forward block"
    catalogue = "I7"
    given = Params
    kind = en.Integers(labels=("hidden width", "learned numbers"))
    levels = {1: en.Level(*SLIPS, distinct=18), 2: en.Level(*SLIPS, "hidden_bias_of_width", distinct=36)}
    covers = ("feed-forward",)
    cards = ("card:statistics/layernorm-rmsnorm-learned",)
    requires = ("transformer.block_parameters",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        widths = (
            (8, 16, 32, 64, 128, 256)
            if level == 1
            else (24, 40, 48, 72, 80, 96, 120, 160, 192, 320, 384, 480)
        )
        return Params(rng.choice(widths), rng.choice((2, 4, 8)))

    def validate(self, p: Params) -> None:
        if p.width % p.heads:
            raise en.Refused("heads", f"every head gets an equal part: {p.heads} does not divide {p.width}")

    def prompt(self, p: Params) -> str:
        return (
            "PyTorch's encoder layer is built as\n\n"
            f"```python\ntorch.nn.TransformerEncoderLayer(d_model={p.width}, nhead={p.heads})\n```\n\n"
            "so that everything else keeps its default. Its feed-forward block is two linear layers with "
            f"biases, $E \\to F \\to E$ with $E = {en.tex(p.width)}$. Give two whole numbers:\n\n"
            "1. its hidden width $F$\n2. how many numbers the feed-forward block learns (without the norms)"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return DEFAULT, learned(p.width, DEFAULT)

    def oracle(self, p: Params, torch: Any) -> Any:
        # On the meta device layers have shapes but no memory.
        layer = torch.nn.TransformerEncoderLayer(d_model=p.width, nhead=p.heads, device="meta")
        two = (layer.linear1, layer.linear2)
        return layer.linear1.out_features, sum(w.numel() for linear in two for w in linear.parameters())

    def misconceptions(self, p: Params) -> en.Slips:
        e, right = p.width, learned(p.width, DEFAULT)
        yield en.Misconception(
            "four_times_width",
            (4 * e, right),
            "Hidden width: that is $4E$, the custom of many models; the default of `dim_feedforward` is a "
            "fixed number.",
        )
        yield en.Misconception(
            "four_times_width_counted",
            (DEFAULT, learned(e, 4 * e)),
            "Learned: that is for $F = 4E$, the custom of many models; the default of `dim_feedforward` is "
            "a fixed number.",
        )
        yield en.Misconception(
            "biases_forgotten",
            (DEFAULT, 2 * e * DEFAULT),
            "Learned: that leaves out the biases, $F$ of the first layer and $E$ of the second.",
        )
        yield en.Misconception(
            "one_feed_forward_matrix",
            (DEFAULT, e * DEFAULT + DEFAULT),
            "Learned: that is the first layer alone; the second leads back from $F$ to $E$.",
        )
        yield en.Misconception(
            "hidden_bias_of_width",
            (DEFAULT, 2 * e * DEFAULT + 2 * e),
            "Learned: that gives both layers $E$ biases; the first has $F$ outputs, so $F$ biases.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Does the default of `dim_feedforward` depend on `d_model`? Recall the signature.",
            "The default is the size of the original Transformer, whose width was 512 and whose hidden width "
            "was four times that.",
            "Two matrices of $E F$ weights, and a bias for every output of both layers.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("The default is fixed, whatever the width: 4·512", "hidden", "4*512", DEFAULT),
            en.Step(
                "Two matrices and two biases",
                "learned",
                "2*width*hidden + hidden + width",
                learned(p.width, DEFAULT),
            ),
            en.Step("Both", "counts", "(hidden, learned)", self.solve(p)),
        )


def learned(width: int, hidden: int) -> int:
    """Return the learned numbers of two linear layers with biases."""
    return 2 * width * hidden + hidden + width


FAMILY = DefaultFeedForward()
