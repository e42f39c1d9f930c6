"""Finding topics, cards, families, demos and terms by words: prepared once, so that each key is quick."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from studynorm.content.reference import fold
from studynorm.content.referencefile import shipped_reference
from studynorm.content.visible import visible
from studynorm.engine.titles import family_titles
from studynorm.study.catalogue import Catalogue
from studynorm.study.titles import title_of

_MARKS = str.maketrans(dict.fromkeys("\\{}$^_`*"))


class Found(StrEnum):
    """What kind of thing was found; the value is the first part of its target."""

    SCREEN = "screen"
    TOPIC = "topic"
    FAMILY = "family"
    DEMO = "demo"
    TERM = "term"
    CARD = "card"


class Match(IntEnum):
    """How well an entry fits the words typed; the lower, the better."""

    EXACT = 0
    BEGINS = 1
    WORDS = 2
    NAMED = 3
    MENTIONED = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to find; `entry` makes one.

    `target` is its id: `topic:…`, `card:…` (without a mark), `family:…`, `demo:…` or `term:…`. `title` is
    Markdown for a card and plain otherwise. Words are looked for in `name`, behind a blank, and in `more`.
    """

    kind: Found
    target: str
    title: str
    name: str
    more: str

    @property
    def id(self) -> str:
        """The target without its kind."""
        return self.target.partition(":")[2]

    @property
    def line(self) -> str:
        """The title as one plain line."""
        if self.kind is Found.CARD:
            return title_of(self.title)
        return visible(self.title, keep_newlines=False)


def searched(text: str) -> str:
    """Return a text as it is compared: without case, accents and the signs of Markdown and LaTeX."""
    bare = text.translate(_MARKS)
    return bare.lower() if bare.isascii() else fold(bare)


def entries(catalogue: Catalogue, demos: Iterable[Entry] = ()) -> Iterator[Entry]:
    """Yield everything that can be found: topics, families, the demos given, terms and cards."""
    for topic in catalogue.topics:
        yield entry(Found.TOPIC, topic.id, topic.title)
    titles = family_titles()
    for item in catalogue.candidates:
        kind, _, name = item.partition(":")
        if kind == "family":
            yield entry(Found.FAMILY, name, titles.get(name, name))
    yield from demos
    for term in shipped_reference().terms:
        yield entry(Found.TERM, term.id, term.term, " ".join((*term.also, term.sign, term.meaning)))
    for deck in catalogue.library.decks:
        for card in deck.cards:
            yield entry(Found.CARD, f"{deck.id}/{card.id}", card.question(), card.front)


def entry(kind: Found, name: str, title: str, more: str = "") -> Entry:
    """Make an entry of the given id, which is also found by that and by what is in `more`."""
    target = f"{kind.value}:{name}"
    return Entry(kind, target, title, f" {searched(title)}", searched(f"{target} {more}"))


def best(found: Iterable[Entry], typed: str, most: int) -> list[tuple[Match, Entry]]:
    """Return the entries in which every word typed occurs, the best first and at most so many.

    First come those whose title is what was typed, then those that begin with it, have its words as
    beginnings of words, have its words anywhere, and those that mention them outside the title; among
    equals their own order counts.
    """
    words = searched(typed).split()
    if not words or most < 1:
        return []
    first, rest = words[0], words[1:]
    beginning = f" {' '.join(words)}"
    heads = [f" {word}" for word in words]
    mentioned, named, headed, begun, exact = groups = tuple(list[Entry]() for _ in Match)
    for one in found:
        name = one.name
        if first not in name:
            if len(mentioned) < most and first in one.more and _has(one, rest):
                mentioned.append(one)
        elif rest and not _has(one, rest):
            continue
        elif name.startswith(beginning):
            (exact if name == beginning else begun).append(one)
        elif heads[0] in name and (not rest or all(head in name for head in heads)):
            headed.append(one)
        elif not rest or all(word in name for word in rest):
            named.append(one)
        else:
            mentioned.append(one)
    ranked = [(match, one) for match, group in zip(Match, reversed(groups), strict=True) for one in group]
    return ranked[:most]


def _has(one: Entry, words: Iterable[str]) -> bool:
    return all(word in one.name or word in one.more for word in words)
