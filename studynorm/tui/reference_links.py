"""Where an entry of the reference leads: its targets that exist, each with a title."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from studynorm.content.reference import ReferenceBook
from studynorm.engine.titles import family_titles
from studynorm.study.catalogue import Catalogue
from studynorm.study.titles import title_of
from studynorm.tui.reference_view import Section

_SECTIONS = {"term": Section.TERMS, "reference": Section.REFERENCES, "diagram": Section.DIAGRAMS}


@dataclass(frozen=True, slots=True)
class Link:
    """A target with its title."""

    target: str
    title: str

    @property
    def section(self) -> Section | None:
        """The section that it leads to; None where it leads out of the reference."""
        return _SECTIONS.get(self.target.partition(":")[0])


def links_of(targets: Iterable[str], book: ReferenceBook, catalogue: Catalogue) -> tuple[Link, ...]:
    """Return the links to the targets that exist."""
    return tuple(Link(target, title) for target in targets for title in _titles(target, book, catalogue))


def _titles(target: str, book: ReferenceBook, catalogue: Catalogue) -> Iterator[str]:
    """Yield the title of a target, or nothing where it does not exist."""
    kind, _, name = target.partition(":")
    match kind:
        case "card":
            card = catalogue.library.card(target)
            if card is not None:
                yield title_of(card.question(card.marks[0].id if card.marks else None))
        case "family":
            if target in catalogue.candidates:
                yield family_titles().get(name, name)
        case "demo":
            from studynorm.demos.registry import demos

            if name in demos():
                yield demos()[name].title
        case "term":
            yield from (term.term for term in book.terms if term.id == name)
        case "reference":
            yield from (reference.title for reference in book.references if reference.id == name)
        case "diagram":
            yield from (diagram.title for diagram in book.diagrams if diagram.id == name)
