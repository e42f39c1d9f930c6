"""The norm of LayerNorm's Jacobian: by how much it can stretch a small change."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of one token, three or more", at_least=3)
    eps: float = en.eps()


SLIPS = ("no_centring", "divided_by_variance", "sigma_missing", "unbiased_variance", "root_length_missing")


class LayerNormJacobianNorm(en.Family[Params]):
    title = "The norm of LayerNorm's Jacobian"
    catalogue = "I5"
    given = Params
    kind = en.Number()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS),
        3: en.Level(*SLIPS, "eps_ignored", "eps_outside_root"),
    }
    covers = ("layernorm-jacobian-norm",)
    cards = ("card:residual/post-vs-pre-ln", "card:other_norms/layernorm-formula")
    demo = "pre_post_ln"
    requires = ("other_norms.layernorm", "backward.layernorm")

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            return Params(en.tidy_batch(rng), 0.0)
        x = en.untidy_batch(rng, 3, 5)
        visible = float(max(2, round(en.moments(x).var * rng.choice((0.1, 0.2, 0.4))))) if level == 3 else 0.0
        return Params(x, visible)

    def validate(self, p: Params) -> None:
        if p.eps == 0 and en.flat(p.x):
            raise en.Refused("x", "all features are equal, so with eps = 0 there is no Jacobian: 0/0")

    def prompt(self, p: Params) -> str:
        return (
            f"LayerNorm with $\\gamma = 1$, $\\beta = 0$ and $\\varepsilon = {en.tex(p.eps)}$ acts on a "
            f"token with the features $x = {en.tex(p.x)}$.\n\nWhat is the spectral norm of its Jacobian "
            r"$\partial y/\partial x$ there, the factor by which it stretches a small change the most?"
        )

    def solve(self, p: Params) -> float:
        return 1 / sqrt(en.moments(p.x).var + p.eps)

    def oracle(self, p: Params, torch: Any) -> Any:
        x = torch.tensor(p.x, dtype=torch.float64)
        norm = torch.nn.LayerNorm(len(p.x), eps=p.eps, elementwise_affine=False)
        return torch.linalg.matrix_norm(torch.autograd.functional.jacobian(norm, x), ord=2)

    def misconceptions(self, p: Params) -> en.Slips:
        m, size = en.moments(p.x), len(p.x)
        square = en.mean([value * value for value in p.x])
        yield en.Misconception(
            "no_centring",
            over(sqrt(square + p.eps)),
            r"That divides by the RMS of $x$, as in $\sqrt D/\lVert x \rVert$; what counts is the spread of "
            r"the centered token, $\lVert x - \mu \rVert$.",
        )
        yield en.Misconception(
            "divided_by_variance",
            over(m.var + p.eps),
            "That divides by the variance; LayerNorm, and so its derivative, divides by the root of it.",
        )
        yield en.Misconception(
            "sigma_missing",
            1.0,
            r"That is the projection alone; it is still divided by $\sqrt{\sigma^2 + \varepsilon}$.",
        )
        yield en.Misconception(
            "unbiased_variance",
            over(sqrt(m.unbiased + p.eps)),
            "That divides the squares by $D - 1$; LayerNorm takes the biased variance, divided by $D$.",
        )
        yield en.Misconception(
            "root_length_missing",
            over(sqrt(m.squares + size * p.eps)),
            r"That leaves out $\sqrt D$: the standard deviation is $\lVert x - \mu \rVert/\sqrt D$.",
        )
        yield en.Misconception(
            "eps_ignored",
            over(sqrt(m.var)),
            r"That leaves out $\varepsilon$, which is added to the variance inside the root.",
        )
        yield en.Misconception(
            "eps_outside_root",
            over(sqrt(m.var) + p.eps),
            r"That is $1/(\sigma + \varepsilon)$; $\varepsilon$ belongs inside the root.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "The Jacobian is a projection divided by a number. How much does a projection stretch at most?",
            r"A change along neither $\mathbf 1$ nor $\hat x$ passes the projection whole, and in "
            f"${len(p.x)}$ dimensions there is one. What is it divided by?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        return (
            en.Step("Mean of the features", "mu", "mean(x)", m.mean),
            en.Step("Biased variance: divide by D", "var", "mean((x - mu)^2)", m.var),
            en.Step("What LayerNorm divides by", "sigma", "sqrt(var + eps)", sqrt(m.var + p.eps)),
            en.Step(
                "A change along neither 1 nor x̂ is only divided, no other is stretched more",
                "norm",
                "1/sigma",
                self.solve(p),
            ),
        )

    def exact(self, p: Params) -> str | None:
        text = f"1/sqrt({en.exact_hat(p.x, p.eps)[1]})"
        return text if len(text) <= 200 else None


def over(value: float) -> float:
    """Return 1/value; nan where that is 0, so that the slip is set aside."""
    return en.divided((1.0,), value)[0]


FAMILY = LayerNormJacobianNorm()
