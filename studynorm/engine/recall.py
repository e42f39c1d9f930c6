"""Typed recall: free words beside a model answer, which the learner alone compares and rates.

Separate from the kinds that are read as numbers, since nothing in such an answer is judged.
"""

from studynorm.engine.answer import Kind, Reading
from studynorm.engine.value import Unreadable

RECALL_LIMIT = 2000
"""So many characters may be typed; a model answer is no longer."""


class Recall(Kind):
    """Words, kept as they were typed; the answer is the model answer, a Markdown text."""

    name = "recall"
    judged = False

    def read(self, text: str, truth: object) -> Reading:
        """Take any words that there are; nothing is read out of them. Raises `Unreadable`."""
        if not text.strip():
            raise Unreadable("nothing was typed: write what you remember, a few words will do", 0)
        if len(text) > RECALL_LIMIT:
            raise Unreadable(f"an answer has at most {RECALL_LIMIT} characters", RECALL_LIMIT)
        return Reading((), "")

    def typed(self, value: object) -> str:
        """Return the model answer: it is text already."""
        assert isinstance(value, str)
        return value

    def how(self, truth: object) -> str:
        """Say that words are wanted and what becomes of them."""
        return "your own words, to be compared with a model answer"
