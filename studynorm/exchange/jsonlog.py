"""Writes everything that a profile holds as one JSON object, row by row, however long the log is."""

import json
import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, TextIO

from studynorm import __version__
from studynorm.storage.schema import MEMORY_FIELDS, REVISIONS
from studynorm.storage.snapshot import Snapshot

SCHEMA = 1

PARTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "weights": ("weights", "id"),
        "rules": ("rules", "id"),
        "memories": ("memory", "item"),
        "reviews": ("review", "id"),
        "attempts": ("attempt", "id"),
        "events": ("event", "id"),
        "pauses": ("pause", "item"),
        "wordings": ("wording", "item"),
        "interviews": ("interview", "id"),
        "rest_days": ("rest_day", "day"),
    }
)
"""The lists of the object: the table of each, and by which column it is ordered."""

_JSON = frozenset({"values", "origin", "params", "answer", "misconceptions", "made", "missed"})
"""Columns that hold JSON."""
_DERIVED = frozenset({"topic"})


def write_json(shot: Snapshot, out: TextIO) -> Mapping[str, int]:
    """Write a profile and return how many rows went into each list. Equal profiles give equal texts."""
    head = {"schema": SCHEMA, "version": __version__, "revision": REVISIONS[-1], "profile": shot.values()}
    out.write(_dumped(head)[:-1])
    written = {}
    for part, (table, order) in PARTS.items():
        out.write(f',\n"{part}":[')
        count = 0
        for row in _rows(shot, table, order):
            out.write(f"{',' if count else ''}\n{_dumped(row)}")
            count += 1
        out.write("\n]" if count else "]")
        written[part] = count
    out.write("}\n")
    return written


def _rows(shot: Snapshot, table: str, order: str) -> Iterator[dict[str, Any]]:
    names, rows = shot.rows(table, order)
    sides = [side for side in ("before", "after") if f"{side}_state" in names]
    nested = {f"{side}_{name}" for side in sides for name in MEMORY_FIELDS}
    plain = [(at, name) for at, name in enumerate(names) if name not in nested | _DERIVED]
    memories = [(side, [names.index(f"{side}_{name}") for name in MEMORY_FIELDS]) for side in sides]
    for row in rows:
        found = {name: _parsed(row[at]) if name in _JSON else row[at] for at, name in plain}
        for side, places in memories:
            values = [row[at] for at in places]
            blank = all(value is None for value in values)
            found[side] = None if blank else dict(zip(MEMORY_FIELDS, values, strict=True))
        yield found


def _parsed(text: Any) -> Any:
    """Return the value in a column of JSON; a text that is none stays as it is."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def _dumped(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError):  # what only a damaged row holds: bytes, infinities
        return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case list():
            return [_plain(inner) for inner in value]
        case bytes():
            return value.decode("utf-8", "backslashreplace")
        case float() if not math.isfinite(value):
            return str(value)
    return value
