"""How many learned numbers the normalization layers of a transformer have."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks", low=1, high=200)
    width: int = en.whole("the number of features", low=1, high=2**17)
    final: str = en.option("whether a final norm follows the last block", ("yes", "no"), "yes")
    asked: str = en.option("what is asked", ("LayerNorm", "RMSNorm", "saving"), "LayerNorm")


SLIPS = ("final_norm_miscounted", "one_norm_per_block", "bias_miscounted")


class NormParameters(en.Family[Params]):
    title = "Learned numbers in a transformer's norms"
    catalogue = "C10"
    given = Params
    kind = en.Integer()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("norm-parameter-count", "rmsnorm-parameter-saving", "layernorm-parameter-count")
    cards = ("card:statistics/layernorm-rmsnorm-learned", "card:other_norms/rmsnorm-parameters")
    requires = ("statistics.layernorm_count",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            depth, width = (
                rng.choice((2, 4, 6, 8, 10, 12)),
                rng.choice((50, 64, 100, 128, 200, 256, 500, 512)),
            )
            return Params(depth, width, "yes", rng.choice(("LayerNorm", "RMSNorm")))
        depth, width = rng.choice((12, 16, 24, 32, 36, 40)), rng.choice((384, 768, 1024, 2048, 4096))
        return Params(depth, width, rng.choice(("yes", "no")), "saving")

    def prompt(self, p: Params) -> str:
        final = "one final norm after the last block" if p.final == "yes" else "no norm after the last block"
        norm = "LayerNorm" if p.asked == "saving" else p.asked
        model = (
            f"A transformer of width $D = {en.tex(p.width)}$ has ${en.tex(p.depth)}$ blocks with two norms "
            f"each, and {final}. Every norm is PyTorch's `{norm}(D)` with its defaults.\n\n"
        )
        if p.asked == "saving":
            return model + "How many learned numbers fewer does the model have with `RMSNorm(D)` instead?"
        return model + "How many learned numbers do the norms have altogether?"

    def solve(self, p: Params) -> int:
        return norms(p) * per_norm(p)

    def oracle(self, p: Params, torch: Any) -> Any:
        def learned(layer: Any) -> int:
            stack = [
                layer(p.width, device="meta") for _ in range(p.depth) for _ in ("attention", "feed-forward")
            ]
            if p.final == "yes":
                stack.append(layer(p.width, device="meta"))
            return sum(parameter.numel() for norm in stack for parameter in norm.parameters())

        if p.asked == "saving":
            return learned(torch.nn.LayerNorm) - learned(torch.nn.RMSNorm)
        return learned(getattr(torch.nn, p.asked))

    def misconceptions(self, p: Params) -> en.Slips:
        final = p.final == "yes"
        yield en.Misconception(
            "final_norm_miscounted",
            (2 * p.depth + (not final)) * per_norm(p),
            "That forgets the final norm after the last block."
            if final
            else "That counts a final norm, and this model has none.",
        )
        yield en.Misconception(
            "one_norm_per_block",
            (p.depth + final) * per_norm(p),
            "That counts one norm per block; attention and feed-forward have one each.",
        )
        why = {
            "LayerNorm": r"That is $D$ per norm; LayerNorm learns $\beta$ as well as $\gamma$.",
            "RMSNorm": r"That is $2D$ per norm; RMSNorm has no bias, only the scale $\gamma$.",
            "saving": r"That is $2D$ per norm, all that LayerNorm learns; RMSNorm keeps the scale $\gamma$ "
            r"and saves only the shift $\beta$.",
        }
        yield en.Misconception("bias_miscounted", norms(p) * (3 * p.width - per_norm(p)), why[p.asked])

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Count the norms first, then the learned numbers of one.",
            r"LayerNorm has a $\gamma$ and a $\beta$ per feature, RMSNorm only a $\gamma$."
            + (" The saving per norm is the difference." if p.asked == "saving" else ""),
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        final = p.final == "yes"
        what = {
            "LayerNorm": "A scale and a shift per feature",
            "RMSNorm": "A scale per feature",
            "saving": "Saved per norm: one shift per feature",
        }
        return (
            en.Step(
                "Norms: two per block" + (", and the final one" if final else ""),
                "norms",
                "2*depth + 1" if final else "2*depth",
                norms(p),
            ),
            en.Step(what[p.asked], "per_norm", "2*width" if p.asked == "LayerNorm" else "width", per_norm(p)),
            en.Step("Together", "learned", "norms*per_norm", self.solve(p)),
        )


def norms(p: Params) -> int:
    return 2 * p.depth + (p.final == "yes")


def per_norm(p: Params) -> int:
    """Return the numbers that are asked for, in one norm."""
    return 2 * p.width if p.asked == "LayerNorm" else p.width


FAMILY = NormParameters()
