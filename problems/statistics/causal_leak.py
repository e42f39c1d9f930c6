"""How many foreign numbers a token sees through BatchNorm's statistics."""

from dataclasses import dataclass
from math import prod
from typing import Any

from studynorm import engine as en

LARGEST = 2**20


@dataclass(frozen=True, slots=True)
class Params:
    shape: tuple[int, ...] = en.shape("the number of sequences and of time steps, (B, T)", 2)
    index: int = en.whole("the token's time step, counted from 1", low=1, high=LARGEST)


SLIPS = (
    "own_sequence_only",
    "present_counted_as_future",
    "own_sequence_left_out",
    "own_sequence_counted",
    "same_step_only",
)


class CausalLeak(en.Family[Params]):
    title = "What BatchNorm leaks into a token"
    catalogue = "C9"
    given = Params
    kind = en.Integers(labels=("values from later time steps", "values from other sequences"))
    levels = {1: en.Level(*SLIPS), 2: en.Level(*SLIPS)}
    covers = ("batchnorm-future-leak", "batch-coupling")
    cards = (
        "card:statistics/future-leak",
        "card:statistics/why-not-batchnorm-in-transformers",
        "card:statistics/only-batchnorm-couples",
    )
    requires = ("statistics.batchnorm_count",)

    def draw(self, level: int, rng: en.Rng) -> Params:
        if level == 1:
            batch, steps = rng.choice((3, 4, 5, 8, 10)), rng.choice((8, 10, 12, 16, 20))
        else:
            batch, steps = rng.choice((12, 16, 24, 32, 48)), rng.choice((50, 64, 100, 128, 200, 256))
        return Params((batch, steps), rng.integer(2, steps - 2))

    def validate(self, p: Params) -> None:
        if prod(p.shape) > LARGEST:
            raise en.Refused("shape", f"at most 2^20 = {LARGEST} tokens are tried here, not {prod(p.shape)}")
        if prod(p.shape) == 1:
            raise en.Refused("shape", "BatchNorm in training needs more than one token")
        if p.index > p.shape[1]:
            raise en.Refused("index", f"a time step from 1 to {p.shape[1]} is wanted, not {p.index}")

    def prompt(self, p: Params) -> str:
        return (
            "A causal language model normalizes each feature with BatchNorm in training mode, over all "
            f"sequences and time steps: the batch has $(B, T) = {en.tex(p.shape)}$. Take one feature of one "
            f"token, at time step ${en.tex(p.index)}$ (counted from 1) of its sequence; all values of this "
            "feature share one mean. Give two whole numbers, in this order:\n\n"
            "1. how many of these values lie at later time steps, in any sequence\n"
            "2. how many of these values belong to other sequences, at any time step"
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        batch, steps = p.shape
        return batch * (steps - p.index), (batch - 1) * steps

    def oracle(self, p: Params, torch: Any) -> Any:
        batch, steps = p.shape
        x = torch.randn(batch, 1, steps, dtype=torch.float64, requires_grad=True)
        out = torch.nn.BatchNorm1d(1, dtype=torch.float64)(x)
        (influence,) = torch.autograd.grad(out[0, 0, p.index - 1], x)
        seen = influence[:, 0] != 0
        return seen[:, p.index :].sum().item(), seen[1:].sum().item()

    def misconceptions(self, p: Params) -> en.Slips:
        batch, steps = p.shape
        later, foreign = self.solve(p)
        yield en.Misconception(
            "own_sequence_only",
            (steps - p.index, foreign),
            "Later values: that is $T - t$, the token's own sequence; the mean takes all $B$ sequences.",
        )
        yield en.Misconception(
            "present_counted_as_future",
            (batch * (steps - p.index + 1), foreign),
            "Later values: that counts the time step $t$ itself; later ones are $t + 1$ to $T$.",
        )
        yield en.Misconception(
            "own_sequence_left_out",
            ((batch - 1) * (steps - p.index), foreign),
            "Later values: that leaves out the token's own sequence, whose future is in the mean as well.",
        )
        yield en.Misconception(
            "own_sequence_counted",
            (later, batch * steps),
            "Other sequences: that is $BT$, all values; $T$ of them belong to the token's own sequence.",
        )
        yield en.Misconception(
            "same_step_only",
            (later, batch - 1),
            "Other sequences: that is $B - 1$, one value each; all $T$ time steps of each are in the mean.",
        )

    def hints(self, p: Params) -> tuple[str, ...]:
        return (
            "Picture the values of this feature as a table: one row per sequence, one column per time step.",
            "The mean takes the whole table of $B T$ values. Which columns come later? Which rows are "
            "other sequences?",
        )

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        later, foreign = self.solve(p)
        return (
            en.Step("Later time steps: T − t", "steps", "entry(shape, 2) - index", p.shape[1] - p.index),
            en.Step("In all B sequences", "later", "entry(shape, 1)*steps", later),
            en.Step(
                "The other B − 1 sequences, all T steps of each",
                "foreign",
                "(entry(shape, 1) - 1)*entry(shape, 2)",
                foreign,
            ),
            en.Step("Both", "counts", "(later, foreign)", (later, foreign)),
        )


FAMILY = CausalLeak()
