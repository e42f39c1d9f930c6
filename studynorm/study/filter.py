"""The filter language of Browse: words, `is:due`, `topic:back*`, `stability<7`, `-` for not, and `or`.

Only the reading of it; what the conditions mean is beside it, in `conditions`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from studynorm.study.conditions import FIELDS, STATES, Compare, Filter, Is, Named, Term, Word

KEYS = ("is", "topic", "tag", "deck")
IDS = ("card", "family", "exercise")
"""What ids begin with: a term such as `card:batchnorm/` is a word that is looked for in them."""

_PIECE = re.compile(r'"(?P<quoted>[^"]*)(?P<end>"|$)|(?P<bare>[^\s"]+)')
_KEYED = re.compile(r"([a-z]+):(.*)", re.DOTALL)
_COMPARED = re.compile(r"([a-z]+)(<=|>=|==?|<|>|≤|≥)(.*)", re.DOTALL)
_COMPARISON_SIGNS = "<>=≤≥"
_NUMBER = re.compile(r"[-−]?(?:\d+(?:\.(\d*))?|\.(\d+))")
_SAME = {"≤": "<=", "≥": ">=", "==": "="}
_QUOTES = "In quotes it is text."
_ALL_KEYS = f"{' '.join(f'{key}:' for key in KEYS)} and card: family: before an id"
_WANTED = {
    "stability": "a number of days",
    "difficulty": "a number from 1 to 10",
    "lapses": "a number",
    "reps": "a number",
    "recall": "a chance such as 0.9 or 90%",
    "due": "study days from today: 0 is today, -1 was yesterday",
}


@dataclass(frozen=True, slots=True)
class FilterError:
    """Why a text is no filter, and the character at which it goes wrong.

    `unfinished` tells that typing on may still make it one.
    """

    message: str
    position: int
    unfinished: bool = False


def parse(text: str) -> Filter | FilterError:
    """Read a filter. An empty text lets everything through."""
    alternatives: list[tuple[Term, ...]] = []
    terms: list[Term] = []
    pieces = _pieces(text)
    try:
        for number, piece in enumerate(pieces, 1):
            if piece.quoted or piece.text.casefold() != "or":
                terms.append(_term(piece, last=piece.end == len(text)))
                continue
            last = number == len(pieces)
            if not terms or last:
                raise _Wrong("“or” stands between two terms", piece.start, unfinished=last)
            alternatives.append(tuple(terms))
            terms = []
    except _Wrong as wrong:
        return wrong.error
    return Filter((*alternatives, tuple(terms)) if terms else ())


def could_become(text: str) -> str:
    """Return what the word at the end of a text is the beginning of: `is:`, `stability<`; else nothing."""
    word = re.split(r"\s", text)[-1].removeprefix("-").casefold()
    if not word:
        return ""
    keys = [f"{key}:" for key in KEYS if key.startswith(word)]
    return "  ".join(keys + [f"{field}<" for field in FIELDS if field.startswith(word)])


class _Wrong(Exception):
    def __init__(self, message: str, position: int, *, unfinished: bool = False) -> None:
        super().__init__(message)
        self.error = FilterError(message, position, unfinished)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch without blanks outside quotes; `bare` is what stands before its first quote."""

    text: str
    bare: str
    quoted: bool
    open: bool
    start: int
    end: int

    def joined(self, text: str, *, quoted: bool, opened: bool, end: int) -> "_Piece":
        bare = self.bare if self.quoted or quoted else self.bare + text
        return _Piece(self.text + text, bare, self.quoted or quoted, opened, self.start, end)


