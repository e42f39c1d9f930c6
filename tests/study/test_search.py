"""Finding things by words: what is found, in which order, and how it is written does not matter."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studynorm.content.library import load_library
from studynorm.study.catalogue import build_catalogue
from studynorm.study.desk import Desk
from studynorm.study.search import Entry, Found, Match, best, entries, entry, searched

DECK = """+++
id = "mine"
title = "Mine"
+++

## gains
Q: What are $\\gamma$ and $\\beta$ of an affine layer?
A: Scale and shift.

## whole
C: The {{first::mean}} and the {{second::$\\sigma^2$}} of a batch.

## accents
Q: Who was Čebyšëv?
A: A mathematician.
"""


def found(typed: str, *things: Entry) -> list[str]:
    """Return the ids of what is found, the best first."""
    return [one.id for _, one in best(things, typed, 20)]


@pytest.fixture
def mine(tmp_path: Path) -> tuple[Entry, ...]:
    """Everything to find beside a deck of one's own, with one family."""
    (tmp_path / "mine.md").write_text(DECK, "utf-8")
    sample = Path(__file__).parent.parent / "sample"
    return tuple(entries(build_catalogue(load_library(sample, tmp_path), ["batchnorm.entry"])))


def test_the_better_the_words_fit_the_title_the_earlier_it_stands() -> None:
    """The very title, then one that begins so, then beginnings of words, then any part, then a mention."""
    things = [
        entry(Found.CARD, "a", "Nothing of the kind", "a residual is mentioned"),
        entry(Found.CARD, "b", "preresidual words"),
        entry(Found.CARD, "c", "the residual of a fit"),
        entry(Found.CARD, "d", "residual networks"),
        entry(Found.CARD, "e", "Residual"),
    ]
    assert [match for match, _ in best(things, "residual", 20)] == list(Match)
    assert found("residual", *things) == ["e", "d", "c", "b", "a"]


def test_every_word_must_be_there_in_any_order() -> None:
    """Words count together, in the title or in the id; an unknown one finds nothing."""
    one = entry(Found.CARD, "deck/which-axis", "Which axis does BatchNorm average over?")
    assert found("average axis", one) == found("deck over", one) == ["deck/which-axis"]
    assert found("average axes", one) == []


@pytest.mark.parametrize("typed", ["", "   ", "$ \\ {}", "`"])
def test_nothing_typed_finds_nothing(typed: str) -> None:
    """Blanks, and signs that are not compared, are no words."""
    assert found(typed, entry(Found.TERM, "x", "a word")) == []


def test_no_more_are_returned_than_asked_for_and_the_best_are_kept() -> None:
    """Of many the best come through, though they stand last."""
    many = [entry(Found.CARD, f"m{number}", f"about norm {number}") for number in range(50)]
    last = entry(Found.CARD, "last", "norm")
    assert [one.id for _, one in best([*many, last], "norm", 3)] == ["last", "m0", "m1"]


@pytest.mark.parametrize("typed", ["γ", "gamma", "GAMMA", "\\gamma", "$\\gamma$", "gam"])
def test_a_greek_letter_is_found_however_it_is_typed(typed: str, mine: tuple[Entry, ...]) -> None:
    """A card with LaTeX in it is found by the letter, its name and its source."""
    assert "mine/gains" in found(typed, *(one for one in mine if one.kind is Found.CARD))


@pytest.mark.parametrize("typed", ["cebysev", "ČEBYŠËV", "čebyšëv"])
def test_case_and_accents_do_not_matter(typed: str, mine: tuple[Entry, ...]) -> None:
    """A name is found without its accents, and with them."""
    assert found(typed, *mine) == ["mine/accents"]


def test_a_cloze_is_found_by_what_its_marks_hide_but_does_not_show_it(mine: tuple[Entry, ...]) -> None:
    """The words of a mark are looked into; the line shows the gap. One entry stands for all marks."""
    (card,) = (one for one in mine if one.id == "mine/whole")
    assert found("sigma^2", card) == found("σ²", card) == ["mine/whole"]
    assert card.line == "The […] and the […] of a batch."


def test_everything_is_there_under_its_kind(mine: tuple[Entry, ...]) -> None:
    """Topics, families by title and id, terms, and cards of one's own."""
    kinds = {one.target: one.title for one in mine}
    assert kinds["topic:mine"] == "Mine"
    assert kinds["family:batchnorm.entry"] != "batchnorm.entry"
    assert found("batchnorm.entry", *mine)[0] == "batchnorm.entry"
    assert kinds["term:residual-block"].casefold() == "residual block"
    assert "card:first/marks" in kinds
    assert not any("#" in target for target in kinds)


def test_an_id_that_is_pasted_finds_its_thing(desk_of: Callable[..., Desk]) -> None:
    """The full id with its kind works as well."""
    things = entries(desk_of().catalogue)
    assert found("card:second/red", *things)[0] == "second/red"


def test_what_is_compared_has_no_signs_of_markdown_or_latex() -> None:
    """Braces, dollars, backslashes, backticks, stars and script signs are left out on both sides."""
    assert searched(r"$\hat{x}_i^2$ of `BatchNorm1d` *now*") == "hatxi2 of batchnorm1d now"
