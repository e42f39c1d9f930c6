"""Walks a queue: shows one item at a time, takes answers and ratings, and keeps every one at once."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from studynorm.engine.attempt import Attempt
from studynorm.engine.grading import Outcome, Verdict
from studynorm.engine.variant import Variant
from studynorm.scheduling.interval import interval_text
from studynorm.scheduling.memory import Memory
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Clock, Moment
from studynorm.storage.errors import ItemSetAside
from studynorm.storage.setaside import set_aside_words
from studynorm.storage.store import StaleReview, Store
from studynorm.study.agenda import Agenda
from studynorm.study.basis import basis_of
from studynorm.study.catalogue import Catalogue
from studynorm.study.chosen import ChosenAgenda
from studynorm.study.keygate import KeyGate
from studynorm.study.leech import Leech, leech_of
from studynorm.study.opening import opened
from studynorm.study.pauses import Pauses
from studynorm.study.shelf import Shelf
from studynorm.study.situation import (
    CardPrompt,
    Counts,
    Done,
    Key,
    Pending,
    ProblemPrompt,
    Situation,
    stage_of,
)
from studynorm.study.tries import attempt_at, can_be_rated, hinted, judged, shown, suggestion

_LONGEST_MS = 3_600_000


class StudySession:
    """One sitting. `situation` is what to show; every method that changes it leaves the new one there.

    Ratings are committed before the next item is chosen; an unrated prompt leaves no trace. `topic`
    and `limit` (a number of answers) narrow the session. With `items` it asks exactly these, once each,
    whenever they are due. `leech` is what the newest rating made of its item, if that is worth a word.
    Methods that write may raise a StoreError, and then nothing has changed.
    """

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        scheduler: Scheduler,
        settings: Settings,
        clock: Clock,
        *,
        ticks: Callable[[], float] = time.monotonic,
        topic: str | None = None,
        limit: int | None = None,
        items: Sequence[str] | None = None,
    ) -> None:
        self.gate = KeyGate(ticks)
        self.notice: str | None = None
        self.leech: Leech | None = None
        self.topic = topic
        self.chosen = items is not None
        self._store = store
        self._catalogue = catalogue
        self._scheduler = scheduler
        self._settings = settings
        self._clock = clock
        self._ticks = ticks
        self._agenda = (
            Agenda(store, catalogue, settings, topic)
            if items is None
            else ChosenAgenda(store, catalogue, settings, items)
        )
        self._limit = limit
        self._answered = 0
        self._shelf = Shelf(store)
        self._memory: Memory | None = None
        self._basis: Memory | None = None
        self._shown: Moment = clock()
        self._shown_at = ticks()
        self._attempts: list[Attempt] = []
        self._confidence: int | None = None
        self._unseen = False
        self._pauses = Pauses(store)
        self.situation: Situation = Done(store.day_summary(self._shown.day), None, None)
        self._plan(self._shown)
        if isinstance(self._agenda, ChosenAgenda) and self._agenda.left_out:
            self.notice = " ".join(filter(None, (self._agenda.left_out, self.notice)))
        self._advance()

    # -- what is left ------------------------------------------------------------------------
    @property
    def counts(self) -> Counts:
        """How many items are left, the one on the screen included."""
        return self._agenda.counts(self._opened)

    @property
    def answered(self) -> int:
        """How many answers were given in this session and not undone."""
        return self._answered

    def wanted(self, most: int = 6) -> tuple[Key, ...]:
        """Return the variants that the coming items need and that are not there yet, the next one first."""
        keys: list[Key] = []
        if isinstance(self.situation, Pending):
            keys.append(self.situation.key)
        now = self._clock()
        for item in self._agenda.coming(now):
            if len(keys) >= most:
                break
            if item.startswith("family:"):
                key = self._shelf.key(item)
                if self._shelf.get(item) is None and key not in keys:
                    keys.append(key)
        return tuple(keys)

    # -- the engine's side -------------------------------------------------------------------
    def provide(self, key: Key, variant: Variant) -> None:
        """Take a variant that the engine drew; opens it where the session was waiting for it."""
        item = f"family:{key.family}"
        self._shelf.put(item, key, variant)
        self._reopen(item)

    def refuse(self, key: Key, reason: str) -> None:
        """Note that the engine could not draw a variant: the next seed is tried, then the item set aside."""
        item = f"family:{key.family}"
        if not self._shelf.next_seed(item):
            self._agenda.set_aside(item)
            self.notice = f"{key.family} is set aside for today: {reason}"
        self._reopen(item)

    # -- the learner's side ------------------------------------------------------------------
    def reveal(self) -> None:
        """Show the answer of a card, or the worked solution of a problem.

        A problem that is solved already stays solved; otherwise looking counts as not knowing.
        """
        prompt = self.situation
        self._unseen = False
        if isinstance(prompt, CardPrompt):
            self.situation = replace(prompt, revealed=True)
        elif isinstance(prompt, ProblemPrompt):
            self.situation = shown(prompt)

    @property
    def may_ask_confidence(self) -> bool:
        """Whether the learner wants to say, of each item, how sure they are."""
        return self._settings.confidence

    @property
    def asks_confidence(self) -> bool:
        """Whether the learner may say how sure they are now: before anything of the answer was shown."""
        at_prompt = isinstance(self.situation, CardPrompt | ProblemPrompt)
        return self.may_ask_confidence and self._unseen and at_prompt

    def be_sure(self, percent: int) -> bool:
        """Note how sure the learner is, 0 to 100 per cent; False where that is not asked now."""
        if not self.asks_confidence:
            return False
        self._confidence = percent
        return True

    def hint(self) -> str | None:
        """Show and return the next hint of an open problem, None when there is no further one."""
        prompt = self.situation
        after = hinted(prompt) if isinstance(prompt, ProblemPrompt) else None
        if after is None:
            return None
        self.situation = after
        return after.hints[-1]

    def submit(self, text: str) -> Verdict | None:
        """Judge a typed answer. Malformed and imprecise ones cost nothing; a second wrong one reveals."""
        prompt = self.situation
        if not isinstance(prompt, ProblemPrompt) or prompt.closed:
            return None
        self.situation, verdict = judged(prompt, text)
        self._unseen &= verdict.outcome is Outcome.MALFORMED  # "too coarse" tells that it is nearly right
        if verdict.kept:
            self._attempts.append(attempt_at(prompt, text, verdict, self._clock().at))
        return verdict

    @property
    def ratable(self) -> bool:
        """Whether a rating would be taken now."""
        return can_be_rated(self.situation)

    @property
    def suggested(self) -> Rating | None:
        """The rating that the evidence suggests for a problem; None for a card and for unjudged words."""
        return suggestion(self.situation)

    def answer(self, rating: Rating) -> bool:
        """Commit a rating and open the next item; False where no rating can be taken now.

        A rating given after the study day has changed is not taken: the buttons are redrawn first.
        """
        prompt = self.situation
        if not isinstance(prompt, CardPrompt | ProblemPrompt) or not self.ratable:
            return False
        now = self._clock()
        if now.day != self._shown.day:
            self._redraw(now)
            self.notice = "A new study day has begun: the intervals were worked out again."
            return False
        review = self._scheduler.review(
            prompt.item, self._basis, rating, now, suggested=self.suggested, duration_ms=self._duration()
        )
        review = replace(review, before=self._memory, confidence=self._confidence)
        try:
            fingerprint = prompt.card.fingerprint if isinstance(prompt, CardPrompt) else None
            self._store.record(review, self._attempts, fingerprint=fingerprint)
        except (StaleReview, ItemSetAside) as refused:
            stale = "This item was changed elsewhere meanwhile; that stands, your rating was not counted."
            self.notice = stale if isinstance(refused, StaleReview) else str(refused)
            self._plan(now)
            self._advance()
            return False
        self._answered += 1
        self.leech = leech_of(prompt, review, self._settings.leech_at, self._catalogue)
        self.gate.rated()
        self._shelf.renew(prompt.item)
        self._agenda.keep(review.after)
        self._advance()
        return True

    def undo(self) -> bool:
        """Take back what was done last and open its item again; False if there is nothing.

        That is a suspension or burial of this session where no answer came since, else the newest review of
        this study day, of this session or of another.
        """
        now = self._clock()
        item = self._pauses.take_back(now, self._answered)
        if item is not None:
            self._put_back()
            self._agenda.take_in(item)
            self._open(item, now)
            self.notice = "Taken back: it is asked again."
            return True
        undone = self._store.undo(now.day)
        self.notice = self._store.skips.take()
        if undone is None:
            return False
        if not self._answered and self.notice is None:
            self.notice = "Taken back: your answer from an earlier sitting."
        self._answered = max(0, self._answered - 1)
        self.leech = None
        self._put_back()
        self._agenda.drop(undone.item)
        self._shelf.renew(undone.item)
        if undone.item in self._catalogue.candidates:
            self._open(undone.item, now)
            if isinstance(self.situation, CardPrompt):
                self.reveal()
        else:
            self._advance()
        return True

    def suspend(self) -> bool:
        """Ask the open item no more until it is resumed, and go on; False where nothing is open."""
        return self._pause(self._pauses.suspend, self._opened)

    def bury(self) -> bool:
        """Ask the open item no more on this study day, and go on; False where nothing is open."""
        return self._pause(self._pauses.bury, self._opened)

    def suspend_leech(self) -> bool:
        """Ask the leech no more until it is resumed; False where there is none."""
        return self._pause(self._pauses.suspend, None if self.leech is None else self.leech.item)

    def resume_timing(self) -> None:
        """Time the open item from here on: until now the learner was looking at something else."""
        self._shown_at = self._ticks()

    def reload(self, catalogue: Catalogue) -> None:
        """Go on with decks that were read again; an open card that is still there is shown as it reads now.

        Its answer time starts anew: what was spent in an editor is no thinking.
        """
        self._catalogue = catalogue
        now = self._clock()
        self._agenda = self._agenda.of(catalogue)
        item = self._opened
        self._plan(now)
        if item is None or item not in catalogue.candidates:
            self._advance()
            return
        self._agenda.take(item)
        card = catalogue.library.card(item)
        if isinstance(self.situation, CardPrompt) and card is not None:
            self.situation = replace(self.situation, card=card)
            self.resume_timing()

    def refresh(self) -> bool:
        """Look whether something has come due since the session was done; True if it goes on."""
        if isinstance(self.situation, Done):
            self._plan(self._clock())
            self._advance()
        return not isinstance(self.situation, Done)

    # -- choosing ----------------------------------------------------------------------------
    def _plan(self, now: Moment) -> None:
        self._agenda.plan(now)
        self._shelf.renew_all()
        self.notice = set_aside_words(self._store.skips.untold(self._agenda.damaged)) or self.notice

    def _advance(self) -> None:
        now = self._clock()
        if now.day != self._agenda.day:
            self._plan(now)
        if self._limit is not None and self._answered >= self._limit:
            self._finish(now)
            return
        waiting: str | None = None
        for item in self._agenda.coming(now):
            if not item.startswith("family:") or self._shelf.get(item) is not None:
                self._agenda.take(item)
                self._open(item, now)
                return
            waiting = waiting or item
        if waiting is None:
            self._finish(now)
        else:
            self._agenda.take(waiting)
            self._open(waiting, now)

    def _finish(self, now: Moment) -> None:
        self._memory = None
        self.situation = Done(
            self._store.day_summary(now.day),
            self._agenda.next_step_at,
            self._agenda.next_day(now.day),
        )

    def _open(self, item: str, now: Moment) -> None:
        self._memory = self._store.memory(item)
        self._basis = basis_of(self._store, self._scheduler, self._memory)
        self._agenda.opened(item, stage_of(self._memory))
        self._attempts = []
        self._confidence, self._unseen = None, True
        intervals = self._intervals(item, now)
        self.situation = opened(item, self._memory, self._catalogue, self._shelf, intervals)
        self._shown = now
        self.resume_timing()
        self.gate.changed()

    def _reopen(self, item: str) -> None:
        """Look again at an item that the session was waiting for."""
        if isinstance(self.situation, Pending) and self.situation.item == item:
            now = self._clock()
            if self._agenda.is_set_aside(item):
                self._advance()
            else:
                self._open(item, now)
        elif isinstance(self.situation, Pending):
            # Another problem is ready sooner: show that one and keep the awaited one in the queue.
            self._agenda.put_back(self.situation.item, self._memory)
            self._advance()

    def _redraw(self, now: Moment) -> None:
        assert isinstance(self.situation, CardPrompt | ProblemPrompt)
        self.situation = replace(self.situation, intervals=self._intervals(self.situation.item, now))
        self._shown = now

    def _intervals(self, item: str, now: Moment) -> dict[Rating, str]:
        outcomes = self._scheduler.outcomes(item, self._basis, now)
        return {
            rating: interval_text(after, now, self._settings.learn_ahead)
            for rating, after in outcomes.items()
        }

    def _duration(self) -> int:
        return min(_LONGEST_MS, max(0, round(1000 * (self._ticks() - self._shown_at))))

    @property
    def _opened(self) -> str | None:
        return None if isinstance(self.situation, Done) else self.situation.item

    def _pause(self, pause: Callable[[str, Moment, int], None], item: str | None) -> bool:
        if item is None:
            return False
        pause(item, self._clock(), self._answered)
        self.leech = None
        self._agenda.set_aside(item)
        if self._opened in (item, None):
            self._advance()
        return True

    def _put_back(self) -> None:
        """Return the open, unrated item to where it came from."""
        if not isinstance(self.situation, Done):
            self._agenda.put_back(self.situation.item, self._memory)
