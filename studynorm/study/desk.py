"""Everything one learner's program works with, opened once: progress, catalogue, scheduler and clock."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from studynorm.scheduling.scheduler import Scheduler
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Clock, Moment, moment_of
from studynorm.storage.home import Home
from studynorm.storage.store import Store
from studynorm.study.catalogue import Catalogue, open_catalogue
from studynorm.study.session import StudySession


@dataclass(frozen=True, slots=True)
class Desk:
    """One profile, open. Close it, or use it in a `with` block."""

    home: Home
    store: Store
    catalogue: Catalogue
    settings: Settings
    scheduler: Scheduler
    clock: Clock

    @property
    def worker_log(self) -> Path:
        """Where the engine process writes what it prints."""
        return self.home.logs / "worker.log"

    def session(self, *, topic: str | None = None, limit: int | None = None) -> StudySession:
        """Begin a StudySession on this desk; its reviews refer to the scheduler's weights."""
        self.store.remember_weights(self.scheduler.model, self.scheduler.weights)
        return StudySession(
            self.store, self.catalogue, self.scheduler, self.settings, self.clock, topic=topic, limit=limit
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.store.close()


def open_desk(home: Home, profile: str = "default", clock: Clock | None = None) -> Desk:
    """Open a profile of a home, creating both when absent.

    Raises StoreError, and NoDecks or NoFamilies where the installation is incomplete.
    """
    settings = Settings()
    catalogue = open_catalogue(home.decks)
    store = Store.open(home.profile_file(profile))
    scheduler = Scheduler(settings)
    return Desk(home, store, catalogue, settings, scheduler, clock or system_clock(settings.day_starts_at))


def system_clock(day_starts_at: int) -> Clock:
    """Return a clock that reads the system's time and zone."""

    def now() -> Moment:
        return moment_of(datetime.now(UTC), None, day_starts_at)

    return now
