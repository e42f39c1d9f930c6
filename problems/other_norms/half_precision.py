"""What becomes of ε and of squares in float16 and bfloat16."""

from dataclasses import dataclass
from math import floor, inf, log2
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    eps: en.Vec = en.vector("two values of ε")
    x: en.Vec = en.vector("two input values")


FORMATS = {"float16": (11, -14, 65504.0), "bfloat16": (8, -126, 255.0 * 2.0**120)}
"""Significant binary digits, lowest exponent of a normal number and largest number."""
SLIPS = ("small_eps_survives", "subnormals_lost", "only_large_inputs_overflow", "bfloat16_like_float16")


class HalfPrecision(en.Family[Params]):
    title = "Small ε and large squares in half precision"
    catalogue = "D8"
    given = Params
    kind = en.YesNo()
    levels = {2: en.Level(*SLIPS)}
    covers = ("half-precision-eps", "half-precision-range")
    cards = ("card:batchnorm/epsilon-default", "card:other_norms/rmsnorm-eps-none")
    requires = ("other_norms.rmsnorm_default_eps",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        lost = rng.choice((1e-8, 2e-8, 5e-9, 1e-9, 1e-10, 1e-12))
        kept = rng.choice((1e-5, 2e-5, 1e-6, 2e-6, 5e-6))
        small, large = float(rng.integer(30, 240)), float(rng.integer(270, 900))
        return Params(tuple(rng.shuffled((lost, kept))), tuple(rng.shuffled((small, large))))

    def validate(self, p: Params) -> None:
        for name in ("eps", "x"):
            values = getattr(p, name)
            if len(values) != 2:
                raise en.Refused(name, f"two values are wanted, and this has {len(values)}")
            if not all(1e-30 <= abs(value) <= 1e18 for value in values):
                raise en.Refused(name, "values of size 1e-30 to 1e18 are wanted")
        if min(p.eps) < 0:
            raise en.Refused("eps", "ε is positive")

    def prompt(self, p: Params) -> str:
        return (
            "A hand-written norm keeps all its numbers in half precision. Think of $\\varepsilon = "
            f"{en.tex(p.eps)}$ and of inputs $x = {en.tex(p.x)}$, and of the two formats `float16` and "
            "`bfloat16`.\n\nWhat is true?"
        )

    def kind_of(self, p: Params) -> en.YesNo:
        return en.YesNo(
            labels=tuple(
                f"{kind}: $\\varepsilon = {en.tex(value)}$ stays above 0"
                if what == "eps"
                else f"{kind}: $x^2$ is finite for $x = {en.tex(value)}$"
                for kind, what, value in cases(p)
            )
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(fine(*case) for case in cases(p))

    def oracle(self, p: Params, torch: Any) -> Any:
        found = []
        for kind, what, value in cases(p):
            stored = torch.tensor(value, dtype=torch.float64).to(getattr(torch, kind))
            found.append(int((stored > 0) if what == "eps" else (stored * stored).isfinite()))
        return tuple(found)

    def misconceptions(self, p: Params) -> en.Slips:
        def believed(belief: str, kind: str, what: str, value: float) -> int:
            half = kind == "float16"
            if belief == "small_eps_survives" and half and what == "eps":
                return 1
            if belief == "subnormals_lost" and half and what == "eps" and value < 2.0**-14:
                return 0
            if belief == "only_large_inputs_overflow" and half and what == "x":
                return int(abs(value) <= 65504)
            if belief == "bfloat16_like_float16" and not half:
                return fine("float16", what, value)
            return fine(kind, what, value)

        whys = {
            "small_eps_survives": r"`float16` rounds everything up to $2^{-25} \approx 3 \cdot 10^{-8}$ to "
            r"0, so this $\varepsilon$ is gone.",
            "subnormals_lost": r"Below $6.1 \cdot 10^{-5}$ come the subnormal numbers: less exact, but above "
            r"0 down to $2^{-24} \approx 6 \cdot 10^{-8}$.",
            "only_large_inputs_overflow": "65504 is the largest `float16`, and the square reaches it from "
            "about $x = 256$ on.",
            "bfloat16_like_float16": "`bfloat16` has the exponents of `float32`, so its range is as wide; "
            "what it lacks is digits.",
        }
        for belief, why in whys.items():
            yield en.Misconception(belief, tuple(believed(belief, *case) for case in cases(p)), why)

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "How small and how large can a number of each format be?",
            r"`float16`: largest 65504, smallest above 0 about $6 \cdot 10^{-8}$ (subnormal). `bfloat16`: "
            r"the range of `float32`, about $10^{-38}$ to $3 \cdot 10^{38}$.",
            "It is the square that has to fit, not $x$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        words = []
        for kind, what, value in cases(p):
            half, fits = kind == "float16", fine(kind, what, value)
            if what == "eps":
                limit = r"$2^{-25} \approx 3 \cdot 10^{-8}$" if half else r"about $5 \cdot 10^{-41}$"
                where = "above" if fits else "not above"
                text = f"`{kind}` rounds to 0 up to {limit}; $\\varepsilon = {en.tex(value)}$ is {where} that"
            else:
                limit = "65504" if half else r"about $3.4 \cdot 10^{38}$"
                square = en.tex(float(f"{value * value:.4g}"))
                place = "within" if fits else "beyond"
                text = f"$x^2 \\approx {square}$ is {place} the largest `{kind}`, {limit}"
            words.append(en.Step(f"{text}: **{('no', 'yes')[fits]}**."))
        return tuple(words)


def cases(p: Params) -> tuple[tuple[str, str, float], ...]:
    """Return what is asked: all four values in float16, and in bfloat16 the two that are hard there."""
    hard = (("bfloat16", "eps", min(p.eps)), ("bfloat16", "x", max(p.x, key=abs)))
    return (
        *(("float16", "eps", value) for value in p.eps),
        *(("float16", "x", value) for value in p.x),
        *hard,
    )


def stored(kind: str, value: float) -> float:
    """Return the nearest number of a format; ties go to the even one."""
    digits, lowest, largest = FORMATS[kind]
    if value == 0:
        return 0.0
    step = 2.0 ** (max(floor(log2(abs(value))), lowest) - digits + 1)
    near = round(value / step) * step
    return near if abs(near) <= largest else inf


def fine(kind: str, what: str, value: float) -> int:
    near = stored(kind, value)
    return int(near > 0 if what == "eps" else abs(near) < inf and stored(kind, near * near) < inf)


FAMILY = HalfPrecision()
