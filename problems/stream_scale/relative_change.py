"""By what share of its size the next block of a pre-norm network changes the stream."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("how many blocks the stream has passed", low=1, high=1000)
    start: float = en.scalar("the variance of the stream's input", 1.0, above=0.0)
    branch: float = en.scalar("the variance of every branch's output", 1.0, above=0.0)


SLIPS = ("root_missing", "norm_holds_stream", "inverse_depth", "rms_added", "one_step_too_many")


class RelativeChange(en.Family[Params]):
    title = "How much a late block still changes the stream"
    catalogue = "H7"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS, "start_forgotten")}
    covers = ("late-blocks-change-less", "normalized-branch-linear-variance")
    cards = ("card:residual/three-remedies", "card:residual/post-vs-pre-ln")
    demo = "pre_post_ln"
    requires = ("stream_scale.normalized_branch",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        branch = rng.choice((0.25, 0.5, 1.0, 2.0, 4.0) if level == 1 else (0.3, 0.6, 0.7, 1.2))
        if level == 1:  # the answer is 1 / root
            times, root = rng.integer(2, 8), rng.integer(3, 6)
            return Params(root**2 - times, times * branch, branch)
        return Params(rng.integer(3, 30), rng.choice((0.8, 1.5, 2.5, 4.5)), branch)

    def prompt(self, p: Params) -> str:
        return (
            f"In a network of pre-norm blocks $x + F(\\text{{norm}}(x))$ the stream starts with the variance "
            f"${en.tex(p.start)}$, and every branch adds an output of variance ${en.tex(p.branch)}$; all "
            "means are 0, and the outputs are uncorrelated with the stream. The stream has already passed "
            f"${p.depth}$ blocks.\n\n"
            "By what share of its size does the next block change it: what is the RMS of that block's branch "
            "output, divided by the RMS of the stream that enters the block?"
        )

    def solve(self, p: Params) -> float:
        return sqrt(p.branch / (p.start + p.depth * p.branch))

    def oracle(self, p: Params, torch: Any) -> Any:
        # The two parts of a complex number are two features; a quarter turn is uncorrelated with its input.
        stream = torch.tensor(p.start, dtype=torch.float64).sqrt() + 0j
        for _ in range(p.depth):
            stream = stream + sqrt(p.branch) * 1j * stream / stream.abs()
        return torch.tensor(p.branch, dtype=torch.float64).sqrt() / stream.abs()

    def misconceptions(self, p: Params) -> en.Slips:
        entering = p.start + p.depth * p.branch
        yield en.Misconception(
            "root_missing",
            p.branch / entering,
            "That is the ratio of the variances; the ratio of the RMS values is its root.",
        )
        yield en.Misconception(
            "norm_holds_stream",
            sqrt(p.branch / p.start),
            "That is the change by the first block; the stream grows, so each later block changes it by "
            "less.",
        )
        yield en.Misconception(
            "inverse_depth",
            1 / p.depth,
            r"That is $1/l$ after $l$ blocks; as variances add, the RMS of the stream grows like $\sqrt l$, "
            r"and the share falls like $1/\sqrt l$.",
        )
        yield en.Misconception(
            "rms_added",
            sqrt(p.branch) / (sqrt(p.start) + p.depth * sqrt(p.branch)),
            "That adds up the RMS of all branches for the stream; uncorrelated terms add their variances.",
        )
        yield en.Misconception(
            "one_step_too_many",
            sqrt(p.branch / (entering + p.branch)),
            "That divides by the stream that leaves the block; the stream that enters it was asked for.",
        )
        yield en.Misconception(
            "start_forgotten",
            1 / sqrt(p.depth),
            "That builds the stream from the branches alone; the variance of the input is in it too.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "How large has the stream become by then? Each block has added the same variance.",
            r"$\frac{\text{RMS}(F)}{\text{RMS}(x)} = \sqrt{\frac{\text{Var}(F)}{\text{Var}(x)}}$, where "
            r"$\text{Var}(x)$ is that of the input plus one branch variance per block passed.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        entering = p.start + p.depth * p.branch
        return (
            en.Step("Variance of the stream that enters", "entering", "start + depth*branch", entering),
            en.Step("Ratio of the variances", "ratio", "branch/entering", p.branch / entering),
            en.Step("Ratio of the RMS values: the root", "change", "sqrt(ratio)", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        branch = en.plain(p.branch)
        return f"sqrt({branch}/({en.plain(p.start)} + {p.depth}*{branch}))"


FAMILY = RelativeChange()
