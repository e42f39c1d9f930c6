"""LayerNorm of several tokens at once: one mean and variance per row."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    x: Mat = en.matrix("the tokens, one per row", square=False)
    gamma: en.Vec = en.vector("the scale γ, one entry per feature", like="x", across=True, fill=1.0)
    beta: en.Vec = en.vector("the shift β, one entry per feature", like="x", across=True, fill=0.0)
    eps: float = en.eps()


SLIPS = ("batchnorm_axes", "whole_input_averaged", "unbiased_variance", "scalar_affine", "affine_dropped")


class LayerNormTokens(en.Family[Params]):
    title = "LayerNorm of several tokens"
    catalogue = "D1"
    given = Params
    kind = en.Matrix()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS),
        3: en.Level(*SLIPS, "affine_per_token", "eps_ignored"),
    }
    covers = ("layernorm-forward", "layernorm-group", "tokens-do-not-mix", "affine-parameters")
    cards = ("card:statistics/layernorm-token-group", "card:other_norms/layernorm-formula")
    requires = ("other_norms.layernorm",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            rows = [en.tidy_batch(rng) for _ in range(2)]
            while {len(row) for row in rows} != {4}:
                rows = [en.tidy_batch(rng) for _ in range(2)]
            x = tuple(rows)
        else:
            tokens, size = (3, 3) if level == 3 else (2, rng.choice((3, 4)))
            x = tuple(tuple(map(float, rng.integers(size, -6, 12))) for _ in range(tokens))
        scales = {1: (1.0, 2.0, 3.0), 2: (0.5, 1.0, 2.0, 3.0), 3: (-2.0, -1.0, 2.0, 3.0)}[level]
        features = range(len(x[0]))
        gamma, beta = (tuple(rng.choice(them) for _ in features) for them in (scales, (-2.0, -1.0, 0.0, 1.0)))
        return Params(x, gamma, beta, float(rng.choice((2, 3, 4))) if level == 3 else 0.0)

    def validate(self, p: Params) -> None:
        if len(p.x[0]) < 2:
            raise en.Refused("x", "two features or more are wanted: a row of one number has no spread")
        for at, row in enumerate(p.x, 1):
            if p.eps == 0 and en.flat(row):
                raise en.Refused("x", f"row {at} has equal entries, so with eps = 0 its output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"The rows of $x$ are ${len(p.x)}$ tokens with ${len(p.x[0])}$ features each:\n\n"
            f"$$x = {en.tex(p.x)}$$\n\n"
            f"`LayerNorm(D)` with $D = {len(p.x[0])}$ has $\\gamma = {en.tex(p.gamma)}$, "
            f"$\\beta = {en.tex(p.beta)}$ and $\\varepsilon = {en.tex(p.eps)}$.\n\n"
            "What is the output, one row per token?"
        )

    def solve(self, p: Params) -> Mat:
        return scaled(p, hats(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        x, gamma, beta = (torch.tensor(values, dtype=torch.float64) for values in (p.x, p.gamma, p.beta))
        return torch.nn.functional.layer_norm(x, (len(p.x[0]),), gamma, beta, p.eps)

    def misconceptions(self, p: Params) -> en.Slips:
        hat = hats(p)
        columns = [en.moments(column).hat(p.eps) for column in zip(*p.x, strict=True)]
        everything, width = en.moments([value for row in p.x for value in row]).hat(p.eps), len(p.x[0])
        yield en.Misconception(
            "batchnorm_axes",
            scaled(p, tuple(zip(*columns, strict=True))),
            "That normalizes every column over the tokens, as BatchNorm does; LayerNorm takes each row "
            "by itself.",
        )
        yield en.Misconception(
            "whole_input_averaged",
            scaled(p, tuple(everything[at : at + width] for at in range(0, len(everything), width))),
            "That takes one mean and variance of the whole matrix; every token has its own.",
        )
        yield en.Misconception(
            "unbiased_variance",
            scaled(
                p, tuple(en.divided(m.deviations, sqrt(m.unbiased + p.eps)) for m in map(en.moments, p.x))
            ),
            "That divides by $D - 1$; LayerNorm takes the biased variance, divided by the $D$ features.",
        )
        yield en.Misconception(
            "scalar_affine",
            tuple(en.affine(row, p.gamma[0], p.beta[0]) for row in hat),
            r"That uses $\gamma_1$ and $\beta_1$ for every feature; each feature has its own.",
        )
        yield en.Misconception(
            "affine_dropped", hat, r"That is $\hat x$; $\gamma$ and $\beta$ still act on every row of it."
        )
        if len(p.x) == len(p.x[0]):
            yield en.Misconception(
                "affine_per_token",
                tuple(en.affine(row, g, b) for row, g, b in zip(hat, p.gamma, p.beta, strict=True)),
                r"That gives row $i$ the scale $\gamma_i$; $\gamma$ and $\beta$ have one entry per feature, "
                "the same for all tokens.",
            )
        yield en.Misconception(
            "eps_ignored",
            scaled(p, tuple(en.moments(row).hat() for row in p.x)),
            r"That leaves out $\varepsilon$, which is added to each variance inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which numbers of the table share a mean: a row, a column or all of them?",
            "Every token (row) has its own mean and variance, over its "
            f"{len(p.x[0])} features; then column $j$ gets $\\gamma_j$ and $\\beta_j$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        ms = [en.moments(row) for row in p.x]

        def rows(expression: str) -> str:
            return f"[{', '.join(expression.replace('#', str(at)) for at in range(1, len(ms) + 1))}]"

        return (
            en.Step("Mean of each row", "mu", rows("mean(entry(x, #))"), tuple(m.mean for m in ms)),
            en.Step(
                "Biased variance of each row",
                "var",
                rows("mean((entry(x, #) - entry(mu, #))^2)"),
                tuple(m.var for m in ms),
            ),
            en.Step("Normalize each row", "xhat", "(x - mu)/sqrt(var + eps)", hats(p)),
            en.Step("Scale and shift each row", "y", rows("gamma*entry(xhat, #) + beta"), self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        rows = []
        for row in p.x:
            deviations, square = en.exact_hat(row, p.eps)
            tops = ", ".join(str(Fraction(repr(g)) * d) for g, d in zip(p.gamma, deviations, strict=True))
            rows.append(f"[{tops}]/sqrt({square}) + [{', '.join(map(en.plain, p.beta))}]")
        text = f"[{', '.join(rows)}]"
        return text if len(text) <= 200 else None


def hats(p: Params) -> Mat:
    return tuple(en.moments(row).hat(p.eps) for row in p.x)


def scaled(p: Params, rows: Mat) -> Mat:
    """Return γ · row + β for every row, entry by entry."""
    return tuple(
        tuple(g * value + b for g, value, b in zip(p.gamma, row, p.beta, strict=True)) for row in rows
    )


FAMILY = LayerNormTokens()
