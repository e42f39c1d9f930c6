"""Demos on the screen: predict, run with progress, compare, steer and cancel."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from studynorm.study.desk import Desk
from studynorm.tui.app import StudyNorm
from studynorm.worker.client import WorkerGone

PAYLOAD = {
    "schema": 1,
    "data": {},
    "table": {"name": "Products", "header": ["n", "value"], "rows": [[50, 0.7778]]},
    "plots": [
        {
            "title": "Product of the factors",
            "x_label": "layers",
            "y_label": "size",
            "log_x": False,
            "log_y": False,
            "y_is_log10": False,
            "series": [{"name": "residual", "x": [0.0, 50.0], "y": [1.0, 0.7778], "spread": None}],
        }
    ],
    "summary": ["The residual product is 0.7778."],
    "notes": [],
}


class DemoEngine:
    """Reports half of the way, then waits until it may finish or is closed."""

    def __init__(self) -> None:
        self.deaths = 0
        self.asked: dict[str, Any] = {}
        self.closed = False
        self.may_finish = asyncio.Event()

    async def start(self) -> str:
        return "2.13.0"

    async def request(self, op: str, *, timeout: float, progress: Any = None, **arguments: Any) -> Any:
        self.asked = arguments
        progress(0.5, "layer 25")
        await self.may_finish.wait()
        if self.closed:
            raise WorkerGone("the engine stopped and was replaced")
        return PAYLOAD

    async def close(self) -> None:
        self.closed = True
        self.may_finish.set()


def shown(app: StudyNorm) -> str:
    return "\n".join(
        "".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()
    )


def program(desk_of: Callable[..., Desk]) -> tuple[StudyNorm, list[DemoEngine]]:
    engines: list[DemoEngine] = []

    def make(log: Path) -> DemoEngine:
        engines.append(DemoEngine())
        return engines[-1]

    return StudyNorm(desk_of, make), engines


async def until(pilot: Any, there: Callable[[], bool]) -> None:
    for _ in range(300):
        if there():
            return
        await pilot.pause(0.01)
    raise AssertionError(f"it never came; the screen shows:\n{shown(pilot.app)}")


async def test_predict_run_and_compare(desk_of: Callable[..., Desk]) -> None:
    """A number key predicts and starts; the bar shows how far it is; the result names the prediction."""
    app, engines = program(desk_of)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(app.engine_chip))
        await pilot.press("d", "down", "enter")
        assert "What do you expect?" in shown(app)
        await pilot.press("2")
        await until(pilot, lambda: "layer 25" in shown(app))
        assert "50 %" in shown(app)
        engines[-1].may_finish.set()
        await until(pilot, lambda: "Product of the factors" in shown(app))
        assert "✓ Your prediction" in shown(app)
        await pilot.press("g")
        assert "0.7778" in shown(app)
        await pilot.press("q", "q")
    assert engines[-1].closed


async def test_escape_ends_the_run_and_its_process(desk_of: Callable[..., Desk]) -> None:
    """Esc while a demo runs kills its process and goes back to the question."""
    app, engines = program(desk_of)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(app.engine_chip))
        await pilot.press("d", "enter", "enter")
        await until(pilot, lambda: "layer 25" in shown(app))
        await pilot.press("escape")
        await until(pilot, lambda: "What do you expect?" in shown(app))
        assert engines[-1].closed
        assert "Stopped." in shown(app)


async def test_a_bad_setting_is_named_and_nothing_runs(desk_of: Callable[..., Desk]) -> None:
    """A value out of range is refused with the setting's name and range, before anything runs."""
    app, engines = program(desk_of)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(app.engine_chip))
        await pilot.press("d", "down", "enter", "s", "9", "9", "9", "9", "enter")
        assert "depth cannot be '9999': it takes a whole number from 1 to 1000" in shown(app)
        await pilot.press("backspace", "backspace", "enter")
        await until(pilot, lambda: "layer 25" in shown(app))
        assert engines[-1].asked["settings"]["depth"] == "99"
        engines[-1].may_finish.set()
        await until(pilot, lambda: "Product of the factors" in shown(app))
