"""What is left of a residual network's paths when blocks are deleted."""

from dataclasses import dataclass
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    depth: int = en.whole("the number of blocks", low=1, high=500)
    deleted: int = en.whole("how many of them are deleted", high=500)
    quantity: str = en.option("what is asked for", ("share", "paths"), "share")


SLIPS = ("linear_share", "plain_stack_broken", "share_lost", "two_to_deleted_lost")


class DeletedBlocks(en.Family[Params]):
    title = "Paths left after deleting blocks"
    catalogue = "G10"
    given = Params
    kind = en.Number()
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("deleting-residual-blocks", "residual-path-count")
    cards = ("card:residual/short-paths", "card:residual/paths-cloze")
    requires = ("residual.paths",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            return Params(rng.integer(5, 20), rng.integer(2, 5), "share")
        return Params(rng.integer(6, 20), rng.integer(2, 6), "paths")

    def validate(self, p: Params) -> None:
        if p.deleted > p.depth:
            raise en.Refused("deleted", f"there are only {p.depth} blocks to delete")

    def prompt(self, p: Params) -> str:
        question = (
            "What share of the paths from input to output is left (a number from 0 to 1)?"
            if p.quantity == "share"
            else "How many paths from input to output are left?"
        )
        return (
            f"A trained residual network has ${p.depth}$ blocks $x_{{k+1}} = x_k + F_k(x_k)$. In "
            f"${p.deleted}$ of them the branch is deleted, so that only the skip remains.\n\n{question}"
        )

    def solve(self, p: Params) -> float:
        return seen(p, 2.0**-p.deleted)

    def oracle(self, p: Params, torch: Any) -> Any:
        # With F(x) = x every path carries 1, so the derivative counts the paths.
        def paths(deleted: int) -> Any:
            start = torch.ones((), dtype=torch.float64, requires_grad=True)
            x = start
            for block in range(p.depth):
                x = x + (0.0 if block < deleted else 1.0) * x
            return torch.autograd.grad(x, start)[0]

        left = paths(p.deleted)
        return left / paths(0) if p.quantity == "share" else left

    def misconceptions(self, p: Params) -> en.Slips:
        yield en.Misconception(
            "linear_share",
            seen(p, 1 - p.deleted / p.depth),
            "That goes by the share of the blocks that are left; each deleted branch halves the number of "
            "paths.",
        )
        yield en.Misconception(
            "plain_stack_broken",
            0.0,
            "That is a plain stack, which breaks when a layer is taken out; here the skips still connect.",
        )
        yield en.Misconception(
            "share_lost",
            seen(p, 1 - 2.0**-p.deleted),
            "That is what is lost; what is left was asked for.",
        )
        yield en.Misconception(
            "two_to_deleted_lost",
            seen(p, 1 - 2.0 ** (p.deleted - p.depth)),
            r"That takes $2^j$ paths away for $j$ deleted blocks; a path survives only if it skips all of "
            "them.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Which of the two choices remains in a block whose branch is deleted?",
            r"With $L$ blocks there are $2^L$ paths; each deleted branch leaves one choice instead of two.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        left = 2.0 ** (p.depth - p.deleted)
        steps = (
            en.Step("Two choices in each block that is left", "paths_left", "2^(depth - deleted)", left),
        )
        if p.quantity == "paths":
            return steps
        return (*steps, en.Step("Of all paths", "share", "paths_left/2^depth", self.solve(p)))

    def exact(self, p: Params) -> str:
        return f"1/2^{p.deleted}" if p.quantity == "share" else f"2^{p.depth - p.deleted}"


def seen(p: Params, share: float) -> float:
    """Return what is asked for, where this share of the paths is left."""
    return share if p.quantity == "share" else share * 2.0**p.depth


FAMILY = DeletedBlocks()
