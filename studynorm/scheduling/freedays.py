"""Free days: the study days between an answer and the next one on which nothing was due."""

MOST = 3660
"""The longest stretch of free days that counts, ten years: a longer one ends a streak, or is no true one."""


def free_days(last: int, today: int, first_due: int | None) -> range:
    """Return the free study days after the day `last` and before today.

    They end before `first_due`, the first day on which anything is due, None where nothing is. There are
    none where they would be more than MOST.
    """
    free = range(last + 1, today if first_due is None else min(today, first_due))
    return free if len(free) <= MOST else range(0)
