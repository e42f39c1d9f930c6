"""Makes the screenshots of the documentation: `python -m benchmarks.screens [--out FOLDER]`.

Drives the program over a throw-away profile with some weeks of made-up history, at a fixed time, and
saves each screen as SVG at 80×24 and 120×40.
"""

import argparse
import asyncio
import contextlib
import html
import re
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from rich.cells import cell_len
from textual.pilot import Pilot

from studynorm.engine.numbers import plain
from studynorm.scheduling.rating import Rating
from studynorm.scheduling.studyday import Moment, moment_of
from studynorm.storage.home import Home
from studynorm.study.desk import Desk, open_desk
from studynorm.study.session import StudySession
from studynorm.study.situation import CardPrompt, Done, Pending, ProblemPrompt
from studynorm.tui.app import StudyNorm
from studynorm.tui.drill_done_screen import DrillDoneScreen
from studynorm.tui.home_screen import HomeScreen
from studynorm.tui.practice import Practice
from studynorm.worker.client import Worker

NOW = datetime(2026, 9, 15, 7, 30, tzinfo=UTC)
SIZES = ((80, 24), (120, 40))
DAYS, NEW_A_DAY, ANSWERS_TODAY = 40, 3, 6
KINDS = {
    "choice": ("concepts.choose", ("down", "down", "space")),
    "yes-no": ("statistics.sharing_tokens", ("down", "y", "n", "y")),
    "order": ("code_reading.order_lines", ("down", "J", "down", "x", "space")),
}
DRILLED, DRILL_SEED = ("residual.growth", "residual.short_paths", "stream_scale.doubling"), 7
DAYS_OFF = (3, 2, 1)
PARTS = {"forecast": "3", "memory": "4", "problems": "5", "slips": "6"}
INTERVIEW, BREAK = date(2026, 10, 5), timedelta(days=60)
PROBLEM_TOPIC, SLIP, DEMO = "batchnorm", "unbiased_variance", "pre_post_ln"
NOTED, FORMULAS = "batchnorm", "card:backward/jacobian-entry"
THEMES = {"dark": "studynorm", "light": "studynorm-light", "terminal": "ansi-dark"}
SALT = "the same variants in every picture"


