"""A final pass before an interview: shown like a review, judged by oneself, and nothing of it is scheduled.

Memories, due days and the log of reviews stay as they are; typed answers are kept with those of drills.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studynorm.engine.grading import Verdict
from studynorm.engine.rng import seed_of
from studynorm.engine.variant import Variant
from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Clock
from studynorm.storage.store import Store
from studynorm.study.catalogue import Catalogue
from studynorm.study.keygate import KeyGate
from studynorm.study.shelf import level_for
from studynorm.study.situation import CardPrompt, Done, Key, Pending, ProblemPrompt, Situation, stage_of
from studynorm.study.tries import attempt_at, can_be_rated, hinted, judged, shown, statement, suggestion

if TYPE_CHECKING:
    from studynorm.study.desk import Desk

BUTTONS = {Rating.AGAIN: "comes again", Rating.GOOD: "known"}
"""The two ratings of a pass and what they lead to."""
_COMES_AFTER = 8
"""Behind so many others an item comes again, or at the end where fewer are left."""
_SEED_TRIES = 6


@dataclass(frozen=True, slots=True)
class _Step:
    prompt: CardPrompt | ProblemPrompt
    rating: Rating


class Rehearsal:
    """One pass over `items`, of the same shape as a StudySession for the screens of problems and cards.

    `situation` is what to show, Done at the end. Items of which there is no card or family are left out. The
    `seed` fixes the numbers of the problems, which are never those of the next review. `submit` may raise a
    StoreError, and then nothing has changed.
    """

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        items: Sequence[str],
        clock: Clock,
        *,
        seed: int,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self.gate = KeyGate(ticks)
        self.notice: str | None = None
        self._store = store
        self._catalogue = catalogue
        self._clock = clock
        self._seed = seed
        self._queue = deque(item for item in dict.fromkeys(items) if item in catalogue.candidates)
        self._steps: list[_Step] = []
        self._variants: dict[Key, Variant] = {}
        self._bumps: dict[tuple[str, int], int] = {}
        self._shown: dict[str, set[str]] = {}
        self._memories: dict[str, Memory | None] = {}
        self._levels: dict[str, int] = {}
        self.situation: Situation = self._end()
        self._advance()

    # -- how it goes -------------------------------------------------------------------------
    @property
    def left(self) -> int:
        """How many items are not known yet, the one on the screen included."""
        return len(self._queue) + (not isinstance(self.situation, Done))

    @property
    def answered(self) -> int:
        """How many items were known, at once or when they came again."""
        return sum(step.rating is Rating.GOOD for step in self._steps)

    @property
    def begun(self) -> bool:
        """Whether anything was judged and not taken back."""
        return bool(self._steps)

    @property
    def forgotten(self) -> tuple[str, ...]:
        """The items that were forgotten, in that order; also those that were known when they came again."""
        again = (step.prompt.item for step in self._steps if step.rating is Rating.AGAIN)
        return tuple(dict.fromkeys(again))

    # -- the engine's side -------------------------------------------------------------------
    def wanted(self, most: int = 6) -> tuple[Key, ...]:
        """Return the variants that come next and are not there yet, the awaited one first."""
        keys = [self.situation.key] if isinstance(self.situation, Pending) else []
        for item in self._queue:
            if len(keys) >= most:
                break
            if item.startswith("family:"):
                key = self._key(item)
                if key not in self._variants and key not in keys:
                    keys.append(key)
        return tuple(keys)

    def provide(self, key: Key, variant: Variant) -> None:
        """Take a variant that the engine drew; opens it where the pass was waiting for it.

        One whose statement came up in this pass or in the newest reviews makes room for the next seed.
        """
        item = f"family:{key.family}"
        if statement(variant) not in self._met(item) or not self._next_seed(item):
            self._variants[key] = variant
        self._reopen(item)

    def refuse(self, key: Key, reason: str) -> None:
        """Note that the engine cannot draw a variant: the next seed is tried, then the item left out."""
        item = f"family:{key.family}"
        if not self._next_seed(item):
            self.notice = f"{key.family} is left out: {reason}"
            if item in self._queue:
                self._queue.remove(item)
            elif isinstance(self.situation, Pending) and self.situation.item == item:
                self._advance()
                return
        self._reopen(item)

    # -- the learner's side ------------------------------------------------------------------
    def reveal(self) -> None:
        """Show the answer of a card, or the worked solution of a problem."""
        prompt = self.situation
        if isinstance(prompt, CardPrompt):
            self.situation = replace(prompt, revealed=True)
        elif isinstance(prompt, ProblemPrompt):
            self.situation = shown(prompt)

    def hint(self) -> str | None:
        """Show and return the next hint of an open problem, None when there is no further one."""
        prompt = self.situation
        after = hinted(prompt) if isinstance(prompt, ProblemPrompt) else None
        if after is None:
            return None
        self.situation = after
        return after.hints[-1]

    def submit(self, text: str) -> Verdict | None:
        """Judge a typed answer and keep it if it counts. Malformed and imprecise ones cost nothing."""
        prompt = self.situation
        if not isinstance(prompt, ProblemPrompt) or prompt.closed:
            return None
        after, verdict = judged(prompt, text)
        if verdict.kept:
            self._store.record_drill(attempt_at(prompt, text, verdict, self._clock().at))
            self.situation = after
        return verdict

    @property
    def ratable(self) -> bool:
        """Whether a rating would be taken now."""
        return can_be_rated(self.situation)

    @property
    def suggested(self) -> Rating | None:
        """What the evidence suggests for a problem, Again or Good; None for a card and for unjudged words."""
        found = suggestion(self.situation)
        return Rating.GOOD if found is Rating.HARD else found

    def answer(self, rating: Rating) -> bool:
        """Take Again or Good and open the next item; False where none can be taken now. Nothing is stored."""
        prompt = self.situation
        if not isinstance(prompt, CardPrompt | ProblemPrompt) or not self.ratable or rating not in BUTTONS:
            return False
        self._steps.append(_Step(prompt, rating))
        if rating is Rating.AGAIN:
            self._queue.insert(min(_COMES_AFTER, len(self._queue)), prompt.item)
        self.gate.rated()
        self._advance()
        return True

    def undo(self) -> bool:
        """Take the last rating of this pass back; False if there is none.

        A card is open again with its answer, a problem unanswered with the same numbers.
        """
        if not self._steps:
            return False
        if not isinstance(self.situation, Done):
            self._queue.appendleft(self.situation.item)
        step = self._steps.pop()
        prompt = step.prompt
        if prompt.item in self._queue:  # it was to come again
            self._queue.remove(prompt.item)
        if prompt.item not in self._catalogue.candidates:
            self._advance()
            return True
        if isinstance(prompt, ProblemPrompt):
            prompt = replace(prompt, verdicts=(), hints=(), solution_shown=False, revealed=False)
        self._show(prompt)
        return True

    def reload(self, catalogue: Catalogue) -> None:
        """Go on with decks that were read again; an open card is shown as it reads now, or left out."""
        self._catalogue = catalogue
        self._queue = deque(item for item in self._queue if item in catalogue.candidates)
        prompt = self.situation
        if isinstance(prompt, Done):
            return
        card = catalogue.library.card(prompt.item)
        if prompt.item not in catalogue.candidates:
            self._advance()
        elif isinstance(prompt, CardPrompt) and card is not None:
            self.situation = replace(prompt, card=card)

    # -- choosing ----------------------------------------------------------------------------
    def _advance(self) -> None:
        """Open the first item that can be shown: problems that are not drawn yet wait for their turn."""
        ready = next((item for item in self._queue if self._is_ready(item)), None)
        item = ready if ready is not None else next(iter(self._queue), None)
        if item is None:
            self._show(self._end())
            return
        self._queue.remove(item)
        self._open(item)

    def _is_ready(self, item: str) -> bool:
        return not item.startswith("family:") or self._key(item) in self._variants

    def _open(self, item: str) -> None:
        topic, stage = self._catalogue.candidates[item].topic, stage_of(self._memory(item))
        card = self._catalogue.library.card(item)
        if card is not None:
            mark = item.partition("#")[2] or None
            self._show(CardPrompt(item, topic, stage, card, mark, False, BUTTONS))
            return
        key = self._key(item)
        variant = self._variants.get(key)
        if variant is None:
            self._show(Pending(item, topic, key))
            return
        self._shown.setdefault(item, set()).add(statement(variant))
        self._show(ProblemPrompt(item, topic, stage, variant, (), (), False, False, BUTTONS))

    def _reopen(self, item: str) -> None:
        """Look again at what the pass was waiting for, or show another problem that is there sooner."""
        if not isinstance(self.situation, Pending):
            return
        if self.situation.item == item:
            self._open(item)
        elif self._is_ready(item) and item in self._queue:
            self._queue.appendleft(self.situation.item)
            self._queue.remove(item)
            self._open(item)

    def _show(self, situation: Situation) -> None:
        self.situation = situation
        self.gate.changed()

    def _end(self) -> Done:
        today = self._clock().day
        return Done(self._store.day_summary(today), None, self._store.next_due_day(today))

    # -- variants ----------------------------------------------------------------------------
    def _memory(self, item: str) -> Memory | None:
        if item not in self._memories:
            self._memories[item] = self._store.memory(item)
        return self._memories[item]

    def _turn(self, item: str) -> int:
        """Return how often an item has come again."""
        return sum(step.rating is Rating.AGAIN and step.prompt.item == item for step in self._steps)

    def _key(self, item: str) -> Key:
        turn = self._turn(item)
        seed = seed_of("final pass", self._seed, item, turn, self._bumps.get((item, turn), 0))
        return Key(item.removeprefix("family:"), self._level(item), seed)

    def _level(self, item: str) -> int:
        if item not in self._levels:
            recent = self._store.recent_attempts(item, 1)
            self._levels[item] = level_for(self._memory(item), recent[0].level if recent else None)
        return self._levels[item]

    def _next_seed(self, item: str) -> bool:
        place = (item, self._turn(item))
        tried = self._bumps.get(place, 0) + 1
        if tried >= _SEED_TRIES:
            return False
        self._bumps[place] = tried
        return True

    def _met(self, item: str) -> frozenset[str]:
        recent = (attempt.params for attempt in self._store.recent_attempts(item, _SEED_TRIES))
        return frozenset((*self._shown.get(item, ()), *recent))


def begin_pass(desk: "Desk", items: Sequence[str], seed: int) -> Rehearsal:
    """Begin a pass over some items on a desk. Raises StoreError."""
    return Rehearsal(desk.store, desk.catalogue, items, desk.clock, seed=seed, ticks=desk.ticks)
