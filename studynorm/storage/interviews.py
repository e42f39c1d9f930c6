"""Answers to interview questions: what was said, which points were made, and how long it took."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from sqlalchemy import Connection, Row, select

from studynorm.scheduling.studyday import Moment
from studynorm.storage import tables as t
from studynorm.storage.connect import READ, WRITE
from studynorm.storage.rows import moment_in
from studynorm.storage.setaside import Skips


@dataclass(frozen=True, slots=True)
class InterviewAnswer:
    """One answer, graded by the learner: the points made and missed, word for word as the rubric had them."""

    question: str
    moment: Moment
    seconds: int
    made: tuple[str, ...]
    missed: tuple[str, ...]
    notes: str

    @property
    def score(self) -> float:
        """The share of the points that were made, 0 to 1."""
        return len(self.made) / max(1, len(self.made) + len(self.missed))


class Interviews:
    """The answers of one profile. Every method may raise a StoreError; nothing has then changed."""

    def __init__(
        self, transaction: Callable[[str], AbstractContextManager[Connection]], skips: Skips | None = None
    ) -> None:
        """Work in transactions of a Store; rows that are damaged are left out and noted in `skips`."""
        self._transaction = transaction
        self._skips = skips or Skips()

    def record(self, answer: InterviewAnswer) -> None:
        """Keep an answer."""
        row = {
            "question": answer.question,
            "at": answer.moment.at,
            "utc_offset": answer.moment.offset,
            "day": answer.moment.day,
            "seconds": answer.seconds,
            "made": json.dumps(answer.made, ensure_ascii=False),
            "missed": json.dumps(answer.missed, ensure_ascii=False),
            # Lone surrogates, left by bytes in a wrong encoding, cannot be stored as they are.
            "notes": answer.notes.encode("utf-8", "backslashreplace").decode("utf-8"),
        }
        with self._transaction(WRITE) as connection:
            connection.execute(t.interview.insert().values(row))

    def all(self) -> tuple[InterviewAnswer, ...]:
        """Return every answer, oldest first."""
        with self._transaction(READ) as connection:
            rows = connection.execute(select(t.interview).order_by(t.interview.c.id))
            return tuple(self._whole(rows))

    def _whole(self, rows: Iterable[Row[*tuple[object, ...]]]) -> Iterator[InterviewAnswer]:
        for row in rows:
            try:
                yield _answer(row)
            except (TypeError, ValueError) as fault:
                self._skips.note("interview", row.id, row.question, fault)


def _answer(row: Row[*tuple[object, ...]]) -> InterviewAnswer:
    made, missed = (tuple(map(str, json.loads(points))) for points in (row.made, row.missed))
    if type(row.seconds) is not int or not all(isinstance(text, str) for text in (row.question, row.notes)):
        raise ValueError("it has no whole text and time")
    return InterviewAnswer(row.question, moment_in(row._mapping), row.seconds, made, missed, row.notes)
