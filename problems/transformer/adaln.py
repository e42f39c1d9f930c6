"""A sublayer with adaptive LayerNorm: scale, shift and gate come from the conditioning."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of one token", at_least=2)
    scale: en.Vec = en.vector("the scale s, one entry per feature", like="x", fill=0.0)
    shift: en.Vec = en.vector("the shift b, one entry per feature", like="x", fill=0.0)
    gate: en.Vec = en.vector("the gate a, one entry per feature", like="x", fill=0.0)
    eps: float = en.eps()


SLIPS = ("scale_without_one", "gate_on_skip", "gate_ignored", "norm_forgotten", "skip_forgotten")


class AdaLN(en.Family[Params]):
    title = "Adaptive LayerNorm with a gate"
    catalogue = "I10"
    given = Params
    kind = en.Vector()
    levels = {
        1: en.Level(*SLIPS),
        2: en.Level(*SLIPS, "shift_before_scale", "unbiased_variance"),
        3: en.Level("gate_ignored", "gate_on_skip", "branch_alone"),
    }
    covers = ("adaln-zero", "layernorm-forward")
    cards = ("card:other_norms/layernorm-formula", "card:residual/zero-gamma")
    requires = ("other_norms.layernorm",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        x = en.tidy_batch(rng) if level == 1 else en.untidy_batch(rng, 3, 4)
        if level == 3:
            zeros = (0.0,) * len(x)
            return Params(x, zeros, zeros, zeros, 0.0)
        scale = self._entries(rng, len(x), (-0.5, 0.5, 1.0, 2.0) if level == 1 else (-0.5, 0.2, 0.5, 1.5))
        shift = self._entries(rng, len(x), (-2.0, -1.0, 1.0, 2.0))
        gate = self._entries(rng, len(x), (-1.0, 0.0, 2.0, 3.0) if level == 1 else (-1.0, 0.0, 0.5, 2.0))
        return Params(x, scale, shift, gate, 0.0)

    def _entries(self, rng: en.Rng, count: int, options: en.Vec) -> en.Vec:
        return tuple(rng.choice(options) for _ in range(count))

    def validate(self, p: Params) -> None:
        if p.eps == 0 and en.flat(p.x):
            raise en.Refused("x", "all features are equal, so with eps = 0 the norm gives 0/0")

    def prompt(self, p: Params) -> str:
        start = (
            "The model is fresh, and adaLN-Zero starts with all three at zero: "
            if not any((*p.scale, *p.shift, *p.gate))
            else "For this conditioning it gives "
        )
        return (
            "A sublayer of a diffusion transformer has adaptive LayerNorm (adaLN): a small network turns "
            "the conditioning into a scale $s$ and a shift $b$ for the normalized token, in place of "
            f"$\\gamma$ and $\\beta$, and into a gate $a$ for the branch. {start}$s = {en.tex(p.scale)}$, "
            f"$b = {en.tex(p.shift)}$ and $a = {en.tex(p.gate)}$. The norm has $\\varepsilon = "
            f"{en.tex(p.eps)}$, and for simplicity the sublayer itself changes nothing, $F(u) = u$.\n\n"
            f"A token comes in with $x = {en.tex(p.x)}$. What leaves the residual block?"
        )

    def solve(self, p: Params) -> en.Vec:
        return block(p, modulated(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        x, scale, shift, gate = (
            torch.tensor(values, dtype=torch.float64) for values in (p.x, p.scale, p.shift, p.gate)
        )
        return torch.addcmul(x, gate, torch.nn.functional.layer_norm(x, (len(p.x),), 1 + scale, shift, p.eps))

    def misconceptions(self, p: Params) -> en.Slips:
        m, branch = en.moments(p.x), modulated(p)
        hat = m.hat(p.eps)
        yield en.Misconception(
            "scale_without_one",
            block(p, tuple(s * h + b for s, h, b in zip(p.scale, hat, p.shift, strict=True))),
            r"That multiplies by $s$; adaLN multiplies by $1 + s$, so that $s = 0$ leaves $\hat x$ as it is.",
        )
        yield en.Misconception(
            "gate_on_skip",
            tuple(a * (x + u) for a, x, u in zip(p.gate, p.x, branch, strict=True)),
            "That gates the skip as well; the gate stands on the branch, and $x$ is added whole.",
        )
        yield en.Misconception(
            "gate_ignored",
            tuple(x + u for x, u in zip(p.x, branch, strict=True)),
            "That leaves out the gate, which multiplies what the branch adds.",
        )
        yield en.Misconception(
            "norm_forgotten",
            block(p, tuple((1 + s) * x + b for s, x, b in zip(p.scale, p.x, p.shift, strict=True))),
            r"That scales and shifts $x$ itself; the branch sees the normalized token $\hat x$.",
        )
        if any(p.gate):
            yield en.Misconception(
                "skip_forgotten",
                tuple(a * u for a, u in zip(p.gate, branch, strict=True)),
                "That is what the branch adds; the skip carries $x$.",
            )
        yield en.Misconception(
            "shift_before_scale",
            block(p, tuple((1 + s) * (h + b) for s, h, b in zip(p.scale, hat, p.shift, strict=True))),
            r"That is $(1 + s)(\hat x + b)$; the shift comes last, after the scale.",
        )
        yield en.Misconception(
            "unbiased_variance",
            block(p, modulated(p, en.divided(m.deviations, sqrt(m.unbiased + p.eps)))),
            "That divides by $D - 1$; LayerNorm takes the biased variance, divided by $D$.",
        )
        yield en.Misconception(
            "branch_alone",
            branch,
            "That is what the branch computes before its gate; the gate scales it and the skip adds $x$.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Without any conditioning signal, $s = b = 0$ must leave plain LayerNorm. And what must $a = 0$ "
            "leave of the block?",
            r"The branch sees $u = (1 + s)\,\hat x + b$; the block gives $y = x + a\,F(u)$, entry by entry.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        m = en.moments(p.x)
        return (
            en.Step("Mean of the features", "mu", "mean(x)", m.mean),
            en.Step("Biased variance: divide by D", "var", "mean((x - mu)^2)", m.var),
            en.Step("Normalize", "xhat", "(x - mu)/sqrt(var + eps)", m.hat(p.eps)),
            en.Step("Scale by 1 + s, then shift", "u", "(1 + scale)*xhat + shift", modulated(p)),
            en.Step("The gate scales the branch; the skip stays whole", "y", "x + gate*u", self.solve(p)),
        )


def modulated(p: Params, hat: en.Vec | None = None) -> en.Vec:
    """Return (1 + s)·x̂ + b, with `hat` for x̂ if it is given."""
    hat = en.moments(p.x).hat(p.eps) if hat is None else hat
    return tuple((1 + s) * h + b for s, h, b in zip(p.scale, hat, p.shift, strict=True))


def block(p: Params, branch: en.Vec) -> en.Vec:
    """Return x plus the gated branch."""
    return tuple(x + a * u for x, a, u in zip(p.x, p.gate, branch, strict=True))


FAMILY = AdaLN()
