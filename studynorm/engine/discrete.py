"""The kinds of answer that are picked rather than computed: shapes, axes, choices, orders, matches.

An answer of these kinds is whole numbers: the sizes of a shape, 1 for yes, places in the author's own
order of options. What a learner sees may be shuffled; `order` says how, and is part of the kind of a
variant, so that a replay shows the same letters.
"""

import dataclasses
import re
import string
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from studynorm.engine.answer import Kind, Reading
from studynorm.engine.expression import ANSWER_LIMIT, read
from studynorm.engine.rng import Rng
from studynorm.engine.value import Scalar, Unreadable

_LETTERS = string.ascii_lowercase
_YES_NO = dict.fromkeys(("y", "yes", "true", "1", "+", "✓"), 1) | dict.fromkeys(
    ("n", "no", "false", "0", "-", "−", "✗"), 0
)

_NUMBERED = re.compile(r"(\d+)\s*[-=:.)→]*\s*([a-z])")


def _scalars(values: Sequence[int]) -> tuple[Scalar, ...]:
    return tuple(Scalar(float(value), Fraction(value)) for value in values)


def _plain_words(text: str) -> str:
    """Return what was typed in lower case with one blank between words. Raises `Unreadable`."""
    if len(text) > ANSWER_LIMIT:
        raise Unreadable(f"an answer has at most {ANSWER_LIMIT} characters", ANSWER_LIMIT)
    words = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    if not words:
        raise Unreadable("nothing was typed", 0)
    return words


class Shape(Kind):
    """The shape of a tensor; how many axes it has is part of the answer."""

    name = "shape"
    whole = True
    free_length = True

    def read(self, text: str, truth: object) -> Reading:
        stripped = re.sub(r"^\s*(torch\.)?(size|shape)\s*(?=[(\[])", "", text, flags=re.IGNORECASE)
        if re.fullmatch(r"\s*(\(\s*\[\s*\]\s*\)|[(\[]\s*,?\s*[)\]])\s*", stripped):
            return Reading((), "()")
        value = read(re.sub(r"(?<=\d)\s*[xX×]\s*(?=\d)", " ", stripped), in_list=True)
        sizes = (value,) if isinstance(value, Scalar) else value
        numbers = [size.exact for size in sizes if isinstance(size, Scalar) and size.exact is not None]
        if len(numbers) != len(sizes) or any(size.denominator != 1 or size < 0 for size in numbers):
            raise Unreadable("a shape is whole sizes, as in (8, 16, 32)", 0)
        shown = ", ".join(str(size) for size in numbers)
        return Reading(
            _scalars([int(size) for size in numbers]), f"({shown}{',' if len(numbers) == 1 else ''})"
        )

    def typed(self, value: object) -> str:
        assert isinstance(value, Sequence)
        return "(" + ", ".join(str(_whole(size)) for size in value) + ")"

    def how(self, truth: object) -> str:
        return "a shape: (8, 16, 32), 8x16x32 or () for a single number"


@dataclass(frozen=True, slots=True)
class Axes(Kind):
    """A set of axes of a tensor with `rank` axes; −1 is the last one and the order does not matter."""

    rank: int = 4

    name = "axes"
    whole = True
    free_length = True

    def read(self, text: str, truth: object) -> Reading:
        inner = re.sub(r"^\s*(dim|axis|axes)\s*=", "", text, flags=re.IGNORECASE)
        inner = inner.replace("{", "(").replace("}", ")")
        value = read(inner, in_list=True)
        entries = (value,) if isinstance(value, Scalar) else value
        axes: set[int] = set()
        for entry in entries:
            axis = entry.exact if isinstance(entry, Scalar) else None
            if axis is None or axis.denominator != 1 or not -self.rank <= axis < self.rank:
                raise Unreadable(f"axes are whole numbers from {-self.rank} to {self.rank - 1}", 0)
            if int(axis) % self.rank in axes:
                raise Unreadable(f"axis {int(axis)} is named twice", 0)
            axes.add(int(axis) % self.rank)
        return Reading(_scalars(sorted(axes)), "{" + ", ".join(str(axis) for axis in sorted(axes)) + "}")

    def typed(self, value: object) -> str:
        assert isinstance(value, Sequence)
        return " ".join(str(_whole(axis)) for axis in value)

    def how(self, truth: object) -> str:
        return f"axes from 0 to {self.rank - 1} with blanks between, in any order; −1 is the last"


