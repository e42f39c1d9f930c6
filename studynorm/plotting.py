"""Draws a demo's plot as lines of text; the only module that meets plotext.

Plotext paints the lines of the canvas. Axes, ticks and legend are ours, so that no line is wider than asked,
labels stay short on log axes, and series can be told apart without colour.
"""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from studynorm.axis import Axis, axis_of, short_number
from studynorm.demos.demo import Plot, Series

_BLOCKS = "▁▂▃▄▅▆▇█"
_MARKERS, _ASCII_MARKERS = "●■▲◆○□", "ox+*#@"
_COLOURS = (33, 208, 35, 170, 37, 136)  # of the 256: readable on black and on white
_MARKS_PER_LINE = 6  # markers on a line of many points, so that the line stays visible
_ASCII = {
    "…": "~",
    "√": "sqrt ",
    "·": "*",
    "²": "^2",
    "−": "-",
    "│": "|",
    "└": "+",
    "─": "-",
    "┬": "+",
    "┤": "+",
}
_LEAST_WIDTH, _LEAST_HEIGHT = 20, 5  # below there is a sentence instead of a plot


@dataclass(frozen=True, slots=True)
class _Style:
    """How text and lines are written: with or without colours, in Unicode or ASCII."""

    colour: bool
    ascii_only: bool

    def symbol(self, number: int) -> str:
        """Return the marker of the series with this number."""
        symbols = _ASCII_MARKERS if self.ascii_only else _MARKERS
        return symbols[number % len(symbols)]

    def plain(self, text: str) -> str:
        """Return text without control characters, in ASCII where asked."""
        shown = "".join(c if c.isprintable() else " " for c in text)
        if not self.ascii_only:
            return shown
        return "".join(_ASCII.get(c, c) for c in shown).encode("ascii", "replace").decode()

    def fit(self, text: str, width: int) -> str:
        """Return plain text of at most `width` cells."""
        shown = self.plain(text)
        if _cells(shown) <= width:
            return shown
        while shown and _cells(shown) >= width:
            shown = shown[:-1]
        return self.plain(f"{shown}…") if width > 0 else ""


@dataclass(frozen=True, slots=True)
class _Line:
    """A series on the scales of the axes: runs of points without a gap, vertical bars, points left out."""

    name: str
    runs: tuple[tuple[tuple[float, float], ...], ...]
    bars: tuple[tuple[float, float, float], ...]
    left_out: int

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        return tuple(point for run in self.runs for point in run)


