"""Cloze marks `{{id::text}}`: where they are in a text, and what is wrong with those that are not whole."""

import re
from dataclasses import dataclass

from studynorm.content.card import Mark
from studynorm.content.verbatim import stretches

_OPEN = re.compile(r"\{\{(?P<id>[^{}\n]*?)::")
_CLOSE = re.compile(r"\}\}")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_ID = re.compile(r"[a-z0-9-]+")
_FILLER = "\x1a"


@dataclass(frozen=True, slots=True)
class MarkFault:
    """A mark that can't be used: its offset in the text, what is wrong, and what to write."""

    offset: int
    message: str
    way_out: str


def find_marks(text: str) -> tuple[tuple[Mark, ...], tuple[MarkFault, ...]]:
    """Return the marks of `text` in order, and the faults of those that were refused.

    Code and math are passed over whole, so no brace in them opens or closes a mark. `{{word}}` without `::`
    is plain text. A mark ends in its own paragraph and holds no other mark.
    """
    masked = _masked(text)
    marks: list[Mark] = []
    faults: list[MarkFault] = []
    position = 0
    while opening := _OPEN.search(masked, position):
        start, inner = opening.span()
        end = _closing(masked, inner)
        if end is None:
            faults.append(
                MarkFault(start, f"the mark {{{{{opening['id']}:: is never closed", "Close it with `}}`.")
            )
            position = inner
            continue
        position = end
        body = text[inner : end - 2]
        fault = _fault(start, opening["id"], body, masked[inner : end - 2])
        if fault is not None:
            faults.append(fault)
        else:
            marks.append(Mark(opening["id"], body, start, end))
    return tuple(marks), tuple(faults)


def _masked(text: str) -> str:
    parts: list[str] = []
    position = 0
    for stretch in stretches(text):
        parts += (text[position : stretch.start], _FILLER * (stretch.end - stretch.start))
        position = stretch.end
    return "".join((*parts, text[position:]))


def _closing(masked: str, inner: int) -> int | None:
    """Return the offset behind the `}}` that closes the mark; braces opened inside take theirs of a run."""
    closing = _CLOSE.search(masked, inner)
    if closing is None:
        return None
    blank = _BLANK_LINE.search(masked, inner, closing.start())
    if blank is not None:
        return None
    end = closing.end()
    open_braces = masked.count("{", inner, end) - (masked.count("}", inner, end) - 2)
    while open_braces > 0 and masked.startswith("}", end):
        open_braces -= 1
        end += 1
    return end


def _fault(start: int, mark_id: str, body: str, masked_body: str) -> MarkFault | None:
    if not _ID.fullmatch(mark_id):
        return MarkFault(
            start,
            f"{mark_id!r} is no mark id" if mark_id else "a mark has no id",
            "Use small letters, digits and hyphens, as in `{{mean::…}}`.",
        )
    if _OPEN.search(masked_body):
        return MarkFault(start, f"the mark {mark_id!r} holds another mark", "Put one behind the other.")
    if not body.strip():
        return MarkFault(start, f"the mark {mark_id!r} is empty", "Write what it hides behind the `::`.")
    return None