@dataclass(frozen=True, slots=True)
class YesNo(Kind):
    """One yes or no for each of `labels`; each is an answer of its own."""

    labels: tuple[str, ...] = ()

    name = "yes_no"
    whole = True
    separate_parts = True

    def read(self, text: str, truth: object) -> Reading:
        words = re.findall(r"[^\s,;]+", _plain_words(text).strip("()[]"))
        if len(words) == 1 and len(words[0]) == len(self.labels) > 1 and words[0] not in _YES_NO:
            words = list(words[0])
        for word in words:
            if word not in _YES_NO:
                raise Unreadable(f"“{word}” is neither yes nor no; write y or n for each", 0)
        if len(words) != len(self.labels):
            raise Unreadable(f"{len(self.labels)} answers are wanted, and this has {len(words)}", 0)
        marks = [_YES_NO[word] for word in words]
        return Reading(_scalars(marks), " ".join("yes" if mark else "no" for mark in marks))

    def typed(self, value: object) -> str:
        assert isinstance(value, Sequence)
        return " ".join("ny"[_whole(mark)] for mark in value)

    def how(self, truth: object) -> str:
        example = " ".join("yn"[at % 2] for at in range(len(self.labels)))
        return f"y or n for each of the {len(self.labels)}, as in {example}"

    def shown(self) -> str:
        return "\n".join(f"{at}. {label}" for at, label in enumerate(self.labels, 1))


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of `options`; the answer is its place in the author's order, counted from 0."""

    options: tuple[str, ...] = ()
    order: tuple[int, ...] = ()

    name = "choice"
    whole = True
    in_list = False

    @property
    def displayed(self) -> tuple[int, ...]:
        """The options' places in the order in which they are shown."""
        return self.order or tuple(range(len(self.options)))

    def shuffled(self, rng: Rng) -> "Choice":
        return dataclasses.replace(self, order=tuple(rng.shuffled(range(len(self.options)))))

    def read(self, text: str, truth: object) -> Reading:
        word = _plain_words(text).strip("().[] ")
        place = (
            _LETTERS.find(word)
            if len(word) == 1 and word.isalpha()
            else int(word) - 1
            if word.isdecimal()
            else -1
        )
        if not 0 <= place < len(self.options):
            last = _LETTERS[len(self.options) - 1]
            raise Unreadable(f"one letter from a to {last} is wanted", 0)
        return Reading(
            _scalars([self.displayed[place]]), f"{_LETTERS[place]}) {self.options[self.displayed[place]]}"
        )

    def how(self, truth: object) -> str:
        return f"a letter from a to {_LETTERS[len(self.options) - 1]}"

    def shown(self) -> str:
        return "\n\n".join(
            f"**{_LETTERS[at]}**  {self.options[place]}" for at, place in enumerate(self.displayed)
        )

    def typed(self, value: object) -> str:
        return _LETTERS[self.displayed.index(_whole(value))]


@dataclass(frozen=True, slots=True)
class Order(Kind):
    """`steps` put in order; the answer is their places in the author's order, decoys left out."""

    steps: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    code: bool = False

    name = "order"
    whole = True

    @property
    def displayed(self) -> tuple[int, ...]:
        """The steps' places in the order in which they are shown."""
        return self.order or tuple(range(len(self.steps)))

    def shuffled(self, rng: Rng) -> "Order":
        return dataclasses.replace(self, order=tuple(rng.shuffled(range(len(self.steps)))))

    def read(self, text: str, truth: object) -> Reading:
        assert isinstance(truth, Sequence)
        places = _places(text, len(self.steps))
        if len(places) != len(truth):
            raise Unreadable(f"{len(truth)} steps are wanted, and this has {len(places)}", 0)
        if len(set(places)) != len(places):
            raise Unreadable("a step is named twice", 0)
        return Reading(
            _scalars([self.displayed[at] for at in places]), " → ".join(_LETTERS[at] for at in places)
        )

    def how(self, truth: object) -> str:
        assert isinstance(truth, Sequence)
        return f"{len(truth)} letters in order, as in {' '.join(_LETTERS[: len(truth)][::-1])}"

    def shown(self) -> str:
        lines = [(_LETTERS[at], self.steps[place]) for at, place in enumerate(self.displayed)]
        if self.code:
            return "```python\n" + "\n".join(f"{letter}  {step}" for letter, step in lines) + "\n```"
        return "\n\n".join(f"**{letter}**  {step}" for letter, step in lines)

    def typed(self, value: object) -> str:
        assert isinstance(value, Sequence)
        return " ".join(_LETTERS[self.displayed.index(_whole(place))] for place in value)


