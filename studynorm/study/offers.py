"""What there is to turn to: from a wrong answer to its card and what is easier, from a card to what it names.

Separate from the sessions, as the review, the drill and `problem grade` offer the same things.
"""

from dataclasses import dataclass, replace
from typing import Literal

from studynorm.content.card import Card
from studynorm.engine.variant import Variant
from studynorm.study.catalogue import Catalogue
from studynorm.study.situation import CardPrompt, ProblemPrompt


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


def easier(prompt: CardPrompt | ProblemPrompt, catalogue: Catalogue) -> Offer | None:
    """Return the one thing to turn to where an item is too hard as it is; None where there is nothing.

    Of a problem that is its twin, else what it builds on, else its card; of a card, the first card that it
    names, else the first family, at level 1.
    """
    kinds: tuple[str, ...] = ("card", "family")
    if isinstance(prompt, ProblemPrompt):
        found, kinds = offers(prompt.variant), ("twin", "basis", "card")
    else:
        found = card_links(prompt.card)
    there = [offer for offer in found if offer.kind in kinds and is_there(offer, catalogue)]
    best = min(there, key=lambda offer: kinds.index(offer.kind), default=None)
    return replace(best, level=1) if best is not None and best.kind == "family" else best


def is_there(offer: Offer, catalogue: Catalogue) -> bool:
    """Tell whether the card or family of an offer is in a catalogue; a card may be named without a mark."""
    return offer.id in catalogue.candidates or catalogue.library.card(offer.id) is not None
