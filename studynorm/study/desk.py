"""Everything one learner's program works with, opened once: progress, catalogue, scheduler and clock."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Clock, Moment, moment_of
from studynorm.storage.home import Home, find_profile
from studynorm.study.catalogue import Catalogue, open_catalogue
from studynorm.study.config import Config, read_config
from studynorm.study.zone import zone_trouble

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
    returns the seconds of a steady clock, by which answers are timed and held keys told. Once open, a write
    waits `patience_ms` for another program; None leaves it at the usual five seconds.
    """

    home: Home
    profile: "Store | Path"
    catalogue: Catalogue
    settings: Settings
    clock: Clock
    ticks: Callable[[], float] = time.monotonic
    config: Config = field(default_factory=Config)
    standing: "Standing | None" = field(default=None, repr=False, compare=False)
    patience_ms: int | None = None
    _opening: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.config.settings != self.settings:
            self.config = replace(self.config, settings=self.settings)

    def use(self, config: Config) -> None:
        """Go by other options from here on; a session that has begun keeps its own."""
        self.config, self.settings = config, config.settings
        if isinstance(self.clock, SystemClock):
            self.clock.day_starts_at = config.settings.day_starts_at

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is not as it should be with the options and the time zone, one line each."""
        zone = self.zone_trouble
        options = (f"{self.config.path}: {trouble}" for trouble in self.config.troubles)
        return (*options, *([] if zone is None else [zone]))

    @property
    def zone_trouble(self) -> str | None:
        """What is wrong with the time zone that the environment names; None where it is one."""
        return zone_trouble(os.environ)

    @property
    def name(self) -> str:
        """The name of the profile."""
        return self.path.stem

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
                if self.patience_ms is not None:
                    self.profile.wait_at_most(self.patience_ms)
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

    def session(
        self, *, topic: str | None = None, limit: int | None = None, items: "Sequence[str] | None" = None
    ) -> "StudySession":
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
            items=items,
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
    path = find_profile(home, profile)
    config = read_config(home.config_file, profile)
    clock = clock or SystemClock(config.settings.day_starts_at)
    return Desk(home, path, open_catalogue(home.decks), config.settings, clock, config=config)


@lru_cache(maxsize=8)
def _scheduler(settings: Settings, weights: "tuple[float, ...] | None") -> "Scheduler":
    from studynorm.scheduling.scheduler import Scheduler

    return Scheduler(settings, weights)


@dataclass
class SystemClock:
    """A clock that reads the system's time and zone; `day_starts_at` is the local hour of a study day."""

    day_starts_at: int

    def __call__(self) -> Moment:
        """Return the moment of now."""
        return moment_of(datetime.now(UTC), None, self.day_starts_at)
