"""How glossary, references, reading plan and diagrams look: the line of sections, one row, one entry."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from studynorm.content.reference import Diagram, Reference, Step, Term
from studynorm.content.visible import visible
from studynorm.tui.card_view import labelled
from studynorm.tui.markup_view import markup, markup_line
from studynorm.tui.theme import Palette

Entry = Term | Reference | Step | Diagram

LINK_WORDS: Mapping[str, str] = {
    "card": "card",
    "family": "problems",
    "demo": "demo",
    "term": "term",
    "reference": "to read",
    "diagram": "diagram",
}
"""What each kind of target is called before a link."""
_LINK_WORD = 10
_NAME = 30
_WIDE_ENOUGH = 56
_SKIP = re.compile(r"[━┯]+[━ ]*(?:skip)?[━ ]*▶?|\(\+\)")
_LINES = re.compile(r"[─│┌┐└┘┬┴▶▲]+")


class Section(StrEnum):
    """The four parts, in the order of their keys."""

    TERMS = "Terms"
    REFERENCES = "References"
    PLAN = "Reading plan"
    DIAGRAMS = "Diagrams"


def section_line(
    here: Section, counts: Mapping[Section, int], width: int, palette: Palette
) -> tuple[Text, list[tuple[int, int]]]:
    """Return the line of sections with their keys, and from where to where each one reaches.

    Where it is narrow the counts are left out, and then the names of the sections that are not shown.
    """
    for named, counted in ((True, True), (True, False), (False, False)):
        line, spans = Text(no_wrap=True, overflow="crop"), list[tuple[int, int]]()
        for number, section in enumerate(Section, 1):
            line.append("  " if counted and number > 1 else "")
            start = line.cell_len
            name = f"{number} {section}" if named or section is here else str(number)
            line.append(f" {name} ", f"bold reverse {palette.accent}" if section is here else palette.ink)
            if counted:
                line.append(f" {counts[section]}", palette.quiet if counts[section] else palette.faint)
            spans.append((start, line.cell_len))
        if line.cell_len <= width:
            break
    return line, spans


def entry_row(entry: Entry, width: int, palette: Palette) -> Text:
    """Return the row of an entry: its name, and beside it, where there is room, what it is about."""
    name, aside = _row_parts(entry, palette)
    row = Text(no_wrap=True, overflow="ellipsis")
    if width < _WIDE_ENOUGH:
        short = f"${entry.sign}$" if isinstance(entry, Term) and entry.sign else ""
        aside = markup_line(short, palette)
        room = max(1, width - (aside.cell_len + 2 if short else 0))
        row.append(_fitted(name, room), palette.ink)
        return row.append("  ").append_text(aside) if short else row
    share = max(_NAME, width - 26) if not isinstance(entry, Term) else _NAME
    row.append(_fitted(name, min(share, width)), palette.ink)
    aside.truncate(max(1, width - row.cell_len - 2), overflow="ellipsis")
    return row.append("  ").append_text(aside)


def _row_parts(entry: Entry, palette: Palette) -> tuple[str, Text]:
    match entry:
        case Term():
            return entry.term, markup_line(entry.meaning, palette, palette.quiet)
        case Reference():
            return f"{entry.year or '    '}  {entry.title}", Text(_who(entry), palette.quiet)
        case Step():
            return f"{entry.id.removeprefix('step ')}. {entry.title}", markup_line(
                entry.text, palette, palette.quiet
            )
        case Diagram():
            return entry.title, Text(", ".join(entry.also), palette.quiet)


def _who(reference: Reference) -> str:
    """Return the family names of one or two authors, or that of the first of more."""
    names = [author.removesuffix(" and others") for author in reference.authors]
    surnames = [re.sub(r"^(?:\S+ )*?(?=(?:van|de|der) |\S+$)", "", name) for name in names]
    more = len(surnames) > 2 or any(author.endswith(" and others") for author in reference.authors)
    return f"{surnames[0]} and others" if more else ", ".join(surnames)


def _fitted(text: str, width: int) -> str:
    """Return a text cut or filled to a width."""
    text = visible(text, keep_newlines=False)
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, max(0, width - 1)) + "…"


def topics_of(entry: Entry) -> tuple[str, ...]:
    """Return the decks that an entry belongs to."""
    return (entry.topic,) if isinstance(entry, Term | Diagram) else entry.topics


def entry_view(entry: Entry, topics: Sequence[str], palette: Palette) -> RenderableType:
    """Return an entry in full; `topics` are the titles of the decks that it belongs to."""
    parts: list[RenderableType]
    match entry:
        case Term():
            parts = _term(entry, palette)
        case Reference():
            about = [part for part in (entry.byline, entry.venue) if part]
            parts = [_title(entry.title, palette), *(_quiet(part, palette) for part in about), Text()]
            parts += [labelled("Used for", entry.used, palette), Text()]
            parts.append(labelled("Why     ", entry.why, palette))
        case Step():
            number = entry.id.removeprefix("step ")
            parts = [_title(f"{number}. {entry.title}", palette), Text(), markup(entry.text, palette)]
        case Diagram():
            parts = [_title(entry.title, palette), Text(), _Drawn(entry, palette), Text()]
            return Group(*parts, markup(entry.about, palette))
    if topics:
        parts += [Text(), _quiet(f"Topic: {' · '.join(topics)}", palette)]
    return Group(*parts)


def _term(term: Term, palette: Palette) -> list[RenderableType]:
    title = _title(term.term, palette)
    if term.sign:
        title.append("   ").append_text(markup_line(f"${term.sign}$", palette))
    parts: list[RenderableType] = [title]
    if term.also:
        parts.append(_quiet(f"also: {', '.join(term.also)}", palette))
    parts += [Text(), markup(term.meaning, palette)]
    if term.formula:
        parts += [Text(), markup(f"$$\n{term.formula}\n$$", palette)]
    return parts


def drawing(diagram: Diagram, palette: Palette) -> Text:
    """Return a drawing with the skip in the accent colour and the other lines quiet."""
    text = Text(visible(diagram.drawing), palette.ink, no_wrap=True, overflow="crop")
    text.highlight_regex(_LINES, palette.quiet)
    text.highlight_regex(_SKIP, f"bold {palette.accent}")
    return text


class _Drawn:
    """A drawing that says so where the window is too narrow for it."""

    def __init__(self, diagram: Diagram, palette: Palette) -> None:
        self._diagram = diagram
        self._palette = palette

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = drawing(self._diagram, self._palette)
        needed = max(map(cell_len, shown.plain.split("\n")))
        if needed > options.max_width:
            yield _quiet(f"It needs {needed} columns, and there are {options.max_width}.", self._palette)
        yield shown


def link_row(target: str, title: str, width: int, palette: Palette) -> Text:
    """Return the row of a link: what it leads to, and its title."""
    row = Text(LINK_WORDS[target.partition(":")[0]].ljust(_LINK_WORD), palette.quiet, no_wrap=True)
    return row.append(_fitted(title, max(1, width - _LINK_WORD)).rstrip(), palette.ink)


def _title(text: str, palette: Palette) -> Text:
    return Text(visible(text, keep_newlines=False), f"bold {palette.accent}")


def _quiet(text: str, palette: Palette) -> Text:
    return Text(visible(text, keep_newlines=False), palette.quiet)
