"""Everything about one topic on a day: its note, its items as rows, how well they are known, its demos."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studynorm.engine.registry import BrokenFamily, UnknownFamily, load_family
from studynorm.scheduling.catchup import limits_of
from studynorm.scheduling.queue import plan
from studynorm.study.catchup import look
from studynorm.study.items import ItemRow, item_rows
from studynorm.study.overview import Strength, TopicState, overview
from studynorm.study.situation import Counts

if TYPE_CHECKING:
    from studynorm.study.desk import Desk


@dataclass(frozen=True, slots=True)
class TopicSheet:
    """A topic as it stands. `state` counts its items and what is left today; `rows` are in learning order.

    `number` is its place among the topics, from 1; 0 for one that has no items. `demos` are the names of
    the demos that its cards and families lead to. `startable` is how many new items a review of this topic
    alone would ask where nothing of it is planned for today; else 0.
    """

    state: TopicState
    note: str
    rows: tuple[ItemRow, ...]
    demos: tuple[str, ...]
    number: int
    of: int
    startable: int = 0

    @property
    def families(self) -> tuple[str, ...]:
        """The ids of its families, as a drill wants them."""
        return tuple(row.name for row in self.rows if row.item.startswith("family:"))

    @property
    def recall(self) -> float | None:
        """The predicted recall today, on average over the items with a memory; None where there is none."""
        known = [row.recall for row in self.rows if row.recall is not None]
        return sum(known) / len(known) if known else None


def topic_sheet(desk: "Desk", topic: str) -> TopicSheet:
    """Return how a topic stands now; of an unknown one an empty sheet. Raises StoreError."""
    catalogue = desk.catalogue
    ids = [known.id for known in catalogue.topics]
    deck = catalogue.library.deck(topic)
    number = ids.index(topic) + 1 if topic in ids else 0
    items = frozenset(catalogue.topics[number - 1].items) if number else frozenset[str]()
    rows = item_rows(desk, items) if items else ()
    state = _state(desk, topic, deck.title if deck is not None else topic, rows)
    return TopicSheet(
        state,
        deck.note if deck is not None else "",
        rows,
        _demos(desk, rows),
        number,
        len(ids),
        0 if state.today.total else _startable(desk, rows),
    )


def _startable(desk: "Desk", rows: tuple[ItemRow, ...]) -> int:
    fresh = [
        desk.catalogue.candidates[row.item]
        for row in rows
        if row.memory is None and not (row.suspended or row.buried)
    ]
    if not fresh:
        return 0
    limits = limits_of(desk.settings, look(desk).plan)
    return len(plan([], fresh, desk.store.day_load(desk.clock().day), limits))


def _state(desk: "Desk", topic: str, title: str, rows: tuple[ItemRow, ...]) -> TopicState:
    left = next((state for state in overview(desk).topics if state.id == topic), None)
    known = Counter(row.strength for row in rows)
    return TopicState(
        topic,
        title if left is None else left.title,
        known[Strength.NEW],
        known[Strength.LEARNING],
        known[Strength.YOUNG],
        known[Strength.MATURE],
        Counts(0, 0, 0) if left is None else left.today,
    )


def _demos(desk: "Desk", rows: tuple[ItemRow, ...]) -> tuple[str, ...]:
    found = list[str]()
    for row in rows:
        card = desk.catalogue.library.card(row.item)
        if card is not None:
            found += [target.removeprefix("demo:") for target in card.see if target.startswith("demo:")]
            continue
        try:
            family = load_family(row.name)
        except UnknownFamily:  # its file went since the families were found
            continue
        if not isinstance(family, BrokenFamily) and family.demo:
            found.append(family.demo)
    return tuple(dict.fromkeys(found))
