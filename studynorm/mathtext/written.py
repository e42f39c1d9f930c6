"""A part of a formula in writing: its text, how tightly it holds together, and when it needs brackets."""

import re
from dataclasses import dataclass
from enum import IntEnum

from studynorm.mathtext.forms import LOWERED, RAISED

ROOTS = {"3": "∛", "4": "∜"}
"""The signs of roots of a degree."""
BARE_RADICAND = re.compile(r"[0-9]+|[^\W\d_][\u0300-\u036f\u20d0-\u20ff]*[₀-₉₊₋ₐ-ₜᵢᵣᵤᵥⱼᵦ-ᵪ]*")
"""What may stand behind a root sign without brackets or a line over it."""


class Level(IntEnum):
    """How tightly a written part holds together; a looser one needs brackets inside a tighter one."""

    SUM = 0
    QUOTIENT = 1
    PRODUCT = 2
    POWER = 3
    ATOM = 4


@dataclass(frozen=True, slots=True)
class Written:
    """A part in writing. `word` tells that letters beside it would run into it, before or behind."""

    text: str
    level: Level
    word_before: bool = False
    word_behind: bool = False

    def bracketed(self, below: Level) -> "Written":
        """Return the part in round brackets when it holds together less tightly than `below`."""
        return self if self.level >= below else Written(f"({self.text})", Level.ATOM)


def in_brackets(text: str) -> str:
    """Return the text in round brackets, unless it stands in such already."""
    return text if text.startswith("(") and is_bracketed(text) else f"({text})"


def is_bracketed(text: str) -> bool:
    """Tell whether the first character is a bracket that the last one closes."""
    if text[:1] not in ("(", "["):
        return False
    depth = 0
    for index, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if depth == 0:
            return index == len(text) - 1
    return False


def is_bare(script: Written) -> bool:
    """Tell whether a script needs no brackets behind its `_` or `^`: one sign, a number or a word."""
    text = script.text
    if len(text) == 1:
        return True
    plain = text.isalnum() and not any(char in RAISED or char in LOWERED for char in text)
    return plain and (text.isdecimal() or (script.word_before and script.word_behind))
