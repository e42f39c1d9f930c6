"""How slow a machine is at the moment, so that a limit on CPU time means the same on every one."""

import time

_ROUNDS = 100_000
_USUAL_SECONDS = 0.006
"""The unit: a machine on which the loop takes so long has a pace of 1."""


def slowness() -> float:
    """Return how many times as long as there a fixed loop takes here and now; at least 1.

    A slow processor, a busy neighbour or a throttled core all count. It takes some milliseconds.
    """
    return max(1.0, min(_loop() for _ in range(5)) / _USUAL_SECONDS)


def _loop() -> float:
    begun, total = time.process_time(), 0
    for number in range(_ROUNDS):
        total += number * number % 7
    return time.process_time() - begun
