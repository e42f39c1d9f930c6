"""What an author of a problem family writes against."""

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from studynorm.engine.answer import Kind
from studynorm.engine.moments import flat
from studynorm.engine.rng import Rng

SMALLEST = 5e-324
"""The smallest positive float: given to torch's BatchNorm, which refuses eps = 0 in training."""


class Refused(ValueError):
    """A parameter outside its domain; names the parameter and says what is allowed."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message


@dataclass(frozen=True, slots=True)
class Misconception:
    """A wrong path: the value it gives and why it is wrong.

    `value` has the shape of the answer; in a multi-part answer the parts that the slip leaves right
    hold the truth. `distinguishable` is false where the value cannot be told from the truth or from
    another misconception.
    """

    id: str
    value: Any
    why: str
    distinguishable: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a worked solution: `name` = `expression` = `value`.

    A step of words alone has neither name nor expression. The expression may use the parameters, the
    names of earlier steps and what `studynorm.engine.expression.evaluate` knows; evaluated with them it
    must give `value`.
    """

    text: str
    name: str = ""
    expression: str = ""
    value: Any = None


class Level:
    """The misconceptions that every variant of a level carries, and how many statements it has.

    A level that names none keeps whatever slips a variant has: for families in which an option picks the
    question, and each question has slips of its own.
    `distinct` is the number of different statements, where that is less than fifty.
    """

    def __init__(self, *misconceptions: str, distinct: int | None = None) -> None:
        self.misconceptions = misconceptions
        self.distinct = distinct


@dataclass(frozen=True, slots=True)
class Given:
    """The domain of one parameter: what `--set` accepts and what it means when unset.

    `shape` is `scalar`, `whole`, `vector`, `matrix`, `shape` or `option`. A `vector` with `like` has
    as many entries as that parameter, or as a matrix has columns where it lies `across` it. Bounds are
    inclusive, unless `above` is set. A `group` shares one mean and variance: it has two values or more,
    and they differ where ε is 0.
    """

    label: str
    shape: str
    default: Any = None
    like: str | None = None
    across: bool = False
    low: float = -math.inf
    high: float = math.inf
    above: float | None = None
    length: tuple[int, int] = (1, 64)
    group: bool = False
    square: bool = False
    options: tuple[str, ...] = ()


def _field(given: Given) -> Any:
    return dataclasses.field(metadata={"given": given})


def scalar(
    label: str,
    default: float | None = None,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    above: float | None = None,
) -> Any:
    """Declare a parameter that is one real number."""
    return _field(Given(label, "scalar", default, low=low, high=high, above=above))


def whole(label: str, default: int | None = None, *, low: int = 0, high: int = 10**6) -> Any:
    """Declare a parameter that is one whole number."""
    return _field(Given(label, "whole", default, low=low, high=high))


def vector(
    label: str,
    *,
    like: str | None = None,
    across: bool = False,
    fill: float | None = None,
    at_least: int = 1,
) -> Any:
    """Declare a parameter that is a list of numbers; `fill` with `like` is its default.

    Where `like` is a matrix the list has one entry per row, or one per column if it lies `across`.
    """
    return _field(Given(label, "vector", fill, like=like, across=across, length=(at_least, 64)))


def batch(label: str) -> Any:
    """Declare a parameter that is one channel's batch: numbers that share one mean and variance."""
    return _field(Given(label, "vector", group=True))


def matrix(label: str, *, square: bool = True) -> Any:
    """Declare a parameter that is a matrix: a square one, unless `square` is false."""
    return _field(Given(label, "matrix", length=(1, 8), square=square))


def shape(label: str, axes: int) -> Any:
    """Declare a parameter that is the shape of a tensor with `axes` axes."""
    return _field(Given(label, "shape", length=(axes, axes), low=1, high=2**20))


def option(label: str, options: Sequence[str], default: str) -> Any:
    """Declare a parameter that is one of several words."""
    return _field(Given(label, "option", default, options=tuple(options)))


def eps() -> Any:
    """Declare ε, added to the variance (or mean square) inside the root; 0 is allowed."""
    return scalar("ε, added inside the root", 1e-12, low=0.0, high=1e6)


