"""All decks together: the shipped and the learner's, overrides in place, ids unique, prerequisites known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from studynorm.content.card import Card
from studynorm.content.deck import Deck
from studynorm.content.deckfile import deck_files, nested_deck_files, read_deck
from studynorm.content.place import ContentError, Place
from studynorm.topics import TOPICS


class NoDecks(Exception):
    """The folder of shipped decks holds no deck file: the installation is broken."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"no decks in {folder}. The installation is incomplete: install studynorm again.")
        self.folder = folder


@dataclass(frozen=True, slots=True)
class Library:
    """The usable decks in learning order, what was wrong with the others, and what a learner should know.

    `unfinished` has one line for each of the learner's files that holds new cards which are still empty.
    """

    decks: tuple[Deck, ...]
    errors: tuple[ContentError, ...] = ()
    notices: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    _decks: dict[str, Deck] = field(init=False, repr=False, compare=False, hash=False)
    _cards: dict[str, Card] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        cards: dict[str, Card] = {}
        for deck in self.decks:
            for card in deck.cards:
                cards[f"card:{deck.id}/{card.id}"] = card
                cards.update(dict.fromkeys(card.item_ids, card))
        object.__setattr__(self, "_decks", {deck.id: deck for deck in self.decks})
        object.__setattr__(self, "_cards", cards)

    def card(self, item_id: str) -> Card | None:
        """Return the card of an item id, `card:deck/id` or (for its marks) `card:deck/id#mark`, or None."""
        return self._cards.get(item_id)

    def deck(self, deck_id: str) -> Deck | None:
        """Return the deck with this id, or None."""
        return self._decks.get(deck_id)


def load_library(shipped: Path, user: Path | None) -> Library:
    """Read all decks of both folders, the user's with its sub-folders; the shipped folder is never written.

    Raises NoDecks when the shipped folder has no deck file. Everything else that is wrong is in `errors`.
    """
    gathering = _Gathering()
    try:
        shipped_files = deck_files(shipped)
    except OSError:
        shipped_files = ()
    if not shipped_files:
        raise NoDecks(shipped)
    gathering.read(shipped_files, ours=True)
    if user is not None:
        files, errors = nested_deck_files(user)
        gathering.errors.extend(errors)
        gathering.read(files, ours=False)
    gathering.apply_overrides()
    decks = gathering.in_order()
    gathering.errors.extend(_requirement_errors(decks))
    return Library(decks, tuple(gathering.errors), tuple(gathering.notices), tuple(gathering.unfinished))


