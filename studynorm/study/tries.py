"""What happens to an open problem: judged, helped, written down; and which rating the evidence suggests.

Shared by the review and the drill, which differ in what they do afterwards.
"""

from dataclasses import replace
from typing import Any

from studynorm.engine.attempt import Attempt
from studynorm.engine.grading import Outcome, Verdict, grade
from studynorm.engine.transport import dumps
from studynorm.engine.variant import Variant
from studynorm.scheduling.rating import Rating
from studynorm.study.situation import CardPrompt, ProblemPrompt, Situation

WRONG_REVEALS = 2
"""After so many wrong answers the solution is shown."""


def judged(prompt: ProblemPrompt, text: str) -> tuple[ProblemPrompt, Verdict]:
    """Return the prompt after a typed answer and the verdict; the prompt is the same where nothing counts.

    Words that are not judged close the problem and show the model answer.
    """
    verdict = grade(prompt.variant, text)
    if not verdict.kept:
        return prompt, verdict
    prompt = replace(prompt, verdicts=(*prompt.verdicts, verdict))
    lost = prompt.wrong >= WRONG_REVEALS
    return replace(prompt, solution_shown=lost or prompt.unjudged, revealed=lost), verdict


def is_readable(prompt: ProblemPrompt, text: str) -> bool:
    """Tell whether a text would be judged at all."""
    return grade(prompt.variant, text).outcome is not Outcome.MALFORMED


def hinted(prompt: ProblemPrompt) -> ProblemPrompt | None:
    """Return the prompt with its next hint shown; None where it is closed or has no further one."""
    ladder = prompt.variant.ladder
    if prompt.closed or len(prompt.hints) >= len(ladder):
        return None
    return replace(prompt, hints=(*prompt.hints, ladder[len(prompt.hints)]))


def shown(prompt: ProblemPrompt) -> ProblemPrompt:
    """Return the prompt with its solution shown; while it is open, looking counts as not knowing."""
    return replace(prompt, solution_shown=True, revealed=prompt.revealed or not prompt.closed)


def can_be_rated(situation: Situation) -> bool:
    """Tell whether a rating would be taken: the answer of a card was shown, or a problem was tried."""
    if isinstance(situation, CardPrompt):
        return situation.revealed
    return isinstance(situation, ProblemPrompt) and (situation.closed or bool(situation.verdicts))


def suggestion(situation: Situation) -> Rating | None:
    """Return the rating that the evidence suggests for a problem; None for a card and for unjudged words."""
    if not isinstance(situation, ProblemPrompt) or not can_be_rated(situation) or situation.unjudged:
        return None
    if situation.solved:
        return Rating.HARD if situation.hints or situation.wrong else Rating.GOOD
    return Rating.AGAIN


def statement(variant: Variant) -> str:
    """Return what makes two variants of a family one statement: the parameters, as an Attempt has them."""
    return dumps(dict(variant.params))


def attempt_at(prompt: ProblemPrompt, text: str, verdict: Verdict, at: int) -> Attempt:
    """Return a typed answer with all that a replay needs; `prompt` is as it was before the answer.

    Where an answer is picked, the truth and the slips are kept as they would have been typed, since
    letters mean what they meant on that screen.
    """
    variant = prompt.variant
    slips = [
        {
            "id": slip.id,
            "value": _kept(variant, slip.value),
            "why": slip.why,
            "distinguishable": slip.distinguishable,
        }
        for slip in variant.misconceptions
    ]
    return Attempt(
        item=prompt.item,
        family=variant.family,
        version=variant.version,
        level=variant.level,
        seed=variant.seed or 0,
        prompt=variant.question,
        params=statement(variant),
        answer=dumps(_kept(variant, variant.answer)),
        misconceptions=dumps(slips),
        typed=text,
        verdict=verdict.outcome.value,
        misconception="+".join(slip.id for slip in verdict.misconceptions) or None,
        hints=len(prompt.hints),
        revealed=prompt.revealed,
        at=at,
    )


def _kept(variant: Variant, value: Any) -> Any:
    typed = variant.kind.typed(value)
    return value if typed is None else typed
