"""Card texts become blocks and spans; math, code, brackets and odd characters come through as typed."""

from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from studynorm.content.markup import (
    MAX_NESTING,
    Block,
    Break,
    Bullets,
    Code,
    CodeBlock,
    Emph,
    Heading,
    Link,
    Math,
    MathBlock,
    Paragraph,
    Quote,
    Rule,
    Span,
    Strong,
    Table,
    Text,
    parse_markup,
)


def spans(text: str) -> tuple[Span, ...]:
    """Return the spans of a text that is one paragraph."""
    (block,) = parse_markup(text)
    assert isinstance(block, Paragraph)
    return block.spans


def plain(text: str) -> str:
    """Return the text of a paragraph that has nothing but text."""
    (span,) = spans(text)
    assert isinstance(span, Text)
    return span.text


def shown(node: Block | Span) -> Iterator[str]:
    """Yield every text in a node."""
    match node:
        case Text(text) | Code(text) | CodeBlock(text=text) | Math(source=text) | MathBlock(text):
            yield text
        case Paragraph(inner) | Strong(inner) | Emph(inner) | Heading(spans=inner):
            for span in inner:
                yield from shown(span)
        case Link(inner, target):
            yield target
            for span in inner:
                yield from shown(span)
        case Quote(blocks):
            for block in blocks:
                yield from shown(block)
        case Bullets(items):
            for item in items:
                for block in item:
                    yield from shown(block)
        case Table(header, rows):
            for row in (header, *rows):
                for cell in row:
                    for span in cell:
                        yield from shown(span)
        case Break() | Rule():
            yield ""


AS_TYPED = [
    "see [red], use [b] for bias, [1, 2, 3], [/], [mean]: over [N, L]",
    "If 0<p and q>0, is p&lt;q implied? x<y & y>z &amp; AT&T &#65;",
    "<b>bold?</b> <script>alert(1)</script> <!-- x -->",
    "costs $5 and $6, or $ 7 $ and 5$",
    "{{Front}} {{c1::trap}} {{{FrontSide}}}",
    "snake_case_name and 2 * 3 * 4",
    "unpaired ` tick, \x1b[31m, \x00, cr\rOVER, \ue000\ue010\ue001, \u2028, \ufffd",
    "漢字で書くと γ 👩\u200d🔬 zero\u200bwidth",
    "$$ alone",
    "a[red]: b",
]


@pytest.mark.parametrize("text", AS_TYPED)
def test_what_is_no_markup_is_shown_as_typed(text: str) -> None:
    """Brackets, tags, entities, prices and odd characters lose nothing."""
    assert plain(text) == text


def test_a_link_definition_does_not_vanish() -> None:
    """A line `[x]: y` is text, since cards have no references."""
    assert plain("[red]: the batch axis") == "[red]: the batch axis"


MATH = [
    (r"$x_i$", r"x_i", False),
    (r"\(a<b\)", r"a<b", False),
    (r"$*a*b*c*$", r"*a*b*c*", False),
    (r"$a_1 \\ b_1$", r"a_1 \\ b_1", False),
    (r"$\$5$", r"\$5", False),
    (r"$`x`$", r"`x`", False),
    ("$a\n+ b$", "a\n+ b", False),
]


@pytest.mark.parametrize(("text", "source", "display"), MATH)
def test_math_reaches_us_untouched(text: str, source: str, display: bool) -> None:
    """Markdown takes no backslash, star or bracket out of a formula."""
    assert spans(f"say {text} so") == (Text("say "), Math(source, display), Text(" so"))


@pytest.mark.parametrize("text", ["$$\nx\n- y\n$$", "\\[\nx\n- y\n\\]", "$$x\n- y$$"])
def test_display_math_alone_is_a_block(text: str) -> None:
    """A formula with nothing beside it is a block, even if a line of it looks like a list."""
    assert parse_markup(f"a\n\n{text}\n\nb") == (
        Paragraph((Text("a"),)),
        MathBlock("x\n- y"),
        Paragraph((Text("b"),)),
    )


def test_display_math_in_a_sentence_stays_in_it() -> None:
    """With words around it, a display formula is a span."""
    assert spans("so $$x$$ holds") == (Text("so "), Math("x", display=True), Text(" holds"))


def test_two_formulas_may_touch() -> None:
    """The dollars between them close the first and open the second."""
    assert spans("$a$$b$") == (Math("a", display=False), Math("b", display=False))


def test_escaped_dollars_are_dollars() -> None:
    r"""`\$` opens nothing."""
    assert plain(r"\$5 and \$6") == "$5 and $6"


def test_math_never_runs_over_a_blank_line() -> None:
    """An opener without its closer in the paragraph is text."""
    first, second = parse_markup("pay $5\n\nor $6")
    assert (first, second) == (Paragraph((Text("pay $5"),)), Paragraph((Text("or $6"),)))


def test_code_is_kept_with_its_dollars_and_brackets() -> None:
    """Nothing in code is math, a link or a backslash escape."""
    assert spans("`$x$ [a](b) \\* &lt;`") == (Code("$x$ [a](b) \\* &lt;"),)
    assert spans("`` a`b ``") == (Code("a`b"),)
    assert spans("`\\`") == (Code("\\"),)


