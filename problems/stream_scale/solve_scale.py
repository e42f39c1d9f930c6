"""Which branch factor lets a residual stream grow to a wanted size."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks L", low=1, high=500)
    target: float = en.scalar("the wanted growth over the whole stack", above=1.0, high=1e6)
    gain: float = en.scalar("the gain of every branch before the factor", 1.0, low=1e-6, high=1e6)
    quantity: str = en.option("what shall grow so much", ("variance", "rms"), "variance")


SLIPS = ("root_missing", "target_divided", "additive", "skip_forgotten")


class SolveScale(en.Family[Params]):
    title = "The branch factor for a wanted growth"
    catalogue = "H5"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "gain_ignored", "root_swapped")}
    covers = ("stream-growth-by-branch-gain",)
    cards = ("card:residual/root-depth", "card:residual/three-remedies")
    requires = ("stream_scale.scaled_branch",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 2:
            return Params(rng.integer(4, 40), float(rng.choice((2, 3, 4, 5, 8, 10))), 1.0, "variance")
        gain, quantity = rng.choice((0.5, 1.5, 2.0, 3.0)), rng.choice(("variance", "rms"))
        return Params(rng.integer(5, 60), rng.choice((1.5, 2.0, 2.5, 4.0, 10.0)), gain, quantity)

    def prompt(self, p: Params) -> str:
        asked = "variance" if p.quantity == "variance" else "RMS (root mean square)"
        times = "" if p.gain == 1 else f"{en.tex(p.gain)}\\,"
        return (
            f"A residual stream with mean 0 passes $L = {p.depth}$ blocks $x + \\alpha F(x)$. Before the "
            f"factor $\\alpha$ every branch has gain ${en.tex(p.gain)}$, that is $\\text{{Var}}(F(x)) = "
            f"{times}\\text{{Var}}(x)$; its output has mean 0 and is uncorrelated with the "
            f"stream. All blocks share one $\\alpha > 0$.\n\nWhich $\\alpha$ makes the {asked} at the end "
            f"${en.tex(p.target)}$ times that of the input?"
        )

    def solve(self, p: Params) -> float:
        # T^(1/L) − 1 without cancellation
        return math.sqrt(math.expm1(math.log(growth(p)) / p.depth) / p.gain)

    def oracle(self, p: Params, torch: Any) -> Any:
        """Run the stack for a thousand factors at once and narrow them down to the one that hits."""
        wanted = growth(p) - 1
        low, high = 0.0, math.sqrt(wanted / p.gain) * (1 + 1e-12)
        for _ in range(6):
            alpha = torch.linspace(low, high, 1001, dtype=torch.float64)
            excess = torch.zeros_like(alpha)  # the variance above 1
            for _ in range(p.depth):
                excess = excess + alpha.square() * p.gain * (1 + excess)
            place = min(max(int(torch.searchsorted(excess, wanted)), 1), 1000)
            low, high = alpha[place - 1].item(), alpha[place].item()
        return 0.5 * (low + high)

    def misconceptions(self, p: Params) -> en.Slips:
        total, depth, gain = growth(p), p.depth, p.gain
        step = math.expm1(math.log(total) / depth)
        yield en.Misconception(
            "root_missing",
            step / gain,
            r"That is $\alpha^2$, the factor on the variance; $\alpha$ multiplies the values and is its "
            r"root.",
        )
        yield en.Misconception(
            "target_divided",
            p.target / depth,
            "That shares the target out among the blocks; the growths multiply, and $\\alpha$ enters "
            "squared.",
        )
        yield en.Misconception(
            "additive",
            math.sqrt((total - 1) / (depth * gain)),
            "That lets every block add the same variance; the blocks multiply, so one block's factor is the "
            "$L$-th root.",
        )
        yield en.Misconception(
            "skip_forgotten",
            math.sqrt((1 + step) / gain),
            r"That has $\alpha^2$ times the gain make up the whole factor of a block; 1 of it is the skip's.",
        )
        yield en.Misconception(
            "gain_ignored",
            math.sqrt(step),
            "That takes the branch for one of gain 1; its own gain makes up a part of what it adds.",
        )
        other = math.expm1(math.log(p.target) * (1 if p.quantity == "rms" else 2) / depth)
        yield en.Misconception(
            "root_swapped",
            math.sqrt(other / gain),
            "That lets the RMS grow so much; the target is for the variance."
            if p.quantity == "variance"
            else "That lets the variance grow so much; the target is for the RMS, so the variance grows by "
            "its square.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        square = "" if p.quantity == "variance" else r" ($T$ is the square of the RMS's growth)"
        return (
            "All blocks multiply the variance by the same factor. What must that factor be?",
            f"$(1 + \\alpha^2 \\rho)^L = T$ with the gain $\\rho$ and the variance's growth $T${square}. "
            r"Solve for $\alpha$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        step = 1 + math.expm1(math.log(growth(p)) / p.depth)
        text, squared = ("as wanted", "target") if p.quantity == "variance" else ("the square", "target^2")
        return (
            en.Step(f"Growth of the variance: {text}", "total", squared, growth(p)),
            en.Step("One block's factor: the $L$-th root", "factor", "total^(1/depth)", step),
            en.Step("Of it the branch's share", "share", "factor - 1", step - 1),
            en.Step(
                r"It is $\alpha^2$ times the gain: solve for $\alpha$",
                "alpha",
                "sqrt(share/gain)",
                self.solve(p),
            ),
        )

    def exact(self, p: Params) -> str:
        power = f"{1 if p.quantity == 'variance' else 2}/{p.depth}"
        return f"sqrt(({en.plain(p.target)}^({power}) - 1)/{en.plain(p.gain)})"


def growth(p: Params) -> float:
    """Return the wanted growth of the variance."""
    return p.target if p.quantity == "variance" else p.target**2


FAMILY = SolveScale()
