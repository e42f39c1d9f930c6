"""The kinds of answer: what may be typed for each, and how what was typed is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from studynorm.engine.expression import read
from studynorm.engine.numbers import plain, rounded
from studynorm.engine.rng import Rng
from studynorm.engine.value import Scalar, Unreadable, Value


@dataclass(frozen=True, slots=True)
class Reading:
    """What was understood: the numbers in reading order and one line that shows them.

    The line is empty where the text stands for itself.
    """

    entries: tuple[Scalar, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Kind:
    """An answer kind; `abs_tol` and `rel_tol`, where set, replace the number contract."""

    abs_tol: float | None = None
    rel_tol: float | None = None

    name = "answer"
    whole = False
    in_list = True
    separate_parts = False
    free_length = False
    """How many entries there are is part of the answer."""
    judged = True
    """Whether an answer can be right or wrong; where it cannot, the answer of a variant is a model text."""

    def shuffled(self, rng: Rng) -> "Kind":
        """Return this kind with its options in random order, where it has any."""
        return self

    def shown(self) -> str:
        """Return in Markdown what stands below the prompt: options, steps or lines; empty for numbers."""
        return ""

    def typed(self, value: object) -> str | None:
        """Return `value` as a learner would type it, None for numbers."""
        return None

    def read(self, text: str, truth: object) -> Reading:
        """Read a typed answer of the shape of `truth`. Raises `Unreadable`, naming what is wrong."""
        value = read(text, in_list=self.in_list)
        entries = self._entries(value, truth)
        if self.whole:
            for number, entry in enumerate(entries, 1):
                exact = entry.exact if entry.exact is not None else Fraction(entry.value)
                if exact.denominator != 1:
                    which = f"entry {number} is" if len(entries) > 1 else "this is"
                    raise Unreadable(f"a whole number is wanted, and {which} {rounded(entry.value)}", 0)
        return Reading(entries, self._echo(value))

    def how(self, truth: object) -> str:
        """Say in a few words what may be typed."""
        raise NotImplementedError

    def _entries(self, value: Value, truth: object) -> tuple[Scalar, ...]:
        raise NotImplementedError

    def _echo(self, value: Value) -> str:
        return _echo(value)


class _One(Kind):
    in_list = False

    def _entries(self, value: Value, truth: object) -> tuple[Scalar, ...]:
        if not isinstance(value, Scalar):
            raise Unreadable(f"one number is wanted, and this is a list of {len(value)}", 0)
        return (value,)


class Number(_One):
    """One real number, to at least three significant digits or exactly."""

    name = "number"

    def how(self, truth: object) -> str:
        return "a number: 1.34, 3/sqrt(5), 2^10"


class Integer(_One):
    """One whole number, exactly."""

    name = "integer"
    whole = True

    def how(self, truth: object) -> str:
        return "a whole number: 8192, 2^13, 8*1024"


class _List(Kind):
    def _entries(self, value: Value, truth: object) -> tuple[Scalar, ...]:
        assert isinstance(truth, Sequence)
        wanted = len(truth)
        got = (value,) if isinstance(value, Scalar) else value
        scalars = tuple(entry for entry in got if isinstance(entry, Scalar))
        if len(scalars) != len(got):
            rows = [len(entry) if isinstance(entry, tuple) else 1 for entry in got]
            shape = f"{len(rows)}×{rows[0]}" if len(set(rows)) == 1 else "ragged"
            raise Unreadable(f"a list of {wanted} numbers is wanted, and this is a {shape} table", 0)
        if len(scalars) != wanted:
            raise Unreadable(f"{wanted} numbers are wanted, and this has {len(scalars)}", 0)
        return scalars


class Vector(_List):
    """A list of real numbers that belong together."""

    name = "vector"

    def how(self, truth: object) -> str:
        assert isinstance(truth, Sequence)
        return f"{len(truth)} numbers with blanks between, or one expression: (-3, -1, 1, 3)/sqrt(5)"


@dataclass(frozen=True, slots=True)
class Integers(_List):
    """Several whole numbers, each an answer of its own; `labels` name them in order."""

    labels: tuple[str, ...] = ()

    name = "integers"
    whole = True
    separate_parts = True

    def how(self, truth: object) -> str:
        return f"{len(self.labels)} whole numbers with blanks between, in the order asked"


class Matrix(Kind):
    """A matrix of real numbers, by rows."""

    name = "matrix"

    def how(self, truth: object) -> str:
        return "rows parted by “;”: 1 0.1; -0.1 1"

    def _entries(self, value: Value, truth: object) -> tuple[Scalar, ...]:
        assert isinstance(truth, Sequence)
        wanted = f"{len(truth)}×{len(truth[0])}"
        if isinstance(value, Scalar) or any(isinstance(row, Scalar) for row in value):
            count = 1 if isinstance(value, Scalar) else len(value)
            raise Unreadable(
                f"a {wanted} matrix is wanted, rows parted by “;”, and this is a list of {count}", 0
            )
        rows = [row for row in value if isinstance(row, tuple)]
        flat = [entry for row in rows for entry in row if isinstance(entry, Scalar)]
        if len({len(row) for row in rows}) > 1 or len(flat) != sum(len(row) for row in rows):
            raise Unreadable(f"a {wanted} matrix is wanted, and these rows have different lengths", 0)
        if len(rows) != len(truth) or len(rows[0]) != len(truth[0]):
            raise Unreadable(f"a {wanted} matrix is wanted, and this is {len(rows)}×{len(rows[0])}", 0)
        return tuple(flat)


def _echo(value: Value) -> str:
    if isinstance(value, Scalar):
        if value.unit is not None and value.exact is not None:
            return plain(value.value)
        return rounded(value.value)
    if value and all(isinstance(row, tuple) for row in value):
        return (
            "["
            + "; ".join(" ".join(_echo(entry) for entry in row) for row in value if isinstance(row, tuple))
            + "]"
        )
    return "(" + ", ".join(_echo(entry) for entry in value) + ")"
