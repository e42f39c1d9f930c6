"""The gradients of LayerNorm's scale and shift."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Any

from studynorm import engine as en

Mat = tuple[en.Vec, ...]


@dataclass(frozen=True, slots=True)
class Params:
    x: Mat = en.matrix("the tokens, one per row", square=False)
    upstream: Mat = en.matrix("the upstream gradient ȳ = ∂L/∂y, of the shape of x", square=False)
    eps: float = en.eps()


SLIPS = (
    "one_token_only", "means_for_sums", "summed_over_features", "batchnorm_axes", "raw_input_used",
    "gamma_beta_swapped",
)  # fmt: skip


class LayerNormParameters(en.Family[Params]):
    title = "The gradients of γ and β in LayerNorm"
    catalogue = "E10"
    given = Params
    kind = en.Matrix()
    levels = {2: en.Level(*SLIPS)}
    covers = ("layernorm-backward-parameters",)
    cards = ("card:backward/layernorm-parameter-gradients", "card:backward/gamma-gradient")
    requires = ("backward.parameter_gradients",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        x, upstream = (
            tuple(tuple(map(float, rng.integers(3, low, high))) for _ in range(3))
            for low, high in ((-4, 8), (-2, 3))
        )
        return Params(x, upstream, 0.0)

    def validate(self, p: Params) -> None:
        tokens, features = len(p.x), len(p.x[0])
        if (len(p.upstream), len(p.upstream[0])) != (tokens, features):
            raise en.Refused("upstream", f"a {tokens}×{features} matrix is wanted, as x is one")
        if features == 1:
            raise en.Refused(
                "x", "a token of one feature is always normalized to 0; give at least two features"
            )
        if p.eps == 0 and any(map(en.flat, p.x)):
            raise en.Refused("x", "a token has equal features, so with eps = 0 its output is 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"LayerNorm with $\\varepsilon = {en.tex(p.eps)}$ gets {len(p.x)} tokens of {len(p.x[0])} "
            "features, the rows of $x$. At its output arrives the gradient $\\bar y = \\partial \\mathcal "
            "L/\\partial y$:\n\n"
            f"$$x = {en.tex(p.x)}, \\quad \\bar y = {en.tex(p.upstream)}$$\n\n"
            "What are the gradients of the scale and the shift? Give a matrix of two rows: "
            r"$\bar\gamma = \partial \mathcal L/\partial \gamma$ first, then "
            r"$\bar\beta = \partial \mathcal L/\partial \beta$."
        )

    def solve(self, p: Params) -> Mat:
        pair = (summed(products(p.upstream, hats(p))), summed(p.upstream))
        return en.without_dust(pair, size(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        layer = torch.nn.LayerNorm(len(p.x[0]), eps=p.eps, dtype=torch.float64)
        layer(torch.tensor(p.x, dtype=torch.float64)).backward(torch.tensor(p.upstream, dtype=torch.float64))
        return en.without_dust((layer.weight.grad.tolist(), layer.bias.grad.tolist()), size(p))

    def misconceptions(self, p: Params) -> en.Slips:
        count = len(p.x)
        scale, shift = self.solve(p)
        weighted = products(p.upstream, hats(p))
        yield en.Misconception(
            "one_token_only",
            (weighted[0], p.upstream[0]),
            r"That is the share of the first token; all tokens use the same $\gamma$ and $\beta$, so their "
            r"shares "
            "add up.",
        )
        yield en.Misconception(
            "means_for_sums",
            (en.divided(scale, count), en.divided(shift, count)),
            "That is the mean over the tokens; their shares are added up.",
        )
        if count == len(shift):
            yield en.Misconception(
                "summed_over_features",
                (tuple(map(fsum, weighted)), tuple(map(fsum, p.upstream))),
                "That sums over the features of each token; every feature has its own parameters, so the sum "
                "goes over the tokens.",
            )
        columns = tuple(zip(*p.x, strict=True))
        across = tuple(zip(*(en.moments(column).hat(p.eps) for column in columns), strict=True))
        yield en.Misconception(
            "batchnorm_axes",
            (summed(products(p.upstream, across)), shift),
            r"That normalizes every feature over the tokens, as BatchNorm does; in LayerNorm $\hat x$ comes "
            r"from "
            "one token alone.",
        )
        yield en.Misconception(
            "raw_input_used",
            (summed(products(p.upstream, p.x)), shift),
            r"That weights $\bar y$ with $x$; what $\gamma$ multiplies is $\hat x$.",
        )
        yield en.Misconception(
            "gamma_beta_swapped",
            (shift, scale),
            r"That swaps the two: $\bar\gamma$ is weighted with $\hat x$, $\bar\beta$ is the plain sum.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Statistics belong to one token, parameters to one feature. Over what does the sum go?",
            r"$\bar\gamma_k = \sum_t \bar y_{tk} \hat x_{tk}$ and $\bar\beta_k = \sum_t \bar y_{tk}$, where "
            r"$\hat x_t$ is token $t$ normalized by itself.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        scale, shift = self.solve(p)
        tokens = range(1, len(p.x) + 1)
        normalized = [
            en.Step(
                f"Token {t}, normalized over its features",
                f"xhat{t}",
                f"(entry(x, {t}) - mean(entry(x, {t})))"
                f"/sqrt(mean((entry(x, {t}) - mean(entry(x, {t})))^2) + eps)",
                hats(p)[t - 1],
            )
            for t in tokens
        ]
        shares = " + ".join(f"entry(upstream, {t})*xhat{t}" for t in tokens)
        return (
            *normalized,
            en.Step("Scale: add up over the tokens", "dgamma", shares, scale),
            en.Step("Shift: add up over the tokens", "dbeta", "sum(upstream)", shift),
            en.Step("Both", "gradients", "(dgamma, dbeta)", (scale, shift)),
        )

    def exact(self, p: Params) -> str | None:
        cells = [[Fraction(str(entry)) for entry in row] for row in p.upstream]
        shares: list[list[str]] = [[] for _ in p.x[0]]
        for ups, token in zip(cells, p.x, strict=True):
            values = [Fraction(str(value)) for value in token]
            d = [value - sum(values) / len(values) for value in values]
            square = sum(value * value for value in d) / len(d) + Fraction(str(p.eps))
            for terms, a, b in zip(shares, ups, d, strict=True):
                terms += [f"{a * b}/sqrt({square})"] if a * b else []
        scale = ["+".join(terms) or "0" for terms in shares]
        shift = [str(sum(column)) for column in zip(*cells, strict=True)]
        text = f"{', '.join(scale)}; {', '.join(shift)}".replace("+-", "-")
        return text if len(text) <= 200 else None


def hats(p: Params) -> Mat:
    """Return the tokens, each normalized over its features."""
    return tuple(en.moments(token).hat(p.eps) for token in p.x)


def products(a: Mat, b: Mat) -> Mat:
    return tuple(
        tuple(u * v for u, v in zip(one, other, strict=True)) for one, other in zip(a, b, strict=True)
    )


def summed(rows: Sequence[en.Vec]) -> en.Vec:
    """Return the sum of the rows."""
    return tuple(map(fsum, zip(*rows, strict=True)))


def size(p: Params) -> float:
    """Return how large the sums could be without cancelling."""
    return max(fsum(map(abs, column)) for column in zip(*p.upstream, strict=True))


FAMILY = LayerNormParameters()
