"""What `studynorm check` makes of the glossary: covered facts, targets that exist, readable formulas."""

import shutil
from pathlib import Path

from studynorm.content.library import Library, load_library
from studynorm.content.reference import Diagram, ReferenceBook, Step, Term
from studynorm.content.referencefile import load_reference, shipped_reference
from studynorm.demos.registry import demos
from studynorm.engine.files import family_files
from studynorm.locate import content_root
from studynorm.study.check import Progress, check_all
from studynorm.study.coverage import Entry, coverage, inventory_path, load_inventory
from studynorm.study.reference_check import unknown_targets

WANTED = Entry("one-fact", "batchnorm", "A fact.", ("glossary",), ("row",))


def term(**more: tuple[str, ...]) -> Term:
    return Term("a", "A", "batchnorm", "A thing.", **more)  # type: ignore[arg-type]


def troubles(book: ReferenceBook, tmp_path: Path) -> list[str]:
    """Return what `check` says about a book alone."""
    inventory = tmp_path / "inventory.toml"
    inventory.write_text(
        '[one-fact]\ntopic = "batchnorm"\nfact = "A."\nkinds = ["demo"]\nrows = ["r"]\n', "utf-8"
    )
    unseen = Progress(lambda number, total, family: None, lambda proof: None)
    report = check_all(
        *(Library(()), {}, (), {}, (), inventory, None),
        prover=lambda ids: [],
        progress=unseen,
        reference=book,
    )
    return [str(trouble) for trouble in report.troubles]


def test_a_term_covers_what_it_names() -> None:
    """Without it the entry lacks the glossary; with it the term is named beside the entry."""
    (open_,) = coverage([WANTED], {}, Library(()), ()).entries
    assert (open_.missing, open_.terms) == (("glossary",), ())
    (closed,) = coverage([WANTED], {}, Library(()), (), terms=[term(covers=("one-fact",))]).entries
    assert (closed.missing, closed.terms) == ((), ("a",))


def test_a_fact_that_does_not_exist_is_told_with_the_term() -> None:
    """As for families."""
    found = coverage([WANTED], {}, Library(()), (), terms=[term(covers=("no-fact",))])
    assert found.unknown == (("glossary entry a", "covers no-fact, which is not in the inventory"),)


def test_a_target_that_does_not_exist_is_told_with_its_place() -> None:
    """Of a term, a step and a diagram; what is in the book itself exists."""
    book = ReferenceBook(
        (term(see=("card:d/none", "term:a", "diagram:d")),),
        (),
        (Step("step 1", "S", "Text.", references=("none",)),),
        (Diagram("d", "D", "residual", "See.", "x", see=("demo:none", "family:known")),),
    )
    assert list(unknown_targets(book, {"family:known"})) == [
        ("glossary entry a", "see names card:d/none, which does not exist"),
        ("reading plan step 1", "see names reference:none, which does not exist"),
        ("diagram d", "see names demo:none, which does not exist"),
    ]


def test_check_names_broken_files_targets_facts_and_formulas(tmp_path: Path) -> None:
    """Each with its place and what to do."""
    folder = tmp_path / "reference"
    shutil.copytree(content_root() / "cards" / "reference", folder)
    (folder / "plan.toml").unlink()
    broken = load_reference(folder)
    bad = Term(
        "a", "A", "batchnorm", r"A $\nosuchmacro$.", formula=r"\frac{1}", covers=("none",), see=("demo:x",)
    )
    told = troubles(ReferenceBook((bad,), errors=broken.errors), tmp_path)
    assert len(told) == 5
    assert told[0] == "glossary entry a: covers none, which is not in the inventory"
    assert told[1].startswith(f"{folder / 'plan.toml'}:1: the file can't be read: ")
    assert told[2] == "glossary entry a: see names demo:x, which does not exist"
    assert told[3].startswith(r"glossary entry a: formula $\nosuchmacro$: ")
    assert told[4].startswith(r"glossary entry a: formula $\frac{1}$: ")


def test_what_is_shipped_holds_and_leaves_no_term_open() -> None:
    """Every target exists, every fact that wants a term has one."""
    book = shipped_reference()
    library = load_library(content_root() / "cards", None)
    known = {
        *(f"family:{family}" for family in family_files()),
        *(f"demo:{demo}" for demo in demos()),
        *(f"card:{card.deck_id}/{card.id}" for deck in library.decks for card in deck.cards),
    }
    assert list(unknown_targets(book, known)) == []
    found = coverage(load_inventory(inventory_path()), {}, library, demos(), terms=book.terms)
    assert [covered.entry.slug for covered in found.entries if "glossary" in covered.missing] == []
    assert [place for place, _ in found.unknown if place.startswith("glossary")] == []
