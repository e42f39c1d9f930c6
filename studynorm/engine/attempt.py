"""One typed answer with everything needed to replay it, whatever becomes of its family."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """A typed answer to a problem, with the variant as it stood then.

    `params`, `answer` and `misconceptions` are JSON texts, so that a replay needs neither the family
    nor its version. `at` is UTC in milliseconds; `hints` is how many hints had been shown.
    """

    item: str
    family: str
    version: int
    level: int
    seed: int
    prompt: str
    params: str
    answer: str
    misconceptions: str
    typed: str
    verdict: str
    misconception: str | None
    hints: int
    revealed: bool
    at: int
