"""What a screen needs of a session that stands at a problem, whether it is a review or a drill."""

from typing import Protocol

from studynorm.engine.grading import Verdict
from studynorm.study.keygate import KeyGate
from studynorm.tui.engine_link import Served
from studynorm.tui.review_rules import Shown


class Session(Served, Protocol):
    """What is needed of a session that stands at a problem."""

    notice: str | None

    @property
    def gate(self) -> KeyGate:
        """What decides whether a key was meant for the problem."""

    @property
    def situation(self) -> Shown:
        """What the session stands at."""

    def submit(self, text: str) -> Verdict | None:
        """Judge a typed answer."""

    def hint(self) -> str | None:
        """Show the next hint."""

    def reveal(self) -> None:
        """Show the answer."""
