"""Card text as field HTML: what a browser and Anki make of it is what was typed."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from studynorm.content.card import Card
from studynorm.content.deck import parse_deck
from studynorm.exchange.html import cloze_to_html, markup_to_html


class _Visible(HTMLParser):
    """Gathers the text that a browser shows."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""

    def handle_data(self, data: str) -> None:
        """Add text."""
        self.text += data


def _shown(field: str) -> str:
    parser = _Visible()
    parser.feed(field)
    parser.close()
    return parser.text


def _cloze(text: str) -> Card:
    deck, errors = parse_deck(f'+++\nid = "d"\ntitle = "D"\n+++\n\n## c\nC: {text}\n', Path("d.md"))
    assert deck is not None
    assert errors == ()
    return deck.cards[0]


@pytest.mark.parametrize(
    "text",
    [
        "If 0<p and q>0, is p&lt;q implied?",
        "no: x<y & y>z says nothing",
        "<b>bold?</b> &amp; AT&T <script>alert(1)</script>",
        "{{Front}} {{c1::trap}} {{{FrontSide}}} {{#A}}x{{/A}}",
        "[sound:x.mp3] [latex]x[/latex] [$] [anki:tts]x[/anki:tts]",
    ],
)
def test_text_is_shown_as_typed(text: str) -> None:
    """Tags, entities, braces and Anki's own tags in a text are text."""
    field = markup_to_html(text)
    assert _shown(field) == text
    assert not re.search(r"\[(sound:|/?latex\]|/?\$|anki:)", field)
    assert "<b>" not in field
    assert "<script" not in field


def test_math_becomes_mathjax_with_its_signs_escaped() -> None:
    """Inline and display math keep their LaTeX; `<` and `&` in it are entities, so no tag can begin."""
    assert markup_to_html("so $a<b$ and $c & d$") == r"so \(a&lt;b\) and \(c &amp; d\)"
    assert markup_to_html(r"\(a<b\)") == r"\(a&lt;b\)"
    assert markup_to_html("$$\n\\frac{1}{n}\n$$").replace("\n", "") == r"<p>\[\frac{1}{n}\]</p>"


def test_lone_delimiters_make_no_math() -> None:
    r"""A `\(` that is no math is shown, and stands apart from its bracket so that MathJax does not see it."""
    for text in (r"typed \\(a\\) here", r"end \\[ now", r"say \\begin{x} now"):
        field = markup_to_html(text)
        assert _shown(field) == text.replace(r"\\", "\\")
        assert not re.search(r"\\[(\[]|\\begin", field)
    assert markup_to_html(r"`re.escape('\(')`") == "<code>re.escape('&#92;(')</code>"


def test_blocks() -> None:
    """Paragraphs, lists, code, tables, quotes and links become the elements that a browser has for them."""
    assert markup_to_html("one **two** *three*\n\nfour") == "<p>one <b>two</b> <i>three</i></p>\n<p>four</p>"
    assert markup_to_html("- a\n- b `c<d`") == "<ul><li>a</li><li>b <code>c&lt;d</code></li></ul>"
    assert markup_to_html("3. a\n4. b") == '<ol start="3"><li>a</li><li>b</li></ol>'
    code = markup_to_html("```python\nif a < b:\n    print('x')\n```")
    assert code == "<pre><code>if a &lt; b:\n    print('x')</code></pre>"
    table = markup_to_html("| a | $b$ |\n|---|---|\n| 1 | 2 |")
    assert table == (
        r"<table><thead><tr><th>a</th><th>\(b\)</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
    )
    assert markup_to_html("> said") == "<blockquote>said</blockquote>"
    assert markup_to_html("# Head") == "<h1>Head</h1>"
    assert markup_to_html('[paper](https://example.org/a?b="c"&d)').startswith(
        '<a href="https://example.org/a?b='
    )
    assert "href" not in markup_to_html("[x](javascript:alert(1))")


def test_control_characters_become_visible() -> None:
    """What would end a field in Anki's database, or what SQLite cannot store, is a visible stand-in."""
    field = markup_to_html("a\x1fb\x00c\x1b[31m\ud800")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]", field)
    assert "␟" in field
    field.encode()


def test_marks_are_numbered_in_order_and_share_numbers_by_id() -> None:
    """The first mark id is c1, the next c2; a second mark of the same id has the same number."""
    card = _cloze("{{mean::Mean}} first, {{var::variance}} next, {{mean::centre}} again.")
    assert cloze_to_html(card) == "{{c1::Mean}} first, {{c2::variance}} next, {{c1::centre}} again."


def test_braces_in_math_do_not_close_a_mark() -> None:
    """No `}}` is left inside the math of a mark or beside it; the LaTeX means the same."""
    field = cloze_to_html(
        _cloze(r"The scale is [{{scale::$\frac{1}{\sqrt{\sigma^{2}}}$}}] in $\frac{a}{b^{2}}$.")
    )
    assert field == r"The scale is [{{c1::\(\frac{1}{\sqrt{\sigma^{2} } }\)}}] in \(\frac{a}{b^{2} }\)."


def test_text_that_looks_like_a_mark_is_no_mark() -> None:
    """Braces and double colons in text and code of a cloze are entities: only real marks read as marks."""
    field = cloze_to_html(_cloze("{{a::Set `{c1::x}}` aside}} and `d = {{1: {2}}}` uses `std::max` {"))
    assert len(re.findall(r"\{\{c\d+::", field)) == 1
    assert field.count("}}") == 1
    assert (
        _shown(field.replace("{{c1::", "").replace("}}", ""))
        == "Set {c1::x}} aside and d = {{1: {2}}} uses std::max {"
    )


def test_a_mark_inside_bold_and_with_private_characters() -> None:
    """Marks survive Markdown around them, and private characters in a text do not disturb them."""
    assert cloze_to_html(_cloze("**{{a::bold}}** \uf000\uf001")) == "<b>{{c1::bold}}</b> \uf000\uf001"
    assert cloze_to_html(_cloze("{{a::**bold** word}} x")) == "{{c1::<b>bold</b> word}} x"
