"""Reading glossary, references, reading plan and diagrams: each file, and each entry, fails by itself."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studynorm.content.place import ContentError, Place
from studynorm.content.reference import Diagram, Reference, ReferenceBook, Step, Term, fold
from studynorm.locate import content_root
from studynorm.topics import TOPICS

GLOSSARY, REFERENCES, PLAN, DIAGRAMS = "glossary.toml", "references.toml", "plan.toml", "diagrams.toml"
FILES = (GLOSSARY, REFERENCES, PLAN, DIAGRAMS)
WIDEST, HIGHEST = 60, 22
"""The columns and rows that a drawing may take."""

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TARGET = re.compile(r"(card|family|demo|exercise|term|reference|diagram):\S+")
_TERM = {"term": "line!", "topic": "line!", "meaning": "line!", "formula": "line", "sign": "line"}
_REFERENCE = {"title": "line!", "topics": "list!", "used": "line!", "why": "line!", "year": "year"}
_DIAGRAM = {"title": "line!", "topic": "line!", "about": "line!", "drawing": "text!"}
_STEP = {"title": "line!", "text": "line!", "topics": "list", "references": "list"}
_SHAPES: Mapping[str, Mapping[str, str]] = {
    GLOSSARY: {**_TERM, "also": "list", "see": "list", "covers": "list"},
    REFERENCES: {**_REFERENCE, "authors": "list", "venue": "line", "rows": "list"},
    DIAGRAMS: {**_DIAGRAM, "also": "list", "see": "list"},
    PLAN: _STEP,
}
"""The keys of each file: a line of text, a text of several lines, a list of texts or a year; `!` must be."""
_WORDS = {
    "line": "must be one line of text",
    "text": "must be a text",
    "list": "must be a list of texts, each once",
    "year": "must be a whole number",
}


class _Wrong(Exception):
    """What is wrong with an entry, and the way out."""

    def __init__(self, message: str, way_out: str) -> None:
        super().__init__(message)
        self.message = message
        self.way_out = way_out


@dataclass(frozen=True, slots=True)
class _Raw:
    """An entry as it stands in a file, and where."""

    id: str
    place: Place
    table: Any


def shipped_reference() -> ReferenceBook:
    """Read what is shipped."""
    return load_reference(content_root() / "cards" / "reference")


def load_reference(folder: Path) -> ReferenceBook:
    """Read the four files of a folder. Never raises: what cannot be read is in `errors` and left out."""
    errors: list[ContentError] = []
    terms = [Term(id_, **table) for id_, table in _entries(folder / GLOSSARY, errors)]
    return ReferenceBook(
        tuple(sorted(terms, key=lambda term: fold(term.term))),
        tuple(Reference(id_, **table) for id_, table in _entries(folder / REFERENCES, errors)),
        tuple(Step(id_, **table) for id_, table in _entries(folder / PLAN, errors)),
        tuple(Diagram(id_, **table) for id_, table in _entries(folder / DIAGRAMS, errors)),
        tuple(errors),
    )


def _entries(path: Path, errors: list[ContentError]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield id and checked values of every good entry of a file; note the others."""
    raw = _read(path)
    if isinstance(raw, ContentError):
        errors.append(raw)
        return
    taken: dict[str, str] = {}
    for entry in raw:
        try:
            table = _checked(entry, _SHAPES[path.name])
            names = [table[key] for key in ("term", "title") if key in table]
            names += table.get("also", ()) if path.name == GLOSSARY else ()
            for name in names:
                if (first := taken.setdefault(fold(name), entry.id)) != entry.id:
                    raise _Wrong(f"the name “{name}” is taken by [{first}]", "Give each its own name.")
        except _Wrong as wrong:
            errors.append(ContentError(entry.place, f"[{entry.id}]: {wrong.message}", wrong.way_out))
        else:
            yield entry.id, table


