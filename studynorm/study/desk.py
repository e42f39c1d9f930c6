"""Everything one learner's program works with, opened once: progress, catalogue, scheduler and clock."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Clock, Moment, moment_of
from studynorm.storage.home import Home
from studynorm.study.catalogue import Catalogue, open_catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studynorm.scheduling.scheduler import Scheduler
    from studynorm.storage.store import Store
    from studynorm.study.drill import DrillSession
    from studynorm.study.session import StudySession
    from studynorm.study.standing import Standing


@dataclass
class Desk:
    """One profile. Close it, or use it in a `with` block.

    `profile` is an open Store or the path of one, which is opened when `store` is first asked for; `ticks`
    returns the seconds of a steady clock, by which answers are timed and held keys told.
    """

    home: Home
    profile: "Store | Path"
    catalogue: Catalogue
    settings: Settings
    clock: Clock
    ticks: Callable[[], float] = time.monotonic
    standing: "Standing | None" = field(default=None, repr=False, compare=False)
    _opening: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    @property
    def path(self) -> Path:
        """The file of the profile."""
        return self.profile if isinstance(self.profile, Path) else self.profile.path

    @property
    def store(self) -> "Store":
        """The open profile; several threads may ask. Raises StoreError where it cannot be opened or made."""
        with self._opening:
            if isinstance(self.profile, Path):
                from studynorm.storage.store import Store

                self.profile = Store.open(self.profile)
            return self.profile

    @property
    def scheduler(self) -> "Scheduler":
        """The scheduler with this profile's settings and weights; made when asked for, FSRS loads slowly.

        Raises StoreError where the profile cannot be opened.
        """
        adopted = self.store.ledger.in_use()
        return _scheduler(self.settings, None if adopted is None else adopted.values)

    @property
    def worker_log(self) -> Path:
        """Where the engine process writes what it prints."""
        return self.home.logs / "worker.log"

    def session(self, *, topic: str | None = None, limit: int | None = None) -> "StudySession":
        """Begin a StudySession on this desk; its reviews refer to the scheduler's weights."""
        from studynorm.study.session import StudySession

        scheduler = self.scheduler
        self.store.remember_weights(scheduler.model, scheduler.weights, scheduler.rules)
        return StudySession(
            self.store,
            self.catalogue,
            scheduler,
            self.settings,
            self.clock,
            ticks=self.ticks,
            topic=topic,
            limit=limit,
        )

    def drill(
        self, families: "Sequence[str]", *, seed: int, level: int | None = None, count: int | None = None
    ) -> "DrillSession":
        """Begin a drill of some families on this desk."""
        from studynorm.study.drill import DrillSession

        return DrillSession(
            self.store, families, self.clock, seed=seed, level=level, count=count, ticks=self.ticks
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the profile, if it was opened; closing twice is harmless."""
        if not isinstance(self.profile, Path):
            self.profile.close()


def open_desk(home: Home, profile: str = "default", clock: Clock | None = None) -> Desk:
    """Return the desk of a profile; the profile itself is opened, or made, when it is first needed.

    Raises StoreError for a name that is none, and NoDecks or NoFamilies where the installation is incomplete.
    """
    settings = Settings()
    catalogue = open_catalogue(home.decks)
    return Desk(
        home, home.profile_file(profile), catalogue, settings, clock or system_clock(settings.day_starts_at)
    )


@lru_cache(maxsize=8)
def _scheduler(settings: Settings, weights: "tuple[float, ...] | None") -> "Scheduler":
    from studynorm.scheduling.scheduler import Scheduler

    return Scheduler(settings, weights)


def system_clock(day_starts_at: int) -> Clock:
    """Return a clock that reads the system's time and zone."""

    def now() -> Moment:
        return moment_of(datetime.now(UTC), None, day_starts_at)

    return now
