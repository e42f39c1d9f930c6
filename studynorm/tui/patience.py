"""Gives a rating again while another program writes: the screen goes on, and the grade is kept."""

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from studynorm.storage.errors import Busy, StoreError

if TYPE_CHECKING:
    from textual.timer import Timer

    from studynorm.tui.calm_screen import CalmScreen

WAIT_SECONDS = 5.0
_AGAIN_SECONDS = 0.25


class Patience:
    """Waits for one thing at a time; what is given next takes the place of what still waits."""

    def __init__(self, screen: "CalmScreen") -> None:
        """Speak through the notice line of a screen; the waiting ends with it."""
        self._screen = screen
        self._timer: Timer | None = None

    def give(self, attempt: Callable[[], None], otherwise: str) -> None:
        """Do something now, or as soon as the other program lets it be done.

        When that takes too long, or anything else is in the way, the reason is told, and `otherwise`.
        """
        self.stop()
        self._try(attempt, otherwise, time.monotonic() + WAIT_SECONDS)

    def stop(self) -> None:
        """Wait no more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _try(self, attempt: Callable[[], None], otherwise: str, give_up: float) -> None:
        try:
            attempt()
        except Busy as busy:
            if time.monotonic() < give_up:
                who = f"Waiting for {busy.who}, which is writing to your profile"
                self._screen.tell(f"{who}; your rating is kept.")
                again = partial(self._try, attempt, otherwise, give_up)
                self._timer = self._screen.set_timer(_AGAIN_SECONDS, again)
                return
            who = f"Not saved: {busy.who} goes on writing to your profile"
            self._screen.tell(f"{who}. Close it, or wait. {otherwise}", trouble=True)
        except StoreError as error:
            self._screen.tell(f"{error} {otherwise}", trouble=True)
