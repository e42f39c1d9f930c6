"""What a demo is made of: settings with ranges, a computation, and what it hands back to be shown.

Separate from the demos so that front ends can list, ask and plot without running anything.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Literal, Protocol, TypeAlias

JSON: TypeAlias = "Mapping[str, JSON] | Sequence[JSON] | str | int | float | bool | None"
SettingValue: TypeAlias = "int | float | str | tuple[int, ...]"
Cell: TypeAlias = "str | int | float | None"
Progress: TypeAlias = Callable[[float, str], None]
"""Called with the fraction done (0..1) and a few words; an exception that it raises ends the demo."""


_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_REAL = re.compile(r"[+-]?([0-9]{1,20}\.?[0-9]{0,20}|\.[0-9]{1,20})([eE][+-]?[0-9]{1,3})?")
_SHOWN = 40  # characters of a refused text that a message repeats


class SettingRefused(ValueError):
    """A setting that a demo does not take; the message names it, what is allowed, and its default."""


class DemoFailed(RuntimeError):
    """A demo that could not finish; the message is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One control of a demo: what it means and which values it takes (`low` and `high` inclusive).

    An `ints` setting is a list of at most `most` different whole numbers, each within the range;
    whole numbers must be multiples of `multiple_of`.
    """

    name: str
    label: str
    kind: Literal["int", "float", "choice", "ints"]
    default: SettingValue
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()
    unit: str = ""
    help: str = ""
    most: int = 8
    multiple_of: int = 1

    @property
    def allowed(self) -> str:
        """What may be given, in words: `a whole number from 1 to 1000`."""
        between = f"from {self.low:g} to {self.high:g}{f' {self.unit}' if self.unit else ''}"
        steps = f", a multiple of {self.multiple_of}" if self.multiple_of > 1 else ""
        match self.kind:
            case "int":
                return f"a whole number {between}{steps}"
            case "float":
                return f"a number {between}"
            case "ints":
                return f"at most {self.most} different whole numbers {between}{steps}, with commas between"
            case "choice":
                return " or ".join(self.choices)

    @property
    def default_text(self) -> str:
        """The default as it would be typed."""
        return ",".join(map(str, self.default)) if isinstance(self.default, tuple) else str(self.default)


class Settings(dict[str, SettingValue]):
    """Every setting of one demo with its value, checked; `read_settings` makes it.

    The readers hand a value back with its type and raise TypeError for a setting of another kind.
    """

    def whole(self, name: str) -> int:
        """Return an `int` setting."""
        value = self[name]
        if not isinstance(value, int):
            raise TypeError(f"{name} is no int setting")
        return value

    def real(self, name: str) -> float:
        """Return a `float` setting."""
        value = self[name]
        if not isinstance(value, int | float):
            raise TypeError(f"{name} is no float setting")
        return float(value)

    def word(self, name: str) -> str:
        """Return a `choice` setting."""
        value = self[name]
        if not isinstance(value, str):
            raise TypeError(f"{name} is no choice setting")
        return value

    def wholes(self, name: str) -> tuple[int, ...]:
        """Return an `ints` setting, in growing order."""
        value = self[name]
        if not isinstance(value, tuple):
            raise TypeError(f"{name} is no ints setting")
        return value


@dataclass(frozen=True, slots=True)
class Bench:
    """Where one run computes: device and dtype by torch's names, the seed, and whom to tell how far it is."""

    device: str
    dtype: str
    seed: int
    progress: Progress


@dataclass(frozen=True, slots=True)
class Series:
    """One named line: `x` and `y` of equal length; `spread` holds the lowest and highest y of each point.

    A value that is not finite means that there is no point to draw.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    spread: tuple[tuple[float, float], ...] | None = None


@dataclass(frozen=True, slots=True)
class Plot:
    """What to plot.

    With `y_is_log10` the y values are exponents of ten: a product may be too large or too small for a float.
    With `columns` the one series is drawn as columns from 0 up, one for each x; no y is negative then, the x
    are as far apart everywhere, and no axis is logarithmic.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    y_is_log10: bool = False
    columns: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A small table to read: a name, column titles, and rows of as many cells."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Result:
    """What a demo found: `data` is complete and JSON-able; `summary` says in plain sentences what to see."""

    data: Mapping[str, JSON]
    plots: tuple[Plot, ...]
    table: Table
    summary: tuple[str, ...]


class Compute(Protocol):
    """The computation of a demo: it is handed torch, draws weights and inputs on the CPU, then moves them."""

    def __call__(self, torch: ModuleType, settings: Settings, bench: Bench, /) -> Result:
        """Return the result; raise DemoFailed for what cannot be measured."""


@dataclass(frozen=True, slots=True)
class Demo:
    """Something to watch and steer: a question to predict first, settings, and the measurement.

    `right` is the index of the right option, or None where the outcome is open. `see` names cards and
    families that the demo explains, as in a card's `See:`.
    """

    name: str
    title: str
    question: str
    options: tuple[str, ...]
    right: int | None
    explanation: str
    settings: tuple[Setting, ...]
    dtype: str
    compute: Compute
    see: tuple[str, ...] = ()


def read_settings(demo: Demo, given: Mapping[str, str]) -> Settings:
    """Return every setting of `demo`: those given, read and checked, and the defaults of the rest.

    Raises SettingRefused for an unknown name and for a value that cannot be read or is out of range.
    """
    known = {setting.name: setting for setting in demo.settings}
    for name in given:
        if name not in known:
            raise SettingRefused(
                f"{demo.name} has no setting {name[:_SHOWN]!r}. It has: {', '.join(known) or 'none'}."
            )
    return Settings(
        {
            name: _read(setting, given[name]) if name in given else setting.default
            for name, setting in known.items()
        }
    )


def _read(setting: Setting, typed: str) -> SettingValue:
    text = typed.strip()
    match setting.kind:
        case "choice":
            if text in setting.choices:
                return text
        case "int":
            if _WHOLE.fullmatch(text) and _is_allowed(setting, int(text)):
                return int(text)
        case "float":
            if _REAL.fullmatch(text) and setting.low <= float(text) <= setting.high:
                return float(text)
        case "ints":
            parts = [part.strip() for part in text.split(",", setting.most)]
            if len(parts) <= setting.most and all(map(_WHOLE.fullmatch, parts)):
                wholes = sorted({int(part) for part in parts})
                if len(wholes) == len(parts) and all(_is_allowed(setting, whole) for whole in wholes):
                    return tuple(wholes)
    raise SettingRefused(
        f"{setting.name} cannot be {typed[:_SHOWN]!r}: it takes {setting.allowed} "
        f"(default {setting.default_text})."
    )


def _is_allowed(setting: Setting, whole: int) -> bool:
    return setting.low <= whole <= setting.high and whole % setting.multiple_of == 0
