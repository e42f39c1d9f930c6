"""The engine process: it answers, it is replaced when it dies or hangs, and it never outlives its owner."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from studynorm.engine.transport import from_json
from studynorm.scheduling.scheduler import PUBLISHED
from studynorm.worker.client import COMMAND, RequestFailed, Worker, WorkerGone

# A stand-in that speaks the protocol without torch: it dies, sleeps, prints or answers as it is told.
STAND_IN = """
import json, os, sys, time
print(json.dumps({"ready": "0.0"}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "die":
        os._exit(3)
    if request["op"] == "hang":
        time.sleep(60)
    if request["op"] == "noise":
        print("this is no JSON", flush=True)
    print(json.dumps({"id": request["id"], "progress": 0.5, "text": "half"}), flush=True)
    print(json.dumps({"id": request["id"], "result": os.getpid()}), flush=True)
"""


@pytest_asyncio.fixture
async def stand_in() -> AsyncIterator[Worker]:
    worker = Worker(command=(sys.executable, "-c", STAND_IN))
    yield worker
    await worker.close()


async def test_the_real_engine_draws_a_verified_variant(tmp_path: Path) -> None:
    """It starts, names torch, and gives the same variant for the same key, with the proof attached."""
    worker = Worker(tmp_path / "logs" / "worker.log")
    try:
        version = await worker.start()
        assert version.startswith("2.")
        assert worker.ready
        data = await worker.request("variant", timeout=20, family="batchnorm.entry", level=1, seed=5)
        variant = from_json(data)
        assert variant.verified is not None
        assert variant.verified.max_abs_diff < 1e-12
        assert data == await worker.request("variant", timeout=20, family="batchnorm.entry", level=1, seed=5)
        with pytest.raises(RequestFailed, match="no family"):
            await worker.request("variant", timeout=20, family="batchnorm.nothing", level=1, seed=5)
        with pytest.raises(RequestFailed, match="640 of the 640 reviews that a fit needs are missing"):
            await worker.request("optimise", timeout=20, histories=[], weights=list(PUBLISHED))
        assert await worker.request("ping", timeout=20) == "pong"
    finally:
        await worker.close()
    assert not worker.ready


async def test_a_dead_engine_is_replaced(stand_in: Worker) -> None:
    """The request that killed it fails at once; the next one is answered by another process."""
    first = await stand_in.request("pid", timeout=5)
    with pytest.raises(WorkerGone):
        await stand_in.request("die", timeout=5)
    assert await stand_in.request("pid", timeout=5) != first


async def test_an_engine_killed_between_requests_is_replaced(stand_in: Worker) -> None:
    """A kill -9 from outside is noticed and mended by the next request."""
    first = await stand_in.request("pid", timeout=5)
    os.kill(first, signal.SIGKILL)
    for _ in range(50):
        try:
            second = await stand_in.request("pid", timeout=5)
            break
        except WorkerGone:
            await asyncio.sleep(0.05)
    assert second != first


async def test_a_hung_engine_is_ended_and_replaced(stand_in: Worker) -> None:
    """After the time-out the process is gone, not merely ignored."""
    first = await stand_in.request("pid", timeout=5)
    with pytest.raises(WorkerGone, match=r"0\.3 s"):
        await stand_in.request("hang", timeout=0.3)
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
    assert await stand_in.request("pid", timeout=5) != first


async def test_progress_and_noise(stand_in: Worker) -> None:
    """Progress reaches its caller, and a line that is no message is passed over."""
    heard: list[tuple[float, str]] = []
    await stand_in.request("noise", timeout=5, progress=lambda fraction, text: heard.append((fraction, text)))
    assert heard == [(0.5, "half")]


async def test_an_engine_that_cannot_start_says_so() -> None:
    """A process that ends before it is ready raises, counts as a death and does not hang."""
    worker = Worker(command=(sys.executable, "-c", "raise SystemExit(1)"))
    for deaths in (1, 2):
        with pytest.raises(WorkerGone):
            await worker.request("ping", timeout=5)
        assert worker.deaths == deaths
    await worker.close()


def test_the_engine_ends_with_its_owner() -> None:
    """When the pipe to it is closed, the process ends by itself, though it was at work."""
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        assert b"ready" in engine.stdout.readline()
        engine.stdin.close()
        deadline = time.monotonic() + 20
        while engine.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert engine.poll() == 0