@dataclass(frozen=True, slots=True)
class Match(Kind):
    """For each of `left` the fitting one of `right`; the answer is places in the author's `right`."""

    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    order: tuple[int, ...] = ()

    name = "match"
    whole = True
    separate_parts = True

    @property
    def displayed(self) -> tuple[int, ...]:
        """The places of the right side in the order in which they are shown."""
        return self.order or tuple(range(len(self.right)))

    def shuffled(self, rng: Rng) -> "Match":
        return dataclasses.replace(self, order=tuple(rng.shuffled(range(len(self.right)))))

    def read(self, text: str, truth: object) -> Reading:
        places = _places(self._by_number(_plain_words(text)), len(self.right))
        if len(places) != len(self.left):
            raise Unreadable(f"{len(self.left)} letters are wanted, and this has {len(places)}", 0)
        shown = " ".join(f"{at}{_LETTERS[place]}" for at, place in enumerate(places, 1))
        return Reading(_scalars([self.displayed[at] for at in places]), shown)

    def _by_number(self, words: str) -> str:
        """Return the letters of `2c 1a` in the order of the numbers; words without numbers as they are."""
        pairs = [(int(number), letter) for number, letter in _NUMBERED.findall(words)]
        if not pairs:
            return words
        if sorted(number for number, _ in pairs) != list(range(1, len(self.left) + 1)):
            raise Unreadable(f"with numbers, each from 1 to {len(self.left)} is wanted once", 0)
        return " ".join(letter for _, letter in sorted(pairs)) + _NUMBERED.sub("", words)

    def how(self, truth: object) -> str:
        example = " ".join(_LETTERS[at % len(self.right)] for at in range(len(self.left)))
        return f"a letter for each of the {len(self.left)} in order, as in {example}"

    def shown(self) -> str:
        left = "\n".join(f"{at}. {text}" for at, text in enumerate(self.left, 1))
        right = "\n\n".join(
            f"**{_LETTERS[at]}**  {self.right[place]}" for at, place in enumerate(self.displayed)
        )
        return f"{left}\n\n{right}"

    def typed(self, value: object) -> str:
        assert isinstance(value, Sequence)
        return " ".join(_LETTERS[self.displayed.index(_whole(place))] for place in value)


@dataclass(frozen=True, slots=True)
class CodeLine(Kind):
    """One line of `code`, counted from 1."""

    code: tuple[str, ...] = ()

    name = "line"
    whole = True
    in_list = False

    def read(self, text: str, truth: object) -> Reading:
        word = re.sub(r"^(line|l|#)\s*", "", _plain_words(text))
        if not word.isdecimal() or len(word) > 4 or not 1 <= int(word) <= len(self.code):
            raise Unreadable(f"the number of a line from 1 to {len(self.code)} is wanted", 0)
        return Reading(_scalars([int(word)]), f"line {int(word)}: {self.code[int(word) - 1].strip()}")

    def typed(self, value: object) -> str:
        return str(_whole(value))

    def how(self, truth: object) -> str:
        return f"the number of a line, 1 to {len(self.code)}"

    def shown(self) -> str:
        width = len(str(len(self.code)))
        lines = (f"{at:>{width}}  {line}" for at, line in enumerate(self.code, 1))
        return "```python\n" + "\n".join(lines) + "\n```"


def _places(text: str, count: int) -> list[int]:
    """Read letters, with or without blanks between them, as places from 0. Raises `Unreadable`."""
    letters = re.sub(r"[\s,;>→()\[\]-]+", "", _plain_words(text))
    if letters.isdecimal() and count <= 9:
        letters = "".join(_LETTERS[int(digit) - 1] if 0 < int(digit) <= count else "?" for digit in letters)
    for letter in letters:
        if not 0 <= _LETTERS.find(letter) < count:
            raise Unreadable(f"“{letter}” is none of a to {_LETTERS[count - 1]}", 0)
    if not letters:
        raise Unreadable("nothing was typed", 0)
    return [_LETTERS.find(letter) for letter in letters]


def _whole(value: object) -> int:
    assert isinstance(value, int | float)
    return int(value)


DISCRETE: tuple[type[Kind], ...] = (Shape, Axes, YesNo, Choice, Order, Match, CodeLine)
