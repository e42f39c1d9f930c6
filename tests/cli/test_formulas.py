"""Formulas in the line mode: signs, 7-bit characters, or words, through a whole review of the real decks."""

import re
import unicodedata

import pytest

from studynorm.content.library import load_library
from studynorm.locate import content_root
from studynorm.study.plaintext import plain_text
from tests.cli.conftest import Run

REVIEW = ("review", "--plain", "--limit", "12")
BOXES = re.compile("[\u2300-\u23ff\u2500-\u259f\u239b-\u23b3]")


def test_a_whole_review_needs_no_more_than_seven_bits(run: Run) -> None:
    """With --formulas ascii every character from the first question to the summary is ASCII."""
    said = run(*REVIEW, "--formulas", "ascii", typed="\n3\n" * 40)
    assert said.exit_code == 0
    assert "12 answers" in said.stdout
    assert "sqrt(sigma^2 + eps)" in said.stdout
    assert said.output.isascii()


def test_a_whole_review_can_be_listened_to(run: Run) -> None:
    """In words there is no formula sign, no LaTeX, no box and no colour; roots and fractions are spoken."""
    said = run(*REVIEW, "--formulas", "words", typed="\n3\n" * 40)
    assert said.exit_code == 0
    assert "square root of sigma squared plus epsilon" in " ".join(said.stdout.split())
    assert not BOXES.search(said.stdout)
    assert not re.search(r"[$\\\x1b]", said.stdout)
    signs = {
        char for char in said.stdout if unicodedata.category(char) in ("Sm", "Lm", "Mn") and ord(char) > 127
    }
    assert not signs


def test_the_choice_can_be_set_for_good_by_a_variable(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """STUDYNORM_FORMULAS holds where no flag is given; a value that is none is refused with the choices."""
    monkeypatch.setenv("STUDYNORM_FORMULAS", "ascii")
    assert run("review", "--plain", "--limit", "1", typed="\n3\n").stdout.isascii()
    monkeypatch.setenv("STUDYNORM_FORMULAS", "braille")
    refused = run("review", "--plain", typed="")
    assert refused.exit_code == 2
    assert "'unicode', 'ascii', 'words'" in refused.output


@pytest.mark.parametrize("part", ["note", "cards"])
def test_every_deck_can_be_read_in_seven_bits(part: str) -> None:
    """Notes, questions, answers and reasons of all shipped decks have an ASCII form throughout."""
    for deck in load_library(content_root() / "cards", None).decks:
        if part == "note":
            texts = [deck.note]
        else:
            texts = [text for card in deck.cards for text in (card.question(), card.back, card.why)]
        for text in texts:
            written = plain_text(text, maths="ascii")
            assert written.isascii(), f"{deck.id}: {set(written) - set(map(chr, range(128)))}"
