"""Memory by topic: how many items are known how well, and how much of them would be recalled now."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Items by how well they are known: `new` ones have no memory, mature ones a stability of 21 days on.

    `recall` is the mean predicted recall now of those with a memory, 0 to 1; None where there is none.
    """

    new: int = 0
    learning: int = 0
    young: int = 0
    mature: int = 0
    recall: float | None = None

    @property
    def known(self) -> int:
        """The items with a memory."""
        return self.learning + self.young + self.mature


def together(parts: Iterable[Knowledge]) -> Knowledge:
    """Return the knowledge of several topics as one; each item counts alike."""
    found = tuple(parts)
    told = [(part.recall, part.known) for part in found if part.recall is not None and part.known]
    known = sum(count for _, count in told)
    return Knowledge(
        sum(part.new for part in found),
        sum(part.learning for part in found),
        sum(part.young for part in found),
        sum(part.mature for part in found),
        sum(recall * count for recall, count in told) / known if known else None,
    )
