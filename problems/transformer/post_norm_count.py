"""How many norms stand on the skip path of a transformer, block after block."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks L", low=1, high=200)
    index: int = en.whole("the block l behind which the path begins, 0 for the model's input", 0, high=199)
    sublayers: int = en.whole("the sublayers of a block, each with its norm", 2, low=1, high=3)
    placement: str = en.option("where the norms stand", ("post", "pre", "pre_final"), "post")


BLOCKS = {
    1: "sublayer, with its norm and its skip",
    2: "sublayers (attention, feed-forward), each with its own norm and its own skip",
    3: "sublayers (self-attention, cross-attention, feed-forward), each with its own norm and its own skip",
}
POST = ("all_blocks_counted", "one_step_too_many", "other_placement")
PRE = ("norm_on_skip", "one_norm_per_block", "final_norm_miscounted")


class PostNormCount(en.Family[Params]):
    title = "Norms on the skip path"
    catalogue = "I4"
    given = Params
    kind = en.Integer()
    levels = {
        1: en.Level(*POST, "one_norm_per_block"),
        2: en.Level(*POST, "two_sublayers_assumed"),
        3: en.Level(*PRE),
    }
    covers = ("norms-on-the-skip-path", "pre-norm-vs-post-norm")
    cards = ("card:residual/post-vs-pre-ln", "card:residual/stack-jacobian")
    demo = "pre_post_ln"
    requires = ("transformer.block_pre_post",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        depth = rng.integer(4, 48)
        index = rng.integer(1, depth - 2)
        if level == 1:
            return Params(depth, index, 2, "post")
        if level == 2:
            return Params(depth, index, rng.choice((1, 3)), "post")
        return Params(depth, index, rng.choice((2, 3)), rng.choice(("pre", "pre_final")))

    def validate(self, p: Params) -> None:
        if p.index >= p.depth:
            raise en.Refused("index", f"a block before the last is wanted, 0 to {p.depth - 1}")

    def prompt(self, p: Params) -> str:
        kind = "post-LN" if p.placement == "post" else "pre-LN"
        end = {
            "post": "",
            "pre": " There is no final norm.",
            "pre_final": " A final norm follows the last block.",
        }[p.placement]
        begin = f"output of block ${p.index}$" if p.index else "model's input (the output of “block $0$”)"
        return (
            f"A {kind} transformer has blocks $1$ to ${p.depth}$. Each has ${p.sublayers}$ "
            f"{BLOCKS[p.sublayers]}.{end}\n\nFollow the gradient from the end of the model back to the "
            f"{begin}, on the skips alone, through no "
            "attention and no feed-forward. Through how many norms does it pass?"
        )

    def solve(self, p: Params) -> int:
        return (0, 1)[p.placement == "pre_final"] if p.placement != "post" else passed(p)

    def oracle(self, p: Params, torch: Any) -> Any:
        # Every norm is played by a doubling and every branch gives nothing: the derivative is 2^count.
        doubling = torch.nn.Linear(1, 1, bias=False, dtype=torch.float64)
        torch.nn.init.constant_(doubling.weight, 2.0)
        stream = start = torch.ones(1, dtype=torch.float64, requires_grad=True)
        for _ in range(p.index, p.depth):
            for _ in range(p.sublayers):
                if p.placement == "post":
                    stream = doubling(stream + torch.zeros_like(stream))
                else:
                    stream = stream + 0.0 * doubling(stream)
        if p.placement == "pre_final":
            stream = doubling(stream)
        return round(torch.autograd.grad(stream, start)[0].log2().item())

    def misconceptions(self, p: Params) -> en.Slips:
        after, final = p.depth - p.index, int(p.placement == "pre_final")
        if p.placement == "post":
            yield en.Misconception(
                "all_blocks_counted",
                p.sublayers * p.depth,
                "That counts the norms of all blocks; only those after the starting point are passed.",
            )
            yield en.Misconception(
                "one_step_too_many",
                p.sublayers * (after + 1),
                "That counts one block too many; after block $l$ there are $L - l$ blocks left.",
            )
            yield en.Misconception(
                "other_placement",
                0,
                "That is pre-LN, where no norm stands on the skips; in post-LN one follows every addition.",
            )
            yield en.Misconception(
                "two_sublayers_assumed",
                2 * after,
                f"That takes two sublayers per block; here a block has ${p.sublayers}$.",
            )
        else:
            yield en.Misconception(
                "norm_on_skip",
                passed(p) + final,
                "That is post-LN, where a norm follows every addition; in pre-LN the norms of the blocks "
                "stand inside the branches.",
            )
            yield en.Misconception(
                "final_norm_miscounted",
                1 - final,
                "That forgets the final norm, through which everything passes."
                if final
                else "That counts a final norm, and this model has none.",
            )
        yield en.Misconception(
            "one_norm_per_block",
            after + final,
            "That counts one norm per block on the skip; "
            + (
                "each sublayer has its own."
                if p.placement == "post"
                else "in pre-LN the norms stand inside the branches."
            ),
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Write down one step. Does the norm act on the sum, or only on what enters the branch?",
            r"A step is $\operatorname{LN}(x + F(x))$ in post-LN, $x + F(\operatorname{LN}(x))$ in pre-LN. "
            "How many blocks lie between the two ends?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        if p.placement != "post":
            final = int(p.placement == "pre_final")
            return (
                en.Step("In pre-LN the norms of the blocks stand in the branches: none on the skips"),
                en.Step("What is left is the final norm, if there is one", "norms", f"0 + {final}", final),
            )
        return (
            en.Step("Blocks after the starting point", "blocks", "depth - index", p.depth - p.index),
            en.Step("One norm for each of their sublayers", "norms", "sublayers*blocks", self.solve(p)),
        )


def passed(p: Params) -> int:
    """Return how many norms the blocks after the starting point have."""
    return p.sublayers * (p.depth - p.index)


FAMILY = PostNormCount()
