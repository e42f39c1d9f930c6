"""What a learner of the subject must be able to do, and which families, cards, demos and exercises cover it.

The list itself is data, `problems/inventory.toml`; families and the terms of the glossary name its entries
in `covers`, and the entries name their cards, notes, demos and exercises.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from studynorm.content.library import Library
from studynorm.content.reference import Term
from studynorm.engine.family import Family
from studynorm.locate import content_root
from studynorm.topics import TOPICS

KINDS = ("card", "problem", "demo", "exercise", "note", "glossary")
"""The forms in which a fact or skill may have to be offered."""

COMPLETE = {
    "card": "a card, and names none in its cards",
    "problem": "a problem, and no family has it in its covers",
    "note": "a note, and names no deck in its notes",
    "glossary": "a term, and none of the glossary has it in its covers",
}
"""The forms of which nothing is open any more: a gap in one of them is a fault."""

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class InventoryError(ValueError):
    """The inventory cannot be read: which file and entry, and what is wrong there."""

    def __init__(self, path: Path, entry: str, message: str) -> None:
        super().__init__(f"{path}: {f'entry {entry}: ' if entry else ''}{message}")
        self.path = path
        self.entry = entry
        self.message = message


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact or skill.

    `fact` is one line of Markdown, `kinds` are the forms wanted out of `KINDS`, `rows` are the lines of the
    subject's outline that it stands for. `cards` (`deck/card`), `notes` (decks whose note says it), `demos`
    and `exercises` offer it.
    """

    slug: str
    topic: str
    fact: str
    kinds: tuple[str, ...]
    rows: tuple[str, ...]
    cards: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    demos: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Covered:
    """An entry with the ids of its families and terms, and the kinds wanted of which there is none."""

    entry: Entry
    families: tuple[str, ...]
    missing: tuple[str, ...]
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """All entries in the inventory's order; `unknown` are names that do not exist, as (place, message)."""

    entries: tuple[Covered, ...]
    unknown: tuple[tuple[str, str], ...] = field(default=())

    def without(self, kind: str) -> tuple[Entry, ...]:
        """Return the entries that want something of this kind and have none."""
        return tuple(covered.entry for covered in self.entries if kind in covered.missing)


def inventory_path() -> Path:
    """Return the shipped inventory's file."""
    return content_root() / "problems" / "inventory.toml"


def shipped_exercises() -> frozenset[str]:
    """Return the slugs of the coding exercises, one folder each."""
    return frozenset(path.name for path in (content_root() / "problems" / "exercises").glob("[!_]*/"))


def load_inventory(path: Path) -> tuple[Entry, ...]:
    """Return the entries in the file's order. Raises `InventoryError`."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InventoryError(path, "", str(error)) from error
    if not tables:
        raise InventoryError(
            path, "", "there is no entry; each is a table [slug] with topic, fact, kinds, rows"
        )
    return tuple(_entry(path, slug, table) for slug, table in tables.items())


def coverage(
    inventory: Iterable[Entry],
    families: Mapping[str, Family[Any]],
    library: Library,
    demos: Collection[str],
    exercises: Collection[str] = (),
    terms: Iterable[Term] = (),
) -> Coverage:
    """Return what covers each entry and what is missing, and every name that does not exist."""
    entries = tuple(inventory)
    practised: dict[str, list[str]] = {entry.slug: [] for entry in entries}
    explained: dict[str, list[str]] = {entry.slug: [] for entry in entries}
    unknown: list[tuple[str, str]] = []
    covering = [(practised, family.id, family.id, family.covers) for family in families.values()]
    covering += [(explained, term.id, f"glossary entry {term.id}", term.covers) for term in terms]
    for place, name, where, slugs in covering:
        for slug in slugs:
            if slug in place:
                place[slug].append(name)
            else:
                unknown.append((where, f"covers {slug}, which is not in the inventory"))
    known: dict[str, Collection[str]] = {
        "cards": {f"{card.deck_id}/{card.id}" for deck in library.decks for card in deck.cards},
        "notes": {deck.id for deck in library.decks if deck.note.strip()},
        "demos": demos,
        "exercises": exercises,
    }
    for entry in entries:
        unknown += _unknown(entry, known)
    found = (_covered(entry, tuple(practised[entry.slug]), tuple(explained[entry.slug])) for entry in entries)
    return Coverage(tuple(found), tuple(unknown))


def _unknown(entry: Entry, known: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str]]:
    for key, names in known.items():
        for name in getattr(entry, key):
            if name not in names:
                yield f"inventory entry {entry.slug}", f"{key} names {name}, which does not exist"


def _covered(entry: Entry, families: tuple[str, ...], terms: tuple[str, ...]) -> Covered:
    offered = {
        "card": entry.cards,
        "problem": families,
        "demo": entry.demos,
        "exercise": entry.exercises,
        "note": entry.notes,
        "glossary": terms,
    }
    return Covered(entry, families, tuple(kind for kind in entry.kinds if not offered[kind]), terms)


def _entry(path: Path, slug: str, table: Any) -> Entry:
    def wrong(message: str) -> InventoryError:
        return InventoryError(path, slug, message)

    if not isinstance(table, dict):
        raise wrong("is no table; an entry is a table [slug] with topic, fact, kinds, rows")
    if not _SLUG.fullmatch(slug):
        raise wrong("the slug is not in kebab-case (small letters, digits, single hyphens)")
    names = {item.name for item in fields(Entry)} - {"slug"}
    if unknown := sorted(set(table) - names):
        raise wrong(f"{unknown[0]} is not a key; the keys are {', '.join(sorted(names))}")
    for key in ("topic", "fact"):
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise wrong(f"{key} must be a text")
    lists = {key: _texts(table.get(key, [])) for key in sorted(names - {"topic", "fact"})}
    for key, texts in lists.items():
        if texts is None or len(set(texts)) != len(texts):
            raise wrong(f"{key} must be a list of texts, each once")
        if not texts and key in ("kinds", "rows"):
            raise wrong(f"{key} must not be empty")
    entry = Entry(
        slug=slug, topic=table["topic"], fact=table["fact"], **{k: v or () for k, v in lists.items()}
    )
    if entry.topic not in TOPICS:
        raise wrong(f"{entry.topic} is not a topic; the topics are {', '.join(TOPICS)}")
    if "\n" in entry.fact:
        raise wrong("fact must be one line")
    for kind in entry.kinds:
        if kind not in KINDS:
            raise wrong(f"{kind} is not a kind; the kinds are {', '.join(KINDS)}")
    return entry


def _texts(value: Any) -> tuple[str, ...] | None:
    """Return a list of texts as a tuple, or None where it is something else."""
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return tuple(value)
    return None