def _read(path: Path) -> list[_Raw] | ContentError:
    """Return the entries of a file as they stand there, or why it has none."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        tables = tomllib.loads(text)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return ContentError(
            Place(path, 1), f"the file can't be read: {reason}", "Put it back, or install studynorm again."
        )
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        return ContentError(
            Place(path, int(line[1]) if line else 1),
            f"the file is no TOML: {error}",
            "Mend the line; texts with a backslash stand in single quotes.",
        )
    if path.name == PLAN:
        steps = tables.get("step")
        found = [(f"step {number}", step) for number, step in enumerate(_listed(steps), 1)]
        places = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() == "[[step]]"]
        lines = {f"step {number}": line for number, line in enumerate(places, 1)}
    else:
        found = list(tables.items())
        headers = re.finditer(r"^\s*\[\s*\"?([^\]\"]+?)\"?\s*\]", text, re.MULTILINE)
        lines = {match[1]: text.count("\n", 0, match.start(1)) + 1 for match in headers}
    if not found:
        return ContentError(Place(path, 1), "there is no entry", "The head of the shipped file shows one.")
    return [_Raw(id_, Place(path, lines.get(id_, 1)), table) for id_, table in found]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _checked(entry: _Raw, shape: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of an entry with lists as tuples. Raises `_Wrong`."""
    if not isinstance(entry.table, dict):
        raise _Wrong("is no table", "Write [id] on a line of its own and the keys below it.")
    if not entry.id.startswith("step ") and not _ID.fullmatch(entry.id):
        raise _Wrong("the id is not in kebab-case", "Use small letters, digits and single hyphens.")
    if unknown := sorted(set(entry.table) - set(shape)):
        raise _Wrong(f"{unknown[0]} is not a key", f"The keys are {', '.join(sorted(shape))}.")
    values: dict[str, Any] = {}
    for key, kind in shape.items():
        if key in entry.table:
            values[key] = _value(key, kind.rstrip("!"), entry.table[key])
        elif kind.endswith("!"):
            raise _Wrong(f"{key} is missing", f"It {_WORDS[kind.rstrip('!')]}.")
    for topic in (*values.get("topics", ()), *([values["topic"]] if "topic" in values else ())):
        if topic not in TOPICS:
            raise _Wrong(f"{topic} is not a topic", f"The topics are {', '.join(TOPICS)}.")
    for target in values.get("see", ()):
        if not _TARGET.fullmatch(target):
            raise _Wrong(
                f"see names {target}", "Write card:…, family:…, demo:…, term:…, reference:… or diagram:…."
            )
    if "drawing" in values:
        values["drawing"] = _drawing(values["drawing"])
    return values


def _value(key: str, kind: str, value: Any) -> Any:
    match kind:
        case "year":
            good = isinstance(value, int) and not isinstance(value, bool)
        case "list":
            good = isinstance(value, list) and all(isinstance(text, str) and text.strip() for text in value)
            good = good and len(set(value)) == len(value)
        case _:
            good = isinstance(value, str) and bool(value.strip())
            good = good and (kind == "text" or "\n" not in value.strip())
    if not good:
        raise _Wrong(f"{key} {_WORDS[kind]}", "Correct it, or leave the key out where it may be.")
    return tuple(value) if kind == "list" else value


def _drawing(drawing: str) -> str:
    """Return a drawing without blank lines around it. Raises `_Wrong` if it is too large or has no ASCII."""
    lines = [line.rstrip() for line in drawing.strip("\n").split("\n")]
    if len(lines) > HIGHEST or max(map(len, lines)) > WIDEST:
        raise _Wrong(
            f"the drawing has {max(map(len, lines))} columns and {len(lines)} rows",
            f"At most {WIDEST} and {HIGHEST} fit.",
        )
    shown = "\n".join(lines)
    odd = sorted({char for char in Diagram("", "", "", "", shown).ascii if not (" " <= char <= "~")} - {"\n"})
    if odd:
        raise _Wrong(f"the drawing has {odd[0]!r}, which has no 7-bit form", "Draw with ─ │ ━ ┌ ┐ └ ┘ ▶ ▲.")
    return shown
