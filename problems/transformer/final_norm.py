"""What the final norm of a pre-norm model does to the logits."""

import math
from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks, of two branches each", low=1, high=200)
    start: float = en.scalar("the variance of the token that enters the first block", 1.0, above=0.0)
    branch: float = en.scalar("the variance of every branch's output", 1.0, above=0.0)
    query: float = en.scalar("the logit of the variant that is given", 1.0)
    asked: str = en.option("which logit is asked for", ("without", "with"), "without")


SLIPS = (
    "norm_holds_stream",
    "root_missing",
    "one_branch_per_block",
    "start_forgotten",
    "inverted",
    "rms_added",
)


class FinalNorm(en.Family[Params]):
    title = "Logits with and without the final norm"
    catalogue = "I3"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("final-norm", "normalized-branch-linear-variance")
    cards = ("card:residual/post-vs-pre-ln", "card:residual/three-remedies")
    demo = "pre_post_ln"
    requires = ("stream_scale.normalized_branch",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        asked = rng.choice(("without", "with"))
        query = rng.choice((-3.0, -2.0, 2.0, 3.0, 4.0, 5.0))
        if level == 1:
            while True:
                first, each, root = rng.integer(1, 9), rng.integer(1, 3), rng.integer(3, 9)
                depth, rest = divmod(root**2 - first, 2 * each)
                if depth >= 2 and rest == 0:
                    query = query if asked == "without" else query * root
                    return Params(depth, float(first), float(each), query, asked)
        start, branch = rng.choice((0.8, 1.5, 2.5, 4.5)), rng.choice((0.2, 0.3, 0.7, 1.2))
        scale = 4 if asked == "with" else 1
        return Params(rng.integer(4, 48), start, branch, scale * (query + 0.5), asked)

    def prompt(self, p: Params) -> str:
        given, asked = ("with", "without") if p.asked == "without" else ("without", "with")
        return (
            f"A token enters a pre-LN transformer with mean 0 and the variance ${en.tex(p.start)}$ over its "
            f"features. It passes blocks, ${p.depth}$ of them, with two branches each (attention, "
            f"feed-forward). Every branch adds an output with mean 0 and the variance ${en.tex(p.branch)}$, "
            "uncorrelated with the stream. Then come the final LayerNorm ($\\gamma = 1$, $\\beta = 0$, "
            f"$\\varepsilon = 0$) and a head that is linear without a bias.\n\nWith the same weights, one "
            f"logit is ${en.tex(p.query)}$ {given} the final norm. What is it {asked} the final norm?"
        )

    def solve(self, p: Params) -> float:
        return turned(p, math.sqrt(variance(p)))

    def oracle(self, p: Params, torch: Any) -> Any:
        # A quarter turn between two patterns of mean 0 and mean square 1 is uncorrelated with its input.
        one = torch.tensor([1.0, -1.0, 1.0, -1.0], dtype=torch.float64)
        other = torch.tensor([1.0, 1.0, -1.0, -1.0], dtype=torch.float64)
        turn = (torch.outer(other, one) - torch.outer(one, other)) / 4

        def norm(x: Any) -> Any:
            return torch.nn.functional.layer_norm(x, (4,), eps=0.0)

        stream = math.sqrt(p.start) * one
        for _ in range(2 * p.depth):
            stream = stream + math.sqrt(p.branch) * (turn @ norm(stream))
        seen, asked = norm(stream), stream
        if p.asked == "with":
            seen, asked = asked, seen
        head = p.query * seen / seen.dot(seen)
        return head.dot(asked)

    def misconceptions(self, p: Params) -> en.Slips:
        total = variance(p)
        yield en.Misconception(
            "norm_holds_stream",
            p.query,
            "That says that the norm changes nothing; the norms inside the blocks stand in the branches, and "
            "the stream itself has grown.",
        )
        yield en.Misconception(
            "root_missing",
            turned(p, total),
            "That takes the variance of the stream; the norm divides by its root.",
        )
        yield en.Misconception(
            "one_branch_per_block",
            turned(p, math.sqrt(p.start + p.depth * p.branch)),
            "That counts one branch per block; attention and feed-forward both add to the stream.",
        )
        yield en.Misconception(
            "start_forgotten",
            turned(p, math.sqrt(total - p.start)),
            "That counts the branches alone; the skip carries the variance of the input to the end.",
        )
        yield en.Misconception(
            "inverted",
            turned(p, 1 / math.sqrt(total)),
            "That is the wrong way round: the final norm divides the stream by its standard deviation.",
        )
        yield en.Misconception(
            "rms_added",
            turned(p, math.sqrt(p.start) + 2 * p.depth * math.sqrt(p.branch)),
            "That adds up standard deviations; uncorrelated terms add their variances.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "How large is the stream at the end? A head without a bias passes a factor on to the logit.",
            r"Variances of uncorrelated terms add: $\sigma^2 = v_0 + 2Lv$ after $L$ blocks of two branches. "
            r"The final norm divides by $\sigma$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        total = variance(p)
        sign, text = ("*", "Without the norm") if p.asked == "without" else ("/", "With the norm")
        return (
            en.Step(
                "Variance of the stream at the end: two branches per block",
                "var",
                "start + 2*depth*branch",
                total,
            ),
            en.Step("The final norm divides by its root", "sigma", "sqrt(var)", math.sqrt(total)),
            en.Step(f"{text}, the head being linear", "logit", f"query{sign}sigma", self.solve(p)),
        )

    def exact(self, p: Params) -> str:
        root = f"sqrt({en.plain(p.start)} + {2 * p.depth}*{en.plain(p.branch)})"
        return f"({en.plain(p.query)}){'*' if p.asked == 'without' else '/'}{root}"


def variance(p: Params) -> float:
    """Return the variance of the stream before the final norm."""
    return p.start + 2 * p.depth * p.branch


def turned(p: Params, sigma: float) -> float:
    """Return the logit that is asked for, where the final norm divides by `sigma`."""
    return p.query * sigma if p.asked == "without" else p.query / sigma if sigma else math.nan


FAMILY = FinalNorm()
