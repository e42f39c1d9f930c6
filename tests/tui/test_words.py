"""The plain functions behind the screens: times, rows, readings, worked lines, Markdown."""

from collections.abc import Callable
from dataclasses import fields, replace
from io import StringIO

from rich.color import ANSI_COLOR_NAMES
from rich.console import Console, RenderableType
from textual.theme import BUILTIN_THEMES

from studynorm.engine.family import Step
from studynorm.engine.variant import Variant
from studynorm.scheduling.studyday import Moment
from studynorm.study.overview import TopicState
from studynorm.study.situation import Counts, Key, Stage
from studynorm.study.worked import symbol, worked_lines
from studynorm.tui.home_view import problems_words, shares, topic_row
from studynorm.tui.key_line import KeyCap, fitting, key_name
from studynorm.tui.markup_view import markup
from studynorm.tui.reading import Tone, caret_line, echo_of
from studynorm.tui.theme import palette_of, variables
from studynorm.tui.top_bar import Standing, top_line
from studynorm.tui.when import duration_words, next_words

PALETTE = palette_of({})
NOW = Moment(at=1_772_442_000_000, offset=60, day=739_677)  # Monday, 2 March 2026, 09:00 UTC, one hour east
Draw = Callable[[Key], Variant]


def drawn(content: RenderableType, width: int) -> str:
    out = StringIO()
    Console(file=out, width=width, color_system=None, legacy_windows=False).print(content)
    return out.getvalue()


def test_the_next_item_in_words() -> None:
    """Minutes are counted up and carry the local clock; days get their name, then their date."""
    assert next_words(NOW, NOW.at + 540_001, None) == "in 10 minutes, at 10:09"
    assert next_words(NOW, NOW.at + 60_000, None) == "in 1 minute, at 10:01"
    assert next_words(NOW, NOW.at + 7_200_000, None) == "at 12:00"
    assert next_words(NOW, None, NOW.day + 1) == "tomorrow"
    assert next_words(NOW, None, NOW.day + 4) == "on Friday"
    assert next_words(NOW, None, NOW.day + 30) == "in 30 days, on 1 April"
    assert next_words(NOW, None, None) == ""


def test_durations_in_words() -> None:
    """A time is told in whole minutes, and from an hour on in hours and minutes."""
    assert duration_words(20_000) == "under a minute"
    assert duration_words(300_000) == "5 min"
    assert duration_words(4_800_000) == "1 h 20 min"


def test_shares_fill_the_bar_and_hide_nothing() -> None:
    """The cells of a strength bar add up to its width, and one item among hundreds keeps a cell."""
    assert shares([0, 0, 0, 0], 10) == [0, 0, 0, 0]
    assert shares([1, 1, 1, 1], 8) == [2, 2, 2, 2]
    cells = shares([1, 0, 1, 500], 10)
    assert sum(cells) == 10
    assert cells[0] == cells[2] == 1
    assert cells[1] == 0


def test_topic_rows_have_one_width_whatever_the_title() -> None:
    """Wide characters, brackets and long titles leave the columns where they are."""
    for title in (
        "Short",
        "A title that is much longer than any column",
        "漢字の題名がここにあります漢字",
        "[red] x̂",
    ):
        topic = TopicState("t", title, 3, 2, 1, 4, Counts(3, 0, 12))
        for width in (34, 60, 76, 96):
            assert topic_row(topic, width, PALETTE).cell_len == width


def test_the_top_line_keeps_its_counts() -> None:
    """However narrow the line, the counts are whole and the line is no wider than asked."""
    standing = Standing("Residual connections", "level 2", Counts(12, 3, 40), Stage.NEW, 5)
    for width in (12, 20, 40, 80):
        line = top_line(standing, width, PALETTE)
        assert line.cell_len <= max(width, 11)
        assert line.plain.endswith("12 + 3 + 40")


