"""Two missing entries of an input gradient, from what is true of every one."""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the batch of one channel", at_least=3)
    known: en.Vec = en.vector("the known entries of x̄, in order")
    first: int = en.whole("the place of the first missing entry, from 1", 1, low=1, high=64)
    second: int = en.whole("the place of the second missing entry", 2, low=1, high=64)


SLIPS = ("other_entry_zero", "equal_split", "entries_swapped", "sign_flipped")


class Complete(en.Family[Params]):
    title = "Complete an input gradient of BatchNorm"
    catalogue = "E4"
    given = Params
    kind = en.Vector()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS)}
    covers = ("two-removed-components", "input-gradient-sum-zero", "input-gradient-orthogonal-to-xhat")
    cards = (
        "card:backward/why-sum-zero",
        "card:backward/two-removed-components",
        "card:backward/zero-for-which-epsilon",
    )
    requires = ("backward.input_gradient",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        while True:
            x = en.tidy_batch(rng) if level == 2 else en.untidy_batch(rng, 4, 6)
            i, j = sorted(rng.sample(range(len(x)), 2))
            tenths = rng.integers(len(x) - 2, -6, 6)
            gap = int(x[j] - x[i])
            if not gap or not any(tenths):
                continue
            left = sum(tenth * (x[i] - x[at]) for tenth, at in zip(tenths, others(len(x), i, j), strict=True))
            if level == 3 or left % gap == 0:
                return Params(x, tuple(tenth / 10 for tenth in tenths), i + 1, j + 1)

    def validate(self, p: Params) -> None:
        n = len(p.x)
        if not p.first < p.second <= n:
            raise en.Refused(
                "second", f"the two places must rise, from 1 to {n}, not be {p.first} and {p.second}"
            )
        if len(p.known) != n - 2:
            raise en.Refused("known", f"give the {n - 2} entries other than the two missing ones")
        if p.x[p.first - 1] == p.x[p.second - 1]:
            raise en.Refused(
                "x", "the inputs at the two missing places are equal, so their gradients cannot be told apart"
            )
        if not all(map(isfinite, self.solve(p))):
            raise en.Refused("x", "the inputs at the two missing places are too close: the answer overflows")

    def prompt(self, p: Params) -> str:
        i, j = en.tex(p.first), en.tex(p.second)
        return (
            f"One channel of BatchNorm in training mode sees the batch $x = {en.tex(p.x)}$, with "
            r"$\varepsilon = 0$. Of the gradient at its input, $\bar x = \partial \mathcal L/\partial x$, "
            f"all entries but $\\bar x_{{{i}}}$ and $\\bar x_{{{j}}}$ (counted from 1) are known; in order "
            f"they are ${en.tex(p.known)}$. The upstream gradient is not known.\n\n"
            f"What are $\\bar x_{{{i}}}$ and $\\bar x_{{{j}}}$? Give the two numbers in this order."
        )

    def solve(self, p: Params) -> en.Vec:
        first, second = missing(p)
        return en.to_float(first), en.to_float(second)

    def oracle(self, p: Params, torch: Any) -> Any:
        def normalize(x: Any) -> Any:
            column = x.reshape(-1, 1)
            return torch.nn.functional.batch_norm(
                column, None, None, training=True, eps=en.nonzero(0.0)
            ).ravel()

        x = torch.tensor(p.x, dtype=torch.float64, requires_grad=True)
        known = torch.tensor(p.known, dtype=torch.float64)
        jacobian = torch.autograd.functional.jacobian(normalize, x.detach())
        rows = jacobian.T[others(len(p.x), p.first - 1, p.second - 1)]
        upstream = torch.linalg.lstsq(rows, known, driver="gelsd").solution
        normalize(x).backward(upstream)
        pair = x.grad[[p.first - 1, p.second - 1]]
        return en.without_dust(pair.tolist(), max(map(abs, p.known)))

    def misconceptions(self, p: Params) -> en.Slips:
        first, second = self.solve(p)
        left = first + second
        yield en.Misconception(
            "other_entry_zero",
            (left, 0.0),
            r"That only makes the sum 0; $\bar x$ must be perpendicular to $\hat x$ as well.",
        )
        yield en.Misconception(
            "equal_split",
            (left / 2, left / 2),
            r"That makes the sum 0 and shares it evenly; how it is shared follows from $\bar x \perp \hat "
            r"x$.",
        )
        yield en.Misconception(
            "entries_swapped",
            (second, first),
            r"Those are the two numbers in each other's place; check $\sum_i \bar x_i x_i = 0$.",
        )
        yield en.Misconception(
            "sign_flipped",
            (-first, -second),
            "Both have the wrong sign: the missing entries cancel the known ones.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"Two numbers are missing, and every $\bar x$ has two properties when $\varepsilon = 0$. Which?",
            r"$\sum_i \bar x_i = 0$ and $\sum_i \bar x_i \hat x_i = 0$. Given the first, the second is the "
            r"same as $\sum_i \bar x_i x_i = 0$: no need for $\sigma$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        places = [at + 1 for at in others(len(p.x), p.first - 1, p.second - 1)]
        inputs = tuple(p.x[at - 1] for at in places)
        first, second = self.solve(p)
        total = float(-sum(map(Fraction, map(str, p.known))))
        product = float(
            -sum(Fraction(str(a)) * Fraction(str(b)) for a, b in zip(p.known, inputs, strict=True))
        )
        listed = ", ".join(f"entry(x, {at})" for at in places)
        return (
            en.Step("Inputs at the known places", "others", f"[{listed}]", inputs),
            en.Step("What the two add up to, as the sum of all is 0", "total", "-sum(known)", total),
            en.Step("What their products with x add up to", "product", "-sum(known*others)", product),
            en.Step(
                "Two equations: the second entry",
                "b",
                "(product - entry(x, first)*total)/(entry(x, second) - entry(x, first))",
                second,
            ),
            en.Step("The first entry", "a", "total - b", first),
            en.Step("Both", "pair", "(a, b)", (first, second)),
        )

    def exact(self, p: Params) -> str | None:
        text = ", ".join(map(str, missing(p)))
        return text if len(text) <= 200 else None


def others(n: int, i: int, j: int) -> list[int]:
    """Return the places from 0 other than i and j."""
    return [at for at in range(n) if at not in {i, j}]


def missing(p: Params) -> tuple[Fraction, Fraction]:
    """Return the entries that make Σx̄ = 0 and Σx̄x = 0."""
    x, known = ([Fraction(str(value)) for value in values] for values in (p.x, p.known))
    i, j = p.first - 1, p.second - 1
    pairs = zip(known, others(len(x), i, j), strict=True)
    second = sum((entry * (x[i] - x[at]) for entry, at in pairs), Fraction()) / (x[j] - x[i])
    return -sum(known, Fraction()) - second, second


FAMILY = Complete()
