"""Plots as text: their size, their ticks, and what becomes of values that cannot be drawn."""

import math
import re
import unicodedata
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studynorm.axis import axis_of, short_number
from studynorm.demos.demo import Plot, Series
from studynorm.plotting import describe, draw

ANSI = re.compile(r"\x1b\[[0-9;]*m")
DEPTHS = (6.0, 12.0, 24.0, 48.0)
BLOCKS = Plot(
    title="Gradient of the last block",
    x_label="blocks",
    y_label="gradient norm",
    series=(
        Series("post-LN", DEPTHS, (0.363, 0.371, 0.373, 0.398)),
        Series("pre-LN", DEPTHS, (0.213, 0.162, 0.096, 0.074)),
    ),
    log_x=True,
)


def _plot(*values: float, log_y: bool = False, y_is_log10: bool = False) -> Plot:
    series = Series("line", tuple(float(n) for n in range(len(values))), values)
    return Plot("T", "x", "y", (series,), log_y=log_y, y_is_log10=y_is_log10)


def _width(line: str) -> int:
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in line)


def _axis_labels(text: str) -> list[str]:
    return re.findall(r"^ *(\S+)[┤+]", text, re.MULTILINE)


def test_a_plot_has_title_names_labels_and_data_ticks() -> None:
    """At 80 by 20 title, both names, both labels, the four depths and every row are there."""
    lines = draw(BLOCKS, 80, 20, colour=False).split("\n")
    assert len(lines) == 20
    assert lines[0] == "Gradient of the last block"
    assert lines[1] == "● post-LN  ■ pre-LN"
    assert lines[2] == "gradient norm"
    assert lines[-2].split() == ["6", "12", "24", "48"]
    assert lines[-1].strip() == "blocks"


def test_series_differ_without_colour() -> None:
    """Each series has its own marker at its points, in Unicode and in ASCII."""
    canvas = draw(BLOCKS, 80, 20, colour=False).split("\n", 2)[2]
    assert (canvas.count("●"), canvas.count("■")) == (4, 4)
    ascii_text = draw(BLOCKS, 80, 20, colour=False, ascii_only=True)
    assert ascii_text.isascii()
    assert "o post-LN  x pre-LN" in ascii_text
    rows = [line for line in ascii_text.split("\n") if "|" in line or "+" in line]
    assert any("o" in row for row in rows)
    assert any("x" in row for row in rows)


def test_higher_values_stand_higher() -> None:
    """The marker of the largest value is in the top row of the canvas, that of the smallest in the lowest."""
    lines = draw(_plot(1, 2, 3, 2, 1, 0), 60, 16, colour=False).split("\n")
    marked = [line for line in lines if "●" in line]
    assert marked[0].count("●") == 1
    assert marked[0].index("●") < marked[-1].index("●")
    assert marked[-1].rstrip().endswith("●")


def test_an_axis_of_exponents_has_short_labels() -> None:
    """Down to 1e-50 the labels read 1, 1e-10, …: no float is asked to hold them, even at 1e-1000."""
    labels = _axis_labels(draw(_plot(*(-float(n) for n in range(51)), y_is_log10=True), 70, 20, colour=False))
    assert labels == ["1", "1e-10", "1e-20", "1e-30", "1e-40", "1e-50"]
    deep = draw(_plot(0.0, -500.0, -1000.0, y_is_log10=True), 70, 20, colour=False)
    assert "1e-1000" in deep


def test_zero_and_negative_values_on_a_log_axis_are_left_out_and_counted() -> None:
    """A log axis leaves out 0, -1, nan and inf, draws the rest, and says how many are missing."""
    text = draw(_plot(1.0, 0.0, -1.0, math.nan, math.inf, 100.0, log_y=True), 70, 14, colour=False)
    assert "Points left out (zero, negative or not finite): line 4" in text
    assert text.count("●") == 2


def test_values_that_are_not_finite_are_left_out_and_break_the_line() -> None:
    """On a linear axis nan and inf leave a gap of at least a few cells, and are counted."""
    text = draw(_plot(1.0, 1.0, math.nan, 1.0, 1.0), 70, 14, colour=False)
    assert "Points left out (not finite): line 1" in text
    row = next(line for line in text.split("\n") if "●" in line)
    assert re.search(r"●\s{20,}●", row)


