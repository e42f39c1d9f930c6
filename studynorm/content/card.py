"""A card and its cloze marks: what is asked, what is answered, and under which item ids it is scheduled."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from studynorm.content.place import Place

HIDDEN = "[…]"


@dataclass(frozen=True, slots=True)
class Mark:
    """A cloze mark `{{id::text}}`; it stands at `start:end` in the front of its card, braces included."""

    id: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Card:
    """One card of a deck: a question with its answer, or a text with cloze marks.

    `front`, `back` and `why` are Markdown with LaTeX math. `see` and `claims` hold ids as written
    (`family:…`, `card:…`, `demo:…`, `exercise:…`; `claim:topic.name`). `base` is the fingerprint of the
    shipped card from which an override was made.
    """

    deck_id: str
    id: str
    kind: Literal["recall", "cloze"]
    front: str
    back: str
    why: str
    see: tuple[str, ...]
    claims: tuple[str, ...]
    tags: tuple[str, ...]
    place: Place
    marks: tuple[Mark, ...]
    base: str | None

    @property
    def mark_ids(self) -> tuple[str, ...]:
        """The distinct ids of the marks, in the order of the text; empty for a recall card."""
        return tuple(dict.fromkeys(mark.id for mark in self.marks))

    @property
    def item_ids(self) -> tuple[str, ...]:
        """What is scheduled: one item id for a recall card, one for each distinct mark id of a cloze."""
        card_id = f"card:{self.deck_id}/{self.id}"
        if self.kind == "recall":
            return (card_id,)
        return tuple(f"{card_id}#{mark_id}" for mark_id in self.mark_ids)

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change when the words of the card change; blanks and line breaks don't count."""
        words = "\0".join(" ".join(part.split()) for part in (self.kind, self.front, self.back, self.why))
        return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def question(self, mark_id: str | None = None) -> str:
        """Return what is asked, as Markdown; a cloze hides the named mark (or, with no name, every mark).

        Raises KeyError when the card has no such mark.
        """
        if self._names_no_mark(mark_id):
            return self.front
        return self._with_marks(lambda mark: HIDDEN if mark_id in (None, mark.id) else mark.text)

    def answer(self, mark_id: str | None = None) -> str:
        """Return the answer, as Markdown; for a cloze, the whole text with the named mark in bold.

        Where Markdown's own rules would show the asterisks instead of bold text, the mark is left plain.
        Raises KeyError when the card has no such mark.
        """
        if self._names_no_mark(mark_id):
            return self.back
        return self._with_marks(lambda mark: self._bold(mark) if mark.id == mark_id else mark.text)

    def _names_no_mark(self, mark_id: str | None) -> bool:
        if mark_id is not None and mark_id not in self.mark_ids:
            raise KeyError(f"card:{self.deck_id}/{self.id} has no mark {mark_id!r}")
        return self.kind == "recall"

    def _with_marks(self, shown: Callable[[Mark], str]) -> str:
        parts: list[str] = []
        position = 0
        for mark in self.marks:
            parts += (self.front[position : mark.start], shown(mark))
            position = mark.end
        return "".join((*parts, self.front[position:]))

    def _bold(self, mark: Mark) -> str:
        inner = mark.text.strip()
        lead = mark.text[: len(mark.text) - len(mark.text.lstrip())]
        tail = mark.text[len(mark.text.rstrip()) :]
        before = (self.front[: mark.start] + lead)[-1:]
        after = (tail + self.front[mark.end :])[:1]
        if "*" in inner or not _opens_bold(before, inner[:1]) or not _opens_bold(after, inner[-1:]):
            return mark.text
        return f"{lead}**{inner}**{tail}"


def _opens_bold(outside: str, inside: str) -> bool:
    """Tell whether Markdown takes `**` between these two characters for the edge of bold text."""
    if not inside or inside in "$\\`" or inside.isalnum():
        return bool(inside)
    return not outside or not (outside.isalnum() or outside in "$`)]")
