"""The block at which a growing residual stream no longer fits into a floating-point format."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en

FORMATS = {"float16": (10, 15), "bfloat16": (7, 127), "float32": (23, 127)}
"""Each format's fraction bits and largest exponent (IEEE 754, and bfloat16 as the upper half of float32)."""


@dataclass(frozen=True, slots=True)
class Params:
    gain: float = en.scalar("the gain of every branch", 1.0, low=0.01, high=1000.0)
    start: float = en.scalar("what the watched number is at the input", 1.0, low=1e-4, high=1e4)
    dtype: str = en.option("the floating-point format", tuple(FORMATS), "float16")
    quantity: str = en.option("which number is watched", ("rms", "variance"), "rms")


SLIPS = ("root_swapped", "range_confused", "one_step_short", "one_step_too_many")


class StreamOverflow(en.Family[Params]):
    title = "When a growing stream overflows"
    catalogue = "H9"
    given = Params
    kind = en.Integer()
    levels = {1: en.Level(*SLIPS, distinct=28), 2: en.Level(*SLIPS, "gain_one_assumed")}
    covers = ("half-precision-range", "stream-growth-by-branch-gain")
    cards = ("card:residual/variance-doubling",)
    requires = ("stream_scale.doubling",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        dtype, quantity = rng.choice(("float16", "bfloat16")), rng.choice(("rms", "variance"))
        if level == 1:
            return Params(1.0, 2.0 ** rng.integer(-1, 5), dtype, quantity)
        while True:  # rounding in between must not decide
            gains, starts = (0.25, 0.5, 0.8, 1.5, 2.0, 3.0), (0.5, 0.8, 1.0, 1.5, 3.0, 5.0)
            p = Params(rng.choice(gains), rng.choice(starts), dtype, quantity)
            if 0.1 < steps(p) % 1 < 0.9:
                return p

    def validate(self, p: Params) -> None:
        half = 1.0 if p.quantity == "variance" else 0.5
        value = p.start * math.exp(half * self.solve(p) * math.log1p(p.gain))
        bits, top = FORMATS[p.dtype]
        if value < (largest(p.dtype) + 2.0 ** (top - bits - 1)) * (
            1 + 1e-9
        ):  # below, it rounds to the largest
            raise en.Refused(
                "start", f"some block hits the largest {p.dtype} so closely that rounding decides; vary it"
            )

    def prompt(self, p: Params) -> str:
        name = "variance (its mean square)" if p.quantity == "variance" else "RMS (root mean square)"
        times = "" if p.gain == 1 else f"{en.tex(p.gain)}\\,"
        return (
            f"A residual stream with mean 0 starts with the {name} ${en.tex(p.start)}$ and passes "
            f"blocks $x + F(x)$ without normalization; every branch has gain ${en.tex(p.gain)}$, that is "
            f"$\\text{{Var}}(F(x)) = {times}\\text{{Var}}(x)$, and its output has mean 0 and is "
            "uncorrelated with the stream.\n\n"
            f"After which block, counted from 1, is this "
            f"{'variance' if p.quantity == 'variance' else 'RMS'} for the first time larger than the largest "
            f"finite number of `{p.dtype}`?"
        )

    def solve(self, p: Params) -> int:
        return math.floor(steps(p)) + 1

    def oracle(self, p: Params, torch: Any) -> Any:
        """Grow the stream block by block and put each value into the format, until one is infinite."""
        dtype = getattr(torch, p.dtype)
        passed, value = 0, torch.tensor(p.start, dtype=torch.float64)
        value = value.square() if p.quantity == "rms" else value
        while True:
            blocks = value * torch.full((128,), 1 + p.gain, dtype=torch.float64).cumprod(0)
            held = (blocks.sqrt() if p.quantity == "rms" else blocks).to(dtype)
            if held.isinf().any():
                return passed + 1 + int(held.isinf().nonzero()[0])
            passed, value = passed + len(blocks), blocks[-1]

    def misconceptions(self, p: Params) -> en.Slips:
        block = self.solve(p)
        yield en.Misconception(
            "root_swapped",
            self.solve(Params(p.gain, p.start, p.dtype, "rms" if p.quantity == "variance" else "variance")),
            "That lets the variance grow like an RMS; it takes the full factor in every block."
            if p.quantity == "variance"
            else "That lets the RMS grow like a variance; it takes only the root of the factor in every "
            "block.",
        )
        other = "float16" if p.dtype != "float16" else "bfloat16"
        yield en.Misconception(
            "range_confused",
            self.solve(Params(p.gain, p.start, other, p.quantity)),
            "That is the range of `float16`, which ends at 65504; this format has the 8 exponent bits of "
            "`float32` and reaches about $2^{128}$."
            if other == "float16"
            else "That is the range of `bfloat16` or `float32`; `float16` has 5 exponent bits and ends at "
            "65504.",
        )
        yield en.Misconception(
            "one_step_short",
            block - 1,
            "One block too few: there it still fits; the first that does not was asked for.",
        )
        yield en.Misconception(
            "one_step_too_many", block + 1, "One block too many: it is too large already one block before."
        )
        yield en.Misconception(
            "gain_one_assumed",
            self.solve(Params(1.0, p.start, p.dtype, p.quantity)),
            "That doubles the variance in every block, as a branch of gain 1 does; this gain is another.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        end = "65504" if p.dtype == "float16" else r"about $3.4 \cdot 10^{38}$, a little below a power of 2"
        factor = r"1 + \rho" if p.quantity == "variance" else r"\sqrt{1 + \rho}"
        return (
            "By what factor does one block multiply the watched number, and where does the format end?",
            f"With the gain $\\rho$ the factor is ${factor}$. The largest `{p.dtype}` is {end}.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        bits, top = FORMATS[p.dtype]
        rms = p.quantity == "rms"
        factor = math.sqrt(1 + p.gain) if rms else 1 + p.gain
        return (
            en.Step(f"The largest {p.dtype}", "largest", f"(2 - 2^(-{bits}))*2^{top}", largest(p.dtype)),
            en.Step("One block's factor", "factor", "sqrt(1 + gain)" if rms else "1 + gain", factor),
            en.Step("Blocks until it is reached", "steps", "ln(largest/start)/ln(factor)", steps(p)),
            en.Step("The next whole number", "block", str(self.solve(p)), self.solve(p)),
        )


def largest(dtype: str) -> float:
    """Return the largest finite number of a format: 65504 for float16."""
    bits, top = FORMATS[dtype]
    return float((2 - 2.0**-bits) * 2.0**top)


def steps(p: Params) -> float:
    """Return after how many blocks, as a real number, the format's largest number is reached."""
    doubled = 1 if p.quantity == "variance" else 2
    return doubled * math.log(largest(p.dtype) / p.start) / math.log1p(p.gain)


FAMILY = StreamOverflow()
