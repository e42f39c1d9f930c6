"""Things that belong together, to be matched; they are written in `matches.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studynorm import engine as en

SETS = {
    pairs["id"]: pairs
    for pairs in tomllib.loads(Path(__file__).with_name("matches.toml").read_text("utf-8"))["set"]
}


@dataclass(frozen=True, slots=True)
class Params:
    question: str = en.option("which set", tuple(SETS), next(iter(SETS)))


def of_level(level: int) -> tuple[str, ...]:
    """Return the sets of a level."""
    return tuple(name for name, pairs in SETS.items() if pairs["level"] == level)


class MatchPairs(en.Family[Params]):
    title = "Match what belongs together"
    catalogue = "L3"
    given = Params
    kind = en.Match()
    levels = {level: en.Level(distinct=len(of_level(level))) for level in (1, 2)}
    covers = (
        "batchnorm-group",
        "which-model-uses-which-norm",
        "layernorm-group",
        "groupnorm-group",
        "instancenorm-group",
        "fixup-init",
        "rezero",
        "two-removed-components",
        "normalized-branch-linear-variance",
        "layernorm-parameter-count",
        "rmsnorm-parameter-saving",
        "instancenorm-defaults",
        "running-statistics-count",
        "zero-init-starts-as-identity",
        "gpt2-residual-init",
        "deepnorm",
        "stream-variance-doubles",
        "root-depth-branch-scale",
        "eval-backward",
        "one-removed-component",
        "final-norm",
        "momentum-convention",
        "train-eval-difference",
        "batchnorm-future-leak",
    )
    cards = (
        "card:statistics/batchnorm-image-group",
        "card:residual/three-remedies",
        "card:backward/two-removed-components",
    )
    arithmetic_only = True

    def kind_of(self, p: Params) -> en.Match:
        pairs = SETS[p.question]["pairs"]
        left, right = (tuple(pair[side] for pair in pairs) for side in (0, 1))
        return en.Match(left=left, right=(*right, *SETS[p.question]["extra"]))

    def draw(self, level: int, rng: en.Rng) -> Params:
        return Params(rng.choice(of_level(level)))

    def prompt(self, p: Params) -> str:
        return f"{SETS[p.question]['ask']} (One of the lettered lines fits nowhere.)"

    def solve(self, p: Params) -> tuple[int, ...]:
        return tuple(range(len(SETS[p.question]["pairs"])))

    def oracle(self, p: Params, torch: Any) -> tuple[int, ...]:
        # There is nothing to run: the right sides are found again by their text.
        return tuple(self.kind_of(p).right.index(pair[1]) for pair in SETS[p.question]["pairs"])

    def misconceptions(self, p: Params) -> en.Slips:
        right = self.solve(p)
        for slip in SETS[p.question]["slips"]:
            at = slip["at"] - 1
            yield en.Misconception(
                slip["id"], (*right[:at], slip["takes"] - 1, *right[at + 1 :]), slip["why"]
            )

    def hints(self, p: Params) -> tuple[str, ...]:
        return tuple(SETS[p.question]["hints"])

    def solution(self, p: Params) -> tuple[en.Step, ...]:
        return tuple(en.Step(f"{left}: {right}.") for left, right in SETS[p.question]["pairs"])


FAMILY = MatchPairs()
