"""The rows of an answer that is picked: what each shows for a text, and what a key at a row makes of it.

The typed text is the only state: rows are read from it, and every key gives another text. What is
complete is read by the answer kind itself. Widgets and colours are elsewhere.
"""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from studynorm.engine.answer import Kind
from studynorm.engine.discrete import Axes, Choice, CodeLine, Match, Order, YesNo
from studynorm.engine.value import Unreadable
from studynorm.engine.variant import Variant

GAP = "·"
"""Stands in the text for a row without an answer, where a later row has one."""
_LETTERS = string.ascii_lowercase


@dataclass(frozen=True, slots=True)
class Row:
    """One row: what is set for it, its letter or number, and its text (Markdown, or a line of code).

    `entry` is the place in the answer that the row stands for, None where it stands for none.
    """

    lead: str
    label: str
    text: str
    on: bool
    code: bool = False
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """A text for the answer field, and the row at which the cursor is then."""

    text: str
    at: int


class Sheet:
    """The rows of one variant; the subclasses know one kind each."""

    name = ""
    hint = ""
    """Says behind what may be typed which keys do the same."""
    below: tuple[tuple[str, str], ...] = ()
    """Letters and texts that can be given to rows."""
    picks_one = False
    width = 1
    """How many cells what is set for a row can take."""

    def rows(self, typed: str) -> tuple[Row, ...]:
        """Return the rows as a text has them set."""
        raise NotImplementedError

    def after(self, typed: str, at: int, key: str) -> Written | None:
        """Return what a key at a row makes of a text; None for a key that is not one of the rows."""
        raise NotImplementedError

    def gaps(self, typed: str) -> int:
        """Return how many rows still lack an answer in a text that was written row by row."""
        return typed.split().count(GAP)

    def right(self, at: int) -> bool:
        """Tell whether a row belongs to the right answer, for kinds in which rows are in or out."""
        return False


class OneOf(Sheet):
    """Options or lines of code of which one is picked."""

    picks_one = True
    hint = "or ↑ ↓ and Space"

    def __init__(self, kind: Choice | CodeLine, truth: int) -> None:
        self.name = kind.name
        self._kind = kind
        self._code = isinstance(kind, CodeLine)
        if isinstance(kind, Choice):
            self._texts = tuple(kind.options[place] for place in kind.displayed)
            self._words = tuple(_LETTERS[: len(self._texts)])
            self._values = kind.displayed
        else:
            self._texts = kind.code
            self._words = tuple(str(number) for number in range(1, len(kind.code) + 1))
            self._values = tuple(range(1, len(kind.code) + 1))
        self._truth = truth

    def rows(self, typed: str) -> tuple[Row, ...]:
        """Return the options, the picked one on."""
        picked = _read(self._kind, typed)
        return tuple(
            Row("●" if on else "○", word, text, on, self._code, 0 if on else None)
            for word, text, value in zip(self._words, self._texts, self._values, strict=True)
            for on in [picked == (value,)]
        )

    def after(self, typed: str, at: int, key: str) -> Written | None:
        """Pick the row."""
        return Written(self._words[at], at) if key == "space" else None

    def right(self, at: int) -> bool:
        """Tell whether the row is the right one."""
        return self._values[at] == self._truth


class AxisToggles(Sheet):
    """The axes of a tensor, each in or out."""

    name = Axes.name
    hint = "or ↑ ↓ and Space"

    def __init__(self, kind: Axes, truth: Sequence[int]) -> None:
        self._kind = kind
        self._truth = tuple(truth)

    def rows(self, typed: str) -> tuple[Row, ...]:
        """Return the axes, those that are named on."""
        chosen = _read(self._kind, typed) or ()
        rank = self._kind.rank
        return tuple(
            Row("■" if axis in chosen else "□", str(axis), f"or −{rank - axis}", axis in chosen)
            for axis in range(rank)
        )

    def after(self, typed: str, at: int, key: str) -> Written | None:
        """Take the axis in or out."""
        if key != "space":
            return None
        chosen = set(_read(self._kind, typed) or ()) ^ {at}
        return Written(" ".join(str(axis) for axis in sorted(chosen)), at)

    def right(self, at: int) -> bool:
        """Tell whether the axis belongs to the answer."""
        return at in self._truth


class YesNoRows(Sheet):
    """Statements, each with a yes or a no."""

    name = YesNo.name
    width = 3
    hint = "or ↓ and y n"

    def __init__(self, kind: YesNo) -> None:
        self._labels = kind.labels
        self._one = YesNo(labels=("",))

    def rows(self, typed: str) -> tuple[Row, ...]:
        """Return the statements with what was answered."""
        return tuple(
            Row(GAP if mark is None else ("no", "yes")[mark], "", label, mark is not None, entry=at)
            for at, (label, mark) in enumerate(zip(self._labels, self._marks(typed), strict=True))
        )

    def after(self, typed: str, at: int, key: str) -> Written | None:
        """Set yes or no and go on, or turn the answer."""
        if key not in ("space", "y", "n"):
            return None
        marks = self._marks(typed)
        marks[at] = {"y": 1, "n": 0}.get(key, 0 if marks[at] == 1 else 1)
        on = at if key == "space" else min(at + 1, len(marks) - 1)
        return Written(" ".join(GAP if mark is None else "ny"[mark] for mark in marks), on)

    def _marks(self, typed: str) -> list[int | None]:
        words = typed.replace(",", " ").replace(";", " ").strip("()[] ").split()
        if len(words) == 1 and len(words[0]) > 1 and set(words[0]) <= set("yn10+-"):
            words = list(words[0])
        read = [_read(self._one, word) for word in words[: len(self._labels)]]
        marks: list[int | None] = [value[0] if value else None for value in read]
        return marks + [None] * (len(self._labels) - len(marks))


