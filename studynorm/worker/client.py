"""Talks to the engine process: starts it, replaces it when it dies or hangs, and bounds every wait."""

import asyncio
import contextlib
import itertools
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

from studynorm.storage.logs import bound

_T = TypeVar("_T")

COMMAND = (sys.executable, "-P", "-m", "studynorm.worker")
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
_START_SECONDS = 120.0
_LONGEST_STEP = 1.0  # seconds
# A reply with a demo's data is one line; asyncio's own limit of 64 KiB is too small for it.
_LINE_LIMIT = 64 * 1024 * 1024


class WorkerError(RuntimeError):
    """The engine process could not answer; the message says why and what follows."""


class WorkerGone(WorkerError):
    """The engine process died or hung and was ended; the next request starts a new one."""


class RequestFailed(WorkerError):
    """The engine process answered that it cannot do this; `kind` is the name of its error."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Worker:
    """An engine process, started at the first request and again whenever it was lost.

    `log` receives what the process prints. `deaths` counts the processes that were lost in a row.
    """

    def __init__(self, log: Path | None = None, command: Sequence[str] = COMMAND) -> None:
        self._command = tuple(command)
        self._log = log
        self._process: Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[str] | None = None
        self._waiting: dict[int, tuple[asyncio.Future[Any], Callable[[float, str], None] | None]] = {}
        self._ids = itertools.count(1)
        self._starting = asyncio.Lock()
        self.deaths = 0

    @property
    def ready(self) -> bool:
        """Whether the process has loaded torch and would answer at once."""
        return self._ready is not None and self._ready.done() and not self._ready.cancelled()

    async def start(self) -> str:
        """Start the process if there is none and wait until torch is loaded; return torch's version."""
        async with self._starting:
            if self._process is None or self._process.returncode is not None:
                await self._spawn()
        assert self._ready is not None
        try:
            return await _within(_START_SECONDS, self._ready)
        except TimeoutError:
            await self._lose()
            raise WorkerGone("the engine did not start in time; it will be started again") from None

    async def request(
        self,
        op: str,
        *,
        timeout: float,
        progress: Callable[[float, str], None] | None = None,
        **arguments: object,
    ) -> Any:
        """Send one request and return its result.

        Raises `WorkerGone` when the process dies or exceeds `timeout` seconds after it is ready, and
        `RequestFailed` when it refuses. Seconds in which this program is stopped do not count.
        """
        await self.start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        number = next(self._ids)
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = (reply, progress)
        try:
            process.stdin.write(json.dumps({"id": number, "op": op, **arguments}).encode() + b"\n")
            async with asyncio.timeout(timeout):
                await process.stdin.drain()
            return await _within(timeout, reply)
        except TimeoutError:
            await self._lose()
            raise WorkerGone(f"the engine did not answer within {timeout:g} s and was replaced") from None
        except (ConnectionError, BrokenPipeError):
            await self._lose()
            raise WorkerGone("the engine stopped and was replaced") from None
        finally:
            self._waiting.pop(number, None)
            reply.cancel()

    async def close(self) -> None:
        """End the process and leave nothing behind."""
        await self._lose(counts=False)

    async def _spawn(self) -> None:
        self._ready = asyncio.get_running_loop().create_future()
        with contextlib.ExitStack() as stack:
            stderr: int | IO[bytes] = DEVNULL
            if self._log is not None:
                with contextlib.suppress(OSError):
                    self._log.parent.mkdir(parents=True, exist_ok=True)
                    bound(self._log)
                    stderr = stack.enter_context(self._log.open("ab"))
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, stderr=stderr, limit=_LINE_LIMIT
            )
        self._reader = asyncio.create_task(self._read(self._process, self._ready))

    async def _read(self, process: Process, ready: asyncio.Future[str]) -> None:
        assert process.stdout is not None
        with contextlib.suppress(ValueError):  # a line beyond the limit: nothing after it can be read
            async for line in process.stdout:
                if self._log is not None:
                    bound(self._log)
                self._heed(_message(line), ready)
        self._fail_all(WorkerGone("the engine stopped and was replaced"))
        if not ready.done():
            ready.set_exception(WorkerGone("the engine stopped while it was starting"))
            ready.exception()
        if process is self._process:
            self.deaths += 1
            self._ready = None
            self._process = None
        await _end(process)

    def _heed(self, message: dict[str, Any], ready: asyncio.Future[str]) -> None:
        if "ready" in message:
            if not ready.done():
                ready.set_result(message["ready"])
            self.deaths = 0
            return
        reply, progress = self._waiting.get(message.get("id", 0), (None, None))
        if reply is None or reply.done():
            return
        if "progress" in message:
            try:
                if progress is not None:
                    progress(message["progress"], message["text"])
            except Exception as error:  # noqa: BLE001  raised where the reply is waited for
                reply.set_exception(error)
        elif "error" in message:
            reply.set_exception(RequestFailed(message["error"]["kind"], message["error"]["message"]))
        else:
            reply.set_result(message["result"])

    def _fail_all(self, error: WorkerGone) -> None:
        for reply, _ in self._waiting.values():
            if not reply.done():
                reply.set_exception(error)
                reply.exception()  # who waited may have been cancelled; then nobody is to be told

    async def _lose(self, *, counts: bool = True) -> None:
        process, self._process = self._process, None
        self._ready = None
        if process is not None:
            self.deaths += counts
            await _end(process)
        if self._reader is not None:
            await self._reader


async def _within(seconds: float, reply: asyncio.Future[_T]) -> _T:
    """Wait for a reply; raise TimeoutError after so many seconds in which this program ran.

    A pause, of the program or of the machine, costs no more than one step of the waiting.
    """
    left = seconds
    while left > 0:
        step = min(left, _LONGEST_STEP)
        if (await asyncio.wait([reply], timeout=step))[0]:
            return reply.result()
        left -= step
    raise TimeoutError


def _message(line: bytes) -> dict[str, Any]:
    """Return the message on a line, an empty one where there is none."""
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


async def _end(process: Process) -> None:
    """Make sure that a process is gone and that its pipes are closed."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            # Process.kill() would first reap a child that has just ended, and asyncio complain about it.
            os.kill(process.pid, _KILL)
    if process.stdin is not None:
        process.stdin.close()
    await process.wait()
