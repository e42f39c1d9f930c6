"""Random draws that give the same variant on every Python version and every machine.

Only `random.Random.random()` is promised to keep its stream across Python versions, so every draw
is built on it alone.
"""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Rng:
    """A stream of draws, seeded by a hash of the parts it is given."""

    def __init__(self, *parts: object) -> None:
        digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).digest()
        self._random = random.Random(int.from_bytes(digest, "big")).random

    def integer(self, low: int, high: int) -> int:
        """Return an integer between `low` and `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def choice(self, options: Sequence[T]) -> T:
        """Return one of `options`."""
        return options[self.integer(0, len(options) - 1)]

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Return `count` different entries of `options` in random order."""
        return self.shuffled(options)[:count]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """Return a copy of `options` in random order."""
        pool = list(options)
        for last in range(len(pool) - 1, 0, -1):
            other = self.integer(0, last)
            pool[last], pool[other] = pool[other], pool[last]
        return pool

    def integers(self, count: int, low: int, high: int) -> list[int]:
        """Return `count` independent integers between `low` and `high`, both included."""
        return [self.integer(low, high) for _ in range(count)]


def seed_of(*parts: object) -> int:
    """Return a 48-bit seed that depends on every part and on their order."""
    digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:6], "big")
