"""Questions about the ideas, with a reply to every option; they are written in `choices.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studynorm import engine as en

QUESTIONS = {
    question["id"]: question
    for question in tomllib.loads(Path(__file__).with_name("choices.toml").read_text("utf-8"))["question"]
}
PLACES = {name: at % 4 for at, name in enumerate(QUESTIONS)}
"""Where the right option stands in the author's order, so that unshuffled ones do not give it away."""


@dataclass(frozen=True, slots=True)
class Params:
    question: str = en.option("which question", tuple(QUESTIONS), next(iter(QUESTIONS)))


def of_level(level: int) -> tuple[str, ...]:
    """Return the questions of a level."""
    return tuple(name for name, question in QUESTIONS.items() if question["level"] == level)


class Choose(en.Family[Params]):
    title = "Choose the sound answer"
    catalogue = "L1"
    given = Params
    kind = en.Choice()
    levels = {level: en.Level(distinct=len(of_level(level))) for level in (1, 2, 3)}
    covers = (
        "why-not-batchnorm-in-transformers",
        "tiny-batches",
        "warmup",
        "why-thousand-layers-train",
        "groupnorm-extremes",
        "bias-before-batchnorm",
        "frozen-batchnorm",
        "final-norm",
        "weight-decay-equilibrium",
        "late-blocks-change-less",
        "deepnorm",
        "gpt2-residual-init",
        "deleting-residual-blocks",
        "dropout-on-branch",
        "dynamic-tanh",
        "adaln-zero",
        "covariate-shift-doubted",
        "batchnorm-noise-fades",
        "degradation",
        "zero-init-starts-as-identity",
        "sync-batchnorm-cost",
        "rmsnorm-invariance",
        "eval-mode",
        "eval-is-affine",
        "effective-learning-rate",
        "batchnorm-future-leak",
        "affine-can-undo",
        "input-gradient-sum-zero",
        "running-statistics-memory",
    )
    cards = (
        "card:statistics/why-not-batchnorm-in-transformers",
        "card:running_stats/frozen-parameters",
        "card:residual/three-remedies",
        "card:residual/post-vs-pre-ln",
    )
    arithmetic_only = True

    def kind_of(self, p: Params) -> en.Choice:
        question = QUESTIONS[p.question]
        options = [option["text"] for option in question["wrong"]]
        options.insert(PLACES[p.question], question["right"])
        return en.Choice(options=tuple(options))

    def draw(self, level: int, rng: en.Rng) -> Params:
        return Params(rng.choice(of_level(level)))

    def prompt(self, p: Params) -> str:
        return str(QUESTIONS[p.question]["ask"])

    def solve(self, p: Params) -> int:
        return PLACES[p.question]

    def oracle(self, p: Params, torch: Any) -> int:
        # There is nothing to run: the right option is found again by its text.
        return self.kind_of(p).options.index(QUESTIONS[p.question]["right"])

    def misconceptions(self, p: Params) -> en.Slips:
        options = self.kind_of(p).options
        for option in QUESTIONS[p.question]["wrong"]:
            yield en.Misconception(option["id"], options.index(option["text"]), option["why"])

    def hints(self, p: Params) -> tuple[str, ...]:
        return tuple(QUESTIONS[p.question]["hints"])

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        question = QUESTIONS[p.question]
        return en.Step(question["right"]), en.Step(question["why"])


FAMILY = Choose()
