"""How well the items of each topic are known and which are new, counted without reading every memory."""

from collections.abc import Iterable, Iterator
from itertools import chain

from studynorm.scheduling.queue import Candidate
from studynorm.storage.glance import Glance
from studynorm.study.catalogue import Catalogue, Topic

_FEW = 5_000
"""Up to so many items each is looked up; with more SQLite counts, and only topics with new items are read."""


class Standing:
    """The items of a catalogue against the memories of a profile; made anew for decks that were read again.

    Between two looks it remembers which memories are of items that are gone.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._gone: tuple[str, ...] | None = None
        self._known: dict[str, str] = {}
        self._counts: dict[str, dict[str, int]] = {}
        self._seen: Glance | None = None

    @property
    def _has_few(self) -> bool:
        return len(self.catalogue.candidates) <= _FEW

    def look(self, seen: Glance) -> None:
        """Count what a profile holds; the answers below are of this look, and good as long as it is open."""
        self._seen = seen
        if self._has_few:
            self._known = seen.strengths(tuple(self.catalogue.candidates))
            self._counts = {}
            for item, strength in self._known.items():
                counts = self._counts.setdefault(self.catalogue.candidates[item].topic, {})
                counts[strength] = counts.get(strength, 0) + 1
            return
        if self._gone is None:
            self._gone = tuple(seen.known_items() - self.catalogue.candidates.keys())
        self._counts = seen.strengths_by_topic()
        for item, strength in seen.strengths(self._gone).items():
            counts = self._counts.get(_topic_of(item), {})
            if counts.get(strength):
                counts[strength] -= 1

    def count(self, topic: Topic, strength: str) -> int:
        """Return how many items of a topic are `learning`, `young`, `mature` or `new`."""
        counts = self._counts.get(topic.id, {})
        return len(topic.items) - sum(counts.values()) if strength == "new" else counts.get(strength, 0)

    def due_items(self, day: int) -> Iterable[str]:
        """Return the items of the catalogue in Review that are due by a study day, most overdue first."""
        assert self._seen is not None
        if self._has_few:
            return self._seen.due_among(tuple(self.catalogue.candidates), day)
        return (item for item in self._seen.due_items(day) if item in self.catalogue.candidates)

    def new_items(self) -> Iterator[Candidate]:
        """Yield the items without a memory in learning order; topics are read as they are reached."""
        assert self._seen is not None
        return chain.from_iterable(
            self._new_in(topic, self._seen) for topic in self.catalogue.topics if self.count(topic, "new") > 0
        )

    def _new_in(self, topic: Topic, seen: Glance) -> Iterator[Candidate]:
        known = self._known if self._has_few else seen.known_in(topic.id)
        return (self.catalogue.candidates[item] for item in topic.items if item not in known)


def _topic_of(item: str) -> str:
    kind, _, name = item.partition(":")
    return name.partition("." if kind == "family" else "/")[0]