class MatchRows(Sheet):
    """Lines on the left, each with the letter of a line on the right."""

    name = Match.name
    hint = "or ↓ and letters"

    def __init__(self, kind: Match) -> None:
        self._kind = kind
        self._one = Match(left=("",), right=kind.right)
        self.below = tuple((_LETTERS[at], kind.right[place]) for at, place in enumerate(kind.displayed))

    def rows(self, typed: str) -> tuple[Row, ...]:
        """Return the left lines with their letters."""
        return tuple(
            Row(
                GAP if place is None else _LETTERS[place],
                str(at + 1),
                text,
                place is not None,
                entry=at,
            )
            for at, (text, place) in enumerate(zip(self._kind.left, self._places(typed), strict=True))
        )

    def after(self, typed: str, at: int, key: str) -> Written | None:
        """Give the row a letter and go on, or give it the next letter."""
        places, count = self._places(typed), len(self.below)
        if key == "space":
            now = places[at]
            places[at] = 0 if now is None else (now + 1) % count
        elif len(key) == 1 and 0 <= _LETTERS.find(key) < count:
            places[at] = _LETTERS.index(key)
            at = min(at + 1, len(places) - 1)
        else:
            return None
        return Written(" ".join(GAP if place is None else _LETTERS[place] for place in places), at)

    def _places(self, typed: str) -> list[int | None]:
        whole = _read(self._kind, typed)
        shown = self._kind.displayed
        if whole is not None:
            return [shown.index(place) for place in whole]
        words = typed.replace(",", " ").split()
        if len(words) == 1 and words[0].isalpha():
            words = list(words[0])
        read = [_read(self._one, word) for word in words[: len(self._kind.left)]]
        places: list[int | None] = [value[0] if value else None for value in read]
        return places + [None] * (len(self._kind.left) - len(places))


class OrderRows(Sheet):
    """Steps to be put in order; those that the text does not name stand last and are left out."""

    name = Order.name
    hint = "or ↑ ↓, J K move, x leaves out"

    def __init__(self, kind: Order, truth: Sequence[int]) -> None:
        self._kind = kind
        self._letters = _LETTERS[: len(kind.steps)]
        self.wanted = len(truth)

    def rows(self, typed: str) -> tuple[Row, ...]:
        """Return the steps in the order of the text, then the others; as they are shown without a text."""
        inside, outside = self._split(typed)
        return tuple(
            Row(
                "–" if number is None else str(number + 1),
                letter,
                self._kind.steps[self._kind.displayed[self._letters.index(letter)]],
                number is not None,
                self._kind.code,
                number,
            )
            for letter, number in [
                *((letter, number) for number, letter in enumerate(inside)),
                *((letter, None) for letter in outside),
            ]
        )

    def after(self, typed: str, at: int, key: str) -> Written | None:
        """Move the row, leave it out or take it in again."""
        inside, outside = self._split(typed)
        if key == "x":
            if at < len(inside):
                outside.insert(0, inside.pop(at))
            else:
                inside.append(outside.pop(at - len(inside)))
                at = len(inside) - 1
            return Written(" ".join(inside), at)
        if key not in ("K", "J"):
            return None
        return self.moved(typed, at, at + (1 if key == "J" else -1))

    def moved(self, typed: str, at: int, to: int) -> Written:
        """Return the text with a row moved to another place; the end of those that are in is the last."""
        inside, outside = self._split(typed)
        row = inside.pop(at) if at < len(inside) else outside.pop(at - len(inside))
        to = max(0, min(to, len(inside)))
        inside.insert(to, row)
        return Written(" ".join(inside), to)

    def _split(self, typed: str) -> tuple[list[str], list[str]]:
        if not typed.strip():
            return list(self._letters), []
        named = "".join(char for char in typed.casefold() if char.isalnum())
        if named.isdecimal():
            named = "".join(_LETTERS[int(digit) - 1] for digit in named if digit != "0")
        inside = list(dict.fromkeys(letter for letter in named if letter in self._letters))
        return inside, [letter for letter in self._letters if letter not in inside]


def sheet_of(variant: Variant) -> Sheet | None:
    """Return the rows of a variant; None for an answer that is only typed."""
    kind, truth = variant.kind, variant.answer
    match kind:
        case Choice() | CodeLine():
            return OneOf(kind, int(truth))
        case Axes():
            return AxisToggles(kind, truth)
        case YesNo():
            return YesNoRows(kind)
        case Match():
            return MatchRows(kind)
        case Order():
            return OrderRows(kind, truth)
    return None


def _read(kind: Kind, typed: str) -> tuple[int, ...] | None:
    """Return the whole numbers that a complete text means, None where it is not complete."""
    wanted: Any = ()
    try:
        return tuple(int(entry.value) for entry in kind.read(typed, wanted).entries)
    except Unreadable:
        return None
