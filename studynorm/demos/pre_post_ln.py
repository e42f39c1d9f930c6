"""Gradient of the last block and size of the stream at initialization, in post-LN and pre-LN encoder stacks.

Measured in PyTorch's own encoder layers; the effect is that of theorem 1 in Xiong et al., "On layer
normalization in the Transformer architecture" (2020).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

from studynorm.demos.demo import JSON, Bench, Demo, Plot, Result, Series, Setting, Settings, Table

_HEADS = 4
_BATCH, _TOKENS, _CLASSES = 8, 16, 100


@dataclass(frozen=True, slots=True)
class _Measured:
    """One figure for each depth: the values of all seeds."""

    by_depth: tuple[tuple[float, ...], ...]

    @property
    def mean(self) -> tuple[float, ...]:
        return tuple(sum(values) / len(values) for values in self.by_depth)

    @property
    def spread(self) -> tuple[tuple[float, float], ...] | None:
        """Lowest and highest value of each depth, where there is more than one seed."""
        if len(self.by_depth[0]) == 1:
            return None
        return tuple((min(values), max(values)) for values in self.by_depth)


def _compute(torch: ModuleType, settings: Settings, bench: Bench) -> Result:
    depths, width = settings.wholes("depths"), settings.whole("width")
    seeds = range(bench.seed, bench.seed + settings.whole("seeds"))
    work, done = 2 * len(seeds) * sum(depths), 0
    found: dict[bool, list[list[tuple[float, float]]]] = {False: [], True: []}
    for norm_first in (False, True):
        for depth in depths:
            found[norm_first].append([])
            for seed in seeds:
                found[norm_first][-1].append(_stack(torch, norm_first, depth, width, seed, bench))
                done += depth
                bench.progress(
                    done / work, f"{'pre-LN' if norm_first else 'post-LN'}, {depth} blocks, seed {seed}"
                )
    post, post_stream = (_figure(found[False], part) for part in (0, 1))
    pre, pre_stream = (_figure(found[True], part) for part in (0, 1))
    scaled = tuple(gradient * math.sqrt(depth) for gradient, depth in zip(pre.mean, depths, strict=True))
    x = tuple(float(depth) for depth in depths)
    drawn = f" (mean and range of {len(seeds)} seeds)" if len(seeds) > 1 else ""
    return Result(
        data={
            "depths": list(depths),
            "seeds": list(seeds),
            "post_ln": _data(post, post_stream),
            "pre_ln": _data(pre, pre_stream),
            "pre_times_sqrt_depth": list(scaled),
        },
        plots=(
            Plot(
                title="Gradient of the last block at initialization",
                x_label="blocks",
                y_label=f"gradient norm{drawn}",
                series=(
                    Series("post-LN", x, post.mean, post.spread),
                    Series("pre-LN", x, pre.mean, pre.spread),
                    Series("pre-LN · √L", x, scaled),
                ),
                log_x=True,
            ),
            Plot(
                title="Size of the residual stream at initialization",
                x_label="blocks",
                y_label=f"|x|²/d{drawn}",
                series=(
                    Series("post-LN", x, post_stream.mean, post_stream.spread),
                    Series("pre-LN", x, pre_stream.mean, pre_stream.spread),
                ),
                log_x=True,
                log_y=True,
            ),
        ),
        table=Table(
            name="Gradient norm of the last block's second FFN matrix, and |x|²/d of the stream",
            header=("L", "post-LN", "pre-LN", "pre-LN·√L", "post stream", "pre stream"),
            rows=tuple(
                zip(depths, post.mean, pre.mean, scaled, post_stream.mean, pre_stream.mean, strict=True)
            ),
        ),
        summary=_summary(depths, post, pre, pre_stream),
    )


def _stack(
    torch: ModuleType, norm_first: bool, depth: int, width: int, seed: int, bench: Bench
) -> tuple[float, float]:
    """Return the gradient norm of the last block's second FFN weight, and the mean |x_L|²/d.

    The order of the draws decides the numbers: blocks, Xavier weights, head, inputs, targets, all on the CPU.
    """
    nn, dtype = torch.nn, getattr(torch, bench.dtype)
    torch.default_generator.manual_seed(seed)
    blocks = nn.ModuleList(
        nn.TransformerEncoderLayer(
            width, _HEADS, 4 * width, dropout=0.0, batch_first=True, norm_first=norm_first, dtype=dtype
        )
        for _ in range(depth)
    )
    for weight in blocks.parameters():
        if weight.dim() == 2:
            nn.init.xavier_normal_(weight)
    final = nn.LayerNorm(width, dtype=dtype) if norm_first else nn.Identity()
    head = nn.Linear(width, _CLASSES, dtype=dtype)
    x = torch.randn(_BATCH, _TOKENS, width, dtype=dtype).to(bench.device)
    target = torch.randint(0, _CLASSES, (_BATCH, _TOKENS)).to(bench.device)
    for module in (blocks, final, head):
        module.to(bench.device)
    for block in blocks:
        x = block(x)
    nn.functional.cross_entropy(head(final(x)).flatten(0, 1), target.flatten()).backward()
    stream = (x.detach() ** 2).sum(-1).mean().item() / width
    return blocks[-1].linear2.weight.grad.norm().item(), stream


def _figure(found: Sequence[Sequence[tuple[float, float]]], part: int) -> _Measured:
    return _Measured(tuple(tuple(pair[part] for pair in of_depth) for of_depth in found))


def _data(gradient: _Measured, stream: _Measured) -> dict[str, JSON]:
    data: dict[str, JSON] = {"gradient": gradient.mean, "stream": stream.mean}
    if gradient.spread is not None and stream.spread is not None:
        data |= {"gradient_spread": gradient.spread, "stream_spread": stream.spread}
    return data


def _summary(depths: Sequence[int], post: _Measured, pre: _Measured, stream: _Measured) -> tuple[str, ...]:
    first, last = depths[0], depths[-1]
    if first == last:
        return (
            f"At {first} blocks the last block's gradient is {post.mean[0]:.3f} in post-LN "
            f"and {pre.mean[0]:.3f} in pre-LN.",
            f"The pre-LN stream has |x|²/d = {stream.mean[0]:.1f}; post-LN normalizes it to 1.",
        )
    return (
        f"Post-LN: the last block's gradient stays between {min(post.mean):.3f} and {max(post.mean):.3f} "
        f"from {first} to {last} blocks.",
        f"Pre-LN: it goes from {pre.mean[0]:.3f} to {pre.mean[-1]:.3f}, a factor of "
        f"{pre.mean[0] / pre.mean[-1]:.2f}, where √({last}/{first}) is {math.sqrt(last / first):.2f}.",
        f"The pre-LN stream grows from {stream.mean[0]:.1f} to {stream.mean[-1]:.1f}; post-LN keeps it at 1.",
    )


DEMO = Demo(
    name="pre_post_ln",
    title="Pre-LN and post-LN at initialization",
    question=(
        "A pre-LN Transformer grows from 6 to 48 blocks. What happens, at initialization, to the gradient of "
        "the last block's second feed-forward matrix?"
    ),
    options=(
        "it stays as it is",
        "it falls like $1/\\sqrt{L}$",
        "it falls like $1/L$",
        "it grows like $\\sqrt{L}$",
    ),
    right=1,
    explanation=(
        "In pre-LN the squared size of the stream grows about linearly with depth, so the final LayerNorm "
        "divides the gradient by about $\\sqrt{L}$. In post-LN the stream is normalized in every block, and "
        "the gradient of the last block does not depend on the depth."
    ),
    settings=(
        Setting(
            "depths", "depths L", "ints", (6, 12, 24, 48), 1, 96, unit="blocks", help="numbers of blocks"
        ),
        Setting("width", "width d", "int", 64, 8, 256, multiple_of=_HEADS, help="features of each token"),
        Setting("seeds", "seeds", "int", 1, 1, 10, help="random draws: the mean and the spread are shown"),
    ),
    dtype="float32",
    compute=_compute,
)
