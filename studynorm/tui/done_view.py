"""What the end of a session says: what was done, what is left, and when the next item comes."""

from dataclasses import dataclass

from studynorm.scheduling.studyday import Moment
from studynorm.study.situation import Counts, Done
from studynorm.tui.when import counted, duration_words, next_words


@dataclass(frozen=True, slots=True)
class Farewell:
    """The lines of the screen, from the greeting to what comes next."""

    title: str
    lines: tuple[tuple[str, str], ...]


def farewell(
    done: Done, answered: int, left: Counts, now: Moment, topic: str | None, *, chosen: bool = False
) -> Farewell:
    """Return what to say; `answered` and `left` are this session's, the rest is the whole day's.

    `topic` is the title of the topic that the session was about, if it was about one; `chosen` tells that
    it was about items which the learner chose, so that what is left of it is not what is left of the day, and
    only its own steps come next.
    """
    day = done.summary
    lines: list[tuple[str, str]] = []
    if answered and answered != day.answers:
        lines.append(("This session", counted(answered, "answer")))
    if day.answers:
        lines.append(("Today", f"{counted(day.answers, 'answer')}, {day.passed} passed"))
        if day.new:
            lines.append(("New", counted(day.new, "first meeting")))
        lines.append(("Time", duration_words(day.duration_ms)))
    if left.total or not chosen:
        lines.append(("Left", left_words(left)))
    coming = next_words(now, done.next_at, done.next_day)
    if not chosen or done.next_at is not None:
        lines.append(("Next", f"The next item comes {coming}." if coming else "Nothing else is planned."))
    title = _title(answered, day.answers, topic)
    if chosen:
        title = "That was all that you chose." if answered else "Nothing of what you chose is asked now."
    return Farewell(title, tuple(lines))


def _title(answered: int, today: int, topic: str | None) -> str:
    if topic is not None:
        return f"That was all of {topic} for now." if answered else f"Nothing of {topic} is due now."
    if answered:
        return "Congratulations! You have finished for now."
    return "You are done for today." if today else "Nothing is due now. Enjoy the rest."


def left_words(left: Counts) -> str:
    """Say what is left by stage: `2 new, 1 in learning`."""
    counts = ((left.new, "new"), (left.learning, "in learning"), (left.review, "to review"))
    return ", ".join(f"{count} {words}" for count, words in counts if count) or "nothing"
