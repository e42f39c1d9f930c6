"""What kinds of options there are besides times: how each is typed, kept in a TOML file and shown."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

Value: TypeAlias = bool | int | float | str | tuple[int, ...] | date | None
"""The value of an option as the program uses it; steps and times are whole seconds."""
Stored: TypeAlias = bool | int | float | str | date
"""The value of an option as a TOML file has it."""

NONE = "none"
_LONGEST = 200
_DATE = r"\d{4}-\d{2}-\d{2}"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


class NotPossible(ValueError):
    """A value that an option cannot have."""


@dataclass(frozen=True)
class Kind(ABC):
    """One kind of option. `read` and `take` raise NotPossible for what it cannot be."""

    @property
    @abstractmethod
    def allowed(self) -> str:
        """What is possible, in words: the range with its unit."""

    @abstractmethod
    def read(self, typed: str) -> Value:
        """Return the value that a person typed."""

    @abstractmethod
    def take(self, raw: object) -> Value:
        """Return the value that stands in a TOML file as `raw`."""

    def text(self, value: Value) -> str:
        """Return a value as a person types it."""
        return str(value)

    def give(self, value: Value) -> Stored:
        """Return a value as a TOML file has it."""
        return self.text(value)

    @property
    def choices(self) -> Sequence[Value]:
        """Every possible value where they are few, in order; empty where one types."""
        return ()


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number within a range, its ends included."""

    lowest: int
    highest: int
    unit: str = ""

    @property
    def allowed(self) -> str:
        """The range with its unit."""
        return f"{self.lowest} to {self.highest} {self.unit}".rstrip()

    def read(self, typed: str) -> Value:
        """Read an optional sign and digits."""
        return self.take(int(matched(r"[+-]?\d{1,9}", typed)))

    def take(self, raw: object) -> Value:
        """Take a whole number in the range; true and 3.0 are none."""
        if isinstance(raw, bool) or not isinstance(raw, int) or not self.lowest <= raw <= self.highest:
            raise NotPossible
        return raw

    def give(self, value: Value) -> Stored:
        """Return the number itself."""
        assert isinstance(value, int)
        return value


@dataclass(frozen=True)
class Hour(Whole):
    """A full hour of the day; people may write `4` or `04:00`."""

    lowest: int = 0
    highest: int = 23

    @property
    def allowed(self) -> str:
        """The hours of a day."""
        return "a full hour from 00:00 to 23:00"

    def read(self, typed: str) -> Value:
        """Read an hour, with `:00` behind it or without."""
        return super().read(typed.strip().removesuffix(":00"))

    def text(self, value: Value) -> str:
        """Return `04:00`."""
        return f"{value:02}:00"


@dataclass(frozen=True)
class Share(Kind):
    """A number between 0 and 1 within a range, its ends included; people may write 90 % for 0.9."""

    lowest: float
    highest: float

    @property
    def allowed(self) -> str:
        """The range."""
        return f"{self.lowest:.2f} to {self.highest:.2f}"

    def read(self, typed: str) -> Value:
        """Read a decimal, or a percentage."""
        number = matched(r"(\d{1,3}(\.\d{0,9})?|\.\d{1,9}) ?%?", typed)
        percent = number.endswith("%")
        value = float(number.rstrip("% "))
        return self.take(round(value / 100, 12) if percent else value)

    def take(self, raw: object) -> Value:
        """Take a number in the range."""
        if isinstance(raw, bool) or not isinstance(raw, int | float):
            raise NotPossible
        if not self.lowest <= raw <= self.highest:  # as no comparison holds for nan
            raise NotPossible
        return float(raw)

    def text(self, value: Value) -> str:
        """Return at least two decimals."""
        assert isinstance(value, float)
        short = f"{value:.2f}"
        return short if float(short) == value else repr(value)

    def give(self, value: Value) -> Stored:
        """Return the number itself."""
        assert isinstance(value, float)
        return value


@dataclass(frozen=True)
class Day(Kind):
    """A date, or none."""

    @property
    def allowed(self) -> str:
        """How a date is written."""
        return f"a date as YYYY-MM-DD, or {NONE}"

    def read(self, typed: str) -> Value:
        """Read an ISO date; nothing and `none` are no date."""
        text = typed.strip()
        if text in ("", NONE):
            return None
        try:
            return date.fromisoformat(matched(_DATE, text))
        except NotPossible:
            raise
        except ValueError:
            raise NotPossible from None

    def take(self, raw: object) -> Value:
        """Take a date without a time, or a text."""
        return raw if type(raw) is date else self.read(text_in(raw))

    def text(self, value: Value) -> str:
        """Return the ISO date, or `none`."""
        return value.isoformat() if isinstance(value, date) else NONE

    def give(self, value: Value) -> Stored:
        """Return the date itself; TOML has no other word for none than a text."""
        return value if isinstance(value, date) else NONE


@dataclass(frozen=True)
class Flag(Kind):
    """Something that is on or off."""

    @property
    def allowed(self) -> str:
        """The two words."""
        return "on or off"

    def read(self, typed: str) -> Value:
        """Read on or off, true or false, yes or no."""
        word = typed.strip().lower()
        if word in ("on", "true", "yes"):
            return True
        if word in ("off", "false", "no"):
            return False
        raise NotPossible

    def take(self, raw: object) -> Value:
        """Take true or false."""
        if not isinstance(raw, bool):
            raise NotPossible
        return raw

    def text(self, value: Value) -> str:
        """Return `on` or `off`."""
        return "on" if value else "off"

    def give(self, value: Value) -> Stored:
        """Return the value itself."""
        return bool(value)

    @property
    def choices(self) -> Sequence[Value]:
        """Off, then on."""
        return (False, True)


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words; where those are not known, any word, and `what` says which."""

    words: tuple[str, ...] = ()
    what: str = ""

    @property
    def allowed(self) -> str:
        """The words."""
        return f"{', '.join(self.words[:-1])} or {self.words[-1]}" if self.words else self.what

    def read(self, typed: str) -> Value:
        """Read a word."""
        word = typed.strip()
        if (self.words and word not in self.words) or not _NAME.fullmatch(word):
            raise NotPossible
        return word

    def take(self, raw: object) -> Value:
        """Take a text."""
        return self.read(text_in(raw))

    @property
    def choices(self) -> Sequence[Value]:
        """The words."""
        return self.words


def matched(pattern: str, typed: str) -> str:
    """Return what was typed without blanks around; NotPossible unless the whole of it matches."""
    text = short(typed).strip()
    if not re.fullmatch(pattern, text, re.ASCII):
        raise NotPossible
    return text


def short(typed: str) -> str:
    """Return what was typed; NotPossible where it is longer than any value."""
    if len(typed) > _LONGEST:
        raise NotPossible
    return typed


def text_in(raw: object) -> str:
    """Return a value of a file that is a text; NotPossible for any other."""
    if not isinstance(raw, str):
        raise NotPossible
    return raw
