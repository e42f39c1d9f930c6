"""The screen of FSRS' weights: a fit that is adopted, kept or stopped, and going back to others."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from studynorm.scheduling.scheduler import PUBLISHED
from studynorm.study.desk import Desk
from studynorm.tui.optimise_screen import OptimiseScreen, WeightsList
from studynorm.tui.settings_screen import SettingsScreen
from studynorm.worker.client import WorkerGone
from tests.learner import TRUE, keep, reviews
from tests.tui.conftest import Driver, Running

ANSWER: dict[str, Any] = {
    "weights": list(TRUE),
    "n_train": 544,
    "n_held_out": 136,
    "before": 0.4071,
    "after": 0.3985,
}


@dataclass
class FitEngine:
    """An engine process that finds weights as soon as it may, or dies."""

    answer: dict[str, Any] | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    may_finish: asyncio.Event = field(default_factory=asyncio.Event)
    closed: int = 0
    deaths: int = 0

    async def start(self) -> str:
        """Tell torch's version."""
        return "2.13.0"

    async def request(self, op: str, **arguments: Any) -> Any:
        """Report half of the way, wait, and answer."""
        assert op == "optimise"
        self.asked.append(arguments)
        arguments["progress"](0.5, "fitting")
        await self.may_finish.wait()
        if self.answer is None:
            raise WorkerGone("the engine stopped and was replaced")
        return self.answer

    async def close(self) -> None:
        """Count the ends."""
        self.closed += 1


async def opened(driver: Driver, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any] | None) -> FitEngine:
    """Give the screen's engine an answer, and open the screen by its keys."""
    engine = FitEngine(answer)
    monkeypatch.setattr(driver.app, "new_engine", lambda: engine)
    await driver.press("o")
    await driver.until(lambda: isinstance(driver.app.screen, SettingsScreen))
    await driver.press("w")
    await driver.until(lambda: isinstance(driver.app.screen, OptimiseScreen))
    await driver.until(lambda: "Reading" not in driver.text)
    return engine


def used(desk: Desk) -> tuple[float, ...]:
    """Return the weights that the next review is computed with."""
    return tuple(desk.scheduler.weights)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (50, 16)])
async def test_a_better_fit_is_adopted_and_taken_back(
    running: Running, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    """`f` fits beside everything else, the screen says by how much; a row of the list goes back."""
    async with running(size=size) as driver:
        keep(driver.desk, reviews(1000))
        engine = await opened(driver, monkeypatch, ANSWER)
        await driver.until_shown("a fit needs 640")
        await driver.press("f")
        await driver.until_shown("50 %")
        assert used(driver.desk) == PUBLISHED
        await driver.press("f", "enter")  # neither a second fit nor other weights meanwhile
        engine.may_finish.set()
        await driver.until_shown("✓ Adopted: held-out log loss 0.4071")
        assert len(engine.asked) == 1
        assert engine.asked[0]["weights"] == list(PUBLISHED)
        assert used(driver.desk) == TRUE
        assert driver.desk.store.ledger.in_use() is not None
        await driver.press("up", "enter")
        assert used(driver.desk) == PUBLISHED
        await driver.until_shown("In use now: the published weights")


async def test_a_fit_that_is_no_better_changes_nothing(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so with both losses."""
    async with running() as driver:
        keep(driver.desk, reviews(1000))
        engine = await opened(driver, monkeypatch, {**ANSWER, "after": 0.4171})
        engine.may_finish.set()
        await driver.press("f")
        await driver.until_shown("= Kept: held-out log loss 0.4071 → 0.4171")
        assert used(driver.desk) == PUBLISHED


async def test_esc_stops_a_fit_and_the_next_one_runs(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is ended, nothing has changed, and the keys are there again; leaving ends it too."""
    async with running() as driver:
        keep(driver.desk, reviews(1000))
        engine = await opened(driver, monkeypatch, ANSWER)
        await driver.press("f")
        await driver.until_shown("50 %")
        await driver.press("escape")
        await driver.until_shown("Stopped. Nothing was changed.")
        assert engine.closed == 1
        engine.may_finish.set()
        await driver.press("f")
        await driver.until_shown("✓ Adopted")
        await driver.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, SettingsScreen))
        await driver.until(lambda: engine.closed == 2)


async def test_an_engine_that_dies_is_told(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line; a fit can be begun again."""
    async with running() as driver:
        keep(driver.desk, reviews(1000))
        engine = await opened(driver, monkeypatch, None)
        engine.may_finish.set()
        await driver.press("f")
        await driver.until_shown("! the engine stopped and was replaced. Nothing was changed.")
        await driver.press("f")
        await driver.until(lambda: len(engine.asked) == 2)


async def test_other_weights_that_came_into_use_meanwhile_stay(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fit was not measured against them."""
    others = (*PUBLISHED[:20], 0.2)
    async with running() as driver:
        keep(driver.desk, reviews(1000))
        engine = await opened(driver, monkeypatch, ANSWER)
        await driver.press("f")
        await driver.until_shown("50 %")
        driver.desk.store.ledger.adopt("FSRS-6", others)
        engine.may_finish.set()
        await driver.until_shown("Not adopted: other weights came into use meanwhile")
        assert used(driver.desk) == others


async def test_too_few_reviews_offer_no_fit(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how many are missing, and `f` does nothing."""
    async with running() as driver:
        engine = await opened(driver, monkeypatch, ANSWER)
        await driver.until_shown("0 of the 640 reviews that a fit needs: 640 missing.")
        await driver.press("f")
        assert engine.asked == []
        assert "Fit to my reviews" not in driver.text


async def test_a_click_uses_weights(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of the list is a button; the one in use says so."""
    async with running() as driver:
        driver.desk.store.ledger.adopt("FSRS-6", TRUE)
        await opened(driver, monkeypatch, ANSWER)
        rows = driver.app.screen.query_one(WeightsList)
        await driver.click(rows, (20, 1))
        await driver.until_shown("These are in use.")
        await driver.click(rows, (20, 0))
        await driver.until(lambda: used(driver.desk) == PUBLISHED)
