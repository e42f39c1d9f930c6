"""What a freshly initialized branch does to the size of a wide residual stream, ReLU by ReLU."""

from dataclasses import dataclass
from math import pi, prod, sqrt
from typing import Any

from studynorm import engine as en

BRANCHES = {
    "relu_linear": (r"W\,\text{relu}(x)", "RL"),
    "linear_linear": (r"W_2 W_1 x", "LL"),
    "linear_relu_linear": (r"W_2\,\text{relu}(W_1 x)", "LRL"),
    "linear_relu": (r"\text{relu}(W x)", "LR"),
    "linear_relu_linear_relu": (r"\text{relu}(W_2\,\text{relu}(W_1 x))", "LRLR"),
}
"""Each branch in LaTeX, and its layers in the order in which they act: a matrix (L) or a ReLU (R)."""


@dataclass(frozen=True, slots=True)
class Params:
    gains: en.Vec = en.vector("n times the variance of an entry, for each matrix; 2 is He initialization")
    branch: str = en.option("the branch", tuple(BRANCHES), "linear_relu_linear")
    quantity: str = en.option(
        "growth of the mean square by x + F(x), or variance of F(x)", ("growth", "variance"), "growth"
    )


class HeBranch(en.Family[Params]):
    title = "What a fresh branch adds to a wide stream"
    catalogue = "H6"
    given = Params
    kind = en.Number()
    levels = {
        2: en.Level("relu_miscounted", "gain_one_assumed", "skip_protects", "skip_forgotten"),
        3: en.Level("relu_miscounted", "gain_one_assumed", "mean_square_for_variance", "absolute_value"),
    }
    covers = ("he-branch-gain", "weight-init")
    cards = ("card:residual/variance-doubling",)
    requires = ("stream_scale.doubling",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 2:
            branch = rng.choice(("relu_linear", "linear_linear", "linear_relu_linear", "linear_relu_linear"))
        else:
            branch = rng.choice(("linear_relu", *("linear_relu_linear_relu",) * 3))
        pool = (0.5, 1.0, 1.5, 2.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
        gains = tuple(rng.choice(pool) for _ in range(layers(branch).count("L")))
        return Params(gains, branch, "growth" if level == 2 else "variance")

    def validate(self, p: Params) -> None:
        wanted = layers(p.branch).count("L")
        if len(p.gains) != wanted:
            raise en.Refused("gains", f"this branch has {wanted} of them, one for each matrix")
        if not all(1e-6 <= gain <= 1e6 for gain in p.gains):
            raise en.Refused("gains", "numbers from 1e-6 to 1e6 are wanted")

    def prompt(self, p: Params) -> str:
        entries = (
            f"those of $W$ have the variance $g_1/n$ with $g = {en.tex(p.gains)}$"
            if len(p.gains) == 1
            else f"those of $W_1$ have the variance $g_1/n$ and those of $W_2$ the variance $g_2/n$, with "
            f"$g = {en.tex(p.gains)}$"
        )
        asked = (
            "By what factor does the block $x + F(x)$ multiply the mean square of the stream, on average "
            "over the matrices?"
            if p.quantity == "growth"
            else "What is the variance of an entry of $F(x)$ over all these draws?"
        )
        return (
            f"A residual stream of very large width $n$ meets the branch $F(x) = {BRANCHES[p.branch][0]}$, "
            "without biases. The entries of $x$ are independent and standard normal. All entries of the "
            f"matrices are independent and normal with mean 0; {entries} ($g_i = 2$ is He "
            f"initialization).\n\n{asked}"
        )

    def solve(self, p: Params) -> float:
        if p.quantity == "growth":
            return 1 + mean_square(p)
        return mean_square(p) * (1 - 1 / pi if layers(p.branch).endswith("R") else 1)

    def oracle(self, p: Params, torch: Any) -> Any:
        """Follow mean and mean square through the layers, integrating over the normal distribution."""
        orders = torch.arange(1, 64, dtype=torch.float64)
        off_diagonal = orders / (4 * orders.square() - 1).sqrt()
        places, vectors = torch.linalg.eigh(torch.diag(off_diagonal, 1) + torch.diag(off_diagonal, -1))
        # Gauss–Legendre on (−12, 0) and (0, 12), apart because of the kink at 0.
        z = torch.cat((6 * places - 6, 6 * places + 6))
        weights = 6 * 2 * vectors[0].square().repeat(2) * (-z.square() / 2).exp() / sqrt(2 * pi)
        mean, square, gains = 0.0, 1.0, iter(p.gains)
        for layer in layers(p.branch):
            if layer == "L":
                mean, square = 0.0, next(gains) * square
            else:
                active = torch.relu(z * sqrt(square))
                mean, square = (weights * active).sum().item(), (weights * active.square()).sum().item()
        return 1 + square if p.quantity == "growth" else square - mean**2

    def misconceptions(self, p: Params) -> en.Slips:
        growth, relus = p.quantity == "growth", layers(p.branch).count("R")
        yield en.Misconception(
            "relu_miscounted",
            growth + (prod(p.gains) if relus else prod(p.gains) / 2),
            "That leaves out the ReLU, which keeps only one half of a mean square."
            if relus
            else "That halves for a ReLU; this branch has none.",
        )
        yield en.Misconception(
            "gain_one_assumed",
            growth + 1.0,
            "That takes the branch for one of gain 1; its gain depends on its matrices and its ReLUs.",
        )
        if growth:
            yield en.Misconception(
                "skip_protects",
                1.0,
                "That says that nothing grows; the skip protects the gradient's path, not the scale.",
            )
            yield en.Misconception(
                "skip_forgotten", mean_square(p), "That is the branch alone; the skip adds $x$ itself."
            )
        elif layers(p.branch).endswith("R"):
            yield en.Misconception(
                "mean_square_for_variance",
                mean_square(p),
                "That is the mean square; a ReLU's output has a mean above 0, whose square is still to be "
                "subtracted.",
            )
            yield en.Misconception(
                "absolute_value",
                2 * mean_square(p) * (1 - 2 / pi),
                "That is the variance of an absolute value; a ReLU sets the negative half to 0.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        relu = "A ReLU after a matrix, or at $x$, halves the mean square: it keeps one of two signs."
        if p.quantity == "growth":
            return (
                "Follow the mean square of one entry through the branch, layer by layer.",
                f"A matrix multiplies the mean square by its $g$. {relu}",
                "The branch is uncorrelated with $x$, so its mean square is added to that of the skip.",
            )
        return (
            "Follow the mean square of one entry through the branch. Is the mean of its output 0?",
            f"A matrix multiplies the mean square by its $g$. {relu}",
            r"For $z$ normal with mean 0 and variance $q$, $\text{relu}(z)$ has the mean $\sqrt{q/(2\pi)}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        relus, last = layers(p.branch).count("R"), layers(p.branch).endswith("R")
        steps = (
            en.Step("Every matrix multiplies the mean square", "linear", "prod(gains)", prod(p.gains)),
            en.Step(
                f"Each ReLU halves it (number of ReLUs: {relus})",
                "square",
                f"linear/2^{relus}",
                mean_square(p),
            ),
        )
        if p.quantity == "growth":
            return (*steps, en.Step("The skip adds the stream itself", "growth", "1 + square", self.solve(p)))
        squared_mean = mean_square(p) / pi if last else 0.0
        before = "2*square/(2*pi)" if last else "0"
        text = (
            r"Squared mean: $q/(2\pi)$; the mean square $q$ before the last ReLU is twice that after it"
            if last
            else "The mean is 0"
        )
        return (
            *steps,
            en.Step(text, "squared_mean", before, squared_mean),
            en.Step("Mean square minus squared mean", "variance", "square - squared_mean", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        product = "*".join(en.plain(gain) for gain in p.gains)
        square = f"{product}/2^{layers(p.branch).count('R')}"
        if p.quantity == "growth":
            return f"1 + {square}"
        return f"{square}*(1 - 1/pi)" if layers(p.branch).endswith("R") else square


def layers(branch: str) -> str:
    """Return the layers of a branch in the order in which they act: a matrix (L) or a ReLU (R)."""
    return BRANCHES[branch][1]


def mean_square(p: Params) -> float:
    """Return the mean square of the branch's output, where that of its input is 1."""
    return float(prod(p.gains) / 2 ** layers(p.branch).count("R"))


FAMILY = HeBranch()
