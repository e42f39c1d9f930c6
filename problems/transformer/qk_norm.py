"""Attention logits of a head whose queries and keys are normalized before their dot product."""

from dataclasses import dataclass
from fractions import Fraction
from math import nan, sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    q: en.Vec = en.vector("the query of one token in one head")
    k: en.Vec = en.vector("the key of one token in that head", like="q")
    growth: float = en.scalar("how many times as large query and key have become", 1.0, low=1e-6, high=1e6)
    gamma: float = en.scalar("the scale γ of both norms, the same for every feature", 1.0)
    asked: str = en.option("what is asked for", ("logit", "largest"), "logit")


TIDY = ((1, 1, 3, 5), (0, 2, 4, 4), (1, 5, 5, 7), (1, 1, 7, 7), (1, 3, 3, 9), (2, 4, 4, 8), (0, 0, 6, 8))
"""Four whole numbers each, with a whole root mean square; any of them may be negative."""
SHARED = ("norm_forgotten", "divided_by_norm", "attention_scale_forgotten", "attention_scale_not_rooted")
OF_LOGIT = (*SHARED, "query_alone_normalized", "layer_norm_instead")


class QKNorm(en.Family[Params]):
    title = "QK-norm: attention logits that stay bounded"
    catalogue = "I12"
    given = Params
    kind = en.Number()
    levels = {
        1: en.Level(*OF_LOGIT),
        2: en.Level(*OF_LOGIT, "factor_passes_on"),
        3: en.Level(*SHARED, "present_logit", "affine_dropped", "gamma_once"),
    }
    covers = ("qk-norm", "rmsnorm-forward")
    cards = ("card:other_norms/rmsnorm-formula", "card:other_norms/rmsnorm-invariance")
    requires = ("other_norms.rmsnorm",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            q, k = (
                tuple(float(rng.choice((-1, 1)) * value) for value in rng.shuffled(rng.choice(TIDY)))
                for _ in "qk"
            )
            return Params(q, k, 1.0, 1.0, "logit")
        size = rng.choice((2, 3, 5)) if level == 2 else rng.integer(3, 6)
        while True:
            q, k = (tuple(map(float, rng.integers(size, -6, 6))) for _ in "qk")
            if level == 2 or dot(q, k) > 0:
                break
        growth = float(rng.choice((2, 3, 5, 10, 100)))
        if level == 2:
            return Params(q, k, growth, 1.0, "logit")
        return Params(q, k, growth, rng.choice((0.5, 1.5, 2.0, 2.5)), "largest")

    def validate(self, p: Params) -> None:
        for name, values in (("q", p.q), ("k", p.k)):
            if not any(values):
                raise en.Refused(name, "all features are 0, so with ε = 0 its norm gives 0/0")

    def prompt(self, p: Params) -> str:
        grown = p.growth != 1
        now = "At first a head has" if grown else "A head has"
        text = f"{now} the query $q = {en.tex(p.q)}$ and the key $k = {en.tex(p.k)}$. "
        if grown:
            c = en.tex(p.growth)
            text += f"Later in training both are ${c}$ times as large, ${c}\\,q$ and ${c}\\,k$. "
        text += (
            f"With QK-norm, query and key each pass RMSNorm over their $d = {len(p.q)}$ features "
            f"($\\gamma = {en.tex(p.gamma)}$ for every feature, $\\varepsilon = 0$). "
            r"The logit is the dot product of the results, divided by $\sqrt d$."
        )
        if p.asked == "largest":
            return text + "\n\nHow large can a logit of this head be at most, whatever query and key become?"
        return f"{text}\n\nWhat is the logit of {'the grown query and key' if grown else 'this pair'}?"

    def solve(self, p: Params) -> float:
        return p.gamma**2 * (sqrt(len(p.q)) if p.asked == "largest" else logit(p.q, p.k))

    def oracle(self, p: Params, torch: Any) -> Any:
        d = len(p.q)
        norm = torch.nn.RMSNorm(d, eps=0.0, dtype=torch.float64)
        torch.nn.init.constant_(norm.weight, p.gamma)
        if p.asked == "largest":
            # A normalized vector is a unit vector in the basis of the normalized axes, so the largest logit
            # is the largest singular value of the table of the logits of all pairs of axes.
            axes = norm(torch.eye(d, dtype=torch.float64))
            return torch.linalg.matrix_norm(axes @ axes.T / d**0.5, 2)
        q, k = (norm(p.growth * torch.tensor(v, dtype=torch.float64)) for v in (p.q, p.k))
        return q @ k / d**0.5

    def misconceptions(self, p: Params) -> en.Slips:
        d, gg, most = len(p.q), p.gamma**2, p.asked == "largest"
        right, raw = self.solve(p), dot(p.q, p.k) / sqrt(d)
        size = sqrt(d) * rms(p.q) * rms(p.k)
        yield en.Misconception(
            "norm_forgotten",
            p.growth**2 * (size if most else raw),
            r"That is the product of the two lengths before the norms, divided by $\sqrt d$; the norms set "
            "both lengths, whatever they were."
            if most
            else r"That is the dot product of the vectors as they are, divided by $\sqrt d$; each is first "
            "divided by its root mean square.",
        )
        yield en.Misconception(
            "divided_by_norm",
            right / d,
            "That divides each vector by its length; RMSNorm divides by the root of the mean square, "
            r"which leaves a length of $\lvert\gamma\rvert\sqrt d$.",
        )
        yield en.Misconception(
            "attention_scale_forgotten",
            right * sqrt(d),
            r"That is the dot product itself; attention divides it by $\sqrt d$.",
        )
        yield en.Misconception(
            "attention_scale_not_rooted",
            right / sqrt(d),
            r"That divides the dot product by $d$; attention divides by its root, $\sqrt d$.",
        )
        if most:
            yield en.Misconception(
                "present_logit",
                gg * logit(p.q, p.k),
                "That is the logit of this pair; it is largest where query and key point the same way.",
            )
            yield en.Misconception(
                "affine_dropped",
                sqrt(d),
                r"That is the bound for $\gamma = 1$; both norms still multiply by $\gamma$.",
            )
            yield en.Misconception(
                "gamma_once",
                p.gamma * sqrt(d),
                r"That counts $\gamma$ once; query and key are each multiplied by it.",
            )
            return
        yield en.Misconception(
            "query_alone_normalized",
            gg * p.growth * raw / rms(p.q),
            "That normalizes the query alone; the key has a norm of its own.",
        )
        centred = [en.moments(values).deviations for values in (p.q, p.k)]
        yield en.Misconception(
            "layer_norm_instead",
            gg * logit(*centred) if all(map(any, centred)) else nan,
            "That subtracts the means first, as LayerNorm does; RMSNorm leaves them in.",
        )
        yield en.Misconception(
            "factor_passes_on",
            p.growth**2 * right,
            "That lets the growth of both pass on; the root mean squares grow alike, so it cancels.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        if p.asked == "largest":
            return (
                "How long is a vector after RMSNorm, whatever it was before?",
                r"A dot product is at most the product of the two lengths. With $\gamma = 1$ each length is "
                r"$\sqrt d$.",
            )
        return (
            "Normalize first: what does RMSNorm do with the size of a vector?",
            r"$\frac{\hat q \cdot \hat k}{\sqrt d}$ with $\hat q = \gamma\,\frac{q}{r_q}$, $\hat k = \gamma\,"
            r"\frac{k}{r_k}$ and the root mean squares $r_q$ and $r_k$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        d = len(p.q)
        if p.asked == "largest":
            return (
                en.Step(
                    "Length of a vector after RMSNorm",
                    "length",
                    "abs(gamma)*sqrt(len(q))",
                    abs(p.gamma) * sqrt(d),
                ),
                en.Step("Largest dot product: both point the same way", "top", "length^2", p.gamma**2 * d),
                en.Step("Divide by the root of d", "largest", "top/sqrt(len(q))", self.solve(p)),
            )
        grown, scale = "growth*" if p.growth != 1 else "", "gamma^2*" if p.gamma != 1 else ""
        both = "growth^2*" if p.growth != 1 else ""
        return (
            en.Step("Root mean square of the query", "r_q", f"{grown}sqrt(mean(q^2))", p.growth * rms(p.q)),
            en.Step("Root mean square of the key", "r_k", f"{grown}sqrt(mean(k^2))", p.growth * rms(p.k)),
            en.Step("Dot product of the normalized vectors", "product",
                    f"{scale}{both}sum(q*k)/(r_q*r_k)", self.solve(p) * sqrt(d)),
            en.Step("Divide by the root of d", "logit", "product/sqrt(len(q))", self.solve(p)),
        )  # fmt: skip

    def exact(self, p: Params) -> str | None:
        if p.asked == "largest":
            return f"({en.plain(p.gamma)})^2*sqrt({len(p.q)})"
        q, k = ([Fraction(str(value)) for value in values] for values in (p.q, p.k))
        top = Fraction(str(p.gamma)) ** 2 * sum(a * b for a, b in zip(q, k, strict=True))
        text = f"{top}/sqrt({sum(a * a for a in q) * sum(b * b for b in k) / len(q)})"
        return text if len(text) <= 200 else None


def rms(values: en.Vec) -> float:
    return sqrt(en.mean([value * value for value in values]))


def dot(one: en.Vec, other: en.Vec) -> float:
    """Return the dot product of the numbers as they are displayed, so that a 0 is exactly 0."""
    return en.to_float(
        sum((Fraction(str(a)) * Fraction(str(b)) for a, b in zip(one, other, strict=True)), Fraction())
    )


def logit(q: en.Vec, k: en.Vec) -> float:
    """Return the logit of the normalized vectors with γ = 1; how large they are does not matter."""
    return dot(q, k) / (rms(q) * rms(k) * sqrt(len(q)))


FAMILY = QKNorm()
