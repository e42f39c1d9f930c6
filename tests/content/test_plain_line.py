"""The short way for plain lines gives what the long way through Markdown gives."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studynorm.content import markup
from studynorm.content.library import load_library
from studynorm.content.markup import parse_markup

NEVER = re.compile(r"(?!)")
PLAIN = st.sampled_from(
    ["word", "Ä", " ", "  ", "(", ")", ":", ";", "'", '"', "…", "−", "+", "=", "{", "}", "/"]
)
TELLING = st.sampled_from(["1.", "- ", "#", "*", "_", "x\n", "\\", "&amp;", "<b>", "!", "|", "~", ">"])
CUT_OUT = st.sampled_from(["$x_i$", "$$y$$", "`a*b`", "\ue001", "http://a.b"])


def long_way(text: str, monkeypatch: pytest.MonkeyPatch) -> object:
    with monkeypatch.context() as patched:
        patched.setattr(markup, "_PLAIN", NEVER)
        return parse_markup(text)


def test_every_shipped_text_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions, answers and reasons of all shipped cards; most of them take the short way."""
    decks = load_library(Path(__file__).parents[2] / "cards", None).decks
    texts = [text for deck in decks for card in deck.cards for text in (card.front, card.back, card.why)]
    for text in texts:
        assert parse_markup(text) == long_way(text, monkeypatch)


@example("word\ue001")
@given(st.lists(PLAIN | TELLING | CUT_OUT, max_size=8).map("".join))
def test_any_text_reads_the_same(text: str) -> None:
    """Whatever is put together from signs that may mean something."""
    with pytest.MonkeyPatch.context() as patched:
        assert parse_markup(text) == long_way(text, patched)
