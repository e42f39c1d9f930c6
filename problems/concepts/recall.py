"""Explanations and derivations in one's own words, beside a model answer; they stand in `recalls.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studynorm import engine as en

PROMPTS = {
    prompt["id"]: prompt
    for prompt in tomllib.loads(Path(__file__).with_name("recalls.toml").read_text("utf-8"))["prompt"]
}


@dataclass(frozen=True, slots=True)
class Params:
    question: str = en.option("which question", tuple(PROMPTS), next(iter(PROMPTS)))


def of_level(level: int) -> tuple[str, ...]:
    """Return the questions of a level."""
    return tuple(name for name, prompt in PROMPTS.items() if prompt["level"] == level)


class ExplainInWords(en.Family[Params]):
    title = "Explain it in your own words"
    catalogue = "L4"
    given = Params
    kind = en.Recall()
    levels = {level: en.Level(distinct=len(of_level(level))) for level in (1, 2, 3)}
    covers = (
        "batchnorm-forward",
        "biased-variance",
        "batchnorm-group",
        "batchnorm-single-value",
        "layernorm-group",
        "norms-without-modes",
        "rmsnorm-forward",
        "rmsnorm-vs-layernorm",
        "rmsnorm-invariance",
        "running-mean-update",
        "running-variance-update",
        "unbiased-running-variance",
        "momentum-convention",
        "eval-mode",
        "eval-is-affine",
        "mode-switches",
        "no-grad-still-updates",
        "frozen-batchnorm",
        "two-removed-components",
        "one-removed-component",
        "input-gradient-sum-zero",
        "backward-derivation",
        "batchnorm-backward-input",
        "batchnorm-backward-parameters",
        "batchnorm-jacobian",
        "residual-jacobian",
        "jacobian-product-order",
        "jacobian-expansion",
        "identity-path",
        "degradation",
        "why-thousand-layers-train",
        "skip-does-not-prevent-explosion",
        "why-not-batchnorm-in-transformers",
        "layernorm-axis-trap",
        "pre-norm-vs-post-norm",
        "norms-on-the-skip-path",
        "final-norm",
        "warmup",
        "last-layer-gradient-by-depth",
        "pre-norm-tradeoff",
        "zeroed-block",
        "scale-invariant-layers",
        "gradient-orthogonal-to-weights",
        "gradient-inverse-to-norm",
        "sgd-norm-never-falls",
        "effective-learning-rate",
        "stream-variance-doubles",
        "root-depth-branch-scale",
        "stream-remedies",
        "fold-batchnorm-linear",
        "fold-layout",
    )
    cards = (
        "card:batchnorm/forward-pass",
        "card:backward/why-sum-zero",
        "card:residual/stack-jacobian",
        "card:residual/post-vs-pre-ln",
        "card:running_stats/folding",
    )
    requires = ("concepts.choose", "concepts.order")
    arithmetic_only = True

    def draw(self, level: int, rng: en.Rng) -> Params:
        return Params(rng.choice(of_level(level)))

    def prompt(self, p: Params) -> str:
        return str(PROMPTS[p.question]["ask"])

    def solve(self, p: Params) -> str:
        return str(PROMPTS[p.question]["answer"]).strip()

    def oracle(self, p: Params, torch: Any) -> str:
        # Words cannot be run; the model answers are checked by their readers.
        return self.solve(p)

    def misconceptions(self, p: Params) -> en.Slips:
        yield from ()

    def hints(self, p: Params) -> tuple[str, ...]:
        return tuple(PROMPTS[p.question]["hints"])

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return tuple(en.Step(point) for point in PROMPTS[p.question]["points"])


FAMILY = ExplainInWords()
