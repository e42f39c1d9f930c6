"""Interview questions: long prompts answered aloud or in notes, and graded by oneself against a rubric."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studynorm.locate import content_root
from studynorm.scheduling.studyday import Clock
from studynorm.storage.interviews import InterviewAnswer
from studynorm.storage.store import Store

_FILE = Path("problems", "concepts", "recalls.toml")
_LEAD = "Interview question: "


class NoQuestions(ValueError):
    """The file of the questions cannot be read; the message is one line with the file and the fault."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the minutes that an interviewer would give it.

    `ask`, `answer`, `points` (the rubric) and `hints` are Markdown with LaTeX math.
    """

    id: str
    ask: str
    answer: str
    points: tuple[str, ...]
    hints: tuple[str, ...]
    minutes: int


def questions(path: Path | None = None) -> tuple[Question, ...]:
    """Return every interview question, shorter ones first. Raises NoQuestions, naming file and prompt."""
    source = content_root() / _FILE if path is None else path
    try:
        prompts = tomllib.loads(source.read_text("utf-8")).get("prompt", [])
    except (OSError, ValueError) as error:
        raise NoQuestions(f"{source} cannot be read: {error}") from error
    found = [_question(source, prompt) for prompt in prompts if "minutes" in prompt]
    return tuple(sorted(found, key=lambda question: question.minutes))


def _question(source: Path, prompt: dict[str, Any]) -> Question:
    name = prompt.get("id", "a prompt without an id")
    try:
        ask = str(prompt["ask"]).strip().removeprefix(_LEAD)
        made = Question(
            str(prompt["id"]),
            ask[:1].upper() + ask[1:],
            str(prompt["answer"]).strip(),
            tuple(map(str, prompt["points"])),
            tuple(map(str, prompt["hints"])),
            int(prompt["minutes"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise NoQuestions(f"{source}: {name}: {error} is missing or no good") from error
    if not made.points or made.minutes < 1:
        raise NoQuestions(f"{source}: {name}: it needs points, and minutes from 1 up")
    return made


class Interview:
    """One question being answered: its time runs until the model answer is shown; then points are ticked.

    With `timed` the question's minutes are counted down, and time that runs out is only told. `ticks`
    returns seconds of a steady clock.
    """

    def __init__(
        self, question: Question, store: Store, clock: Clock, ticks: Callable[[], float], *, timed: bool
    ) -> None:
        self.question = question
        self.timed = timed
        self.hints: tuple[str, ...] = ()
        self.made: frozenset[int] = frozenset()
        self.notes = ""
        self._store = store
        self._clock = clock
        self._ticks = ticks
        self._begun = ticks()
        self._seconds: int | None = None

    @property
    def shown(self) -> bool:
        """Whether the model answer is shown."""
        return self._seconds is not None

    @property
    def seconds(self) -> int:
        """The seconds that the answer took, or has taken so far."""
        return max(0, int(self._ticks() - self._begun)) if self._seconds is None else self._seconds

    @property
    def left(self) -> int:
        """The seconds that are left of the question's time; negative when it has run out."""
        return 60 * self.question.minutes - self.seconds

    def hint(self) -> str | None:
        """Show and return the next hint; None where there is no further one, or the answer is shown."""
        if self.shown or len(self.hints) == len(self.question.hints):
            return None
        self.hints = self.question.hints[: len(self.hints) + 1]
        return self.hints[-1]

    def show(self) -> None:
        """Stop the time and show the model answer with its points."""
        if not self.shown:
            self._seconds = self.seconds

    def toggle(self, point: int) -> None:
        """Tick a point as made, or take the tick back; one that does not exist is ignored."""
        if self.shown and 0 <= point < len(self.question.points):
            self.made ^= {point}

    def finish(self) -> InterviewAnswer:
        """Keep the answer and return it. Raises StoreError; nothing is kept then."""
        self.show()
        points = list(enumerate(self.question.points))
        answer = InterviewAnswer(
            self.question.id,
            self._clock(),
            self.seconds,
            tuple(point for number, point in points if number in self.made),
            tuple(point for number, point in points if number not in self.made),
            self.notes,
        )
        self._store.interviews.record(answer)
        return answer


@dataclass(frozen=True, slots=True)
class Record:
    """A question with what was made of it: how many times answered, the last answer and the best score."""

    question: Question
    times: int
    last: InterviewAnswer | None
    best: float | None


def records(asked: Sequence[Question], store: Store) -> tuple[Record, ...]:
    """Return every question with its record. Raises StoreError."""
    by_question: dict[str, list[InterviewAnswer]] = {}
    for answer in store.interviews.all():
        by_question.setdefault(answer.question, []).append(answer)
    found = []
    for question in asked:
        answers = by_question.get(question.id, [])
        best = max((answer.score for answer in answers), default=None)
        found.append(Record(question, len(answers), answers[-1] if answers else None, best))
    return tuple(found)


def next_question(kept: Sequence[Record]) -> Question:
    """Return the question to ask next: one never answered, else the one whose last answer was poorest."""
    return min(kept, key=lambda record: -1.0 if record.last is None else record.last.score).question
