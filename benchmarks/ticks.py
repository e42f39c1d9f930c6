"""The longest gap between ticks of the screen while the engine loads, against the same app without it.

A ticker at 30 Hz runs in the real application, headless. Medians of several runs in one call.
"""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from studynorm.storage.home import Home
from studynorm.study.desk import open_desk
from studynorm.tui.app import StudyNorm

PERIOD = 1 / 30
SECONDS = 4.0
"""Longer than torch takes to load."""


async def _longest_gap(*, engine: bool) -> float:
    with tempfile.TemporaryDirectory() as folder:
        app = StudyNorm(lambda: open_desk(Home(Path(folder))), engine=engine)
        gaps: list[float] = []
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            last = time.perf_counter()
            end = last + SECONDS
            while last < end:
                await asyncio.sleep(PERIOD)
                now = time.perf_counter()
                gaps.append(now - last)
                last = now
        app.close_desk()
    return max(gaps)


def tick_gaps(runs: int = 5) -> tuple[float, float]:
    """Return the median longest gap in seconds with the engine loading, and without it."""
    loaded, idle = [], []
    for _ in range(runs):
        loaded.append(asyncio.run(_longest_gap(engine=True)))
        idle.append(asyncio.run(_longest_gap(engine=False)))
    return statistics.median(loaded), statistics.median(idle)
