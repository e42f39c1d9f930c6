"""Calibration: whether the learner knows what they know, from how sure they were before each answer."""

from collections.abc import Iterable
from dataclasses import dataclass

from studynorm.storage.statistics import Confidence
from studynorm.study.retention import Share

CALIBRATION_DAYS = 90


@dataclass(frozen=True, slots=True)
class Calibration:
    """Of each confidence, in per cent and rising, how many of the answers given with it passed.

    `brier` is the mean squared distance of the confidence from what came, 0 (sure and right) to 1;
    `base` is what always naming one's own average would have scored. Both are None without answers.
    """

    levels: tuple[tuple[int, Share], ...] = ()
    brier: float | None = None
    base: float | None = None

    @property
    def n(self) -> int:
        """All answers that were given with a confidence."""
        return sum(share.n for _, share in self.levels)


def calibration_of(rows: Iterable[Confidence]) -> Calibration:
    """Return the calibration in some rows, one a confidence, rising."""
    levels = tuple((row.confidence, Share(row.passed, row.n)) for row in rows if row.n)
    n = sum(share.n for _, share in levels)
    if not n:
        return Calibration()
    average = sum(share.hits for _, share in levels) / n
    squares = (
        share.hits * (1 - told / 100) ** 2 + (share.n - share.hits) * (told / 100) ** 2
        for told, share in levels
    )
    return Calibration(levels, sum(squares) / n, average * (1 - average))
