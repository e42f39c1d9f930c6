"""What a transformer block does to a token while the output projections of its sublayers are zero."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of one token", at_least=2)
    placement: str = en.option("where the norms stand", ("pre", "post"), "post")
    eps: float = en.eps()


SLIPS = ("other_placement", "one_norm_only", "skip_forgotten")
TIDY = {4.0: 1.0, 9.0: 7.0, 16.0: 5.0, 25.0: 8.0}
"""For a variance the ε that makes σ² + ε(σ² + ε), the square under the final root, a whole square."""


class BlockZeroed(en.Family[Params]):
    title = "A block with zeroed output projections"
    catalogue = "I1"
    given = Params
    kind = en.Vector()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS),
        3: en.Level(*SLIPS, "eps_ignored", "unbiased_variance"),
    }
    covers = ("zeroed-block", "pre-norm-vs-post-norm", "zero-init-starts-as-identity")
    cards = ("card:residual/post-vs-pre-ln", "card:residual/zero-gamma")
    demo = "pre_post_ln"
    requires = ("other_norms.layernorm",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        placement = "post" if level == 3 else rng.choice(("pre", "post"))
        if level == 1:
            x = en.tidy_batch(rng)
            return Params(x, placement, TIDY[en.moments(x).var])
        x = en.untidy_batch(rng, 3, 4 if level == 2 else 5)
        return Params(x, placement, float(max(2, round(en.moments(x).var * rng.choice((0.2, 0.3, 0.5))))))

    def validate(self, p: Params) -> None:
        if p.eps == 0 and en.flat(p.x):
            raise en.Refused("x", "all features are equal, so with eps = 0 a LayerNorm gives 0/0")

    def prompt(self, p: Params) -> str:
        kind = "pre-LN (`norm_first=True`)" if p.placement == "pre" else "post-LN (`norm_first=False`)"
        return (
            f"A {kind} transformer block has two sublayers, attention and feed-forward. The last linear "
            "layer of each is zero, weights and biases. Both LayerNorms have $\\gamma = 1$, $\\beta = 0$ and "
            f"$\\varepsilon = {en.tex(p.eps)}$; there is no dropout.\n\nWhat does the block make of a token "
            f"with the features $x = {en.tex(p.x)}$?"
        )

    def solve(self, p: Params) -> en.Vec:
        return p.x if p.placement == "pre" else twice(p)

    def oracle(self, p: Params, torch: Any) -> Any:
        block = torch.nn.TransformerEncoderLayer(
            len(p.x), 1, 1, 0.0, norm_first=p.placement == "pre", layer_norm_eps=p.eps, dtype=torch.float64
        )
        with torch.no_grad():
            for last in (block.self_attn.out_proj, block.linear2):
                last.weight.zero_()
                last.bias.zero_()
            return block(torch.tensor([p.x], dtype=torch.float64))[0]

    def misconceptions(self, p: Params) -> en.Slips:
        m, pre = en.moments(p.x), p.placement == "pre"
        yield en.Misconception(
            "other_placement",
            twice(p) if pre else p.x,
            "That is the post-LN block, which normalizes the stream after each sublayer; in pre-LN nothing "
            "stands on the skip."
            if pre
            else "That is the pre-LN block; post-LN normalizes the sum after each sublayer, even if the "
            "sublayer adds nothing.",
        )
        yield en.Misconception(
            "one_norm_only",
            m.hat(p.eps),
            r"That is $\operatorname{LN}(x)$; in pre-LN only the branches see the norms, and they add 0."
            if pre
            else r"That is $\operatorname{LN}(x)$; a second norm follows the second sublayer, and with a "
            r"visible $\varepsilon$ it changes the token again.",
        )
        yield en.Misconception(
            "skip_forgotten",
            (0.0,) * len(p.x),
            "That is what the sublayers add; the skip still carries the token past them.",
        )
        if not pre:
            yield en.Misconception(
                "eps_ignored",
                m.hat(),
                r"That leaves out $\varepsilon$, which stands inside the root of both norms.",
            )
            first = en.divided(m.deviations, sqrt(m.unbiased + p.eps))
            squares = sum(value * value for value in first)
            yield en.Misconception(
                "unbiased_variance",
                en.divided(first, sqrt(squares / (len(p.x) - 1) + p.eps)),
                "That divides by $D - 1$; LayerNorm takes the biased variance, divided by $D$.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        if p.placement == "pre":
            return (
                "What does a sublayer add whose last layer is zero? Then see what stands on the skip.",
                r"Each step is $x + F(\operatorname{LN}(x))$, here with $F = 0$.",
            )
        return (
            "What does a sublayer add whose last layer is zero? Then see what stands on the skip.",
            r"Each step is $\operatorname{LN}(x + F(x))$, here with $F = 0$, and there are two steps. After "
            r"the first the variance is $\frac{\sigma^2}{\sigma^2 + \varepsilon}$, not quite 1.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        if p.placement == "pre":
            return (
                en.Step("Both sublayers end in a zero layer, so each adds 0; no norm stands on the skip"),
                en.Step("The token passes unchanged", "y", "x + 0 + 0", p.x),
            )
        m = en.moments(p.x)
        first = m.hat(p.eps)
        return (
            en.Step("Both sublayers end in a zero layer, so each adds 0: two LayerNorms are left"),
            en.Step("Mean of the features", "mu", "mean(x)", m.mean),
            en.Step("Biased variance: divide by D", "var", "mean((x - mu)^2)", m.var),
            en.Step("After the first norm (its mean is 0)", "h", "(x - mu)/sqrt(var + eps)", first),
            en.Step("Variance of that", "var_h", "mean(h^2)", en.mean([value * value for value in first])),
            en.Step("After the second norm", "y", "h/sqrt(var_h + eps)", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        if p.placement == "pre":
            return en.plain(p.x)
        deviations, first = en.exact_hat(p.x, p.eps)
        eps = first - en.exact_hat(p.x)[1]
        text = f"({', '.join(map(str, deviations))})/sqrt({first - eps + eps * first})"
        return text if len(text) <= 200 else None


def twice(p: Params) -> en.Vec:
    """Return x after two LayerNorms."""
    first = en.moments(p.x).hat(p.eps)
    return en.divided(first, sqrt(en.mean([value * value for value in first]) + p.eps))


FAMILY = BlockZeroed()
