"""What a StudySession still has to ask: the day's queue and the learning steps, and which comes first."""

from collections import deque
from collections.abc import Iterator

from studynorm.scheduling.memory import Memory
from studynorm.scheduling.queue import Candidate, plan
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment
from studynorm.storage.store import Store
from studynorm.study.catalogue import Catalogue
from studynorm.study.prerequisites import in_order, needs_of
from studynorm.study.situation import Counts, Stage

# More than any day's limit, so that a topic or siblings that drop out leave enough.
_LONGEST_QUEUE = 20_000


class Agenda:
    """The items left in one session, of one `topic` or of all; paused ones and those set aside are not in it.

    `day` is the study day for which it was made.
    """

    def __init__(self, store: Store, catalogue: Catalogue, settings: Settings, topic: str | None) -> None:
        self.day = 0
        self._store = store
        self._catalogue = catalogue
        self._settings = settings
        self._topic = topic
        self._set_aside: set[str] = set()
        self._paused: frozenset[str] = frozenset()
        self._queue: deque[str] = deque()
        self._learning: dict[str, int] = {}
        self._stages: dict[str, Stage] = {}

    def of(self, catalogue: Catalogue) -> "Agenda":
        """Return an agenda of the same scope for decks that were read again; it is yet to be planned."""
        renewed = Agenda(self._store, catalogue, self._settings, self._topic)
        renewed._set_aside = self._set_aside
        return renewed

    @property
    def next_step_at(self) -> int | None:
        """When the next learning step is due, in UTC milliseconds."""
        return min(self._learning.values(), default=None)

    def counts(self, opened: str | None) -> Counts:
        """Return how many items are left, with the one that is `opened`."""
        items = {*self._queue, *self._learning, *([] if opened is None else [opened])}
        stages = [self._stages.get(item, Stage.LEARNING) for item in items]
        return Counts(stages.count(Stage.NEW), stages.count(Stage.LEARNING), stages.count(Stage.REVIEW))

    def plan(self, now: Moment) -> None:
        """Work the queue and the steps out again from what is stored."""
        wanted = self._catalogue.candidates
        self._paused = self._store.upkeep.paused(now.day)
        due = self._store.due_reviews(now.day, _LONGEST_QUEUE)
        known = self._store.known_items()
        reviews = [wanted[memory.item] for memory in due if self._in_scope(memory.item)]
        needs = needs_of(self._catalogue)
        fresh = in_order(
            [candidate for item, candidate in wanted.items() if item not in known and self._in_scope(item)],
            needs,
        )
        planned = plan(reviews, fresh, self._store.day_load(now.day), self._settings)
        # Parting the topics may have put a new item before what it builds on.
        new = iter(in_order([candidate for candidate in planned if candidate.item not in known], needs))
        self._queue = deque(
            candidate.item if candidate.item in known else next(new).item for candidate in planned
        )
        self._stages = {item: Stage.NEW if item not in known else Stage.REVIEW for item in self._queue}
        self._learning = {
            memory.item: memory.due_at
            for memory in self._store.in_learning()
            if memory.due_at is not None and self._in_scope(memory.item)
        }
        self._stages.update(dict.fromkeys(self._learning, Stage.LEARNING))
        self.day = now.day

    def coming(self, now: Moment) -> Iterator[str]:
        """Yield what could be shown, in the order of choice: due steps, the queue, steps soon due."""
        steps = sorted(self._learning.items(), key=lambda step: step[1])
        soon = now.at + 1000 * self._settings.learn_ahead
        yield from (item for item, due in steps if due <= now.at)
        yield from self._queue
        yield from (item for item, due in steps if now.at < due <= soon)

    def take(self, item: str) -> None:
        """Take an item out, because it is opened."""
        self._learning.pop(item, None)
        if item in self._queue:
            self._queue.remove(item)

    def opened(self, item: str, stage: Stage) -> None:
        """Note to which count the open item belongs."""
        self._stages[item] = stage

    def keep(self, after: Memory) -> None:
        """Note the memory that a rating led to: a step comes back in this session."""
        if after.due_at is not None:
            self._learning[after.item] = after.due_at
            self._stages[after.item] = Stage.LEARNING

    def put_back(self, item: str, memory: Memory | None) -> None:
        """Put an unrated item back where it came from."""
        if memory is not None and memory.due_at is not None:
            self._learning[item] = memory.due_at
        else:
            self._queue.appendleft(item)

    def drop(self, item: str) -> None:
        """Let go of an item until it is planned anew."""
        self.take(item)
        self._stages.pop(item, None)

    def set_aside(self, item: str) -> None:
        """Leave an item out for the whole session."""
        self._set_aside.add(item)
        self.drop(item)

    def take_in(self, item: str) -> None:
        """Let an item that was left out be in this session again."""
        self._set_aside.discard(item)
        self._paused -= {item}

    def is_set_aside(self, item: str) -> bool:
        """Tell whether an item is left out of this session."""
        return item in self._set_aside

    def _in_scope(self, item: str) -> bool:
        candidate: Candidate | None = self._catalogue.candidates.get(item)
        if candidate is None or item in self._set_aside or item in self._paused:
            return False
        return self._topic is None or candidate.topic == self._topic
