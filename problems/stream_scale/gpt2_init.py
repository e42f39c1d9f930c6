"""GPT-2's smaller initialization of the layers that write to the residual stream."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    blocks: int = en.whole("the number of transformer blocks", low=1, high=10**5)
    std: float = en.scalar("the standard deviation of the other weights", 0.02, low=1e-6, high=1e3)


SLIPS = ("blocks_for_layers", "root_missing", "variance_for_std", "exponent_sign", "unscaled")


class Gpt2Init(en.Family[Params]):
    title = "GPT-2's initialization of residual layers"
    catalogue = "H10"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS, distinct=42), 2: en.Level(*SLIPS)}
    covers = ("gpt2-residual-init",)
    cards = ("card:residual/root-depth", "card:residual/three-remedies")
    requires = ("stream_scale.scaled_branch",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:  # twice the number of blocks is a square
            return Params(2 * rng.integer(1, 7) ** 2, rng.choice((0.01, 0.02, 0.03, 0.04, 0.06, 0.08)))
        return Params(rng.integer(3, 60), rng.choice((0.01, 0.015, 0.02, 0.025, 0.05)))

    def prompt(self, p: Params) -> str:
        return (
            f"A GPT-2-like transformer has ${p.blocks}$ blocks, each with an attention part and a "
            f"feed-forward part. Weights are drawn with standard deviation ${en.tex(p.std)}$. As in GPT-2, "
            "the matrices that write to the residual stream (the output projection of each part) are scaled "
            "down for the number of residual layers.\n\nWhat is the standard deviation of those matrices?"
        )

    def solve(self, p: Params) -> float:
        return p.std / sqrt(2 * p.blocks)

    def oracle(self, p: Params, torch: Any) -> Any:
        # Contributions as independent sources: together they must be as large as a single unscaled one.
        contributions = torch.ones(p.blocks, 2, dtype=torch.float64)
        return p.std / torch.linalg.vector_norm(contributions)

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "blocks_for_layers",
            p.std / sqrt(p.blocks),
            "That counts the blocks; each has two residual layers, attention and feed-forward.",
        )
        yield en.Misconception(
            "root_missing",
            p.std / (2 * p.blocks),
            r"That divides by $N$; the variances of $N$ layers add, so the root of $N$ is enough.",
        )
        yield en.Misconception(
            "variance_for_std",
            p.std**2 / (2 * p.blocks),
            "That is the variance of the weights; its root, the standard deviation, was asked for.",
        )
        yield en.Misconception(
            "exponent_sign",
            p.std * sqrt(2 * p.blocks),
            r"That multiplies by $\sqrt N$; the more layers add up, the smaller each must be.",
        )
        yield en.Misconception(
            "unscaled",
            p.std,
            "That leaves these matrices as large as the others; their outputs would add up in the stream.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "How many times is something added to the residual stream in one block?",
            r"With $N$ residual layers, two in every block, the standard deviation is multiplied by "
            r"$1/\sqrt N$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return (
            en.Step("Residual layers: two in every block", "layers", "2*blocks", 2 * p.blocks),
            en.Step("Divide by the root of their number", "scaled_std", "std/sqrt(layers)", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        return f"{en.plain(p.std)}/sqrt({2 * p.blocks})"


FAMILY = Gpt2Init()
