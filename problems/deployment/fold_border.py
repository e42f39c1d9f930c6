"""Why a BatchNorm before a zero-padded convolution cannot be folded: the error at the border."""

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    weight: en.Vec = en.vector("the three taps of the filter", at_least=3)
    gamma: float = en.scalar("the scale γ", 1.0)
    beta: float = en.scalar("the shift β", 0.0)
    running_mean: float = en.scalar("the running mean", 0.0)
    running_var: float = en.scalar("the running variance", 1.0, low=0.0)
    eps: float = en.eps()
    place: str = en.option("which output is asked about", ("left", "right", "inside"), "left")


SLIPS = ("border_forgotten", "sign_flipped", "other_border", "whole_kernel", "tap_forgotten")


class FoldBorder(en.Family[Params]):
    title = "The border where folding fails"
    catalogue = "J3"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "shift_forgotten", "mean_not_scaled")}
    covers = ("fold-before-padded-conv-fails",)
    cards = ("card:running_stats/folding",)
    requires = ("deployment.fold_before",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        place = rng.choice(("left", "right"))
        while True:
            taps = rng.sample((-4, -3, -2, -1, 1, 2, 3, 5), 3)
            hit, other = (taps[0], taps[2]) if place == "left" else (taps[2], taps[0])
            # What the slips multiply by instead is to differ.
            if len({hit, -hit, other, sum(taps), 1, 0}) == 6:
                break
        weight = tuple(map(float, taps))
        std = rng.choice((0.5, 2.0, 4.0) if level == 1 else (0.4, 0.8, 1.5, 2.5))
        gamma = float(rng.choice((1, 2, 3) if level == 1 else (-3, -2, 2, 3)))
        beta, mean = (float(rng.choice((-3, -2, -1, 1, 2, 4))) for _ in range(2))
        return Params(weight, gamma, beta, mean, round(std * std, 4), 0.0, place)

    def validate(self, p: Params) -> None:
        if len(p.weight) != 3:
            raise en.Refused("weight", f"three taps are wanted, not {len(p.weight)}")
        if p.eps == 0 and p.running_var == 0:
            raise en.Refused(
                "running_var", "with eps = 0 a running variance of 0 leaves nothing to divide by"
            )

    def prompt(self, p: Params) -> str:
        place = {"left": "the first output", "right": "the last output", "inside": "an output in the middle"}
        return (
            f"A BatchNorm in eval mode, with $\\gamma = {en.tex(p.gamma)}$, $\\beta = {en.tex(p.beta)}$, "
            f"$\\hat\\mu = {en.tex(p.running_mean)}$, $\\hat\\sigma^2 = {en.tex(p.running_var)}$ and "
            f"$\\varepsilon = {en.tex(p.eps)}$, stands *before* a `Conv1d` with one channel, the taps "
            f"$w = {en.tex(p.weight)}$, no bias and zero padding of 1 on both sides. Someone folds it into "
            "the convolution as if there were no padding: taps $s w$ and bias $(\\beta - s\\hat\\mu)\\sum_k "
            f"w_k$, with the same zero padding.\n\nBy how much is {place[p.place]} of a long input too large "
            "in the folded version: folded minus true?"
        )

    def solve(self, p: Params) -> float:
        return en.without_dust(outside(p) * constant(p), size(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        x = torch.linspace(-1.0, 1.0, 7, dtype=torch.float64).reshape(1, 1, -1)
        taps = torch.tensor(p.weight, dtype=torch.float64).reshape(1, 1, 3)
        kind = {"dtype": torch.float64}
        norm = torch.nn.BatchNorm1d(1, eps=p.eps, **kind)
        inner = torch.nn.Conv1d(1, 1, 3, bias=False, **kind)
        with torch.no_grad():
            for target, value in (
                (norm.weight, p.gamma),
                (norm.bias, p.beta),
                (norm.running_mean, p.running_mean),
                (norm.running_var, p.running_var),
                (inner.weight, taps),
            ):
                target.copy_(torch.as_tensor(value, **kind))
            # Without padding the two layers are one: its bias and taps are read off it.
            unpadded = torch.nn.Sequential(norm, inner).eval()
            bias = unpadded(torch.zeros(1, 1, 3, **kind)).reshape(1)
            units = torch.eye(3, **kind).reshape(3, 1, 3)
            folded = (unpadded(units).reshape(1, 1, 3)) - bias
            true = torch.nn.functional.conv1d(norm(x), taps, padding=1)
            gap = torch.nn.functional.conv1d(x, folded, bias, padding=1) - true
        return en.without_dust(gap[0, 0, {"left": 0, "right": -1, "inside": 3}[p.place]].item(), size(p))

    def misconceptions(self, p: Params) -> en.Slips:
        answer, c = self.solve(p), constant(p)
        s = p.gamma / sqrt(p.running_var + p.eps)
        yield en.Misconception(
            "border_forgotten",
            0.0,
            "That says that folding is exact everywhere; at the border the true padding comes after "
            "BatchNorm, the folded one before it.",
        )
        yield en.Misconception(
            "sign_flipped",
            -answer,
            "That is true minus folded; folded minus true was asked for.",
        )
        first, last = p.weight[0], p.weight[-1]
        yield en.Misconception(
            "other_border",
            (last if p.place == "left" else first if p.place == "right" else nan) * c,
            "That takes the tap of the other end: at the first output the first tap lies on the padding, at "
            "the last output the last one.",
        )
        yield en.Misconception(
            "whole_kernel",
            sum(p.weight) * c,
            "That counts all three taps; only the one that lies on the padding goes wrong.",
        )
        yield en.Misconception(
            "tap_forgotten",
            c,
            r"That is $\beta - s\hat\mu$ alone; the tap that lies on the padding weighs it.",
        )
        yield en.Misconception(
            "shift_forgotten",
            -outside(p) * s * p.running_mean,
            r"That leaves out $\beta$: for BatchNorm an input of 0 gives $\beta - s\hat\mu$.",
        )
        yield en.Misconception(
            "mean_not_scaled",
            outside(p) * (p.beta - p.running_mean),
            r"That subtracts the running mean unscaled; an input of 0 gives $\beta - s\hat\mu$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "What stands in the padding that the true convolution sees, and what would BatchNorm have made "
            "of a 0 there?",
            r"The folded bias counts $\beta - s\hat\mu$ for all three taps, with "
            r"$s = \frac{\gamma}{\sqrt{\hat\sigma^2 + \varepsilon}}$. How many taps lie on the padding, and "
            "which?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        place = {"left": "entry(weight, 1)", "right": "entry(weight, 3)", "inside": "0*entry(weight, 1)"}[
            p.place
        ]
        s = p.gamma / sqrt(p.running_var + p.eps)
        return (
            en.Step("Factor of BatchNorm", "s", "gamma/sqrt(running_var + eps)", s),
            en.Step("What it would make of a 0", "c", "beta - s*running_mean", constant(p)),
            en.Step("The tap that lies on the padding", "tap", place, outside(p)),
            en.Step(
                "The true convolution sees 0 there, the folded bias counts c", "gap", "tap*c", self.solve(p)
            ),
        )


def constant(p: Params) -> float:
    """Return β − s·μ̂, BatchNorm's output for 0."""
    return p.beta - p.gamma / sqrt(p.running_var + p.eps) * p.running_mean


def outside(p: Params) -> float:
    """Return the tap that lies on the padding, 0 where none does."""
    return {"left": p.weight[0], "right": p.weight[-1], "inside": 0.0}[p.place]


def size(p: Params) -> float:
    """Return the size of the numbers whose difference the answer is."""
    s = p.gamma / sqrt(p.running_var + p.eps)
    return max(map(abs, p.weight)) * (abs(p.beta) + abs(s * p.running_mean))


FAMILY = FoldBorder()
