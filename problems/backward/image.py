"""The gradient that reaches one channel of a batch of images through BatchNorm2d."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    x1: Mat = en.matrix("the first example: one channel per row, one position per column", square=False)
    x2: Mat = en.matrix("the second example, of the same size", square=False)
    upstream1: Mat = en.matrix("the upstream gradient of the first example", square=False)
    upstream2: Mat = en.matrix("the upstream gradient of the second example", square=False)
    channel: int = en.whole("the channel asked for, from 1", 1, low=1, high=8)
    gamma: float = en.scalar("the scale γ of every channel", 1.0)
    eps: float = en.eps()


SLIPS = ("positions_forgotten", "examples_apart", "channels_averaged_too", "fixed_affine")


class ImageBackward(en.Family[Params]):
    title = "The input gradient of BatchNorm2d"
    catalogue = "E15"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_ignored")}
    covers = ("batchnorm-backward-input", "batchnorm-group")
    cards = ("card:statistics/batchnorm-image-group", "card:backward/input-gradient")
    requires = ("backward.input_gradient", "statistics.batchnorm_count")
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        channel = rng.integer(1, 2)
        asked: tuple[float, ...] = ()
        while len(asked) != 4:
            asked = en.tidy_batch(rng) if level == 2 else en.untidy_batch(rng, 4, 4)
        rest = tuple(map(float, rng.integers(4, -5, 9)))
        rows = (asked, rest) if channel == 1 else (rest, asked)
        first, second = (tuple(row[at : at + 2] for row in rows) for at in (0, 2))
        upstream1, upstream2 = (
            tuple(tuple(map(float, rng.integers(2, -2, 3))) for _ in range(2)) for _ in range(2)
        )
        gamma = rng.choice((1.0, 2.0, 3.0) if level == 2 else (-2.0, -3.0))
        visible = (
            float(max(1, round(en.moments(asked).var * rng.choice((0.1, 0.2, 0.4))))) if level == 3 else 0.0
        )
        return Params(first, second, upstream1, upstream2, channel, gamma, visible)

    def validate(self, p: Params) -> None:
        channels, width = len(p.x1), len(p.x1[0])
        for name, value in (("x2", p.x2), ("upstream1", p.upstream1), ("upstream2", p.upstream2)):
            if (len(value), len(value[0])) != (channels, width):
                raise en.Refused(name, f"a {channels}×{width} matrix is wanted, as x1 is one")
        if p.channel > channels:
            raise en.Refused("channel", f"a channel from 1 to {channels} is wanted, as x1 has {channels}")
        group = of_channel(p.x1, p.x2, p.channel)
        if p.eps == 0 and en.flat(group):
            raise en.Refused(
                "x1", f"all values of channel {p.channel} are equal, so with eps = 0 the output is 0/0"
            )

    def prompt(self, p: Params) -> str:
        channels, width = len(p.x1), len(p.x1[0])
        return (
            f"`BatchNorm2d` in training mode, with $\\gamma = {en.tex(p.gamma)}$ for every channel and "
            f"$\\varepsilon = {en.tex(p.eps)}$, gets a batch of shape $(N, C, H, W) = (2, {channels}, 1, "
            f"{width})$. The two examples and the gradients that arrive at the output are, with one channel "
            "per row and one position per column:\n\n"
            f"$$x^{{(1)}} = {en.tex(p.x1)}, \\quad x^{{(2)}} = {en.tex(p.x2)}$$\n\n"
            f"$$\\bar y^{{(1)}} = {en.tex(p.upstream1)}, \\quad \\bar y^{{(2)}} = {en.tex(p.upstream2)}$$\n\n"
            f"What is the gradient $\\bar x$ at the inputs of channel {en.tex(p.channel)} (counted from 1)? "
            f"Give {2 * width} numbers: the {width} positions of the first example, then those of the second."
        )

    def solve(self, p: Params) -> en.Vec:
        return en.without_dust(en.gradient(of_channel(p.x1, p.x2, p.channel), scaled(p), p.eps), size_of(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        x, upstream = (
            torch.tensor(pair, dtype=torch.float64).unsqueeze(2)
            for pair in ((p.x1, p.x2), (p.upstream1, p.upstream2))
        )
        x.requires_grad_()
        layer = torch.nn.BatchNorm2d(len(p.x1), eps=en.nonzero(p.eps), dtype=torch.float64)
        with torch.no_grad():
            layer.weight.fill_(p.gamma)
        layer(x).backward(upstream)
        return en.without_dust(x.grad[:, p.channel - 1].ravel().tolist(), size_of(p))

    def misconceptions(self, p: Params) -> en.Slips:
        x, g, width = of_channel(p.x1, p.x2, p.channel), scaled(p), len(p.x1[0])
        m = en.moments(x)
        root = sqrt(m.var + p.eps)
        yield en.Misconception(
            "positions_forgotten",
            en.divided(en.projected(g, m.hat(p.eps), centre=width, along=width), root),
            r"That divides the two sums by $N$; a mean goes over all $N H W$ values of the channel.",
        )
        halves = ((x[:width], g[:width]), (x[width:], g[width:]))
        apart = [value for part, ups in halves for value in backward(ups, en.moments(part), p.eps)]
        yield en.Misconception(
            "examples_apart",
            en.without_dust(tuple(apart), size_of(p)),
            "That takes every example by itself, as InstanceNorm does; BatchNorm takes the channel's values "
            "of all examples together.",
        )
        everything = [number for example in (p.x1, p.x2) for row in example for number in row]
        every_g = [
            p.gamma * number for example in (p.upstream1, p.upstream2) for row in example for number in row
        ]
        whole = backward(tuple(every_g), en.moments(everything), p.eps)
        first = (p.channel - 1) * width
        second = len(p.x1) * width + first
        yield en.Misconception(
            "channels_averaged_too",
            whole[first : first + width] + whole[second : second + width],
            "That takes all channels together; every channel has statistics of its own.",
        )
        yield en.Misconception(
            "fixed_affine",
            en.divided(g, root),
            r"That is $\gamma\bar y/\sqrt{\sigma^2 + \varepsilon}$, as if $\mu$ and $\sigma$ were constants; "
            "in training mode they move with $x$.",
        )
        if m.var:
            yield en.Misconception(
                "eps_ignored",
                backward(g, m, 0.0),
                r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which of the numbers share one mean and variance? Write them in one row, and their gradients "
            "below.",
            f"The group has {2 * len(p.x1[0])} values, from both examples. With $g = \\gamma\\bar y$: $\\bar "
            f"x = "
            r"\frac{1}{\sqrt{\sigma^2 + \varepsilon}} \left(g - \operatorname{mean}(g) - \hat x "
            r"\operatorname{mean}(g \odot \hat x)\right)$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        x, g = of_channel(p.x1, p.x2, p.channel), scaled(p)
        m = en.moments(x)
        hat = m.hat(p.eps)
        along = en.mean([a * b for a, b in zip(g, hat, strict=True)])
        return (
            en.Step("The values of the channel", "group", row("x1", "x2", len(p.x1[0])), x),
            en.Step(
                "Their upstream gradients, scaled",
                "g",
                f"gamma*{row('upstream1', 'upstream2', len(p.x1[0]))}",
                g,
            ),
            en.Step("Mean of the group", "mu", "mean(group)", m.mean),
            en.Step(
                "Root of its biased variance plus ε",
                "root",
                "sqrt(mean((group - mu)^2) + eps)",
                sqrt(m.var + p.eps),
            ),
            en.Step("Normalize", "xhat", "(group - mu)/root", hat),
            en.Step("Mean of g", "middle", "mean(g)", en.mean(g)),
            en.Step("Its part along the normalized values", "along", "mean(g*xhat)", along),
            en.Step("Remove both, then divide", "xbar", "(g - middle - xhat*along)/root", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        return en.gradient_text(of_channel(p.x1, p.x2, p.channel), scaled(p), p.eps)


def of_channel(first: Mat, second: Mat, channel: int) -> en.Vec:
    """Return a channel's numbers of both examples."""
    return first[channel - 1] + second[channel - 1]


def scaled(p: Params) -> en.Vec:
    """Return the channel's g = γȳ."""
    return tuple(p.gamma * value for value in of_channel(p.upstream1, p.upstream2, p.channel))


def backward(g: en.Vec, m: en.Moments, eps: float) -> en.Vec:
    """Return the input gradient of one group."""
    return en.divided(en.projected(g, m.hat(eps)), sqrt(m.var + eps))


def size_of(p: Params) -> float:
    """Return the size of γȳ/√(σ²+ε), beside which a gradient counts as 0."""
    var = en.moments(of_channel(p.x1, p.x2, p.channel)).var
    return max(map(abs, scaled(p))) / sqrt(var + p.eps)


def row(first: str, second: str, width: int) -> str:
    """Return the expression that lists a channel's numbers of both examples."""
    cells = (
        f"entry(entry({name}, channel), {place})" for name in (first, second) for place in range(1, width + 1)
    )
    return f"({', '.join(cells)})"


FAMILY = ImageBackward()
