"""By what a block of a normalizer-free ResNet divides the input of its branch."""

from dataclasses import dataclass
from math import log1p, nan, sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("how many blocks the stream has passed", low=1, high=1000)
    alpha: float = en.scalar("the factor α of every branch", 0.2, low=1e-3, high=1e3)
    transition: int = en.whole("which of these blocks is a transition block; 0 for none", 0, high=1000)
    quantity: str = en.option("what is asked for", ("std", "variance"), "std")


TIDY = {0.2: (11, 24, 39), 0.4: (6, 14, 24, 36), 0.5: (5, 12, 21, 32), 0.6: (16, 19)}
"""For each α numbers of blocks after which the predicted standard deviation has one decimal."""
PAIRS = tuple((alpha, blocks) for alpha, counts in TIDY.items() for blocks in counts)
SLIPS = (
    "root_swapped",
    "factor_not_squared",
    "compounded",
    "rms_added",
    "norm_holds_stream",
    "start_forgotten",
)
RANGE = 690.0
"""The largest natural logarithm of a slip that is named; float64 ends near 709."""


class NormalizerFree(en.Family[Params]):
    title = "Normalizer-free ResNets: the predicted scale"
    catalogue = "H15"
    given = Params
    kind = en.Number()
    levels = {
        1: en.Level(*SLIPS, distinct=2 * len(PAIRS)),
        2: en.Level(*SLIPS),
        3: en.Level(*SLIPS, "reset_ignored", "one_step_short"),
    }
    covers = ("normalizer-free", "normalized-branch-linear-variance")
    cards = ("card:residual/three-remedies",)
    requires = ("stream_scale.scaled_branch", "stream_scale.normalized_branch")

    def draw(self, level: int, rng: en.Rng) -> Params:
        quantity = rng.choice(("std", "variance"))
        if level == 1:
            alpha, blocks = rng.choice(PAIRS)
            return Params(blocks, alpha, 0, quantity)
        if level == 2:
            return Params(rng.integer(5, 40), rng.choice((0.2, 0.25, 0.3, 0.4, 0.6, 0.7)), 0, quantity)
        before, since = rng.integer(2, 9), rng.integer(2, 7)
        return Params(before + since, rng.choice((0.4, 0.5, 0.6, 0.7)), before, quantity)

    def validate(self, p: Params) -> None:
        if p.transition > p.depth:
            raise en.Refused("transition", f"a block from 1 to {p.depth} is wanted, or 0 for none")

    def prompt(self, p: Params) -> str:
        asked = (
            "By what number $s$ does the next block divide the input of its branch?"
            if p.quantity == "std"
            else "What variance is predicted for the stream that enters the next block?"
        )
        special = (
            ""
            if p.transition == 0
            else f" Block ${p.transition}$ (counted from 1) is a transition block: its skip too carries the "
            r"divided input, so it computes $\frac{x}{s} + \alpha\,F(\frac{x}{s})$."
        )
        return (
            "A normalizer-free ResNet (Brock et al. 2021) has no norms: a block computes "
            rf"$x + \alpha\,F(\frac{{x}}{{s}})$ with $\alpha = {en.tex(p.alpha)}$, where $s$ is the standard "
            "deviation that is predicted for its input. Standardized weights and scaled activations give "
            "every branch gain 1: its output has the variance of what it reads; it has mean 0 and is "
            "uncorrelated with the skip.\n\n"
            f"The stream starts with mean 0 and variance 1 and has passed ${p.depth}$ "
            f"{'block' if p.depth == 1 else 'blocks'}.{special}\n\n{asked}"
        )

    def solve(self, p: Params) -> float:
        return seen(p, 1 + added(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        # A quarter turn of two features has gain 1 and is uncorrelated with its input. Here s is measured.
        branch = torch.nn.Linear(2, 2, bias=False, dtype=torch.float64)
        branch.weight.data = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
        corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
        stream = torch.tensor(corners, dtype=torch.float64)
        with torch.no_grad():
            for block in range(1, p.depth + 1):
                read = stream / stream.std(correction=0)
                skip = read if block == p.transition else stream
                stream = skip + p.alpha * branch(read)
        return stream.std(correction=0) if p.quantity == "std" else stream.var(correction=0)

    def misconceptions(self, p: Params) -> en.Slips:
        since = passed(p)
        yield en.Misconception(
            "root_swapped",
            sqrt(1 + added(p)) if p.quantity == "variance" else 1 + added(p),
            "That is the standard deviation; the variance is its square."
            if p.quantity == "variance"
            else "That is the variance; the input is divided by its root.",
        )
        yield en.Misconception(
            "factor_not_squared",
            seen(p, 1 + since * p.alpha),
            r"That adds $\alpha$ per block to the variance; a factor $\alpha$ on the values is $\alpha^2$ on "
            "their variance.",
        )
        yield en.Misconception(
            "compounded",
            seen(p, (1 + p.alpha**2) ** since) if since * log1p(p.alpha**2) < RANGE else nan,
            "That lets every branch grow with the stream; as its input is divided by $s$, each adds the same "
            "variance.",
        )
        yield en.Misconception(
            "rms_added",
            seen(p, (1 + since * p.alpha) ** 2),
            "That adds up standard deviations; uncorrelated terms add their variances.",
        )
        yield en.Misconception(
            "norm_holds_stream",
            1.0,
            r"That says that the stream keeps its size; from the transition block on every branch adds "
            r"$\alpha^2$ to the variance."
            if p.transition
            else "That says that the stream keeps its size; only what the branch reads is divided, and its "
            "output adds to the undivided skip.",
        )
        yield en.Misconception(
            "start_forgotten",
            seen(p, added(p)),
            "That counts the branches alone; the skip carries a variance of 1 along with them.",
        )
        if p.transition:
            yield en.Misconception(
                "reset_ignored",
                seen(p, 1 + p.depth * p.alpha**2),
                "That counts all blocks; the transition block divides the skip too, so the variance starts "
                "there from 1 again.",
            )
            yield en.Misconception(
                "one_step_short",
                seen(p, 1 + added(p) - p.alpha**2),
                r"That leaves out the branch of the transition block; it adds $\alpha^2$ to its skip's 1.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        reset = " What does the transition block do to the variance of its skip?" if p.transition else ""
        return (
            "What variance does each branch read, and so what does it add, however large the stream is?"
            + reset,
            r"$v_{l+1} = v_l + \alpha^2$ with $v_0 = 1$"
            + (r"; behind a transition block $v = 1 + \alpha^2$." if p.transition else ".")
            + (r" And $s = \sqrt v$." if p.quantity == "std" else ""),
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        text = "Blocks that add to a variance of 1: from the transition block on"
        reset = (en.Step(text, "blocks", "depth - transition + 1", passed(p)),) if p.transition else ()
        steps = (
            *reset,
            en.Step(
                "What their branches add" if reset else "What all branches add",
                "added",
                f"{'blocks' if reset else 'depth'}*alpha^2",
                added(p),
            ),
            en.Step("Predicted variance", "variance", "1 + added", 1 + added(p)),
        )
        if p.quantity == "variance":
            return steps
        return (*steps, en.Step("Standard deviation: the root", "s", "sqrt(variance)", self.solve(p)))

    def exact(self, p: Params) -> str:
        variance = f"1 + {passed(p)}*{en.plain(p.alpha)}^2"
        return variance if p.quantity == "variance" else f"sqrt({variance})"


def passed(p: Params) -> int:
    """Return how many blocks have added to a variance of 1: all, or those from the transition block on."""
    return p.depth - p.transition + 1 if p.transition else p.depth


def added(p: Params) -> float:
    """Return the variance that these blocks have added."""
    return passed(p) * p.alpha**2


def seen(p: Params, variance: float) -> float:
    """Return what is asked of a stream of this variance."""
    return variance if p.quantity == "variance" else sqrt(variance)


FAMILY = NormalizerFree()
