"""One output of InstanceNorm on a batch of two examples."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    x: Mat = en.matrix("the first example: a row per channel, a column per position", square=False)
    other: Mat = en.matrix("the second example, of the same size", square=False)
    channel: int = en.whole("the channel asked for, counted from 1", 1, low=1, high=8)
    position: int = en.whole("the position asked for, counted from 1", 1, low=1, high=8)
    eps: float = en.eps()


SLIPS = ("batch_norm_instead", "layer_norm_instead", "whole_input_averaged", "unbiased_variance")


class InstanceNorm(en.Family[Params]):
    title = "One output of InstanceNorm"
    catalogue = "D5"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("instancenorm-forward", "instancenorm-group")
    cards = ("card:statistics/instancenorm-group", "card:other_norms/groupnorm-c-groups")
    requires = ("batchnorm.entry", "statistics.instancenorm_count")

    def draw(self, level: int, rng: en.Rng) -> Params:
        channels, positions = 2, 4 if level == 1 else rng.choice((3, 4))
        first, second = (
            [tuple(map(float, rng.integers(positions, -5, 9))) for _ in range(channels)] for _ in "12"
        )
        channel = rng.integer(1, channels)
        if level == 1:
            tidy = en.tidy_batch(rng)
            while len(tidy) != positions:
                tidy = en.tidy_batch(rng)
            first[channel - 1] = tidy
        visible = float(rng.choice((2, 3, 4, 6))) if level == 3 else 0.0
        return Params(tuple(first), tuple(second), channel, rng.integer(1, positions), visible)

    def validate(self, p: Params) -> None:
        channels, positions = len(p.x), len(p.x[0])
        if (len(p.other), len(p.other[0])) != (channels, positions):
            raise en.Refused("other", f"a {channels}×{positions} matrix is wanted, as x is one")
        if positions == 1:
            raise en.Refused("x", "InstanceNorm in training needs more than one position per channel")
        if p.channel > channels:
            raise en.Refused("channel", f"a channel from 1 to {channels} is wanted, not {p.channel}")
        if p.position > positions:
            raise en.Refused("position", f"a position from 1 to {positions} is wanted, not {p.position}")
        if p.eps == 0 and en.flat(p.x[p.channel - 1]):
            raise en.Refused("x", "this channel's values are equal, so with eps = 0 the output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"A batch of two examples $x$ and $x'$ has ${len(p.x)}$ channels (rows) at ${len(p.x[0])}$ "
            "positions (columns):\n\n"
            f"$$x = {en.tex(p.x)}, \\quad x' = {en.tex(p.other)}$$\n\n"
            f"`InstanceNorm1d(C)` has $\\varepsilon = {en.tex(p.eps)}$ and is otherwise as PyTorch sets it "
            "up.\n\n"
            f"What is the output for $x$ at channel ${en.tex(p.channel)}$, position ${en.tex(p.position)}$ "
            "(both counted from 1)?"
        )

    def solve(self, p: Params) -> float:
        return hat(p, p.x[p.channel - 1], p.eps)

    def oracle(self, p: Params, torch: Any) -> Any:
        batch = torch.tensor((p.x, p.other), dtype=torch.float64)
        out = torch.nn.functional.instance_norm(batch, eps=p.eps)
        return out[0, p.channel - 1, p.position - 1]

    def misconceptions(self, p: Params) -> en.Slips:
        own = p.x[p.channel - 1]
        yield en.Misconception(
            "batch_norm_instead",
            hat(p, own + p.other[p.channel - 1], p.eps),
            "That takes this channel of both examples, as BatchNorm does; InstanceNorm stays inside one.",
        )
        yield en.Misconception(
            "layer_norm_instead",
            hat(p, flattened(p.x), p.eps),
            "That takes all channels of the example, as LayerNorm over the whole example does; here every "
            "channel is normalized by itself.",
        )
        yield en.Misconception(
            "whole_input_averaged",
            hat(p, flattened(p.x + p.other), p.eps),
            "That takes one mean of the whole batch; every channel of every example has its own.",
        )
        m = en.moments(own)
        yield en.Misconception(
            "unbiased_variance",
            en.divided(m.deviations, sqrt(m.unbiased + p.eps))[p.position - 1],
            "That divides by one less than the number of positions; the variance is the biased one.",
        )
        yield en.Misconception(
            "eps_ignored",
            hat(p, own, 0.0),
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "The name says it: every channel of every example is an instance of its own.",
            f"Mean and biased variance come from the {len(p.x[0])} positions of row {p.channel} of $x$; "
            r"there is no $\gamma$ or $\beta$ by default.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x[p.channel - 1])
        return (
            en.Step("The channel", "row", "entry(x, channel)", m.x),
            en.Step("Its mean", "mu", "mean(row)", m.mean),
            en.Step("Its biased variance", "var", "mean((row - mu)^2)", m.var),
            en.Step("Normalize", "xhat", "(entry(row, position) - mu)/sqrt(var + eps)", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        deviations, square = en.exact_hat(p.x[p.channel - 1], p.eps)
        text = f"{deviations[p.position - 1]}/sqrt({square})"
        return text if len(text) <= 200 else None


def flattened(rows: Mat) -> en.Vec:
    return tuple(value for row in rows for value in row)


def hat(p: Params, group: en.Vec, eps: float) -> float:
    """Return the entry asked for, normalized by the statistics of this group, which holds it."""
    m = en.moments(group)
    return m.hat(eps)[m.x.index(p.x[p.channel - 1][p.position - 1])]


FAMILY = InstanceNorm()