class Clock:
    """Stands still until told to move; its ticks run, so that no key counts as held."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.ticks = 0.0

    def __call__(self) -> Moment:
        """Return the moment."""
        return moment_of(self.now, UTC)

    def tick(self) -> float:
        """Return seconds; each call is one later."""
        self.ticks += 1.0
        return self.ticks


def opened(folder: Path, clock: Clock) -> Desk:
    """Open the throw-away profile."""
    desk = open_desk(Home(folder), clock=clock)
    desk.store.salt = SALT
    return replace(desk, settings=replace(desk.settings, new_per_day=5), ticks=clock.tick)


def write_history(desk: Desk, clock: Clock) -> None:
    """Write reviews of the past weeks: new items every day, due ones on time, one in nine forgotten."""
    items = [item for item in desk.catalogue.candidates if item != f"family:{PROBLEM_TOPIC}.vector"]
    begun = 0
    for day in range(DAYS, -1, -1):
        clock.now = NOW - timedelta(days=day, hours=1)
        due = [memory.item for memory in desk.store.due_reviews(clock().day, 500)]
        fresh = items[begun : begun + NEW_A_DAY] if day else []
        begun += len(fresh)
        if day in DAYS_OFF:
            continue
        for number, item in enumerate(due[:ANSWERS_TODAY] if day == 0 else [*due, *fresh]):
            memory = desk.store.memory(item)
            forgotten = memory is not None and (number + day) % 9 == 4
            ratings = [Rating.AGAIN if forgotten else Rating.GOOD if memory is not None else Rating.EASY]
            if forgotten and day:
                ratings.append(Rating.GOOD)
            for rating in ratings:
                clock.now += timedelta(seconds=25)
                memory = desk.store.memory(item)
                review = desk.scheduler.review(item, memory, rating, clock(), duration_ms=25_000)
                desk.store.record(review)
    clock.now = NOW


_TEXT = re.compile(r'textLength="([0-9.]+)"([^>]*)>([^<]*)<')


def _as_wide_as_its_cells(match: re.Match[str]) -> str:
    """Give a text of a picture its width in cells: Rich counts a combining mark as one of its own."""
    text = html.unescape(match[3])
    width = float(match[1]) * cell_len(text) / max(1, len(text))
    return f'textLength="{width:.1f}"{match[2]}>{match[3]}<'


class Camera:
    """Walks through the program and takes the pictures."""

    def __init__(self, app: StudyNorm, pilot: Pilot[None], out: Path, size: tuple[int, int]) -> None:
        self._app = app
        self._pilot = pilot
        self._out = out
        self._suffix = f"{size[0]}x{size[1]}"

    @property
    def session(self) -> StudySession:
        """The session on the screen."""
        session = getattr(self._app.screen, "session", None)
        assert isinstance(session, StudySession)
        return session

    async def take(self, name: str) -> None:
        """Save the screen."""
        await self._pilot.pause(0.3)
        picture = _TEXT.sub(_as_wide_as_its_cells, self._app.export_screenshot(title="studynorm"))
        (self._out / f"{name}-{self._suffix}.svg").write_text(picture, encoding="utf-8")

    async def until(self, there: Callable[[], bool]) -> None:
        """Wait until something is the case, at most a minute."""
        for _ in range(1200):
            if there():
                return
            await self._pilot.pause(0.05)
        raise TimeoutError(f"the program did not get on; it shows {self._app.screen}")

    async def walk(self) -> None:
        """Take every picture."""
        await self.until(lambda: "torch" in self._app.engine_chip)
        await self.take("home")
        await self.topic()
        await self.browse()
        await self.look_up()
        await self.interview()
        await self.themes()
        await self.review()
        await self.problem()
        await self.kinds()
        await self.drill()
        await self.standing()
        await self.done()
        await self.demo()

    async def topic(self) -> None:
        """Show the note of a topic, and its items."""
        self._app.show_topic(NOTED)
        await self.take("topic")
        await self._pilot.press("tab")
        await self.take("topic-items")
        await self._pilot.press("escape")

    async def browse(self) -> None:
        """Show the items that a filter leaves, one of them, and its history."""
        self._app.show_browse("variance is:mature")
        await self.take("browse")
        await self._pilot.press("enter")
        await self.take("browse-card")
        await self._pilot.press("escape", "h")
        await self.take("browse-history")
        await self._pilot.press("escape", "q")

    async def look_up(self) -> None:
        """Show a term of the glossary, and a diagram."""
        self._app.show_reference("rmsnorm")
        await self.take("glossary")
        await self._pilot.press("escape", "escape")
        self._app.show_reference()
        await self._pilot.press("4", "enter")
        await self.take("diagram")
        await self._pilot.press("escape", "escape")
        while not isinstance(self._app.screen, HomeScreen):
            await self._pilot.press("escape")

    async def interview(self) -> None:
        """Show the questions, and one that is being graded."""
        self._app.show_interview()
        await self.take("interview")
        await self._pilot.press("enter", "space", "1", "3")
        await self.take("interview-points")
        await self._pilot.press("escape", "escape", "q")

    async def standing(self) -> None:
        """Show how learning goes, what would be recalled on a day, and the options."""
        self._app.show_progress()
        await self.take("progress")
        for part, key in PARTS.items():
            await self._pilot.press(key)
            await self.take(f"progress-{part}")
        await self._pilot.press("escape")
        desk = self._app.desk
        desk.use(replace(desk.config, settings=replace(desk.settings, interview_date=INTERVIEW)))
        self._app.show_readiness()
        await self.take("readiness")
        await self._pilot.press("escape")
        self._app.show_settings()
        await self.take("options")
        await self._pilot.press("escape")

    async def back(self) -> None:
        """Show the first screen after a break, and the plans for what is waiting."""
        await self.take("home-after-a-break")
        self._app.show_catch_up()
        await self.take("catch-up")

    async def themes(self) -> None:
        """Show a card that is full of formulas in every kind of theme."""
        card = self._app.desk.catalogue.library.card(FORMULAS)
        assert card is not None
        for name, theme in THEMES.items():
            self._app.theme = theme
            self._app.show_review(topic=card.deck_id)
            await self._pilot.pause(0.3)
            situation = self.session.situation
            assert isinstance(situation, CardPrompt | ProblemPrompt)
            self.session.situation = CardPrompt(
                FORMULAS, card.deck_id, situation.stage, card, None, False, situation.intervals
            )
            await self._pilot.press("space")
            await self.take(f"formulas-{name}")
            await self._pilot.press("q")
        self._app.theme = THEMES["dark"]

    async def review(self) -> None:
        """Show a card, and its answer."""
        await self._pilot.press("enter")
        await self.until(lambda: not isinstance(self.session.situation, Pending))
        while not isinstance(self.session.situation, CardPrompt):
            await self._pilot.press("f3", "1")
        await self.take("card")
        await self._pilot.press("space")
        await self.take("answer")
        await self._pilot.press("q")

    async def problem(self) -> None:
        """Show a problem, the verdict on a common slip, and the worked solution."""
        self._app.show_review(topic=PROBLEM_TOPIC)
        await self.until(lambda: getattr(self._app.screen, "session", None) is not None)
        wanted = f"family:{PROBLEM_TOPIC}.vector"
        while getattr(self.session.situation, "item", "") != wanted:
            prompt = self.session.situation
            assert not isinstance(prompt, Done)
            keys = {CardPrompt: ("space", "3"), ProblemPrompt: ("f3", "1"), Pending: ()}[type(prompt)]
            await self._pilot.press(*keys)
            await self._pilot.pause(0.05)
        prompt = self.session.situation
        assert isinstance(prompt, ProblemPrompt)
        await self.take("problem")
        slip = next(slip for slip in prompt.variant.misconceptions if slip.id == SLIP)
        typed = ", ".join(plain(round(value, 4)) for value in slip.value)
        self._app.screen.query_one("#answer").value = typed  # type: ignore[attr-defined]
        await self._pilot.pause()
        await self._pilot.press("enter")
        await self.take("verdict")
        await self._pilot.press("w")
        await self.take("solution")
        await self._pilot.press("f1")
        await self.take("help")
        await self._pilot.press("escape", "q")

    async def begin(self, *families: str, count: int | None = None) -> None:
        """Begin a drill and wait for its first problem."""
        self._app.show_drill(Practice(families, seed=DRILL_SEED, count=count, mixed=False))
        await self.until(self.asked)

    def asked(self) -> bool:
        """Tell whether an answer can be typed."""
        return self._app.focused is not None and self._app.focused.id == "answer"

    async def kinds(self) -> None:
        """Show answers that are picked, half way."""
        for name, (family, keys) in KINDS.items():
            await self.begin(family)
            await self._pilot.press(*keys)
            await self.take(name)
            await self._pilot.press("escape", "q")

    async def drill(self) -> None:
        """Show what can be practised, a problem of a drill that was solved, and the end of the drill."""
        self._app.show_practice()
        await self.take("practice")
        await self._pilot.press("q")
        await self.begin(*DRILLED, count=len(DRILLED))
        for number, _ in enumerate(DRILLED):
            await self.until(self.asked)
            prompt = self._app.screen.session.situation  # type: ignore[attr-defined]
            answer = plain(prompt.variant.answer) if number != 2 else "1000"
            self._app.screen.query_one("#answer").value = answer  # type: ignore[attr-defined]
            await self._pilot.press("enter")
            if number == 1:
                await self.take("drill")
            elif number == 2:
                await self._pilot.press("f3")
            await self._pilot.pause(0.2)
            await self._pilot.press("enter")
        await self.until(lambda: isinstance(self._app.screen, DrillDoneScreen))
        await self.take("drill-done")
        await self._pilot.press("q")

    async def done(self) -> None:
        """Answer everything, and show the end of the session."""
        self._app.show_review()
        await self._pilot.pause(0.3)
        session = self.session
        while not isinstance(session.situation, Done):
            prompt = session.situation
            if isinstance(prompt, CardPrompt):
                await self._pilot.press("space", "4")
            elif isinstance(prompt, ProblemPrompt):
                await self._pilot.press("f3", "4")
            await self._pilot.pause(0.1)
        await self.take("done")
        await self._pilot.press("q")

    async def demo(self) -> None:
        """Show the question of a demo, and its result."""
        from studynorm.demos.registry import demos
        from studynorm.tui.demo_screen import DemoScreen

        screen = DemoScreen(demos()[DEMO])
        await self._app.push_screen(screen)
        await self.take("demo-question")
        await self._pilot.press("2")
        await self.until(lambda: str(screen.stage) == "result")
        await self._pilot.pause(1.0)
        await self.take("demo")


@contextlib.asynccontextmanager
async def running(
    folder: Path, size: tuple[int, int], later: timedelta = timedelta()
) -> AsyncIterator[tuple[StudyNorm, Pilot[None]]]:
    """Run the program over a fresh profile of its own, some time after its last answer."""
    clock = Clock(NOW)
    desk = opened(folder, clock)
    write_history(desk, clock)
    clock.now += later
    app = StudyNorm(lambda: desk, lambda log: Worker(log))
    try:
        async with app.run_test(size=size) as pilot:
            yield app, pilot
    finally:
        app.close_desk()


async def make(out: Path) -> None:
    """Make all pictures."""
    out.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            async with running(Path(folder), size) as (app, pilot):
                await Camera(app, pilot, out, size).walk()
        with tempfile.TemporaryDirectory() as folder:
            async with running(Path(folder), size, BREAK) as (app, pilot):
                await Camera(app, pilot, out, size).back()


def main() -> None:
    """Make the pictures into the folder that was named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/screenshots"))
    asyncio.run(make(parser.parse_args().out))


if __name__ == "__main__":
    main()
