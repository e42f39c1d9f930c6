"""What the screen tests share: the program over the sample decks, with an engine in the test itself."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from studynorm.engine.transport import to_json
from studynorm.engine.variant import Variant
from studynorm.study.desk import Desk
from studynorm.study.drill import DrillSession
from studynorm.study.session import StudySession
from studynorm.study.situation import Key, ProblemPrompt
from studynorm.tui.app import StudyNorm
from studynorm.worker.client import WorkerGone
from tests.conftest import FrozenClock


@dataclass
class LabEngine:
    """Draws verified variants in this process; dies or waits when told to."""

    draw: Callable[[Key], Variant]
    deaths: int = 0
    dies: int = 0
    asked: int = 0
    closed: bool = False
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    async def start(self) -> str:
        """Tell torch's version."""
        return "2.13.0+cpu"

    async def request(self, op: str, **arguments: Any) -> Any:
        """Answer a request for a variant."""
        assert op == "variant"
        self.asked += 1
        await self.may_answer.wait()
        if self.dies:
            self.dies -= 1
            self.deaths += 1
            raise WorkerGone("the engine stopped and was replaced")
        self.deaths = 0
        return to_json(self.draw(Key(arguments["family"], arguments["level"], arguments["seed"])))

    async def close(self) -> None:
        """Note the end."""
        self.closed = True


@dataclass
class Driver:
    """A running program, a hand on its keys and an eye on its screen."""

    app: StudyNorm
    pilot: Pilot[None]
    desk: Desk
    engine: LabEngine
    clock: FrozenClock

    async def press(self, *keys: str) -> None:
        """Press keys one second apart."""
        for key in keys:
            self.clock.forward(seconds=1)
            await self.pilot.press(key)
            await self.pilot.pause(0.02)  # a key may open a screen, which the next key is meant for

    async def click(self, widget: Widget | str, offset: tuple[int, int] | None = None) -> None:
        """Click the middle of a widget, or a place in it, a second after what was before."""
        self.clock.forward(seconds=1)
        await self.pilot.pause()
        assert await self.pilot.click(widget, offset=offset or (0, 0)), f"{widget} is not in view"
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type a text key by key, fast."""
        await self.pilot.press(*(_NAMES.get(char, char) for char in text))
        await self.pilot.pause()

    async def until(self, there: Callable[[], bool]) -> None:
        """Wait until something is the case."""
        for _ in range(300):
            if there():
                return
            await self.pilot.pause(0.01)
        raise AssertionError(f"it never came; the screen shows:\n{self.text}")

    async def until_shown(self, words: str) -> None:
        """Wait until the screen shows some words."""
        await self.until(lambda: words in self.text)

    @property
    def text(self) -> str:
        """What the screen shows, as lines."""
        return "\n".join(
            "".join(segment.text for segment in strip)
            for strip in self.app.screen._compositor.render_strips()
        )

    @property
    def session(self) -> StudySession:
        """The session on the screen."""
        session = getattr(self.app.screen, "session", None)
        assert isinstance(session, StudySession)
        return session

    @property
    def drill(self) -> DrillSession:
        """The drill on the screen."""
        session = getattr(self.app.screen, "session", None)
        assert isinstance(session, DrillSession)
        return session

    @property
    def problem(self) -> ProblemPrompt:
        """The problem on the screen."""
        session = getattr(self.app.screen, "session", None)
        assert isinstance(session, StudySession | DrillSession)
        assert isinstance(session.situation, ProblemPrompt)
        return session.situation

    @property
    def field(self) -> Any:
        """The answer field."""
        return self.app.screen.query_one("#answer")

    @property
    def typing(self) -> bool:
        """Whether the answer field has the keys."""
        return self.app.focused is not None and self.app.focused.id == "answer"

    def answers(self) -> int:
        """Return how many answers are stored for today."""
        return self.desk.store.day_summary(self.clock().day).answers


_NAMES = {
    " ": "space",
    "?": "question_mark",
    "-": "minus",
    ".": "full_stop",
    "/": "slash",
    "(": "left_parenthesis",
    ")": "right_parenthesis",
    ",": "comma",
    "−": "minus sign",
}

Running = Callable[..., AbstractAsyncContextManager[Driver]]


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def running(desk_of: Callable[..., Desk], clock: FrozenClock, verified: Callable[[Key], Variant]) -> Running:
    """Run the program over the sample decks and the given families, at home, with the engine ready."""

    @asynccontextmanager
    async def run(
        *families: str, size: tuple[int, int] = (80, 24), answers: bool = True
    ) -> AsyncIterator[Driver]:
        desk = desk_of(*families)
        desk.store.salt = "always the same variants"
        engine = LabEngine(verified)
        if answers:
            engine.may_answer.set()

        def opened() -> Desk:
            return replace(desk, ticks=clock.tick)

        def engines(log: Path) -> LabEngine:
            return engine

        app = StudyNorm(opened, engines)
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot, desk, engine, clock)
            await driver.until(lambda: bool(app.engine_chip))
            if answers:
                await driver.until(lambda: "torch" in app.engine_chip)
            yield driver

    return run
