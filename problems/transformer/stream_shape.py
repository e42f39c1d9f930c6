"""What becomes of a residual addition when the branch returns another shape."""

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from studynorm import engine as en

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Params:
    shape: Sizes = en.shape("the shape (B, T, D) of the stream", 3)
    branch: str = en.option(
        "what the branch does to the shape",
        ("kept", "widened", "one_feature", "one_token", "pooled_kept", "pooled", "time_first"),
        "kept",
    )


SCENES = {
    "kept": "ends in a linear layer back to the width $D$",
    "widened": "lost its last linear layer and stays at the width $4D$",
    "one_feature": "ends in a linear layer with a single output",
    "one_token": "returns its last token alone, as `out[:, -1:]`",
    "pooled_kept": "averages over the tokens with `out.mean(1, keepdim=True)`",
    "pooled": "averages over the tokens with `out.mean(1)`",
    "time_first": "was written for `batch_first=False` and returns its result with axes 0 and 1 swapped",
}
OWN, SHARED, GROWN, RAISED = range(4)
BELIEFS = ("broadcast_accepted", "broadcast_expected", "stream_expected_to_grow", "mismatch_always_raises")


class StreamShape(en.Family[Params]):
    title = "A branch that returns another shape"
    catalogue = "I11"
    given = Params
    kind = en.Choice()
    levels = {1: en.Level(), 2: en.Level()}
    covers = ("branch-keeps-shape",)
    cards = ("card:residual/projection-skip", "card:residual/block-jacobian")

    def kind_of(self, p: Params) -> en.Choice:
        grown = joined(p.shape, returned(p))
        if grown is None or grown == p.shape:
            grown = (p.shape[0] * 2, *p.shape[1:]) if p.branch == "kept" else (p.shape[1], *p.shape[1:])
            if grown == p.shape:
                grown = (p.shape[0] + 1, *p.shape[1:])
        kept = f"It runs and keeps the shape ${en.tex(p.shape)}$;"
        return en.Choice(
            options=(
                f"{kept} every entry of $x$ gets an update of its own.",
                f"{kept} several entries of $x$ share one update.",
                f"It runs, and the result has the shape ${en.tex(grown)}$.",
                "It raises an error, because the shapes do not fit.",
            )
        )

    def draw(self, level: int, rng: en.Rng) -> Params:
        b, t = rng.sample((2, 3, 4, 5, 6, 8, 10, 12, 16), 2)
        d = rng.choice((32, 48, 64, 96, 128, 256))
        if level == 1:
            return Params(
                (b, t, d), rng.choice(("kept", "widened", "one_feature", "pooled_kept", "one_token"))
            )
        if rng.integer(0, 1):
            return Params(rng.choice(((t, t, d), (1, t, d), (b, t, d))), "pooled")
        return Params(rng.choice(((1, t, d), (b, 1, d), (b, t, d))), "time_first")

    def validate(self, p: Params) -> None:
        if p.shape[2] < 2:
            raise en.Refused("shape", "the width D, its last entry, is 2 or more")
        if p.branch == "time_first" and p.shape[0] == p.shape[1]:
            raise en.Refused(
                "shape", "with B = T the swapped shape is the same and nothing shows; take B and T different"
            )
        if p.branch in {"one_token", "pooled_kept"} and p.shape[1] == 1:
            raise en.Refused("shape", "with T = 1 there is one token only; take two or more")
        if p.branch == "pooled" and p.shape[:2] == (1, 1):
            raise en.Refused("shape", "with B = T = 1 there is nothing to share; take more tokens")
        if p.shape[0] * p.shape[1] * p.shape[2] > 2**22:
            raise en.Refused("shape", "at most 4 194 304 entries are wanted")

    def prompt(self, p: Params) -> str:
        return (
            f"The residual stream $x$ has the shape $(B, T, D) = {en.tex(p.shape)}$. The branch $F$ "
            f"{SCENES[p.branch]}, so $F(x)$ has the shape ${en.tex(returned(p))}$.\n\n"
            "What happens in `x = x + F(x)`?"
        )

    def solve(self, p: Params) -> int:
        small, total = returned(p), joined(p.shape, returned(p))
        if total is None:
            return RAISED
        if total != p.shape:
            return GROWN
        return OWN if small == p.shape else SHARED

    def oracle(self, p: Params, torch: Any) -> int:
        # Updates are numbered, so that entries that share one show the same number.
        update = torch.arange(torch.Size(returned(p)).numel()).reshape(returned(p))
        x = torch.zeros(p.shape, dtype=update.dtype)
        try:
            moved = x + update
        except RuntimeError:
            return RAISED
        if moved.shape != x.shape:
            return GROWN
        return OWN if moved.unique().numel() == x.numel() else SHARED

    def misconceptions(self, p: Params) -> en.Slips:
        answer, small = self.solve(p), en.tex(returned(p))
        truth = {
            OWN: "The shapes are equal, so each entry gets its own summand.",
            SHARED: f"Shapes are aligned from the right, and where ${small}$ has the size 1 or no axis, its "
            "numbers are repeated without a warning.",
            GROWN: "An axis of size 1 is stretched in $x$ too, so the sum is larger than the stream was.",
            RAISED: f"Aligned from the right, ${en.tex(p.shape)}$ and ${small}$ differ in an axis where "
            "neither is 1.",
        }[answer]
        for place, belief in enumerate(BELIEFS):
            if place != answer:
                yield en.Misconception(belief, place, truth)

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Write the two shapes above one another, aligned at the right.",
            "In each axis the sizes must be equal or one of them 1 (or missing), and a 1 is stretched. Which "
            "of the two is stretched here?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        total = joined(p.shape, returned(p))
        end = "do not fit, so it raises" if total is None else f"give the shape ${en.tex(total)}$"
        verdict = {
            OWN: "That is the stream's shape, and nothing was stretched.",
            SHARED: "That is the stream's shape, but the branch was stretched: entries share an update, and "
            "nothing tells you.",
            GROWN: "The stream itself was stretched: a bug that shows only later.",
            RAISED: "An error is the good case: the bug shows at once.",
        }[self.solve(p)]
        return (
            en.Step(f"Aligned at the right, ${en.tex(p.shape)}$ and ${en.tex(returned(p))}$ {end}."),
            en.Step(verdict),
        )


def returned(p: Params) -> Sizes:
    """Return the shape of F(x)."""
    b, t, d = p.shape
    return {
        "kept": (b, t, d),
        "widened": (b, t, 4 * d),
        "one_feature": (b, t, 1),
        "one_token": (b, 1, d),
        "pooled_kept": (b, 1, d),
        "pooled": (b, d),
        "time_first": (t, b, d),
    }[p.branch]


def joined(one: Sizes, other: Sizes) -> Sizes | None:
    """Return the shape of a broadcast sum, None where the shapes do not fit."""
    sizes = []
    for a, b in zip_longest(reversed(one), reversed(other), fillvalue=1):
        if a != b and 1 not in (a, b):
            return None
        sizes.append(b if a == 1 else a)
    return tuple(reversed(sizes))


FAMILY = StreamShape()
