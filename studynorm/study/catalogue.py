"""Every item that can be scheduled, in learning order: the cards of the library and the families."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from studynorm.content.library import Library, load_library
from studynorm.engine.files import family_files
from studynorm.locate import content_root
from studynorm.scheduling.queue import Candidate
from studynorm.topics import TOPICS


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: its id, its title and the ids of its items in learning order."""

    id: str
    title: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The items by id and the topics, both in learning order."""

    library: Library
    candidates: Mapping[str, Candidate]
    topics: tuple[Topic, ...]

    def topic_title(self, topic: str) -> str:
        """Return the title of a topic, or its id where no deck names it."""
        return next((known.title for known in self.topics if known.id == topic), topic)


def open_catalogue(user_decks: Path | None) -> Catalogue:
    """Load the shipped and the user's decks and find the families, without importing any of them.

    Raises `NoDecks` or `NoFamilies` where the installation is incomplete.
    """
    return build_catalogue(load_library(content_root() / "cards", user_decks), family_files())


def build_catalogue(library: Library, families: Iterable[str]) -> Catalogue:
    """Join the cards of a library and the families of the given ids."""
    by_topic: dict[str, list[str]] = {}
    for family in families:
        by_topic.setdefault(family.partition(".")[0], []).append(f"family:{family}")
    titles = {deck.id: deck.title for deck in library.decks}
    order = [*TOPICS, *(deck.id for deck in library.decks if deck.id not in TOPICS)]
    topics = []
    candidates: dict[str, Candidate] = {}
    for topic in order:
        deck = library.deck(topic)
        cards = [item for card in deck.cards for item in card.item_ids] if deck else []
        items = tuple(_mixed(cards, by_topic.get(topic, [])))
        if items:
            topics.append(Topic(topic, titles.get(topic, topic.replace("_", " ").capitalize()), items))
            candidates.update({item: Candidate(item, topic, item.partition("#")[0]) for item in items})
    return Catalogue(library, candidates, tuple(topics))


def _mixed(cards: list[str], families: list[str]) -> Iterable[str]:
    """Spread the families evenly behind the first cards, so that a skill follows what it builds on."""
    if not families:
        return iter(cards)
    stride = max(1, len(cards) // (len(families) + 1))
    groups = [cards[start : start + stride] for start in range(0, stride * len(families), stride)]
    rest = cards[stride * len(families) :]
    mixed: list[str] = []
    for group, family in zip_longest(groups, families, fillvalue=None):
        mixed += [*(group or []), *([family] if family else [])]
    return iter(mixed + rest)
