"""RMSNorm of a tiny token with the ε that PyTorch takes when none is given."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from studynorm import engine as en

EXPONENTS = {"float16": -10, "bfloat16": -7, "float32": -23, "float64": -52}
"""The machine epsilon of each type, as a power of two."""
KINDS = tuple(EXPONENTS)


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the features of one token")
    index: int = en.whole("which entry is asked for, counted from 1", 1, low=1, high=64)
    dtype: str = en.option("the type of the token and the layer", KINDS, "float32")


SLIPS = ("eps_ignored", "layernorm_default_eps", "customary_eps")


class RMSNormDefaultEps(en.Family[Params]):
    title = "RMSNorm of a tiny token with the default ε"
    catalogue = "D7"
    given = Params
    kind = en.Number()
    levels = {2: en.Level(*SLIPS), 3: en.Level(*SLIPS, "eps_outside_root", "eps_of_input_type")}
    covers = ("rmsnorm-default-eps", "rmsnorm-forward", "eps-inside-root")
    cards = ("card:other_norms/rmsnorm-eps-none", "card:other_norms/rmsnorm-formula")
    requires = ("other_norms.rmsnorm",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        # At level 3 the token is so small that even an ε outside the root would show.
        power, dtype = (-4, "float32") if level == 2 else (-6, "bfloat16")
        digits = [rng.choice((-1, 1)) * rng.integer(1, 9) for _ in range(rng.integer(3, 4))]
        return Params(
            tuple(float(f"{digit}e{power}") for digit in digits), rng.integer(1, len(digits)), dtype
        )

    def validate(self, p: Params) -> None:
        if p.index > len(p.x):
            raise en.Refused("index", f"a place from 1 to {len(p.x)} is wanted, as x has {len(p.x)} entries")

    def prompt(self, p: Params) -> str:
        half = p.dtype in {"float16", "bfloat16"}
        inside = f" (which for `{p.dtype}` computes in `float32` inside)" if half else ""
        listed = ", ".join(f"$2^{{{power}}}$ for `{name}`" for name, power in EXPONENTS.items())
        return (
            f"A `{p.dtype}` token has the features $x = {en.tex(p.x)}$. It goes through PyTorch's `RMSNorm`"
            f"{inside}, built with its defaults: $\\gamma = 1$, `eps=None`.\n\n"
            f"What is the entry $y_{{{en.tex(p.index)}}}$ of the output (counted from 1), if nothing is "
            "rounded on the way?\n\n"
            f"Machine epsilons, in case you need one: {listed}."
        )

    def solve(self, p: Params) -> float:
        return normalized(p, default_eps(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        # In float64, which rounds nothing that shows; the ε is the one of the type computed in.
        x = torch.tensor(p.x, dtype=torch.float64)
        eps = None if p.dtype == "float64" else torch.finfo(torch.float32).eps
        return torch.nn.functional.rms_norm(x, (len(p.x),), eps=eps)[p.index - 1]

    def misconceptions(self, p: Params) -> en.Slips:
        right = f"With `eps=None` it is $2^{{{exponent(p)}}}$, the machine epsilon of the type computed in."
        yield en.Misconception("eps_ignored", normalized(p, 0.0), rf"That takes $\varepsilon = 0$. {right}")
        yield en.Misconception(
            "layernorm_default_eps",
            normalized(p, 1e-5),
            rf"That takes $\varepsilon = 10^{{-5}}$, the default of LayerNorm and BatchNorm. {right}",
        )
        yield en.Misconception(
            "customary_eps",
            normalized(p, 1e-6),
            rf"That takes $\varepsilon = 10^{{-6}}$, as many models set it by hand. {right}",
        )
        root = sqrt(mean_square(p))
        if default_eps(p) >= 0.02 * root:  # otherwise it cannot be told from leaving ε out
            yield en.Misconception(
                "eps_outside_root",
                p.x[p.index - 1] / (root + default_eps(p)),
                r"That adds $\varepsilon$ to the root; it is added to the mean square, inside the root.",
            )
        if p.dtype in {"float16", "bfloat16"}:
            yield en.Misconception(
                "eps_of_input_type",
                normalized(p, 2.0 ** EXPONENTS[p.dtype]),
                f"That takes the machine epsilon of `{p.dtype}`; the layer computes in `float32` inside, and "
                "takes that type's.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            r"`eps=None` is neither 0 nor $10^{-5}$: it is the machine epsilon of the type that the layer "
            "computes in.",
            rf"$y_i = \frac{{x_i}}{{\sqrt{{\langle x^2 \rangle + \varepsilon}}}}$ with $\varepsilon = "
            f"2^{{{exponent(p)}}}$, which is not small beside the mean square of such a token.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        square, eps = mean_square(p), default_eps(p)
        kind = "float64" if p.dtype == "float64" else "float32"
        return (
            en.Step(f"Machine epsilon of {kind}", "eps", f"2^({exponent(p)})", eps),
            en.Step("Mean of the squares", "square", "mean(x^2)", square),
            en.Step("Root, with ε inside", "r", "sqrt(square + eps)", sqrt(square + eps)),
            en.Step("Divide", "y", "entry(x, index)/r", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        square = sum(Fraction(repr(value)) ** 2 for value in p.x) / len(p.x)
        text = f"{en.plain(p.x[p.index - 1])}/sqrt({square} + 2^({exponent(p)}))"
        return text if len(text) <= 200 else None


def exponent(p: Params) -> int:
    """Return the power of two that `eps=None` means; half types are computed in float32."""
    return EXPONENTS["float64" if p.dtype == "float64" else "float32"]


def default_eps(p: Params) -> float:
    return 2.0 ** exponent(p)


def mean_square(p: Params) -> float:
    return en.mean([value * value for value in p.x])


def normalized(p: Params, eps: float) -> float:
    """Return the entry asked for with this ε; nan where it would be 0/0."""
    return en.divided((p.x[p.index - 1],), sqrt(mean_square(p) + eps))[0]


FAMILY = RMSNormDefaultEps()
