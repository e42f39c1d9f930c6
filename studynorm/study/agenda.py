"""What a StudySession still has to ask: the day's queue and the learning steps, and which comes first."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

from studynorm.scheduling.memory import Memory
from studynorm.scheduling.queue import Candidate, DayLoad, plan
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment
from studynorm.storage.backlog import due_memories
from studynorm.storage.errors import StoreError
from studynorm.storage.setaside import SetAside
from studynorm.storage.store import Store
from studynorm.study.catalogue import Catalogue
from studynorm.study.catchup import KEY, narrowed, note_over, plan_of
from studynorm.study.prerequisites import in_order, needs_of
from studynorm.study.situation import Counts, Stage

# More than any day's limit, so that a topic or siblings that drop out leave enough.
_LONGEST_QUEUE = 20_000
_LOOKED_AHEAD = 50
"""So far on in the queue a review of another topic is looked for."""


class Agenda:
    """The items left in one session, of one `topic` or of all; paused ones and those set aside are not in it.

    `day` is the study day for which it was made; `damaged` are the items left out because their memory is
    no whole one.
    """

    def __init__(self, store: Store, catalogue: Catalogue, settings: Settings, topic: str | None) -> None:
        self.day = 0
        self._store = store
        self._catalogue = catalogue
        self._settings = settings
        self._topic = topic
        self._set_aside: set[str] = set()
        self._paused: frozenset[str] = frozenset()
        self.damaged: tuple[SetAside, ...] = ()
        self._unreadable: frozenset[str] = frozenset()
        self._queue: deque[str] = deque()
        self._learning: dict[str, int] = {}
        self._stages: dict[str, Stage] = {}
        self._last: str | None = None
        self._holds_back = False

    def of(self, catalogue: Catalogue) -> "Agenda":
        """Return an agenda of the same scope for decks that were read again; it is yet to be planned."""
        renewed = Agenda(self._store, catalogue, self._settings, self._topic)
        renewed._set_aside = self._set_aside
        return renewed

    @property
    def next_step_at(self) -> int | None:
        """When the next learning step is due, in UTC milliseconds."""
        return min(self._learning.values(), default=None)

    def next_day(self, day: int) -> int | None:
        """Return the first later study day on which something comes: the next one where limits hold back."""
        return day + 1 if self._holds_back else self._store.next_due_day(day)

    def counts(self, opened: str | None) -> Counts:
        """Return how many items are left, with the one that is `opened`."""
        items = {*self._queue, *self._learning, *([] if opened is None else [opened])}
        stages = [self._stages.get(item, Stage.LEARNING) for item in items]
        return Counts(stages.count(Stage.NEW), stages.count(Stage.LEARNING), stages.count(Stage.REVIEW))

    def plan(self, now: Moment) -> None:
        """Work the queue and the steps out again from what is stored."""
        wanted = self._catalogue.candidates
        self._look_at_rows(now)
        done = self._store.day_load(now.day)
        due, limits = self._due(now, done)
        known = self._store.known_items()
        reviews = [wanted[item] for item in due if self._in_scope(item)]
        needs = needs_of(self._catalogue)
        fresh = in_order(
            [candidate for item, candidate in wanted.items() if item not in known and self._in_scope(item)],
            needs,
        )
        planned = plan(reviews, fresh, done, limits)
        # Parting the topics may have put a new item before what it builds on.
        new = iter(in_order([candidate for candidate in planned if candidate.item not in known], needs))
        self._queue = deque(
            candidate.item if candidate.item in known else next(new).item for candidate in planned
        )
        self._stages = {item: Stage.NEW if item not in known else Stage.REVIEW for item in self._queue}
        self._holds_back = len(reviews) > sum(stage is Stage.REVIEW for stage in self._stages.values())
        self._learning = {
            memory.item: memory.due_at
            for memory in self._store.in_learning()
            if memory.due_at is not None and self._in_scope(memory.item)
        }
        self._stages.update(dict.fromkeys(self._learning, Stage.LEARNING))
        self.day = now.day

    def _look_at_rows(self, now: Moment) -> None:
        """Note which items cannot be asked, whatever is due."""
        self._paused = self._store.upkeep.paused(now.day)
        self.damaged = self._store.set_aside()
        self._unreadable = frozenset(item for item, _ in self.damaged)

    def _due(self, now: Moment, done: DayLoad) -> tuple[list[str], Settings]:
        """Return the items in Review that are due, in the order of choice, and the limits of the day.

        Most overdue first; while a catch-up plan holds, most forgotten first. One that does not hold any
        more is noted to be over.
        """
        kept = plan_of(self._store.values.get(KEY))
        if kept is not None and kept.over is None:
            due = [memory for memory in due_memories(self._store, now.day) if self._is_open(memory.item)]
            under_plan = narrowed(kept, due, done, now.day, self._settings)
            if under_plan is not None:
                return [memory.item for memory in under_plan[0]], under_plan[1]
            with suppress(StoreError):  # the next session notes it
                note_over(self._store, kept, now.day)
        return [memory.item for memory in self._store.due_reviews(now.day, _LONGEST_QUEUE)], self._settings

    def coming(self, now: Moment) -> Iterator[str]:
        """Yield what could be shown, in the order of choice: due steps, the queue, steps soon due.

        Of those whose order matters little, one of another topic than was answered last comes first.
        """
        steps = sorted(self._learning.items(), key=lambda step: step[1])
        soon = now.at + 1000 * self._settings.learn_ahead
        due = sorted((item for item, at in steps if at <= now.at), key=self._is_near)
        ahead = self._ahead(due)
        yield from ahead
        yield from due
        yield from (item for item in self._queue if item not in ahead)
        yield from sorted((item for item, at in steps if now.at < at <= soon), key=self._is_near)

    def _ahead(self, due: Sequence[str]) -> tuple[str, ...]:
        """Return what comes before its turn, so that two of one topic are parted; mostly nothing.

        That is the head of the queue, which a due step then waits for, or a later review; never a later new
        item, which may build on one before it.
        """
        first = next(iter((*due[:1], *islice(self._queue, 1))), None)
        if first is None or not self._is_near(first):
            return ()
        near = islice(self._queue, _LOOKED_AHEAD)
        others = (item for place, item in enumerate(near) if not place or self._is_review(item))
        return tuple(islice((item for item in others if not self._is_near(item)), 1))

    def _is_near(self, item: str) -> bool:
        """Tell whether an item is of the topic that was answered last."""
        return self._last is not None and self._catalogue.candidates[item].topic == self._last

    def _is_review(self, item: str) -> bool:
        return self._stages.get(item) is Stage.REVIEW

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
        self._last = self._catalogue.candidates[after.item].topic
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

    def _is_open(self, item: str) -> bool:
        """Tell whether an item could be asked on this day, whatever this session is about."""
        return (
            item in self._catalogue.candidates and item not in self._paused and item not in self._unreadable
        )

    def _in_scope(self, item: str) -> bool:
        candidate: Candidate | None = self._catalogue.candidates.get(item)
        if candidate is None or item in self._set_aside or item in self._paused or item in self._unreadable:
            return False
        return self._topic is None or candidate.topic == self._topic
