"""The forgetting curve of FSRS-6 as a bare function: far quicker than a memory at a time through py-fsrs."""

from collections.abc import Callable, Sequence

_DECAY = 20  # the place of the decay among the weights
_AT_STABILITY = 0.9  # the recall after as many days as the stability says


def forgetting_curve(weights: Sequence[float]) -> Callable[[float, int], float]:
    """Return what predicts recall, 0 to 1, from a stability in days and the study days since the review.

    `weights` are the 21 of FSRS-6. Days before the review count as none.
    """
    decay = -float(weights[_DECAY])
    factor: float = _AT_STABILITY ** (1 / decay) - 1

    def recall(stability: float, days: int) -> float:
        return (1.0 + factor * days / stability) ** decay if days > 0 else 1.0

    return recall
