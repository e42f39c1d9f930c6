"""How sure a learner is before anything of the answer is shown: what each key says, and what may be typed."""

import re
from collections.abc import Mapping
from types import MappingProxyType

LEVELS: Mapping[str, int] = MappingProxyType({"0": 0, "5": 50, "6": 60, "7": 70, "8": 80, "9": 90})
"""The keys and their per cent. 1 to 4 are ratings and nothing else; 0 says "I don't know"."""

_PERCENT = re.compile(r"(\d{1,3})\s*%?", re.ASCII)


def percent_of(text: str) -> int | None:
    """Return the per cent, 0 to 100, that a text such as `70` or `70 %` says; None where it says none."""
    said = _PERCENT.fullmatch(text.strip())
    return int(said[1]) if said is not None and int(said[1]) <= 100 else None
