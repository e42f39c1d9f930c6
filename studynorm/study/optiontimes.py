"""Options that are times: one, or a few one after the other, written with their units."""

import re
from dataclasses import dataclass

from studynorm.study.optionkinds import NONE, Kind, NotPossible, Value, matched, short, text_in

_UNITS = {"h": 3600, "m": 60, "s": 1}
_TIME = re.compile(r"(?:(\d{1,5})h)?(?:(\d{1,5})m)?(?:(\d{1,5})s)?")


@dataclass(frozen=True)
class Span(Kind):
    """A time in whole seconds up to `highest`, written with its units: `90s`, `20m`, `1h30m`."""

    highest: int
    example: str

    @property
    def allowed(self) -> str:
        """The range with an example."""
        return f"less than {time_text(self.highest + 1)}, such as {self.example}"

    def read(self, typed: str) -> Value:
        """Read hours, minutes and seconds; 0 alone needs no unit."""
        seconds = _seconds(typed.strip())
        if seconds > self.highest:
            raise NotPossible
        return seconds

    def take(self, raw: object) -> Value:
        """Take a text; a number alone does not tell its unit."""
        return self.read(text_in(raw))

    def text(self, value: Value) -> str:
        """Return `20m`."""
        assert isinstance(value, int)
        return time_text(value)


@dataclass(frozen=True)
class Steps(Kind):
    """A few times one after the other: `1m 10m`."""

    most: int
    longest: int
    example: str

    @property
    def allowed(self) -> str:
        """How many, how long, with an example."""
        longest = time_text(self.longest + 1)
        return f"up to {self.most} times of less than {longest}, such as {self.example}, or {NONE}"

    def read(self, typed: str) -> Value:
        """Read times with blanks or commas between; nothing and `none` are no step."""
        words = short(typed).replace(",", " ").split()
        steps = () if words in ([], [NONE]) else tuple(map(_seconds, words))
        if len(steps) > self.most or not all(1 <= step <= self.longest for step in steps):
            raise NotPossible
        return steps

    def take(self, raw: object) -> Value:
        """Take a text, or a list of texts."""
        if isinstance(raw, list):
            return self.read(" ".join(map(text_in, raw)))
        return self.read(text_in(raw))

    def text(self, value: Value) -> str:
        """Return `1m 10m`, or `none`."""
        assert isinstance(value, tuple)
        return " ".join(map(time_text, value)) or NONE


def time_text(seconds: int) -> str:
    """Return whole seconds as hours, minutes and seconds without blanks: `90s` is `1m30s`."""
    parts = [(seconds // 3600, "h"), (seconds % 3600 // 60, "m"), (seconds % 60, "s")]
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0m"


def _seconds(word: str) -> int:
    if word == "0":
        return 0
    read = _TIME.fullmatch(matched("[0-9hms]+", word))
    if read is None:
        raise NotPossible
    return sum(int(part) * unit for part, unit in zip(read.groups(), _UNITS.values(), strict=True) if part)
