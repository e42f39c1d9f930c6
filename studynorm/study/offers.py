"""What there is to turn to: from a wrong answer to its card and what is easier, from a card to what it names.

Separate from the sessions, as the review, the drill and `problem grade` offer the same things.
"""

from dataclasses import dataclass
from typing import Literal

from studynorm.content.card import Card
from studynorm.engine.variant import Variant


@dataclass(frozen=True, slots=True)
class Offer:
    """Something to turn to: a card to read, a family to practise at a level, or a demo.

    `id` is `card:…`, `family:…` or `demo:…`; `text` is one plain line for the learner.
    """

    kind: Literal["card", "twin", "basis", "family", "demo"]
    id: str
    level: int | None
    text: str

    @property
    def family(self) -> str:
        """The id of the family that is offered; empty for anything else."""
        return self.id.removeprefix("family:") if self.id.startswith("family:") else ""


def offers(variant: Variant) -> tuple[Offer, ...]:
    """Return what to turn to after a wrong answer: related cards first, then what is easier.

    The twin is the same family at its next lower level; a family that this one builds on is offered at
    level 1.
    """
    cards = (target for target in variant.see if target.startswith("card:"))
    found = [Offer("card", card, None, f"read the card {card.removeprefix('card:')}") for card in cards]
    lower = [level for level in variant.levels if level < variant.level]
    if lower:
        twin = f"the same at level {lower[-1]}"
        found.append(Offer("twin", f"family:{variant.family}", lower[-1], twin))
    found += [
        Offer("basis", f"family:{family}", 1, f"what it builds on: {family}") for family in variant.requires
    ]
    return tuple(found)


def card_links(card: Card) -> tuple[Offer, ...]:
    """Return what a card names under `See:`: other cards, families and demos, in its order."""
    found = []
    for target in card.see:
        kind, _, name = target.partition(":")
        match kind:
            case "card":
                found.append(Offer("card", target, None, f"read the card {name}"))
            case "family":
                found.append(Offer("family", target, None, f"practise {name}"))
            case "demo":
                found.append(Offer("demo", target, None, f"watch the demo {name}"))
    return tuple(found)
