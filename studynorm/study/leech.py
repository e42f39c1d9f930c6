"""Leeches: items that slip again and again, and what helps better than one more repetition."""

from dataclasses import dataclass

from studynorm.scheduling.memory import Review
from studynorm.study.catalogue import Catalogue
from studynorm.study.offers import Offer, easier
from studynorm.study.situation import CardPrompt, ProblemPrompt


@dataclass(frozen=True, slots=True)
class Leech:
    """An item that was just forgotten once too often. `easier` is what to turn to before it, if anything."""

    item: str
    topic: str
    lapses: int
    easier: Offer | None

    @property
    def editable(self) -> bool:
        """Whether it is a card, whose words may be what is wrong."""
        return self.item.startswith("card:")


def is_told(lapses: int, leech_at: int) -> bool:
    """Tell whether a lapse is one to speak of: the `leech_at`-th, and then every half of that again."""
    return lapses >= leech_at and (lapses - leech_at) % -(-leech_at // 2) == 0


def leech_of(
    prompt: CardPrompt | ProblemPrompt, review: Review, leech_at: int, catalogue: Catalogue
) -> Leech | None:
    """Return the leech that a review made of its item; None where it was no lapse, or one like others."""
    before = 0 if review.before is None else review.before.lapses
    lapses = review.after.lapses
    if lapses == before or not is_told(lapses, leech_at):
        return None
    return Leech(prompt.item, prompt.topic, lapses, easier(prompt, catalogue))