def _pieces(text: str) -> list[_Piece]:
    """Cut a text at its blanks; a comparison holds together where blanks stand around its sign."""
    pieces: list[_Piece] = []
    for match in _PIECE.finditer(text):
        quoted, end = match["quoted"] is not None, match.end()
        inner = match["quoted"] if quoted else match["bare"]
        opened = quoted and not match["end"]
        last = pieces[-1] if pieces else None
        if last is not None and (last.end == match.start() or (not quoted and _goes_on(last, inner))):
            pieces[-1] = last.joined(inner, quoted=quoted, opened=opened, end=end)
        else:
            pieces.append(_Piece(inner, "" if quoted else inner, quoted, opened, match.start(), end))
    return pieces


def _goes_on(last: _Piece, text: str) -> bool:
    """Tell whether a comparison that has begun goes on behind a blank."""
    word = last.text.removeprefix("-").casefold()
    if last.quoted:
        return False
    if word in FIELDS:
        return text[0] in _COMPARISON_SIGNS
    return word[-1:] in _COMPARISON_SIGNS and word.rstrip(_COMPARISON_SIGNS) in FIELDS


def _term(piece: _Piece, *, last: bool) -> Term:
    negated = piece.bare.startswith("-")
    text, start = piece.text[int(negated) :].casefold(), piece.start + negated
    if not text.strip():
        message = "nothing stands between the quotes" if piece.quoted else "“-” turns a term round: -is:new"
        raise _Wrong(message, piece.start, unfinished=last or piece.open)
    condition: Is | Named | Compare | None = None
    if ":" in piece.bare and (keyed := _KEYED.fullmatch(text)) is not None:
        condition = _keyed(keyed[1], keyed[2], start, exact=piece.quoted, last=last)
    elif not piece.quoted and (compared := _COMPARED.fullmatch(text)) is not None:
        condition = _compared(compared, start, last=last)
    return Term(Word(text) if condition is None else condition, negated)


def _keyed(key: str, value: str, start: int, *, exact: bool, last: bool) -> Is | Named | None:
    """Return the condition of `key:value`; None where it is text because an id begins so."""
    if key in IDS:
        return None
    if key not in KEYS:
        near = f"{key}<" if key in FIELDS else _near(key, [f"{known}:" for known in (*KEYS, *IDS)])
        more = f"did you mean {near}?" if near else f"there are {_ALL_KEYS}."
        raise _Wrong(f"there is no {key}: — {more} {_QUOTES}", start)
    if key != "is":
        if not value:
            raise _Wrong(f"{key}: and the beginning of a name, or a pattern with *", start, unfinished=last)
        return Named(key, value, exact)
    if value in STATES:
        return Is(value)
    begun = [name for name in STATES if name.startswith(value)]
    if begun:
        raise _Wrong(f"is: {' '.join(begun)}", start, unfinished=last)
    near = _near(value, STATES)
    more = f"did you mean is:{near}?" if near else f"there are {' '.join(STATES)}"
    raise _Wrong(f"there is no is:{value} — {more}", start)


def _compared(match: re.Match[str], start: int, *, last: bool) -> Compare | None:
    """Return a comparison; None where its name is none, as `eps=0` may stand in a title."""
    name, sign, typed = match[1], _SAME.get(match[2], match[2]), match[3]
    if name not in FIELDS:
        near = _near(name, FIELDS)
        if near:
            raise _Wrong(f"there is no {name} — did you mean {near}{sign}? {_QUOTES}", start)
        return None
    percent = name == "recall" and typed.endswith("%")
    number = _NUMBER.fullmatch(typed.removesuffix("%") if percent else typed)
    if number is None:
        if typed in {"", "-", "−", "."}:
            raise _Wrong(f"{name}{sign} and {_WANTED[name]}", start, unfinished=last)
        raise _Wrong(f"{typed} is no number: {name}{sign} and {_WANTED[name]}", start + match.start(3))
    value = float(number[0].replace("−", "-"))
    half = 0.5 * 10.0 ** -len(number[1] or number[2] or "")
    return Compare(name, sign, value / 100, half / 100) if percent else Compare(name, sign, value, half)


def _near(word: str, known: Iterable[str]) -> str:
    return next(iter(get_close_matches(word, known, 1, 0.6)), "")
