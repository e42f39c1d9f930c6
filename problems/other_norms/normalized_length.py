"""How long the vector of normalized values is."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    n: int = en.whole("how many values the group has", low=2, high=2**16)
    var: float = en.scalar("the biased variance σ² of the group", above=0.0)
    eps: float = en.eps()
    quantity: str = en.option("what is asked", ("squared", "length"), "squared")


SLIPS = ("eps_ignored", "one_degree_lost", "unit_length", "root_swapped", "eps_outside_root")


class NormalizedLength(en.Family[Params]):
    title = "The length of a normalized vector"
    catalogue = "D10"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS, "root_of_count"), 2: en.Level(*SLIPS)}
    covers = ("normalized-length", "eps-inside-root")
    cards = ("card:batchnorm/output-statistics", "card:batchnorm/epsilon-place")
    requires = ("batchnorm.entry",)
    refuses_zero_eps = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            part, whole = rng.choice(((1, 2), (3, 4), (4, 5), (2, 3)))
            unit = rng.choice((1, 2, 3, 4))
            return Params(
                whole * rng.integer(2, 8), float(part * unit), float((whole - part) * unit), "squared"
            )
        var = rng.choice((1.5, 2.0, 2.5, 3.0, 5.0, 6.0, 7.5))
        visible = rng.choice((0.2, 0.3, 0.4, 0.5, 0.8, 1.0))
        return Params(rng.integer(5, 50), var, visible, rng.choice(("squared", "length")))

    def prompt(self, p: Params) -> str:
        asked = r"squared length $\lVert \hat x \rVert^2$"
        if p.quantity == "length":
            asked = r"length $\lVert \hat x \rVert$"
        return (
            f"In training mode, BatchNorm with $\\varepsilon = {en.tex(p.eps)}$ normalizes a channel of $n = "
            f"{en.tex(p.n)}$ values whose biased variance is $\\sigma^2 = {en.tex(p.var)}$.\n\n"
            f"What is the {asked} of the vector $\\hat x$ of the $n$ normalized values, before scale and "
            "shift?"
        )

    def solve(self, p: Params) -> float:
        return seen(p, p.n * p.var / (p.var + p.eps))

    def oracle(self, p: Params, torch: Any) -> Any:
        # Any batch with this variance will do: evenly spaced numbers, stretched.
        batch = torch.arange(p.n, dtype=torch.float64) - (p.n - 1) / 2
        batch = batch * (p.var / batch.var(correction=0)).sqrt()
        out = torch.nn.functional.batch_norm(batch[:, None], None, None, training=True, eps=en.nonzero(p.eps))
        length = torch.linalg.vector_norm(out)
        return length.square() if p.quantity == "squared" else length

    def misconceptions(self, p: Params) -> en.Slips:
        squared = p.n * p.var / (p.var + p.eps)
        yield en.Misconception(
            "eps_ignored",
            seen(p, float(p.n)),
            r"That holds for $\varepsilon = 0$; a visible $\varepsilon$ makes every value smaller.",
        )
        yield en.Misconception(
            "one_degree_lost",
            seen(p, p.n - 1.0),
            r"That starts from $n - 1$; the biased variance gives $\sum_i d_i^2 = n \sigma^2$, and "
            r"$\varepsilon$ counts too.",
        )
        yield en.Misconception(
            "unit_length",
            1.0,
            r"Normalizing makes the variance about 1, not the length; the length grows like $\sqrt n$.",
        )
        yield en.Misconception(
            "root_swapped",
            sqrt(squared) if p.quantity == "squared" else squared,
            "That is the length; its square is asked for."
            if p.quantity == "squared"
            else "That is the squared length; its root is asked for.",
        )
        yield en.Misconception(
            "eps_outside_root",
            seen(p, p.n * p.var / (sqrt(p.var) + p.eps) ** 2),
            r"That divides by $\sigma + \varepsilon$; the divisor is $\sqrt{\sigma^2 + \varepsilon}$.",
        )
        yield en.Misconception(
            "root_of_count",
            sqrt(p.n),
            r"That is $\sqrt n$, the length for $\varepsilon = 0$; here $\varepsilon$ counts"
            + (", and the square is asked for." if p.quantity == "squared" else "."),
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        root = "" if p.quantity == "squared" else " Then take the root."
        return (
            "What is the sum of the squared deviations, in terms of $n$ and $\\sigma^2$?",
            r"$\lVert \hat x \rVert^2 = \sum_i \frac{d_i^2}{\sigma^2 + \varepsilon}$ with "
            rf"$\sum_i d_i^2 = n\,\sigma^2$.{root}",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        squared = p.n * p.var / (p.var + p.eps)
        steps = (
            en.Step("Sum of squared deviations", "squares", "n*var", p.n * p.var),
            en.Step("Divide by the squared divisor", "squared", "squares/(var + eps)", squared),
        )
        if p.quantity == "squared":
            return steps
        return (*steps, en.Step("The length: the root", "length", "sqrt(squared)", self.solve(p)))

    def exact(self, p: Params) -> str | None:
        var, eps = Fraction(repr(p.var)), Fraction(repr(p.eps))
        squared = p.n * var / (var + eps)
        text = str(squared) if p.quantity == "squared" else f"sqrt({squared})"
        return text if len(text) <= 200 else None


def seen(p: Params, squared: float) -> float:
    """Return what is asked for, where the squared length is this one."""
    return squared if p.quantity == "squared" else sqrt(squared)


FAMILY = NormalizedLength()
