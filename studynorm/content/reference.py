"""The subject's glossary, references, reading plan and wiring diagrams: what they are, and how to find them.

Reading the files is in `referencefile`; the words of the program itself are in `docs/glossary.md`.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from studynorm.content.place import ContentError

_GREEK = dict(
    zip(
        "αβγδεηλμρσ",
        ("alpha", "beta", "gamma", "delta", "epsilon", "eta", "lambda", "mu", "rho", "sigma"),
        strict=True,
    )
)
"""The Greek letters that formulas and names use, as TeX calls them."""
ASCII_FORMS = str.maketrans(
    {**dict.fromkeys("┌┐└┘├┤┬┴┼┯┷", "+"), "━": "=", "─": "-", "│": "|", "┃": "|"}
    | {"▶": ">", "◀": "<", "▲": "^", "▼": "v", "×": "x", "·": "*"}
)
"""The 7-bit stand-in of every character that a drawing may have beside 7-bit ones."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the subject. `sign` and `formula` are LaTeX without dollars; `covers` are inventory slugs."""

    id: str
    term: str
    topic: str
    meaning: str
    formula: str = ""
    sign: str = ""
    also: tuple[str, ...] = ()
    see: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What it is called, the usual name first."""
        return (self.term, *self.also)

    @property
    def body(self) -> str:
        """What else it can be found by."""
        return f"{self.id} {self.sign} {self.meaning}"


@dataclass(frozen=True, slots=True)
class Reference:
    """A work to read. `used` says what it is cited for; `rows` are the outline's lines that name it."""

    id: str
    title: str
    topics: tuple[str, ...]
    used: str
    why: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    rows: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Title and authors."""
        return (self.title, self.byline)

    @property
    def body(self) -> str:
        """What else it can be found by."""
        return f"{self.id} {self.venue} {self.used} {self.why}"

    @property
    def byline(self) -> str:
        """Who wrote it and when, as far as that is known."""
        parts = [", ".join(self.authors), "" if self.year is None else str(self.year)]
        return " · ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the reading plan; `references` are ids."""

    id: str
    title: str
    text: str
    topics: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its title."""
        return (self.title,)

    @property
    def body(self) -> str:
        """What else it can be found by."""
        return self.text

    @property
    def see(self) -> tuple[str, ...]:
        """Its references as targets."""
        return tuple(f"reference:{one}" for one in self.references)


@dataclass(frozen=True, slots=True)
class Diagram:
    """A wiring diagram in box-drawing characters."""

    id: str
    title: str
    topic: str
    about: str
    drawing: str
    also: tuple[str, ...] = ()
    see: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What it is called, its title first."""
        return (self.title, *self.also)

    @property
    def body(self) -> str:
        """What else it can be found by."""
        return f"{self.id} {self.about}"

    @property
    def ascii(self) -> str:
        """The drawing in 7-bit characters, column for column."""
        return self.drawing.translate(ASCII_FORMS)


@dataclass(frozen=True, slots=True)
class ReferenceBook:
    """Everything to look up: terms by name, the others in their files' order, and what could not be read."""

    terms: tuple[Term, ...] = ()
    references: tuple[Reference, ...] = ()
    steps: tuple[Step, ...] = ()
    diagrams: tuple[Diagram, ...] = ()
    errors: tuple[ContentError, ...] = ()

    @property
    def targets(self) -> frozenset[str]:
        """What a `see` may name within this book: `term:…`, `reference:…`, `diagram:…`."""
        return frozenset(
            (
                *(f"term:{term.id}" for term in self.terms),
                *(f"reference:{reference.id}" for reference in self.references),
                *(f"diagram:{diagram.id}" for diagram in self.diagrams),
            )
        )

    def term(self, name: str) -> Term | None:
        """Return the term with this id, or else with this name, whatever its case and accents; or None."""
        wanted = fold(name).strip()
        by_id = (term for term in self.terms if term.id == wanted)
        by_name = (term for term in self.terms if wanted in map(fold, term.names))
        return next(by_id, None) or next(by_name, None)

    def see(self, entry: "Term | Reference | Step | Diagram") -> tuple[str, ...]:
        """Return where an entry leads; a reference leads to the terms and diagrams that name it."""
        if not isinstance(entry, Reference):
            return entry.see
        target = f"reference:{entry.id}"
        terms = tuple(f"term:{term.id}" for term in self.terms if target in term.see)
        return terms + tuple(f"diagram:{one.id}" for one in self.diagrams if target in one.see)


class _Findable(Protocol):
    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def body(self) -> str: ...


E = TypeVar("E", bound=_Findable)


def fold(text: str) -> str:
    """Return a text without case and accents, Greek letters by their names."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(_GREEK.get(char, char) for char in apart if not unicodedata.combining(char))


def matching(entries: Iterable[E], typed: str) -> tuple[E, ...]:
    """Return the entries in which every word typed occurs, the best first; all of them for no words.

    A word may stand anywhere in a name, and at the beginning of a word of the rest. Entries whose name is
    what was typed, begins with it or has it come before those that only mention it.
    """
    wanted = " ".join(fold(typed).split())
    if not wanted:
        return tuple(entries)
    ranked: list[list[E]] = [[], [], [], []]
    for entry in entries:
        rank = _rank(entry, wanted)
        if rank is not None:
            ranked[rank].append(entry)
    return tuple(entry for found in ranked for entry in found)


def _rank(entry: _Findable, wanted: str) -> int | None:
    names = [fold(name) for name in entry.names]
    if wanted in names:
        return 0
    if any(name.startswith(wanted) for name in names):
        return 1
    words = wanted.split()
    if any(all(word in name for word in words) for name in names):
        return 2
    body = fold(entry.body)
    mentioned = (
        any(word in name for name in names) or re.search(rf"(?<!\w){re.escape(word)}", body) for word in words
    )
    return 3 if all(mentioned) else None
