"""What the answer field says about the text in it: how it was read, or where it cannot be read."""

from dataclasses import dataclass
from enum import StrEnum

from rich.cells import cell_len

from studynorm.engine.grading import read_answer
from studynorm.engine.value import Unreadable
from studynorm.engine.variant import Variant


class Tone(StrEnum):
    """How an echo is meant: as quiet help, as a reading, or as a place to look at."""

    QUIET = "quiet"
    READ = "read"
    LOOK = "look"


@dataclass(frozen=True, slots=True)
class Echo:
    """One line under the answer field; `caret` is the character of the text that is meant."""

    text: str
    tone: Tone
    caret: int | None = None


def echo_of(variant: Variant, typed: str) -> Echo:
    """Say how a text that is being typed is read; what only lacks an end is met with patience."""
    if not typed.strip():
        return Echo("", Tone.QUIET)
    try:
        reading = read_answer(variant, typed)
    except Unreadable as unread:
        if unfinished(variant, typed, unread):
            return Echo(f"… {unread.message}", Tone.QUIET)
        return Echo(unread.message, Tone.LOOK, min(unread.position, len(typed)))
    if not variant.kind.judged:
        return Echo("Enter shows the model answer, to compare with", Tone.QUIET)
    text = reading.text
    if variant.kind.typed(variant.answer) is None:
        text = text.replace("-", "−")
    return Echo(f"read as {text}", Tone.READ)


def unfinished(variant: Variant, typed: str, unread: Unreadable) -> bool:
    """Tell whether typing on could still make a text readable."""
    if unread.position >= len(typed.rstrip()):
        return True
    lacking = (
        unread.message.startswith("the bracket opened here")
        or "exponent is unfinished" in unread.message
        or "have different lengths" in unread.message
    )
    return lacking or (" wanted" in unread.message and unread.position == 0)


def caret_line(echo: Echo, typed: str, width: int) -> str:
    """Return the echo with a caret under its place where that fits, else with the place in words."""
    if echo.caret is None:
        return echo.text
    before = cell_len(typed[: echo.caret])
    if before + 2 + cell_len(echo.text) <= width:
        return f"{' ' * before}▴ {echo.text}"
    return f"▴ character {echo.caret + 1}: {echo.text}"
