"""Every invariant of the content: decks, references, formulas, claims, coverage and the families' proofs."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studynorm import mathtext
from studynorm.content import blocks as b
from studynorm.content.card import Card
from studynorm.content.deck import Deck
from studynorm.content.deckfile import read_deck
from studynorm.content.library import Library
from studynorm.content.lone import lone_openers
from studynorm.content.markup import parse_markup
from studynorm.content.place import ContentError
from studynorm.content.reference import ReferenceBook, Term
from studynorm.engine.family import Family
from studynorm.engine.proof import Finding, Proof, prove
from studynorm.engine.registry import BrokenFamily, load_file
from studynorm.engine.variant import Variant, draw
from studynorm.study.claims import Claim, claim_holds
from studynorm.study.coverage import COMPLETE, InventoryError, coverage, load_inventory, shipped_exercises
from studynorm.study.reference_check import reference_texts, unknown_targets

WIDEST_FORMULA = 76
_LONGEST = 200
_TEXT_SEEDS = 5
_NO_BOOK = ReferenceBook()


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that does not hold, where, and in words that say what to do."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """What was tried and what was found."""

    decks: int
    cards: int
    claims: int
    families: int
    variants: int
    troubles: tuple[Trouble, ...]
    proofs: tuple[Proof, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """What to call while families are proved: with number, total and id before each, with its proof after."""

    begun: Callable[[int, int, str], None]
    proved: Callable[[Proof], None]


def check_all(
    library: Library,
    families: Mapping[str, Family[Any]],
    broken: Iterable[BrokenFamily],
    claims: Mapping[str, Claim],
    demos: Collection[str],
    inventory: Path,
    torch: Any,
    *,
    prover: Callable[[Sequence[str]], Iterable[Proof]],
    progress: Progress,
    reference: ReferenceBook = _NO_BOOK,
) -> Report:
    """Check everything that is shipped and the learner's own decks.

    `prover` gives the proofs of families by id, in their order; it may work on several at once.
    """
    known = {
        *(f"family:{family}" for family in families),
        *(f"demo:{name}" for name in demos),
        *(f"card:{card.deck_id}/{card.id}" for deck in library.decks for card in deck.cards),
    }
    troubles = [_content_trouble(error) for error in library.errors]
    for deck in library.decks:
        troubles += _deck(deck, known, claims)
    named = {claim for deck in library.decks for card in deck.cards for claim in card.claims}
    for claim in sorted(named & set(claims)):
        wrong = claim_holds(claims[claim], torch)
        if wrong is not None:
            troubles.append(Trouble(claim, f"the claim does not hold: {wrong}"))
    troubles += _coverage(inventory, families, library, demos, reference.terms)
    troubles += _reference(reference, known)
    proofs = []
    tried: list[Family[Any] | BrokenFamily] = [*families.values(), *broken]
    waiting = iter(prover([family.id for family in tried]))
    for number, family in enumerate(tried, 1):
        progress.begun(number, len(tried), family.id)
        proof = next(waiting)
        progress.proved(proof)
        proofs.append(proof)
        troubles += [Trouble(finding.family, str(finding).partition(": ")[2]) for finding in proof.findings]
        if isinstance(family, Family):
            troubles += _family_references(family, known)
            troubles += family_formulas(family) if not proof.findings else ()
    return Report(
        len(library.decks),
        sum(len(deck.cards) for deck in library.decks),
        len(named),
        len(families),
        sum(proof.variants for proof in proofs),
        tuple(troubles),
        tuple(proofs),
    )


def check_paths(paths: Iterable[Path], torch: Any, *, seeds: int, progress: Progress) -> Report:
    """Check deck files, family files and folders of either, each on its own."""
    decks = cards = 0
    proofs: list[Proof] = []
    troubles: list[Trouble] = []
    files = tuple(_files(paths))
    for number, path in enumerate(files, 1):
        if path.suffix == ".md":
            deck, errors = read_deck(path)
            troubles += [_content_trouble(error) for error in errors]
            if deck is not None:
                troubles += [_content_trouble(deck.unfinished)] if deck.unfinished else []
                decks += 1
                cards += len(deck.cards)
                troubles += deck_formulas(deck)
            continue
        if path.suffix != ".py":
            troubles.append(Trouble(str(path), "this is neither a deck (.md) nor a family (.py)"))
            continue
        family = load_file(path)
        progress.begun(number, len(files), family.id)
        proof = prove(family, torch, seeds=seeds)
        progress.proved(proof)
        proofs.append(proof)
        troubles += [Trouble(str(path), _without_path(finding, path)) for finding in proof.findings]
    variants = sum(proof.variants for proof in proofs)
    return Report(decks, cards, 0, len(proofs), variants, tuple(troubles), tuple(proofs))


def _without_path(finding: Finding, path: Path) -> str:
    """Return a finding without the path that a broken file names again."""
    text = str(finding).replace(f"{path}: ", "")
    return text.removeprefix(f"{finding.family}: ") if finding.level is None else text


def _content_trouble(error: ContentError) -> Trouble:
    return Trouble(str(error.place), f"{error.message}. {error.way_out}")


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = sorted([*path.rglob("*.md"), *path.rglob("*.py")])
            yield from (file for file in found if not file.name.startswith("_"))
        else:
            yield path


def _deck(deck: Deck, known: set[str], claims: Mapping[str, Claim]) -> Iterator[Trouble]:
    for card in deck.cards:
        for target in card.see:
            if target not in known and not target.startswith("exercise:"):
                yield Trouble(str(card.place), f"card {card.id}: See: names {target}, which does not exist")
        for claim in card.claims:
            if claim not in claims:
                yield Trouble(str(card.place), f"card {card.id}: Check: names {claim}, which does not exist")
    yield from deck_formulas(deck)


def deck_formulas(deck: Deck) -> Iterator[Trouble]:
    """Yield every formula of a note and its cards that is not closed, can't be read, or is drawn too wide."""
    yield from _lone(deck.note, f"{deck.path} (note)")
    yield from _formulas(deck.note, f"{deck.path} (note)")
    for card in deck.cards:
        place = f"{card.place} card {card.id}"
        for text in (card.front, card.back, card.why):
            yield from _lone(text, place)
        for text in _texts(card):
            yield from _formulas(text, place)


