"""Nothing that a terminal would obey or an eye would miss gets past `visible`; everything else does."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studynorm.content.visible import visible

CASES = [
    ("red \x1b[31mtext", "red ␛[31mtext"),
    ("ask \x07 back\x08\x08", "ask ␇ back␈␈"),
    ("\x9b31m", "⟨U+009B⟩31m"),
    ("cr\rOVER", "cr␍OVER"),
    ("null \x00 del \x7f", "null ␀ del ␡"),
    ("order \u202edesrever\u202c mark \u200f end", "order ⟨U+202E⟩desrever⟨U+202C⟩ mark ⟨U+200F⟩ end"),
    ("zero\u200bwidth \ufeff", "zero⟨U+200B⟩width ⟨U+FEFF⟩"),
    ("a\u200db", "a⟨U+200D⟩b"),
    ("👩\u200d🔬 ✌️ 🇳🇱", "👩\u200d🔬 ✌️ 🇳🇱"),
    ("🏳\ufe0f\u200d🌈", "🏳\ufe0f\u200d🌈"),
    ("x̂ 漢字 ŷ σ²", "x̂ 漢字 ŷ σ²"),
    ("[red] [/b] \\[x\\]", "[red] [/b] \\[x\\]"),
    ("a\tb", "a    b"),
    ("one\ntwo", "one\ntwo"),
    ("lone \udcff", "lone ⟨U+DCFF⟩"),
    ("line\u2028sep", "line⟨U+2028⟩sep"),
]


@pytest.mark.parametrize(("text", "shown"), CASES)
def test_hidden_characters_get_stand_ins(text: str, shown: str) -> None:
    """Each kind of hidden character is shown, and harmless text comes back as it was."""
    assert visible(text) == shown


def test_a_line_feed_is_shown_where_there_is_one_line_only() -> None:
    """A file name of two lines is shown as one."""
    assert visible("a\nb", keep_newlines=False) == "a␊b"


@given(st.text())
def test_no_control_or_format_character_survives(text: str) -> None:
    """What comes out has no control, surrogate or line separator of Unicode, but line feeds."""
    shown = visible(text)
    assert {unicodedata.category(char) for char in shown.replace("\n", "")}.isdisjoint(
        {"Cc", "Cs", "Zl", "Zp"}
    )


@given(
    st.text(
        alphabet=st.characters(
            categories=["L", "M", "N", "P", "S"],
            exclude_characters="\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0",
        )
    )
)
def test_letters_marks_and_signs_are_never_changed(text: str) -> None:
    """Text without anything hidden comes back as it was, and so does text that went through before."""
    assert visible(text) == text
