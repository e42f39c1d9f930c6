"""Cuts typed mathematics into tokens, whatever signs the learner's keyboard or clipboard gave."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from studynorm.engine.value import Unreadable

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"))
_SIGNS = str.maketrans(
    {
        "−": "-", "–": "-", "—": "-", "﹣": "-", "－": "-", "‐": "-", "‑": "-",
        "＋": "+", "·": "*", "×": "*", "⋅": "*", "∙": "*", "÷": "/", "⁄": "/", "∕": "/", "／": "/",
        "，": ",", "；": ";", "（": "(", "）": ")", "［": "[", "］": "]", "．": ".",
    }
)  # fmt: skip

_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<power>\*\*|\^)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<sign>[-+*/()\[\],;√])"
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `start` and `end` are places in the typed text, `blank_before` tells of white space."""

    kind: Literal["number", "power", "name", "sign", "end"]
    text: str
    start: int
    end: int
    blank_before: bool


def _normalise(text: str) -> tuple[str, list[int]]:
    """Return the text in plain signs and, for each of its characters, the typed position."""
    out: list[str] = []
    where: list[int] = []
    index = 0
    while index < len(text):
        char = text[index]
        if char in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻":
            run = index
            while run < len(text) and text[run] in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻":
                run += 1
            piece = "^(" + text[index:run].translate(_SUPERSCRIPTS) + ")"
            out.append(piece)
            where.extend([index] * len(piece))
            index = run
            continue
        if ord(char) in _INVISIBLE:
            index += 1
            continue
        if char == "π":
            piece = "pi"
        elif char == "½":
            if "".join(out).rstrip()[-1:].isdigit():
                raise Unreadable("write a mixed number as a decimal, as in 1.5", index)
            piece = "(1/2)"
        elif char.isspace() and char != "\n":
            piece = " "
        else:
            piece = char.translate(_SIGNS)
            digit = unicodedata.decimal(piece, None) if len(piece) == 1 else None
            if digit is not None:
                piece = str(digit)
        out.append(piece)
        where.extend([index] * len(piece))
        index += 1
    return "".join(out), where


# A power of ten that lost its raised exponent when it was copied: 1.2×10−3. Read as a product and a
# difference it would be 9.
_LOST_EXPONENT = re.compile(r"[×·⋅∙]\s*10[-+−–—]\d")


def tokenise(text: str) -> list[Token]:
    """Return the tokens of a text, the last one an end. Raises `Unreadable`."""
    lost = _LOST_EXPONENT.search(text)
    if lost:
        raise Unreadable("is this a power of ten? Write 1.2e-3 or 1.2*10^-3", lost.start())
    plain, where = _normalise(text)
    tokens: list[Token] = []
    at = 0
    blank = False
    while at < len(plain):
        if plain[at] in " \n":
            blank = True
            at += 1
            continue
        match = _TOKEN.match(plain, at)
        if match is None:
            raise Unreadable(_why_not(plain[at]), where[at])
        kind = match.lastgroup
        assert kind in {"number", "power", "name", "sign"}
        tokens.append(Token(kind, match.group(), where[at], where[match.end() - 1] + 1, blank))  # type: ignore[arg-type]
        at = match.end()
        blank = False
    tokens.append(Token("end", "", len(text), len(text), blank))
    return tokens


def _why_not(char: str) -> str:
    if char == "%":
        return "write a percentage as a decimal: 25% is 0.25"
    if char in "=<>≈":
        return f"only the answer itself is wanted, without “{char}”"
    if char in "'\"`":
        return "quotes have no place in an answer"
    shown = char if char.isprintable() else f"U+{ord(char):04X}"
    return f"“{shown}” cannot be read here"