def test_unfinished_answers_meet_patience(verified: Draw) -> None:
    """What only lacks an end is quiet; what is wrong in the middle is pointed at."""
    number = verified(Key("batchnorm.entry", 1, 1))
    vector = verified(Key("batchnorm.vector", 1, 1))
    assert echo_of(number, "").text == ""
    assert echo_of(number, "3/").tone is Tone.QUIET
    assert echo_of(number, "sqrt(5").tone is Tone.QUIET
    assert echo_of(vector, "1 2").tone is Tone.QUIET
    assert echo_of(number, "3/4").text == "read as 0.75"
    wrong = echo_of(number, "1..2")
    assert wrong.tone is Tone.LOOK
    assert wrong.caret is not None
    assert caret_line(wrong, "1..2", 60).index("▴") == wrong.caret
    assert "character" in caret_line(wrong, "1..2", 12)


def test_worked_lines_put_the_numbers_in(verified: Draw) -> None:
    """A step shows its formula in readable signs, then with the variant's own numbers, then its value."""
    variant = verified(Key("running_stats.mean", 1, 1))
    lines = worked_lines(variant)
    assert len(lines) == len(variant.solution)
    mean = lines[0]
    assert mean.symbol == "μ"
    assert mean.formula == "mean(x)"
    assert mean.numbers == f"mean({', '.join(f'{x:g}' for x in variant.params['x'])})".replace("-", "−")
    assert symbol("xhat") == "x̂"
    assert symbol("running_var") == "σ̂²"
    assert symbol("h2") == "h₂"


def test_a_step_of_words_alone_has_no_formula(verified: Draw) -> None:
    """A step that only says something is its text, and the step after it is worked as always."""
    variant = verified(Key("running_stats.mean", 1, 1))
    mixed = replace(variant, solution=(Step("Look at the mode first."), *variant.solution))
    words, mean, *_ = worked_lines(mixed)
    assert (words.text, words.symbol, words.formula, words.value) == ("Look at the mode first.", "", "", "")
    assert mean == worked_lines(variant)[0]


def test_markdown_shows_what_was_typed() -> None:
    """Brackets, escapes and control characters are shown, none is obeyed, and formulas keep in one piece."""
    text = drawn(markup("see [red] and [b]\x1b[31m\x07 $\\mu$ `x[:, 0]`", PALETTE), 78)
    assert "see [red] and [b]␛[31m␇ μ x[:, 0]" in text
    narrow = drawn(markup("the running mean is $\\mu = 2$, so go on", PALETTE), 23)
    assert any("μ = 2" in line for line in narrow.splitlines())


def test_keys_are_written_as_on_the_keyboard_and_cut_by_need() -> None:
    """Key names are familiar, and a narrow line drops the last caps first."""
    assert [key_name(key) for key in ("escape", "question_mark", "f2", "ctrl+q", "G")] == [
        "Esc",
        "?",
        "F2",
        "Ctrl+Q",
        "G",
    ]
    caps = (KeyCap(("enter",), "Review"), KeyCap(("d",), "Demos"), KeyCap(("q",), "Quit"))
    assert fitting(caps, 100) == caps
    assert fitting(caps, 22) == caps[:2]
    assert fitting(caps, 3) == ()


def test_palette_follows_the_theme() -> None:
    """A light theme gets dark colours; variables of the theme itself win."""
    assert palette_of({}, BUILTIN_THEMES["textual-light"]).ink != palette_of({}).ink
    assert palette_of({"again": "#123456"}).again == "#123456"


def test_home_names_broken_decks_first_and_then_cards_that_an_upgrade_has_overtaken() -> None:
    """One line says what is worst and how to see all of it; nothing is said when all is well."""
    assert problems_words(0, 0) == ""
    assert problems_words(2, 1) == "2 problems in your decks: run “studynorm check”."
    assert problems_words(0, 1) == (
        "1 edited card of yours changed in the shipped decks: run “studynorm check”."
    )
    assert problems_words(0, 2).startswith("2 edited cards of yours changed")


def test_with_the_terminals_own_colours_every_text_has_one_of_the_sixteen() -> None:
    """No colour of ours is mixed in, and none is the one behind a row that is marked."""
    for name in ("ansi-dark", "ansi-light"):
        theme = BUILTIN_THEMES[name]
        palette = palette_of(variables(theme), theme)
        texts = [field.name for field in fields(palette) if field.name not in ("dark", "accent")]
        colours = {getattr(palette, text) for text in texts}
        assert all(colour == "default" or colour in ANSI_COLOR_NAMES for colour in colours)
        assert variables(theme)["panel"].removeprefix("ansi_") not in colours
