"""Mean and variance of a residual stream's entry when dropout acts on the branch."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: float = en.scalar("the entry on the skip")
    branch: float = en.scalar("the mean of the branch's entry")
    branch_var: float = en.scalar("the variance of the branch's entry before dropout", 0.0, low=0.0)
    p: float = en.scalar("the probability p of dropping the entry", 0.5, low=0.0, high=0.99)
    asked: str = en.option("what is asked for", ("mean", "variance"), "variance")


FIXED = ("no_rescale", "mean_square_for_variance", "not_squared", "divided_by_drop", "skip_dropped_too")


class DropoutMoments(en.Family[Params]):
    title = "Mean and variance under dropout"
    catalogue = "I9"
    given = Params
    kind = en.Number()
    levels = {
        1: en.Level("no_rescale", "divided_by_drop", "skip_forgotten", "skip_dropped_too"),
        2: en.Level(*FIXED),
        3: en.Level("no_rescale", "dropout_keeps_variance", "divided_by_drop", "skip_dropped_too"),
    }
    covers = ("dropout-scale", "dropout-on-branch")
    cards = ("card:residual/dropout-place",)
    requires = ("transformer.dropout_residual",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        x, branch = (float(rng.choice((-4, -3, -2, 2, 3, 4, 5, 6))) for _ in range(2))
        if level == 1:
            return Params(x, branch, 0.0, rng.choice((0.1, 0.2, 0.25, 0.4, 0.6)), "mean")
        p = rng.choice((0.1, 0.2, 0.25, 0.3, 0.4, 0.6, 0.75))
        if level == 2:
            return Params(x, branch, 0.0, p, "variance")
        # Every other draw has a branch of mean 0, as behind a fresh layer.
        return Params(x, rng.choice((0.0, branch)), float(rng.integer(2, 12)), p, "variance")

    def prompt(self, p: Params) -> str:
        if p.branch_var:
            fate = (
                f"over the inputs, $F$ has the mean ${en.tex(p.branch)}$ and the variance "
                f"${en.tex(p.branch_var)}$, while $x$ happens to be ${en.tex(p.x)}$ for all of them"
            )
            over = "over the inputs and the random masks"
        else:
            fate = (
                f"for the input at hand, $x = {en.tex(p.x)}$ and $F = {en.tex(p.branch)}$ (so the variance "
                f"of $F$ is ${en.tex(p.branch_var)}$)"
            )
            over = "over the random masks"
        return (
            r"One entry of a residual block in training mode is $y = x + \text{dropout}(F)$, with PyTorch's "
            f"dropout and the drop probability $p = {en.tex(p.p)}$: {fate}. The mask does not depend on the "
            f"input.\n\nWhat is the {p.asked} of $y$ {over}?"
        )

    def solve(self, p: Params) -> float:
        return en.to_float(moments(p)[p.asked == "variance"])

    def oracle(self, p: Params, torch: Any) -> Any:
        # All outcomes: two values of F, each kept or dropped, with their probabilities.
        spread = torch.tensor(p.branch_var, dtype=torch.float64).sqrt()
        values = p.branch + torch.stack((-spread, spread))
        kept = torch.nn.functional.dropout(torch.ones(4096, dtype=torch.float64), p.p).max()
        outcomes = torch.stack((p.x + kept * values, p.x + 0 * values))
        chances = torch.tensor([[1 - p.p], [p.p]], dtype=torch.float64).expand(2, 2) / 2
        mean = (chances * outcomes).sum()
        return mean if p.asked == "mean" else (chances * (outcomes - mean).square()).sum()

    def misconceptions(self, p: Params) -> en.Slips:
        keep = 1 - number(p.p)
        x, f, v = map(number, (p.x, p.branch, p.branch_var))
        square = v + f * f
        if p.asked == "mean":
            yield slip(
                "no_rescale",
                x + keep * f,
                "That forgets that kept entries are divided by $1 - p$, which keeps the mean of the branch.",
            )
            if p.p:
                yield slip(
                    "divided_by_drop",
                    x + keep * f / number(p.p),
                    "That divides kept entries by $p$, the share that is dropped; it is $1 - p$.",
                )
            yield slip("skip_forgotten", f, "That is the branch alone; the skip adds $x$ every time.")
            yield slip(
                "skip_dropped_too",
                keep * (x + f),
                "That drops the whole sum and rescales nothing; dropout acts on the branch alone.",
            )
            return
        yield slip(
            "no_rescale",
            keep * square - keep**2 * f * f,
            "That forgets that kept entries are divided by $1 - p$, and the variance by its square.",
        )
        if p.p:
            yield slip(
                "divided_by_drop",
                keep * square / number(p.p) ** 2 - (keep * f / number(p.p)) ** 2,
                "That divides kept entries by $p$, the share that is dropped; it is $1 - p$.",
            )
        yield slip(
            "skip_dropped_too",
            (v + (x + f) ** 2) / keep - (x + f) ** 2,
            "That drops the skip too; $x$ is always there and adds no variance.",
        )
        if v:
            yield slip(
                "dropout_keeps_variance",
                v,
                "That leaves the variance as it was; dropout keeps the mean of $F$ but adds noise.",
            )
        else:
            yield slip(
                "mean_square_for_variance",
                square / keep,
                "That is the mean square of the dropped branch; the square of its mean still comes off.",
            )
            yield slip(
                "not_squared",
                abs(f) * number(p.p) / keep,
                "That takes $F$ where its square belongs: a factor on an entry acts squared on the variance.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        if p.asked == "mean":
            return (
                "The branch's entry takes two values. Which, and how likely is each?",
                r"It is $\frac{F}{1 - p}$ with probability $1 - p$, otherwise 0. The skip is always there.",
            )
        return (
            "The skip does not vary. What can the branch be after dropout, and how likely is that?",
            r"The mean square of the branch becomes $(1-p)\frac{E[F^2]}{(1-p)^2}$, its mean stays $E[F]$; "
            r"the variance is the mean square minus the squared mean. $E[F^2] = \text{Var}(F) + E[F]^2$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        keep = 1 - number(p.p)
        square = number(p.branch_var) + number(p.branch) ** 2
        kept = en.Step("Probability that the entry stays", "keep", "1 - p", en.to_float(keep))
        if p.asked == "mean":
            return (
                kept,
                en.Step("Mean of the branch: kept, divided by 1 − p", "f", "keep*branch/keep", p.branch),
                en.Step("The skip is always there", "mean_y", "x + f", self.solve(p)),
            )
        return (
            kept,
            en.Step(
                "Mean square of F before dropout", "square", "branch_var + branch^2", en.to_float(square)
            ),
            en.Step(
                "After dropout: divided by (1 − p)², but there only with probability 1 − p",
                "dropped",
                "keep*square/keep^2",
                en.to_float(square / keep),
            ),
            en.Step(
                "Minus the squared mean; the skip adds none", "var_y", "dropped - branch^2", self.solve(p)
            ),
        )

    def exact(self, p: Params) -> str | None:
        text = str(moments(p)[p.asked == "variance"])
        return text if len(text) <= 200 else None


def number(value: float) -> Fraction:
    """Return the number as it is displayed, without loss."""
    return Fraction(repr(value))


def moments(p: Params) -> tuple[Fraction, Fraction]:
    """Return mean and variance of y, without loss."""
    x, f, v = map(number, (p.x, p.branch, p.branch_var))
    return x + f, (v + f * f) / (1 - number(p.p)) - f * f


def slip(belief: str, value: Fraction, why: str) -> en.Misconception:
    """Return the misconception with its value rounded once."""
    return en.Misconception(belief, en.to_float(value), why)


FAMILY = DropoutMoments()