class _Gathering:
    def __init__(self) -> None:
        self.errors: list[ContentError] = []
        self.notices: list[str] = []
        self.unfinished: list[str] = []
        self._decks: dict[str, Deck] = {}
        self._shipped: set[str] = set()
        self._overrides: list[Deck] = []

    def error(self, place: Place, message: str, way_out: str) -> None:
        self.errors.append(ContentError(place, message, way_out))

    def read(self, paths: Sequence[Path], *, ours: bool) -> None:
        for path in paths:
            deck, errors = read_deck(path)
            self.errors.extend(errors)
            if deck is None:
                continue
            if deck.unfinished and ours:
                self.errors.append(deck.unfinished)
            elif deck.unfinished:
                self.unfinished.append(str(deck.unfinished))
            place = Place(path, 1)
            if deck.overrides:
                if ours:
                    self.error(place, "a shipped deck overrides another", "Give it an `id` and a `title`.")
                else:
                    self._overrides.append(deck)
            elif (first := self._decks.get(deck.id)) is not None:
                self.error(
                    place,
                    f"the deck id {deck.id!r} is taken by {Place(first.path, 1)}",
                    "The first one is used; give this deck an id of its own.",
                )
            else:
                self._decks[deck.id] = deck
                if ours:
                    self._shipped.add(deck.id)

    def apply_overrides(self) -> None:
        taken: dict[str, Place] = {}
        for override in self._overrides:
            deck = self._decks.get(override.id)
            if deck is None or deck.id not in self._shipped:
                self.error(
                    Place(override.path, 1),
                    f"there is no shipped deck {override.id!r} to override",
                    "Name a shipped deck, or give this one `id` and `title`; edit your own decks in place.",
                )
                continue
            cards = {card.id: card for card in deck.cards}
            for card in override.cards:
                if self._fits(card, cards.get(card.id), taken):
                    taken[f"{deck.id}/{card.id}"] = card.place
                    cards[card.id] = replace(card, tags=deck.tags)
            self._decks[deck.id] = replace(deck, cards=tuple(cards.values()))

    def _fits(self, card: Card, shipped: Card | None, taken: dict[str, Place]) -> bool:
        name = f"card:{card.deck_id}/{card.id}"
        if shipped is None:
            self.error(
                card.place,
                f"there is no shipped card {name} to override",
                "Take the id of a card of that deck.",
            )
        elif (first := taken.get(f"{card.deck_id}/{card.id}")) is not None:
            self.error(
                card.place,
                f"{name} is already overridden by {first}",
                "The first one is used; remove this one.",
            )
        elif shipped.kind != card.kind:
            key = "C:" if shipped.kind == "cloze" else "Q: and A:"
            self.error(
                card.place,
                f"{name} changes the kind of the shipped card, which would lose its history",
                f"Keep {key}, or make a card of your own in another deck.",
            )
        else:
            self._notify(name, card, shipped)
            return True
        return False

    def _notify(self, name: str, card: Card, shipped: Card) -> None:
        if card.base is not None and card.base != shipped.fingerprint:
            self.notices.append(
                f"{card.place}: the shipped card {name} changed since your edit. Compare the two, then set "
                f"`Base: {shipped.fingerprint}`, or remove your version."
            )
        gone = [mark_id for mark_id in shipped.mark_ids if mark_id not in card.mark_ids]
        if gone:
            self.notices.append(
                f"{card.place}: your version of {name} lacks the marks {', '.join(gone)}. "
                "They are not asked; what you learned of them is kept."
            )

    def in_order(self) -> tuple[Deck, ...]:
        def rank(deck: Deck) -> tuple[int, str, str]:
            if deck.id not in self._shipped:
                return len(TOPICS) + 1, deck.title.casefold(), deck.id
            if deck.id in TOPICS:
                return TOPICS.index(deck.id), "", ""
            return len(TOPICS), deck.title.casefold(), deck.id

        return tuple(sorted(self._decks.values(), key=rank))


def _requirement_errors(decks: Sequence[Deck]) -> Iterator[ContentError]:
    known = {deck.id: deck for deck in decks}
    for deck in decks:
        for required in deck.requires:
            if required not in known:
                yield ContentError(
                    Place(deck.path, 1),
                    f"the deck requires {required!r}, and there is no such deck",
                    "Correct the id under `requires`, or leave it out.",
                )
    for cycle in _cycles(known):
        yield ContentError(
            Place(known[cycle[0]].path, 1),
            f"decks require each other in a circle: {' → '.join((*cycle, cycle[0]))}",
            "Take one of them out of `requires`.",
        )


def _cycles(known: dict[str, Deck]) -> Iterator[tuple[str, ...]]:
    """Yield each circle that a walk along `requires` closes, found without recursion."""
    done: set[str] = set()
    for first in known:
        trail: dict[str, Iterator[str]] = {}
        here: str | None = None if first in done else first
        while here is not None:
            if here not in trail:
                trail[here] = iter(known[here].requires)
            step = next(trail[here], None)
            if step is None:
                done.add(here)
                del trail[here]
                here = next(reversed(trail), None)
            elif step in trail:
                names = list(trail)
                yield tuple(names[names.index(step) :])
            elif step in known and step not in done:
                here = step