def draw(plot: Plot, width: int, height: int, *, colour: bool, ascii_only: bool = False) -> str:
    """Return the plot as at most `height` lines of at most `width` cells, without a final newline.

    With `colour` there are ANSI colours in it, else plain text. Points that are not finite, or not positive
    on a log axis, are left out and counted in a line below. Under 20 by 5 it is `describe`, cut to fit.
    """
    style = _Style(colour, ascii_only)
    lines = [_scaled(plot, series) for series in plot.series]
    points = [point for line in lines for point in line.points]
    if width < _LEAST_WIDTH or height < _LEAST_HEIGHT or not points:
        return style.fit(describe(plot), width)
    note = _note(plot, lines)
    above, below, rows = _share(plot, height, note)
    levels = (
        [0.0] * plot.columns
        + [y for _, y in points]
        + [end for line in lines for _, *ends in line.bars for end in ends]
    )
    y_axis = axis_of(levels, plot.log_y or plot.y_is_log10, max(2, min(6, rows // 2)))
    labels = {
        round((1 - y_axis.place(at)) * (rows - 1)): style.fit(label, width // 2) for at, label in y_axis.ticks
    }
    gutter = max(map(_cells, labels.values()))
    columns = width - gutter - 1
    half = 0.5 * _step(points) if plot.columns else 0.0
    x_axis = axis_of(
        [x + side for x, _ in points for side in (-half, half)], plot.log_x, max(2, min(8, columns // 10))
    )
    sides = [f"{labels.get(row, ''):>{gutter}}{'┤' if row in labels else '│'}" for row in range(rows)]
    paint = _columns if plot.columns else _canvas
    canvas = paint(lines, x_axis, y_axis, columns, rows, style)
    texts = {
        "title": style.fit(plot.title, width),
        "legend": _legend(plot, width, style),
        "y_label": style.fit(plot.y_label, width),
        "x_label": style.fit(plot.x_label, width).rjust(width),
        "note": style.fit(note, width),
    }
    drawn = [style.plain(side) + painted for side, painted in zip(sides, canvas, strict=True)]
    ruler = [style.plain(line) for line in _ruler(x_axis, gutter, columns)]
    whole = [*(texts[part] for part in above), *drawn, *ruler, *(texts[part] for part in below)]
    return "\n".join(line.rstrip() for line in whole)


def describe(plot: Plot) -> str:
    """Return one line that says in words where each series starts and ends, for screen readers."""
    log_y = plot.log_y or plot.y_is_log10
    said = []
    for line in (_scaled(plot, series) for series in plot.series):
        if not line.points:
            said.append(f"{line.name} has no point to show")
            continue
        ends = [
            f"{short_number(y, log_y)} at {short_number(x, plot.log_x)}"
            for x, y in (min(line.points), max(line.points))
        ]
        way = ends[0] if len(line.points) == 1 else f"from {ends[0]} to {ends[1]}"
        said.append(f"{line.name} {way}{f' (points left out: {line.left_out})' if line.left_out else ''}")
    whole = f"{plot.title} ({plot.y_label} against {plot.x_label}): {'; '.join(said) or 'nothing to show'}."
    return _Style(colour=False, ascii_only=False).plain(whole)


def _scaled(plot: Plot, series: Series) -> _Line:
    """Return what can be drawn: log axes become exponents of ten, and every gap starts a new run."""
    to_x = _log10 if plot.log_x else float
    to_y = _log10 if plot.log_y and not plot.y_is_log10 else float
    spread = series.spread or ((math.nan, math.nan),) * len(series.y)
    runs: list[list[tuple[float, float]]] = [[]]
    bars, left_out = [], 0
    for x, y, (low, high) in zip(map(to_x, series.x), map(to_y, series.y), spread, strict=True):
        if not (math.isfinite(x) and math.isfinite(y)):
            left_out += 1
            runs.append([])
            continue
        runs[-1].append((x, y))
        ends = [end if math.isfinite(end) else y for end in (to_y(low), to_y(high))]
        if ends != [y, y]:
            bars.append((x, ends[0], ends[1]))
    return _Line(series.name, tuple(tuple(run) for run in runs if run), tuple(bars), left_out)


def _log10(value: float) -> float:
    return math.log10(value) if 0 < value < math.inf else math.nan


def _note(plot: Plot, lines: Sequence[_Line]) -> str:
    left_out = ", ".join(f"{line.name} {line.left_out}" for line in lines if line.left_out)
    log = plot.log_x or plot.log_y or plot.y_is_log10
    return (
        f"Points left out ({'zero, negative or not finite' if log else 'not finite'}): {left_out}"
        if left_out
        else ""
    )


def _share(plot: Plot, height: int, note: str) -> tuple[list[str], list[str], int]:
    """Return what stands above and below the canvas, most needed first, and the rows left for the canvas."""
    wanted = [  # with the rows that the canvas keeps at least
        ("legend", 2, len(plot.series) > 1),
        ("note", 1, bool(note)),
        ("title", 4, bool(plot.title)),
        ("x_label", 6, bool(plot.x_label)),
        ("y_label", 7, bool(plot.y_label)),
    ]
    rows, kept = height - 2, list[str]()
    for part, least, there in wanted:
        if there and rows > least:
            kept.append(part)
            rows -= 1
    above: list[str] = [part for part in ("title", "legend", "y_label") if part in kept]
    below: list[str] = [part for part in ("x_label", "note") if part in kept]
    return above, below, rows


def _canvas(
    lines: Sequence[_Line], x_axis: Axis, y_axis: Axis, columns: int, rows: int, style: _Style
) -> list[str]:
    """Return the painted rows: lines of braille dots with their own markers, or of markers alone in ASCII."""
    import plotext

    figure: Any = plotext.figure
    plotext.terminal.limit(False, False)
    figure.clear()  # plotext has one figure for the whole program
    figure.theme("colorless").canvas("default").axes(False).plot_size(columns, rows)
    for axis, side in (("x", "lower"), ("y", "left")):
        figure.ruler(axis, side).lim(0, 1)
        figure.ruler(axis, side).frequency(0)

    def paint(points: Sequence[tuple[float, float]], symbol: str, number: int, joined: bool) -> None:
        x, y = [x_axis.place(x) for x, _ in points], [y_axis.place(y) for _, y in points]
        marker = plotext.marker(symbol, _COLOURS[number % len(_COLOURS)])
        figure.draw(figure.signal(x, y, marker=marker).lines(joined))

    for number, line in enumerate(lines):
        for x, *ends in line.bars:
            paint([(x, end) for end in ends], "|" if style.ascii_only else "braille", number, True)
        for run in line.runs:
            dots = style.symbol(number) if style.ascii_only else "braille"
            paint(_thinned(run, 2 * columns), dots, number, True)
    for number, line in enumerate(lines):
        every = -(-len(line.points) // _MARKS_PER_LINE)
        start = number * every // len(lines)  # so that the markers of two lines on one path do not meet
        paint(line.points[start::every] if every else (), style.symbol(number), number, False)
    painted: list[str] = figure.build().string(colorless=not style.colour).rstrip("\n").split("\n")
    figure.clear()
    return painted


def _columns(
    lines: Sequence[_Line], x_axis: Axis, y_axis: Axis, columns: int, rows: int, style: _Style
) -> list[str]:
    """Return the painted rows of columns, which end in the middle of the row that their value has."""
    points = lines[0].points
    half = 0.5 * _step(points)
    painted = [[" "] * columns for _ in range(rows)]
    room = columns * (x_axis.place(points[0][0] + half) - x_axis.place(points[0][0] - half))
    wide = min(columns, max(1, int(room) - 1))  # with a gap between where there is room
    for x, y in points:
        left = max(0, min(columns - wide, round(x_axis.place(x) * columns - wide / 2)))
        eighths = round(8 * (y_axis.place(y) * (rows - 1) + 0.5)) if y > 0 else 0
        for row in range(rows):
            part = min(8, eighths - 8 * (rows - 1 - row))
            if part > 0:
                block = "#" if style.ascii_only else _BLOCKS[part - 1]
                painted[row][left : left + wide] = block * wide
    ink = f"\x1b[38;5;{_COLOURS[0]}m" if style.colour else ""
    texts = ("".join(row).rstrip() for row in painted)
    return [f"{ink}{text}\x1b[0m" if ink and text else text for text in texts]


def _step(points: Sequence[tuple[float, float]]) -> float:
    """Return how far apart neighbouring points are, 1 for a single one."""
    return min((right - left for (left, _), (right, _) in pairwise(sorted(points))), default=1.0) or 1.0


def _thinned(run: Sequence[tuple[float, float]], parts: int) -> Sequence[tuple[float, float]]:
    """Return the lowest and highest point of each of so many parts of a run that has far more points."""
    size = -(-len(run) // parts)
    if size <= 2:
        return run
    kept = []
    for start in range(0, len(run), size):
        part = range(start, min(start + size, len(run)))
        kept += sorted({min(part, key=lambda n: run[n][1]), max(part, key=lambda n: run[n][1])})
    return [run[n] for n in sorted({0, *kept, len(run) - 1})]


def _ruler(axis: Axis, gutter: int, columns: int) -> tuple[str, str]:
    """Return the x axis and its labels; a label that would touch the one before it is left out."""
    rule, labels, width = ["─"] * columns, "", gutter + 1 + columns
    for at, label in axis.ticks:
        column = round(axis.place(at) * (columns - 1))
        rule[column] = "┬"
        start = max(0, min(gutter + 1 + column - len(label) // 2, width - len(label)))
        if not labels or len(labels) < start:
            labels = labels.ljust(start) + label[:width]
    return f"{' ' * gutter}└{''.join(rule)}", labels


def _legend(plot: Plot, width: int, style: _Style) -> str:
    """Return the markers with their names on one line; names are cut evenly where they do not fit."""
    count = len(plot.series)
    names = [style.plain(series.name) for series in plot.series]
    room = width - 4 * count + 2
    if sum(map(_cells, names)) > room:
        names = [style.fit(name, max(1, room // count)) for name in names]
    entries = [f"{style.symbol(n)} {name}" for n, name in enumerate(names)]
    if _cells("  ".join(entries)) > width:
        return style.fit("  ".join(entries), width)
    if style.colour:
        entries = [
            f"\x1b[38;5;{_COLOURS[n % len(_COLOURS)]}m{entry}\x1b[0m" for n, entry in enumerate(entries)
        ]
    return "  ".join(entries)


def _cells(text: str) -> int:
    """Return how many terminal cells a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )
