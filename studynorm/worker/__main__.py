"""The engine process: one JSON request a line on standard input, one JSON reply a line on standard output.

A request is `{"id", "op", …}`; replies are `{"id", "progress", "text"}` any number of times and then
`{"id", "result"}` or `{"id", "error": {"kind", "message"}}`. The first line sent is `{"ready": …}`.
The process ends when its input ends, whatever it is doing.
"""

import json
import os
import queue
import signal
import sys
import threading
import traceback
from typing import Any, TextIO


def main() -> None:
    """Serve requests until standard input ends."""
    replies = _own_stdout()
    # Ctrl-C in the terminal reaches every process of the group; the front end decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(5)
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()

    from studynorm.worker import lab

    _send(replies, {"ready": str(lab.torch_module().__version__)})
    while True:
        _serve(lab, json.loads(requests.get()), replies)


def _own_stdout() -> TextIO:
    """Keep the pipe for replies alone: whatever prints goes to standard error."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    return replies


def _read(requests: "queue.SimpleQueue[str]") -> None:
    for line in sys.stdin.buffer:
        requests.put(line.decode("utf-8"))
    os._exit(0)


def _send(replies: TextIO, message: dict[str, Any]) -> None:
    replies.write(json.dumps(message) + "\n")
    replies.flush()


def _serve(lab: Any, request: dict[str, Any], replies: TextIO) -> None:
    def progress(fraction: float, text: str) -> None:
        _send(replies, {"id": request["id"], "progress": fraction, "text": text})

    try:
        result = _do(lab, request, progress)
    except Exception as error:  # noqa: BLE001  the process must outlive any family or demo; the front end is told
        traceback.print_exc()
        kind = type(error).__name__
        _send(replies, {"id": request["id"], "error": {"kind": kind, "message": str(error)}})
    else:
        _send(replies, {"id": request["id"], "result": result})


def _do(lab: Any, request: dict[str, Any], progress: Any) -> Any:
    from studynorm.engine.transport import to_json

    match request["op"]:
        case "ping":
            return "pong"
        case "variant":
            return to_json(lab.variant(request["family"], request["level"], request["seed"]))
        case "demo":
            return lab.demo(
                request["name"], request["settings"], request["seed"], request["device"], progress
            )
        case "optimise":
            return lab.optimise(request, progress)
        case other:
            raise ValueError(f"unknown request {other!r}")


if __name__ == "__main__":
    main()
