"""Measured retention: how much was recalled of what was tested, with what the number is worth."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt

from studynorm.storage.statistics import Totals

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of `n`. The share and its interval are None where n is 0."""

    hits: int = 0
    n: int = 0

    @property
    def value(self) -> float | None:
        """The share, 0 to 1."""
        return self.hits / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % Wilson score interval of the share."""
        return wilson(self.hits, self.n) if self.n else None


def wilson(hits: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a share of `hits` in `n`, which is at least 1.

    It holds the shares that differ from the measured one by at most `z` of their own standard errors, so it
    is honest for few answers and near 0 and 1, where the usual ± is not. Within 0 to 1.
    """
    share, square = hits / n, z * z
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n))
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    return low, 1.0 if hits == n else min(1.0, centre + half)


class Against(StrEnum):
    """A measured share against the desired one: told apart only where the whole interval lies aside."""

    BELOW = "below"
    AS_DESIRED = "as desired"
    ABOVE = "above"
    UNKNOWN = "not measured yet"


def against(share: Share, desired: float) -> Against:
    """Return how a measured share stands to the desired one."""
    interval = share.interval
    if interval is None:
        return Against.UNKNOWN
    low, high = interval
    return Against.BELOW if high < desired else Against.ABOVE if low > desired else Against.AS_DESIRED


@dataclass(frozen=True, slots=True)
class Retention:
    """What was recalled of all memories in Review that were tested on a later study day, and by their kinds.

    A mature memory had a stability of 21 days or more when it was tested. Again is a fail, the other three
    ratings are passes; further answers on the same study day do not count.
    """

    all: Share = Share()
    young: Share = Share()
    mature: Share = Share()


TESTED = ("asked", "recalled", "asked_mature", "recalled_mature")
"""The totals that retention is made of."""


def retention_of(totals: Iterable[Totals]) -> Retention:
    """Return the retention that some totals add up to."""
    asked = recalled = asked_mature = recalled_mature = 0
    for total in totals:
        asked += total.asked
        recalled += total.recalled
        asked_mature += total.asked_mature
        recalled_mature += total.recalled_mature
    return Retention(
        _share(recalled, asked),
        _share(recalled - recalled_mature, asked - asked_mature),
        _share(recalled_mature, asked_mature),
    )


def _share(hits: int, n: int) -> Share:
    """Return a share; totals of a damaged row may not fit together."""
    return Share(min(max(0, hits), n), n) if n > 0 else Share()