def test_nothing_to_draw_is_said() -> None:
    """Without any point there is one sentence instead of a plot."""
    assert "line has no point to show" in draw(_plot(math.nan), 80, 20, colour=False)
    assert "nothing to show" in draw(Plot("T", "x", "y", ()), 80, 20, colour=False)


@pytest.mark.parametrize("values", [(3.0,), (2.0, 2.0, 2.0), (0.0, 0.0), (1e300, 1e300), (-5e-324, 5e-324)])
def test_points_without_a_range_are_drawn(values: tuple[float, ...]) -> None:
    """One point, a constant series and a range too small for a float still make a plot with an axis."""
    text = draw(_plot(*values), 60, 12, colour=False)
    assert "●" in text
    assert len(_axis_labels(text)) >= 2


def test_spread_is_drawn_and_widens_the_axis() -> None:
    """The lowest and highest value of each point are within the axis, with a bar between them."""
    plain = Series("s", (1.0, 2.0, 3.0), (5.0, 5.0, 5.0))
    spread = Series("s", (1.0, 2.0, 3.0), (5.0, 5.0, 5.0), ((5.0, 5.0), (0.0, 10.0), (5.0, 5.0)))
    rows = [
        sum(any(0x2800 <= ord(c) <= 0x28FF for c in line) for line in text.split("\n"))
        for text in (draw(Plot("", "", "", (series,)), 60, 14, colour=False) for series in (plain, spread))
    ]
    assert rows[0] == 1
    assert rows[1] > 8


def test_colour_changes_nothing_but_colour() -> None:
    """Without its colours the coloured plot is the plain one, and each series has a colour of its own."""
    coloured = draw(BLOCKS, 80, 20, colour=True)
    stripped = [ANSI.sub("", line).rstrip() for line in coloured.split("\n")]
    assert stripped == draw(BLOCKS, 80, 20, colour=False).split("\n")
    assert len(set(re.findall(r"\x1b\[38;5;(\d+)m", coloured))) == 2


def _columns(text: str) -> list[list[int]]:
    """Return the height in eighths of a row of every column of cells, for each run of cells that has one."""
    canvas = [
        line.split("┤")[-1].split("│")[-1].ljust(100) for line in text.split("\n") if re.search("[┤│]", line)
    ]
    heights = [sum(" ▁▂▃▄▅▆▇█".index(row[at]) for row in canvas) for at in range(100)]
    return [list(run) for kind, run in groupby(heights, bool) if kind]


def test_columns_stand_for_their_values_from_zero_up() -> None:
    """Equal values are equally high, twice as much is twice as high; zero is nothing, and nothing is torn."""
    series = Series("due", (0.0, 1.0, 2.0, 3.0, 4.0), (4.0, 2.0, 0.0, 4.0, 1.0))
    plot = Plot("", "day", "due", (series,), columns=True)
    first, second, third, fourth = _columns(draw(plot, 80, 30, colour=False))
    for run in (first, second, third, fourth):
        assert len(set(run)) == 1
    heights = [run[0] - 4 for run in (first, second, third, fourth)]  # zero is the middle of the lowest row
    assert heights[0] == heights[2] == pytest.approx(2 * heights[1], abs=2)
    assert heights[0] == pytest.approx(4 * heights[3], abs=4)
    assert _axis_labels(draw(plot, 80, 30, colour=False))[-1] == "0"


def test_columns_of_every_size() -> None:
    """One column, many more than cells, all zero, colours and ASCII: no line is wider than asked."""
    for count in (1, 30, 500):
        for value in (0.0, 3.0):
            series = Series("due", tuple(map(float, range(count))), (value,) * count)
            plot = Plot("", "day", "due", (series,), columns=True)
            for width in (20, 79, 200):
                bare = draw(plot, width, 12, colour=False)
                assert max(map(_width, bare.split("\n"))) <= width
                assert ("▄" in bare) == (value > 0)
                assert ANSI.sub("", draw(plot, width, 12, colour=True)) == bare
                ascii_text = draw(plot, width, 12, colour=False, ascii_only=True)
                assert ascii_text.isascii()
                assert ("#" in ascii_text) == (value > 0)


def test_drawing_again_gives_the_same() -> None:
    """Plotext's one figure keeps nothing of the plot before."""
    first = draw(BLOCKS, 80, 20, colour=True)
    draw(_plot(1.0, 5.0, 2.0, log_y=True), 40, 10, colour=False)
    assert draw(BLOCKS, 80, 20, colour=True) == first


