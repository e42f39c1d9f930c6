"""Whether the environment names a zone that exists: for any other the C library takes UTC without a word."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

_NAME = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_HOURS = r"[+-]?(\d{1,3})(?::[0-5]?\d){0,2}"
_RULE = re.compile(rf"{_NAME}{_HOURS}(?:{_NAME}(?:{_HOURS})?(?:,[^,]+,[^,]+)?)?", re.ASCII)
_UTC = frozenset({"UTC", "GMT", "Z", "UCT"})


def zone_trouble(environ: Mapping[str, str]) -> str | None:
    """Return what is wrong with the variable TZ, in one line; None where it is unset or names a zone."""
    named = environ.get("TZ", "")
    place = named.removeprefix(":")
    if sys.platform == "win32" or not place or place in _UTC or _is_rule(place) or _is_file(place, environ):
        return None
    return f"TZ={named} names no time zone here, so UTC is used; a name such as Europe/Berlin is one"


def _is_rule(place: str) -> bool:
    """Tell a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`, whose offsets are less than a day."""
    rule = _RULE.fullmatch(place)
    return rule is not None and all(int(hours) < 24 for hours in rule.groups() if hours)


def _is_file(place: str, environ: Mapping[str, str]) -> bool:
    from zoneinfo import TZPATH

    folders = [environ.get("TZDIR", ""), *TZPATH]
    try:
        return any(Path(folder, place).is_file() for folder in folders if folder)
    except (OSError, ValueError):
        return False
