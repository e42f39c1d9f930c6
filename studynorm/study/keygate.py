"""Decides whether a key press was meant for what is on the screen."""

from collections.abc import Callable

QUIET_SECONDS = 0.150


class KeyGate:
    """Refuses presses that were not meant for the prompt on the screen.

    A press counts when the prompt has been painted, at least 150 ms have passed since the last
    rating, and the same key was not pressed within the last 150 ms, as a held key does. `ticks`
    returns seconds that never run backwards.
    """

    def __init__(self, ticks: Callable[[], float]) -> None:
        self._ticks = ticks
        self._painted = False
        self._quiet_until = float("-inf")
        self._presses: dict[str, float] = {}

    def changed(self) -> None:
        """Note that another prompt was opened, which is not painted yet."""
        self._painted = False

    def painted(self) -> None:
        """Note that the prompt has been painted."""
        self._painted = True

    def rated(self) -> None:
        """Note that a rating was taken: the next 150 ms belong to it."""
        self._quiet_until = self._ticks() + QUIET_SECONDS

    def admits(self, key: str) -> bool:
        """Tell whether a press of `key` counts, and remember it."""
        now = self._ticks()
        repeated = now - self._presses.get(key, float("-inf")) < QUIET_SECONDS
        self._presses[key] = now
        return self._painted and not repeated and now >= self._quiet_until
