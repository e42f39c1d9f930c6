"""What a filter consists of: conditions on one row, their opposites, and alternatives of them."""

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from studynorm.study.items import ItemRow, Kind
from studynorm.study.overview import Strength

STATES: dict[str, Callable[[ItemRow], bool]] = {
    "due": lambda row: row.due,
    "new": lambda row: row.strength is Strength.NEW and not row.damaged,
    "learning": lambda row: row.strength is Strength.LEARNING,
    "young": lambda row: row.strength is Strength.YOUNG,
    "mature": lambda row: row.strength is Strength.MATURE,
    "suspended": lambda row: row.suspended,
    "buried": lambda row: row.buried,
    "leech": lambda row: row.leech,
    "edited": lambda row: row.edited,
    "gone": lambda row: row.gone,
    "card": lambda row: row.kind is Kind.CARD,
    "cloze": lambda row: row.kind is Kind.CLOZE,
    "family": lambda row: row.kind is Kind.FAMILY,
}
FIELDS: dict[str, Callable[[ItemRow], float | None]] = {
    "stability": lambda row: None if row.memory is None else row.memory.stability,
    "difficulty": lambda row: None if row.memory is None else row.memory.difficulty,
    "lapses": lambda row: 0 if row.memory is None else row.memory.lapses,
    "reps": lambda row: 0 if row.memory is None else row.memory.reps,
    "recall": lambda row: row.recall,
    "due": lambda row: row.due_in,
}


Test = Callable[[ItemRow], bool]


@dataclass(frozen=True, slots=True)
class Word:
    """A word or phrase, casefolded, that occurs in the id, the title, the tags or the topic."""

    text: str

    def test(self) -> Test:
        """Return what tells whether a row is let through."""
        text = self.text
        return lambda row: text in row.haystack


@dataclass(frozen=True, slots=True)
class Is:
    """A state or kind by name."""

    name: str

    def test(self) -> Test:
        """Return what tells whether a row is let through."""
        return STATES[self.name]


@dataclass(frozen=True, slots=True)
class Named:
    """A topic, deck or tag by the beginning of its name, by a pattern with `*`, or in quotes exactly."""

    key: str
    text: str
    exact: bool = False

    def test(self) -> Test:
        """Return what tells whether a row is let through."""
        fits = lru_cache(maxsize=None)(self._fits)  # many rows share few names
        if self.key == "tag":
            return lambda row: any(map(fits, row.tags))
        if self.key == "deck":
            return lambda row: row.kind is not Kind.FAMILY and fits(row.topic)
        return lambda row: fits(row.topic)

    def _fits(self, name: str) -> bool:
        name = name.casefold()
        if self.exact:
            return name == self.text
        if "*" not in self.text:
            return name.startswith(self.text)
        return _globbed(self.text.split("*"), name)


def _globbed(parts: Sequence[str], name: str) -> bool:
    """Tell whether a name is these parts in their order with anything between, without any backtracking."""
    first, *middle, last = parts
    if not name.startswith(first) or len(name) < len(first) + len(last) or not name.endswith(last):
        return False
    at, end = len(first), len(name) - len(last)
    for part in middle:
        at = name.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


@dataclass(frozen=True, slots=True)
class Compare:
    """A number compared; `=` holds within half of the last digit that was typed, `half`.

    A row without such a number, as a new item has no stability, is not let through.
    """

    field: str
    sign: str
    number: float
    half: float

    def test(self) -> Test:
        """Return what tells whether a row is let through."""
        value_of, number, half = FIELDS[self.field], self.number, self.half
        if self.sign == "=":
            return lambda row: (
                (value := value_of(row)) is not None and (value == number or abs(value - number) < half)
            )
        holds = _HOLDS[self.sign]
        return lambda row: (value := value_of(row)) is not None and holds(value, number)


_HOLDS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Term:
    """One condition, or its opposite."""

    condition: Word | Is | Named | Compare
    negated: bool = False

    def select(self, rows: Iterable[ItemRow]) -> list[ItemRow]:
        """Return the rows that are let through."""
        if isinstance(self.condition, Word) and not self.negated:  # the most frequent one, without a call
            text = self.condition.text
            return [row for row in rows if text in row.haystack]
        test = self.condition.test()
        return [row for row in rows if not test(row)] if self.negated else [row for row in rows if test(row)]


Known = dict[tuple[Term, ...], Sequence[ItemRow]]


@dataclass(frozen=True, slots=True)
class Filter:
    """Alternatives, in each of which every term must hold. Without any, every row is let through."""

    alternatives: tuple[tuple[Term, ...], ...] = ()

    def select(self, rows: Sequence[ItemRow], known: Known | None = None) -> Sequence[ItemRow]:
        """Return the rows that are let through, in their order.

        `known` is filled with what leading terms let through of the same rows, for the next filter.
        """
        known = {} if known is None else known
        found = [_all_hold(terms, rows, known) for terms in self.alternatives]
        if len(found) < 2:
            return found[0] if found else rows
        places = {row.place for kept in found for row in kept}
        return [row for row in rows if row.place in places]


def _all_hold(terms: tuple[Term, ...], rows: Sequence[ItemRow], known: Known) -> Sequence[ItemRow]:
    for number, term in enumerate(terms, 1):
        kept = known.get(terms[:number])
        if kept is None:
            known[terms[:number]] = kept = term.select(rows)
        rows = kept
    return rows