def test_code_blocks_keep_their_text() -> None:
    """A fence inside a quote or a list, and indented code, come out to the letter."""
    code = "x = '$a$' # `b`\n\n  y"
    assert parse_markup(f"~~~py title\n{code}\n~~~") == (CodeBlock("py", code),)
    (quote,) = parse_markup("> ```\n> $x$ `y`\n> ```")
    assert quote == Quote((CodeBlock("", "$x$ `y`"),))
    (bullets,) = parse_markup("- one\n\n  ```py\n  $x$\n  ```")
    assert isinstance(bullets, Bullets)
    assert bullets.items[0][1] == CodeBlock("py", "$x$")
    assert parse_markup("    $x$ [a]") == (CodeBlock("", "$x$ [a]"),)


def test_blocks_nest() -> None:
    """Lists, quotes, headings, rules and emphasis have their structure."""
    assert parse_markup("### **Big** idea\n\n> *q*\n\n---\n\n3. a\n4. b\n   - c") == (
        Heading(3, (Strong((Text("Big"),)), Text(" idea"))),
        Quote((Paragraph((Emph((Text("q"),)),)),)),
        Rule(),
        Bullets(
            (
                (Paragraph((Text("a"),)),),
                (Paragraph((Text("b"),)), Bullets(((Paragraph((Text("c"),)),),), ordered=False, start=1)),
            ),
            ordered=True,
            start=3,
        ),
    )


def test_tables_may_hold_bars_in_math_and_code() -> None:
    """A bar inside a formula or code divides no cell."""
    assert parse_markup("| a | b |\n|---|---|\n| $|x|$ | `p|q` |") == (
        Table(
            ((Text("a"),), (Text("b"),)),
            (((Math("|x|", display=False),), (Code("p|q"),)),),
        ),
    )


def test_links_images_and_breaks() -> None:
    """A link keeps its address, an image is its text, two blanks or a backslash break the line."""
    assert spans("[see $x$](card:batchnorm/eps)") == (
        Link((Text("see "), Math("x", display=False)), "card:batchnorm/eps"),
    )
    assert spans("[a](http://x/$b$?c=ü&copy=1)") == (Link((Text("a"),), "http://x/$b$?c=ü&copy=1"),)
    assert spans("![alt $x$](y.png) end") == (Text("alt "), Math("x", display=False), Text(" end"))
    assert spans("a  \nb\\\nc\nd") == (Text("a"), Break(), Text("b"), Break(), Text("c d"))


def nesting(node: object) -> int:
    """Return how deep blocks and spans stand in one another, found without recursion."""
    deepest = 0
    waiting = [(node, 0)]
    while waiting:
        here, depth = waiting.pop()
        deepest = max(deepest, depth)
        inner = (
            here
            if isinstance(here, tuple)
            else [getattr(here, name) for name in getattr(here, "__slots__", ())]
        )
        waiting.extend((part, depth + (not isinstance(here, tuple))) for part in inner)
    return deepest


HOSTILE = {
    "quotes": ">" * 10_000,
    "brackets": "[" * 10_000,
    "links": "[a](" * 10_000,
    "images": "![" * 10_000,
    "stars": "*" * 10_000 + "a" + "*" * 10_000,
    "bold": "**a " * 300 + "b" + " **" * 300,
    "lists": "\n".join(" " * (2 * depth) + "- a" for depth in range(300)),
    "quote lists": "> - " * 3000 + "a",
    "dollars": "$a " * 10_000,
    "ticks": "".join("`" * (number % 50) + "a" for number in range(3000)),
    "fences": "```\n" * 5001,
    "parens": "\\(" * 10_000,
    "huge": "a *b* $c$ " * 50_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_come_back_shallow(text: str) -> None:
    """Ten thousand brackets or quotes neither raise nor hang, and what comes out is safe to walk."""
    blocks = parse_markup(text)
    assert nesting(blocks) <= 2 * MAX_NESTING
    assert "a" not in text or "a" in "".join(part for block in blocks for part in shown(block))


def test_a_text_nested_beyond_reason_is_one_plain_paragraph() -> None:
    """Forty quotes in one another lose no character."""
    text = "> " * 40 + "deep\nand **more**"
    assert parse_markup(text) == (Paragraph((Text("> " * 40 + "deep"), Break(), Text("and **more**"))),)


@given(st.text())
def test_no_text_makes_the_reader_raise(text: str) -> None:
    """Whatever is typed, blocks come back."""
    assert isinstance(parse_markup(text), tuple)


@given(st.lists(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1), min_size=1))
def test_no_character_of_plain_words_is_lost(words: list[str]) -> None:
    """Words of letters and digits come out complete and in order."""
    text = "".join(part for block in parse_markup(" ".join(words)) for part in shown(block))
    assert "".join(text.split()) == "".join("".join(words).split())


SYNTAX = [*"*_`$[)\na #\\", "**", "$$", "](", "\n\n", "> ", "- ", "\\(", "\\)"]


@given(st.lists(st.sampled_from(SYNTAX), max_size=60))
def test_letters_survive_any_mixture_of_markup(pieces: list[str]) -> None:
    """However delimiters mix, every letter is still shown."""
    source = "".join(pieces)
    assume("```" not in source)  # the word behind a fence is a language, and shown as none
    text = "".join(part for block in parse_markup(source) for part in shown(block))
    assert text.count("a") == pieces.count("a")
