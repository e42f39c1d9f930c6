"""Every formula that is shipped can be read and drawn in 76 columns; one that can't is named."""

from pathlib import Path

import pytest

from studynorm import mathtext
from studynorm.content.deckfile import read_deck
from studynorm.engine.registry import load_families
from studynorm.locate import content_root
from studynorm.study.check import WIDEST_FORMULA, deck_formulas, family_formulas

DECKS = sorted((content_root() / "cards").glob("*.md"))
FAMILIES, _ = load_families()


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Return what is drawn while a test runs: the width asked for, by source."""
    seen: dict[str, int] = {}
    real = mathtext.box

    def noted(source: str, width: int) -> mathtext.Box | None:
        seen[source] = width
        return real(source, width)

    monkeypatch.setattr(mathtext, "box", noted)
    return seen


@pytest.mark.parametrize("path", DECKS, ids=[path.stem for path in DECKS])
def test_every_formula_of_a_deck_is_drawn_in_76_columns(path: Path) -> None:
    """Notes, questions, answers and reasons, each mark of a cloze by itself."""
    deck, errors = read_deck(path)
    assert not errors
    assert deck is not None
    assert [str(trouble) for trouble in deck_formulas(deck)] == []


def test_every_formula_of_the_families_is_drawn_in_76_columns(drawn: dict[str, int]) -> None:
    """Prompts, hints, misconceptions and solutions of five seeds at each level, thousands of formulas."""
    found = [str(trouble) for family in FAMILIES.values() for trouble in family_formulas(family)]
    assert found == []
    assert len(drawn) > 2000
    assert set(drawn.values()) == {WIDEST_FORMULA} == {76}


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (r"\frac{" + "a+" * 30 + "a}{2}", "wider than 76 columns"),
        (r"\begin{matrix}" + r"1\\" * 70 + r"\end{matrix}", "wider than 76 columns or higher"),
        (r"\nosuch{x}", r"unknown macro \nosuch"),
    ],
)
def test_a_formula_that_cannot_be_drawn_is_named_with_its_place(
    tmp_path: Path, formula: str, words: str
) -> None:
    """File, line, card and formula are told, and what is wrong."""
    path = tmp_path / "mine.md"
    path.write_text(
        f'+++\nid = "mine"\ntitle = "Mine"\n+++\n\n## one\nQ: What?\nA: ${formula}$\n', encoding="utf-8"
    )
    deck, _ = read_deck(path)
    assert deck is not None
    (trouble,) = deck_formulas(deck)
    shown = f"{formula}$" if len(formula) <= 200 else f"{formula[:200]}…$"
    assert f"{path}:6 card one: formula ${shown}" in str(trouble)
    assert words in str(trouble)
