"""What the tests of the upper layers share: a clock that stands still, a small library, a throw-away home."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from studynorm.content.library import load_library
from studynorm.engine.registry import load_family
from studynorm.engine.variant import Variant
from studynorm.scheduling.settings import Settings
from studynorm.scheduling.studyday import Moment, moment_of
from studynorm.storage.home import Home
from studynorm.storage.store import Store
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk
from studynorm.study.session import StudySession
from studynorm.study.situation import Key

SAMPLE = Path(__file__).parent / "sample"


@dataclass
class FrozenClock:
    """A clock that moves only when told to; called, it gives the moment."""

    utc: datetime = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    ticks: float = 100.0

    def __call__(self) -> Moment:
        return moment_of(self.utc, UTC)

    def forward(self, **delta: float) -> None:
        """Let time pass."""
        step = timedelta(**delta)
        self.utc += step
        self.ticks += step.total_seconds()

    def tick(self) -> float:
        """Return seconds that never run backwards."""
        return self.ticks


@pytest.fixture
def clock() -> FrozenClock:
    """A clock that stands at 09:00 UTC on Monday, 2 March 2026."""
    return FrozenClock()


@pytest.fixture
def desk_of(tmp_path: Path, clock: FrozenClock) -> Iterator[Callable[..., Desk]]:
    """Open a desk over the sample decks and the given families, in a throw-away home."""
    opened: list[Desk] = []

    def build(*families: str, settings: Settings | None = None) -> Desk:
        home = Home(tmp_path / "home")
        chosen = settings or Settings()
        store = Store.open(home.profile_file("default"))
        catalogue = build_catalogue(load_library(SAMPLE, None), families)
        desk = Desk(home, store, catalogue, chosen, clock)
        opened.append(desk)
        return desk

    yield build
    for desk in opened:
        desk.store.close()


@pytest.fixture
def session_of(clock: FrozenClock) -> Callable[..., StudySession]:
    """Begin a session whose ticks come from the frozen clock."""

    def begin(desk: Desk, **narrowed: object) -> StudySession:
        return StudySession(
            desk.store,
            desk.catalogue,
            desk.scheduler,
            desk.settings,
            clock,
            ticks=clock.tick,
            **narrowed,  # type: ignore[arg-type]
        )

    return begin


def verified(key: Key) -> Variant:
    """Return the variant of a key, verified by torch as the engine process does."""
    import torch

    from studynorm.engine.family import Family
    from studynorm.engine.oracle import verified_draw

    family = load_family(key.family)
    assert isinstance(family, Family)
    return verified_draw(family, key.level, key.seed, torch)


@pytest.fixture(name="verified")
def verified_fixture() -> Callable[[Key], Variant]:
    """Return what draws and verifies the variant of a key."""
    return verified