P = TypeVar("P")


class Family(Generic[P]):
    """A kind of problem that draws variants and can answer any of them in two independent ways.

    A family is one file `problems/<topic>/<name>.py` that ends in `FAMILY = …`; its id is
    `<topic>.<name>`. `P` is a frozen dataclass whose fields are declared by `scalar`, `vector`, ….
    Only `studynorm.engine` may be imported.
    """

    title: ClassVar[str]
    version: ClassVar[int] = 1
    catalogue: ClassVar[str]
    given: ClassVar[type[Any]]
    kind: ClassVar[Kind]
    levels: ClassVar[Mapping[int, Level]]
    covers: ClassVar[tuple[str, ...]] = ()
    cards: ClassVar[tuple[str, ...]] = ()
    demo: ClassVar[str | None] = None
    requires: ClassVar[tuple[str, ...]] = ()
    aliases: ClassVar[tuple[str, ...]] = ()
    arithmetic_only: ClassVar[bool] = False
    """There is nothing for torch to run; `verified` says so."""
    refuses_zero_eps: ClassVar[bool] = False
    """The layer refuses eps = 0 in training, so the oracle passes `nonzero(p.eps)`; `verified` says so."""

    id: str
    topic: str

    def draw(self, level: int, rng: Rng) -> P:
        """Return the parameters of a fresh variant; uses `rng` alone."""
        raise NotImplementedError

    def validate(self, p: P) -> None:
        """Raise `Refused` where the parameters, each in its domain, do not fit together."""

    def prompt(self, p: P) -> str:
        """Return the question in Markdown; it shows every parameter exactly."""
        raise NotImplementedError

    def solve(self, p: P) -> Any:
        """Return the answer in plain Python, with two-pass sums."""
        raise NotImplementedError

    def oracle(self, p: P, torch: Any) -> Any:
        """Return the answer by PyTorch's own layers, autograd or a loop, in float64; never by `solve`."""
        raise NotImplementedError

    def misconceptions(self, p: P) -> Iterable[Misconception]:
        """Return every wrong path with the value it gives on these parameters."""
        raise NotImplementedError

    def kind_of(self, p: P) -> Kind:
        """Return the answer kind of a variant, where its labels, options or lines hang on the parameters."""
        return self.kind

    def hints(self, p: P) -> Sequence[str]:
        """Return at least two hints, from vague to concrete, none containing the answer."""
        raise NotImplementedError

    def solution(self, p: P) -> Sequence[Step]:
        """Return the steps from the givens to the answer; the last step's value is the answer."""
        raise NotImplementedError

    def exact(self, p: P) -> str | None:
        """Return the answer as a fraction or surd that a learner could type, if it has one."""
        return None

    def nearest(self, level: int) -> int:
        """Return the level of this family nearest to `level`; the lower one of two."""
        return min(self.levels, key=lambda own: (abs(own - level), own))


def givens(family: Family[Any]) -> dict[str, Given]:
    """Return the declared parameters of a family by name, in order."""
    return {field.name: field.metadata["given"] for field in dataclasses.fields(family.given)}


def values_of(params: Any) -> dict[str, Any]:
    """Return the parameters as plain JSON-able values by name, in order."""
    return {field.name: getattr(params, field.name) for field in dataclasses.fields(params)}


def _require_spread(name: str, x: Sequence[float], eps: float) -> None:
    """Refuse fewer than two values, and equal values where ε = 0 leaves nothing to divide by."""
    if len(x) < 2:
        raise Refused(name, "BatchNorm in training is undefined for one value per channel; give at least two")
    if eps == 0 and flat(x):
        raise Refused(name, "all values are equal, so the variance is 0 and with eps = 0 the output is 0/0")


def check_groups(family: Family[Any], params: Any) -> None:
    """Raise `Refused` where a group of numbers has no variance to divide by."""
    for name, spec in givens(family).items():
        if spec.group:
            _require_spread(name, getattr(params, name), getattr(params, "eps", 1.0))


def nonzero(eps: float) -> float:
    """Return ε as torch's BatchNorm can take it in training, where 0 is refused."""
    return eps or SMALLEST
