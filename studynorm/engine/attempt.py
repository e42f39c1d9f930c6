"""One typed answer with everything needed to replay it, whatever becomes of its family."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """A typed answer to a problem, with the variant as it stood then.

    `prompt` is the whole question with the options it showed. `params`, `answer` and `misconceptions` are
    JSON texts, so that a replay needs neither the family nor its version; where an answer is picked, a
    value is the text by which it would have been typed. `at` is UTC in milliseconds; `hints` is how many
    hints had been shown.
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
