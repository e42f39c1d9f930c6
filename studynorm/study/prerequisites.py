"""What builds on what: puts a card or family behind the ones that it names as required.

What a family requires is read from its text, as importing all families would take longer than planning
a whole day. Only where a queue is planned is anything read.
"""

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from studynorm.engine.files import family_files
from studynorm.scheduling.queue import Candidate
from studynorm.study.catalogue import Catalogue

_REQUIRES = re.compile(r"^    requires(?::[^=\n]+)? = (\([^()]*\))", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Needs:
    """What comes first: the families that a family requires, and the decks that a deck requires."""

    families: Mapping[str, tuple[str, ...]]
    decks: Mapping[str, tuple[str, ...]]


def needs_of(catalogue: Catalogue) -> Needs:
    """Return what the families and decks of a catalogue require."""
    decks = {deck.id: deck.requires for deck in catalogue.library.decks if deck.requires}
    has_families = any(item.startswith("family:") for topic in catalogue.topics for item in topic.items)
    return Needs(_of_families() if has_families else {}, decks)


def required_families(path: Path) -> tuple[str, ...]:
    """Return the ids that a family file gives as `requires`, without running it; empty where it has none."""
    try:
        found = _REQUIRES.search(path.read_text(encoding="utf-8"))
        value = ast.literal_eval(found[1]) if found else ()
    except (OSError, ValueError, SyntaxError):
        return ()  # a broken file is named where it is loaded; here it costs only its place in the order
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, tuple) else ()


@lru_cache(maxsize=1)
def _of_families() -> Mapping[str, tuple[str, ...]]:
    return {family: required_families(path) for family, path in family_files().items()}


def in_order(items: Sequence[Candidate], needs: Needs) -> tuple[Candidate, ...]:
    """Return the items with each behind those of them that it builds on; otherwise their order stands.

    An item whose needs are not among `items` waits for nothing. A circle is opened at its first item.
    """
    present = {candidate.item for candidate in items}
    left_in_deck = Counter(
        candidate.topic for candidate in items if needs.decks and candidate.item.startswith("card:")
    )
    open_needs: list[int] = []
    waiting: dict[str, list[int]] = {}
    for at, candidate in enumerate(items):
        keys = _needed(candidate, needs, present, left_in_deck)
        open_needs.append(len(keys))
        for key in keys:
            waiting.setdefault(key, []).append(at)
    if not waiting:
        return tuple(items)
    ordered: list[Candidate] = []
    placed = [False] * len(items)

    def place(first: int, before: int) -> None:
        """Place an item and every item before `before` that waited for nothing else."""
        stack = [first]
        while stack:
            at = stack.pop()
            candidate = items[at]
            placed[at] = True
            ordered.append(candidate)
            met = [candidate.item]
            if candidate.item.startswith("card:"):
                left_in_deck[candidate.topic] -= 1
                if not left_in_deck[candidate.topic]:
                    met.append(f"deck:{candidate.topic}")
            freed = [later for key in met for later in waiting.pop(key, ())]
            for later in freed:
                open_needs[later] -= 1
            stack += sorted(
                {later for later in freed if not (open_needs[later] or placed[later]) and later < before},
                reverse=True,
            )

    for at in range(len(items)):
        if not open_needs[at] and not placed[at]:
            place(at, at)
    for at in range(len(items)):
        if not placed[at]:
            place(at, len(items))
    return tuple(ordered)


def _needed(
    candidate: Candidate, needs: Needs, present: set[str], left_in_deck: Mapping[str, int]
) -> set[str]:
    item = candidate.item
    if item.startswith("family:"):
        wanted = (f"family:{family}" for family in needs.families.get(item.removeprefix("family:"), ()))
        return {key for key in wanted if key in present and key != item}
    return {
        f"deck:{deck}"
        for deck in needs.decks.get(candidate.topic, ())
        if deck != candidate.topic and left_in_deck.get(deck, 0)
    }
