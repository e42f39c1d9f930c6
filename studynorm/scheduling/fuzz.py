"""Fuzz: parts items that were learnt together; seeded, so what a button shows is what is stored."""

from functools import lru_cache
from hashlib import blake2b
from math import inf

# (from, to, share of the days within): the ranges of Anki and py-fsrs; one day is added to their sum
_RANGES = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.10), (20.0, inf, 0.05))


def fuzz_draw(item: str, reps: int) -> float:
    """Return the number in [0, 1) that belongs to this item after `reps` reviews, on every machine."""
    digest = blake2b(f"{item}\n{reps}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53  # 53 bits: a float holds them exactly, never 1.0


@lru_cache(maxsize=8192)
def fuzz_range(days: int, maximum: int) -> tuple[int, int]:
    """Return the shortest and the longest interval that `days` may become; intervals below 2.5 days stay."""
    if days < 2.5:
        return min(days, maximum), min(days, maximum)
    spread = 1 + sum(share * max(min(days, end) - start, 0) for start, end, share in _RANGES)
    longest = min(round(days + spread), maximum)
    return min(max(2, round(days - spread)), longest), longest


def fuzzed(days: int, draw: float, maximum: int, last_interval: int = 0) -> int:
    """Return the interval in days for one draw: uniform over the range, never above `maximum`.

    Monotone in `days`. One longer than the last interval stays longer: the range then begins above
    `last_interval`.
    """
    shortest, longest = fuzz_range(days, maximum)
    if last_interval < days:
        shortest = min(max(shortest, last_interval + 1), longest)
    return shortest + int(draw * (longest - shortest + 1))
