"""Which changes of a token LayerNorm and RMSNorm take out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    factors: en.Vec = en.vector("the factors c of the changed tokens cx + s; none is 0")
    shifts: en.Vec = en.vector("the shifts s of the changed tokens cx + s", like="factors", fill=0.0)


LAYERS = ("LayerNorm", "RMSNorm")
SLIPS = (
    "rms_shift_invariant",
    "layernorm_factor_passes_on",
    "rms_factor_passes_on",
    "negative_factor_ignored",
)


class NormInvariance(en.Family[Params]):
    title = "What LayerNorm and RMSNorm take out"
    catalogue = "D6"
    given = Params
    kind = en.YesNo()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "layernorm_shift_passes_on")}
    covers = ("layernorm-invariance", "rmsnorm-invariance", "negative-factor-flips")
    cards = ("card:other_norms/rmsnorm-invariance", "card:other_norms/rmsnorm-vs-layernorm")
    requires = ("other_norms.layernorm_vs_rmsnorm", "batchnorm.invariance")

    def draw(self, level: int, rng: en.Rng) -> Params:
        def sign() -> float:
            return rng.choice((-1.0, 1.0))

        factor = rng.choice((0.5, 2.0, 3.0, 4.0, 10.0, 100.0))
        shift = sign() * rng.integer(1, 9)
        negative = -rng.choice((1.0, 2.0, 3.0, 0.5, 10.0))
        shifted = (1.0, shift) if level == 1 else (rng.choice((1.0, 2.0, 5.0)), shift)
        maps = rng.shuffled(((factor, 0.0), shifted, (negative, 0.0)))
        return Params(tuple(c for c, _ in maps), tuple(s for _, s in maps))

    def validate(self, p: Params) -> None:
        if len(p.factors) > 6:
            raise en.Refused("factors", "at most six changes are wanted")
        for c, s in zip(p.factors, p.shifts, strict=True):
            if not 1e-4 <= abs(c) <= 1e4:
                raise en.Refused("factors", "factors of size 1e-4 to 1e4 are wanted")
            if s and not 1e-4 <= abs(s) <= 1e4:
                raise en.Refused("shifts", "shifts of 0 or of size 1e-4 to 1e4 are wanted")
            if (c, s) == (1, 0):
                raise en.Refused("factors", "c = 1 with s = 0 changes nothing")

    def prompt(self, p: Params) -> str:
        changes = ", ".join(f"${change(c, s)}$" for c, s in zip(p.factors, p.shifts, strict=True))
        return (
            f"A token $x$ is replaced by $c\\,x + s$, with $c = {en.tex(p.factors)}$ and $s = "
            f"{en.tex(p.shifts)}$ in turn: {changes}. The layers have $\\varepsilon = 0$ and any $\\gamma "
            "\\ne 0$.\n\nWhich of them give the same output as for $x$, whatever the token is?"
        )

    def kind_of(self, p: Params) -> en.YesNo:
        changes = [change(c, s) for c, s in zip(p.factors, p.shifts, strict=True)]
        return en.YesNo(labels=tuple(f"{layer}: ${text}$" for layer in LAYERS for text in changes))

    def solve(self, p: Params) -> tuple[int, ...]:
        return rows(p)

    def oracle(self, p: Params, torch: Any) -> Any:
        x = torch.tensor([1.0, 4.0, -2.0, 7.0, 3.5], dtype=torch.float64)
        found = []
        for layer in LAYERS:
            norm = getattr(torch.nn, layer)(5, eps=0.0, dtype=torch.float64)
            with torch.no_grad():
                norm.weight.copy_(torch.tensor([1.0, -2.0, 0.5, 3.0, 1.5]))
                for c, s in zip(p.factors, p.shifts, strict=True):
                    found.append(int(torch.allclose(norm(c * x + s), norm(x), rtol=0, atol=1e-7)))
        return tuple(found)

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "negative_factor_ignored",
            rows(p, layernorm=lambda c, s: True, rmsnorm=lambda c, s: s == 0),
            "A negative factor changes the sign of the output: the divisor is a root and stays positive.",
        )
        yield en.Misconception(
            "rms_shift_invariant",
            rows(p, rmsnorm=lambda c, s: c > 0),
            "RMSNorm does not subtract the mean, so a shift changes its output.",
        )
        yield en.Misconception(
            "rms_factor_passes_on",
            rows(p, rmsnorm=lambda c, s: False),
            "RMSNorm divides by the root mean square, which grows with $x$: a positive factor cancels.",
        )
        yield en.Misconception(
            "layernorm_factor_passes_on",
            rows(p, layernorm=lambda c, s: c == 1),
            r"LayerNorm divides by $\sigma$, which grows with $x$: a positive factor cancels.",
        )
        yield en.Misconception(
            "layernorm_shift_passes_on",
            rows(p, layernorm=lambda c, s: c > 0 and s == 0),
            "LayerNorm subtracts the mean, and a shift is in the mean too.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "What is subtracted in each layer, and what is divided by?",
            r"LayerNorm: $\frac{x - \mu}{\sigma}$. RMSNorm: $\frac{x}{r}$ with $r = \sqrt{\langle x^2 "
            r"\rangle}$. For $cx$ both divisors become $|c|$ times as large.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        answers = [("no", "yes")[mark] for mark in rows(p)]
        half = len(p.factors)
        return (
            en.Step("A factor $c$ leaves its sign, as the divisor grows by $|c|$: $c > 0$ cancels, $c < 0$ "
                    "turns the output's sign."),
            en.Step("A shift cancels where the mean is subtracted: in LayerNorm, not in RMSNorm."),
            en.Step(f"LayerNorm: {', '.join(answers[:half])}. RMSNorm: {', '.join(answers[half:])}."),
        )  # fmt: skip


def change(c: float, s: float) -> str:
    """Return cx + s as one writes it."""
    left = "x" if c == 1 else "-x" if c == -1 else f"{en.tex(c)}\\,x"
    return left if s == 0 else f"{left} {'+' if s > 0 else '-'} {en.tex(abs(s))}"


def rows(
    p: Params,
    layernorm: Callable[[float, float], bool] = lambda c, s: c > 0,
    rmsnorm: Callable[[float, float], bool] = lambda c, s: c > 0 and s == 0,
) -> tuple[int, ...]:
    """Return the answers, with rules that tell when a layer gives the same output."""
    pairs = tuple(zip(p.factors, p.shifts, strict=True))
    return tuple(int(rule(c, s)) for rule in (layernorm, rmsnorm) for c, s in pairs)


FAMILY = NormInvariance()
