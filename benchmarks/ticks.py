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


async def _longest_gap(*, engine: bool) -> float:
    with tempfile.TemporaryDirectory() as folder:
        app = StudyNorm(lambda: open_desk(Home(Path(folder))), engine=engine)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            gaps: list[float] = []
            last = time.perf_counter()
            end = last + SECONDS
            while last < end:
                await asyncio.sleep(PERIOD)
                now = time.perf_counter()
                gaps.append(now - last)
                last = now
    return max(gaps)


def tick_ratio(runs: int = 5) -> tuple[float, float, float]:
    """Return the median longest gap with the engine loading, without it, and their ratio; gaps in ms."""
    loaded, idle = [], []
    for _ in range(runs):
        loaded.append(asyncio.run(_longest_gap(engine=True)))
        idle.append(asyncio.run(_longest_gap(engine=False)))
    first, second = statistics.median(loaded), statistics.median(idle)
    return 1000 * first, 1000 * second, first / second
