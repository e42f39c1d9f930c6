"""Proofs and derivations whose steps are to be put in order; they are written in `orders.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studynorm import engine as en

ARGUMENTS = {
    argument["id"]: argument
    for argument in tomllib.loads(Path(__file__).with_name("orders.toml").read_text("utf-8"))["argument"]
}


@dataclass(frozen=True, slots=True)
class Params:
    question: str = en.option("which argument", tuple(ARGUMENTS), next(iter(ARGUMENTS)))


def of_level(level: int) -> tuple[str, ...]:
    """Return the arguments of a level."""
    return tuple(name for name, argument in ARGUMENTS.items() if argument["level"] == level)


class OrderSteps(en.Family[Params]):
    title = "Put an argument in order"
    catalogue = "L2"
    given = Params
    kind = en.Order()
    levels = {level: en.Level(distinct=len(of_level(level))) for level in (1, 2)}
    covers = (
        "backward-derivation",
        "input-gradient-sum-zero",
        "identity-path",
        "fold-batchnorm-linear",
        "sgd-norm-never-falls",
        "stream-variance-doubles",
        "late-blocks-change-less",
        "gradient-orthogonal-to-weights",
        "jacobian-expansion",
        "normalized-branch-linear-variance",
        "eval-is-affine",
        "batchnorm-forward",
    )
    cards = ("card:backward/why-sum-zero", "card:residual/stack-jacobian", "card:running_stats/folding")
    arithmetic_only = True

    def kind_of(self, p: Params) -> en.Order:
        argument = ARGUMENTS[p.question]
        return en.Order(steps=(*argument["steps"], *(decoy["text"] for decoy in argument["decoys"])))

    def draw(self, level: int, rng: en.Rng) -> Params:
        return Params(rng.choice(of_level(level)))

    def prompt(self, p: Params) -> str:
        argument = ARGUMENTS[p.question]
        return (
            f"{argument['ask']}\n\nPut the {len(argument['steps'])} steps of this argument in order. One of "
            "those below is wrong and stays out."
        )

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(range(len(ARGUMENTS[p.question]["steps"])))

    def oracle(self, p: Params, torch: Any) -> tuple[int, ...]:
        # There is nothing to run: the steps are found again by their text.
        return tuple(self.kind_of(p).steps.index(step) for step in ARGUMENTS[p.question]["steps"])

    def misconceptions(self, p: Params) -> en.Slips:
        right = self.solve(p)
        for place, decoy in enumerate(ARGUMENTS[p.question]["decoys"], len(right)):
            at = decoy["instead_of"] - 1
            yield en.Misconception(decoy["id"], (*right[:at], place, *right[at + 1 :]), decoy["why"])

    def hints(self, p: Params) -> tuple[str, ...]:
        return tuple(ARGUMENTS[p.question]["hints"])

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        argument = ARGUMENTS[p.question]
        right = tuple(en.Step(step) for step in argument["steps"])
        return (
            *right,
            *(en.Step(f"Left out: {decoy['text']} {decoy['why']}") for decoy in argument["decoys"]),
        )


FAMILY = OrderSteps()
