"""What comes: how many items are due on each of the next 30 study days, and what is left from before."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

FORECAST_DAYS = 30


@dataclass(frozen=True, slots=True)
class Forecast:
    """Items with a memory by the study day on which they are due, if nothing is answered before.

    `backlog` were due before today; `days` are today and the 29 days after it. Suspended items are not in
    it, those buried for today count for tomorrow, and learning steps for today. New items are not in it.
    """

    backlog: int
    days: tuple[int, ...]

    @property
    def total(self) -> int:
        """All of them, the backlog included."""
        return self.backlog + sum(self.days)

    @property
    def average(self) -> float:
        """Due items a day, without the backlog."""
        return sum(self.days) / len(self.days)

    @property
    def busiest(self) -> int | None:
        """The first of the days with the most, as days from today; None where nothing is due."""
        return self.days.index(max(self.days)) if any(self.days) else None


def forecast_of(due: Mapping[int, int], today: int) -> Forecast:
    """Return the forecast from the number of items by the day on which they are due."""
    coming = Counter(due)
    backlog = sum(count for day, count in due.items() if day < today)
    return Forecast(backlog, tuple(coming[day] for day in range(today, today + FORECAST_DAYS)))
