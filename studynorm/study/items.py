"""Every item as one row: what it is, how well it is known, when it is due and what was done to it."""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import TYPE_CHECKING

from studynorm.content.card import Card
from studynorm.engine.titles import family_titles
from studynorm.scheduling.memory import Memory
from studynorm.scheduling.studyday import Moment, moment_of
from studynorm.study.overview import Strength, strength_of
from studynorm.study.titles import title_of

if TYPE_CHECKING:
    from studynorm.study.desk import Desk


LEECH = "leech"
"""The tag of every item that was forgotten `leech_at` times; it goes by the count and is written nowhere."""


class Kind(StrEnum):
    """What kind of item a row is; of one that is gone, what its id says."""

    CARD = "card"
    CLOZE = "cloze"
    FAMILY = "family"


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item as it stands on a study day.

    `due_in` counts study days from today, negative when overdue, None for a new item; `due` tells whether
    it may be asked now. `recall` is the predicted chance to recall it now. A `leech` has that tag besides
    those of its deck and card. `edited` tells that its card reads otherwise than when it was last answered;
    `gone` that it has a memory, but no card or family any more. `haystack` is what words are looked for in,
    casefolded. `place` is its place in learning order. `damaged` says what is wrong with a memory that is set
    aside; `memory` is None then, though the item is not new.
    """

    item: str
    kind: Kind
    topic: str
    title: str
    tags: tuple[str, ...]
    strength: Strength
    memory: Memory | None
    due_in: int | None
    due: bool
    recall: float | None
    suspended: bool
    buried: bool
    leech: bool
    edited: bool
    gone: bool
    haystack: str
    place: int
    damaged: str = ""

    @property
    def name(self) -> str:
        """The id without its kind: `batchnorm/forward-pass`, `batchnorm.entry`."""
        return self.item.partition(":")[2]


def item_rows(desk: "Desk", among: Container[str] | None = None) -> tuple[ItemRow, ...]:
    """Return all items in learning order, those that are gone last; only those `among` some ids, if given.

    Raises StoreError.
    """
    return tuple(_Rows(desk, among).rows())


class _Rows:
    """One reading of a profile."""

    def __init__(self, desk: "Desk", among: Container[str] | None) -> None:
        self._desk = desk
        self._among = among
        self._now: Moment = desk.clock()
        self._scheduler = desk.scheduler
        upkeep = desk.store.upkeep
        self._memories = {memory.item: memory for memory in upkeep.memories()}
        self._damaged = dict(desk.store.set_aside())
        self._pauses = upkeep.pauses()
        self._wordings = upkeep.wordings()
        self._titles = family_titles()

    def rows(self) -> Iterator[ItemRow]:
        catalogue = self._desk.catalogue
        tags = {deck.id: deck.tags for deck in catalogue.library.decks}
        for place, candidate in enumerate(catalogue.candidates.values(), 1):
            item, topic = candidate.item, candidate.topic
            if self._among is not None and item not in self._among:
                continue
            card = catalogue.library.card(item)
            if card is not None:
                mark = item.partition("#")[2] or None
                kind = Kind.CARD if card.kind == "recall" else Kind.CLOZE
                title = title_of(card.question(mark))
                yield self._row(item, kind, topic, title, card.tags, place, card)
            else:
                family = item.partition(":")[2]
                title = self._titles.get(family, family)
                yield self._row(item, Kind.FAMILY, topic, title, tags.get(topic, ()), place)
        gone = sorted(item for item in self._memories if item not in catalogue.candidates)
        for place, item in enumerate(gone, len(catalogue.candidates) + 1):
            if self._among is not None and item not in self._among:
                continue
            kind, topic, title = _of_id(item)
            yield self._row(item, kind, topic, title, (), place, gone=True)

    def _row(
        self,
        item: str,
        kind: Kind,
        topic: str,
        title: str,
        tags: tuple[str, ...],
        place: int,
        card: Card | None = None,
        *,
        gone: bool = False,
    ) -> ItemRow:
        memory, pause, now = self._memories.get(item), self._pauses.get(item), self._now
        suspended = pause is not None and pause.suspended
        buried = pause is not None and pause.buried_day == now.day
        words = self._wordings.get(item)
        leech = memory is not None and memory.lapses >= self._desk.settings.leech_at
        tags = (*tags, LEECH) if leech and LEECH not in tags else tags
        due_in = None if memory is None else self._due_in(memory)
        reached = memory is not None and (
            memory.due_at <= now.at if memory.due_at is not None else due_in is not None and due_in <= 0
        )
        return ItemRow(
            item=item,
            kind=kind,
            topic=topic,
            title=title,
            tags=tags,
            strength=strength_of(memory),
            memory=memory,
            due_in=due_in,
            due=reached and not (suspended or buried or gone),
            recall=None if memory is None else self._scheduler.recall(memory, now),
            suspended=suspended,
            buried=buried,
            leech=leech,
            edited=card is not None and words is not None and words != card.fingerprint,
            gone=gone,
            haystack="\n".join((item, title, topic, *tags)).casefold(),
            place=place,
            damaged=self._damaged.get(item, ""),
        )

    def _due_in(self, memory: Memory) -> int:
        if memory.due_day is not None:
            return memory.due_day - self._now.day
        at = datetime.fromtimestamp((memory.due_at or 0) / 1000, UTC)
        zone = timezone(timedelta(minutes=self._now.offset))
        return moment_of(at, zone, self._desk.settings.day_starts_at).day - self._now.day


def _of_id(item: str) -> tuple[Kind, str, str]:
    """Return the kind, topic and title that can be read from an id alone."""
    kind, _, name = item.partition(":")
    if kind == "family":
        return Kind.FAMILY, name.partition(".")[0], name
    return Kind.CLOZE if "#" in name else Kind.CARD, name.partition("/")[0], name
