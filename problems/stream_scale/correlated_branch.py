"""The variance of a residual sum whose branch is correlated with the stream."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    stream: float = en.scalar("the variance of the stream x", above=0.0)
    branch: float = en.scalar("the variance of the branch's output F(x)", above=0.0)
    correlation: float = en.scalar("the correlation of x and F(x)", low=-1.0, high=1.0)


SLIPS = ("taken_uncorrelated", "factor_two_missing", "root_missing", "covariance_taken", "sign_flipped")


class CorrelatedBranch(en.Family[Params]):
    title = "A branch that is correlated with its stream"
    catalogue = "H8"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "rms_added")}
    covers = ("branch-variance-adds",)
    cards = ("card:residual/variance-doubling",)
    requires = ("stream_scale.doubling",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 2:
            stream, branch = rng.sample((1.0, 4.0, 9.0, 16.0, 25.0), 2)
            return Params(stream, branch, rng.choice((0.1, 0.2, 0.25, 0.5, 0.6)))
        stream, branch = rng.sample((0.5, 1.5, 2.0, 3.0, 5.0, 6.0, 8.0), 2)
        return Params(stream, branch, rng.choice((-0.8, -0.6, -0.4, -0.3, 0.3, 0.7)))

    def prompt(self, p: Params) -> str:
        return (
            f"In a residual block the stream $x$ has the variance ${en.tex(p.stream)}$ and the branch's "
            f"output $F(x)$ the variance ${en.tex(p.branch)}$; their correlation is "
            f"${en.tex(p.correlation)}$.\n\n"
            "What is the variance of $x + F(x)$?"
        )

    def solve(self, p: Params) -> float:
        # (√a − √b)² + 2(1 + ρ)√(ab): no term is negative, so nothing cancels for ρ near −1
        roots = sqrt(p.stream) + sqrt(p.branch)
        return ((p.stream - p.branch) / roots) ** 2 + 2 * (1 + p.correlation) * root_product(p)

    def oracle(self, p: Params, torch: Any) -> Any:
        # Two patterns of four examples with mean 0 and variance 1 that are uncorrelated.
        one, other = torch.tensor([[1, 1, -1, -1], [1, -1, 1, -1]], dtype=torch.float64)
        stream = sqrt(p.stream) * one
        rest = torch.tensor(1 - p.correlation**2, dtype=torch.float64).sqrt()
        branch = sqrt(p.branch) * (p.correlation * one + rest * other)
        return (stream + branch).var(correction=0)

    def misconceptions(self, p: Params) -> en.Slips:
        apart, corr = p.stream + p.branch, p.correlation
        yield en.Misconception(
            "taken_uncorrelated",
            apart,
            "That adds the two variances, as for an uncorrelated branch; twice the covariance is missing.",
        )
        yield en.Misconception(
            "factor_two_missing",
            apart + corr * root_product(p),
            "That adds the covariance once; it enters twice, as in $(u + v)^2 = u^2 + v^2 + 2uv$.",
        )
        yield en.Misconception(
            "root_missing",
            apart + 2 * corr * p.stream * p.branch,
            "That multiplies the correlation by the variances; the covariance is the correlation times the "
            "two standard deviations.",
        )
        yield en.Misconception(
            "covariance_taken",
            apart + 2 * corr,
            "That takes the correlation for the covariance; it must be multiplied by both standard "
            "deviations.",
        )
        yield en.Misconception(
            "sign_flipped",
            apart - 2 * corr * root_product(p),
            "That is the variance of $x - F(x)$; in a sum twice the covariance is added.",
        )
        yield en.Misconception(
            "rms_added",
            (sqrt(p.stream) + sqrt(p.branch)) ** 2,
            "That adds the standard deviations and squares; only a correlation of 1 would give that.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Variances add only for uncorrelated terms. What is added when they are correlated?",
            r"$\text{Var}(u + v) = \text{Var}(u) + \text{Var}(v) + 2\,\text{Cov}(u, v)$, and the covariance "
            "is the correlation times both standard deviations.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        covariance = p.correlation * root_product(p)
        return (
            en.Step("Covariance", "cov", "correlation*sqrt(stream)*sqrt(branch)", covariance),
            en.Step(
                "Both variances and twice the covariance", "var", "stream + branch + 2*cov", self.solve(p)
            ),
        )

    def exact(self, p: Params) -> str:
        a, b, corr = map(en.plain, (p.stream, p.branch, p.correlation))
        return f"{a} + {b} + 2*({corr})*sqrt({a}*{b})"


def root_product(p: Params) -> float:
    """Return the product of the two standard deviations."""
    return sqrt(p.stream) * sqrt(p.branch)


FAMILY = CorrelatedBranch()
