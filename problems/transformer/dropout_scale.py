"""What dropout does to the entries of a vector, in training and in eval mode."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from studynorm import engine as en


@dataclass(frozen=True, slots=True)
class Params:
    x: en.Vec = en.vector("the input of the dropout layer")
    mask: en.Vec = en.vector("1 for an entry that is kept, 0 for one that is dropped", like="x", fill=1.0)
    p: float = en.scalar("the probability p of dropping an entry", 0.5, low=0.0, high=0.99)
    mode: str = en.option("the mode of the layer", ("training", "eval"), "training")


TRAINING = ("no_rescale", "scaled_by_keep", "divided_by_drop", "drop_ignored")
EVAL = ("training_in_eval", "scaled_by_keep", "rescaled_in_eval", "no_rescale")


class DropoutScale(en.Family[Params]):
    title = "Dropout of a vector"
    catalogue = "I8"
    given = Params
    kind = en.Vector()
    levels = {1: en.Level(*TRAINING), 2: en.Level(*TRAINING), 3: en.Level(*EVAL)}
    covers = ("dropout-scale", "dropout-eval")
    cards = ("card:residual/dropout-place",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        size = rng.integer(3, 5)
        x = tuple(float(value) for value in rng.sample([*range(-6, 0), *range(1, 10)], size))
        dropped = set(rng.sample(range(size), rng.integer(1, size - 2)))
        mask = tuple(float(at not in dropped) for at in range(size))
        p = rng.choice((0.2, 0.75, 0.8) if level == 1 else (0.1, 0.3, 0.4, 0.6, 0.7))
        return Params(x, mask, p, "eval" if level == 3 else "training")

    def validate(self, p: Params) -> None:
        if not set(p.mask) <= {0.0, 1.0}:
            raise en.Refused("mask", "only 1 (kept) and 0 (dropped) are wanted")
        if p.p == 0 and 0.0 in p.mask:
            raise en.Refused("mask", "with p = 0 no entry is ever dropped")

    def prompt(self, p: Params) -> str:
        share, mask = f"$p = {en.tex(p.p)}$", f"$m = {en.tex(p.mask)}$ (1: kept, 0: dropped)"
        if p.mode == "training":
            return (
                f"`Dropout` with {share}, the probability of dropping an entry, is in training mode and gets "
                f"$x = {en.tex(p.x)}$. This time it draws the mask {mask}.\n\nWhat is its output?"
            )
        return (
            f"In its last training step `Dropout` with {share}, the probability of dropping an entry, drew "
            f"the mask {mask}. Then the model was put into eval mode.\n\nWhat does the layer now make of "
            f"$x = {en.tex(p.x)}$?"
        )

    def solve(self, p: Params) -> en.Vec:
        return p.x if p.mode == "eval" else kept(p, 1 / (1 - p.p))

    def oracle(self, p: Params, torch: Any) -> Any:
        x, mask = (torch.tensor(values, dtype=torch.float64) for values in (p.x, p.mask))
        if p.mode == "eval":
            return torch.nn.Dropout(p.p).eval()(x)
        # Thousands of draws: of every entry that is to be kept, one draw that kept it.
        draws = torch.nn.functional.dropout(x.expand(4096, -1), p.p)
        survivors = draws.gather(0, draws.abs().argmax(0, keepdim=True))[0]
        return torch.where(mask == 1, survivors, torch.nn.functional.dropout(x, 1.0))

    def misconceptions(self, p: Params) -> en.Slips:
        training, keep = p.mode == "training", 1 - p.p
        yield en.Misconception(
            "no_rescale",
            kept(p, 1.0),
            "That drops entries without making up for it; those that stay are divided by $1 - p$."
            if training
            else "That still uses the last mask; in eval mode nothing is dropped.",
        )
        yield en.Misconception(
            "scaled_by_keep",
            kept(p, keep) if training else tuple(keep * value for value in p.x),
            "That multiplies by $1 - p$; the kept entries are divided by it, so that the mean stays."
            if training
            else "That multiplies by $1 - p$ in eval mode, as in the first paper; PyTorch divides in "
            "training instead and leaves eval alone.",
        )
        if training:
            yield en.Misconception(
                "divided_by_drop",
                en.divided(kept(p, 1.0), p.p),
                "That divides by $p$, the share that is dropped; it is $1 - p$, the share that stays.",
            )
            yield en.Misconception(
                "drop_ignored",
                tuple(value / keep for value in p.x),
                "That keeps every entry; those with mask 0 become 0.",
            )
        else:
            yield en.Misconception(
                "training_in_eval",
                kept(p, 1 / keep),
                "That is the training step again; in eval mode dropout does nothing.",
            )
            yield en.Misconception(
                "rescaled_in_eval",
                tuple(value / keep for value in p.x),
                "That divides by $1 - p$, which makes up for dropped entries; in eval mode none is dropped.",
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        if p.mode == "eval":
            return (
                "Which of the two modes is the random one?",
                "PyTorch rescales while training, so that eval mode has nothing to make up for.",
            )
        return (
            "Dropping would shrink the mean of every entry. How does the layer make up for that?",
            r"An entry stays with probability $1 - p$. If it stays it becomes $\frac{x_i}{1 - p}$.",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        if p.mode == "eval":
            return (
                en.Step("In eval mode dropout is the identity; mask and p play no part", "y", "1*x", p.x),
            )
        return (
            en.Step("The factor that makes up for the dropped entries", "factor", "1/(1 - p)", 1 / (1 - p.p)),
            en.Step("Kept entries times that, dropped ones 0", "y", "factor*mask*x", self.solve(p)),
        )

    def exact(self, p: Params) -> str | None:
        factor = 1 / (1 - Fraction(repr(p.p)))
        text = ", ".join(
            str(m * factor * Fraction(repr(x))) for x, m in zip(p.x, map(int, p.mask), strict=True)
        )
        text = en.plain(p.x) if p.mode == "eval" else f"({text})"
        return text if len(text) <= 200 else None


def kept(p: Params, factor: float) -> en.Vec:
    """Return the kept entries times `factor`, the dropped ones as 0."""
    return tuple(factor * value if keep else 0.0 for value, keep in zip(p.x, p.mask, strict=True))


FAMILY = DropoutScale()
