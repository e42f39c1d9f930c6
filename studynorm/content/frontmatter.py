"""The `+++` header of a deck file: TOML with a handful of known keys, each checked where it stands."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

DECK_ID = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_KEYS = ("id", "title", "tags", "requires", "overrides")
_SKETCH = 'Begin the file with `+++`, a line `id = "my-deck"`, a line `title = "My deck"` and `+++`.'
_ID_RULE = 'Use small letters and digits with single hyphens or underscores between, as in "layer-norm".'
_TOML_PLACE = re.compile(r"\s*\(at line (\d+), column \d+\)|\s*\(at end of document\)")


@dataclass(frozen=True, slots=True)
class Header:
    """What the header says, and the index of the first line behind it.

    `overrides` tells that `id` names the shipped deck whose cards this one replaces.
    """

    id: str
    title: str
    tags: tuple[str, ...]
    requires: tuple[str, ...]
    overrides: bool
    body: int


@dataclass(frozen=True, slots=True)
class LineFault:
    """Something wrong in a line (counted from 1) of a deck file."""

    line: int
    message: str
    way_out: str


def parse_header(lines: Sequence[str]) -> tuple[Header | None, tuple[LineFault, ...]]:
    """Read the header from the lines of a deck file; None when any of its faults leaves the deck unusable."""
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return None, (LineFault(1, "the file is empty", _SKETCH),)
    if lines[first].rstrip() != "+++":
        binary = any("\0" in line for line in lines[:5])
        way_out = "It looks like UTF-16 or no text at all: save it as UTF-8." if binary else _SKETCH
        return None, (LineFault(first + 1, "the deck has no `+++` header", way_out),)
    last = next((index for index in range(first + 1, len(lines)) if lines[index].rstrip() == "+++"), None)
    if last is None:
        return None, (
            LineFault(first + 1, "the header is never closed", "Put a line `+++` behind its last key."),
        )
    source = lines[first + 1 : last]
    try:
        table = tomllib.loads("\n".join(source) + "\n")
    except (ValueError, RecursionError) as error:
        return None, (_toml_fault(error, first + 1, len(source)),)
    checks = _Checks(table, source, first + 2)
    header = checks.header(last + 1)
    return (None if checks.faults else header), tuple(checks.faults)


def suggested_deck_id(name: str) -> str:
    """Return the deck id that a name or a file name comes to; empty where it has no letter of an id."""
    name = name.strip().lower()
    return name if DECK_ID.fullmatch(name) else "-".join(re.findall(r"[a-z0-9]+", name))


def header_line(key: str, text: str) -> str:
    """Return the line `key = "text"`, as TOML reads it."""
    return f"{key} = {json.dumps(text, ensure_ascii=False)}".replace("\x7f", "\\u007f")


def title_of(deck_id: str) -> str:
    """Return the title that a deck has until its author writes one."""
    words = re.sub(r"[-_]+", " ", deck_id)
    return words[:1].upper() + words[1:]


def _toml_fault(error: ValueError | RecursionError, header_line: int, length: int) -> LineFault:
    if isinstance(error, RecursionError):
        return LineFault(header_line, "the header is nested too deeply", "Keep to lists of strings.")
    text = str(error)
    place = _TOML_PLACE.search(text)
    line = header_line + (min(int(place[1]), max(length, 1)) if place and place[1] else length)
    reason = _TOML_PLACE.sub("", text).rstrip(".")
    return LineFault(
        line, f"the header is not valid TOML: {reason}", 'Write `key = "text"` or `key = ["text", "text"]`.'
    )


class _Checks:
    def __init__(self, table: Mapping[str, object], source: Sequence[str], first_line: int) -> None:
        self._table = table
        self._source = source
        self._first_line = first_line
        self.faults: list[LineFault] = []

    def header(self, body: int) -> Header:
        overrides = "overrides" in self._table
        allowed = ("overrides",) if overrides else tuple(key for key in _KEYS if key != "overrides")
        for key in self._table:
            if key not in allowed:
                self._unknown(key, allowed)
        return Header(
            id=self._deck_id("overrides" if overrides else "id"),
            title="" if overrides else self._title(),
            tags=tuple(self._strings("tags")),
            requires=tuple(self._deck_ids("requires")),
            overrides=overrides,
            body=body,
        )

    def _line(self, key: str) -> int:
        start = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=\]]|\s*\[+\s*{re.escape(key)}")
        for index, line in enumerate(self._source):
            if start.match(line):
                return self._first_line + index
        return self._first_line

    def _fault(self, key: str, message: str, way_out: str) -> None:
        self.faults.append(LineFault(self._line(key), message, way_out))

    def _unknown(self, key: str, allowed: Sequence[str]) -> None:
        if "overrides" in allowed:
            self._fault(
                key,
                f"an override deck has no key {key!r}",
                "Keep `overrides` alone, the shipped deck has the rest.",
            )
        else:
            self._fault(key, f"unknown key {key!r}", f"The keys are {', '.join(allowed)}.")

    def _text(self, key: str) -> str | None:
        value = self._table.get(key)
        if value is None:
            self.faults.append(
                LineFault(self._first_line - 1, f"the header lacks `{key}`", f'Add a line `{key} = "…"`.')
            )
        elif not isinstance(value, str):
            self._fault(key, f"`{key}` is not a text", f'Write it in quotes: `{key} = "…"`.')
        elif not value.strip():
            self._fault(key, f"`{key}` is empty", f'Write a text: `{key} = "…"`.')
        else:
            return value.strip()
        return None

    def _deck_id(self, key: str) -> str:
        value = self._text(key)
        if value is not None and not DECK_ID.fullmatch(value):
            self._fault(key, f"{value!r} is no deck id", _ID_RULE)
        return value or ""

    def _title(self) -> str:
        value = self._text("title") or ""
        if "\n" in value:
            self._fault("title", "the title has more than one line", "Keep it in one line.")
        return value

    def _strings(self, key: str) -> Iterator[str]:
        value = self._table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            self._fault(
                key, f"`{key}` is not a list of texts", f'Write `{key} = ["…", "…"]`, or leave it out.'
            )
            return
        yield from dict.fromkeys(one.strip() for one in value)

    def _deck_ids(self, key: str) -> Iterator[str]:
        for value in self._strings(key):
            if DECK_ID.fullmatch(value):
                yield value
            else:
                self._fault(key, f"{value!r} is no deck id", _ID_RULE)
