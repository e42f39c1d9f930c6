"""One output of GroupNorm on one example with several channels."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    x: Mat = en.matrix("one example: a row per channel, a column per position", square=False)
    groups: int = en.whole("the number G of groups", 1, low=1, high=8)
    channel: int = en.whole("the channel asked for, counted from 1", 1, low=1, high=8)
    position: int = en.whole("the position asked for, counted from 1", 1, low=1, high=8)
    gamma: en.Vec = en.vector("the scale γ, one entry per channel", like="x", fill=1.0)
    beta: en.Vec = en.vector("the shift β, one entry per channel", like="x", fill=0.0)
    eps: float = en.eps()


SLIPS = (
    "groups_as_group_size",
    "interleaved_groups",
    "layer_norm_instead",
    "instance_norm_instead",
    "affine_per_group",
    "unbiased_variance",
)


class GroupNorm(en.Family[Params]):
    title = "One output of GroupNorm"
    catalogue = "D4"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("groupnorm-forward", "groupnorm-group", "groupnorm-affine-per-channel")
    cards = (
        "card:statistics/groupnorm-group",
        "card:other_norms/groupnorm-one-group",
        "card:other_norms/groupnorm-c-groups",
    )
    requires = ("batchnorm.vector", "statistics.groupnorm_count")

    def draw(self, level: int, rng: en.Rng) -> Params:
        channels, groups = (6, rng.choice((2, 3))) if level < 3 else (8, rng.choice((2, 4)))
        if level == 1:
            groups = 3
        rows = [tuple(map(float, rng.integers(2, -5, 9))) for _ in range(channels)]
        channel = rng.integer(1, channels)
        if level == 1:
            tidy = en.tidy_batch(rng)
            while len(tidy) != 4:
                tidy = en.tidy_batch(rng)
            first = (channel - 1) // 2 * 2
            rows[first : first + 2] = tidy[:2], tidy[2:]
        gamma = tuple(rng.choice((1.0, 2.0, 3.0) if level < 3 else (-2.0, -1.0, 2.0, 3.0)) for _ in rows)
        beta = tuple(map(float, rng.integers(channels, -2, 2)))
        visible = float(rng.choice((2, 4, 6, 8))) if level == 3 else 0.0
        return Params(tuple(rows), groups, channel, rng.integer(1, 2), gamma, beta, visible)

    def validate(self, p: Params) -> None:
        channels, positions = len(p.x), len(p.x[0])
        if p.channel > channels:
            raise en.Refused("channel", f"a channel from 1 to {channels} is wanted, not {p.channel}")
        if p.position > positions:
            raise en.Refused("position", f"a position from 1 to {positions} is wanted, not {p.position}")
        if channels % p.groups:
            raise en.Refused("groups", f"a divisor of the {channels} channels is wanted, not {p.groups}")
        if channels // p.groups * positions == 1:
            raise en.Refused("groups", "with one number per group nothing is left to normalize")
        if p.eps == 0 and en.flat(group_of(p)):
            raise en.Refused("x", "all values of the group are equal, so with eps = 0 the output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"One example has ${len(p.x)}$ channels (rows) at ${len(p.x[0])}$ positions (columns):\n\n"
            f"$$x = {en.tex(p.x)}$$\n\n"
            f"`GroupNorm(G, C)` with $G = {en.tex(p.groups)}$ groups has $\\gamma = {en.tex(p.gamma)}$, "
            f"$\\beta = {en.tex(p.beta)}$ and $\\varepsilon = {en.tex(p.eps)}$.\n\n"
            f"What is the output $y$ at channel ${en.tex(p.channel)}$, position ${en.tex(p.position)}$ "
            "(both counted from 1)?"
        )

    def solve(self, p: Params) -> float:
        top, square, shift = exactly(p)
        return en.surd(top / square, square, shift)

    def oracle(self, p: Params, torch: Any) -> Any:
        gamma, beta = (torch.tensor(values, dtype=torch.float64) for values in (p.gamma, p.beta))
        x = torch.tensor(p.x, dtype=torch.float64).unsqueeze(0)
        out = torch.nn.functional.group_norm(x, p.groups, gamma, beta, p.eps)
        return out[0, p.channel - 1, p.position - 1]

    def misconceptions(self, p: Params) -> en.Slips:
        at, group = p.channel - 1, group_of(p)
        first = at // p.groups * p.groups
        yield en.Misconception(
            "groups_as_group_size",
            output(p, flattened(p.x[first : first + p.groups])),
            "That puts $G$ channels into a group; $G$ is the number of groups, and each has $C/G$ channels.",
        )
        yield en.Misconception(
            "interleaved_groups",
            output(p, flattened(p.x[at % p.groups :: p.groups])),
            "That takes every $G$-th channel; the channels of a group are neighbors.",
        )
        yield en.Misconception(
            "layer_norm_instead",
            output(p, flattened(p.x)),
            "That takes all channels together, as LayerNorm over the whole example does; a group has only "
            "$C/G$ channels.",
        )
        yield en.Misconception(
            "instance_norm_instead",
            output(p, p.x[at]),
            "That takes this channel alone, as InstanceNorm does; the other channels of its group count too.",
        )
        place = at // (len(p.x) // p.groups)
        yield en.Misconception(
            "affine_per_group",
            hat(p, group) * p.gamma[place] + p.beta[place],
            r"That takes $\gamma$ and $\beta$ by the number of the group; they have one entry per channel.",
        )
        m = en.moments(group)
        yield en.Misconception(
            "unbiased_variance",
            p.gamma[at] * entry_of(p, m, sqrt(m.unbiased + p.eps)) + p.beta[at],
            "That divides by one less than the size of the group; the variance is the biased one.",
        )
        yield en.Misconception(
            "eps_ignored",
            p.gamma[at] * entry_of(p, m, sqrt(m.var)) + p.beta[at],
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        size = len(p.x) // p.groups
        return (
            "Split the channels, in order, into $G$ groups of equal size. Which of them are in the group of "
            "the one asked for?",
            f"Each group has $C/G = {size}$ channels; one mean and one biased variance cover all "
            f"{size * len(p.x[0])} numbers of it. Then the channel's own $\\gamma$ and $\\beta$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        group, size = group_of(p), len(p.x) // p.groups
        m, first = en.moments(group), (p.channel - 1) // size * size + 1
        cells = [
            f"entry(entry(x, {channel}), {position})"
            for channel in range(first, first + size)
            for position in range(1, len(p.x[0]) + 1)
        ]
        last = first + size - 1
        which = f"channels {first} to {last}" if size > 1 else f"channel {first}"
        value = p.x[p.channel - 1][p.position - 1]
        return (
            en.Step(f"Its group: {which}", "group", f"[{', '.join(cells)}]", group),
            en.Step("Mean of the group", "mu", "mean(group)", m.mean),
            en.Step("Biased variance of the group", "var", "mean((group - mu)^2)", m.var),
            en.Step("The number asked for", "value", "entry(entry(x, channel), position)", value),
            en.Step("Normalize", "xhat", "(value - mu)/sqrt(var + eps)", hat(p, group)),
            en.Step(
                "The channel's own scale and shift",
                "y",
                "entry(gamma, channel)*xhat + entry(beta, channel)",
                self.solve(p),
            ),
        )

    def exact(self, p: Params) -> str | None:
        top, square, _ = exactly(p)
        text = f"{top}/sqrt({square}) + ({en.plain(p.beta[p.channel - 1])})"
        return text if len(text) <= 200 else None


def exactly(p: Params) -> tuple[Fraction, Fraction, Fraction]:
    """Return a, s and b of the output a/√s + b without loss."""
    group, at = group_of(p), p.channel - 1
    deviations, square = en.exact_hat(group, p.eps)
    top = Fraction(repr(p.gamma[at])) * deviations[group.index(p.x[at][p.position - 1])]
    return top, square, Fraction(repr(p.beta[at]))


def flattened(rows: Mat) -> en.Vec:
    return tuple(value for row in rows for value in row)


def group_of(p: Params) -> en.Vec:
    """Return all numbers of the group that holds the channel asked for."""
    size = len(p.x) // p.groups
    first = (p.channel - 1) // size * size
    return flattened(p.x[first : first + size])


def entry_of(p: Params, m: en.Moments, root: float) -> float:
    """Return the deviation of the entry asked for, which is one of the group's, divided by `root`."""
    return en.divided(m.deviations, root)[m.x.index(p.x[p.channel - 1][p.position - 1])]


def hat(p: Params, group: en.Vec) -> float:
    """Return the entry asked for, normalized by the statistics of this group, which holds it."""
    m = en.moments(group)
    return entry_of(p, m, sqrt(m.var + p.eps))


def output(p: Params, group: en.Vec) -> float:
    return p.gamma[p.channel - 1] * hat(p, group) + p.beta[p.channel - 1]


FAMILY = GroupNorm()