def _lone(text: str, place: str) -> Iterator[Trouble]:
    for start in lone_openers(text):
        begun = re.sub(r"\s+", " ", text[start : start + 30])
        yield Trouble(
            place, f"the formula that begins `{begun}` is never closed; write `\\$` for a mere sign"
        )


def _texts(card: Card) -> Iterator[str]:
    for item in card.item_ids:
        mark = item.partition("#")[2] or None
        yield card.question(mark)
        yield card.answer(mark)
    yield card.why


def _coverage(
    path: Path,
    families: Mapping[str, Family[Any]],
    library: Library,
    demos: Collection[str],
    terms: Iterable[Term],
) -> Iterator[Trouble]:
    """Yield names that do not exist, and facts and skills that lack a form which is complete otherwise."""
    try:
        inventory = load_inventory(path)
    except InventoryError as error:
        yield Trouble(
            str(error.path), f"entry {error.entry}: {error.message}" if error.entry else error.message
        )
        return
    found = coverage(inventory, families, library, demos, shipped_exercises(), terms)
    yield from (Trouble(place, message) for place, message in found.unknown)
    for kind, wish in COMPLETE.items():
        for entry in found.without(kind):
            yield Trouble(f"inventory entry {entry.slug}", f"wants {wish}")
    for entry in inventory:
        yield from _formulas(entry.fact, f"inventory entry {entry.slug}")


def _reference(book: ReferenceBook, known: Collection[str]) -> Iterator[Trouble]:
    yield from map(_content_trouble, book.errors)
    yield from (Trouble(place, message) for place, message in unknown_targets(book, known))
    for place, text in reference_texts(book):
        yield from _formulas(text, place)


def _family_references(family: Family[Any], known: set[str]) -> Iterator[Trouble]:
    targets = [*family.cards, *(f"family:{name}" for name in family.requires)]
    targets += [f"demo:{family.demo}"] if family.demo else []
    for target in targets:
        if target not in known:
            yield Trouble(family.id, f"names {target}, which does not exist")


def family_formulas(family: Family[Any]) -> Iterator[Trouble]:
    """Yield the same of what a family says in a few variants of each level."""
    for level in family.levels:
        for seed in range(_TEXT_SEEDS):
            _, variant = draw(family, level, seed)
            for text in _variant_texts(variant):
                yield from _formulas(text, f"{family.id} level {level} seed {seed}")


def _variant_texts(variant: Variant) -> Iterator[str]:
    yield variant.question
    yield from variant.hints
    yield from (slip.why for slip in variant.misconceptions)
    yield from (step.text for step in variant.solution)


def _formulas(text: str, place: str) -> Iterator[Trouble]:
    for source in _sources(parse_markup(text)):
        try:
            mathtext.parse(source)
        except mathtext.MathError as error:
            yield Trouble(place, f"{_shown(source)}: {error.message} (at character {error.position + 1})")
            continue
        if mathtext.box(source, WIDEST_FORMULA) is None:
            said = f"wider than {WIDEST_FORMULA} columns or higher than a page, even in several lines"
            yield Trouble(place, f"{_shown(source)}: {said}; split it into shorter formulas")


def _shown(source: str) -> str:
    one_line = re.sub(r"\s+", " ", source)
    return f"formula ${one_line if len(one_line) <= _LONGEST else f'{one_line[:_LONGEST]}…'}$"


def _sources(parts: Iterable[Any]) -> Iterator[str]:
    """Yield the LaTeX of every formula in blocks and spans, however deep."""
    for part in parts:
        match part:
            case b.Math(source, _) | b.MathBlock(source):
                yield source
            case (
                b.Paragraph(spans) | b.Heading(_, spans) | b.Strong(spans) | b.Emph(spans) | b.Link(spans, _)
            ):
                yield from _sources(spans)
            case b.Bullets(items, _, _):
                yield from (source for item in items for source in _sources(item))
            case b.Table(header, rows):
                yield from (source for row in (header, *rows) for cell in row for source in _sources(cell))
            case b.Quote(inner):
                yield from _sources(inner)
            case _:
                pass
