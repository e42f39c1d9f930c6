"""How an item is opened in a session: as a card, as a problem, or as a wait for one."""

from collections.abc import Mapping

from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.study.catalogue import Catalogue
from studynorm.study.shelf import Shelf
from studynorm.study.situation import CardPrompt, Pending, ProblemPrompt, stage_of


def opened(
    item: str, memory: Memory | None, catalogue: Catalogue, shelf: Shelf, intervals: Mapping[Rating, str]
) -> CardPrompt | ProblemPrompt | Pending:
    """Return what to show of an item of a catalogue; it is Pending while its variant is not drawn."""
    topic, stage = catalogue.candidates[item].topic, stage_of(memory)
    if not item.startswith("family:"):
        card = catalogue.library.card(item)
        assert card is not None
        return CardPrompt(item, topic, stage, card, item.partition("#")[2] or None, False, intervals)
    variant = shelf.get(item)
    if variant is None:
        return Pending(item, topic, shelf.key(item))
    return ProblemPrompt(item, topic, stage, variant, (), (), False, False, intervals)
