"""Fixup's factor for the weights inside residual branches."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of residual branches L", low=1, high=10**6)
    layers: int = en.whole("the number of weight layers in a branch, m", 2, low=2, high=20)


SLIPS = ("always_root_depth", "root_of_all_layers", "zero_layer_counted", "exponent_sign", "inverse_depth")


class Fixup(en.Family[Params]):
    title = "Fixup's factor for branch weights"
    catalogue = "H12"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS)}
    covers = ("fixup-init",)
    cards = ("card:residual/three-remedies",)
    requires = ("stream_scale.scaled_branch",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        return Params(rng.integer(8, 200), rng.choice((3, 3, 4, 5)))

    def prompt(self, p: Params) -> str:
        return (
            f"A residual network without normalization has $L = {p.depth}$ branches of $m = {p.layers}$ "
            "weight layers each. Fixup initializes the last layer of every branch to 0 and the others by "
            "He's rule times a factor, chosen so that one step of SGD changes the network's output by an "
            "amount that does not grow with $L$.\n\nWhat is that factor?"
        )

    def solve(self, p: Params) -> float:
        return float(float(p.depth) ** (-1 / (2 * p.layers - 2)))

    def oracle(self, p: Params, torch: Any) -> Any:
        """Take an SGD step on scalar branches for many factors at once; find where all together move 1."""
        low, high = 0.0, 1.0
        for _ in range(5):
            scale = torch.linspace(low, high, 1001, dtype=torch.float64)
            last = torch.zeros_like(scale, requires_grad=True)
            inner = torch.ones_like(scale)
            for _ in range(p.layers - 1):
                inner = inner * scale
            (gradient,) = torch.autograd.grad((last * inner).sum(), last)
            moved = p.depth * (gradient * inner)  # every branch, after a step of rate 1
            place = min(max(int(torch.searchsorted(moved, 1.0)), 1), 1000)
            low, high = scale[place - 1].item(), scale[place].item()
        return 0.5 * (low + high)

    def misconceptions(self, p: Params) -> en.Slips:
        depth, m = float(p.depth), p.layers
        yield en.Misconception(
            "always_root_depth",
            depth**-0.5,
            r"That is $1/\sqrt L$, right for $m = 2$ only; with more layers each needs less scaling.",
        )
        yield en.Misconception(
            "root_of_all_layers",
            depth ** (-1 / m),
            r"That is $L^{-1/m}$; a step scales with the square of the product of the $m - 1$ scaled layers.",
        )
        yield en.Misconception(
            "zero_layer_counted",
            depth ** (-1 / (2 * m)),
            r"That is $L^{-1/(2m)}$; the last layer is 0, so only $m - 1$ layers carry the factor.",
        )
        yield en.Misconception(
            "exponent_sign",
            depth ** (1 / (2 * m - 2)),
            "That makes the weights larger; the exponent is negative, as more branches need smaller steps.",
        )
        yield en.Misconception(
            "inverse_depth",
            1 / depth,
            "That is $1/L$; the factor enters a step $2m - 2$ times, so it is only the root of that order.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "At the start only the last layer of a branch moves. How do its gradient and then the branch's "
            "output depend on the other layers?",
            r"With the factor $s$ on $m - 1$ layers the gradient of the last one has $s^{m-1}$, the changed "
            r"branch $s^{2m-2}$, and $L$ branches must make up $L\,s^{2m-2} = 1$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        exponent = -1 / (2 * p.layers - 2)
        return (
            en.Step(
                r"Solve $L\,s^{2m - 2} = 1$ for $s$: the exponent of $L$",
                "exponent",
                "-1/(2*layers - 2)",
                exponent,
            ),
            en.Step("The factor", "factor", "depth^exponent", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        return f"{p.depth}^(-1/{2 * p.layers - 2})"


FAMILY = Fixup()
