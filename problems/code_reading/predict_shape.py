"""The shape that a short piece of code prints."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

Sizes = tuple[int, ...]
Rule = Callable[[int, int, int], Sizes]


@dataclass(frozen=True, slots=True)
class Snippet:
    """Code whose `{n}`, `{c}`, `{w}` are the sizes of x, what it prints, why, and what else is thought."""

    code: str
    shape: Rule
    why: str
    slips: tuple[tuple[str, Rule, str], ...]
    level: int


SNIPPETS = {
    "mean_keepdim": Snippet(
        "print(x.mean((0, 2), keepdim=True).shape)",
        lambda n, c, w: (1, c, 1),
        "The averaged axes stay, with the size 1, because of `keepdim`.",
        (
            ("keepdim_ignored", lambda n, c, w: (c,), "That is the shape without `keepdim=True`."),
            (
                "averaged_axes_kept",
                lambda n, c, w: (n, 1, w),
                "The axes in `mean((0, 2))` are the averaged ones.",
            ),
        ),
        1,
    ),
    "running_mean": Snippet(
        "bn = nn.BatchNorm1d({c})\nbn(x)\nprint(bn.running_mean.shape)",
        lambda n, c, w: (c,),
        "BatchNorm keeps one running mean per channel, and axis 1 holds the channels.",
        (
            (
                "state_per_example",
                lambda n, c, w: (n, c),
                "BatchNorm's statistics are shared by all examples.",
            ),
            ("broadcast_shape_stored", lambda n, c, w: (1, c, 1), "It is stored as a plain vector."),
            ("channel_axis_last", lambda n, c, w: (w,), "For BatchNorm axis 1 holds the channels."),
        ),
        1,
    ),
    "layernorm_weight": Snippet(
        "ln = nn.LayerNorm({w})\ny = ln(x)\nprint(ln.weight.shape)",
        lambda n, c, w: (w,),
        r"LayerNorm has one $\gamma$ per feature it normalizes over, shared by all tokens.",
        (
            ("learned_per_token", lambda n, c, w: (n, c, w), r"All tokens share one vector $\gamma$."),
            (
                "affine_per_channel",
                lambda n, c, w: (c,),
                "That would be the middle axis; LayerNorm takes the last.",
            ),
            ("scalar_affine", lambda n, c, w: (), r"$\gamma$ is a vector over the features, not one number."),
        ),
        1,
    ),
    "groupnorm_weight": Snippet(
        "gn = nn.GroupNorm(2, {c})\ny = gn(x)\nprint(gn.weight.shape)",
        lambda n, c, w: (c,),
        r"Statistics are per group, but $\gamma$ is per channel.",
        (
            (
                "learned_per_group",
                lambda n, c, w: (2,),
                r"Statistics are per group; $\gamma$ is per channel.",
            ),
            ("learned_per_token", lambda n, c, w: (c, w), "Positions share their channel's scale."),
        ),
        1,
    ),
    "group_means": Snippet(
        "print(x.reshape({n}, 2, -1).mean(-1).shape)",
        lambda n, c, w: (n, 2),
        "The reshape puts half of the channels with all positions on the last axis, which is averaged.",
        (
            ("mean_per_channel", lambda n, c, w: (n, c), "The channels of a group have been merged before."),
            (
                "positions_forgotten",
                lambda n, c, w: (n, 2, w),
                "`-1` takes the positions into the last axis too.",
            ),
            ("examples_averaged_too", lambda n, c, w: (2,), "Axis 0, the examples, is not averaged."),
        ),
        1,
    ),
    "tokens_as_channels": Snippet(
        "bn = nn.BatchNorm1d({w})\nprint(bn(x.transpose(1, 2)).shape)",
        lambda n, c, w: (n, w, c),
        "The transposition puts the features on axis 1, and a norm keeps the shape of its input.",
        (
            ("transposed_back", lambda n, c, w: (n, c, w), "Nothing transposes back afterwards."),
            (
                "statistics_returned",
                lambda n, c, w: (w,),
                "A norm returns all its values, not its statistics.",
            ),
        ),
        1,
    ),
    "two_axes": Snippet(
        "ln = nn.LayerNorm(({c}, {w}))\ny = ln(x)\nprint(ln.weight.shape)",
        lambda n, c, w: (c, w),
        r"LayerNorm has one $\gamma$ for every number in its group, here for both axes.",
        (
            (
                "affine_per_channel",
                lambda n, c, w: (c,),
                r"That is GroupNorm; LayerNorm's $\gamma$ is per element.",
            ),
            ("last_axis_only", lambda n, c, w: (w,), "Both axes are named, so both are normalized over."),
        ),
        2,
    ),
    "outer_difference": Snippet(
        "t = x[0, 0]\nprint((t - t.reshape(-1, 1)).shape)",
        lambda n, c, w: (w, w),
        "A row minus a column: each is stretched along the other's axis.",
        (
            ("broadcast_unnoticed", lambda n, c, w: (w,), "A vector and a column are broadcast to a square."),
            ("column_wins", lambda n, c, w: (w, 1), "The vector counts as a row and is stretched too."),
        ),
        2,
    ),
    "feed_forward_default": Snippet(
        "layer = nn.TransformerEncoderLayer({w}, nhead=1)\nprint(layer.linear1.weight.shape)",
        lambda n, c, w: (2048, w),
        "`dim_feedforward` is 2048 unless told otherwise, and a weight is stored as (outputs, inputs).",
        (
            (
                "four_times_width_default",
                lambda n, c, w: (4 * w, w),
                "The default is 2048, whatever the width is.",
            ),
            ("weight_stored_by_input", lambda n, c, w: (w, 2048), "`nn.Linear` stores (outputs, inputs)."),
        ),
        2,
    ),
    "in_projection": Snippet(
        "layer = nn.TransformerEncoderLayer({w}, nhead=1)\nprint(layer.self_attn.in_proj_weight.shape)",
        lambda n, c, w: (3 * w, w),
        "Queries, keys and values have one joint matrix, with three times the width as outputs.",
        (
            (
                "one_projection_only",
                lambda n, c, w: (w, w),
                "Query, key and value projections are stacked in it.",
            ),
            (
                "weight_stored_by_input",
                lambda n, c, w: (w, 3 * w),
                "A weight is stored as (outputs, inputs).",
            ),
        ),
        2,
    ),
    "folded_weight": Snippet(
        "conv = nn.Conv1d({c}, 7, kernel_size=3, bias=False)\nbn = nn.BatchNorm1d(7).eval()\n"
        "s = bn.weight / (bn.running_var + bn.eps).sqrt()\nprint((conv.weight * s.reshape(-1, 1, 1)).shape)",
        lambda n, c, w: (7, c, 3),
        "Folding keeps the shape (output channels, input channels, kernel); each output channel is scaled.",
        (
            (
                "weight_stored_by_input",
                lambda n, c, w: (c, 7, 3),
                "A convolution stores output channels first.",
            ),
            (
                "scale_shape_taken",
                lambda n, c, w: (7, 1, 1),
                "That is the scale alone; the product is larger.",
            ),
        ),
        2,
    ),
    "stacked_skip": Snippet(
        "out = nn.Linear({w}, 1)(x)\nprint((x + out).shape)",
        lambda n, c, w: (n, c, w),
        "The single output is stretched over all features: it runs, though it is hardly what was meant.",
        (
            (
                "smaller_shape_wins",
                lambda n, c, w: (n, c, 1),
                "Sizes of 1 are stretched, not the others shrunk.",
            ),
            (
                "features_appended",
                lambda n, c, w: (n, c, w + 1),
                "A sum appends nothing; that would be `cat`.",
            ),
        ),
        2,
    ),
}


@dataclass(frozen=True, slots=True)
class Params:
    shape: Sizes = en.shape("the shape of x", 3)
    snippet: str = en.option("the code", tuple(SNIPPETS), "mean_keepdim")


class PredictShape(en.Family[Params]):
    title = "Predict the shape that is printed"
    catalogue = "K2"
    given = Params
    kind = en.Shape()
    levels = {1: en.Level(), 2: en.Level()}
    covers = ("predict-output", "branch-keeps-shape", "groupnorm-affine-per-channel")
    cards = ("card:statistics/batchnorm-learned", "card:statistics/batchnorm-dims")
    requires = ("statistics.batchnorm_count", "statistics.layernorm_count")

    def draw(self, level: int, rng: en.Rng) -> Params:
        n, c, width = rng.sample((4, 6, 8, 10, 12, 14, 16, 20, 24, 32), 3)
        return Params((n, c, width), rng.choice([name for name, it in SNIPPETS.items() if it.level == level]))

    def validate(self, p: Params) -> None:
        if math.prod(p.shape) > 2**20 or p.shape[2] > 512 or p.shape[1] > 2**12:
            raise en.Refused("shape", "at most 1048576 entries, 4096 on axis 1 and 512 on axis 2 are wanted")
        if p.snippet in {"groupnorm_weight", "group_means"} and p.shape[1] % 2:
            raise en.Refused("shape", "this code makes two groups, so the size of axis 1 is even")
        n, c, width = p.shape
        sharing = {
            "running_mean": n * width,
            "tokens_as_channels": n * c,
            "groupnorm_weight": n * c // 2 * width,
        }
        if sharing.get(p.snippet, 2) < 2:
            raise en.Refused("shape", "this layer wants more than one value per mean; take larger sizes")

    def prompt(self, p: Params) -> str:
        return f"What does this print?\n\n```python\n{source(p)}\n```\n\nGive the shape."

    def solve(self, p: Params) -> Sizes:
        return SNIPPETS[p.snippet].shape(*p.shape)

    def oracle(self, p: Params, torch: Any) -> Any:
        printed: list[Any] = []
        exec(source(p), {"torch": torch, "nn": torch.nn, "print": printed.append})  # the code just shown
        return tuple(printed[0])

    def misconceptions(self, p: Params) -> en.Slips:
        for belief, shape, why in SNIPPETS[p.snippet].slips:
            yield en.Misconception(belief, shape(*p.shape), why)

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Follow the axes line by line: which are averaged, stretched or merged, and which stay?",
            "Parameters and buffers belong to what shares them: ask who shares, and what the default is.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return en.Step(SNIPPETS[p.snippet].why), en.Step(f"It prints `torch.Size({list(self.solve(p))})`.")


def source(p: Params) -> str:
    """Return the code with its sizes."""
    n, c, width = p.shape
    start = f"x = torch.randn{en.plain(p.shape)}"
    return f"{start}\n{SNIPPETS[p.snippet].code.format(n=n, c=c, w=width)}"


FAMILY = PredictShape()
