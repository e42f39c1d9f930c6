"""What must hold of glossary, references, plan and diagrams beyond each entry alone: targets and formulas."""

from collections.abc import Collection, Iterator

from studynorm.content.reference import ReferenceBook


def unknown_targets(book: ReferenceBook, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield every target that does not exist, as (place, message); `known` are those outside the book."""
    targets = {*known, *book.targets}
    for place, sees in _sees(book):
        for target in sees:
            if target not in targets and not target.startswith("exercise:"):
                yield place, f"see names {target}, which does not exist"


def reference_texts(book: ReferenceBook) -> Iterator[tuple[str, str]]:
    """Yield every text with formulas as (place, Markdown)."""
    for term in book.terms:
        yield f"glossary entry {term.id}", term.meaning
        for source in (term.sign, term.formula):
            if source:
                yield f"glossary entry {term.id}", f"${source}$"
    for reference in book.references:
        yield f"reference {reference.id}", reference.used
        yield f"reference {reference.id}", reference.why
    for step in book.steps:
        yield f"reading plan {step.id}", step.text
    for diagram in book.diagrams:
        yield f"diagram {diagram.id}", diagram.about


def _sees(book: ReferenceBook) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield from ((f"glossary entry {term.id}", term.see) for term in book.terms)
    yield from ((f"reading plan {step.id}", step.see) for step in book.steps)
    yield from ((f"diagram {diagram.id}", diagram.see) for diagram in book.diagrams)
