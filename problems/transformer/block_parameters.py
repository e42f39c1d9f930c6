"""How many learned numbers an encoder has."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    width: int = en.whole("the width E of the stream", low=1, high=2**16)
    hidden: int = en.whole("the hidden width F of the feed-forward block", low=1, high=2**18)
    heads: int = en.whole("the number of attention heads", 1, low=1, high=2**10)
    depth: int = en.whole("the number of blocks", 1, low=1, high=100)
    bias: str = en.option("whether linear layers and norms have biases", ("yes", "no"), "yes")


SLIPS = ("output_projection_forgotten", "times_heads", "one_norm_per_block", "one_feed_forward_matrix")


class BlockParameters(en.Family[Params]):
    title = "Learned numbers of a transformer block"
    catalogue = "I7"
    given = Params
    kind = en.Integer()
    levels = {
        1: en.Level(*SLIPS, "norm_forgotten", distinct=36),
        2: en.Level(*SLIPS, "biases_forgotten", "hidden_bias_of_width"),
        3: en.Level(*SLIPS, "biases_forgotten", "one_block_only"),
    }
    covers = ("transformer-block-parameters", "feed-forward")
    cards = ("card:statistics/layernorm-rmsnorm-learned",)
    requires = ("statistics.norm_parameters",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        heads = rng.choice((2, 4, 8))
        if level == 1:
            width = heads * rng.choice((4, 8, 16))
            return Params(width, rng.choice((2, 3, 4, 8)) * width, heads, 1, "no")
        width = heads * rng.choice((12, 16, 24, 32, 48, 64))
        hidden = rng.choice((2, 3, 4)) * width + rng.choice((0, 0, 32, 64))
        return Params(width, hidden, heads, 1 if level == 2 else rng.choice((3, 4, 6, 12)), "yes")

    def validate(self, p: Params) -> None:
        if p.width % p.heads:
            raise en.Refused("heads", f"every head gets an equal part: {p.heads} does not divide {p.width}")

    def prompt(self, p: Params) -> str:
        bias = (
            "All linear layers have a bias, both norms have $\\gamma$ and $\\beta$."
            if p.bias == "yes"
            else "There is no bias anywhere: the norms have $\\gamma$ alone (`bias=False`)."
        )
        learner = (
            "$1$ such layer"
            if p.depth == 1
            else f"a stack of ${en.tex(p.depth)}$ such layers, with no norm after it,"
        )
        return (
            "In a PyTorch `TransformerEncoderLayer` the stream has the width "
            f"$E = {en.tex(p.width)}$, attention has ${en.tex(p.heads)}$ "
            f"{'head' if p.heads == 1 else 'heads'}, the feed-forward block has the "
            f"hidden width $F = {en.tex(p.hidden)}$, and attention and feed-forward each have a LayerNorm. "
            f"{bias}\n\nHow many numbers does {learner} learn?"
        )

    def solve(self, p: Params) -> int:
        return p.depth * (attention(p) + feed_forward(p) + 2 * norm(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        # On the meta device layers have shapes but no memory.
        block = torch.nn.TransformerEncoderLayer(
            p.width, p.heads, p.hidden, bias=p.bias == "yes", device="meta"
        )
        return sum(weight.numel() for _ in range(p.depth) for weight in block.parameters())

    def misconceptions(self, p: Params) -> en.Slips:
        e, f, answer = p.width, p.hidden, self.solve(p)
        biased = p.bias == "yes"
        yield en.Misconception(
            "output_projection_forgotten",
            answer - p.depth * (e * e + biased * e),
            "That leaves out the output projection of attention, $E \\times E$ like the other three.",
        )
        yield en.Misconception(
            "times_heads",
            answer + p.depth * (p.heads - 1) * attention(p),
            "That counts attention once per head; the heads share the width, $E$ divided among them.",
        )
        yield en.Misconception(
            "one_norm_per_block",
            answer - p.depth * norm(p),
            "That counts one norm; attention and feed-forward have one each.",
        )
        yield en.Misconception(
            "norm_forgotten",
            answer - p.depth * 2 * norm(p),
            "That leaves out the two norms; each learns a $\\gamma$ for every feature.",
        )
        yield en.Misconception(
            "one_feed_forward_matrix",
            answer - p.depth * (e * f + biased * e),
            "That counts one matrix in the feed-forward block; it has two, up to $F$ and back to $E$.",
        )
        if biased:
            yield en.Misconception(
                "biases_forgotten",
                p.depth * (4 * e * e + 2 * e * f + 2 * norm(p)),
                "That leaves out the biases of the linear layers: $4E$ in attention, $F + E$ after it.",
            )
            yield en.Misconception(
                "hidden_bias_of_width",
                answer - p.depth * (f - e),
                "That gives both feed-forward layers $E$ biases; the first has $F$ outputs, so $F$ biases.",
            )
        yield en.Misconception(
            "one_block_only", answer // p.depth, "That is one layer; every layer has weights of its own."
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        bias = " and a bias for every output" if p.bias == "yes" else ""
        return (
            "List the linear layers: how many are there in attention, how many in the feed-forward block?",
            "Attention: query, key, value and output, each $E \\times E$; feed-forward: $E \\to F \\to E$. "
            f"A linear layer has (inputs) × (outputs) weights{bias}.",
            "The number of heads only divides the width; it changes no count.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        biased = p.bias == "yes"
        block = attention(p) + feed_forward(p) + 2 * norm(p)
        return (
            en.Step(
                "Attention: query, key, value, output",
                "attention",
                "4*width^2 + 4*width" if biased else "4*width^2",
                attention(p),
            ),
            en.Step(
                "Feed-forward: up and down",
                "feed_forward",
                "2*width*hidden + hidden + width" if biased else "2*width*hidden",
                feed_forward(p),
            ),
            en.Step("Two norms", "norms", "4*width" if biased else "2*width", 2 * norm(p)),
            en.Step("One layer", "block", "attention + feed_forward + norms", block),
            en.Step("All layers", "learned", "depth*block", self.solve(p)),
        )


def attention(p: Params) -> int:
    """Return the learned numbers of attention in one block."""
    return 4 * p.width * (p.width + (p.bias == "yes"))


def feed_forward(p: Params) -> int:
    """Return the learned numbers of the feed-forward block."""
    return 2 * p.width * p.hidden + (p.bias == "yes") * (p.hidden + p.width)


def norm(p: Params) -> int:
    """Return the learned numbers of one norm."""
    return p.width * (2 if p.bias == "yes" else 1)


FAMILY = BlockParameters()