def test_tiny_sizes() -> None:
    """20 by 5 is still a plot; below it is a sentence, cut to the width."""
    tiny = draw(BLOCKS, 20, 5, colour=False)
    assert "●" in tiny
    assert "┤" in tiny
    small = draw(BLOCKS, 19, 5, colour=False)
    assert small == "Gradient of the la…"
    assert draw(BLOCKS, 0, 0, colour=False) == ""


def test_a_thousand_points_keep_their_extremes() -> None:
    """Of a thousand points, one single peak is still seen at the top of the plot."""
    values = [0.0] * 1000
    values[637] = 9.0
    lines = draw(_plot(*values), 60, 14, colour=False).split("\n")
    assert lines[2].startswith("9┤")
    column = next(n for n, c in enumerate(lines[2]) if 0x2800 <= ord(c) <= 0x28FF)
    assert column == pytest.approx(2 + 58 * 0.637, abs=2)


def test_describe_says_ends_of_each_series() -> None:
    """One line says where each series starts and ends."""
    assert describe(BLOCKS) == (
        "Gradient of the last block (gradient norm against blocks): "
        "post-LN from 0.363 at 6 to 0.398 at 48; pre-LN from 0.213 at 6 to 0.074 at 48."
    )
    assert describe(_plot(-50.0, y_is_log10=True)) == "T (y against x): line 1e-50 at 0."


@pytest.mark.parametrize(
    ("value", "log", "text"),
    [
        (0.0, False, "0"),
        (-0.0, False, "0"),
        (0.398046, False, "0.398"),
        (1e-7, False, "1e-7"),
        (123456.0, False, "123456"),
        (2.5e12, False, "2.5e12"),
        (-3.0, True, "1e-3"),
        (-2.0, True, "0.01"),
        (2.0, True, "100"),
        (-50.0, True, "1e-50"),
        (math.log10(2) - 5, True, "2e-5"),
        (-5 - 1e-12, True, "1e-5"),
    ],
)
def test_short_numbers(value: float, log: bool, text: str) -> None:
    """Numbers on axes take few characters; on a log axis the value is an exponent of ten."""
    assert short_number(value, log) == text


def test_ticks_are_round_numbers_within_the_range() -> None:
    """From 0.074 to 0.56 the ticks are 0.1 to 0.5; near-equal values get digits that tell them apart."""
    values = [0.074 + n * 0.0486 for n in range(11)]
    assert [label for _, label in axis_of(values, log=False, most=6).ticks] == [
        "0.1",
        "0.2",
        "0.3",
        "0.4",
        "0.5",
    ]
    labels = [label for _, label in axis_of([1.0, 1.00001], log=False, most=4).ticks]
    assert len(set(labels)) == len(labels) >= 2


NUMBERS = st.floats() | st.sampled_from([0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, 1e16, 1e16 + 2])
NAMES = st.sampled_from(["plain", "pre-LN · √L", "日本語の名前", "a\x1b[31mb\n"])


@st.composite
def _series(draw_from: st.DrawFn) -> Series:
    count = draw_from(st.integers(0, 12))
    column = st.lists(NUMBERS, min_size=count, max_size=count).map(tuple)
    pairs = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=count, max_size=count).map(tuple)
    return Series(draw_from(NAMES), draw_from(column), draw_from(column), draw_from(st.none() | pairs))


@settings(max_examples=150, deadline=None)
@given(
    series=st.lists(_series(), max_size=7),
    logs=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    size=st.tuples(st.integers(0, 90), st.integers(0, 30)),
    colour=st.booleans(),
    ascii_only=st.booleans(),
)
def test_any_values_fit_any_size(
    series: list[Series], logs: tuple[bool, bool, bool], size: tuple[int, int], colour: bool, ascii_only: bool
) -> None:
    """Whatever the numbers, names and size: no error, no line too wide or too many, no control character."""
    plot = Plot("Title 日本語", "x", "y", tuple(series), *logs)
    text = draw(plot, *size, colour=colour, ascii_only=ascii_only)
    bare = ANSI.sub("", text) if colour else text
    lines = bare.split("\n")
    assert len(lines) <= max(1, size[1])
    assert all(_width(line) <= size[0] for line in lines)
    assert all(line.isprintable() for line in lines)
    assert bare.isascii() or not ascii_only
    assert "\n" not in describe(plot)
