"""Keeps the engine process at work for a session: fetches what is coming, survives what goes wrong.

The screens never wait for it: they look at the session when `changed` is called.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from studynorm.worker.client import RequestFailed, WorkerGone

if TYPE_CHECKING:
    from studynorm.engine.variant import Variant
    from studynorm.study.situation import Key

_REQUEST_SECONDS = 20.0
_MOST_DEATHS = 3
_DEATHS_OF_ONE_KEY = 2
_KEPT_VARIANTS = 200


class Engine(Protocol):
    """What is needed of `studynorm.worker.client.Worker`."""

    deaths: int

    async def start(self) -> str:
        """Return torch's version once it is loaded."""

    async def request(
        self,
        op: str,
        *,
        timeout: float,
        progress: Callable[[float, str], None] | None = None,
        **arguments: object,
    ) -> Any:
        """Return the result of one request."""

    async def close(self) -> None:
        """End the process."""


class Served(Protocol):
    """What is needed of a session: it names the variants it wants, the next one first, and takes them."""

    def wanted(self, most: int = 6) -> "tuple[Key, ...]":
        """Return the variants that are not there yet."""

    def provide(self, key: "Key", variant: "Variant") -> None:
        """Take a variant."""

    def refuse(self, key: "Key", reason: str) -> None:
        """Note that a variant cannot be drawn."""


class Health(StrEnum):
    """How the engine process is."""

    WARMING = "warming"
    READY = "ready"
    REPLACED = "replaced"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class EngineState:
    """The engine's health, torch's version once known, and where its log is."""

    health: Health = Health.WARMING
    torch: str = ""
    log: Path | None = None

    @property
    def chip(self) -> str:
        """A few words for the bottom line."""
        match self.health:
            case Health.READY:
                return f"engine: torch {self.torch}"
            case Health.WARMING:
                return "engine: warming up"
            case Health.REPLACED:
                return "engine: starting again"
            case Health.GIVEN_UP:
                return "engine: stopped"

    @property
    def trouble(self) -> str | None:
        """What to tell the learner, None while all is well."""
        if self.health is Health.REPLACED:
            return "The engine stopped and is being replaced. Nothing is lost."
        if self.health is Health.GIVEN_UP:
            where = f" Its log: {self.log}." if self.log is not None else ""
            return f"The engine stopped {_MOST_DEATHS} times, so problems have to wait; cards go on.{where}"
        return None


class EngineLink:
    """Serves one session at a time with variants, the one that is needed next first."""

    def __init__(self, engine: Engine, log: Path | None, changed: Callable[[], None]) -> None:
        self.state = EngineState(log=log)
        self._engine = engine
        self._changed = changed
        self._wake = asyncio.Event()
        self._session: Served | None = None
        self._variants: dict[Key, Variant] = {}
        self._deaths: Counter[Key] = Counter()

    @property
    def serves(self) -> bool:
        """Whether there is a session to work for."""
        return self._session is not None

    def serve(self, session: Served) -> None:
        """Work for this session from now on; what is already there is handed over at once."""
        self._session = session
        self._hand_over()
        self._wake.set()

    def look(self) -> None:
        """Look again at what the session wants."""
        self._hand_over()
        self._wake.set()

    def try_again(self) -> None:
        """Start over after the engine was given up."""
        self._engine.deaths = 0
        self._deaths.clear()
        self._enter(Health.WARMING)
        self._wake.set()

    async def run(self) -> None:
        """Start the engine and serve until cancelled."""
        while True:
            try:
                if self.state.health is not Health.GIVEN_UP:
                    self._enter(Health.READY, await self._engine.start())
                    await self._fetch_wanted()
            except WorkerGone:
                self._lost()
                continue
            await self._wake.wait()
            self._wake.clear()

    async def close(self) -> None:
        """End the engine process."""
        await self._engine.close()

    async def _fetch_wanted(self) -> None:
        from studynorm.engine.transport import from_json

        while (key := self._next()) is not None:
            try:
                found = await self._engine.request(
                    "variant",
                    timeout=_REQUEST_SECONDS,
                    family=key.family,
                    level=key.level,
                    seed=key.seed,
                )
            except RequestFailed as failed:
                self._refuse(key, str(failed))
            except WorkerGone as gone:
                self._deaths[key] += 1
                if self._deaths[key] >= _DEATHS_OF_ONE_KEY:
                    self._refuse(key, str(gone))
                raise
            else:
                self._remember(key, from_json(found))

    def _next(self) -> "Key | None":
        self._hand_over()
        wanted = self._session.wanted() if self._session is not None else ()
        return wanted[0] if wanted else None

    def _hand_over(self) -> None:
        """Give the session what was fetched, perhaps while another one was served."""
        if self._session is None:
            return
        given = [key for key in self._session.wanted() if key in self._variants]
        for key in given:
            self._session.provide(key, self._variants[key])
        if given:
            self._changed()

    def _refuse(self, key: "Key", reason: str) -> None:
        if self._session is not None and key in self._session.wanted():
            self._session.refuse(key, reason)
            self._changed()

    def _remember(self, key: "Key", variant: "Variant") -> None:
        self._variants[key] = variant
        while len(self._variants) > _KEPT_VARIANTS:
            del self._variants[next(iter(self._variants))]

    def _lost(self) -> None:
        self._enter(Health.GIVEN_UP if self._engine.deaths >= _MOST_DEATHS else Health.REPLACED)

    def _enter(self, health: Health, torch: str = "") -> None:
        state = EngineState(health, torch.partition("+")[0] or self.state.torch, self.state.log)
        if state != self.state:
            self.state = state
            self._changed()
